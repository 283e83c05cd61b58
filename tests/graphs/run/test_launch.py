"""A launch of several runs: one run's trouble stays with it, and what was measured is never
lost."""

import asyncio
import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from langgraph.config import get_config

from fathom.graphs.method import METHODS
from fathom.graphs.run import execute
from fathom.graphs.run.folder import RunFolder
from fathom.graphs.run.launch import Launch, LaunchOptions
from fathom.graphs.run.resources import PlannedRun
from fathom.sim.server import Timing
from fathom.state.errors import RunFailed, UsageError
from fathom.state.events import Event
from fathom.state.result import DrillResult
from fathom.tools.models.endpoint import Endpoint
from fathom.tools.runs.folders import read_events, read_result
from fathom.tools.runs.journal import MemorySink

from ...support.drill.drills import sim_spec
from ...support.drill.toy import ToyChat, ToySource, toy_deps, toy_spec

TWO: list[dict[str, Any]] = [{"domain": "Chemical elements"}, {"domain": "Noble gases"}]


def specs() -> list[Any]:
    return [sim_spec(**changes, n=4, max_depth=2) for changes in TWO]


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


async def test_the_folder_holds_spec_events_log_and_result(tmp_path: Path) -> None:
    (report,) = await Launch(specs()[:1], LaunchOptions(runs=tmp_path)).run()
    assert report.folder is not None
    assert names(report.folder) == [
        ".lock",
        "events.jsonl",
        "launch.json",
        "log.jsonl",
        "result.json",
        "spec.json",
    ]
    assert read_result(report.folder) == report.result
    events = list(read_events(report.folder))
    assert [event.seq for event in events] == list(range(1, len(events) + 1))
    assert [event.type for event in events][-1] == "run_finished"
    assert report.result is not None
    finished = {e.probe.id: e.probe for e in events if e.type == "probe_judged"}
    assert finished == {probe.id: probe for probe in report.result.probes}


async def test_what_a_run_found_is_held_only_where_no_folder_has_it(tmp_path: Path) -> None:
    (kept,) = await Launch(specs()[:1], LaunchOptions(runs=tmp_path)).run()
    (alone,) = await Launch(specs()[:1], LaunchOptions()).run()
    assert kept.held is None
    assert isinstance(kept.result, DrillResult)
    assert isinstance(alone.result, DrillResult)
    assert alone.held is alone.result
    shutil.rmtree(tmp_path / kept.run_id)
    with pytest.raises(RunFailed, match="removed or renamed"):
        _ = kept.result


async def test_what_outlives_a_run_begins_outside_its_graph(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen: list[Any] = []
    original = Endpoint.exchange

    async def exchange(self: Endpoint, *asked: Any) -> Any:
        seen.append(get_config())  # a connection that is opened here keeps it
        return await original(self, *asked)

    monkeypatch.setattr(Endpoint, "exchange", exchange)
    await Launch(specs()[:1], LaunchOptions()).run()
    assert {tuple(config) for config in seen} == {("callbacks",)}


async def test_a_full_disk_costs_one_run_and_not_the_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[RunFolder] = []
    original = RunFolder.__init__

    def init(self: RunFolder, *args: Any, **options: Any) -> None:
        original(self, *args, **options)
        if not made:
            os.symlink(
                "/dev/full", self.events
            )  # every write fails: no space left on the device
        made.append(self)

    monkeypatch.setattr(RunFolder, "__init__", init)
    full, fine = await Launch(specs(), LaunchOptions(runs=tmp_path)).run()
    assert (full.status, full.result) == ("failed", None)
    assert "No space left" in (full.error or "")
    assert fine.status == "complete"
    assert read_result(made[1].path) == fine.result


async def test_a_result_that_cannot_be_written_is_still_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(self: RunFolder, result: DrillResult) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(RunFolder, "write_result", refuse)
    reports = await Launch(specs(), LaunchOptions(runs=tmp_path)).run()
    assert [report.status for report in reports] == ["failed", "failed"]
    assert all(
        report.result is not None and "cannot be written" in (report.error or "")
        for report in reports
    )


async def test_a_listener_that_fails_is_dropped_and_changes_nothing() -> None:
    seen: list[str] = []

    def bad(event: Event) -> None:
        seen.append(event.type)
        raise ValueError("the screen is gone")

    reports = await Launch(specs(), LaunchOptions(), [bad]).run()
    assert [report.status for report in reports] == ["complete", "complete"]
    assert seen == ["run_started"] * 2  # once per run's sink


async def test_a_bug_in_one_run_leaves_the_others_their_results(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    build_graph = METHODS["drill"].build_graph

    def broken(deps: Any) -> Any:
        if broken_once:
            broken_once.pop()
            raise RuntimeError("a bug")
        return build_graph(deps)

    broken_once = [True]
    monkeypatch.setitem(vars(METHODS["drill"]), "build_graph", broken)
    first, second = await Launch(specs(), LaunchOptions()).run()
    assert first.status == "failed"
    assert "RuntimeError: a bug" in (first.error or "")
    assert second.status == "complete"


async def test_what_a_client_could_not_send_stands_in_the_notes() -> None:
    class Wordless(ToyChat):
        caveats = ("seed is not sent",)

    deps = toy_deps(Wordless(), ToySource())
    assert isinstance(deps.sink, MemorySink)
    run = PlannedRun(toy_spec(), "toy-1", None, None, deps.sink, deps.gate)
    report = await execute.Execution(run, deps, asyncio.Event()).run()
    assert report.result is not None
    assert "toy: seed is not sent." in report.result.notes


async def test_stopping_keeps_the_closed_depths() -> None:
    def listen(event: Event) -> None:
        if event.type == "depth_closed" and event.row.depth == 1:
            launch.stop()

    options = LaunchOptions(timing=Timing(latency_s=0.02))
    launch = Launch([sim_spec(n=4, max_depth=9)], options, [listen])
    (report,) = await launch.run()
    assert (report.status, report.exit_code) == ("interrupted", 130)
    assert report.result is not None
    assert report.result.depth_reached == 1
    assert report.result.censored == "interrupted"


async def test_being_cancelled_is_not_an_interrupt() -> None:
    task = asyncio.ensure_future(
        Launch(specs(), LaunchOptions(timing=Timing(latency_s=0.2))).run()
    )
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_a_refused_launch_leaves_no_folder(tmp_path: Path) -> None:
    bad = sim_spec(facts={"COMMON": ("mediawiki:nonsense",)})
    with pytest.raises(UsageError):
        await Launch([*specs(), bad], LaunchOptions(runs=tmp_path)).run()
    assert names(tmp_path) == []


async def test_a_folder_that_is_removed_meanwhile_ends_its_run_and_says_so(
    tmp_path: Path,
) -> None:
    def remove(event: Event) -> None:
        if event.type == "probe_judged" and (tmp_path / event.run_id).is_dir():
            shutil.rmtree(tmp_path / event.run_id)

    (report,) = await Launch(specs()[:1], LaunchOptions(runs=tmp_path), [remove]).run()
    assert (report.status, report.folder, report.exit_code) == ("failed", None, 1)
    assert "was removed or renamed while the run went on" in (report.error or "")
    assert report.probes < 8, "nothing more is asked"
