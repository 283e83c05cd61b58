"""Passages as evidence: which of them, and what is written down about where they came from. Pure."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import date, datetime

from ...state.errors import SourceFailed
from ...state.records import Evidence
from ...state.text import digest
from ...state.tiers import Tier
from .passages import Passage

_LONGEST_TITLE, _LONGEST_URL = 500, 8000
_UNFORESEEN = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)


@contextmanager
def reading(who: str) -> Iterator[None]:
    """Around the asking for a reply and the reading of it, once per source: what nobody foresaw in it is that look-up's
    failure, never the end of the run. `who` sends it, without anything secret. Raises SourceFailed, kind bad_reply."""
    try:
        yield
    except _UNFORESEEN as error:
        reason = f"{type(error).__name__}: {error}"[:200]
        raise SourceFailed("bad_reply", f"{who} sent a reply that cannot be read ({reason}).") from error


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
    """The passages of one page as evidence, each text once; what else is said of the page is kept as far as is sane."""
    unique = {digest(passage.text): passage for passage in reversed(found)}
    return [
        Evidence(
            text=passage.text,
            title=title[:_LONGEST_TITLE],
            url=url[:_LONGEST_URL],
            source=source,
            tier=tier,
            section=passage.section,
            revision=revision and revision[:_LONGEST_TITLE],
            published=published,
            retrieved_at=retrieved_at,
            digest=key,
        )
        for key, passage in reversed(unique.items())
    ]
