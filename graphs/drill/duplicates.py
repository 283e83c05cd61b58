"""When two questions ask for one fact: the same value for the same subject, however either is worded."""

import re
from collections.abc import Iterable
from functools import lru_cache

from ...agents.questioner.question_text import KINDS, added, roots
from ...state.text import Word, content, listed

Fact = tuple[str, str]
"""The words of the value, and those of the subject: what else question and reference say. Each once, in one order."""

_VAGUE = roots(" ".join(KINDS)) | roots("first many much take place use")
_OF_A_THING = _VAGUE & roots("temperature point value number name quantity amount figure")
_NUMBER = re.compile(r"[-+]?\d")
_YEAR = re.compile(r"1\d\d\d|20\d\d")
_APART = re.compile(r".*[\d_]|.$|[^a-z]+$|(?:not|no|never|without|second|third|fourth|fifth|last|next|after|before)$")
_ENDINGS = listed("s y ed er or ing ion ation ment al ance ence ive ative") | {""}


def fact_of(question: str, reference: str) -> Fact:
    """The fact that a question with its reference is about."""
    value = _value(added(question, reference) or content(reference))
    return " ".join(sorted(value)), " ".join(sorted((roots(question) | roots(reference)) - value))


def is_duplicate(fact: Fact, ledger: Iterable[Fact]) -> bool:
    """Whether the ledger holds the same fact: an equal value alone is not enough ("Period 4" answers many)."""
    value, subject = fact
    return any(known == value and _same_subject(subject, about) for known, about in ledger)


def _value(words: Iterable[Word]) -> set[str]:
    """The numbers with their units, else the names, else all: other words of an answer may be worded otherwise."""
    new = [word for word in words if word.key not in KINDS] or list(words)
    measured = [
        word.root
        for before, word in zip([None, *new], new, strict=False)
        if _NUMBER.match(word.key) or (before and _NUMBER.match(before.key) and len(word.key) < 4)
    ]
    return set(measured or _names(new) or [word.root for word in new])


def _names(words: list[Word]) -> list[str]:
    """The words with a capital. One at the beginning of a sentence is a name if one follows it at once."""
    capital = [not word.written.islower() for word in words]
    follows = [*capital[1:], False]
    return [
        word.root
        for word, is_capital, goes_on in zip(words, capital, follows, strict=True)
        if is_capital and (goes_on or not word.first)
    ]


def _same_subject(one: str, other: str) -> bool:
    """Whether the subjects differ by additions or word forms only.

    Likeness of letters would not do: chlorate and chlorite, mitosis and meiosis, the period of sodium and of argon are
    more alike than two wordings of one question. So a word that stands in one place of each but differs is a
    difference, and one that only one of them has is none, unless it tells one thing from another, as numbers do; but
    a year may be told in addition.
    """
    a, b = _split(one), _split(other)
    years = {word for word in a ^ b if _YEAR.fullmatch(word)}
    fewer, more = sorted((a - b - years, b - a - years), key=lambda words: len(words - _VAGUE))
    if not a & b or not (years <= a or years <= b) or any(map(_tells_apart, fewer | more)):
        return False
    if fewer - _VAGUE:
        return all(any(_forms_of_one(word, found) for found in more) for word in fewer - _VAGUE)
    return not (fewer & _OF_A_THING and more - _VAGUE)  # the atomic number is not the atomic weight


@lru_cache(maxsize=4096)
def _tells_apart(word: str) -> bool:
    """Whether a word makes another of a subject by being there: numbers, symbols, single letters, numerals, not."""
    return _APART.match(word) is not None


@lru_cache(maxsize=4096)
def _split(subject: str) -> frozenset[str]:
    return frozenset(subject.split())


@lru_cache(maxsize=4096)
def _forms_of_one(one: str, other: str) -> bool:
    """Discovery and discovered, found and foundation; not chlorate and chlorite."""
    shared = next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    return shared > 3 and one[shared:] in _ENDINGS and other[shared:] in _ENDINGS
