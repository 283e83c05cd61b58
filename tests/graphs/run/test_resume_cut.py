"""A run that was cut off anywhere, with whatever became of its files, ends like one that was
not."""

import asyncio
import json
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from fathom.graphs.run.launch import Launch, LaunchOptions
from fathom.sim.server import Timing
from fathom.state.errors import RunFailed
from fathom.state.events import Event
from fathom.state.result import DrillResult
from fathom.tools.runs.folders import read_events, read_result

from ...support.drill.drills import lasting, sim_spec
from ...support.resuming import (
    SIZE,
    at_probe,
    folder_names,
    lines_of,
    resumed,
    stopped,
    types_of,
    uninterrupted,
    whole,
    write_lines,
)

pytestmark = pytest.mark.xdist_group(
    "resume_cut"
)  # one worker makes what all of them begin with


@pytest.fixture(scope="module")
def truth() -> object:
    return asyncio.run(uninterrupted())


async def in_the_middle(runs: Path, **options: Any) -> Path:
    """The folder of a drill that was stopped twice, within depth 3: some of its probes are
    finished, some never."""
    folder = await stopped(
        runs,
        at_probe(3, 2),
        hurry=True,
        timing=Timing(latency_s=0.01, jitter_s=0.15),
        **options,
    )
    done = [
        event.probe
        for event in read_events(folder)
        if event.type == "probe_judged" and event.probe.depth == 3
    ]
    assert 2 <= len(done) < SIZE["n"]
    return folder


@pytest.fixture(scope="module")
def cut_off(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One for all; `copied` gives each its own."""
    return asyncio.run(in_the_middle(tmp_path_factory.mktemp("cut") / "runs"))


@pytest.fixture
def copied(cut_off: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(cut_off, tmp_path / cut_off.name))


async def test_an_interrupted_run_goes_on_from_its_journal(copied: Path, truth: object) -> None:
    folder = copied
    before = lines_of(folder)
    report = await resumed(folder)
    assert (report.status, report.exit_code) == ("complete", 0)
    assert lasting(whole(report)) == truth
    assert lines_of(folder)[: len(before)] == before
    events = list(read_events(folder))
    assert [event.seq for event in events] == list(range(1, len(events) + 1))
    judged = [event.probe.id for event in events if event.type == "probe_judged"]
    assert len(judged) == len(set(judged)), "no finished probe was played again"
    assert types_of(folder).count("run_started") == types_of(folder).count("run_resumed") == 1
    assert [kind for kind in types_of(folder) if kind == "opened"] == ["opened"]
    closed = [event.row.depth for event in events if event.type == "depth_closed"]
    assert closed == [1, 2, 3, 4]
    assert read_result(folder) == report.result
    assert folder_names(folder) == [
        ".lock",
        "events.jsonl",
        "launch.json",
        "log.jsonl",
        "result.json",
        "spec.json",
    ]


async def assert_each_cut_is_resumed(
    folder: Path, copies: Path, truth: object, places: Iterable[int]
) -> None:
    lines, kinds = lines_of(folder), types_of(folder)
    for place in sorted(set(places)):
        cut = Path(shutil.copytree(folder, copies / str(place) / folder.name))
        write_lines(cut, lines[:place])
        report = await resumed(cut, cache=copies / "cache.sqlite")
        assert lasting(whole(report)) == truth, (
            f"the journal ended before line {place + 1}, {kinds[place]}"
        )


async def test_a_journal_that_lost_its_end(
    tmp_path: Path, cut_off: Path, truth: object
) -> None:
    kinds = types_of(cut_off)
    last = {kind: number for number, kind in enumerate(kinds)}
    steps = ("opened", "depth_closed", "passages_found", "depth_planned")
    places = [last[kind] for kind in steps]
    places += [number + 1 for number in places]
    places += [len(kinds) - 2, kinds.index("probe_judged"), 0, 1]
    await assert_each_cut_is_resumed(cut_off, tmp_path, truth, places)


async def test_what_an_older_version_left_in_the_folder_is_passed_over(
    copied: Path, truth: object
) -> None:
    (copied / "checkpoint.sqlite").write_bytes(b"the state of a graph")
    launch = json.loads((copied / "launch.json").read_bytes())
    (copied / "launch.json").write_text(json.dumps(launch | {"postgres": True}))
    assert lasting(whole(await resumed(copied))) == truth


@pytest.mark.parametrize(
    "end", ["part of a line", "line without its end", "nothing but a brace"]
)
async def test_a_last_line_that_was_being_written(
    copied: Path, truth: object, end: str
) -> None:
    folder = copied
    lines = lines_of(folder)
    while b'"probe_judged"' not in lines[-1]:  # as after kill -9
        lines.pop()
    torn = {
        "part of a line": lines[-1][:-40],
        "line without its end": lines[-1][:-1],
        "nothing but a brace": b"{",
    }[end]
    write_lines(folder, [*lines[:-1], torn])
    report = await resumed(folder)
    assert lasting(whole(report)) == truth
    after = lines_of(folder)
    assert after[: len(lines) - 1] == lines[:-1]
    assert (after[len(lines) - 1] == lines[-1]) == (end == "line without its end")
    events = list(read_events(folder))
    assert [event.seq for event in events] == list(range(1, len(events) + 1))
    cut = (
        "a line that was being written when the run ended was cut off"
        in (folder / "log.jsonl").read_text()
    )
    assert cut == (end != "line without its end")


async def test_a_damaged_line_within_the_journal_is_named_and_nothing_changes(
    copied: Path,
) -> None:
    folder = copied
    lines = lines_of(folder)
    lines[6] = lines[6][:50] + b"\x00\xff" + lines[6][52:]
    write_lines(folder, lines)
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    with pytest.raises(
        RunFailed, match=r"events\.jsonl, line 7, is no event .* changed or damaged"
    ):
        await resumed(folder)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


async def test_killed_between_its_last_event_and_its_result(
    tmp_path: Path, truth: object
) -> None:
    options = LaunchOptions(runs=tmp_path, cache=tmp_path / "cache.sqlite")
    (done,) = await Launch[DrillResult]([sim_spec(**SIZE)], options).run()
    assert done.folder is not None
    before = json.loads((done.folder / "result.json").read_bytes())
    (done.folder / "result.json").unlink()
    report = await resumed(done.folder)
    assert lasting(whole(report)) == truth
    assert whole(report).usage == done.result.usage if done.result else None
    after = json.loads((done.folder / "result.json").read_bytes())
    assert {**before, "wall_s": None} == {**after, "wall_s": None}
    assert types_of(done.folder)[-2:] == ["run_resumed", "run_finished"]


async def test_stopped_when_all_is_done(tmp_path: Path, truth: object) -> None:
    """The result is computed and not yet handed out: there is nothing left to interrupt."""

    def listen(event: Event) -> None:
        if event.type == "run_finished":
            launch.stop()
            launch.stop()

    launch = Launch[DrillResult]([sim_spec(**SIZE)], LaunchOptions(runs=tmp_path), [listen])
    (report,) = await launch.run()
    assert (report.status, report.exit_code) == ("complete", 0)
    assert lasting(whole(report)) == truth
    assert report.folder is not None
    assert read_result(report.folder) == report.result
    assert types_of(report.folder).count("run_finished") == 1
