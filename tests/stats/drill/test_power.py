"""Power of comparing models by their EVDs: against simulated Welch tests, and what METHODS says of
single runs."""

import time

import numpy as np
import pytest

from fathom.stats.drill.power import (
    power,
    protocol_sd,
    repeats_needed,
    separation,
    smallest_difference,
)


@pytest.mark.parametrize(
    ("repeats", "difference"), [(2, 4.0), (3, 2.0), (5, 0.0), (5, 2.0), (17, 1.0)]
)
def test_power_is_that_of_simulated_welch_tests(repeats: int, difference: float) -> None:
    from scipy.stats import ttest_ind

    rng = np.random.default_rng(7)
    first, second = (
        rng.normal(0, 0.5, (20_000, repeats)),
        rng.normal(difference / 2, 0.5, (20_000, repeats)),
    )
    rejected = float((ttest_ind(first, second, axis=1, equal_var=False).pvalue < 0.05).mean())
    assert power(difference / 2, 0.5, repeats) == pytest.approx(rejected, abs=0.02)


def test_single_runs_of_thirty_cannot_separate_models_one_depth_apart() -> None:
    sd = protocol_sd([0.85], 30, 0.2, 15, seed=42)
    assert 0.08 < power(1.0, sd, 1) < 0.25  # "power ≈ .15"
    assert power(0.0, sd, 1) == pytest.approx(0.05)


def test_the_smallest_difference_has_the_power_wanted() -> None:
    for repeats in (1, 2, 5):
        smallest = smallest_difference(0.8, repeats)
        assert power(smallest, 0.8, repeats) >= 0.8 > power(smallest - 0.002, 0.8, repeats)
    # two normals with σ known: (1.960 + 0.842)·σ·√2
    assert smallest_difference(1.0, 1) == pytest.approx(2.8016 * 2**0.5, abs=2e-3)


@pytest.mark.parametrize(("difference", "sd"), [(0.5, 0.8), (1.0, 0.8), (2.0, 0.8), (9.0, 0.2)])
def test_the_repeats_needed_are_the_fewest(difference: float, sd: float) -> None:
    needed = repeats_needed(difference, sd)
    assert needed is not None
    assert power(difference, sd, needed) >= 0.8
    assert needed == 2 or power(difference, sd, needed - 1) < 0.8


def test_textbook_case() -> None:
    """Cohen 1988: for a difference of one σ, 17 per group have power .80 (two-sided, α = .05)."""
    assert repeats_needed(1.0, 1.0) == 17


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
    assert protocol_sd([0.5], 30, 0.2, 1, seed=1) == pytest.approx((0.25 / 30) ** 0.5, rel=0.05)
    assert protocol_sd([0.5, 0.9], 30, 0.6, 5, seed=1) > protocol_sd([0.5], 30, 0.6, 5, seed=1)
    assert protocol_sd([0.8], 120, 0.2, 15, seed=1) < 0.6 * protocol_sd([0.8], 30, 0.2, 15, seed=1)
    assert protocol_sd([0.8], 30, 0.2, 15, seed=1) == protocol_sd([0.8], 30, 0.2, 15, seed=1)


def test_impossible_questions() -> None:
    for sd, repeats in ((0.0, 2), (1.0, 0)):
        with pytest.raises(ValueError, match="at least one drill"):
            power(1.0, sd, repeats)
    with pytest.raises(ValueError, match="at least one depth"):
        protocol_sd([], 30, 0.2, 15, seed=1)
