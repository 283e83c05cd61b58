"""Killed at a random moment and resumed, a DepthQA run ends as if nothing had happened."""

import json
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest

from fathom.sim.deep_questions import graph_of
from fathom.state.events import ItemFinished, TreeClosed
from fathom.tools.depthqa_graph import write_graph
from fathom.tools.runs import read_events

from .eqts import without_passing
from .killed import FATHOM, kill_and_resume, persisted, run_whole, served, world_process

FAULT = "cut_off=0.03"


def asking(graph: Path, base: str, runs: Path) -> list[str]:
    models = ["--target", f"sim@{base}/v1:student", "--judge", f"sim@{base}/v1:evaluator"]
    modes = ["--mode", "zero-shot,prompt-pred,multi-turn"]
    return [*FATHOM, "depthqa", "ask", str(graph), *models, *modes, *_common(runs)]


def _common(runs: Path) -> Sequence[str]:
    return ["--runs", str(runs), "--display", "none", "--max-connections", "8"]


def picture(run: Path, base: str) -> Any:
    """All of a result but times, the world's address, run id and usage."""
    short = run.name.rpartition("-")[2]
    text = (run / "result.json").read_text().replace(base, "http://WORLD").replace(run.name, "RUN")
    result = without_passing(json.loads(text.replace(f'"{short}/', '"RUN/')))
    result.pop("provenance")
    return result


@pytest.mark.slow
def test_a_run_that_is_killed_ends_like_one_that_is_not(tmp_path: Path) -> None:
    whole, cut, graph = tmp_path / "whole", tmp_path / "cut", tmp_path / "graph.json"
    whole.mkdir()
    cut.mkdir()
    write_graph(graph_of(4, seed=2), graph)
    lost: list[int] = []
    with world_process(cut, FAULT, "latency=0.04", "jitter=0.08") as (base, log):

        def after_kill() -> None:
            lost.append(served(log) - persisted(cut) - sum(lost))

        command = asking(graph, base, cut / "runs")
        run, killed = kill_and_resume(command, cut / "runs", cut, 1, Random(7), (0.1, 0.4), after_kill)
        assert killed == 1
        assert served(log) == persisted(cut) + sum(lost), "the last sitting asked for nothing that was kept"
        assert max(lost) <= 8, "a kill costs what was in flight, no more"
        ended = picture(run, base)
    with world_process(whole, FAULT) as (base, _):
        assert ended == picture(run_whole(asking(graph, base, whole / "runs"), whole / "runs", whole), base)
    events = list(read_events(run))
    ids = [event.item.id for event in events if isinstance(event, ItemFinished)]
    assert len(ids) == len(set(ids)), "no finished step was done again"
    assert len({e.index for e in events if isinstance(e, TreeClosed)}) == 4
    assert [event.seq for event in events] == list(range(1, len(events) + 1))
