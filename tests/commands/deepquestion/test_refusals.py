"""What `fathom deepquestion` refuses before any call, in one sentence, and without a trace."""

import json
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import Any

import pytest
import typer

from fathom.agents.prompts import DEEPQUESTION_PROMPTS
from fathom.commands.deepquestion.command import DEEPQUESTION_PROMPT_NAMES, deepquestion_command
from fathom.state.errors import UsageError

from ...support.command_line import Caller, refused
from ..test_refusals import BEYOND_64_BITS

app = typer.Typer()
app.command()(deepquestion_command)
COMMAND = typer.main.get_command(app)
"""The command alone: to put the whole program together for each of so many refusals would take seconds."""
ROLES = ["-t", "sim:student", "-e", "sim:evaluator"]
ASK = ["b.jsonl", *ROLES]
FROM = ["--from", "texts.jsonl", *ROLES]
PROMPTED = [*ASK, "--prompts", "both.json"]
PROBLEM = {"question": "A cart rolls 12 m in 3 s. How fast is it?", "answer": "4 m/s"}
TEXTS = {"format": "fathom-deepquestion/1", "benchmark": "carts", "id": "p1", **PROBLEM}
pytestmark = pytest.mark.usefixtures("no_connection")


@pytest.fixture
def call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Caller:
    """In a folder with a benchmark, texts with scenarios at two loads and no instruction, prompts, and other files."""
    monkeypatch.setattr("sys.stdin", TextIOWrapper(BytesIO(b"")))
    (tmp_path / "b.jsonl").write_text(json.dumps(PROBLEM) + "\n")
    told = {"none": "In a yard. How fast?", "some": "In a red yard. How fast?"}
    second = TEXTS | {"id": "p2", "question": "What is 2 + 2?", "answer": "4"}
    lines = [TEXTS | {"scenarios": told}, second]
    (tmp_path / "texts.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    (tmp_path / "both.json").write_text(json.dumps({"prompts": {"q2s": "Tell a story.", "q2i": "Instruct."}}))
    (tmp_path / "one.json").write_text(json.dumps({"prompts": {"q2i": "Instruct."}}))
    (tmp_path / "own.txt").write_text("=== user ===\nsay something\n")
    (tmp_path / "there.jsonl").write_text("")
    (tmp_path / "folder").mkdir()
    return Caller(tmp_path, monkeypatch, capsys)


SOURCES = [
    ([*ROLES], "BENCHMARK is missing", "--from FILE"),
    ([*ASK, "--from", "texts.jsonl"], "BENCHMARK and --from both name problems"),
    (["gone.jsonl", *ROLES], "There is no file gone.jsonl"),
    (["-", *ROLES], "<stdin> is empty"),
    (["-", *ROLES, "--prompts", "-"], "BENCHMARK - and --prompts - both read stdin"),
    (["texts.jsonl", *ROLES], "give it with --from"),
    (["--from", "b.jsonl", *ROLES], "b.jsonl", "without --from"),
    (["--from", "gone.jsonl", *ROLES], "There is no file gone.jsonl"),
    ([*ASK, "--limit", "0"], "--limit cannot be 0: it must be at least 1"),
    ([*FROM, "--limit", "-1"], "--limit cannot be -1"),
    ([*ASK, "--question-field", "q"], "no column 'q'", "--question-field"),
    ([*ASK, "--answer-field", "a"], "no column 'a'", "--answer-field"),
    ([*ASK, "--options-field", "o"], "no column 'o'", "--options-field"),
]
MODELS = [
    (["b.jsonl", "-e", "sim:evaluator"], "--target is missing"),
    (["b.jsonl", "-t", "sim:student"], "--evaluator is missing", "never chosen for you"),
    (["--from", "texts.jsonl", "-t", "sim:student"], "--evaluator is missing"),
    ([*ASK[:-1], " "], "--evaluator is missing"),
    ([*ASK, "--generator", ""], "--generator is missing", "leave it to the evaluator"),
    ([*ASK, "--judge", " "], "--judge is missing"),
    ([*ASK, "--judge", "sim:nobody"], "no model 'nobody'"),
    ([*ASK, "--generator", "sim:nobody"], "no model 'nobody'"),
    ([*ASK, "-t", "sim:nobody"], "no model 'nobody'"),
    ([*ASK, "-t", "student"], "'student' is not a model"),
    ([*ASK, "--generator", "openai:gpt-5"], "openai:gpt-5 needs a key"),
    ([*ASK, "--judge", "openai@https://host/v1:m", "--offline"], "--offline refuses", "https://host/v1"),
    ([*ASK, "--language", "de"], "the simulated world speaks English only"),
]
VALUES = [
    ([*ASK, "--kinds", "q2x"], "--kinds 'q2x' does not exist; choose among q2s, q2i"),
    ([*ASK, "--kinds", "q2s,"], "--kinds has an empty name"),
    ([*ASK, "--kinds", "q2s", "--kinds", "Q2S"], "--kinds q2s is named twice"),
    ([*ASK, "--distractors", "few"], "--distractors 'few' does not exist; choose among none, some, many"),
    ([*ASK, "--distractors", "none", "--kinds", "q2i"], "--distractors stand in scenarios", "leave one of them out"),
    ([*ASK, "--threshold", "0"], "--threshold cannot be 0: it must be at least 1"),
    ([*ASK, "--threshold", "11"], "--threshold cannot be 11: it must be at most 10"),
    ([*ASK, "--rounds", "0"], "--rounds cannot be 0: it must be at least 1"),
    ([*ASK, "--rounds", "51"], "--rounds cannot be 51: it must be at most 50"),
    ([*ASK, "--sample", "21"], "--sample cannot be 21: it must be at most 20"),
    ([*ASK, "--baseline", "-1"], "--baseline cannot be -1: it must be at least 0"),
    ([*ASK, "--baseline", "5", "--kinds", "q2s"], "--baseline is about the judge", "leave it out"),
    ([*ASK, "--tolerance", "1"], "--tolerance cannot be 1.0: it must be below 1"),
    ([*ASK, "--tolerance", "nan"], "--tolerance cannot be nan"),
    ([*ASK, "--answer-tokens", "1"], "--answer-tokens cannot be 1"),
    ([*ASK, "--answer-tokens", "9999999"], "--answer-tokens cannot be 9999999: it must be at most"),
    ([*ASK, "--seed", BEYOND_64_BITS], "--seed cannot be", "64-bit"),
    ([*ASK, "--language", "DE"], "--language cannot be 'DE': it must be the code of a language"),
    ([*ASK, "--sim", "speed=1"], "--sim knows no 'speed'"),
    ([*ASK, "--json", "--display", "events"], "both write to stdout"),
    ([*ASK, "--budget", "0"], "--budget cannot be 0"),
    ([*ASK, "--plots", "b.jsonl"], "--plots b.jsonl cannot be a folder"),
    ([*ASK, "--prompt", "scenario=own.txt"], "lacks $"),
    ([*ASK, "--prompt", "answer=own.txt"], "There is no prompt 'answer'"),
]
FILES = [
    ([*ASK, "-o", "there.jsonl"], "--export there.jsonl exists already", "--force"),
    ([*ASK, "-o", "folder"], "--export folder is a folder"),
    ([*ASK, "-o", "no/where.jsonl"], "there is no folder no"),
    ([*ASK, "-o", "texts.json"], "does not end in .jsonl", "as in texts.jsonl"),
    ([*ASK, "-o", "./b.jsonl", "--force"], "b.jsonl is BENCHMARK itself, which is never overwritten"),
    ([*ASK, "--save-prompts", "p.txt"], "does not end in .json or .yaml or .yml", "as in p.json"),
    ([*ASK, "--save-prompts", "one.json"], "--save-prompts one.json exists already"),
    ([*ASK, "--prompts", "one.json", "--save-prompts", "one.json", "--force"], "is the file of --prompts itself"),
    ([*ASK, "--prompts", "b.jsonl"], "b.jsonl"),
    ([*ASK, "--prompts", "one.json", "--kinds", "q2s"], "one.json has a prompt for q2i, and q2s is asked for"),
]
TOGETHER = [
    ([*PROMPTED, "--single-pass"], "--single-pass drafts a prompt, and --prompts gives it"),
    ([*PROMPTED, "--rounds", "3"], "--rounds is about drafting prompts, and --prompts gives them all"),
    ([*PROMPTED, "--save-prompts", "p.json"], "--save-prompts is about drafting"),
    ([*ASK, "--single-pass", "--use-best"], "--use-best cannot go with --single-pass"),
    ([*ASK, "--single-pass", "--threshold", "7"], "--threshold cannot go with --single-pass"),
    ([*ASK, "--single-pass", "--rounds", "2"], "--rounds cannot go with --single-pass"),
    *(
        ([*FROM, *words], f"{words[0]} cannot go with --from", "leave it out")
        for words in (
            ["--generator", "sim:generator"],
            ["--threshold", "8"],
            ["--rounds", "5"],
            ["--single-pass"],
            ["--use-best"],
            ["--sample", "4"],
            ["--language", "en"],
            ["--prompts", "both.json"],
            ["--save-prompts", "p.json"],
            ["--export", "t.jsonl"],
            ["--question-field", "question"],
        )
    ),
    ([*FROM, "--kinds", "q2i"], "--kinds q2i is not in carts", "written for q2s: choose"),
    ([*FROM, "--distractors", "many,some"], "--distractors many is not in carts", "written for none, some"),
    ([*FROM, "--baseline", "3"], "without q2i"),
    ([*FROM, "--limit", "1", "--seed", "1"], "None of the problems that --limit takes has a text"),
]


@pytest.mark.parametrize("table", [SOURCES, MODELS, VALUES, FILES, TOGETHER], ids=["s", "m", "v", "f", "t"])
def test_refused_before_any_call(call: Caller, table: list[tuple[Any, ...]]) -> None:
    before = sorted(call.folder.rglob("*"))
    for words, *parts in table:
        with pytest.raises(UsageError) as refusal:
            COMMAND.main(list(words), standalone_mode=False)
        said = str(refusal.value)
        assert "\n" not in said
        assert said.endswith((".", "?"))
        for part in parts:
            assert part in said, words
    assert sorted(call.folder.rglob("*")) == before


def test_a_refusal_is_one_sentence_and_exit_2(call: Caller) -> None:
    refused(call, ["deepquestion", *ASK, "--threshold", "11"], "--threshold cannot be 11: it must be at most 10")


def test_help_names_every_prompt() -> None:
    assert sorted(DEEPQUESTION_PROMPT_NAMES.split(", ")) == sorted(DEEPQUESTION_PROMPTS)
