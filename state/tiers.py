"""The tiers of knowledge, and what a depth of a drill asks of them."""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Literal, get_args


class Tier(StrEnum):
    """How specialised the knowledge behind a question is, from the general public's to the
    researcher's."""

    COMMON = "COMMON"
    TEXTBOOK = "TEXTBOOK"
    PROFESSIONAL = "PROFESSIONAL"
    SPECIALIST = "SPECIALIST"
    CUTTING_EDGE = "CUTTING_EDGE"


TIERS: tuple[Tier, ...] = tuple(Tier)


def tier_of(depth: int, passes: int) -> tuple[Tier, int]:
    """Tier of a depth (1, 2, …) and the pass within it (1 … passes); the last tier is open-ended.

    With 3 passes: depths 1-3 COMMON, 4-6 TEXTBOOK, …, 13 and beyond CUTTING_EDGE passes 1, 2, 3, 4,
    …
    """
    index = min((depth - 1) // passes, len(TIERS) - 1)
    return TIERS[index], depth - index * passes


def nominal_tiers(facts: Mapping[Tier, Sequence[str]]) -> frozenset[Tier]:
    """Tiers that are tiers in name only: a folder serves them all, and knows no more of them than
    what is lead and what is body."""
    upper = {tier: facts.get(tier, ()) for tier in TIERS[2:]}
    return frozenset(
        tier
        for tier, names in upper.items()
        if any(name.startswith("folder:") for name in names)
    )


def tier_name(tier: str, *, nominal: bool = False) -> str:
    """A tier as prose writes it: `cutting edge`, `specialist (nominal)`."""
    return tier.replace("_", " ").lower() + (" (nominal)" if nominal else "")


WHO_KNOWS: Mapping[str, str] = {
    "common": "whoever has begun to deal with the field mostly knows it",
    "textbook": "students mostly know it after a course; beginners mostly not",
    "professional": "people who work in the field mostly know it; students mostly not",
    "specialist": "experts on this very subject mostly know it; practitioners mostly not",
    "cutting_edge": "who follows the last two years' publications; other experts mostly not",
}
"""Tier → whose knowledge an answer at its level is, in one line."""

NOMINAL = (
    "(nominal): fewer than half of the tier's questions are at its level, or its source does not "
    "tell tiers apart"
)

Level = Literal["common", "textbook", "professional", "specialist", "cutting_edge"]
"""The lowest of the tiers whose people mostly know an answer, as the check says."""
LEVELS: tuple[Level, ...] = get_args(Level)
"""In the order of `TIERS`."""
