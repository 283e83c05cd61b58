"""Passages as evidence: which of them, and what is written down about where they came from. Pure."""

from collections.abc import Sequence
from datetime import date, datetime

from ...state.records import Evidence
from ...state.text import digest
from ...state.tiers import Tier
from .passages import Passage


def spread(found: Sequence[Passage], limit: int) -> list[Passage]:
    """At most `limit` of the passages, evenly over all of them and in their order: a long page's first section alone
    would make every probe on the concept ask about its history."""
    if len(found) <= limit:
        return list(found)
    return [found[index * len(found) // limit] for index in range(limit)]


def record(
    found: Sequence[Passage],
    *,
    source: str,
    tier: Tier,
    title: str,
    url: str,
    retrieved_at: datetime,
    revision: str | None = None,
    published: date | None = None,
) -> list[Evidence]:
    """The passages of one page as evidence, each text once."""
    unique = {digest(passage.text): passage for passage in reversed(found)}
    return [
        Evidence(
            text=passage.text,
            title=title,
            url=url,
            source=source,
            tier=tier,
            section=passage.section,
            revision=revision,
            published=published,
            retrieved_at=retrieved_at,
            digest=key,
        )
        for key, passage in reversed(unique.items())
    ]
