"""Models told apart by repeats of their drills, with one variance pooled over all of them (METHODS: Leaderboard)."""

from collections.abc import Sequence
from math import sqrt
from statistics import fmean, variance
from typing import NamedTuple

from ...state.result import Interval


class PooledT(NamedTuple):
    """Student's t of two models among several."""

    difference: float
    interval: Interval
    p: float


def pooled_t(values: Sequence[Sequence[float]], one: int, other: int) -> PooledT:
    from scipy.special import stdtr, stdtrit

    df = sum(len(own) - 1 for own in values)
    pooled = sum((len(own) - 1) * variance(own) for own in values) / df
    error = sqrt(pooled * (1 / len(values[one]) + 1 / len(values[other])))
    difference = fmean(values[one]) - fmean(values[other])
    half = float(stdtrit(df, 0.975)) * error
    p = 2 * float(stdtr(df, -abs(difference) / error)) if error else 1.0
    return PooledT(difference, (difference - half, difference + half), p)
