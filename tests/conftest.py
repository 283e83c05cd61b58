"""The suite talks to this machine only, and every property test is reproducible."""

import socket
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import settings

settings.register_profile("suite", deadline=None, derandomize=True, max_examples=50)
settings.load_profile("suite")

LOOPBACK = ["127.0.0.1", "::1", "localhost"]


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
