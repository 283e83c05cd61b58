"""A host whose process is killed three times ends with the result of one that is not, and pays for nothing twice."""

import asyncio
import json
import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from fathom.sim.server import RunningWorld, Served, Timing, start
from fathom.state.events import Event, Opened, ProbeJudged
from fathom.state.result import DrillResult
from fathom.state.spec import WorldSpec
from fathom.tools.runs.event_file import events_with_places

from ...support.command_line import on_a_thread
from ...support.drill.drills import lasting
from ...support.host_child import SIZE, app_of, bound
from ...support.programs import Programs

HOST = "tests.support.host_child:main"
CHATS = ("chat", "structured")
KILLED_AT = (1, 20, 30)
"""The request of a session, counted from 1, whose answer the host does not live to see: the opening, then probes."""
PROBE = 6
"""Calls of one probe, at most, where nothing fails."""


@asynccontextmanager
async def world() -> AsyncIterator[RunningWorld]:
    running = await start(WorldSpec(), Timing(latency_s=0.005, jitter_s=0.01))
    try:
        yield running
    finally:
        await running.aclose()


def sit(programs: Programs, folder: Path, served: RunningWorld, kill_at: int = 0) -> int:
    """One session of the host, killed in the moment when its n-th model call would be answered, or (0) let be; the
    calls that reached the server in it."""
    before, answered = len(chats(served)), 0

    def kill(record: Served) -> None:
        nonlocal answered
        answered += record.kind in CHATS
        if kill_at and answered == kill_at:
            os.kill(program.pid, signal.SIGKILL)

    served.on_served = kill
    with (folder / "said.txt").open("a") as said:
        program = programs.start(str(folder), served.base_url, function=HOST, stdout=said, stderr=said)
    assert program.wait() == (-signal.SIGKILL if kill_at else 0), (folder / "said.txt").read_text()
    return len(chats(served)) - before


def chats(served: RunningWorld) -> list[Served]:
    return [record for record in served.log if record.kind in CHATS]


def kept(journal: Path) -> list[Event]:
    return [event for event, _, _ in events_with_places(journal)]


def calls_kept(journal: Path) -> int:
    """Calls of all that the journal holds as finished, each once, though it were there twice."""
    opened = [event for event in kept(journal) if isinstance(event, Opened)]
    judged = {event.probe.id: event.probe for event in kept(journal) if isinstance(event, ProbeJudged)}
    return sum(len(event.calls) for event in opened[-1:]) + sum(len(probe.calls) for probe in judged.values())


async def uninterrupted(base: str) -> Any:
    async with bound(base) as drill:
        return await app_of(drill).ainvoke(drill.input("Chemical elements", **SIZE))


def picture(output: dict[str, Any]) -> str:
    """The lasting part of a result, without the run's name."""
    run = output["run_id"]
    ended = str(lasting(DrillResult.model_validate(output["result"])))
    return ended.replace(run, "RUN").replace(run.rpartition("-")[2], "RUN")


def test_a_host_that_is_killed_three_times_ends_like_one_that_is_not(programs: Programs, tmp_path: Path) -> None:
    journal, asked, lost = tmp_path / "journal.jsonl", 0, list[int]()
    with on_a_thread(world) as served:
        for kill_at in KILLED_AT:
            asked += sit(programs, tmp_path, served, kill_at)
            lost.append(asked - calls_kept(journal) - sum(lost))
        asked += sit(programs, tmp_path, served)
        served.on_served = None
        expected = asyncio.run(uninterrupted(served.base_url))
    assert picture(json.loads((tmp_path / "output.json").read_text())) == picture(expected)
    assert asked == calls_kept(journal) + sum(lost), "all that was asked in vain was under way at a kill"
    assert max(lost) <= SIZE["n"] * PROBE
