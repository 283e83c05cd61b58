"""`fathom doctor` through the program itself: good, bad, and with nobody to be reached; what it says, exit codes."""

import json
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fathom.sim.server import RunningWorld

from ..support.command_line import Caller, Said, on_a_thread, world
from ..support.library_files import STROKE, write
from ..support.screen import active_characters

CLOSED = "http://127.0.0.1:9"


@pytest.fixture
def call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Caller:
    caller = Caller(tmp_path, monkeypatch, capsys)
    monkeypatch.setenv("FATHOM_CACHE", str(tmp_path / "cache" / "cache.sqlite"))
    return caller


@pytest.fixture
def running() -> Iterator[RunningWorld]:
    with on_a_thread(world) as served:
        yield served


def rows(said: Said) -> dict[str, dict[str, Any]]:
    return {row["subject"]: row for row in json.loads(said.out)}


def test_a_set_up_that_can_run(call: Caller, running: RunningWorld) -> None:
    write(call.folder / "notes, old", {"stroke.md": STROKE})
    at = running.api_url
    words = ["-t", f"sim@{at}:student", "-e", "sim:evaluator", "--facts", 'folder:"notes, old",PROFESSIONAL=sim']
    said = call("doctor", *words, "--call", "--offline")
    assert said.code == 0, said.out
    assert "✗" not in said.out
    assert f"✓ folder:{call.folder}/notes, old: 1 document" in said.out
    assert f"✓ call to sim@{at}:student: " in said.out
    assert "✓ call to sim:evaluator: " in said.out
    assert said.err == "All checks passed.\n"
    assert not active_characters(said.out)
    assert sorted(path.name for path in call.folder.iterdir()) == ["notes, old"]  # it leaves nothing behind


def test_what_the_doctor_finds_good_can_be_drilled_and_what_it_finds_bad_cannot(
    call: Caller, running: RunningWorld
) -> None:
    models = ["-t", f"sim@{running.api_url}:student", "-e", f"sim@{running.api_url}:evaluator"]
    for facts, code in ((f"sim@{running.base_url}", 0), ("folder:nowhere", 1), ("zim:none.zim", 1)):
        assert call("doctor", *models, "--facts", facts).code == code
        drilled = call("drill", "Chemical elements", *models, "--facts", facts, "-n", "2", "--max-depth", "1")
        assert (drilled.code == 0) == (code == 0), drilled.err


def test_a_set_up_that_cannot(call: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", '"sk-quoted"')
    write(call.folder, {"empty/picture.png": b"\x89PNG", "broken.zim": b"no archive"})
    facts = "COMMON=folder:empty+zim:broken.zim,TEXTBOOK=folder:nowhere,PROFESSIONAL=tavily"
    said = call("doctor", "-t", "openai:gpt-5", "-e", "groq:x", "--facts", facts, "--offline", "--json")
    assert (said.code, said.err) == (1, "")
    found = rows(said)
    failed = {subject for subject, row in found.items() if row["level"] == "failure"}
    here = call.folder
    assert failed >= {
        "OPENAI_API_KEY", "openai:gpt-5", "groq:x", "tavily",
        f"folder:{here}/empty", f"folder:{here}/nowhere", f"zim:{here}/broken.zim",
    }  # fmt: skip
    assert found["groq:x"]["said"].startswith("--offline refuses groq:x: it is asked at https://api.groq.com")


def test_nobody_to_be_reached(call: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []

    def nobody(host: object, *_: Any, **__: Any) -> Any:
        asked.append(host)
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", nobody)
    monkeypatch.setenv("OPENAI_API_KEY", "canary5f3a9c7e21d4")
    started = time.monotonic()
    said = call(
        "doctor", "-t", "openai:gpt-5", "-e", f"vllm@{CLOSED}/v1:m", "--facts", "wikipedia,PROFESSIONAL=openalex"
    )
    assert time.monotonic() - started < 15
    assert said.code == 1
    for line in ("✗ openai:gpt-5: api.openai.com cannot be reached", "✗ openalex: api.openalex.org cannot be reached"):
        assert line in said.out
    assert "✗ vllm@" in said.out
    assert "✗ wikipedia" in said.out
    assert "4 problems must be fixed before a run." in said.err
    assert "openai:gpt-5: the questions → api.openai.com" in said.out  # what would leave is told all the same
    assert "canary" not in said.out + said.err
    assert asked


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["-t", "gpt-5"], "is not a model"),
        (["-t", "sim:nobody"], "no model 'nobody'"),
        (["--facts", "encarta"], "Unknown fact source 'encarta'"),
        (["--facts", "folder:a,b"], "Quote paths"),
        (["--facts", "tavily"], "No fact source serves COMMON"),
        (["--language", "EN!"], "is not a language code"),
    ],
)
def test_what_cannot_be_looked_at_is_refused_with_2(call: Caller, words: list[str], says: str) -> None:
    said = call("doctor", *words)
    assert (said.code, said.out, said.err.count("\n")) == (2, "", 1)
    assert says in said.err


def test_the_program_offers_it(call: Caller) -> None:
    assert "doctor" in call("--help").out
    assert "--offline" in call("doctor", "--help").out
