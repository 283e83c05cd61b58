"""Slips and odd numbers: exit 2 and one sentence, before anything is asked or written; no folder is left behind."""

import asyncio
import os
from pathlib import Path

import pytest

from fathom.graphs.embed.handed_over import graph_of
from fathom.graphs.run.launch import Launch, LaunchOptions
from fathom.state.errors import RunFailed, UsageError
from fathom.tools.files.concepts import read_concepts
from fathom.tools.files.text import read_text

from ..support.command_line import SMALL, STUDENT, Caller, refused
from ..support.drill.drills import sim_spec

DRILL = ["drill", "Chemical elements", *SMALL, *STUDENT]
DIGITS = "9" * 5000
HERE = "openai@http://127.0.0.1:9/v1:"
ELSEWHERE = ["drill", "Art", *SMALL, "-t", f"{HERE}m", "-e", f"{HERE}m", "--display", "none"]
EQT = ["eqt", "-t", "sim:student"]
ASK = ["-t", "sim:student", "--judge", "sim:evaluator"]
NO_BUNDLE = "is no bundle of Fathom: `fathom freeze RUN -o FILE` makes one"
CLOSED = "The folder of the runs rows.csv cannot be read (Not a directory): name another with --runs"
NOBODY = "cannot be read (it is a pipe to which nobody writes)"

pytestmark = pytest.mark.usefixtures("no_connection")


@pytest.fixture
def call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Caller:
    (tmp_path / "rows.csv").write_text("a,b\n1,2\n")
    (tmp_path / "scalar.json").write_text("5")
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    return Caller(tmp_path, monkeypatch, capsys)


COMMANDS = [
    # numbers
    ([*DRILL, "--seed", "1" + "0" * 40], "--seed cannot be", "64-bit"),
    ([*DRILL, "-n", "1000000000"], "-n cannot be 1000000000: it must be at most 10000"),
    ([*DRILL, "--max-depth", "1000000000"], "it must be at most 1000"),
    ([*DRILL, "--repeats", "1000000000"], "it must be at most 1000"),
    ([*DRILL, "--threshold", "nan"], "--threshold cannot be nan"),
    ([*DRILL, "--budget", "nan"], "--budget cannot be nan"),
    ([*DRILL, "--budget", "inf"], "--budget cannot be inf"),
    ([*DRILL, "--max-calls", "0"], "--max-calls cannot be 0"),
    ([*DRILL, "--price", "nan/1"], "--price nan/1 is no price"),
    # texts
    (["drill", "a" * 100_000, *SMALL, *STUDENT], "DOMAIN is 100,000 characters long", "at most 200"),
    (["drill", "a\x1b[2Jb", *SMALL, *STUDENT], "DOMAIN cannot be 'a\\x1b[2Jb'"),
    (["plan", "drill", "a\x07", *STUDENT], "DOMAIN cannot be"),
    (["drill", "\u200b..", *SMALL, *STUDENT], "DOMAIN cannot be '\\u200b..': it names no field"),
    ([*DRILL, "-t", f"{HERE}m\x1b[2J"], "because it holds control characters"),
    ([*ELSEWHERE, "--judge", f"{HERE}m\x00"], "because it holds control characters"),
    ([*DRILL, "-e", f"{HERE}{'m' * 100_000}"], "A model's name cannot be 100,0", "characters long"),
    ([*DRILL, "--runs", "a\x1b[2Jb"], "The folder of the runs cannot be 'a\\x1b[2Jb': it holds control characters"),
    (["list", "--runs", "a\x1b[2Jb"], "it holds control characters"),
    ([*DRILL, "--facts", "\x1b"], "Unknown fact source '\\x1b'"),
    # files
    ([*EQT, "--concepts", "pipe"], f"The file pipe {NOBODY}"),
    ([*EQT, "--concepts", "folder"], "folder is a folder, not a file"),
    ([*EQT, "--concepts", "/dev/zero"], "larger than 5 MB"),
    ([*EQT, "--concepts", "scalar.json"], "The file scalar.json holds a number: it must be"),
    (["depthqa", "ask", "pipe", *ASK], f"The file pipe {NOBODY}"),
    (["depthqa", "build", "pipe", "-e", "sim:evaluator"], f"The file pipe {NOBODY}"),
    (["deepquestion", "pipe", *STUDENT], f"The file pipe {NOBODY}"),
    (["deepquestion", "/dev/zero", *STUDENT], "larger than 32 MB"),
    ([*DRILL, "--prompt", "verdict=pipe"], "The prompt file pipe cannot be read: it is a pipe to which nobody writes"),
    ([*DRILL, "--prompt", "verdict=/dev/zero"], "The prompt file /dev/zero is larger than 5 MB"),
    # runs and bundles
    (["replay", "rows.csv"], f"rows.csv {NO_BUNDLE}"),
    (["replay", "/dev/zero"], "No run in runs is called '/dev/zero'"),
    (["replay", "folder"], "No run in runs is called 'folder'"),
    (["replay", "pipe.fathom"], "Bundle not found: pipe.fathom"),
    (["replay", "n" * 5000], "No run in runs is called 'nnn", "…"),
    (["show", "n" * 5000], "No run in runs is called 'nnn", "…"),
    (["resume", "rows.csv"], "No run in runs is called 'rows.csv'"),
    (["freeze", "last", "-o", "x.fathom"], "There is no run in runs"),
    (["profile", "last"], "There is no run in runs"),
    *((words, CLOSED) for words in (["list", "--runs", "rows.csv"], ["show", "last", "--runs", "rows.csv"])),
    *((words, CLOSED) for words in (["resume", "last", "--runs", "rows.csv"], ["replay", "x", "--runs", "rows.csv"])),
    (["freeze", "last", "-o", "x.fathom", "--runs", "rows.csv"], CLOSED),
    # what is found out late, when the folder of the run is there already
    ([*ELSEWHERE, "--facts", "zim:gone.zim"], "gone.zim does not exist"),
    ([*ELSEWHERE, "--facts", "folder:gone"], "There is no folder"),
    ([*ELSEWHERE, "--facts", "folder:folder"], "holds no readable document"),
    ([*ELSEWHERE, "Music", "--facts", "folder:gone", "--runs", "new/deeper"], "There is no folder"),
]


@pytest.mark.parametrize(("words", "parts"), [(words, parts) for words, *parts in COMMANDS])
def test_commands(call: Caller, words: list[str], parts: list[str]) -> None:
    refused(call, words, *parts)


SETTINGS = [
    *(("FATHOM_FACT_CONNECTIONS", text, "must be a whole number of at least 1") for text in (DIGITS, "0", "-1", "abc")),
    *(("FATHOM_TAVILY_DAILY", text, "must be a whole number of at least 1") for text in (DIGITS, "0", "-1", "1e5")),
    ("FATHOM_RUNS", "a\x1b[2Jb", "it holds control characters"),
    ("FATHOM_RUNS", "rows.csv", "The run folder rows.csv/"),
    ("FATHOM_CACHE", "folder", "set FATHOM_CACHE to another file"),
    ("FATHOM_CHECKPOINT", "abc", "write postgresql://USER@HOST/DATABASE"),
]


@pytest.mark.parametrize(("name", "value", "part"), SETTINGS)
def test_settings(call: Caller, monkeypatch: pytest.MonkeyPatch, name: str, value: str, part: str) -> None:
    monkeypatch.setenv("TAVILY_API_KEY", "tvly-no-key")
    monkeypatch.setenv(name, value)
    refused(call, [*DRILL, "--facts", "COMMON=sim,PROFESSIONAL=tavily", "--display", "none"], part)


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
    assert read_text(Path(f"/dev/fd/{reader}"), "concepts") == "Iron\nGold\n"
    os.close(reader)


def test_a_folder_of_runs_that_is_closed_to_us(call: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    def closed(path: Path) -> None:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "iterdir", closed)
    said = call("list", "--runs", "folder")
    assert (said.code, said.out) == (2, "")
    assert "The folder of the runs folder cannot be read (Permission denied)" in said.err


def test_what_is_refused_takes_away_only_what_it_has_made(call: Caller) -> None:
    (call.folder / "runs" / "kept").mkdir(parents=True)
    refused(call, [*ELSEWHERE, "--facts", "folder:gone"], "There is no folder")


@pytest.mark.parametrize("there", [["spec.json"], ["spec.json", "log.jsonl"], ["events.jsonl"]])
def test_a_run_killed_before_it_was_told_of_its_launch(call: Caller, there: list[str]) -> None:
    run = call.folder / "runs" / "20260101T000000-drill-art-sim-student-0123abcd"
    run.mkdir(parents=True)
    (run / ".lock").touch()
    for name in there:
        (run / name).touch()
    refused(call, ["resume", "last"], "was cut off before it began", "nothing was asked", "start it anew")


def test_a_refusal_is_a_value_error_and_a_failure_a_runtime_error_that_nobody_swallows(tmp_path: Path) -> None:
    assert issubclass(UsageError, ValueError)
    assert issubclass(RunFailed, RuntimeError)
    (tmp_path / "scalar.json").write_text("5")
    with pytest.raises(UsageError, match=r"^The file .* holds a number"):
        read_concepts(tmp_path / "scalar.json")
    with pytest.raises(UsageError, match=r"^DOMAIN is 201 characters long"):
        asyncio.run(Launch([sim_spec(domain="a" * 201)], LaunchOptions()).run())
    with pytest.raises(UsageError, match=r"^(There is no|The file|No file)"):
        asyncio.run(graph_of(tmp_path / "gone.json"))
