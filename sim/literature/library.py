"""The simulated literature: data sheets, journal articles and the newest work, a few of them preprints or retracted."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import date, timedelta

from ...state.tiers import Tier
from ..draws import number, shuffled
from ..facts import Fact
from ..pages import Document, Draft, prose

PER_DOCUMENT = 9
"""Facts of one document, at most."""

_KINDS = {
    Tier.PROFESSIONAL: ("guideline", "Guideline and data sheet for professional practice", "standards.example.org"),
    Tier.SPECIALIST: ("journal article", "Peer-reviewed study of properties", "journal.example.org"),
    Tier.CUTTING_EDGE: ("journal article", "New results", "newresults.example.org"),
}
_OLDEST, _SPAN_DAYS = date(2006, 1, 1), 6000
"""Days of publication of everything but the newest literature: 2006 to mid-2022."""
_YOUNGEST_DAYS, _NEW_SPAN_DAYS = 20, 660
PREPRINT, RETRACTED = "preprint", "retracted article"


def documents(parts: Iterable[tuple[Draft, list[Fact]]]) -> Iterator[Document]:
    """All documents, subject by subject. A document has between two and nine facts of one tier."""
    for draft, facts in parts:
        for tier in _KINDS:
            chosen = shuffled_by_id([fact for fact in facts if fact.tier is tier], tier)
            count = -(-len(chosen) // PER_DOCUMENT)
            for part in range(count):
                yield from _with_copies(_document(draft, tier, chosen[part::count], part + 1))


def shuffled_by_id(facts: list[Fact], tier: Tier) -> list[Fact]:
    by_id = {fact.id: fact for fact in facts}
    return [by_id[id] for id in shuffled(list(by_id), tier)]


def _document(draft: Draft, tier: Tier, facts: list[Fact], part: int) -> Document:
    kind, heading, site = _KINDS[tier]
    slug = draft.name.lower().replace(" ", "-")
    id = f"{tier.lower().replace('_', '-')}-{slug}-{part}"
    day = _OLDEST + timedelta(days=number(id) % _SPAN_DAYS)
    return Document(
        id=id,
        title=f"{heading}: {draft.name} among the chemical elements, part {part}",
        tier=tier,
        kind=kind,
        site=site,
        subject=draft.name,
        topics=tuple(draft.topics),
        text=prose(draft.name, facts, draft.topics, turn=part),
        published=None if tier is Tier.CUTTING_EDGE else day.isoformat(),
        age_days=_YOUNGEST_DAYS + number(id) % _NEW_SPAN_DAYS,
    )


def _with_copies(document: Document) -> Iterator[Document]:
    """Some articles have a preprint, some were retracted: a source for specialists has to leave both out."""
    yield document
    if document.tier is Tier.SPECIALIST:
        chance = number("copy", document.id) % 20
        if chance < 2:
            yield replace(
                document,
                id=f"preprint-{document.id}",
                kind=PREPRINT,
                title=f"Preprint, not peer-reviewed: {document.subject} among the chemical elements",
                site="preprints.example.org",
            )
        elif chance == 2:
            yield replace(document, id=f"retracted-{document.id}", kind=RETRACTED, title=f"Retracted: {document.title}")
