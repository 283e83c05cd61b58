"""What the judge could do to EVD (METHODS: Numbers for the drill): a right answer that it wrongly
rejects ends a path."""

from collections.abc import Sequence
from fractions import Fraction

from ...state.result import DepthRow
from ..accuracy import Count
from .survival import accuracies, influence, stopped_evd

REJECTED = (2, 5)
"""Per cent of right answers that are taken to be wrongly rejected."""


def evd_if_rejected(rows: Sequence[DepthRow], threshold: Fraction) -> dict[int, float]:
    """Per cent of right answers wrongly rejected → EVD with A(d) smaller by so much, under the stop
    rule."""
    shares = accuracies(_counts(rows))
    evds = {}
    for percent in REJECTED:
        share_left = 1 - Fraction(percent, 100)
        evds[percent] = float(stopped_evd([share * share_left for share in shares], threshold))
    return evds


def points_worth(rows: Sequence[DepthRow], points: float = 2.0) -> float:
    """Σ_d g_d·A(d)·points/100: what so many points more of right answers wrongly rejected take from
    EVD, and so, where they are rejected of one model alone, from its lead."""
    counts = _counts(rows)
    moved = (
        weight * correct / scored
        for weight, (correct, scored) in zip(influence(counts), counts, strict=True)
    )
    return sum(moved) * points / 100


def _counts(rows: Sequence[DepthRow]) -> list[Count]:
    return [(row.correct, row.scored) for row in rows]
