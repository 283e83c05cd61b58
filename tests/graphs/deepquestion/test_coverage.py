"""The intervals of a DeepQuestion run hold the truth about as often as claimed: see
bench/deepquestion_coverage.py."""

from functools import partial

import numpy as np
import pytest

from ...support.benches import load_bench

bench = load_bench("coverage/deepquestion")
RUNS = 100
"""The standard error of a coverage of .95 is .022."""


def test_shares_drop_and_distance_hold_the_truth() -> None:
    target = bench.TARGETS["strong"]
    found = bench.coverage(
        partial(bench.one_of_marks, target, 60), bench.truth_of_marks(target), RUNS
    )
    assert all(held >= 0.88 for held, *_ in found.values())
    # the drop is of the same problems: its interval is narrower than that of two independent shares
    assert found["drop"][1] < found["drop"][3]


def test_win_rates_and_leanings_hold_the_truth_where_simpler_intervals_do_not() -> None:
    judge = bench.JUDGES["sees little but the place"]
    found = bench.coverage(
        partial(bench.one_of_pairs, judge, 8), bench.truth_of_pairs(judge, 20_000), RUNS
    )
    assert all(held >= 0.86 for held, *_ in found.values())
    for figure in ("win rate", "leaning, all"):
        assert found[figure][2] < 0.75, figure


def test_the_scores_of_the_bench_are_the_programs() -> None:
    preferred = bench.draw_pairs(np.random.default_rng(3), 12, bench.JUDGES["even"])
    ahead = bench._items(preferred[0], original_first=True)
    behind = bench._items(preferred[1], original_first=False)
    found = bench.comparisons(list(zip(ahead, behind, strict=True)))
    assert [row.win_rate for row in found.criteria] == pytest.approx(
        bench.scores(preferred).mean(axis=0)
    )
