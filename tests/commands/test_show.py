"""`fathom show` and `fathom list` as their user calls them: what is on stdout, what on stderr, what
is refused."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from fathom import cli
from fathom.state.errors import RunFailed, UsageError
from fathom.state.result import DrillResult

from ..support.drill.recorded import Plan, result_of
from ..support.screen import active_characters
from ..tools.runs.test_folders import FIRST, SECOND, write_run

HALF = Plan(
    run_id="20261122T120000-drill-half-sim-student-cccc3333",
    domain="Half",
    simulated=False,
    target="x:y\x1b[2J",
)


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    write_run(tmp_path, FIRST)
    write_run(tmp_path, SECOND)
    write_run(tmp_path, HALF, result=False, cut=69, tail='{"type":"probe_ju')
    return tmp_path


def call(runs: Path, *words: str) -> tuple[str, str]:
    """stdout and stderr of a command that ends well."""
    env = {"FATHOM_RUNS": str(runs), "COLUMNS": "100"}
    result = CliRunner().invoke(cli.app, list(words), env=env, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout, result.stderr


def test_show_json_is_the_result(runs: Path) -> None:
    stdout, _ = call(runs, "show", "last", "--json", "--runs", str(runs))
    document = json.loads(call(runs, "show", "aaaa1111", "--json")[0])
    assert DrillResult.model_validate(document) == result_of(FIRST)
    assert document["depths"][0]["pass"] == 1
    assert json.loads(stdout)["status"] == "unfinished"


def test_show_of_an_unfinished_run_says_so(runs: Path) -> None:
    stdout, _ = call(runs, "show", "cccc3333")
    flat = " ".join(stdout.split())
    assert "INTERRUPTED" in flat
    assert "depth 4 · 5 of 5 scored · EVD " in flat
    assert not active_characters(stdout)


def test_json_of_an_unfinished_run_cannot_be_taken_for_a_result(runs: Path) -> None:
    document = json.loads(call(runs, "show", "cccc3333", "--json")[0])
    assert document["status"] == "unfinished"
    assert "evd_ci" not in document
    assert document["spec"]["domain"] == "Half"
    assert [row["depth"] for row in document["depths"]] == list(
        range(1, len(document["depths"]) + 1)
    )
    assert document["finished"]


def test_wrong_answers_are_listed_with_what_was_expected(runs: Path) -> None:
    run = "aaaa1111"
    probes = json.loads(call(runs, "show", run, "--json")[0])["probes"]
    wrong = [p for p in probes if p["outcome"].get("verdict") == "wrong"]
    wrong.sort(key=lambda p: (p["depth"], p["slot"], p["round"]))
    document = json.loads(call(runs, "show", run, "--wrong", "--limit", "1", "--json")[0])
    assert (document["wrong"], document["items"]) == (len(wrong), wrong[:1])
    stdout, _ = call(runs, "show", run, "--wrong", "--limit", "1")
    first, flat = wrong[0], " ".join(stdout.split())
    for text in (
        first["question"]["text"],
        first["question"]["reference"],
        first["outcome"]["reason"],
    ):
        assert " ".join(text.split()) in flat
    assert first["question"]["evidence"]["url"] in flat
    assert f"1 of {len(wrong)} wrong answers" in flat
    assert stdout.count("✗") == 1
    assert not active_characters(stdout)


def test_what_is_wrong_is_refused(runs: Path) -> None:
    for words in (
        ["show", "nothing"],
        ["show", "aaaa"],
        ["show", "last", "--path", "d77.s00.r0"],
    ):
        result = CliRunner().invoke(cli.app, words, env={"FATHOM_RUNS": str(runs)})
        assert isinstance(result.exception, UsageError), words


def test_a_damaged_run_fails(runs: Path) -> None:
    (runs / HALF.run_id / "events.jsonl").write_text("{}\n{}\n")
    result = CliRunner().invoke(cli.app, ["show", "cccc3333"], env={"FATHOM_RUNS": str(runs)})
    assert isinstance(result.exception, RunFailed)
    assert "line 1" in str(result.exception)


@pytest.mark.parametrize("width", [80, 120, 200])
def test_list_has_one_line_per_run(runs: Path, width: int) -> None:
    write_run(
        runs,
        Plan(
            run_id="20261124T120000-drill-x-eeee5555",
            domain="A long name of a domain " * 9,
            target="x:" + "y" * 99,
        ),
    )
    result = CliRunner().invoke(
        cli.app, ["list"], env={"FATHOM_RUNS": str(runs), "COLUMNS": str(width)}
    )
    lines = result.stdout.splitlines()
    assert [line.split()[0] for line in lines[2:]] == [
        "aaaa1111",
        "aaaa2222",
        "cccc3333",
        "eeee5555",
    ]
    assert max(len(line.rstrip()) for line in lines) <= width
    assert ["SIM" in line for line in lines[2:]] == [True, True, False, True], (
        "what was cut is never the warning"
    )


def test_list_json(runs: Path) -> None:
    entries = json.loads(call(runs, "list", "--json")[0])
    assert [entry["id"] for entry in entries] == ["aaaa1111", "aaaa2222", "cccc3333"]
    assert entries[0]["when"] == "2026-11-20T12:00:00+00:00"
    assert "evd" not in entries[2]
    assert json.loads(call(runs, "list", "--limit", "1", "--json")[0]) == entries[-1:]


def test_the_commands_load_no_heavy_library() -> None:
    code = (
        "import sys, fathom.commands.show, fathom.commands.list_runs; print([m for m in {heavy} "
        "if m in sys.modules])"
    )
    heavy = [
        "rich.console",
        "rich.live",
        "numpy",
        "scipy",
        "langgraph",
        "langchain_core",
        "aiohttp",
    ]
    done = subprocess.run(
        [sys.executable, "-c", code.format(heavy=heavy)],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert done.stdout.strip() == "[]"
