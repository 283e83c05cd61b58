"""The root-swap test of two drills."""

import pytest

from fathom.stats.drill.swap import correlation, swap_test
from fathom.stats.drill.tree import Observation


def drilled(*right: str, names: str = "") -> list[Observation]:
    """One text per depth; a sign per sub-topic: `1` right, `0` wrong."""
    found = []
    for depth, signs in enumerate(right, 1):
        for place, sign in enumerate(signs):
            root = names[place] if names else str(place)
            found.append(Observation(f"{depth}.{place}", depth, root, None, sign == "1"))
    return found


def test_the_difference_is_that_of_the_two_evds() -> None:
    found = swap_test([[(drilled("1111", "1100"), drilled("1100", "1000"))]], 0.2, "seed")
    assert found.difference == pytest.approx((1 + 0.5) - (0.5 + 0.125))


def test_drills_that_are_alike_cannot_be_told_apart() -> None:
    same = drilled("1101", "101")
    assert swap_test([[(same, same)]], 0.2, "seed") == (0.0, 1.0)


def test_a_clear_difference_is_found_and_the_same_arguments_give_the_same() -> None:
    one, other = drilled("1" * 30, "1" * 30), drilled("1" * 10 + "0" * 20)
    found = swap_test([[(one, other)]], 0.2, "seed")
    assert found.p < 0.001
    assert found == swap_test([[(one, other)]], 0.2, "seed")
    close = drilled("1" * 16 + "0" * 14)
    assert swap_test([[(close, other)]], 0.2, "seed") != swap_test(
        [[(close, other)]], 0.2, "another"
    )


def test_what_is_hard_for_both_goes_together() -> None:
    one, apart = drilled("1100", "11", names="abcd"), drilled("1100", "11", names="efgh")
    assert correlation(one, one) == pytest.approx(1)
    assert correlation(one, apart) == 0.0
    assert correlation(one, drilled("0011", "11", names="abcd")) == 0.0
    assert correlation(drilled("11"), drilled("11")) == 0.0


def test_exact_on_a_small_table() -> None:
    """Three sub-topics of one depth: eight swaps, of which two differ as much as what was seen."""
    found = swap_test([[(drilled("111"), drilled("000"))]], 0.2, "seed")
    assert found.p == pytest.approx(2 / 8, abs=0.02)
    assert found.difference == 1.0


def test_sub_topics_are_matched_by_name() -> None:
    """What is hard for both counts against neither: swapping the others changes nothing."""
    one, other = drilled("110", names="abc"), drilled("011", names="cab")
    assert swap_test([[(one, other)]], 0.2, "seed").p == 1.0


def test_several_domains_weigh_alike_however_many_repeats_they_have() -> None:
    ahead, behind = (drilled("1111"), drilled("0000")), (drilled("0000"), drilled("1111"))
    assert swap_test([[ahead, ahead, ahead], [behind]], 0.2, "seed").difference == pytest.approx(
        0.0
    )


def test_nothing_to_compare_is_refused() -> None:
    with pytest.raises(ValueError, match="a pair of drills"):
        swap_test([], 0.2, "seed")
