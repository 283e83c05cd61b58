"""Models of known strength at a drill's questions: what they say is kept beside the target's, and
changes nothing of it."""

from pathlib import Path

import pytest

from fathom.state.errors import UsageError

from ...support.drill.drills import drill, lasting, sim_spec
from ...support.drill.toy import ToyChat, ToySource, toy_spec
from ...support.resuming import SIZE, at_probe, resumed, stopped, whole
from .test_graph import run

ANCHORS = ("sim:novice", "sim:expert")


async def test_anchors_answer_what_counts_and_change_no_number_of_the_target() -> None:
    alone = whole(await drill(sim_spec(**SIZE)))
    beside = whole(await drill(sim_spec(**SIZE, anchors=ANCHORS)))
    assert (beside.evd, beside.evd_ci) == (alone.evd, alone.evd_ci)
    for row, before in zip(beside.depths, alone.depths, strict=True):
        assert (row.correct, row.scored) == (before.correct, before.scored)
        counted = [
            probe
            for probe in beside.probes
            if probe.depth == row.depth
            and probe.excluded is None
            and probe.outcome.status == "scored"
        ]
        for place, model in enumerate(ANCHORS):
            outcomes = [probe.anchors[place].outcome for probe in counted]
            right = sum(one.status == "scored" and one.correct for one in outcomes)
            assert row.anchors[model] == (right, row.scored)
    assert beside.usage["anchor"].calls == sum(bool(probe.anchors) for probe in beside.probes)
    novice, expert = (sum(row.anchors[model][0] for row in beside.depths) for model in ANCHORS)
    assert novice < expert


async def test_a_run_with_anchors_goes_on_as_if_it_had_not_been_cut_off(tmp_path: Path) -> None:
    spec = sim_spec(**SIZE | {"max_depth": 2}, anchors=ANCHORS)
    folder = await stopped(tmp_path, at_probe(2, 1), spec)
    assert lasting(whole(await resumed(folder))) == lasting(whole(await drill(spec)))


async def test_anchors_that_the_graph_is_not_bound_to_are_refused() -> None:
    with pytest.raises(UsageError, match="anchor is"):
        await run(ToyChat(), ToySource(), toy_spec(anchors=("toy:other",)))
