"""Two models by drills of the same topics: the moderated paired t, by hand and by simulation."""

from fractions import Fraction
from math import sqrt

import pytest

from fathom.graphs.drill.evd import Observation
from fathom.graphs.drill.paired import (
    Scatter,
    paired_difference,
    scatter,
    variance_of_difference,
)
from fathom.graphs.drill.survival import evd_if_rejected, points_worth
from fathom.stats.moderated import moderated

from ...support.benches import load_bench
from ...support.reports import changed, result_of

bench = load_bench("coverage/comparison")
THETA = Fraction(1, 5)


def drill(*depths: str) -> list[Observation]:
    """A word per depth, a letter per root: `1` right, `0` wrong."""
    return [
        Observation(f"{depth}.{root}", depth, str(root), None, mark == "1")
        for depth, marks in enumerate(depths, 1)
        for root, mark in enumerate(marks)
    ]


def test_what_moves_both_alike_takes_nothing_from_the_difference() -> None:
    """One depth of 4, two right: g = 1, Ã = 2.5/5, V_G = .25/4 each; u = ±.125 per root. Alike the
    clustered variance is 0, and V_G stands; the other way round Σ(±.25)²·4/3 = 1/3 of V = 1/8."""
    one = scatter(drill("1100"), 4, THETA, 1, seed=1)
    other = scatter(drill("0011"), 4, THETA, 1, seed=1)
    assert one.v_g == pytest.approx(0.25 / 4)
    assert variance_of_difference(one, one) == pytest.approx(2 * one.v_proto)
    apart = variance_of_difference(one, other)
    assert apart == pytest.approx(1 / 3 * 8 * (one.v_proto + other.v_proto))


def test_a_root_of_one_alone_counts_as_unmoved_in_the_other() -> None:
    one = Scatter(1.0, {"a": 0.5}, 0.1, 0.1)
    other = Scatter(1.0, {"b": 0.5}, 0.1, 0.1)
    assert variance_of_difference(one, other) == pytest.approx(2 * 0.5)  # 2/(2 − 1)·(.25 + .25)


def test_a_drill_ends_at_its_threshold_and_at_the_depth_that_both_have() -> None:
    observations = drill("1110", "1100", "1000", "1000")  # S = .75, .375, .094
    assert scatter(observations, 4, THETA, 15, seed=1).evd == pytest.approx(
        0.75 + 0.375 + 0.09375
    )
    assert scatter(observations, 4, THETA, 1, seed=1).evd == 0.75
    assert scatter(observations, 4, Fraction(1, 2), 15, seed=1).evd == pytest.approx(1.125)


def test_the_moderated_t_by_hand() -> None:
    """D = 1, 2, 3, own variance ½: s̃² = (4·½ + 2·1)/6 = 2/3 at 6 degrees of freedom; over two such
    domains the variance halves and the degrees of freedom double."""
    one = moderated([[(1, 0.5), (2, 0.5), (3, 0.5)]])
    assert (one.value, one.se, one.df) == pytest.approx((2, sqrt(2 / 9), 6))
    two = moderated([[(1, 0.5), (2, 0.5), (3, 0.5)]] * 2)
    assert (two.value, two.se, two.df) == pytest.approx((2, sqrt(1 / 9), 12))
    single = moderated([[(1.0, 0.25)]])
    assert (single.se, single.df) == (0.5, 4)
    assert single.interval() == pytest.approx((1 - 2.7764 * 0.5, 1 + 2.7764 * 0.5), abs=1e-4)
    with pytest.raises(ValueError, match="a repeat in each domain"):
        paired_difference([[]])


@pytest.mark.parametrize("world", ["usual", "calm"])
def test_models_that_know_equally_much_are_seldom_told_apart(world: str) -> None:
    """40 launches: told apart as often as not they would be 20; see the bench for the whole table."""
    falling = bench.SHAPES["falling"]
    made = bench.launches([falling] * 2, bench.WORLDS[world], [0.0, 0.0], bench.DEPTHS, seed=1)
    for rows in made.values():
        assert sum(row.wrongly for row in rows) <= 0.15 * len(rows)
        assert not any(row.odd for row in rows)


def test_what_the_judge_could_do_to_it() -> None:
    """24, 15, 15 of 30: g = (1.75, 1.2, .4), so two points are (1.4 + .6 + .2)·.02; with A·.95, S =
    .76, .361, .1715."""
    (first, *_) = result_of("drill").depths
    rows = [changed(first, scored=30, correct=correct) for correct in (24, 15, 15)]
    assert points_worth(rows) == pytest.approx(2.2 * 0.02)
    assert evd_if_rejected(rows, THETA)[5] == pytest.approx(0.76 + 0.361 + 0.171475)


def test_in_no_launch_is_a_lower_limit_behind() -> None:
    """Two models that know equally much, the first cut at depth 2: twenty launches of each design,
    in some of which noise alone would put it behind."""
    falling = bench.SHAPES["falling"]
    seen = bench.launches([falling] * 2, bench.USUAL, (0.0, 0.0), 2, 5)
    assert not any(one.behind for launches in seen.values() for one in launches)
