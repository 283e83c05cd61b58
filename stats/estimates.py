"""Estimates over rows of answers, whatever their method."""

from collections import defaultdict
from collections.abc import Callable, Hashable, Sequence
from statistics import fmean

from ..state.rows import AnswerRow, Estimate
from .accuracy import Bounds, clustered_interval, wilson
from .consistency import mean_interval_clustered

Value = tuple[Hashable, float]
"""(the group that it stands or falls with, value)."""


def values_of(rows: Sequence[AnswerRow]) -> list[Value]:
    """The scores there are. A group is one of its domain."""
    return [((row.domain, row.group), row.score) for row in rows if row.score is not None]


def by_group(values: Sequence[Value]) -> Bounds | None:
    """The interval of a share that allows for groups; None where there is but one."""
    groups: dict[Hashable, list[float]] = defaultdict(list)
    for group, value in values:
        groups[group].append(value)
    return clustered_interval([(round(sum(marks)), len(marks)) for marks in groups.values()])


def share(
    values: Sequence[Value], interval: Callable[[Sequence[Value]], Bounds | None] = by_group
) -> Estimate:
    """The share of values that are 1, the others being 0; with Wilson's interval where there is
    no other."""
    n, correct = len(values), round(sum(value for _, value in values))
    if not n:
        return Estimate(None)
    low, high = interval(values) or wilson(correct, n)
    return Estimate(correct / n, low, high, n, len({group for group, _ in values}))


def mean(values: Sequence[Value], least: float = 0.0, most: float = 1.0) -> Estimate:
    """The mean of values within `least` … `most`; without an interval where there is but one
    group."""
    if not values:
        return Estimate(None)
    low, high = mean_interval_clustered(values, least, most) or (None, None)
    groups = len({group for group, _ in values})
    return Estimate(fmean(value for _, value in values), low, high, len(values), groups)
