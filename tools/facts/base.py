"""The seam between the FactFinder and the sources of evidence."""

from collections.abc import Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date, datetime
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from ...state.errors import SourceFailed
from ...state.records import Evidence
from ...state.text import digest
from ...state.tiers import Tier
from .relevance import aside, bare

if TYPE_CHECKING:
    from .passages import Passage

_LONGEST_TITLE, _LONGEST_URL = 500, 8000
_UNFORESEEN = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)


@dataclass(frozen=True, slots=True)
class FactQuery:
    """What evidence is wanted: passages on a concept, within a domain, at a tier. The concept may
    tell its sense in brackets behind it, "commit (Git)": words that help to find it and need not
    stand in a passage."""

    concept: str
    domain: str
    tier: Tier
    as_of: date
    language: str = "en"
    limit: int = 12
    """Most passages to return."""
    line: tuple[str, ...] = ()
    """Concepts drilled before this one on its line, the root first: they tell the sense in which it
    is meant. A source over the network looks at the last of them only, by which the cache knows its
    answers apart."""

    @property
    def sense(self) -> str:
        """Words beside the concept and the domain: those in its brackets, and the concept before
        it; may be empty."""
        nearest = bare(self.line[-1]) if self.line else ""
        return " ".join(filter(None, (aside(self.concept), nearest)))


@runtime_checkable
class FactSource(Protocol):
    """A source of evidence. `find` returns passages in reading order, none when there is no page on
    the concept; raises SourceFailed when the source itself failed (which is not the absence of
    evidence)."""

    @property
    def name(self) -> str:
        """The source as written in a spec: `wikipedia`, `mediawiki:URL`, `tavily`, `sim`."""
        ...

    @property
    def tiers(self) -> Set[Tier]:
        """Tiers this source can serve."""
        ...

    async def find(self, query: FactQuery) -> list[Evidence]: ...

    async def aclose(self) -> None: ...


Facts = Mapping[Tier, Sequence[FactSource]]
"""The sources of each tier, in the order they are asked in."""


@runtime_checkable
class Whole(FactSource, Protocol):
    """A source on this machine that can be read whole, and so can say when its content changed. It
    is not cached."""

    async def prepare(self) -> None:
        """Read what there is to read, before anything is asked. Raises UsageError when nothing can
        be."""
        ...

    async def fingerprint(self) -> str:
        """Sixteen hex digits over the content. Raises SourceFailed."""
        ...


@runtime_checkable
class Encyclopedia(FactSource, Protocol):
    """A source with a page per subject, which can say whether a domain exists at all."""

    async def has_page(self, title: str, language: str) -> bool: ...


@runtime_checkable
class ByTitle(Encyclopedia, Protocol):
    """An encyclopedia whose pages are cheaper to find by title than by a search."""

    async def is_titled(self, query: FactQuery) -> bool:
        """Whether there is a page under the concept's own title. Raises SourceFailed."""
        ...

    async def find_titled(self, query: FactQuery) -> list[Evidence] | None:
        """As `find`, of the page under the concept's own title; None where there is none. Raises
        SourceFailed."""
        ...


@runtime_checkable
class Titled(FactSource, Protocol):
    """A source that can say which of its titles come nearest to one that it does not know."""

    async def nearest(self, title: str, language: str) -> list[str]:
        """Titles, best first, by one search at most. Raises SourceFailed."""
        ...


@contextmanager
def reading(who: str) -> Iterator[None]:
    """Around the asking for a reply and the reading of it, once per source: what nobody foresaw in
    it is that look-up's failure, never the end of the run. `who` sends it, without anything secret.
    Raises SourceFailed, kind bad_reply."""
    try:
        yield
    except _UNFORESEEN as error:
        reason = f"{type(error).__name__}: {error}"[:200]
        raise SourceFailed(
            "bad_reply", f"{who} sent a reply that cannot be read ({reason})."
        ) from error


def record(
    found: Sequence["Passage"],
    *,
    source: str,
    tier: Tier,
    title: str,
    url: str,
    retrieved_at: datetime,
    revision: str | None = None,
    published: date | None = None,
) -> list[Evidence]:
    """The passages of one page as evidence, each text once; what else is said of the page is kept
    as far as is sane."""
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


def charges(source: FactSource) -> bool:
    """Whether it takes money for each search; a source that does says so in a field of that
    name."""
    return bool(getattr(source, "charges", False))
