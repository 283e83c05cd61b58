"""Figures that are only roughly known: a low, an expected and a high value, each reckoned with on
its own."""

from collections.abc import Iterable
from math import sqrt
from typing import NamedTuple


class Spread(NamedTuple):
    """A low, an expected and a high value."""

    low: float
    mid: float
    high: float

    def times(self, by: "Spread | float") -> "Spread":
        factors = by if isinstance(by, Spread) else fixed(by)
        return Spread(*(a * b for a, b in zip(self, factors, strict=True)))

    def level(self, share: float = 0.9) -> float:
        """What is not exceeded with this chance, where the values follow the triangle over low,
        expected and high."""
        width, upper = self.high - self.low, self.high - self.mid
        if (1 - share) * width <= upper:
            return self.high - sqrt((1 - share) * width * upper)
        return self.low + sqrt(share * width * (self.mid - self.low))

    def plus(self, more: "Spread") -> "Spread":
        return Spread(*(a + b for a, b in zip(self, more, strict=True)))


def fixed(value: float) -> Spread:
    """A value that is known."""
    return Spread(value, value, value)


def around(value: float, factor: float) -> Spread:
    """A value that may be off by a factor either way."""
    return Spread(value / factor, value, value * factor)


def total(spreads: Iterable[Spread]) -> Spread:
    """All of them together: as if all were low, as expected, or high at once."""
    columns = zip(fixed(0.0), *spreads, strict=True)
    return Spread(*(sum(column) for column in columns))


def longest(*spreads: Spread) -> Spread:
    """The largest low, expected and high value."""
    return Spread(*(max(column) for column in zip(*spreads, strict=True)))


ZERO = fixed(0.0)
