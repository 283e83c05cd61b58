"""`fathom doctor` as people call it: what it finds, what it never shows, and how soon it is
done."""

import json
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from tests.support.command_line import on_a_thread, world
from tests.support.model_server import Step, answer, completion, ok, refuse, serving
from tests.support.zim_archive import build_zim
from typer.testing import CliRunner

from fathom.cli import app
from fathom.sim.server import RunningWorld

CANARY = "sk-canary-5f1d3c2b9a"
CLOSED = "http://127.0.0.1:9"


class Doctor:
    """Calls the command from an empty folder, with an environment of nothing but what a test
    sets."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder = folder
        self.env = {"FATHOM_CACHE": str(folder / "cache" / "cache.sqlite"), "COLUMNS": "120"}
        monkeypatch.chdir(folder)
        monkeypatch.setattr("os.environ", self.env)

    def __call__(self, *words: str) -> tuple[int, str]:
        """(exit code, everything that was written)"""
        result = CliRunner().invoke(app, ["doctor", *words])
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result.exit_code, result.output

    def rows(self, *words: str) -> dict[str, dict[str, Any]]:
        """The findings of `--json`, by subject."""
        result = CliRunner().invoke(app, ["doctor", *words, "--json"])
        return {row["subject"]: row for row in json.loads(result.stdout)}


@pytest.fixture
def doctor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Doctor:
    return Doctor(tmp_path, monkeypatch)


@pytest.fixture
def running() -> Iterator[RunningWorld]:
    with on_a_thread(world) as served:
        yield served


def test_without_words_it_looks_at_the_machine_and_asks_nobody(doctor: Doctor) -> None:
    doctor.env["TAVILY_API_KEY"] = CANARY
    code, said = doctor()
    assert code == 0
    assert [line.partition(":")[0] for line in said.splitlines()[:-1]] == [
        "✓ TAVILY_API_KEY",
        "✓ folder of the runs",
        "✓ cache",
    ]
    assert list(doctor.folder.iterdir()) == []


def test_ollama_that_is_not_running_is_said_how_to_start(doctor: Doctor) -> None:
    code, said = doctor("-t", f"ollama@{CLOSED}/v1:llama3")
    assert code == 1
    assert "Is ollama running? Start it with `ollama serve`" in said


def test_without_call_no_model_is_asked(doctor: Doctor, running: RunningWorld) -> None:
    code, _ = doctor(
        "-t", f"sim@{running.api_url}:student", "--facts", f"sim@{running.search_url}"
    )
    assert code == 0
    assert running.log
    assert all(served.kind != "chat" for served in running.log)


def test_a_closed_network_takes_seconds_and_says_what_was_not_reached(doctor: Doctor) -> None:
    doctor.env |= {"FATHOM_WIKIPEDIA_URL": f"{CLOSED}/api.php", "TAVILY_API_KEY": CANARY}
    started = time.monotonic()
    facts = f"wikipedia,tavily@{CLOSED}"
    code, said = doctor(
        "-t", f"openai@{CLOSED}/v1:m", "-e", f"vllm@{CLOSED}/v1:n", "--facts", facts, "--call"
    )
    assert time.monotonic() - started < 20
    assert code == 1
    for subject in (f"openai@{CLOSED}/v1:m", f"vllm@{CLOSED}/v1:n", *facts.split(",")):
        assert f"✗ {subject}: " in said
    assert "4 to be fixed" in said
    assert CANARY not in said


def echoing(key: str) -> Step:
    return answer(
        json.dumps(completion(f"Your key is {key}") | {"model": f"model-{key}"}).encode()
    )


def test_no_key_is_ever_shown_whatever_the_endpoint_says(doctor: Doctor) -> None:
    doctor.env |= {
        "OPENAI_API_KEY": CANARY,
        "ANTHROPIC_API_KEY": f"'{CANARY}'",
        "GROQ_API_KEY": f"{CANARY} x",
    }
    with on_a_thread(lambda: serving(echoing(CANARY))) as server:
        doctor.env["GROQ_BASE_URL"] = f"{CLOSED}/v1"
        words = (
            "-t",
            f"openai@{server.base_url}:m key=OPENAI_API_KEY",
            "-t",
            "groq:x",
            "-t",
            "anthropic:claude-opus-4",
            "--call",
        )
        code, said = doctor(*words)
        rows = doctor.rows(*words)
        assert server.headers[0]["Authorization"] == f"Bearer {CANARY}"
    assert code == 1
    assert "as model-[key]" in said
    assert CANARY not in said
    assert CANARY not in json.dumps(rows)
    assert rows["ANTHROPIC_API_KEY"]["message"] == "looks wrong: it contains quotation marks"
    assert rows["GROQ_API_KEY"]["message"] == "looks wrong: it contains spaces"
    assert rows["groq:x"]["level"] == rows["anthropic:claude-opus-4"]["level"] == "failure"
    assert rows["OPENAI_API_KEY"]["message"] == "set"


@pytest.mark.parametrize(
    ("value", "fault"),
    [
        ("sk-...", "placeholder"),
        ("<your key>", "placeholder"),
        ("https://x.example", "address"),
        ("abc", "shorter"),
    ],
)
def test_a_key_that_no_model_here_needs_only_warns(
    doctor: Doctor, value: str, fault: str
) -> None:
    doctor.env["TOGETHER_API_KEY"] = value
    code, said = doctor()
    assert code == 0
    assert "! TOGETHER_API_KEY: looks wrong: " in said
    assert fault in said
    assert value not in said


def test_missing_keys_and_packages_are_failures_with_what_to_do(doctor: Doctor) -> None:
    code, said = doctor("-t", "openai:gpt-5", "--facts", "folder:.,tavily")
    assert code == 1
    assert "✗ openai:gpt-5: openai:gpt-5 needs a key: set OPENAI_API_KEY" in said
    assert "✗ tavily: Tavily needs TAVILY_API_KEY" in said
    assert f"✗ folder:{doctor.folder}: It holds no document" in said


def test_sources_of_this_machine_tell_what_they_hold(doctor: Doctor) -> None:
    build_zim(
        doctor.folder / "wiki.zim",
        {"Water": "<p>Water is wet.</p>", "Ice": "<p>Ice is cold.</p>"},
    )
    notes = doctor.folder / "notes" / "deep"
    notes.mkdir(parents=True)
    for name in ("a.md", "b.txt", "c.pdf", "d.exe"):
        (notes / name).write_text("x")
    _, said = doctor("--facts", "zim:wiki.zim,folder:notes")
    assert f"✓ zim:{doctor.folder}/wiki.zim: it can be read" in said
    assert f"✓ folder:{doctor.folder}/notes: 3 documents" in said
    (doctor.folder / "wiki.zim").write_bytes(b"no archive")
    code, said = doctor("--facts", "zim:wiki.zim,folder:nowhere")
    assert code == 1
    assert (
        f"✗ zim:{doctor.folder}/wiki.zim: {doctor.folder}/wiki.zim is no whole ZIM archive"
        in said
    )
    assert f"✗ folder:{doctor.folder}/nowhere: The folder does not exist" in said


def test_a_place_that_cannot_be_written_is_a_failure(doctor: Doctor) -> None:
    (doctor.folder / "taken").write_text("a file")
    code, said = doctor("--runs", "taken/runs")
    assert code == 1
    assert "✗ folder of the runs: " in said
    assert "is a file, not a folder" in said
    (doctor.folder / "cache").mkdir()
    (doctor.folder / "cache" / "cache.sqlite").write_bytes(b"no database at all" * 100)
    assert doctor.rows()["cache"]["level"] == "failure"


def test_a_call_is_put_as_runs_put_theirs(doctor: Doctor) -> None:
    marking = '{"reason": "", "verdict": "asserts"}'
    no_room = refuse(
        400, "max_tokens is too large: 2048. This model supports at most 1024 completion tokens"
    )
    with on_a_thread(lambda: serving(no_room, ok(), ok(marking))) as server:
        model = f"vllm@{server.base_url}:m"
        code, said = doctor("-t", model, "-e", model, "--facts", "sim", "--call")
        bodies = server.bodies
    assert code == 0
    assert "as served-model; " in said
    assert "allows replies of 1024 tokens at most" in said
    assert [body["max_tokens"] for body in bodies] == [2048, 1024, 1024]
    assert all(body["messages"][0]["role"] == "system" for body in bodies)
    assert [body.get("response_format", {}).get("type") for body in bodies] == [
        None,
        None,
        "json_schema",
    ]


def test_a_judge_that_gives_no_object_is_a_problem_before_the_run(doctor: Doctor) -> None:
    with on_a_thread(lambda: serving(ok("It is right."))) as server:
        code, said = doctor(
            "-t", "sim:student", "-e", f"vllm@{server.base_url}:m", "--facts", "sim", "--call"
        )
    assert code == 1
    assert "gave no readable reply, twice" in said


@pytest.mark.parametrize(
    ("status", "mark", "words"),
    [(401, "✗", "did not accept the key: check TAVILY_API_KEY"), (200, "✓", "0 passages")],
)
def test_a_search_source_is_searched_once(
    doctor: Doctor, status: int, mark: str, words: str
) -> None:
    doctor.env["TAVILY_API_KEY"] = CANARY
    (doctor.folder / "water.md").write_text("Water is wet.")
    with on_a_thread(lambda: serving_searches(status)) as (url, searches):
        _, said = doctor("--facts", f"folder:.,tavily@{url}", "--call")
        paid = len(searches)
        assert paid in (1, 2)  # the second where the first brings nothing
        doctor("--facts", f"folder:.,tavily@{url}")
        assert len(searches) == paid
    (line,) = (line for line in said.splitlines() if line.startswith(f"{mark} tavily@{url}"))
    assert words in line


@asynccontextmanager
async def serving_searches(status: int) -> AsyncIterator[tuple[str, list[Any]]]:
    searches: list[Any] = []

    async def search(request: web.Request) -> web.Response:
        searches.append(await request.json())
        return web.json_response(
            {"results": []} if status == 200 else {"detail": {"error": "no"}}, status=status
        )

    application = web.Application()
    application.router.add_post("/search", search)
    runner = web.AppRunner(application)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}", searches
    finally:
        await runner.cleanup()
