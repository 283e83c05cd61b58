"""The seam between the FactFinder and the sources of evidence, and whether a text speaks of a
concept."""

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date, datetime
from functools import lru_cache
from itertools import pairwise
from typing import Protocol, TypeVar, runtime_checkable

from ...state.errors import SourceFailed
from ...state.records import Evidence
from ...state.text import digest, normalise
from ...state.tiers import Tier
from .titles import bare, fold, parenthesised

Value = TypeVar("Value")
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\u1000-\u109f\u1780-\u17ff]")
_SHORT = 3
"""Letters of a word that says little between two others, as "of" does."""


@lru_cache(maxsize=4096)
def stems(text: str) -> frozenset[str]:
    """The words of a text in a form that ignores case, plural and possessive, without short ones in
    small letters between two others."""
    return frozenset(map(_stem, fold(" ".join(content_words(text))).split()))


def content_words(text: str) -> list[str]:
    """The words of a text without short ones in small letters between two others."""
    words = text.split()
    inner = [word for word in words[1:-1] if len(word) > _SHORT or not word.islower()]
    return [*words[:1], *inner, *words[1:][-1:]]


@lru_cache(maxsize=16_384)
def _stem(word: str) -> str:
    if len(word) > 3 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    return word[:-1] if len(word) > 3 and word.endswith("e") else word


def mentions_concept(text: str, concept: str) -> bool:
    """Whether a passage has the concept: as a phrase where words are not spaced, else all its
    words; of those in brackets behind it, none."""
    concept = bare(concept)
    if _UNSPACED.search(concept):
        return normalise(concept) in normalise(text)
    wanted = stems(concept)
    return bool(wanted) and wanted <= set(map(_stem, fold(text).split()))


def has_domain_word(text: str, domain: str) -> bool:
    """Whether a text has at least one word of the domain, in whatever form ("chemistry" for
    "chemical")."""
    folded = fold(text)
    return any(_root(stem) in folded for stem in stems(domain))


def _root(stem: str) -> str:
    return stem[:5] if len(stem) > 6 and not _UNSPACED.search(stem) else stem


_LONE_SURROGATE = re.compile(r"[\ud800-\udfff]")
_WINDOW = 10_000
_TAIL = 12
"""Characters by which it is seen whether a sentence goes on."""
_ENDS_NONE = re.compile(r"(?:(?<![^\W_])(?<!\.)[^\W\d_]\.\s*|[」』])$")
"""An initial; a quotation that the sentence goes on after."""
_ENDS_NONE_BEFORE_NUMBER = re.compile(r"(?<![^\W_])[^\W\d_]{2,4}\.\s*$")
"""A short word: "vol. 3"."""


def sentences(paragraph: str, language: str = "en") -> list[tuple[int, int]]:
    """Spans (start, end) of the sentences of one paragraph, in order, without the white space
    between them.

    The last span may lack its end mark: the caller decides what an unfinished sentence is worth.
    """
    text = _LONE_SURROGATE.sub("\ufffd", paragraph)
    spans: list[tuple[int, int]] = []
    for start, end in _boundaries(text, language):
        if spans and _goes_on(text[max(0, start - _TAIL) : start], text[start:end]):
            start = spans.pop()[0]
        spans.append((start, end))
    return [trimmed for span in spans if (trimmed := _trim(paragraph, span))[0] < trimmed[1]]


def _boundaries(text: str, language: str) -> Iterator[tuple[int, int]]:
    """What the library takes for sentences, window by window: its time grows by the square."""
    # compiled: loaded only where a page is cut
    from sentencex import get_sentence_boundaries  # type: ignore[import-untyped]  # ships no types

    begin = 0
    while begin < len(text):
        window = text[begin : begin + _WINDOW]
        opening = len(window) - len(window.lstrip("([{ "))  # behind one, it ends no sentence
        boundaries = get_sentence_boundaries(language, window[opening:])
        ends = [boundary["end_index"] + opening for boundary in boundaries] or [len(window)]
        if begin + len(window) < len(text) and len(ends) > 1:
            ends.pop()  # the next window has all of it
        for start, end in pairwise([0, *ends]):
            yield begin + start, begin + end
        begin += ends[-1]


def _goes_on(before: str, after: str) -> bool:
    if after[0].isdigit() and _ENDS_NONE_BEFORE_NUMBER.search(before):
        return True
    return bool(_ENDS_NONE.search(before))


def _trim(text: str, span: tuple[int, int]) -> tuple[int, int]:
    start, end = span
    inner = text[start:end].lstrip()
    start = end - len(inner)
    return start, start + len(inner.rstrip())


_LONGEST_TITLE, _LONGEST_URL = 500, 8000
_UNFORESEEN = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of a page: `text` is a substring of `clean(page)`; `section` is its heading, None in
    the lead."""

    text: str
    section: str | None = None


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
        return " ".join(filter(None, (parenthesised(self.concept), nearest)))


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


@runtime_checkable
class Sectioned(FactSource, Protocol):
    """A source that can list the places that are nearest to a query."""

    async def sections(self, query: FactQuery, limit: int) -> list[str]:
        """Titles, and `title › heading` for what stands below them, each of which `find` takes for
        a concept and means that place alone; at most `limit`. Raises SourceFailed."""
        ...


@runtime_checkable
class Contents(FactSource, Protocol):
    """A source that lists what it holds."""

    async def contents(self, limit: int) -> list[str]:
        """Titles and headings of what it has passages on, each once, in one order whatever the
        machine; at most `limit`, spread evenly over all of them. Raises SourceFailed."""
        ...


@contextmanager
def reading(sender: str) -> Iterator[None]:
    """Around the asking for a reply and the reading of it, once per source: what nobody foresaw in
    it is that look-up's failure, never the end of the run. `sender` sends it, without anything secret.
    Raises SourceFailed, kind bad_reply."""
    try:
        yield
    except _UNFORESEEN as error:
        reason = f"{type(error).__name__}: {error}"[:200]
        raise SourceFailed(
            "bad_reply", f"{sender} sent a reply that cannot be read ({reason})."
        ) from error


def record(
    passages: Sequence["Passage"],
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
    unique = {digest(passage.text): passage for passage in reversed(passages)}
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


def spread(items: Sequence[Value], limit: int) -> list[Value]:
    """At most `limit` of the items, evenly over all of them and in their order."""
    if len(items) <= limit:
        return list(items)
    return [items[index * len(items) // limit] for index in range(limit)]
