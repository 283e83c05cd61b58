"""The interval of EVD: the parts on a worked example, the boundary cases, and that it is quick and
repeatable."""

import time
from math import exp
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fathom.graphs.drill.evd import (
    ALL_RIGHT,
    NO_DEPTH,
    NONE_RIGHT,
    ONE_ROOT,
    Observation,
    clustered_variance,
    evd_interval,
    resampled_accuracy,
    stopped_sum,
)
from fathom.graphs.drill.scheduler import allocate
from fathom.graphs.drill.survival import influence


def drill(
    correct: list[int], n: int = 30, seed: str = "drill", roots: int | None = None
) -> list[Observation]:
    """A run with exactly these numbers right per depth; which probes are right is drawn."""
    rng = Random(seed)
    observations: list[Observation] = []
    level: list[Observation] = []
    for depth, right in enumerate(correct, 1):
        root_of = {o.id: o.root for o in level}
        dealt = allocate(n, [o.id for o in level if o.correct], rng)
        slots: list[tuple[str, str | None]] = [
            (root_of[p], p) for p, k in dealt.items() for _ in range(k)
        ]
        if depth == 1:
            slots = [(str(i % (roots or n)), None) for i in range(n)]
        hits = set(rng.sample(range(n), right))
        level = [
            Observation(f"{depth}.{i}", depth, r, p, i in hits)
            for i, (r, p) in enumerate(slots)
        ]
        observations += level
    return observations


def test_influence_of_each_depth() -> None:
    # g_1 = 1 + .5 + .25, g_2 = .8·(1 + .5), g_3 = .8·.5
    assert influence([(24, 30), (15, 30), (15, 30)]) == pytest.approx([1.75, 1.2, 0.4])


def test_worked_example() -> None:
    observations = drill([24, 15, 15])
    estimate = evd_interval(observations, 30, 0.2, 15, censored=False, seed=1, runs=40_000)
    assert estimate.evd == pytest.approx(1.4)
    assert estimate.sd_proto == pytest.approx(0.243, abs=0.003)
    assert estimate.sd_proto is not None
    # exp(1.96·.243/1.4) = 1.405: .996 and 1.967
    ends = [1.4 * exp(sign * 1.96 * estimate.sd_proto / 1.4) for sign in (-1, 1)]
    assert ends == pytest.approx([0.996, 1.967], abs=0.008)
    # V_G = 3.0625·Ã(1−Ã)/30 with Ã = 24.5/31, plus (1.44 + .16)·(15.5/31)²/30
    assert estimate.v_g == pytest.approx(
        3.0625 * (24.5 / 31) * (6.5 / 31) / 30 + 1.6 * 0.25 / 30
    )
    assert estimate.v_cr is not None
    assert estimate.v_g is not None
    assert estimate.sd_tree is not None
    widened = estimate.sd_proto * max(1.0, estimate.v_cr / estimate.v_g) ** 0.5
    assert estimate.se == pytest.approx(max(widened, estimate.sd_tree))
    assert estimate.interval[0] * estimate.interval[1] == pytest.approx(1.4**2)
    assert estimate.note is None


def test_a_censored_run_is_simulated_to_its_last_depth_only() -> None:
    # linearised at three depths: √V_G ≈ .174; the free continuation to depth 15 brings it to .243
    estimate = evd_interval(
        drill([24, 15, 15]), 30, 0.2, 15, censored=True, seed=1, runs=40_000
    )
    assert estimate.sd_proto == pytest.approx(0.174, abs=0.004)


def test_clustered_variance_by_hand() -> None:
    # depth 1: roots a (right), b (wrong): A = 1/2; depth 2: two probes of a, one right: A = 1/2; g
    # = (1.5, .5)
    tree = [
        Observation("1", 1, "a", None, True),
        Observation("2", 1, "b", None, False),
        Observation("3", 2, "a", "1", True),
        Observation("4", 2, "a", "1", False),
    ]
    counts = [(1, 2), (1, 2)]
    # a: 1.5·(.5)/2 + .5·(.5 − .5)/2 = .375; b: −.375; V = 2/1·2·.375²
    assert clustered_variance(tree, counts, influence(counts)) == pytest.approx(4 * 0.375**2)


def test_resampled_tree_keeps_the_accuracies_on_average() -> None:
    observations = drill([24, 15, 15])
    accuracy = resampled_accuracy(observations, 3, 20_000, np.random.default_rng(1))
    assert accuracy.mean(axis=0) == pytest.approx([0.8, 0.5, 0.5], abs=0.01)
    # 30 roots with one probe each: a plain bootstrap, sd √(.8·.2/30) = .0730
    assert float(accuracy[:, 0].std()) == pytest.approx(0.0730, abs=0.002)


def test_resampling_goes_through_roots_and_children() -> None:
    # two roots, both right at depth 1; at depth 2 root a is right twice, root b wrong twice.
    tree = [Observation("a", 1, "a", None, True), Observation("b", 1, "b", None, True)]
    tree += [Observation(f"a{i}", 2, "a", "a", True) for i in (0, 1)]
    tree += [Observation(f"b{i}", 2, "b", "b", False) for i in (0, 1)]
    second = resampled_accuracy(tree, 2, 40_000, np.random.default_rng(1))[:, 1]
    # draws of two roots: aa → 1, ab → 1/2, bb → 0 with chances 1/4, 1/2, 1/4
    shares = [float(np.mean(second == value)) for value in (0.0, 0.5, 1.0)]
    assert shares == pytest.approx([0.25, 0.5, 0.25], abs=0.01)
    # within one root: one of its two children right, drawn twice → 0, 1/2, 1 again
    mixed = [
        Observation("a", 1, "a", None, True),
        *[Observation(f"a{i}", 2, "a", "a", i == 0) for i in (0, 1)],
    ]
    second = resampled_accuracy(mixed, 2, 40_000, np.random.default_rng(1))[:, 1]
    shares = [float(np.mean(second == value)) for value in (0.0, 0.5, 1.0)]
    assert shares == pytest.approx([0.25, 0.5, 0.25], abs=0.01)


def test_simulated_runs_stop_as_real_ones() -> None:
    accuracy = np.array(
        [
            [0.8, 0.5, 0.5, 0.5, 1.0],
            [0.1, 1.0, 1.0, 1.0, 1.0],
            [18 / 30, 10 / 30, 1.0, 0.5, 1.0],
        ]
    )
    # .8 + .4 + .2 (a tie: goes on) + .1; .1; .6 + .2 + .2 + .1
    assert stopped_sum(accuracy, 0.2) == pytest.approx([1.5, 0.1, 1.1])


def test_nothing_right() -> None:
    estimate = evd_interval(drill([0]), 30, 0.2, 15, censored=False, seed=1)
    # 97.5 % quantile of Beta(1, 30) = 1 − .025^(1/30)
    assert estimate.interval == pytest.approx((0.0, 0.1157), abs=5e-5)
    assert (estimate.evd, estimate.se, estimate.note) == (0.0, None, NONE_RIGHT)


def test_everything_right() -> None:
    estimate = evd_interval(drill([30] * 15), 30, 0.2, 15, censored=True, seed=1)
    # Σ_d ∏_{i≤d} Beta(30, 1): its 2.5 % quantile is 9.86 (two million draws)
    assert estimate.interval[0] == pytest.approx(9.86, abs=0.03)
    assert estimate.interval[1] == 15.0
    assert (estimate.evd, estimate.se, estimate.note) == (15.0, None, ALL_RIGHT)


def test_one_root_and_no_depth_say_what_is_not_covered() -> None:
    one = evd_interval(drill([20, 15, 8], roots=1), 30, 0.2, 15, censored=False, seed=1)
    assert one.note == ONE_ROOT
    assert one.v_cr is None
    assert one.interval[0] < one.evd < one.interval[1]
    alone = evd_interval(
        [Observation("1", 1, "a", None, False)], 1, 0.2, 15, censored=False, seed=1
    )
    assert alone.interval == pytest.approx((0.0, 0.975))
    assert alone.note == f"{NONE_RIGHT}; {ONE_ROOT}"
    none = evd_interval([], 30, 0.2, 15, censored=True, seed=1)
    assert (none.evd, none.interval, none.note) == (0.0, (0.0, 15.0), NO_DEPTH)


def test_refuses_a_gap_and_too_many_depths() -> None:
    observations = drill([24, 15, 15])
    with pytest.raises(ValueError, match="without a gap"):
        evd_interval(
            [o for o in observations if o.depth != 2], 30, 0.2, 15, censored=False, seed=1
        )
    with pytest.raises(ValueError, match="allows 2"):
        evd_interval(observations, 30, 0.2, 2, censored=False, seed=1)


def test_same_arguments_same_estimate() -> None:
    observations = drill([27, 24, 20, 12])
    first = evd_interval(observations, 30, 0.2, 15, censored=False, seed=42)
    assert evd_interval(list(observations), 30, 0.2, 15, censored=False, seed=42) == first
    assert evd_interval(observations, 30, 0.2, 15, censored=False, seed=43) != first


@settings(max_examples=20)
@given(st.lists(st.integers(1, 12), min_size=1, max_size=6), st.booleans(), st.integers(0, 5))
def test_interval_holds_the_estimate(correct: list[int], censored: bool, seed: int) -> None:
    estimate = evd_interval(
        drill(correct, n=12, seed=str(seed)), 12, 0.2, 6, censored=censored, seed=seed, runs=200
    )
    lower, upper = estimate.interval
    assert 0 <= lower <= estimate.evd <= upper <= 6
    assert lower < upper


@pytest.mark.parametrize("right", [30, 29, 24])
def test_quick_at_full_size(right: int) -> None:
    observations = drill([right] * 15)
    evd_interval(observations, 30, 0.2, 15, censored=True, seed=1, runs=10)
    spent = []
    for _ in range(3):
        begun = time.process_time()
        evd_interval(observations, 30, 0.2, 15, censored=True, seed=1)
        spent.append(time.process_time() - begun)
    assert min(spent) < 0.15
