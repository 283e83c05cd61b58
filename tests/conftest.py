"""The suite talks to this machine only, and every property test is reproducible."""

import os
import sys

# where bytecode is not to be written, each worker and each program would compile all modules and
# their assertions anew
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# ruff: noqa: E402  # what is imported from here on is kept as bytecode
import gc
import re
import shutil
import socket
from collections.abc import Iterator
from functools import cache
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
import pytest
import typer.main
from hypothesis import HealthCheck, settings
from hypothesis.internal.constants_ast import Constants
from xdist.scheduler import LoadGroupScheduling  # type: ignore[import-untyped]

from fathom.tools.garbage import RARELY

from .support import postgres
from .support.programs import Programs, serving

if TYPE_CHECKING:
    from .support.command_line import Caller

# a test fails by what it finds, never by how busy the machine is
settings.register_profile(
    "suite",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    derandomize=True,
    max_examples=25,
)
settings.load_profile("suite")

_ended = count(1)
gc.disable()  # until all is imported: nothing of that is garbage
_once = pytest.MonkeyPatch()
# wikipediaapi makes a transport that nobody uses, and each would read all certificates anew
_once.setattr("httpx._transports.default.create_ssl_context", cache(httpx.create_ssl_context))
# a program makes its commands once, and each call of the command line in this process would make
# them anew
_once.setattr("typer.main.get_command", cache(typer.main.get_command))
# what the program's modules hold as constants is tried as values too: other ones, with whatever is
# imported by then
_once.setattr("hypothesis.internal.conjecture.providers._get_local_constants", Constants)
LOOPBACK = ["127.0.0.1", "::1", "localhost"]
MEMORY = Path("/dev/shm")
# thousands of small files, each written through to the disk and removed again, take longer than the
# tests themselves
if os.access(MEMORY, os.W_OK) and shutil.disk_usage(MEMORY).free > 2**31:
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(MEMORY))

TESTS = Path(__file__).parent
GROUPS = {
    str(path.relative_to(TESTS.parent)): named[1]
    for path in TESTS.rglob("test_*.py")
    if (named := re.search(r'\.xdist_group\(\s*"(\w+)"', path.read_text()))
}


class GroupByGroup(LoadGroupScheduling):  # type: ignore[misc]  # xdist has no types
    """One worker for all tests of the files that have the same mark: xdist 3.8 cannot write it into
    a test's id since pytest 9.2 derives that id, and silently goes without."""

    def _split_scope(self, nodeid: str) -> str:
        return GROUPS.get(nodeid.partition("::")[0], nodeid)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> GroupByGroup | None:
    return GroupByGroup(config, log) if config.getvalue("dist") == "loadgroup" else None


def pytest_collection_finish() -> None:
    gc.enable()
    _keep()
    gc.set_threshold(*RARELY)  # what a run makes is mostly kept until its end


def pytest_runtest_logfinish() -> None:
    if (number := next(_ended)) & (
        number - 1
    ) == 0:  # after 1, 2, 4, 8… tests: ever less is new that stays
        _keep()


def _keep() -> None:
    """What was imported and read by now stays to the end: no need to go through it after each run
    of a test."""
    gc.collect()
    gc.freeze()


def pytest_runtest_setup() -> None:
    from pytest_socket import socket_allow_hosts

    socket_allow_hosts(LOOPBACK, allow_unix_socket=True)


@pytest.fixture(scope="session")
def _caches(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Folders for caches, one per test, made by whoever writes there first."""
    folder = tmp_path_factory.mktemp("caches")
    return (folder / str(number) for number in count())


@pytest.fixture(autouse=True)
def _no_settings_from_outside(monkeypatch: pytest.MonkeyPatch, _caches: Iterator[Path]) -> None:
    """Keys, addresses and the cache of whoever runs the suite must not reach a test, nor tests each
    other."""
    for name in (
        "OPENAI_API_KEY",
        "OPENAI_BASE_URL",
        "OPENROUTER_API_KEY",
        "TAVILY_API_KEY",
        "FATHOM_RUNS",
    ):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("FATHOM_CACHE", str(next(_caches) / "cache.sqlite"))


@pytest.fixture
def no_connection(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The program neither reaches for an address nor listens on one: for what is refused before
    anything is asked."""
    made: list[Any] = []

    def refuse(_: socket.socket, *where: Any) -> None:
        made.append(where)
        raise ConnectionRefusedError

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket.socket, "listen", refuse)
    yield
    assert made == []


@pytest.fixture(scope="session")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Programs]:
    """Starts the program in processes of its own, of one process that has imported it."""
    shared = tmp_path_factory.getbasetemp()
    with serving(shared.parent if "PYTEST_XDIST_WORKER" in os.environ else shared) as running:
        yield running


@pytest.fixture(scope="session")
def server() -> Iterator[postgres.Server]:
    """PostgreSQL, with a database `fathom` for all and new ones for who wants to be alone."""
    with postgres.serving() as running:
        yield running


@pytest.fixture
def call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> "Caller":
    from .support.command_line import Caller  # heavy: the whole command line

    return Caller(tmp_path, monkeypatch, capsys)
