"""`--offline` from the command line: a drill on this machine alone, and refusals before any socket
is opened."""

import socket
from collections.abc import Callable
from typing import Any

import pytest

from fathom.state.result import DrillResult
from fathom.state.spec import DrillSpec
from fathom.state.tiers import TIERS, Tier

from ...support.command_line import STUDENT, Caller
from ...support.drill.drills import TODAY
from ...support.world_library import check_verdicts, world_folder

CANARY = "canary5f3a9c7e21d4"
DRILL = [
    "drill",
    "Chemical elements",
    "-n",
    "4",
    "-q",
    "1",
    "--as-of",
    TODAY.isoformat(),
    "--display",
    "none",
]
LOOPBACK = ("127.0.0.1", "::1", "localhost")
INTERNET = (socket.AF_INET, socket.AF_INET6)
Sockets = list[tuple[str, Any]]


@pytest.fixture
def sockets(monkeypatch: pytest.MonkeyPatch) -> Sockets:
    """What the program does with the network: sockets it makes, addresses it connects to, names it
    asks for."""
    seen: Sockets = []

    def noting(
        kind: str, inner: Callable[..., Any], pick: Callable[..., Any]
    ) -> Callable[..., Any]:
        def noted(*args: Any, **more: Any) -> Any:
            if (what := pick(*args, **more)) is not None:
                seen.append((kind, what))
            return inner(*args, **more)

        return noted

    made, connect, ask = socket.socket.__init__, socket.socket.connect, socket.getaddrinfo
    monkeypatch.setattr(socket.socket, "__init__", noting("made", made, _internet))
    monkeypatch.setattr(
        socket.socket, "connect", noting("connected", connect, lambda _, to: _host(to))
    )
    monkeypatch.setattr(
        socket, "getaddrinfo", noting("asked for", ask, lambda host, *_, **__: host)
    )
    return seen


def _internet(_: socket.socket, family: int = -1, *args: Any, **more: Any) -> object:
    return (
        family if family in INTERNET else None
    )  # the event loop wakes itself through a pair of others


def _host(address: Any) -> object:
    return address[0] if isinstance(address, tuple) else None


def test_a_simulated_drill_on_a_folder_stays_on_this_machine(
    call: Caller, sockets: Sockets
) -> None:
    world_folder(call.folder / "library", (Tier.COMMON,))
    said = call(
        *DRILL, *STUDENT, "--facts", "folder:library", "--max-depth", "2", "--offline", "--json"
    )
    assert said.code == 0, said.err
    result = DrillResult.model_validate_json(said.out)
    assert [row.tier for row in result.depths] == list(TIERS[:2])
    check_verdicts(result, 0, "student")
    reached = {what for kind, what in sockets if kind != "made"}
    assert reached
    assert reached <= set(LOOPBACK)


@pytest.mark.parametrize(
    ("words", "env", "parts"),
    [
        (["--facts", "wikipedia"], {}, ["the source wikipedia", ".wikipedia.org"]),
        (
            ["--facts", "sim,PROFESSIONAL=tavily"],
            {"TAVILY_API_KEY": CANARY},
            ["asked at api.tavily.com"],
        ),
        (
            ["--judge", "openai:gpt-5"],
            {"OPENAI_API_KEY": CANARY},
            ["openai:gpt-5", "https://api.openai.com/v1"],
        ),
        (
            ["-t", "ollama:llama3"],
            {"OLLAMA_BASE_URL": "http://gpu.example:1"},
            ["gpu.example", "OLLAMA_BASE_URL"],
        ),
        (
            [],
            {"LANGSMITH_TRACING": "true", "LANGSMITH_API_KEY": CANARY},
            ["api.smith.langchain.com"],
        ),
    ],
)
def test_what_is_elsewhere_is_refused_before_any_socket_is_opened(
    call: Caller,
    sockets: Sockets,
    monkeypatch: pytest.MonkeyPatch,
    words: list[str],
    env: dict[str, str],
    parts: list[str],
) -> None:
    for name, value in env.items():
        monkeypatch.setenv(name, value)
    said = call(*DRILL, *STUDENT, *words, "--offline")
    assert (said.code, said.out, said.err.count("\n")) == (2, "", 1), said.err
    assert said.err.startswith("Error: ")
    for part in parts:
        assert part in said.err
    assert CANARY not in said.err
    assert sockets == []
    assert not call.runs


def test_a_file_of_settings_can_be_elsewhere_too(call: Caller, sockets: Sockets) -> None:
    (call.folder / ".env").write_text(
        f"OPENAI_API_KEY={CANARY}\nOPENAI_BASE_URL=https://proxy.example/v1\n"
    )
    said = call(*DRILL, *STUDENT, "--judge", "openai:gpt-5", "--offline")
    assert (said.code, said.err.count("\n")) == (2, 1)
    assert "asked at https://proxy.example/v1" in said.err
    assert CANARY not in said.err
    assert sockets == []


def test_a_run_that_began_offline_goes_on_offline(
    call: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    world_folder(call.folder / "library", (Tier.COMMON,))
    words = [*DRILL, *STUDENT, "--facts", "folder:library", "--max-depth", "2"]
    assert call(*words, "--offline", "--max-calls", "30").code == 3
    (run,) = call.runs
    spec = DrillSpec.model_validate_json((run / "spec.json").read_bytes())
    moved = spec.model_copy(update={"facts": spec.facts | {Tier.TEXTBOOK: ("wikipedia",)}})
    (run / "spec.json").write_text(moved.model_dump_json())
    refused = call("resume", run.name, "--max-calls", "500", "--force")
    assert refused.code == 2
    assert "--offline refuses the source wikipedia" in refused.err
    (run / "spec.json").write_text(spec.model_dump_json())
    monkeypatch.setenv("LANGSMITH_TRACING", "true")
    assert "LangSmith" in call("resume", run.name, "--max-calls", "500").err
    monkeypatch.delenv("LANGSMITH_TRACING")
    assert call("resume", run.name, "--max-calls", "500").code == 0


def test_a_replay_to_a_model_elsewhere_is_refused(
    call: Caller, sockets: Sockets, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert call(*DRILL, *STUDENT, "--max-depth", "1").code == 0
    monkeypatch.setenv("OPENAI_API_KEY", CANARY)
    sockets.clear()
    said = call("replay", "last", "-t", "openai:gpt-5", "--offline", "--display", "none")
    assert (said.code, said.err.count("\n")) == (2, 1)
    assert "--offline refuses openai:gpt-5" in said.err
    assert sockets == []
