"""The seam between the FactFinder and the sources of evidence, and whether a text speaks of a
concept."""

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date, datetime
from functools import lru_cache
from typing import Protocol, TypeVar, runtime_checkable

from ...state.errors import SourceFailed
from ...state.records import Evidence, Tier
from ...state.text import digest, normalise
from .titles import aside as aside
from .titles import bare as bare
from .titles import names as names
from .vocabulary import (
    ADVERBS,
    ALWAYS_GOES_ON,
    CONTINUES,
    DETERMINERS,
    FINITE,
    GOES_ON_BEFORE_NUMBER,
    MAY_END,
    ORDINAL_DOT,
    STARTERS,
    STOPWORDS,
)

Value = TypeVar("Value")
_WORD = re.compile(r"[^\W_]+")
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\u1000-\u109f\u1780-\u17ff]")
_SECOND_PART = re.compile(r"(?<=\w)-[^\W_]+")
_ISE = re.compile(r"is(e|ed|es|ing|ation|ations)$")


@lru_cache(maxsize=4096)
def stems(text: str) -> frozenset[str]:
    """The content words of a text in a form that ignores case, plural and -ise/-ize."""
    words = _WORD.findall(normalise(text))
    return frozenset(_stem(word) for word in words if word not in STOPWORDS) or frozenset(words)


@lru_cache(maxsize=16_384)
def _stem(word: str) -> str:
    word = _ISE.sub(r"iz\1", word) if len(word) > 5 else word
    if len(word) > 3 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    return word[:-1] if len(word) > 3 and word.endswith("e") else word


def singular(title: str) -> str | None:
    """An English title with its last word in the singular, "Chemical element" for "Chemical
    elements"; else None."""
    word = title.rsplit(maxsplit=1)[-1] if title.strip() else ""
    if len(word) < 4 or not word.endswith("s") or word.endswith(("ss", "us", "is")):
        return None
    return title[:-3] + "y" if word.endswith("ies") else title[:-1]


def mentions(text: str, concept: str) -> bool:
    """Whether a passage has the concept: as a phrase where words are not spaced, else all its
    content words; of those in brackets behind it, none. A single word has to stand for itself:
    SP-GiST is another thing than GiST."""
    concept = bare(concept)
    if _UNSPACED.search(concept):
        return normalise(concept) in normalise(text)
    wanted = stems(concept)
    alone = len(wanted) == 1 and "-" not in concept
    return bool(wanted) and wanted <= stems(_SECOND_PART.sub(" ", text) if alone else text)


def touches(text: str, domain: str) -> bool:
    """Whether a text has at least one content word of the domain, in whatever form ("chemistry" for
    "chemical")."""
    folded = normalise(text)
    return any(_root(stem) in folded for stem in stems(domain))


def _root(stem: str) -> str:
    return stem[:5] if len(stem) > 6 and not _UNSPACED.search(stem) else stem


_FULL_WIDTH, _HALF_WIDTH = "。！？｡", ".!?…؟۔।॥։።။។"
# one set of all signs comes first, so that letters are passed over fast
_END = re.compile(
    rf"""[{_FULL_WIDTH}{_HALF_WIDTH}](?:(?<=[{_FULL_WIDTH}])[{_FULL_WIDTH}]*|[{_HALF_WIDTH}]*)["'”’»›」』）)\]]*"""
)
_CLOSERS = "\"'”’»›」』）)]"
_OPENERS = "\"'“‘«‹„(（[「『¿¡"
_INITIALISM = re.compile(r"(?:[^\W\d_]\.)*[^\W\d_]")
_WORD_BEFORE = re.compile(r"\S+$")
_WORD_AFTER = re.compile(r"\w+")
_HEADED = re.compile(r"\S{1,120}:\s|(?:[^:!?;.]|\.(?!\s)){1,125}:\s+[^a-zß-ÿ\s]")
"""A term before its definition: one word and a colon, or several when what follows does not go on
in small letters."""
_NAME = re.compile(r"(?=.{3})(?:\D\d{2}|[α-ω]-|(?=(?:.*?[^\W\d_]){2}).+[\d_./(@=])\S*")
"""A word that no language has but as a name: p53, pg_dump, α-synuclein, os.path."""
_BEHIND_NAME = re.compile(r"(?:['’]s)?[,.;:)\]\"'”’]*$")
_PRESENT = re.compile(r"[a-z]{2,}[^\Wsui]s")


def sentences(paragraph: str, language: str = "en") -> list[tuple[int, int]]:
    """Spans (start, end) of the sentences of one paragraph, in order, without the white space
    between them.

    The last span may lack its end mark: the caller decides what an unfinished sentence is worth.
    """
    spans: list[tuple[int, int]] = []
    start = 0
    for mark in _END.finditer(paragraph):
        if _is_boundary(paragraph, mark, language):
            spans.append((start, mark.end()))
            start = mark.end()
    spans.append((start, len(paragraph)))
    return [trimmed for span in spans if (trimmed := _trim(paragraph, span))[0] < trimmed[1]]


def _trim(text: str, span: tuple[int, int]) -> tuple[int, int]:
    start, end = span
    inner = text[start:end].lstrip()
    start = end - len(inner)
    return start, start + len(inner.rstrip())


def _is_boundary(text: str, mark: re.Match[str], language: str) -> bool:
    after = text[mark.end() : mark.end() + 40]
    if not after.strip():
        return True
    if mark.group()[0] in _FULL_WIDTH:
        # 「…。」と言った: a quotation that the sentence goes on after
        return mark.group()[-1] not in _CLOSERS or after[0].isspace()
    if not after[0].isspace() or not _may_begin(after.lstrip()):
        return False
    if mark.group().rstrip(_CLOSERS) != ".":
        return True
    return not _goes_on(text[max(0, mark.start() - 30) : mark.start()], after, language)


def _may_begin(after: str) -> bool:
    """A capital, a digit, a letter of a script without case, or a name in small letters."""
    text = after.lstrip(_OPENERS)
    first = text[:1]
    return first.isdigit() or (first.isalpha() and (not first.islower() or begins_with_name(text)))


def begins_with_name(text: str) -> bool:
    """Whether a text that begins with a small letter begins as a sentence does that has a name
    (psql, p53, pH) for its subject or a term for its head, and not as the rest of a sentence."""
    words = text.split(maxsplit=4)
    name = _BEHIND_NAME.sub("", words[0]) if words else ""
    if name != name.lower() or _HEADED.match(text):
        return words[0].casefold().rstrip(":") not in CONTINUES or words[0][-1] == ":"
    if (
        len(name) < 3
        or name in CONTINUES
        or name.endswith("ly")
        or words[0].rstrip(".") in ALWAYS_GOES_ON
    ):
        return False
    if _NAME.fullmatch(name):
        return True
    if len(words) > 2 and words[0][-1] == ",":
        return words[1] in ("if", "when", "which")
    if len(words) > 2 and words[1] in ADVERBS:
        return words[2] in FINITE or bool(_PRESENT.fullmatch(words[2]))
    return _is_finite(words[1:3]) or (
        len(words) > 2 and words[1] not in CONTINUES and _is_finite(words[2:3])
    )


def _is_finite(words: list[str]) -> bool:
    if not words:
        return False
    return words[0] in FINITE or (
        bool(_PRESENT.fullmatch(words[0])) and len(words) > 1 and words[1] in DETERMINERS
    )


def _goes_on(before: str, after: str, language: str) -> bool:
    """Whether the full stop between `before` and `after` marks an abbreviation inside a
    sentence."""
    found = _WORD_BEFORE.search(before)
    word = found.group().lstrip(_OPENERS) if found else ""
    folded = word.casefold()
    following = _WORD_AFTER.search(after)
    next_word = following.group() if following else ""
    if folded in ALWAYS_GOES_ON:
        return True
    if folded in GOES_ON_BEFORE_NUMBER and next_word[:1].isdigit():
        return True
    if folded in MAY_END or _INITIALISM.fullmatch(word):
        return next_word.casefold() not in STARTERS
    return language in ORDINAL_DOT and word.isdigit() and len(word) <= 2


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


@runtime_checkable
class Contents(FactSource, Protocol):
    """A source that lists what it holds."""

    async def contents(self, limit: int) -> list[str]:
        """Titles and headings of what it has passages on, each once, in one order whatever the
        machine; at most `limit`, spread evenly over all of them. Raises SourceFailed."""
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


def spread(items: Sequence[Value], limit: int) -> list[Value]:
    """At most `limit` of the items, evenly over all of them and in their order."""
    if len(items) <= limit:
        return list(items)
    return [items[index * len(items) // limit] for index in range(limit)]
