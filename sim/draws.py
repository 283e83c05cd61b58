"""Chance without a generator: every draw is a function of its name, so order of arrival can never matter."""

from collections.abc import Sequence
from hashlib import blake2b
from typing import TypeVar

Item = TypeVar("Item")

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
