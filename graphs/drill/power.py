"""What planned drills can tell apart: the power of comparing two models by their Expected Valid
Depths.

The test is the moderated paired t of `paired.py`. Its power, for normal EVDs of spread σ, models
that move independently, and a difference δ: the mean difference is normal with variance 2σ²/R; the
spread that the drills imply by themselves is σ, and the one between R of them σ²·χ²/(R − 1), which
is averaged over a grid of its quantiles.
"""

from dataclasses import dataclass
from functools import lru_cache
from math import sqrt

import numpy as np

from ...stats.moderated import ALPHA, PRIOR
from .evd import Floats

WANTED = 0.8
"""Power from which a difference counts as one that the runs can find."""
MOST_REPEATS = 200
DIFFERENCES = (0.5, 1.0, 2.0)
_GRID = 200


@dataclass(frozen=True, slots=True)
class Separation:
    """What R drills per model can tell apart, in units of EVD."""

    sd: float
    """Spread of the EVD of one drill: of two models √((σ₁² + σ₂²)/2)."""
    repeats: int
    smallest: float
    """Smallest true difference that is found with a chance of 80%."""
    power: dict[float, float]
    """True difference → chance that these drills find it."""
    needed: dict[float, int | None]
    """True difference → drills per model that find it with a chance of 80%; None: more than 200."""


def separation(sd: float, repeats: int, pairs: int = 1) -> Separation:
    """Power, smallest difference and repeats needed, for one of so many pairs. Raises ValueError
    unless sd > 0 and repeats ≥ 1."""
    return Separation(
        sd=sd,
        repeats=repeats,
        smallest=smallest_difference(sd, repeats, pairs),
        power={difference: power(difference, sd, repeats, pairs) for difference in DIFFERENCES},
        needed={
            difference: repeats_needed(difference, sd, pairs) for difference in DIFFERENCES
        },
    )


def power(difference: float, sd: float, repeats: int, pairs: int = 1) -> float:
    """Chance that two models `difference` apart are told apart at the level .05/`pairs`, two-sided,
    with R drills each."""
    if sd <= 0 or repeats < 1:
        raise ValueError(
            f"a spread above 0 and at least one drill are needed, got {sd} and {repeats}"
        )
    from scipy.special import ndtr

    limits = _critical(repeats, pairs)
    distance = difference / (sd * sqrt(2 / repeats))
    return float(np.mean(ndtr(distance - limits) + ndtr(-distance - limits)))


@lru_cache(maxsize=1024)  # the same few numbers of repeats are asked for again and again
def _critical(repeats: int, pairs: int) -> Floats:
    """The mean difference, in its standard errors, beyond which the test rejects, over quantiles of
    the variance between repeats."""
    from scipy.special import chdtri, stdtrit

    between = repeats - 1
    freedom = PRIOR + between
    chances = 1 - (np.arange(_GRID) + 0.5) / _GRID
    squares = chdtri(between, chances) if between else np.zeros(1)
    limit = float(stdtrit(freedom, 1 - ALPHA / pairs / 2))
    limits: Floats = limit * np.sqrt((PRIOR + squares) / freedom)
    return limits


def smallest_difference(sd: float, repeats: int, pairs: int = 1) -> float:
    """The difference that R drills per model find with a chance of 80%, to a thousandth of `sd`."""
    low, high = 0.0, sd
    while power(high, sd, repeats, pairs) < WANTED:
        low, high = high, 2 * high
    while high - low > 1e-3 * sd:
        middle = (low + high) / 2
        enough = power(middle, sd, repeats, pairs) >= WANTED
        low, high = (low, middle) if enough else (middle, high)
    return high


def repeats_needed(difference: float, sd: float, pairs: int = 1) -> int | None:
    """The fewest drills per model that find the difference with a chance of 80%; None: over 200."""
    for repeats in range(1, MOST_REPEATS + 1):
        if power(difference, sd, repeats, pairs) >= WANTED:
            return repeats
    return None
