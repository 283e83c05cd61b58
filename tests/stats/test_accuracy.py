"""Intervals of a share: Wilson's vectors, the clustered interval, and the effective number of
roots."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fathom.stats.accuracy import effective_roots, wilson


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
