"""A run that goes on, as each display shows it: the tree whole, lines and events only what is
new."""

import asyncio
import json
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest

from fathom.sim.server import Timing
from fathom.state.events import EVENT, RunResumed
from fathom.tools.runs.folders import read_events

from ..support.command_line import SMALL, Caller
from ..support.resuming import at_probe, lines_of, stopped

pytestmark = pytest.mark.xdist_group(
    "resume_screen"
)  # one worker makes what all of them begin with


@pytest.fixture(scope="module")
def cut_off(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that was stopped in its depth 3; its world replies slowly, then as now."""
    runs = tmp_path_factory.mktemp("screen") / "runs"
    timing = Timing(latency_s=0.02, jitter_s=0.08)
    return asyncio.run(stopped(runs, at_probe(3, 1), hurry=True, timing=timing))


@pytest.fixture
def call(
    cut_off: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Caller:
    shutil.copytree(cut_off.parent, tmp_path / "runs")
    return Caller(tmp_path, monkeypatch, capsys)


def test_events_are_the_new_ones(call: Caller, cut_off: Path) -> None:
    said = call("resume", "last", "--display", "events")
    assert (said.code, said.err) == (0, "")
    told = [EVENT.validate_json(line) for line in said.out.splitlines()]
    (run,) = call.runs
    before = len(lines_of(cut_off))
    assert told == list(read_events(run))[before:]
    assert isinstance(told[0], RunResumed)
    assert [event.seq for event in told] == list(range(before + 1, before + len(told) + 1))


def shows(rows: Sequence[str], depth: int) -> bool:
    """Whether the table has this depth with its accuracy."""
    return any(row.startswith(f" {depth} common {depth}") and "%" in row for row in rows)


def test_last_is_the_last_launch_and_prices_of_runs_that_are_complete_stand(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    call = Caller(tmp_path, monkeypatch, capsys)
    words = [
        "drill",
        "Noble gases",
        "-t",
        "sim:student",
        "-t",
        "sim:novice",
        "-e",
        "sim:evaluator",
        *SMALL,
    ]
    said = call(
        *words,
        "--price",
        "sim:student=1/1",
        "--price",
        "sim:novice=1/1",
        "--rate",
        "sim:student=9000",
    )
    assert said.code == 0
    last = call.runs[-1]
    launch = json.loads((last / "launch.json").read_bytes())["launch"]
    (last / "result.json").unlink()
    events = (last / "events.jsonl").read_bytes().splitlines(keepends=True)
    (last / "events.jsonl").write_bytes(b"".join(events[:-1]))

    resumed = call("resume", "last", "--display", "none", "--json")
    assert resumed.code == 0, resumed.err
    assert [run["status"] for run in json.loads(resumed.out)] == ["complete", "complete"]
    assert call("compare", "last", "--json").out == call("compare", launch, "--json").out
