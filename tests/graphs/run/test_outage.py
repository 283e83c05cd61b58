"""An endpoint that goes away or falters: what was finished is kept, and all is well once the
endpoint is back."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from tenacity import wait_none

from fathom.graphs.method import result_of
from fathom.graphs.run.launch import Launch, LaunchOptions, RunReport
from fathom.graphs.run.record import record_of
from fathom.graphs.run.resume_check import is_over, take_up
from fathom.sim.server import RunningWorld, Timing, start
from fathom.state.errors import UsageError
from fathom.state.events import Event
from fathom.state.result import DrillResult
from fathom.state.spec import DrillSpec, FaultRates, WorldSpec
from fathom.state.tiers import TIERS
from fathom.tools.facts import transport
from fathom.tools.models.clients import Limits
from fathom.tools.runs.folders import read_events

from ...support.drill.drills import lasting, sim_spec
from ...support.resuming import SIZE, lines_of, resumed, types_of, whole

HASTY = Limits(backoff_s=0.0, max_wait_s=0.0, attempts=2)


@asynccontextmanager
async def a_world(
    faults: FaultRates | None = None, port: int = 0
) -> AsyncIterator[RunningWorld]:
    world = await start(WorldSpec(faults=faults or FaultRates()), port=port)
    try:
        yield world
    finally:
        await world.aclose()


def spec_of(world: RunningWorld, *away: str) -> DrillSpec:
    """A drill of which those roles, and `facts`, are at the world's address; the rest is in a world
    of its own."""
    values: dict[str, Any] = {
        role: f"sim@{world.api_url}:{role}".replace("target", "student") for role in away
    }
    if "facts" in away:
        values["facts"] = dict.fromkeys(TIERS, (f"sim@{world.base_url}",))
    return sim_spec(**SIZE | values)


def port_of(world: RunningWorld) -> int:
    return int(world.base_url.rpartition(":")[2])


async def launch(
    spec: DrillSpec, listener: Callable[[Event], None] | None = None, **options: Any
) -> RunReport:
    own: dict[str, Any] = {"limits": HASTY} | options
    (report,) = await Launch[DrillResult](
        [spec], LaunchOptions(**own), [listener] if listener else []
    ).run()
    return report


def picture(report: RunReport) -> Any:
    """What lasts but for the calls: those that failed in the outage are listed too."""
    lasted = lasting(whole(report))
    return lasted | {"probes": [{**probe, "calls": None} for probe in lasted["probes"]]}


@asynccontextmanager
async def leaving(
    world: RunningWorld, when: Callable[[Event], bool]
) -> AsyncIterator[Callable[[Event], None]]:
    """Yields a listener that takes the world away at the first event that `when` picks."""
    tasks: list[asyncio.Task[None]] = []

    def listen(event: Event) -> None:
        if not tasks and when(event):
            tasks.append(asyncio.ensure_future(world.aclose()))

    yield listen
    await asyncio.gather(*tasks)
    assert tasks


def begins(depth: int) -> Callable[[Event], bool]:
    return lambda event: event.type == "depth_planned" and event.depth == depth


async def test_models_that_go_away_and_come_back(tmp_path: Path) -> None:
    cache = tmp_path / "cache.sqlite"
    async with a_world() as world:
        spec, place = spec_of(world, "target", "evaluator"), port_of(world)
        truth = picture(await launch(spec))
    async with a_world(port=place) as world, leaving(world, begins(3)) as listen:
        cut = await launch(spec, listen, runs=tmp_path / "runs", cache=cache)
    assert cut.folder is not None
    assert (cut.status, cut.exit_code, whole(cut).stop_reason) == (
        "failed",
        1,
        "infrastructure",
    )
    assert whole(cut).depth_reached == 2
    assert not is_over(cut.folder)
    before = lines_of(cut.folder)

    away = await resumed(cut.folder, limits=HASTY, cache=cache)
    assert (away.status, away.exit_code) == ("failed", 1)
    assert "cannot be reached" in (away.error or "")
    assert lines_of(cut.folder)[: len(before)] == before
    assert whole(away).depth_reached == 2

    async with a_world(port=place) as world:
        back = await resumed(cut.folder, limits=HASTY, cache=cache)
        asked = [served.digest for served in world.log if served.kind == "chat"]
    assert (back.status, back.exit_code) == ("complete", 0)
    assert picture(back) == truth
    assert len(asked) == len(set(asked)) > 0
    assert is_over(cut.folder)


async def test_a_source_that_goes_away_and_comes_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What could not be looked up is looked up again; depths that are closed stay as they are, even
    without a cache."""
    monkeypatch.setattr(transport, "wait_exponential", lambda *_, **__: wait_none())
    async with a_world() as world:
        spec, place = spec_of(world, "facts"), port_of(world)
        truth = picture(await launch(spec))
    async with a_world(port=place) as world, leaving(world, begins(1)) as listen:
        cut = await launch(spec, listen, runs=tmp_path / "runs", timing=Timing(latency_s=0.05))
    assert cut.folder is not None
    assert (whole(cut).stop_reason, whole(cut).depth_reached) == ("infrastructure", 1)
    kept = [probe.id for probe in whole(cut).probes if probe.depth <= whole(cut).depth_reached]
    away = await resumed(cut.folder, limits=HASTY)
    assert (away.exit_code, whole(away).stop_reason) == (1, "infrastructure")
    assert [
        probe.id for probe in whole(away).probes if probe.depth <= whole(cut).depth_reached
    ] == kept
    assert whole(away).depths == whole(cut).depths
    async with a_world(port=place) as world:
        back = await resumed(cut.folder, limits=HASTY)
    assert back.exit_code == 0
    assert picture(back) == truth


async def test_an_evaluator_that_goes_away_before_it_has_named_the_concepts(
    tmp_path: Path,
) -> None:
    """Depth 1 is closed, for the judge was there; without its concepts there is no depth 2 until
    they are asked for."""
    slow = Timing(latency_s=0.05, jitter_s=0.1)
    async with a_world() as world:
        spec, place = spec_of(world, "evaluator"), port_of(world)
        truth = picture(await launch(spec))
    async with (
        a_world(port=place) as world,
        leaving(world, lambda event: event.type == "probe_answered") as listen,
    ):
        cut = await launch(spec, listen, runs=tmp_path / "runs", timing=slow)
    assert cut.folder is not None
    assert (whole(cut).stop_reason, whole(cut).depth_reached) == ("infrastructure", 1)
    lost = [probe for probe in whole(cut).probes if probe.depth == 1 and probe.unexplained]
    assert len(lost) > SIZE["n"] / 2
    async with a_world(port=place) as world:
        back = await resumed(cut.folder, limits=HASTY)
        asked = Counter(
            served.purpose for served in world.log if served.kind in ("chat", "structured")
        )
    assert (back.exit_code, picture(back)) == (0, truth)
    assert asked["question"] <= 3 * SIZE["n"] + 3, "no question of depth 1 was written again"
    told = {
        event.probe.id: event
        for event in read_events(cut.folder)
        if event.type == "probe_judged" and event.added
    }
    assert set(told) == {probe.id for probe in lost}
    for probe in lost:
        again = told[probe.id]
        assert [call.purpose for call in again.new_calls] == ["concepts"]
        assert again.probe.calls == (*probe.calls, *again.new_calls)
        assert (again.probe.outcome, again.probe.question) == (probe.outcome, probe.question)
    assert result_of(record_of(read_events(cut.folder))) == back.result


async def test_an_endpoint_that_falters(tmp_path: Path) -> None:
    """Most calls fail, so that the first depth cannot be closed; on a sound endpoint it is asked
    anew."""
    async with a_world() as world:
        spec, place = spec_of(world, "target"), port_of(world)
        truth = picture(await launch(spec))
    async with a_world(FaultRates(server_error=0.9), place):
        cut = await launch(spec, runs=tmp_path)
    assert cut.folder is not None
    assert (cut.exit_code, cut.probes > 0) == (1, True)
    again = take_up(cut.folder)
    again.folder.release()
    assert again.reopens
    async with a_world(port=place):
        back = await resumed(cut.folder, limits=HASTY)
    assert (back.exit_code, picture(back)) == (0, truth)
    ids = [event.probe.id for event in read_events(cut.folder) if event.type == "probe_judged"]
    assert len(ids) > len(set(ids)), (
        "probes that were lost to faults are played again under their names"
    )
    assert len(whole(back).probes) == len({probe.id for probe in whole(back).probes})
    assert types_of(cut.folder).count("opened") == 1


async def test_what_is_over_is_not_reopened(tmp_path: Path) -> None:
    report = await launch(sim_spec(**SIZE), runs=tmp_path)
    assert report.folder is not None
    assert is_over(report.folder)
    held = take_up(report.folder)
    with pytest.raises(UsageError, match="being worked on by another process"):
        take_up(report.folder)
    held.folder.release()
    take_up(report.folder).folder.release()
