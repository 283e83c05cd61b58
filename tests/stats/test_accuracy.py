"""Intervals of a share: Wilson's vectors, the clustered interval, and the effective number of
roots."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fathom.stats.accuracy import clustered_interval, effective_roots, wilson


@pytest.mark.parametrize(
    ("correct", "n", "lower", "upper"),
    [
        # (p + z²/2n ± z·√(p(1−p)/n + z²/4n²)) / (1 + z²/n), z = 1.95996; 15/30: .5 ± .5·√(z²/(n +
        # z²)) = .5 ± .1685
        (15, 30, 0.3315, 0.6685),
        (21, 30, 0.5212, 0.8334),
        (24, 30, 0.6269, 0.9049),
        (27, 30, 0.7438, 0.9654),
        (30, 30, 0.8865, 1.0),  # 1/(1 + z²/30)
        (0, 10, 0.0, 0.2775),  # z²/(10 + z²)
        (50, 50, 0.9287, 1.0),
    ],
)
def test_wilson_vectors(correct: int, n: int, lower: float, upper: float) -> None:
    assert wilson(correct, n) == pytest.approx((lower, upper), abs=5e-5)


def test_wilson_ends_are_exact() -> None:
    for n in range(1, 200):
        assert wilson(0, n)[0] == 0.0
        assert wilson(n, n)[1] == 1.0
    assert wilson(0, 0) == (0.0, 1.0)


@given(st.integers(1, 400).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_wilson_holds_the_share_and_mirrors(count: tuple[int, int]) -> None:
    correct, n = count
    lower, upper = wilson(correct, n)
    assert 0 <= lower <= correct / n <= upper <= 1
    assert wilson(n - correct, n) == pytest.approx((1 - upper, 1 - lower), abs=1e-12)
    wide = wilson(correct, n, level=0.99)
    assert wide[0] <= lower
    assert wide[1] >= upper


@pytest.mark.parametrize(("correct", "n", "level"), [(3, 2, 0.95), (-1, 2, 0.95), (1, 2, 1.0)])
def test_wilson_refuses_nonsense(correct: int, n: int, level: float) -> None:
    with pytest.raises(ValueError, match=r"share|level"):
        wilson(correct, n, level)


def test_clusters_of_one_widen_only_by_the_small_sample_factor() -> None:
    # 15 of 30 singletons: V = 30/29·(30·.25)/30² and p(1−p)/n = .25/30, so deff = 30/29 and n_eff =
    # 29
    assert clustered_interval([(1, 1)] * 15 + [(0, 1)] * 15) == pytest.approx(wilson(14.5, 29))


def test_roots_that_agree_with_themselves_count_once() -> None:
    # six roots of five, each all right or all wrong: Σ(c − np)² = 6·2.5² = 37.5, V = 6/5·37.5/900 =
    # .05, p(1−p)/n = .25/30 = .008333, deff = 6, n_eff = 5
    assert clustered_interval([(5, 5)] * 3 + [(0, 5)] * 3) == pytest.approx(wilson(2.5, 5))


def test_roots_alike_are_no_better_than_wilson() -> None:
    # each root is right in three of five: V = 0, deff is held at 1
    assert clustered_interval([(3, 5)] * 6) == pytest.approx(wilson(18, 30))


def test_one_cluster_has_no_interval_and_no_variation_no_clustering() -> None:
    assert clustered_interval([(10, 30)]) is None
    assert clustered_interval([(10, 30), (0, 0)]) is None
    assert clustered_interval([]) is None
    assert clustered_interval([(5, 5)] * 6) == wilson(30, 30)


@pytest.mark.parametrize(
    ("weights", "expected"),
    [
        ([1] * 30, 30.0),
        ([10, 10, 10], 3.0),
        ([28, 1, 1], 900 / 786),  # 30² / (784 + 1 + 1)
        ([30, 0, 0], 1.0),
        ([], 0.0),
    ],
)
def test_effective_roots(weights: list[int], expected: float) -> None:
    assert effective_roots(weights) == pytest.approx(expected)
