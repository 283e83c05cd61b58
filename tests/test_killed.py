"""Killed at random moments and resumed, a drill ends as if nothing had happened, and asks for nothing it had."""

from pathlib import Path
from random import Random
from typing import Any

import pytest

from fathom.tools.runs import read_events, read_result

from .killed import FAULTS, drill_words, kill_and_resume, persisted, picture, run_whole, served, world_process

SIZE = ("-n", "6", "--max-depth", "4", "--threshold", "0.001")


def whole_drill(folder: Path) -> Any:
    with world_process(folder, *FAULTS) as (base, _):
        return picture(read_result(run_whole(drill_words(base, folder / "runs", *SIZE), folder / "runs", folder)), base)


@pytest.mark.slow
def test_a_drill_that_is_killed_twice_ends_like_one_that_is_not(tmp_path: Path) -> None:
    whole, cut = tmp_path / "whole", tmp_path / "cut"
    whole.mkdir()
    cut.mkdir()
    lost: list[int] = []
    with world_process(cut, *FAULTS, "latency=0.06", "jitter=0.1") as (base, log):
        words = drill_words(base, cut / "runs", *SIZE)

        def after_kill() -> None:
            lost.append(served(log) - persisted(cut) - sum(lost))

        run, killed = kill_and_resume(words, cut / "runs", cut, 2, Random(7), (0.1, 0.6), after_kill)
        assert killed == 2
        assert served(log) == persisted(cut) + sum(lost), "the last sitting asked for nothing that was kept"
        assert max(lost) <= 3 * 6, "a kill costs what was in flight, no more"
        assert picture(read_result(run), base) == whole_drill(whole)
    events = list(read_events(run))
    assert [event.seq for event in events] == list(range(1, len(events) + 1))
    judged = [event.probe.id for event in events if event.type == "probe_judged"]
    assert len(judged) == len(set(judged)), "no finished probe was played again"
    assert sum(event.type == "run_resumed" for event in events) == 2
    assert sorted(path.name for path in run.iterdir() if path.name.startswith("checkpoint")) == []
