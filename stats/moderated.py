"""A mean of repeats when each comes with a variance of its own: what scatters between few repeats
is moderated by what they imply themselves (METHODS: Numbers for the drill)."""

from collections.abc import Sequence
from math import sqrt
from statistics import fmean, variance
from typing import NamedTuple

from ..state.result import Interval
from .consistency import t_quantile

PRIOR = 4
"""Degrees of freedom that the repeats' own variances weigh."""
ALPHA = 0.05
WIDTH = 2 * 1.959963984540054
"""Standard errors in a 95% interval."""
Repeat = tuple[float, float]
"""(value, variance that it implies by itself)."""


class Mean(NamedTuple):
    """A mean with its standard error and the degrees of freedom of its t."""

    value: float
    se: float
    df: float

    @property
    def p(self) -> float:
        """Two-sided, of a mean of 0."""
        from scipy.special import stdtr

        return float(2 * stdtr(self.df, -abs(self.value) / self.se))

    def interval(self, alpha: float = ALPHA) -> Interval:
        """Inverts the test at this level."""
        half = t_quantile(self.df, 1 - alpha / 2) * self.se
        return self.value - half, self.value + half


def moderated(domains: Sequence[Sequence[Repeat]], *, at_least_own: bool = False) -> Mean:
    """The mean over domains of the mean over each one's repeats.

    Of R repeats with the variance s² between them, whose own variances average s₀²: s̃² = (d₀s₀² +
    (R − 1)s²)/(d₀ + R − 1) at d₀ + R − 1 degrees of freedom; several domains by Satterthwaite.
    `at_least_own`: s̃² is s₀² at least. Raises ValueError where a domain has no repeat.
    """
    means = []
    for repeats in domains:
        if not repeats:
            raise ValueError("a mean needs a repeat in each domain")
        values = [value for value, _ in repeats]
        implied_by_each = fmean(spread for _, spread in repeats)
        between = len(repeats) - 1
        df = PRIOR + between
        squares = between * variance(values) if between else 0.0
        pooled = (PRIOR * implied_by_each + squares) / df
        if at_least_own:
            pooled = max(pooled, implied_by_each)
        se = sqrt(pooled / len(repeats))
        means.append(Mean(fmean(values), se, df))
    return mean_of(means)


def mean_of(means: Sequence[Mean]) -> Mean:
    """The mean of independent means, at Satterthwaite's degrees of freedom."""
    parts = [(mean.se**2 / len(means) ** 2, mean.df) for mean in means]
    error = sum(part for part, _ in parts)
    freedom = error**2 / sum(part**2 / df for part, df in parts)
    value = fmean(mean.value for mean in means)
    return Mean(value, sqrt(error), freedom)


def implied(interval: Interval) -> float:
    """The variance that a 95% interval stands for."""
    low, high = interval
    return ((high - low) / WIDTH) ** 2


def mean_of_repeats(
    domains: Sequence[Sequence[tuple[float, Interval]]],
    low: float,
    high: float,
) -> Interval:
    """95% interval of the mean, over domains, of (value, its own interval), within `low` … `high`:
    of a single value its own, of several never narrower than they imply themselves."""
    first = domains[0]
    if len(domains) == len(first) == 1:
        _, interval = first[0]
        return interval
    with_variances = [
        [(value, implied(interval)) for value, interval in repeats] for repeats in domains
    ]
    lower, upper = moderated(with_variances, at_least_own=True).interval()
    return max(low, lower), min(high, upper)
