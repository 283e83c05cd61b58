"""The service for tests: in this process, or as a program that can be killed."""

import http.client
import json
import os
import signal
import subprocess
import time
import urllib.request
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from aiohttp.test_utils import TestClient, TestServer

from fathom.commands.serve import cells_in
from fathom.service.app import application
from fathom.service.guard import LOOPBACK, Guard
from fathom.service.studies import Studies
from fathom.service.trust import LIMITS, Allowed

from .command_line import on_a_thread
from .programs import PIPE, Programs
from .programs import Program as Process

TOKEN = "a-token-of-the-tests"
BEARER = {"Authorization": f"Bearer {TOKEN}"}
STUDY: dict[str, Any] = {
    "method": "drill",
    "domains": ["Chemical elements"],
    "target": ["sim:student"],
    "evaluator": "sim:evaluator",
    "facts": "sim",
    "probes": 3,
    "max_depth": 2,
}
Client = TestClient[Any, Any]


def settings(runs: Path, **more: Any) -> Studies:
    """Those of a service that offers the simulated world."""
    allowed = Allowed(("wikipedia", "sim", "sim:*"), {"FATHOM_MODEL_RAG": "sim:student"}, runs)

    free = dict.fromkeys(LIMITS)
    return Studies(
        **{"each": free, "daily": free, **more},
        runs=runs,
        allowed=allowed,
        read_cells=cells_in(runs, None),
    )


@asynccontextmanager
async def serving(runs: Path, **more: Any) -> AsyncIterator[Client]:
    """A client of a service in this process, with the token."""
    app = application(settings(runs, **more), Guard(TOKEN, LOOPBACK))
    async with TestClient(TestServer(app), headers=BEARER) as client:
        yield client


@dataclass
class Door:
    """Where a service answers whoever has the token."""

    url: str
    token: str

    def ask(self, path: str, data: Any = None, method: str | None = None) -> Any:
        """The JSON of an answer."""
        with urllib.request.urlopen(self.request(path, data, method)) as answer:
            return json.load(answer)

    def request(
        self, path: str, data: Any = None, method: str | None = None, **headers: str
    ) -> urllib.request.Request:
        body = None if data is None else json.dumps(data).encode()
        own = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        return urllib.request.Request(
            self.url + path, data=body, method=method, headers={**own, **headers}
        )

    def lines(self, path: str, after: str = "") -> Iterator[tuple[str, bytes]]:
        """Id and data of each event, until the stream ends or breaks."""
        name, headers = "", {"Last-Event-ID": after} if after else {}
        try:
            with urllib.request.urlopen(self.request(path, **headers), timeout=90) as answer:
                for line in answer:
                    key, _, value = line.rstrip(b"\r\n").partition(b": ")
                    if key == b"event":
                        return
                    if key == b"id":
                        name = value.decode()
                    if key == b"data":
                        yield name, value + b"\n"
        except (OSError, http.client.HTTPException):  # it was killed
            return


@contextmanager
def beside(runs: Path) -> Iterator[Door]:
    """A service in this process, on a thread beside it."""
    with on_a_thread(lambda: serving(runs)) as client:
        yield Door(str(client.make_url("")).rstrip("/"), TOKEN)


@dataclass
class Program(Door):
    """`fathom serve` in a process of its own."""

    process: "Process | subprocess.Popen[str]"

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()


SERVE = ("serve", "--allow", "sim", "--allow", "sim:*", "--port", "0")


def started(process: "Process | subprocess.Popen[str]", runs: Path) -> Program:
    """The program, once it says where it serves."""
    assert process.stderr is not None
    while "served at" not in (line := process.stderr.readline()):
        assert line, "the service did not start"
    url = line.partition("http")[1] + line.partition("http")[2].split(". ")[0]
    return Program(url, (runs.absolute() / ".token").read_text().strip(), process)


@contextmanager
def program(programs: Programs, runs: Path) -> Iterator[Program]:
    """The program, which offers the simulated world."""
    with programs.start(*SERVE, "--runs", str(runs), stderr=PIPE, env=os.environ) as process:
        yield started(process, runs)
        process.send_signal(signal.SIGINT)
        process.wait()


def children(pid: int) -> list[int]:
    """The processes that this one has started."""
    listed = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [int(child) for child in listed]


def until(true: Any, seconds: float = 60.0) -> Any:
    """What is true at last."""
    end = time.monotonic() + seconds
    while not (value := true()):
        assert time.monotonic() < end
        time.sleep(0.05)
    return value
