"""The suite talks to this machine only, and every property test is reproducible."""

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
