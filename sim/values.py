"""Values of facts: how they are written, how they are found again in somebody's prose, and draws
that are a function of their name, so that order of arrival can never matter."""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from hashlib import blake2b
from typing import Literal, TypeVar

from ..state.text import normalise

Kind = Literal["text", "symbol", "number"]
"""`text`: words; `symbol`: letters whose case counts; `number`: a figure, with a unit or without.
"""
Phrase = tuple[str, ...]
Item = TypeVar("Item")

_TOKEN = re.compile(r"\d+(?:\.\d+)?|[^\W\d_]\w*")
_FIGURE = re.compile(
    r"(?<![\w.,])([+-]?\d[\d,]{0,40}(?:\.\d+)?(?:e[+-]?\d+)?)(?![\w]*\d)", re.IGNORECASE
)
_SYMBOL = re.compile(r"\b[A-Z][a-z]?\b")
_LABEL = re.compile(
    r"\b(?:groups?|periods?|elements?)\s+\d+|(?<![^\W\d_])[^\W\d_]+-\d+", re.IGNORECASE
)
_ENGLISH_WORDS = frozenset(
    ("I", "In", "As", "At", "He", "No", "Be", "Am", "Ho", "Pa", "La", "Es", "Os")
)
"""Symbols that also begin or are English words: met in prose they claim nothing."""


def show(value: float) -> str:
    """A number as prose writes it: no exponent, no trailing zeros."""
    text = format(Decimal(str(value)), "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def join(items: tuple[str, ...]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} and {items[-1]}"


def tokens(text: str) -> list[str]:
    """Words and figures of a text in one spelling; 2.5 is one figure, gold-197 a word and a
    figure."""
    return _TOKEN.findall(normalise(text))


@dataclass(slots=True)
class Pool:
    """All values that one property has anywhere in the world: what a claim about this property can
    look like."""

    kind: Kind
    unit: str = ""
    exact: bool = False
    """Numbers must agree to the last digit; otherwise to one part in a thousand."""
    gap: float = 0.0
    """How far a wrong number must be from the right one; 0: half a per cent, or 1 where they are
    exact."""
    rivals: tuple[tuple[str, ...], ...] = ()
    """The values, each as its items."""
    index: Mapping[str, Sequence[tuple[Phrase, str]]] = field(default_factory=dict)
    """Of the items; of numbers none."""
    items: frozenset[str] = frozenset()

    def named_in(self, text: str) -> set[str]:
        """The values of this property that the text names, spelt as in the pool (numbers: as
        canonical text)."""
        if self.kind == "number":
            return {show(x) for x in figures(text, self.unit)}
        if self.kind == "symbol":
            return {*_SYMBOL.findall(text)}.intersection(self.items)
        return set(matches(tokens(text), self.index))

    def equal(self, value: str, reference: str) -> bool:
        """Whether two values agree."""
        if self.kind != "number":
            return value == reference
        a, b = float(value), float(reference)
        return a == b if self.exact else abs(a - b) <= 1e-3 * abs(b)

    def idle(self, value: str) -> bool:
        """Whether meeting this value in prose may mean nothing at all (the symbol In, the word
        In)."""
        return self.kind == "symbol" and value in _ENGLISH_WORDS


Index = Mapping[str, Sequence[tuple[Phrase, Item]]]
"""By their first words, phrases and what they mean; the longest first."""


def index_of(phrases: Mapping[Phrase, Item]) -> Index[Item]:
    """The index with which `matches` finds these phrases."""
    index: dict[str, list[tuple[Phrase, Item]]] = {}
    for phrase in sorted(filter(None, phrases), key=len, reverse=True):
        index.setdefault(phrase[0], []).append((phrase, phrases[phrase]))
    return index


def matches(words: Sequence[str], index: Index[Item]) -> list[Item]:
    """What the phrases in the words mean, from left to right, the longest first at each place, none
    overlapping."""
    hits = list[Item]()
    free = 0
    for start, word in enumerate(words):
        for phrase, item in index.get(word, ()):
            end = start + len(phrase)
            if start >= free and tuple(words[start:end]) == phrase:
                hits.append(item)
                free = end
    return hits


def figures(text: str, unit: str) -> list[float]:
    """The figures in a text that carry the unit; without a unit, all that are no part of a label
    such as group 11."""
    plain = unicodedata.normalize("NFKC", text).replace("−", "-").replace("–", "-")
    if not unit:
        plain = _LABEL.sub(" ", plain)
    wanted = unicodedata.normalize("NFKC", unit).casefold()
    values = []
    for match in _FIGURE.finditer(plain):
        rest = plain[match.end() :].lstrip().casefold()
        if not unit or (
            rest.startswith(wanted) and not rest[len(wanted) : len(wanted) + 1].isalnum()
        ):
            values.append(float(match.group(1).replace(",", "")))
    return values


_SCALE = float(2**64)


def number(*name: object) -> int:
    """A whole number in 0 … 2⁶⁴−1 that the name decides."""
    text = "\x1f".join(map(str, name))
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "big")


def draw(*name: object) -> float:
    """A uniform number in [0, 1) that the name decides."""
    return number(*name) / _SCALE


def pick(items: Sequence[Item], *name: object) -> Item:
    """One of the items (at least one), chosen by the name."""
    return items[number(*name) % len(items)]


def shuffled(items: Sequence[Item], *name: object) -> list[Item]:
    """The items in an order that the name decides."""
    return sorted(items, key=lambda item: number(*name, item))
