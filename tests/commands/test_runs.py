"""Runs as their user meets them: what goes to stdout and stderr, how failures read, where settings
come from."""

import json
import os
import socket
from pathlib import Path

import pytest
from aiohttp import web

from fathom.state.result import DrillResult
from fathom.state.spec import DrillSpec
from fathom.tools.models.limiter import RetryLoop

from ..support.command_line import SMALL, STUDENT, Caller, on_a_thread, world
from ..support.model_server import ModelServer, Step, serving
from ..support.screen import active_characters

DRILL = ["drill", "Chemical elements", *SMALL]
KEY = "canary5f3a9c7e21d4"
"""A key without any of the beginnings by which keys are known."""


def unreachable() -> str:
    """A model at a port that nobody listens on."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return f"vllm@http://127.0.0.1:{taken.getsockname()[1]}/v1:m"


def echo(status: int) -> Step:
    """An error that repeats the caller's key, as careless proxies do."""

    async def step(server: ModelServer, request: web.Request) -> web.StreamResponse:
        said = f"cannot accept {request.headers['Authorization']} with status {status}"
        body = {"error": {"message": said, "code": None}, "headers": dict(request.headers)}
        return web.Response(
            text=json.dumps(body), status=status, content_type="application/json"
        )

    return step


def test_the_result_goes_to_stdout_and_nothing_else_when_no_display_is_wanted(
    call: Caller,
) -> None:
    said = call(*DRILL, *STUDENT, "--display", "none")
    assert (said.code, said.err) == (0, "")
    assert "EVD" in said.out
    assert "SIMULATED" in said.out
    assert not active_characters(said.out)
    (run,) = call.runs
    assert sorted(path.name for path in run.iterdir()) == [
        ".lock",
        "events.jsonl",
        "launch.json",
        "log.jsonl",
        "result.json",
        "spec.json",
    ]
    assert (
        DrillSpec.model_validate_json((run / "spec.json").read_bytes()).target == "sim:student"
    )


def test_json_of_one_run_is_its_result(call: Caller) -> None:
    said = call(*DRILL, *STUDENT, "--json", "--display", "none")
    assert (said.code, said.err) == (0, "")
    (run,) = call.runs
    result = DrillResult.model_validate_json(said.out)
    assert result == DrillResult.model_validate_json((run / "result.json").read_bytes())
    assert [row.depth for row in result.depths] == [1, 2]


def test_json_of_several_runs_is_an_array_by_domain_then_target(call: Caller) -> None:
    words = [
        "drill",
        " Uranium",
        "Noble  gases",
        "Uranium",
        "-n",
        "2",
        "--max-depth",
        "1",
        "--json",
    ]
    targets = ["--target", "sim:expert", "--target", " sim:novice "]
    said = call(*words, *targets, "--evaluator", "sim:evaluator", "--display", "none")
    assert said.code == 0, said.err
    results = [DrillResult.model_validate(document) for document in json.loads(said.out)]
    pairs = [(result.spec.domain, result.spec.target) for result in results]
    assert pairs == [
        (d, t) for d in ("Uranium", "Noble gases") for t in ("sim:expert", "sim:novice")
    ]
    assert sorted(result.run_id for result in results) == [run.name for run in call.runs]


@pytest.fixture
def without_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """What fails is tried again at once."""
    monkeypatch.setattr(RetryLoop, "_wait_s", lambda self, fault: 0.0)


@pytest.mark.usefixtures("without_waits")
@pytest.mark.parametrize("role", ["target", "evaluator"])
def test_an_unreachable_endpoint(call: Caller, role: str) -> None:
    model = unreachable()
    names = {"target": "sim:student", "evaluator": "sim:evaluator"} | {role: model}
    words = [word for name, value in names.items() for word in (f"--{name}", value)]
    said = call(*DRILL, *words, "--facts", "sim", "--display", "none")
    assert (said.code, said.out) == (1, "")
    assert said.err.count("\n") == 1, said.err
    assert said.err.startswith(f"Error: {model}")
    kept = [f"saved in {Path('runs') / run.name}." for run in call.runs]
    assert len(kept) == 1
    for part in ("cannot be reached", "Start it with `vllm serve MODEL`", *kept):
        assert part in said.err


@pytest.mark.parametrize("role", ["target", "evaluator"])
def test_a_wrong_key_is_tried_no_more_than_once_per_probe(
    call: Caller, monkeypatch: pytest.MonkeyPatch, role: str
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    models = {"target": "sim:student", "evaluator": "sim:evaluator"}
    with on_a_thread(lambda: serving(*[echo(401)] * 9)) as server:
        models[role] = f"openai@{server.base_url}:student key=OPENAI_API_KEY"
        words = [word for name, value in models.items() for word in (f"--{name}", value)]
        said = call(*DRILL, *words, "--facts", "sim", "--display", "none")
        assert 1 <= len(server.headers) <= 3
    assert (said.code, said.out) == (1, "")
    assert said.err.count("\n") == 1, said.err
    for part in ("answered 401", "read from OPENAI_API_KEY"):
        assert part in said.err


def test_a_model_that_does_not_exist(call: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    with on_a_thread(world) as running:
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        target = f"openai@{running.api_url}:no-such-model"
        said = call(
            *DRILL, "--target", target, "--evaluator", "sim:evaluator", "--display", "none"
        )
        assert 1 <= running.served <= 3
    assert (said.code, said.out) == (1, "")
    assert said.err.count("\n") == 1, said.err
    assert "answered 404" in said.err
    assert "has no model 'no-such-model'" in said.err


@pytest.mark.usefixtures("without_waits")
def test_of_several_runs_the_worst_code_counts_and_the_others_results_are_kept(
    call: Caller,
) -> None:
    model = unreachable()
    said = call(*DRILL, "--target", model, *STUDENT, "--json", "--display", "none")
    assert said.code == 1
    failed, complete = json.loads(said.out)
    assert (failed["spec"]["target"], failed["status"]) == (model, "failed")
    assert "cannot be reached" in failed["error"]
    assert DrillResult.model_validate(complete).status == "complete"
    assert [(run / "result.json").exists() for run in call.runs].count(True) == 1
    assert said.err.count("\n") == 1, said.err


def test_a_key_is_found_in_no_output_and_in_no_file(
    call: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    # a fault that is tried again, one that spoils the probe, one that ends the run
    with on_a_thread(lambda: serving(echo(500), echo(400), echo(401))) as server:
        target = f"openai@{server.base_url}:m key=OPENAI_API_KEY"
        said = call(
            *DRILL,
            "--target",
            target,
            "--evaluator",
            "sim:evaluator",
            "--display",
            "lines",
            "--json",
        )
        sent = {headers["Authorization"] for headers in server.headers}
    assert said.code == 1
    assert sent == {f"Bearer {KEY}"}
    (run,) = call.runs
    files = {path.name: path.read_bytes().decode(errors="replace") for path in run.iterdir()}
    assert "[key] with status 401" in said.err
    assert "[key] with status 401" in files["events.jsonl"]
    assert KEY not in said.out + said.err + "".join(files.values())


def test_settings_come_from_the_nearest_file_upward_and_the_environment_wins(
    call: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    below = call.folder / "a" / "b"
    below.mkdir(parents=True)
    elsewhere = call.folder / "elsewhere"
    (call.folder / ".env").write_text("OPENAI_API_KEY=from-the-top\n")
    (call.folder / "a" / ".env").write_text(
        f"OPENAI_API_KEY=from-the-file\nFATHOM_RUNS={elsewhere}\n"
    )
    monkeypatch.chdir(below)
    with on_a_thread(lambda: serving(echo(401))) as server:
        target = f"openai@{server.base_url}:m key=OPENAI_API_KEY"
        # one question and no check: nothing else of the evaluator's is under way when the target is
        # refused
        alone = ["-n", "1", "--no-verify-questions"]
        words = [
            *DRILL,
            *alone,
            "--target",
            target,
            "--evaluator",
            "sim:evaluator",
            "--display",
            "none",
        ]
        assert call(*words).code == 1
        assert {headers["Authorization"] for headers in server.headers} == {
            "Bearer from-the-file"
        }
        server.headers.clear()
        monkeypatch.setenv("OPENAI_API_KEY", "from-the-process")
        assert call(*words).code == 1
        assert {headers["Authorization"] for headers in server.headers} == {
            "Bearer from-the-process"
        }
    assert len(list(elsewhere.iterdir())) == 2
    assert list(below.iterdir()) == []
    assert os.environ.get("FATHOM_RUNS") is None, "a settings file is read, never exported"
    assert call("list").out.count("failed") == 2
    assert call("list", "--runs", "empty").out == "", "the flag wins"


def test_what_an_endpoint_says_cannot_move_the_cursor(
    call: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def step(server: ModelServer, request: web.Request) -> web.StreamResponse:
        return web.json_response(
            {"error": {"message": "clear\x1b[2J the\rscreen [bold]now[/bold]"}}, status=403
        )

    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with on_a_thread(lambda: serving(step)) as server:
        said = call(
            *DRILL, "--target", f"openai@{server.base_url}:m", "--evaluator", "sim:evaluator"
        )
    assert said.code == 1
    assert not active_characters(said.err)
    assert "[bold]now[/bold]" in said.err
