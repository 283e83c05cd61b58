"""Specificity tiers and the depths they cover (DepthCharge, section 3.5)."""

from enum import StrEnum


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
