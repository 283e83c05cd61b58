"""Killed at random moments and resumed, an Explain-Query-Test ends as if nothing had happened."""

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest

from fathom.state.events import ConceptClosed, ItemFinished
from fathom.tools.runs import read_events

from .eqts import ELEMENTS, without_passing
from .killed import FATHOM, kill_and_resume, persisted, run_whole, served, world_process

FAULT = "cut_off=0.03"
"""After which the same is said again, at once. A question that was malformed is written anew, and which try is
malformed depends on how often it was asked: a reply that a kill took is one try more."""
SIZE = ("--questions", "3", "--paraphrases", "2", "--options", "6", "--open-book", "--attribute", "4")


def words(base: str, runs: Path) -> list[str]:
    where = ["--target", f"sim@{base}/v1:student", "--runs", str(runs), "--display", "none"]
    return [*FATHOM, "eqt", *ELEMENTS[:4], *where, "--max-connections", "8", *SIZE]


def picture(run: Path, base: str) -> Any:
    """All of a result but times, the world's address, run id and usage."""
    short = run.name.rpartition("-")[2]
    text = (run / "result.json").read_text().replace(base, "http://WORLD").replace(run.name, "RUN")
    return without_passing(json.loads(text.replace(f'"{short}/', '"RUN/')))


@pytest.mark.slow
def test_a_run_that_is_killed_ends_like_one_that_is_not(tmp_path: Path) -> None:
    whole, cut = tmp_path / "whole", tmp_path / "cut"
    whole.mkdir()
    cut.mkdir()
    lost: list[int] = []
    with world_process(cut, FAULT, "latency=0.04", "jitter=0.08") as (base, log):

        def after_kill() -> None:
            lost.append(served(log) - persisted(cut) - sum(lost))

        run, killed = kill_and_resume(
            words(base, cut / "runs"), cut / "runs", cut, 1, Random(7), (0.1, 0.5), after_kill
        )
        assert killed == 1
        assert served(log) == persisted(cut) + sum(lost), "the last sitting asked for nothing that was kept"
        assert max(lost) <= 8, "a kill costs what was in flight, no more"
        ended = picture(run, base)
    with world_process(whole, FAULT) as (base, _):
        assert ended == picture(run_whole(words(base, whole / "runs"), whole / "runs", whole), base)
    events = list(read_events(run))
    assert [event.seq for event in events] == list(range(1, len(events) + 1))
    ids = [event.item.id for event in events if isinstance(event, ItemFinished)]
    assert len(ids) == len(set(ids)), "no finished step was done again"
    assert sorted(e.index for e in events if isinstance(e, ConceptClosed)) == list(range(4))
    assert sum(event.type == "run_resumed" for event in events) == 1
    assert sorted(path.name for path in run.iterdir() if path.name.startswith("checkpoint")) == []
