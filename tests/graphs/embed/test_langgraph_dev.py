"""A drill under `langgraph dev`, whose server is killed twice: it goes on, and what was finished is
not paid again."""

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

import pytest
from langchain_core.runnables import RunnableConfig

from fathom.graphs.factories import FACTORIES
from fathom.sim.server import RunningWorld, Served, Timing, start
from fathom.state.channels import DrillInput
from fathom.state.events import Event, Opened, ProbeJudged
from fathom.state.result import DrillResult
from fathom.state.spec import WorldSpec
from fathom.state.tiers import TIERS
from fathom.tools.runs.event_file import events_with_places

from ...support.command_line import on_a_thread
from ...support.drill.drills import lasting, sim_spec
from ...support.servers import ending_with_us

MISSING = [name for name in ("langgraph_cli", "langgraph_api") if find_spec(name) is None]
pytestmark = [
    pytest.mark.langgraph_dev,
    pytest.mark.slow,
    pytest.mark.timeout(300),
    pytest.mark.skipif(
        bool(MISSING),
        reason="langgraph dev is not installed: pip install -c constraints.txt '.[dev-server]'",
    ),
]
THREAD = "11111111-1111-4111-8111-111111111111"
SETTINGS = {"dependencies": ["."], "graphs": {"drill": "fathom.graphs.factories:drill"}}
QUIET = {"LANGSMITH_TRACING": "false", "LANGGRAPH_CLI_NO_ANALYTICS": "1"}
"""Nothing is told to anybody, and no key is needed."""
MEMORY = Path(".langgraph_api", ".langgraph_ops.pckl")
"""Threads and runs as the server keeps them; written every ten seconds."""
PATIENCE_S = 60.0
SIZE: dict[str, Any] = {"n": 4, "max_depth": 3, "threshold": 0.001, "as_of": "2026-11-20"}
CHATS = ("chat", "structured")
PROBE = 6
"""Calls of one probe, at most, where nothing fails."""


@asynccontextmanager
async def world() -> AsyncIterator[RunningWorld]:
    running = await start(WorldSpec(), Timing(latency_s=0.005, jitter_s=0.01))
    try:
        yield running
    finally:
        await running.aclose()


def chats(served: RunningWorld) -> list[Served]:
    return [record for record in served.log if record.kind in CHATS]


def kept(journal: Path) -> list[Event]:
    return [event for event, _, _ in events_with_places(journal)]


def calls_kept(journal: Path) -> int:
    """Calls of all that the journal holds as finished, each once, though it were there twice."""
    opened = [event for event in kept(journal) if isinstance(event, Opened)]
    judged = {
        event.probe.id: event.probe for event in kept(journal) if isinstance(event, ProbeJudged)
    }
    return sum(len(event.calls) for event in opened[-1:]) + sum(
        len(probe.calls) for probe in judged.values()
    )


def picture(output: dict[str, Any]) -> str:
    """The lasting part of a result, without the run's name."""
    run = output["run_id"]
    ended = str(lasting(DrillResult.model_validate(output["result"])))
    return ended.replace(run, "RUN").replace(run.rpartition("-")[2], "RUN")


class Server:
    """`langgraph dev` in a folder, and its HTTP API."""

    def __init__(self, folder: Path, served: RunningWorld) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        self.address, self._log = f"http://127.0.0.1:{port}", folder / "server.log"
        words = [
            "dev",
            "--no-browser",
            "--no-reload",
            "--port",
            str(port),
            "--n-jobs-per-worker",
            "1",
        ]
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "langgraph_cli", *words], cwd=folder, stdout=log, stderr=log,
                env={**os.environ, **QUIET, **settings(served)}, start_new_session=True,
            )  # fmt: skip

    @property
    def pid(self) -> int:
        return self._process.pid

    def kill(self) -> None:
        if self._process.poll() is None:
            os.killpg(self._process.pid, signal.SIGKILL)
        self.wait()

    def wait(self) -> None:
        self._process.wait(PATIENCE_S)

    def wait_until(self, done: Callable[[], bool]) -> None:
        deadline = time.monotonic() + PATIENCE_S
        while not done():
            assert self._process.poll() is None, self._log.read_text()
            assert time.monotonic() < deadline, self._log.read_text()
            time.sleep(0.05)

    def is_up(self) -> bool:
        try:
            return self("GET", "/ok") is not None
        except (URLError, OSError):
            return False

    def __call__(self, method: str, path: str, body: Any = None) -> Any:
        """The reply to a request; None where there is no such thing."""
        data = None if body is None else json.dumps(body).encode()
        request = Request(
            self.address + path, data, {"Content-Type": "application/json"}, method=method
        )
        try:
            with urlopen(request, timeout=PATIENCE_S) as reply:
                return json.loads(reply.read())
        except HTTPError as error:
            if error.code != 404:
                raise
            return None


def models(served: RunningWorld) -> dict[str, str]:
    evaluator = f"sim@{served.api_url}:evaluator"
    return {
        "target": f"sim@{served.api_url}:student",
        "evaluator": evaluator,
        "judge": evaluator,
    }


def settings(served: RunningWorld) -> dict[str, str]:
    named = {**models(served), "facts": f"sim@{served.base_url}", "journal": "journals"}
    return {f"FATHOM_{name.upper()}": value for name, value in named.items()}


@contextmanager
def server(folder: Path, served: RunningWorld) -> Iterator[Server]:
    running = Server(folder, served)
    try:
        with ending_with_us(-running.pid):
            running.wait_until(running.is_up)
            yield running
    finally:
        running.kill()


def sit(folder: Path, served: RunningWorld, given: DrillInput, kill_at: int, kept: bool) -> Any:
    """One life of the server, killed when its n-th model call would be answered, not before
    (`kept`) it has written down what it knows; or (0) let be until the thread is done, whose values
    these are. A thread that it does not know is begun with what is `given`."""
    answered = 0

    def kill(record: Served) -> None:
        nonlocal answered
        answered += record.kind in CHATS
        if answered == kill_at:
            running.wait_until(
                lambda: (folder / MEMORY).exists() or not kept
            )  # the world waits with it
            running.kill()

    served.on_served = kill if kill_at else None
    with server(folder, served) as running:
        if running("GET", f"/threads/{THREAD}") is None:
            running("POST", "/threads", {"thread_id": THREAD})
            running(
                "POST", f"/threads/{THREAD}/runs", {"assistant_id": "drill", "input": given}
            )
        if kill_at:
            running.wait()
            return None
        running.wait_until(
            lambda: running("GET", f"/threads/{THREAD}")["status"] in ("idle", "error")
        )
        return running("GET", f"/threads/{THREAD}/state")["values"]


def noted(served: RunningWorld) -> int:
    """Model calls that reached the world, those included that were under way when the server was
    killed."""
    before = -1
    while before != (now := len(chats(served))):
        before = now
        time.sleep(1.0)
    return now


async def alone(served: RunningWorld, given: DrillInput) -> Any:
    """What comes of it where nothing is killed."""
    async with FACTORIES["drill"](
        RunnableConfig(configurable={**models(served), "facts": f"sim@{served.base_url}"})
    ) as graph:
        return await graph.ainvoke(given)


def test_a_drill_goes_on_after_the_server_was_killed(tmp_path: Path) -> None:
    (tmp_path / "langgraph.json").write_text(json.dumps(SETTINGS))
    journal, lost = tmp_path / "journals" / f"{THREAD}.jsonl", list[int]()
    with on_a_thread(world) as served:
        facts = dict.fromkeys(TIERS, (f"sim@{served.base_url}",))
        spec = sim_spec(**models(served), facts=facts, **SIZE)
        given = DrillInput(spec=spec.model_dump(mode="json"), run_id="drill-1")
        for kill_at, kept in (
            (12, False),
            (15, True),
        ):  # first the server forgets the thread, then it knows it
            sit(tmp_path, served, given, kill_at, kept)
            lost.append(noted(served) - calls_kept(journal) - sum(lost))
        values = sit(tmp_path, served, given, 0, kept=True)
        asked = noted(served)
        expected = asyncio.run(alone(served, given))
    assert picture({**given, **values}) == picture({**given, **expected})
    assert asked == calls_kept(journal) + sum(lost), (
        "all that was asked in vain was under way at a kill"
    )
    assert max(lost) <= SIZE["n"] * PROBE
