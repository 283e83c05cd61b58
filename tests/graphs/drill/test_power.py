"""Power of comparing models by their EVDs: against simulated tests, and what METHODS says of single
runs."""

import time
from statistics import fmean

import numpy as np
import pytest

from fathom.graphs.drill.evd import generator, sd_of_protocol
from fathom.graphs.drill.power import (
    power,
    repeats_needed,
    separation,
    smallest_difference,
)
from fathom.stats.moderated import moderated


def spread(accuracy: float, n: int, threshold: float, depths: int) -> float:
    return sd_of_protocol([accuracy] * depths, n, threshold, 4000, generator("1:power"))


@pytest.mark.parametrize(("repeats", "difference"), [(1, 3.0), (2, 2.0), (5, 0.0), (5, 1.0)])
def test_power_is_that_of_simulated_tests(repeats: int, difference: float) -> None:
    """Drills of spread .5 that say so themselves: a pair's own variance is 2·.25."""
    rng = np.random.default_rng(7)
    apart = rng.normal(difference, 0.5 * 2**0.5, (2_000, repeats))
    rejected = [moderated([[(value, 0.5) for value in own]]).p < 0.05 for own in apart.tolist()]
    assert power(difference, 0.5, repeats) == pytest.approx(fmean(rejected), abs=0.03)


def test_of_more_models_each_pair_has_less_power() -> None:
    assert power(1.0, 0.8, 5, pairs=10) < power(1.0, 0.8, 5)
    assert (repeats_needed(1.0, 0.8, pairs=10) or 0) > (repeats_needed(1.0, 0.8) or 99)


def test_single_runs_of_thirty_cannot_separate_models_one_depth_apart() -> None:
    sd = spread(0.85, 30, 0.2, 15)
    assert power(1.0, sd, 1) < 0.25


def test_the_smallest_difference_has_the_power_wanted() -> None:
    for repeats in (1, 2, 5):
        smallest = smallest_difference(0.8, repeats)
        assert power(smallest, 0.8, repeats) >= 0.8 > power(smallest - 0.002, 0.8, repeats)
    # two normals, t_{.975, 4} = 2.776: (2.776 + 0.842)·σ·√2
    assert smallest_difference(1.0, 1) == pytest.approx(3.6181 * 2**0.5, abs=2e-3)


@pytest.mark.parametrize(("difference", "sd"), [(0.5, 0.8), (1.0, 0.8), (2.0, 0.8), (9.0, 0.2)])
def test_the_repeats_needed_are_the_fewest(difference: float, sd: float) -> None:
    needed = repeats_needed(difference, sd)
    assert needed is not None
    assert power(difference, sd, needed) >= 0.8
    assert needed == 1 or power(difference, sd, needed - 1) < 0.8


def test_what_takes_more_than_two_hundred_repeats_is_not_promised() -> None:
    # (1.960 + 0.842)²·2/δ² = 200 at δ ≈ 0.28 σ
    assert repeats_needed(0.29, 1.0) in range(180, 201)
    assert repeats_needed(0.275, 1.0) is None
    assert repeats_needed(0.01, 1.0) is None


def test_everything_about_a_plan_at_once_and_fast() -> None:
    power(1.0, 1.0, 2)  # the first call imports scipy
    started = time.perf_counter()
    made = separation(0.8, 3)
    assert time.perf_counter() - started < 0.3
    assert made.power[1.0] == power(1.0, 0.8, 3)
    assert made.needed[1.0] == repeats_needed(1.0, 0.8)
    assert made.smallest == smallest_difference(0.8, 3)
    assert list(made.power) == list(made.needed) == [0.5, 1.0, 2.0]


def test_the_spread_follows_the_stop_rule_and_the_number_of_probes() -> None:
    # one depth: EVD = A(1) = c/N, σ = √(A(1−A)/N)
    assert spread(0.5, 30, 0.2, 1) == pytest.approx((0.25 / 30) ** 0.5, rel=0.05)
    assert spread(0.8, 120, 0.2, 15) < 0.6 * spread(0.8, 30, 0.2, 15)
    assert spread(0.8, 30, 0.2, 15) == spread(0.8, 30, 0.2, 15)


def test_impossible_questions() -> None:
    for sd, repeats in ((0.0, 2), (1.0, 0)):
        with pytest.raises(ValueError, match="at least one drill"):
            power(1.0, sd, repeats)
