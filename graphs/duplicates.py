"""When two questions ask for one fact: near in words, with the same normalised reference."""

from collections.abc import Iterable
from functools import lru_cache

from rapidfuzz import fuzz

from ..state.text import digest, normalise

SAME_WORD = 80.0
"""rapidfuzz ratio (0 … 100) from which two words count as forms of one: melting/melts, Caesium/Cesium."""

_FILLER_TEXT = (
    "a an the is was are were be did does do has have had of in on at by for to with from and or as it its this that "
    "what which who whom whose when where why how many much name year first"
)
_FILLERS = frozenset(_FILLER_TEXT.split())

Fact = tuple[str, str]
"""Digest of what the reference answers, and the question."""


def fact_of(question: str, reference: str) -> Fact:
    """The reference counts by what it adds to the question: a full sentence may be worded in many ways."""
    added = _words(reference) - _words(question)
    return digest(" ".join(sorted(added)) or reference), question


def is_duplicate(fact: Fact, ledger: Iterable[Fact]) -> bool:
    """Whether the ledger holds the same fact: an equal reference alone is not enough ("Period 4" answers many)."""
    reference, question = fact
    return any(ref == reference and near(question, asked) for ref, asked in ledger)


def near(one: str, other: str) -> bool:
    """Whether the questions differ by additions or word forms only.

    Likeness of the whole strings would not do: questions of one pattern about two subjects (the period of sodium, of
    argon) are more alike than two wordings of one question. So a word that stands in one place of each but differs is
    a difference, and a word that only one of them has is not.
    """
    a, b = _words(one), _words(other)
    fewer, more = sorted((a - b, b - a), key=len)
    return all(any(fuzz.ratio(word, w) >= SAME_WORD for w in more) for word in fewer)


@lru_cache(maxsize=2048)
def _words(question: str) -> frozenset[str]:
    words = normalise(question).replace("-", " ").split()
    return frozenset(word.strip(".,;:?!()'\"") for word in words) - _FILLERS
