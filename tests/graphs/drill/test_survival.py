"""Survival and EVD, exactly, and the figures that follow from the counts alone."""

from fractions import Fraction
from itertools import product
from math import prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import betainc

from fathom.graphs.drill.survival import (
    below,
    depth_weighted,
    evd,
    evd_bounds,
    evd_no_evidence_wrong,
    median_depth,
    survival,
    survival_interval,
    windowed,
)

FIFTH = Fraction(1, 5)
EXAMPLE = [(24, 30), (15, 30), (15, 30)]  # A = .8, .5, .5

counts_lists = st.lists(
    st.integers(1, 30).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))),
    min_size=1,
    max_size=8,
)


def test_example_survives_to_an_exact_tie() -> None:
    # S = .8, .8·.5 = .4, .4·.5 = .2; EVD = 1.4; S(3) equals the threshold, which does not stop
    assert survival(EXAMPLE) == [Fraction(4, 5), Fraction(2, 5), FIFTH]
    assert evd(EXAMPLE) == Fraction(7, 5)
    assert not below(EXAMPLE, FIFTH)
    assert below([*EXAMPLE, (29, 30)], FIFTH)


def test_ties_that_floats_misread() -> None:
    # 18/30·10/30·30/30 = .6·.333… = 1/5
    assert not below([(18, 30), (10, 30), (30, 30)], FIFTH)
    assert 0.2 - (18 / 30) * (10 / 30) * (30 / 30) > 0  # the float product would stop here
    ties = [c for c in product(range(1, 31), repeat=3) if 5 * prod(c) == 30**3]
    misread = [(a, b, c) for a, b, c in ties if (a / 30) * (b / 30) * (c / 30) < 0.2]
    assert (len(ties), len(misread)) == (54, 24)
    for tie in ties:
        assert not below([(c, 30) for c in tie], FIFTH)
        assert below([(c, 30) for c in tie] + [(29, 30)], FIFTH)


@given(counts_lists)
def test_stop_test_agrees_with_whole_numbers(counts: list[tuple[int, int]]) -> None:
    assert below(counts, FIFTH) == (5 * prod(c for c, _ in counts) < prod(n for _, n in counts))


@given(counts_lists)
def test_survival_falls_and_evd_lies_between(counts: list[tuple[int, int]]) -> None:
    s = survival(counts)
    assert all(later <= earlier for earlier, later in zip([Fraction(1), *s], s, strict=False))
    assert len(counts) * s[-1] <= evd(counts) <= len(counts)


def test_numpy_counts_do_not_overflow() -> None:
    counts = [(int(c), int(n)) for c, n in zip([29] * 15, [30] * 15, strict=True)]
    as_numpy = [(np.int64(c), np.int64(n)) for c, n in counts]
    assert evd(as_numpy) == evd(counts)  # type: ignore[arg-type]  # what a caller with arrays would hand over


def test_derived_figures() -> None:
    assert median_depth(EXAMPLE) == 2  # S(2) = .4
    assert median_depth([(15, 30)]) is None  # S = .5 is not below
    assert windowed(EXAMPLE, 2) == Fraction(1, 4)
    assert windowed(EXAMPLE, 9) == FIFTH
    assert windowed([], 3) == 1
    assert depth_weighted(EXAMPLE) == Fraction(33, 60)  # (1·.8 + 2·.5 + 3·.5)/6 = 3.3/6
    assert depth_weighted([]) == 0


def test_a_depth_without_scored_probes_is_refused() -> None:
    for bad in [(0, 0), (3, 2), (-1, 4)]:
        with pytest.raises(ValueError, match="a depth needs"):
            survival([bad])


def test_bounds_hold_evd_and_close_on_it_without_missing_probes() -> None:
    complete = [*EXAMPLE, (15, 30)]  # S = .8, .4, .2, .1: stopped at depth 4, EVD 1.5
    assert evd_bounds(complete, [0] * 4, FIFTH, 15, censored=False) == (
        Fraction(3, 2),
        Fraction(3, 2),
    )


def test_bounds_stop_where_the_run_would_have_stopped() -> None:
    # depth 1: 10 of 20 scored, 10 missing: A in [10/30, 20/30]; depth 2: 15 of 30, none missing
    counts, missing = [(10, 20), (9, 30)], [10, 0]
    low, high = evd_bounds(counts, missing, FIFTH, 15, censored=True)
    # low: 1/3, then 1/3·3/10 = 1/10 < 1/5, stop: 13/30; high: 2/3 + 2/3·3/10 = 26/30
    assert (low, high) == (Fraction(13, 30), Fraction(26, 30))
    early = evd_bounds([(3, 15), (30, 30)], [15, 0], FIFTH, 15, censored=True)
    assert early[0] == Fraction(
        1, 10
    )  # 3/30 is below the threshold: depth 2 would never have been asked


def test_upper_bound_goes_on_where_the_run_need_not_have_stopped() -> None:
    # depth 1: 4 of 25 with 5 missing: S = .16 stopped the run; all right, 9/30 = .3 would not have.
    # With the pooled 3/10 the next S is .09, stop: EVD = .3 + .09
    low, high = evd_bounds([(4, 25)], [5], FIFTH, 15, censored=False)
    assert (low, high) == (Fraction(4, 30), Fraction(39, 100))
    assert evd_bounds([(4, 25)], [5], FIFTH, 1, censored=False)[1] == Fraction(3, 10)
    assert evd_bounds([(4, 25)], [5], FIFTH, 15, censored=True)[1] == Fraction(3, 10)


@given(counts_lists, st.lists(st.integers(0, 15), min_size=8, max_size=8))
def test_bounds_always_hold_the_stopped_evd(
    counts: list[tuple[int, int]], missing: list[int]
) -> None:
    ended = next((d for d in range(1, len(counts)) if below(counts[:d], FIFTH)), len(counts))
    counts = counts[:ended]
    low, high = evd_bounds(counts, missing[:ended], FIFTH, 8, censored=not below(counts, FIFTH))
    assert 0 <= low <= evd(counts) <= high <= 8


def test_concepts_without_evidence_counted_as_wrong() -> None:
    # A' = 24/40, 15/30, 15/30: S' = .6, .3, .15; EVD' = 1.05
    assert evd_no_evidence_wrong(EXAMPLE, [10, 0, 0], FIFTH) == Fraction(21, 20)
    assert evd_no_evidence_wrong(EXAMPLE, [0, 0, 0], FIFTH) == evd(EXAMPLE)


def test_survival_interval_vector() -> None:
    # mixture of Beta(24,7)·Beta(15,16)² and Beta(25,6)·Beta(16,15)²; quantiles by simulation .103
    # and .319
    assert survival_interval(EXAMPLE) == pytest.approx((0.103, 0.319), abs=6e-4)


@pytest.mark.parametrize("count", [(24, 30), (15, 30), (1, 30), (29, 30), (2, 3), (500, 1000)])
def test_one_depth_agrees_with_the_beta_distribution(count: tuple[int, int]) -> None:
    c, n = count
    for end, wanted in zip(survival_interval([count]), (0.025, 0.975), strict=True):
        mixed = (betainc(c, n - c + 1, end) + betainc(c + 1, n - c, end)) / 2
        assert mixed == pytest.approx(wanted, abs=2e-4)


def test_survival_interval_where_a_factor_is_certain() -> None:
    # all right: U = 1, L = Beta(30, 1): its 5 % quantile is .05^(1/30)
    assert survival_interval([(30, 30)]) == pytest.approx((0.05 ** (1 / 30), 1.0), abs=1e-4)
    # none right: L = 0, U = Beta(1, 30): its 95 % quantile is 1 − .05^(1/30)
    assert survival_interval([(0, 30)]) == pytest.approx((0.0, 1 - 0.05 ** (1 / 30)), abs=1e-4)
    assert survival_interval([]) == (1.0, 1.0)


def test_survival_interval_against_simulation() -> None:
    rng = np.random.default_rng(7)
    counts = [(29, 30)] * 4 + [(20, 30)] * 2 + [(30, 30), (5, 12)]
    low = prod(rng.beta(c, n - c + 1, 400_000) for c, n in counts)
    high = prod(
        rng.beta(c + 1, n - c, 400_000) if n > c else np.ones(400_000) for c, n in counts
    )
    ends = np.quantile(np.concatenate([low, high]), [0.025, 0.975])
    assert survival_interval(counts) == pytest.approx(tuple(ends), rel=0.01)


@settings(max_examples=15)
@given(counts_lists)
def test_survival_interval_lies_in_the_unit_range(counts: list[tuple[int, int]]) -> None:
    lower, upper = survival_interval(counts)
    assert 0 <= lower < upper <= 1
    assert survival_interval(counts) == (lower, upper)
