"""Models that were asked the same questions: the difference, its interval and the swap test."""

from collections.abc import Hashable, Sequence
from itertools import product
from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import permutation_test

from fathom.stats.items import (
    NOTHING_SHARED,
    ONE_GROUP,
    Scored,
    SwapTest,
    compare_items,
    groups_needed,
    swap_test,
    swaps_for,
)


def scored(label: str, values: str, groups: str = "") -> Scored:
    """`1` right, `0` wrong, `-` without a score; one question after the other."""
    held: dict[Hashable, tuple[Hashable, float]] = {}
    held |= {
        n: (groups[n] if groups else n, float(v)) for n, v in enumerate(values) if v != "-"
    }
    return Scored(label, (f"run-{label}",), held)


def swapped(differences: Sequence[tuple[Hashable, float]], swaps: int = 0) -> SwapTest:
    made = swap_test(differences, swaps)
    assert made is not None
    return made


def test_p_is_the_share_of_swaps_that_differ_as_much() -> None:
    differences = [("a", 1.0), ("a", 1.0), ("b", 1.0), ("c", 0.5), ("d", -0.25)]
    sums = (2.0, 1.0, 0.5, -0.25)
    swaps = product((1, -1), repeat=4)
    exact = fmean(
        abs(sum(s * v for s, v in zip(signs, sums, strict=True))) >= 3.25 for signs in swaps
    )
    assert swapped(differences).p == pytest.approx(exact)


def test_it_agrees_with_scipy() -> None:
    differences = [0.4, 0.1, -0.2, 0.6, 0.3, 0.5, -0.1, 0.2]
    theirs = permutation_test(
        (differences, [0.0] * 8),
        lambda a, b, axis: (a - b).mean(axis=axis),
        permutation_type="samples",
        n_resamples=10**5,
    )
    assert swapped(list(enumerate(differences))).p == pytest.approx(theirs.pvalue, abs=0.01)


def test_only_questions_that_both_have_count() -> None:
    found = compare_items(
        "eqt", "accuracy", [scored("x", "1-0110"), scored("y", "0100-1")], simulated=False
    )
    assert found.pairs[0].over == 4
    assert abs(found.pairs[0].difference or 0) == pytest.approx((1 + 0 + 1 - 1) / 4)


def test_nothing_in_common_and_a_single_group_are_not_tested() -> None:
    apart = compare_items(
        "eqt", "accuracy", [scored("x", "11--"), scored("y", "--01")], simulated=False
    )
    assert (apart.pairs[0].p, apart.pairs[0].note, apart.decisive) == (
        None,
        NOTHING_SHARED,
        None,
    )
    one = compare_items(
        "eqt",
        "accuracy",
        [scored("x", "111", "aaa"), scored("y", "000", "aaa")],
        simulated=False,
    )
    assert (one.pairs[0].p, one.pairs[0].note) == (None, ONE_GROUP)


def test_the_better_of_two_stands_first() -> None:
    found = compare_items(
        "replay", "accuracy", [scored("x", "0" * 20), scored("y", "1" * 20)], simulated=False
    )
    assert [m.label for m in found.models] == ["y", "x"]
    assert found.pairs[0].difference == 1.0
    assert found.decisive
    low, high = found.pairs[0].interval or (0, 0)
    assert 0 < low < high == 1


VALUES = st.lists(
    st.tuples(st.integers(0, 5), st.sampled_from([-1.0, 0.0, 0.5, 1.0])), min_size=2
)


@given(VALUES, st.sampled_from([0.05, 0.2, 0.5]))
def test_the_interval_holds_the_differences_that_the_test_does_not_reject(
    values: list[tuple[Hashable, float]], alpha: float
) -> None:
    """Beside its ends, by the test of values moved by as much; all alike it is never narrower."""
    if len({group for group, _ in values}) < 2:
        return
    made = swapped(values)
    low, high = made.interval(alpha, 1.0)
    assert -1 <= low <= made.mean <= high <= 1
    assert low < high
    for inside, outside in ((low + 1e-6, low - 1e-6), (high - 1e-6, high + 1e-6)):
        if abs(outside) < 1:
            moved = [(group, value - outside) for group, value in values]
            assert swapped(moved).p < alpha or made.alike is not None
            moved = [(group, value - inside) for group, value in values]
            assert swapped(moved).p >= alpha * (1 - 1e-6) or made.alike is not None


def test_all_alike_is_no_certainty() -> None:
    """Twenty groups without a difference: up to 16 % could be otherwise (Wilson: 0 of 20)."""
    low, high = swapped([(n, 0.0) for n in range(20)]).interval(0.05, 1.0)
    assert (low, high) == pytest.approx((-0.1611, 0.1611), abs=1e-4)
    ahead = swapped([(n, 0.5) for n in range(20)])
    assert 0 < ahead.interval(0.05, 1.0)[0] < 0.5


def test_many_models_have_more_swaps_drawn_and_need_more_groups() -> None:
    """780 pairs: the smallest p of 10,000 draws, times 780, is .078. 2·m/2^K < .05: 6 groups for
    two models, 9 for five, 15 for 780 pairs."""
    assert [groups_needed(pairs) for pairs in (1, 10, 780)] == [6, 9, 15]
    ratings = [(place, 0.5 + place % 3 + place / 100) for place in range(40)]
    assert swapped(ratings, swaps_for(780)).p * 780 < 0.05
