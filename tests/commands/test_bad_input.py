"""Slips and odd numbers: exit 2 and one sentence, before anything is asked or written; no folder is
left behind."""

import asyncio
import os
from pathlib import Path

import pytest

from fathom.graphs.embed.methods import graph_of
from fathom.graphs.run.checks import checked
from fathom.state.errors import RunFailed, UsageError
from fathom.state.spec import DrillSpec
from fathom.tools.files.concepts import read_concepts
from fathom.tools.files.text import read_data

from ..support.command_line import SMALL, STUDENT, Caller, assert_refused
from ..support.drill.drills import sim_spec

DIGITS = "9" * 5000
DRILL = ["drill", "Chemical elements", *SMALL, *STUDENT]
DIGITS = "9" * 5000
ELSEWHERE = [
    "drill",
    "Art",
    "-t",
    "vllm@http://127.0.0.1:9/v1:m",
    "-e",
    "vllm@http://127.0.0.1:9/v1:m",
    "--display",
    "none",
]

pytestmark = pytest.mark.usefixtures("no_connection")


@pytest.fixture
def call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Caller:
    (tmp_path / "rows.csv").write_text("a,b\n1,2\n")
    (tmp_path / "scalar.json").write_text("5")
    (tmp_path / "folder").mkdir()
    return Caller(tmp_path, monkeypatch, capsys)


SETTINGS = [
    *(
        ("FATHOM_FACT_CONNECTIONS", text, "must be a whole number of at least 1")
        for text in (DIGITS, "0", "-1", "abc")
    ),
    ("FATHOM_RUNS", "a\x1b[2Jb", "it holds control characters"),
    ("FATHOM_RUNS", "rows.csv", "The run folder rows.csv/"),
    ("FATHOM_CACHE", "rows.csv", "set FATHOM_CACHE to another file"),
]


@pytest.mark.parametrize(("name", "value", "part"), SETTINGS)
def test_settings(
    call: Caller, monkeypatch: pytest.MonkeyPatch, name: str, value: str, part: str
) -> None:
    monkeypatch.setenv("TAVILY_API_KEY", "tvly-no-key")
    monkeypatch.setenv(name, value)
    assert_refused(
        call, [*DRILL, "--facts", "COMMON=sim,PROFESSIONAL=tavily", "--display", "none"], part
    )


@pytest.mark.parametrize("number", ["inf", "nan", "1e400", "0", "-1", "86401"])
@pytest.mark.parametrize("words", [DRILL, ["resume", "last"]])
def test_a_time_limit_that_is_none(call: Caller, words: list[str], number: str) -> None:
    before = sorted(call.folder.rglob("*"))
    said = call(*words, "--timeout", number)
    assert (said.code, said.out) == (2, "")
    assert "--timeout" in said.err.splitlines()[-1]
    assert sorted(call.folder.rglob("*")) == before


def test_a_pipe_to_which_somebody_writes_is_read(tmp_path: Path) -> None:
    reader, writer = os.pipe()
    os.write(writer, b"Iron\nGold\n")
    os.close(writer)
    assert read_data(Path(f"/dev/fd/{reader}"), "concepts").text == "Iron\nGold\n"
    os.close(reader)


def test_a_folder_of_runs_that_is_closed_to_us(
    call: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    def closed(path: Path) -> None:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "iterdir", closed)
    said = call("list", "--runs", "folder")
    assert (said.code, said.out) == (2, "")
    assert "The folder of the runs folder cannot be read (Permission denied)" in said.err


def test_what_is_refused_takes_away_only_what_it_has_made(call: Caller) -> None:
    (call.folder / "runs" / "kept").mkdir(parents=True)
    assert_refused(call, [*ELSEWHERE, "--facts", "folder:gone"], "There is no folder")


@pytest.mark.parametrize("there", [["spec.json"], ["spec.json", "log.jsonl"], ["events.jsonl"]])
def test_a_run_killed_before_it_was_told_of_its_launch(call: Caller, there: list[str]) -> None:
    run = call.folder / "runs" / "20260101T000000-drill-art-sim-student-0123abcd"
    run.mkdir(parents=True)
    (run / ".lock").touch()
    for name in there:
        (run / name).touch()
    assert_refused(
        call,
        ["resume", "last"],
        "was cut off before it began",
        "nothing was asked",
        "start it again",
    )


def test_a_refusal_is_a_value_error_and_a_failure_a_runtime_error_that_nobody_swallows(
    tmp_path: Path,
) -> None:
    assert issubclass(UsageError, ValueError)
    assert issubclass(RunFailed, RuntimeError)
    (tmp_path / "scalar.json").write_text("5")
    with pytest.raises(UsageError, match=r"^The file .* must hold"):
        read_concepts(tmp_path / "scalar.json")
    with pytest.raises(UsageError, match=r"^DOMAIN cannot be 'aaa"):
        checked(DrillSpec, sim_spec().model_dump() | {"domain": "a" * 201})
    with pytest.raises(UsageError, match=r"^(There is no|The file|No file)"):
        asyncio.run(graph_of(tmp_path / "gone.json"))
