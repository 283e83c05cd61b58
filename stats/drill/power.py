"""What planned drills can tell apart: the power of comparing two models by their Expected Valid
Depths.

Two models with R drills each are compared by Welch's t (Welch 1947). Its power, for normal EVDs of
equal spread σ and a difference δ: the means' difference is normal with variance 2σ²/R, independent
of the two sample variances, which are σ²·χ²/(R − 1); given these, the critical value is known and
the chance to exceed it a normal probability, which is then averaged over a grid of their quantiles.
Single drills have no spread of their own: there σ is taken for known, as the root-swap test does in
effect, and the statistic for normal.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import sqrt
from statistics import NormalDist

import numpy as np

from .tree import Floats, stopped_sum

ALPHA = 0.05
WANTED = 0.8
"""Power from which a difference counts as one that the runs can find."""
MOST_REPEATS = 200
DIFFERENCES = (0.5, 1.0, 2.0)
_NORMAL = NormalDist()
_GRID = 48


@dataclass(frozen=True, slots=True)
class Separation:
    """What R drills per model can tell apart, in units of EVD."""

    sd: float
    """Spread of the EVD of one drill."""
    repeats: int
    smallest: float
    """Smallest true difference that is found with a chance of 80%."""
    power: dict[float, float]
    """True difference → chance that these drills find it."""
    needed: dict[float, int | None]
    """True difference → drills per model that find it with a chance of 80%; None: more than 200."""


def separation(sd: float, repeats: int) -> Separation:
    """Power, smallest difference and repeats needed. Raises ValueError unless sd > 0 and repeats ≥
    1."""
    return Separation(
        sd=sd,
        repeats=repeats,
        smallest=smallest_difference(sd, repeats),
        power={difference: power(difference, sd, repeats) for difference in DIFFERENCES},
        needed={difference: repeats_needed(difference, sd) for difference in DIFFERENCES},
    )


def power(difference: float, sd: float, repeats: int) -> float:
    """Chance that two models `difference` apart are told apart at the 5% level, two-sided, with R
    drills each."""
    if sd <= 0 or repeats < 1:
        raise ValueError(
            f"a spread above 0 and at least one drill are needed, got {sd} and {repeats}"
        )
    shift = difference / (sd * sqrt(2 / repeats))
    if repeats == 1:
        limit = _NORMAL.inv_cdf(1 - ALPHA / 2)
        return _NORMAL.cdf(shift - limit) + _NORMAL.cdf(-shift - limit)
    from scipy.special import ndtr

    limits, scale = _critical(repeats), sqrt(2 / repeats)
    away = difference / sd
    return float(np.mean(ndtr((away - limits) / scale) + ndtr((-away - limits) / scale)))


@lru_cache(maxsize=256)  # the same few numbers of repeats are asked for again and again
def _critical(repeats: int) -> Floats:
    """The mean difference, in units of σ, beyond which Welch's test rejects, over the quantiles of
    both variances."""
    from scipy.special import chdtri, stdtrit

    freedom = repeats - 1
    variance = chdtri(freedom, 1 - (np.arange(_GRID) + 0.5) / _GRID) / freedom
    first, second = variance[:, None], variance[None, :]
    welch = freedom * (first + second) ** 2 / (first**2 + second**2)
    return np.asarray(
        stdtrit(welch, 1 - ALPHA / 2) * np.sqrt((first + second) / repeats), dtype=np.float64
    )


def smallest_difference(sd: float, repeats: int, wanted: float = WANTED) -> float:
    """The difference that R drills per model find with the wanted chance, to a thousandth of
    `sd`."""
    low, high = 0.0, sd
    while power(high, sd, repeats) < wanted:
        low, high = high, 2 * high
    while high - low > 1e-3 * sd:
        middle = (low + high) / 2
        low, high = (middle, high) if power(middle, sd, repeats) < wanted else (low, middle)
    return high


def repeats_needed(difference: float, sd: float, wanted: float = WANTED) -> int | None:
    """The fewest drills per model, two at least, that find the difference with the wanted chance;
    None: over 200."""
    low, high = 1, 2
    while power(difference, sd, high) < wanted:
        low, high = high, 2 * high
        if low >= MOST_REPEATS:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if power(difference, sd, middle) < wanted else (low, middle)
    return high if high <= MOST_REPEATS else None


def protocol_sd(
    accuracy: Sequence[float],
    n: int,
    threshold: float,
    max_depth: int,
    *,
    seed: int | str,
    runs: int = 4000,
) -> float:
    """Spread of EVD over simulated drills with c_d ~ Bin(n, A(d)) and the stop rule.

    `accuracy`: A(1) …, the last one standing for all deeper depths; ValueError for none. Real
    drills scatter at least as widely: where the probes of a root stand or fall together, that comes
    on top.
    """
    if not accuracy:
        raise ValueError("the accuracy of at least one depth is needed")
    chances = [*accuracy, *[accuracy[-1]] * max_depth][:max_depth]
    rng = np.random.default_rng(int.from_bytes(hashlib.sha256(f"{seed}:power".encode()).digest()))
    drawn = rng.binomial(n, chances, size=(runs, max_depth)) / n
    return float(np.std(stopped_sum(drawn, threshold)))
