"""A budget over several sessions: what was sent is spent, whether it was answered, cancelled, or
lost with a kill."""

import asyncio
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from fathom.graphs.run.folder import hold_launch
from fathom.graphs.run.launch import Launch, LaunchOptions
from fathom.graphs.run.resume_check import spent_by, take_up
from fathom.sim.server import Timing
from fathom.state.errors import UsageError
from fathom.state.events import EVENT, RunResumed
from fathom.state.result import DrillResult
from fathom.tools.facts.folder import FolderSource
from fathom.tools.models.chat import ChatReply, ChatRequest
from fathom.tools.models.model import EndpointChat

from ...contracts.recordings import recordings
from ...support.drill.drills import sim_spec

SIZE: dict[str, Any] = {"n": 8, "max_depth": 3, "threshold": 0.001}


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The purpose of each call that reached a client."""
    purposes: list[str] = []
    complete = EndpointChat.complete

    async def noting(self: EndpointChat, request: ChatRequest) -> ChatReply:
        purposes.append(request.purpose)
        return await complete(self, request)

    monkeypatch.setattr(EndpointChat, "complete", noting)
    return purposes


async def until(condition: Any) -> None:
    while not condition():  # noqa: ASYNC110 - what is waited for is somebody else's list
        await asyncio.sleep(0.002)


@pytest.mark.parametrize("cached", [True, False])
async def test_interrupted_again_and_again_it_never_sends_more(
    tmp_path: Path, sent: list[str], cached: bool
) -> None:
    options = LaunchOptions(
        runs=tmp_path,
        prices=("1/4",),
        max_calls=60,
        cache=tmp_path / "cache.sqlite" if cached else None,
        timing=Timing(latency_s=0.05),
    )
    launch = Launch[DrillResult]([sim_spec(**SIZE)], options)
    for _ in range(12):
        before, task = len(sent), asyncio.ensure_future(launch.run())
        await until(lambda before=before, task=task: len(sent) >= before + 9 or task.done())
        launch.stop()
        launch.stop()
        (report,) = await task
        assert report.folder is not None
        assert spent_by(report.folder, cached=cached)[1] <= 60
        if report.status == "partial":
            break
        taken = take_up(report.folder)
        launch = Launch([], options, resumed=[taken], launch=taken.launch.launch)
    assert report.status == "partial"
    assert report.folder is not None
    assert len(sent) <= 60
    assert spent_by(report.folder, cached=cached)[1] == len(sent), (
        "and every one of them is remembered"
    )


def test_what_a_killed_session_finished_comes_on_top_of_what_was_told_before(
    tmp_path: Path,
) -> None:
    """Without a cache, from which its replies would come again."""
    run = recordings("drill")["cut"]
    run.write(tmp_path)
    told, place = (
        RunResumed(run_id=run.name, spec=sim_spec(), version="0", probes=0, spent_calls=500),
        40,
    )
    lines = [*run.journal[:place], told.model_dump_json(), *run.journal[place:]]
    (tmp_path / run.name / "events.jsonl").write_text(
        "".join(f"{line}\n" for line in lines), encoding="utf-8"
    )
    later = [EVENT.validate_json(line) for line in run.journal[place:]]
    calls = sum(len(event.new_calls) for event in later if event.type == "probe_judged")
    assert calls > 0
    assert [spent_by(tmp_path / run.name, cached=cached)[1] for cached in (True, False)] == [
        500,
        500 + calls,
    ]


async def test_after_a_stop_no_probe_begins_that_waited_for_the_budget(
    tmp_path: Path, sent: list[str]
) -> None:
    options = LaunchOptions(runs=tmp_path, max_calls=40, timing=Timing(latency_s=0.1))
    launch = Launch[DrillResult]([sim_spec(**SIZE | {"n": 16})], options)
    task = asyncio.ensure_future(launch.run())
    await until(lambda: sent.count("question") >= 2)
    began = sent.count("question")
    launch.stop()
    (report,) = await task
    assert report.status == "interrupted"
    assert sent.count("question") == began


async def test_the_runs_of_a_launch_share_one_budget_one_process_at_a_time(
    tmp_path: Path,
) -> None:
    specs = [sim_spec(**SIZE, domain=domain) for domain in ("Chemical elements", "Noble gases")]
    reports = await Launch(specs, LaunchOptions(runs=tmp_path, max_calls=60)).run()
    assert {report.status for report in reports} == {"partial"}
    assert reports[0].folder is not None
    taken = take_up(reports[0].folder)
    again = Launch[DrillResult](
        [],
        LaunchOptions(runs=tmp_path, max_calls=90),
        resumed=[taken],
        launch=taken.launch.launch,
    )
    with (
        hold_launch(tmp_path, taken.launch.launch),
        pytest.raises(UsageError, match="share a budget"),
    ):
        await again.run()
    assert take_up(reports[0].folder).launch.max_calls == 60, (
        "a budget that was refused is not recorded"
    )


async def test_a_stop_while_a_folder_is_being_read_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reading = asyncio.Event()

    async def prepare(self: FolderSource) -> None:
        reading.set()
        await asyncio.Event().wait()

    monkeypatch.setattr(FolderSource, "prepare", prepare)
    (tmp_path / "docs").mkdir()
    facts = dict.fromkeys(sim_spec().facts, (f"folder:{tmp_path / 'docs'}",))
    launch = Launch[DrillResult](
        [sim_spec(**SIZE, facts=facts)], LaunchOptions(runs=tmp_path / "runs")
    )
    task = asyncio.ensure_future(launch.run())
    await reading.wait()
    launch.stop()
    (report,) = await asyncio.wait_for(task, timeout=2)
    assert (report.status, report.result, report.exit_code) == ("interrupted", None, 130)
    with suppress(FileNotFoundError):
        assert list((tmp_path / "runs").iterdir()) == []
