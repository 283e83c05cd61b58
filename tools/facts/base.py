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
from ...state.records import Evidence
from ...state.text import digest, normalise
from ...state.tiers import Tier

Value = TypeVar("Value")
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\u1000-\u109f\u1780-\u17ff]")
_SHORT = 3
"""Letters of a word that says little between two others, as "of" does."""


_ASIDE = re.compile(r"\s+\((?P<sense>[^()]*)\)\s*$")
_ARTICLE = re.compile(r"^(?:the|an?)\s+(?=\S)", re.IGNORECASE)
NUMBER = r"\d+[a-z]?(?:[.-]\d+)*"
_LABEL = re.compile(
    rf"(?P<label>[^\W\d_]+\.?\s+(?:{NUMBER}|(?-i:[IVXLCDM]+|[A-Z](?:\.\d+)*(?=\.)))"
    rf"|(?:§+|art(?:icle|ikel)?\.?|chapter|guideline|rule|section)\s*{NUMBER}(?=\s+\S))"
    r"(?:\s*[.:)–—-]+\s+|\s+)(?=\S)",
    re.IGNORECASE,
)
"""One word and a number, and then what it is about: "Article 14. Equality before the law"."""
_STOPPED = re.compile(r"[.:)–—-]\s+$|^(?:§|art|chapter|guideline|rule|section)", re.IGNORECASE)
_BARE_NUMBER = re.compile(
    r"(?:\(?\d{1,3}[a-z]?[.:)]|(?:\d{1,3}|[A-Z])(?:\.\d+)+[.:)]?)\s+(?=\S)"
)
_MANUAL_PAGE = re.compile(r"\(\d\w{0,2}\)(?: manual page)?$", re.IGNORECASE)
# each begins with a sign, so that what lies between is passed over fast
_POSSESSIVE = re.compile(r"'(?:(?<=\w')s\b|(?<=s')(?!\w))")
_ISE = re.compile(r"is(?<=\w{3}is)(?=(?:e|ed|es|ing|ations?)\b)")
_WORD = re.compile(r"[^\W_]+")
_SINGULARS = tuple(
    (re.compile(ending), singular)
    for ending, singular in (
        ("(?<=..)ies$", "y"),
        ("(?<=..)ves$", "f"),
        ("(?<=..)ves$", "fe"),
        ("(?:(?<=[sxo])|(?<=[cs]h))es$", ""),
        ("(?<=..[^sui])s$", ""),
    )
)
"""Ends of English plurals, with those of the singular."""


def bare(concept: str) -> str:
    """A concept or title without what stands in brackets behind it: "commit" for "commit (Git)"."""
    return _ASIDE.sub("", concept) or concept


def parenthesised(concept: str) -> str:
    """What stands in brackets behind a concept or title: "Git" of "commit (Git)"; empty where
    nothing does."""
    match = _ASIDE.search(concept)
    return match["sense"] if match and match.start() else ""


def split_number(title: str) -> tuple[str, str]:
    """A title's number with the word before it, and the rest: ("Article 14", "Equality before the
    law"), ("", "Overview") for "43.1. Overview"."""
    label = _LABEL.match(title)
    if label and _STOPPED.search(label.group()):
        return label["label"], title[label.end() :]
    number = _BARE_NUMBER.match(title)
    return "", title[number.end() :] if number else title


def unnumbered(heading: str) -> str:
    """A heading without its number: "Overview" for "43.1. Overview", "Glossary" for "Appendix M.
    Glossary"."""
    return split_number(heading)[1]


def title_forms(concept: str) -> list[str]:
    """Titles that a page on the concept may have, those most like it first: as it is written,
    without brackets, number or article, with its last word in the singular, in small letters but
    for the first, without a possessive's s, and without hyphens."""
    spelling = " ".join(concept.replace("_", " ").replace("’", "'").split())
    plain = bare(spelling)
    forms = [spelling, plain, _ARTICLE.sub("", unnumbered(plain))]
    for form in forms[1:]:
        forms += [ending.sub(singular, form) for ending, singular in _SINGULARS]
    forms += [_sentence_case(form) for form in forms[1:]]
    forms += [_POSSESSIVE.sub("", form) for form in forms[1:]]
    forms += [form.replace("-", " ") for form in forms[1:]]
    return list(dict.fromkeys(filter(None, forms)))


def heading_forms(title: str) -> list[str]:
    """What a page or section with this title may be called: all of it, without number or section of
    the manual, its number alone, each side of a dash; each as `title_forms` has it."""
    label, rest = split_number(title)
    names = [title, label, *_MANUAL_PAGE.sub("", rest).split(" — ", 1)]
    return list(dict.fromkeys(form for name in names if name for form in title_forms(name)))


def title_is_concept(title: str, concept: str) -> bool:
    """Whether a page with this title is the page on the concept: "Mercury (element)" for "mercury",
    "Alkali metal" for "the alkali metals"; not "Iron ore" for "iron". Of two with brackets, those
    must agree."""
    sense, wanted = parenthesised(title), parenthesised(concept)
    if sense and wanted and not set(fold(wanted).split()) <= set(fold(sense).split()):
        return False
    titles = {fold(form) for form in heading_forms(title)}
    return not titles.isdisjoint(map(fold, title_forms(concept)))


def fold(text: str) -> str:
    """The words of a text as they are matched, in small letters, without any other sign."""
    return " ".join(_WORD.findall(respell(text)))


def respell(text: str) -> str:
    """A text in one spelling for matching: without possessive s and with -ize for -ise, and signs
    apart where words are not spaced."""
    plain = _ISE.sub("iz", _POSSESSIVE.sub("", normalise(text)))
    return plain if plain.isascii() else _UNSPACED.sub(r" \g<0> ", plain)


def _sentence_case(title: str) -> str:
    """Small letters behind the first word; a word with another capital, DNA or pH, is a name."""
    first, *others = title.split(" ")
    names = [len(word) < 2 or not (word.isalpha() and word.istitle()) for word in others]
    small = [
        word if is_name else word.lower() for word, is_name in zip(others, names, strict=True)
    ]
    return " ".join([first, *small])


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


_LONGEST_TITLE, _LONGEST_URL = 500, 8000
_UNFORESEEN = (
    ArithmeticError,
    AttributeError,
    LookupError,
    RecursionError,
    TypeError,
    ValueError,
)


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
