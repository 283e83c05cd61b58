"""The simulated literature as bibliographic records: what services that index literature know about each document."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache
from typing import Literal

from ...state.tiers import Tier
from ..corpus import corpus
from ..draws import number
from ..pages import Document
from ..search import stems
from .library import PREPRINT, RETRACTED

Standing = Literal["sound", "retracted", "retracted, seen in a link only", "notice"]
_FIRST_NUMBER = 90_000_001
DOI_PREFIX = "10.5555"
"""The prefix that DOI registration sets aside for examples: no such link leads anywhere real."""


@dataclass(frozen=True, slots=True)
class Record:
    """`document` with what an index adds. A service sees its standing only as far as its own fields say it."""

    number: int
    document: Document
    kind: Literal["guideline", "review", "article", "preprint", "notice"]
    standing: Standing
    words: frozenset[str]
    """Stems of title and abstract."""
    abstract_words: frozenset[str]
    subject: frozenset[str]

    @property
    def doi(self) -> str:
        return f"{DOI_PREFIX}/fathom.sim.{self.document.id}{'.notice' if self.kind == 'notice' else ''}"

    @property
    def title(self) -> str:
        return f"Retraction notice to: {self.document.title}" if self.kind == "notice" else self.document.title

    @property
    def venue(self) -> str:
        return "Simulated Preprints (not a real server)" if self.kind == "preprint" else "Simulated Journal of Elements"

    def published(self, reference: date) -> date:
        """The day of publication: fixed, or for the newest literature counted back from the reference day."""
        if self.document.published is not None:
            return date.fromisoformat(self.document.published)
        return reference - timedelta(days=self.document.age_days)


@cache
def records() -> tuple[Record, ...]:
    """All records, in the order of their documents. Built once per process, when the first search comes."""
    found: list[Record] = []
    for document in corpus().documents:
        for kind, standing in _parts(document):
            abstract = frozenset(stems(document.text))
            words = abstract | frozenset(stems(document.title))
            subject = frozenset(stems(document.subject))
            found.append(Record(_FIRST_NUMBER + len(found), document, kind, standing, words, abstract, subject))
    return tuple(found)


def _parts(
    document: Document,
) -> Iterator[tuple[Literal["guideline", "review", "article", "preprint", "notice"], Standing]]:
    """A document's own record; for every second retracted one the notice too, while the index has marked the others
    by a link alone. Some of the newest work is preprints."""
    draw = number("record", document.id)
    if document.kind == RETRACTED:
        yield "article", "retracted" if draw % 2 else "retracted, seen in a link only"
        if draw % 2:
            yield "notice", "notice"
    elif document.kind == PREPRINT or (document.tier is Tier.CUTTING_EDGE and draw % 5 == 0):
        yield "preprint", "sound"
    elif document.tier is Tier.PROFESSIONAL:
        yield "guideline" if draw % 2 else "review", "sound"
    else:
        yield "article", "sound"


def ranked(found: list[Record], wanted: frozenset[str], *, dated: bool) -> list[Record]:
    """Best first: records on a subject that was asked for; without a window of dates the newest, uncited, come last."""

    def order(record: Record) -> tuple[bool, bool, int, int]:
        new = record.document.tier is Tier.CUTTING_EDGE and not dated
        return (not record.subject <= wanted, new, -len(record.subject & wanted), record.number)

    return sorted(found, key=order)
