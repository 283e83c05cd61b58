"""The intervals of a DepthQA run hold the truth about as often as claimed; see
`bench/depthqa_coverage.py`."""

from functools import partial

import numpy as np
import pytest

from fathom.graphs.depthqa.discrepancy import DOUBT
from fathom.stats.consistency import mean_interval_clustered

from ...support.benches import load_bench

bench = load_bench("coverage/depthqa")
intensity_interval = partial(mean_interval_clustered, doubt=DOUBT)
RUNS = 60


def test_intervals_over_trees_hold_the_truth_where_those_over_nodes_do_not() -> None:
    means, trees = bench.RATES["many"], 10
    expected = bench.truth(means, 0.5, trees, expected=10_000)
    found = bench.coverage(means, 0.5, trees, RUNS, expected)
    for figure, (held, _, none, _) in found.items():
        # the standard error of a coverage of .95 over 60 runs is .028
        assert held >= 0.88, figure
        assert none == 0, figure
    # what has clusters of eighteen, of thirteen, of four: as if independent, far too sure
    for figure in ("mean score", "backward average", "change", "gap, lowest quarter"):
        assert found[figure][3] < 0.85, figure


def test_the_vectorised_twin_counts_what_the_program_counts() -> None:
    rng = np.random.default_rng(3)
    zero, other = bench.draw(rng, 8, bench.RATES["many"], 0.3)
    twin = bench.observations(zero, other, bench.draw_min_k(rng, zero))
    rows = bench.shortfall_rows(bench.nodes_from(zero, "zero-shot"))
    for direction, row in rows.items():
        assert row.eligible == len(twin[f"{direction} average"])
        for figure in ("average", "frequency", "intensity"):
            assert getattr(row, figure) == pytest.approx(twin[f"{direction} {figure}"].mean())


def test_a_handful_of_small_discrepancies_is_not_overrated() -> None:
    # positive d are mostly one step of ¼ and seldom ¾: of eight in as many trees .43 see no ¾ at
    # all
    rng = np.random.default_rng(5)
    truth = 0.9 * 0.25 + 0.1 * 0.75
    held = 0
    for _ in range(400):
        drawn = np.where(rng.random(8) < 0.1, 0.75, 0.25)
        found = intensity_interval(list(enumerate(drawn.tolist())))
        assert found is not None
        held += found[0] <= truth <= found[1]
    assert held / 400 >= 0.95


def test_an_intensity_needs_two_trees_and_stays_a_share() -> None:
    assert intensity_interval([]) is None
    assert intensity_interval([(1, 0.5), (1, 0.25)]) is None
    certain = intensity_interval([(0, 1.0), (1, 1.0)])
    assert certain is not None
    assert 0 < certain[0] < certain[1] == 1.0
    one, many = (
        intensity_interval([(n, 0.25) for n in range(4)]),
        intensity_interval([(n, 0.25) for n in range(400)]),
    )
    assert one is not None
    assert many is not None
    assert 0 < one[0] < many[0] < 0.25 < many[1] < one[1] < 1
