"""Estimates over rows of answers, whatever their method."""

from collections.abc import Hashable, Sequence
from statistics import fmean

from ..state.rows import AnswerRow, Estimate
from .accuracy import wilson
from .consistency import mean_interval_clustered

Value = tuple[Hashable, float]
"""(the group that it stands or falls with, value)."""


def values_of(rows: Sequence[AnswerRow]) -> list[Value]:
    """The scores there are. A group is one of its domain."""
    return [((row.domain, row.group), row.score) for row in rows if row.score is not None]


def share(values: Sequence[Value], *, alone: bool = False) -> Estimate:
    """The share of values that are 1, the others being 0; Wilson's interval where there is but one
    group, and, `alone`, where each is a group of its own."""
    found = mean(values)
    if found.value is None:
        return found
    if found.interval is not None and not (alone and found.n == found.groups):
        return found
    low, high = wilson(round(found.value * found.n), found.n)
    return Estimate(found.value, low, high, found.n, found.groups)


def mean(values: Sequence[Value], least: float = 0.0, most: float = 1.0) -> Estimate:
    """The mean of values within `least` … `most`; without an interval where there is but one
    group."""
    if not values:
        return Estimate(None)
    low, high = mean_interval_clustered(values, least, most) or (None, None)
    groups = len({group for group, _ in values})
    return Estimate(fmean(value for _, value in values), low, high, len(values), groups)
