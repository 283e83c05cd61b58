"""`fathom ask` as a person uses it: own questions, of which some references are wrong and some
missing, in the simulated world."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from ..support.command_line import Caller, assert_refused
from ..support.paths import EXAMPLES

FILE = str(EXAMPLES / "own_questions.csv")
WRONG = {4, 6, 9, 17, 19}
"""Questions of the example whose reference is wrong; 4 and 6 have no passage."""
EXPERT = ["-t", "sim:expert", "-e", "sim:evaluator", "--display", "none"]


@pytest.fixture
def call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Caller:
    return Caller(tmp_path, monkeypatch, capsys)


def asked(call: Caller, *words: str) -> Any:
    said = call("ask", *words, "--json")
    assert said.code == 0, said.err
    return json.loads(said.out)


def lacking(call: Caller, *places: int) -> str:
    """The first eight questions, some of them without answer and passage."""
    with open(FILE, encoding="utf-8", newline="") as file:
        rows = [*csv.DictReader(file)][:8]
    for place in places:
        rows[place - 1] |= {"answer": "", "passage": ""}
    with (call.folder / "q.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, [*rows[0]])
        writer.writeheader()
        writer.writerows(rows)
    return "q.csv"


def test_wrong_references_are_flagged_and_others_are_not(call: Caller) -> None:
    result = asked(call, FILE, *EXPERT)
    assert {flag["question"] for flag in result["flags"]} == WRONG
    assert result["flags"][0]["reference"] == "7440-24-6", "it stays as it is"
    said = call("show", "last").out
    assert "Look at these references" in said
    assert "accuracy 88%" in said


def test_two_models_are_paired_by_question_and_agree_against_a_reference(call: Caller) -> None:
    document = asked(call, FILE, *EXPERT, "-t", "sim:student")
    (pair,) = document["pairs"]
    assert (pair["one"], pair["other"], round(40 * pair["difference"])) == (
        *("sim:expert", "sim:student"),
        7,
    )
    said = call("show", document["runs"][0]["run_id"], document["runs"][1]["run_id"])
    assert "all models agree on another answer" in call("report", "last", "-o", "-").out, said


def test_missing_answers_are_written_to_be_checked_and_nothing_is_asked(call: Caller) -> None:
    file = lacking(call, 2, 4, 7)
    assert_refused(call, ["ask", file, *EXPERT], "3 of 8 questions have no answer")
    said = call("ask", file, *EXPERT, "--answered", "new.csv")
    assert said.code == 0
    assert "3 of 3 missing answers" in said.err
    assert not call.runs
    with (call.folder / "new.csv").open(encoding="utf-8", newline="") as written:
        rows = [*csv.DictReader(written)]
    assert [rows[place - 1]["answer"] for place in (2, 4, 7)] == ["solid", "7440-50-8", "79"]
    assert all(rows[place - 1]["quote"] in rows[place - 1]["passage"] for place in (2, 4, 7))
    result = asked(call, "new.csv", *EXPERT)
    assert len(result["answers"]) == 8
    assert_refused(call, ["ask", file, *EXPERT, "--answered", "new.csv"], "exists already")


def test_answers_are_accepted_beforehand(call: Caller) -> None:
    file = lacking(call, 2, 4, 7)
    accepted = asked(call, file, *EXPERT, "--accept-answers", "--max-calls", "40")
    assert len(accepted["answers"]) == 8


@pytest.mark.usefixtures("no_connection")
def test_all_is_checked_before_anything_is_looked_up(call: Caller) -> None:
    look_up = ["ask", lacking(call, 2), *EXPERT, "--accept-answers"]
    assert_refused(call, [*look_up, "-t", "sim:nobody"], "nobody")
    assert_refused(call, [*look_up, "--seed", "1" + "0" * 24], "--seed cannot be")
    assert_refused(call, [*look_up, "-t", "openai:gpt-5"], "openai:gpt-5 needs a key")


def test_what_cannot_be_asked_is_refused_in_one_sentence(call: Caller) -> None:
    file = call.folder / "q.csv"
    file.write_text("question,answer\nWhy?,so\nWHY?,thus\n")
    assert_refused(call, ["ask", "q.csv", *EXPERT], "ask the same")
    file.write_text("question,answer,level\nWhy?,so,hard\n")
    assert_refused(call, ["ask", "q.csv", *EXPERT], "level")
    file.write_text("prompt,answer\nWhy?,so\n")
    assert_refused(call, ["ask", "q.csv", *EXPERT], "--columns question=COLUMN")
    file.write_text("question,answer\nWhy?,so\n")
    assert_refused(call, ["ask", "q.csv", "-t", "sim:expert"], "--evaluator is missing")
    file.write_text("question,answer\nWhy?,\n")
    assert_refused(call, ["ask", "q.csv", "-t", "sim:expert"], "--evaluator is missing")


def test_why_nothing_could_be_looked_up_is_said(call: Caller) -> None:
    words = ["ask", lacking(call, 2, 4), *EXPERT, "--max-calls", "1"]
    said = call(*words, "--answered", "new.csv")
    assert said.code == 1
    assert "0 of 2 missing answers" in said.err
    assert "Budget reached" in said.err
    said = call("ask", nothing_answered(call), *EXPERT, "--max-calls", "1", "--accept-answers")
    assert said.code == 1
    assert "The sources answer no question" in said.err


def nothing_answered(call: Caller) -> str:
    (call.folder / "open.csv").write_text("question,answer\nWhy?,\n")
    return "open.csv"
