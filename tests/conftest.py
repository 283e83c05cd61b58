"""The suite talks to this machine only, and every property test is reproducible."""

import gc
import socket
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import httpx
import pytest
import typer.main
from hypothesis import settings
from xdist.scheduler import LoadGroupScheduling  # type: ignore[import-untyped]

from .support.programs import Programs, serving

settings.register_profile("suite", deadline=None, derandomize=True, max_examples=50)
settings.load_profile("suite")

gc.disable()  # until all is imported: nothing of that is garbage
_once = pytest.MonkeyPatch()
# wikipediaapi makes a transport that nobody uses, and each would read all certificates anew
_once.setattr("httpx._transports.default.create_ssl_context", cache(httpx.create_ssl_context))
# a program makes its commands once, and each call of the command line in this process would make them anew
_once.setattr("typer.main.get_command", cache(typer.main.get_command))
LOOPBACK = ["127.0.0.1", "::1", "localhost"]


TESTS = Path(__file__).parent
GROUPED = {path.resolve() for path in TESTS.rglob("test_*.py") if ".xdist_group(" in path.read_text()}


class FileByFile(LoadGroupScheduling):  # type: ignore[misc]  # xdist has no types
    """One worker for all tests of a file that has the mark: xdist 3.8 cannot write it into a test's id since pytest 9.2
    derives that id, and silently goes without."""

    def _split_scope(self, nodeid: str) -> str:
        file = nodeid.partition("::")[0]
        return file if (TESTS.parent / file).resolve() in GROUPED else nodeid


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> FileByFile | None:
    return FileByFile(config, log) if config.getvalue("dist") == "loadgroup" else None


def pytest_collection_finish() -> None:
    gc.enable()
    gc.collect()
    gc.freeze()  # what all tests have imported stays to the end: no need to go through it again and again


def pytest_runtest_setup() -> None:
    from pytest_socket import socket_allow_hosts

    socket_allow_hosts(LOOPBACK, allow_unix_socket=True)


@pytest.fixture(autouse=True)
def _no_settings_from_outside(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Keys, addresses and the cache of whoever runs the suite must not reach a test, nor tests each other."""
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENROUTER_API_KEY", "TAVILY_API_KEY", "FATHOM_RUNS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.delenv("FATHOM_CHECKPOINT", raising=False)
    monkeypatch.setenv("FATHOM_CACHE", str(tmp_path_factory.mktemp("cache") / "cache.sqlite"))


@pytest.fixture
def no_connection(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The program neither reaches for an address nor listens on one: for what is refused before anything is asked."""
    made: list[Any] = []

    def refuse(_: socket.socket, *where: Any) -> None:
        made.append(where)
        raise ConnectionRefusedError

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket.socket, "listen", refuse)
    yield
    assert made == []


@pytest.fixture(scope="session")
def programs() -> Iterator[Programs]:
    """Starts the program in processes of its own, of one process that has imported it."""
    with serving() as running:
        yield running
