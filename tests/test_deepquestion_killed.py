"""Killed inside the cycle of drafts, and once more, a DeepQuestion run ends as if nothing had happened."""

from pathlib import Path
from random import Random

import pytest

from fathom.sim.stoich_problems import stoich_problems
from fathom.state.deepquestion import ProblemSet
from fathom.state.events import ItemFinished, ProblemClosed, RunResumed
from fathom.tools.runs import read_events

from .killed import FATHOM, kill_and_resume, persisted, run_whole, served, world_process
from .test_depthqa_killed import picture

FAULT = "cut_off=0.03"
DRAFTS = (0.05, 0.15)
"""Seconds after the first kept step until the kill: six rounds of drafts and scores take some .5 s."""


def questions(folder: Path, count: int) -> Path:
    """A benchmark file of the simulated world's problems."""
    file = folder / "benchmark.jsonl"
    problems = ProblemSet(name="benchmark", problems=tuple(stoich_problems(5, count))).problems
    lines = (each.model_dump_json(include={"id", "question", "answer", "solution"}) for each in problems)
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return file


def asking(file: Path, base: str, runs: Path) -> list[str]:
    models = ["--target", f"sim@{base}/v1:student", "--evaluator", f"sim@{base}/v1:evaluator"]
    models += ["--generator", f"sim@{base}/v1:generator"]
    common = ["--runs", str(runs), "--display", "none", "--max-connections", "8"]
    return [*FATHOM, "deepquestion", str(file), *models, "--baseline", "2", *common]


@pytest.mark.slow
def test_a_run_that_is_killed_ends_like_one_that_is_not(tmp_path: Path) -> None:
    whole, cut, file = tmp_path / "whole", tmp_path / "cut", questions(tmp_path, 4)
    whole.mkdir()
    cut.mkdir()
    lost: list[int] = []
    with world_process(cut, FAULT, "latency=0.04", "jitter=0.08") as (base, log):

        def after_kill() -> None:
            lost.append(served(log) - persisted(cut) - sum(lost))

        command = asking(file, base, cut / "runs")
        run, killed = kill_and_resume(command, cut / "runs", cut, 2, Random(7), DRAFTS, after_kill)
        assert killed == 2
        assert served(log) == persisted(cut) + sum(lost), "the last sitting asked for nothing that was kept"
        assert max(lost) <= 8, "a kill costs what was in flight, no more"
        ended = picture(run, base)
    with world_process(whole, FAULT) as (base, _):
        assert ended == picture(run_whole(asking(file, base, whole / "runs"), whole / "runs", whole), base)
    events = list(read_events(run))
    scored = [event.seq for event in events if isinstance(event, ItemFinished) and event.item.type == "prompt_score"]
    resumed = [event.seq for event in events if isinstance(event, RunResumed)]
    assert resumed[0] < scored[-1], "the first kill came inside the cycle of drafts"
    ids = [event.item.id for event in events if isinstance(event, ItemFinished)]
    assert len(ids) == len(set(ids)), "no finished step was done again"
    assert len({e.index for e in events if isinstance(e, ProblemClosed)}) == 4
    assert [event.seq for event in events] == list(range(1, len(events) + 1))
