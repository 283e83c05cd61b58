"""Models that were asked the same questions: the difference, its interval and the swap test."""

from collections.abc import Hashable
from itertools import product
from statistics import fmean

import pytest
from scipy.stats import permutation_test

from fathom.stats.items import NOTHING_SHARED, ONE_GROUP, Scored, compare_items, swap_p


def scored(label: str, values: str, groups: str = "") -> Scored:
    """`1` right, `0` wrong, `-` without a score; one question after the other."""
    held: dict[Hashable, tuple[Hashable, float]] = {}
    held |= {n: (groups[n] if groups else n, float(v)) for n, v in enumerate(values) if v != "-"}
    return Scored(label, f"run-{label}", held)


def test_p_is_the_share_of_swaps_that_differ_as_much() -> None:
    differences = [("a", 1.0), ("a", 1.0), ("b", 1.0), ("c", 0.5), ("d", -0.25)]
    sums = (2.0, 1.0, 0.5, -0.25)
    swaps = product((1, -1), repeat=4)
    exact = fmean(
        abs(sum(s * v for s, v in zip(signs, sums, strict=True))) >= 3.25 for signs in swaps
    )
    assert swap_p(differences) == pytest.approx(exact, abs=0.02)


def test_it_agrees_with_scipy() -> None:
    differences = [0.4, 0.1, -0.2, 0.6, 0.3, 0.5, -0.1, 0.2]
    theirs = permutation_test(
        (differences, [0.0] * 8),
        lambda a, b, axis: (a - b).mean(axis=axis),
        permutation_type="samples",
        n_resamples=10**5,
    )
    assert swap_p(list(enumerate(differences))) == pytest.approx(theirs.pvalue, abs=0.01)


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
    assert (apart.pairs[0].p, apart.pairs[0].note, apart.decisive) == (None, NOTHING_SHARED, None)
    one = compare_items(
        "eqt", "accuracy", [scored("x", "111", "aaa"), scored("y", "000", "aaa")], simulated=False
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
