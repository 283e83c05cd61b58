"""Letters that stand before options of multiple choice, as in `B. red`."""

import re
from collections.abc import Sequence

from ....state.errors import UsageError

Pair = tuple[str, object]
"""A label, empty without one, and what the option holds."""
LETTERED = re.compile(r"\s*(?:\(([A-Za-z])\)|([A-Za-z])\s*[.):])\s*(\S.*)", re.DOTALL)
_SPECIES = re.compile(r"\s*[A-Z]\. [a-z]{3,}")
"""`E. coli`: what begins like this is lettered only where the letters are in order."""


def without_letters(pairs: list[Pair], place: str) -> list[Pair]:
    """The options in the order given, with the letters that stand before all of them as their labels; else the very
    same list. What is null is no option and has none.

    Raises UsageError where only some have letters, and two or more of these stand at their own places.
    """
    held = [(at, value) for at, (_, value) in enumerate(pairs) if value is not None]
    found = {at: (letter, text) for at, value in held if (letter := initial(value)) and (text := _rest(value))}
    if len(found) == len(held) and _are_labels([letter for letter, _ in found.values()], [value for _, value in held]):
        return [found.get(at, pair) for at, pair in enumerate(pairs)]
    if len(found) < len(held) and sum(ord(letter) - 65 == at for at, (letter, _) in found.items()) > 1:
        raise UsageError(
            f"{place} has options of which {len(found)} of {len(held)} begin with letters, as in A. red, so that the "
            "letter of the others is not known: letter all of them, or none."
        )
    return pairs


def initial(value: object) -> str:
    """The letter before an option, as a capital; empty without one."""
    item = LETTERED.fullmatch(value) if isinstance(value, str) else None
    return (item[1] or item[2]).upper() if item else ""


def _rest(value: object) -> str:
    item = LETTERED.fullmatch(value) if isinstance(value, str) else None
    return item[3] if item else ""


def _are_labels(letters: Sequence[str], values: Sequence[object]) -> bool:
    """Whether these are an option's letters: each another one, in order with at most one left out or all of the first
    ones, or before what does not look like the name of a species."""
    if not letters or len(set(letters)) < len(letters):
        return False
    first = [chr(65 + at) for at in range(len(letters) + 1)]
    if list(letters) == sorted(letters) and set(letters) <= set(first):
        return True
    return set(letters) == set(first[:-1]) or not all(_SPECIES.match(str(value)) for value in values)
