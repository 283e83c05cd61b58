"""Whether a page or a passage is about a concept at all. Without it a concept that a model invented finds evidence too.

Words are compared by a light stem and then exactly. Likeness of letters would not do: chlorine and chloride, methane
and ethane, sulfate and sulfite are closer to each other than many honest spelling variants.
"""

import re
from collections.abc import Iterator
from functools import lru_cache

from ...state.text import normalise
from .vocabulary import STOPWORDS

_WORD = re.compile(r"[^\W_]+")
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\u1000-\u109f\u1780-\u17ff]")
_SECOND_PART = re.compile(r"(?<=\w)-[^\W_]+")
_ISE = re.compile(r"is(e|ed|es|ing|ation|ations)$")
_ASIDE = re.compile(r"\s+\((?P<aside>[^()]*)\)\s*$")
_MANUAL_PAGE = re.compile(r"\(\d\w{0,2}\)(?: manual page)?$", re.IGNORECASE)
_NUMBERED = re.compile(
    r"(?:(?:chapter|part|appendix|section|kapitel|teil|anhang|abschnitt|chapitre|partie|annexe|capítulo|parte|sección)\s+"
    r"[\dA-Z]{1,5}(?:\.\d+)*|(?:\d{1,3}|[A-Z])(?:\.\d+)+|\d{1,3})[.:]\s+(?=\S)",
    re.IGNORECASE,
)
_BARE_NUMBER = re.compile(r"\d+(?:\.\d+)+\s+")


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
    """An English title with its last word in the singular, "Chemical element" for "Chemical elements"; else None."""
    word = title.rsplit(maxsplit=1)[-1] if title.strip() else ""
    if len(word) < 4 or not word.endswith("s") or word.endswith(("ss", "us", "is")):
        return None
    return title[:-3] + "y" if word.endswith("ies") else title[:-1]


def unnumbered(heading: str) -> str:
    """A heading without its number: "Overview" for "43.1. Overview", "Glossary" for "Appendix M. Glossary"."""
    return heading[found.end() :] if (found := _NUMBERED.match(heading)) else heading


def bare(concept: str) -> str:
    """A concept or title without what stands in brackets behind it: "commit" for "commit (Git)"."""
    return _ASIDE.sub("", concept) or concept


def aside(concept: str) -> str:
    """What stands in brackets behind a concept or title: "Git" of "commit (Git)"; empty where nothing does."""
    found = _ASIDE.search(concept)
    return found["aside"] if found and found.start() else ""


def names(title: str, concept: str) -> bool:
    """Whether a page with this title is the page on the concept: "Mercury (element)" for "mercury", "Alkali metal" for
    "the alkali metals"; not "Iron ore" for "iron". A number before a title or the book behind it makes no difference;
    of two with brackets, those must agree."""
    wanted, titled = stems(concept), bare(title)
    if wanted and wanted in map(stems, _forms(title)):
        return True
    if not (qualifier := aside(concept)):
        return bool(wanted) and wanted in map(stems, _forms(titled))
    agrees = title == titled or stems(qualifier) <= stems(aside(title))
    return agrees and stems(bare(concept)) in map(stems, _forms(titled))


def _forms(title: str) -> Iterator[str]:
    """A title as it may be called: without number or section of the manual, and each side of a dash."""
    yield title
    plain = _MANUAL_PAGE.sub("", _BARE_NUMBER.sub("", unnumbered(title), count=1))
    yield plain
    if " — " in plain:
        yield from plain.split(" — ", 1)


def mentions(text: str, concept: str) -> bool:
    """Whether a passage has the concept: as a phrase where words are not spaced, else all its content words; of those
    in brackets behind it, none. A single word has to stand for itself: SP-GiST is another thing than GiST."""
    concept = bare(concept)
    if _UNSPACED.search(concept):
        return normalise(concept) in normalise(text)
    wanted = stems(concept)
    alone = len(wanted) == 1 and "-" not in concept
    return bool(wanted) and wanted <= stems(_SECOND_PART.sub(" ", text) if alone else text)


def touches(text: str, domain: str) -> bool:
    """Whether a text has at least one content word of the domain, in whatever form ("chemistry" for "chemical")."""
    folded = normalise(text)
    return any(_root(stem) in folded for stem in stems(domain))


def _root(stem: str) -> str:
    return stem[:5] if len(stem) > 6 and not _UNSPACED.search(stem) else stem
