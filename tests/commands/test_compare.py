"""`fathom compare` and the end of a launch with several targets: who is ahead, and how sure that
is."""

import json
import re
from itertools import count
from pathlib import Path

import pytest

from ..support.command_line import Caller, assert_refused
from ..support.paths import EXAMPLES

DRILL = [
    "drill",
    "Chemical elements",
    "-e",
    "sim:evaluator",
    "-n",
    "8",
    "--max-depth",
    "3",
    "--display",
    "none",
]
FEW = [*DRILL[:4], "-n", "4", "--max-depth", "2", "--display", "none"]


def targets(*names: str) -> list[str]:
    return [word for name in names for word in ("-t", f"sim:{name}")]


@pytest.fixture(autouse=True)
def _ids_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs that begin in one second are in the order of their ids."""
    ids = count()
    monkeypatch.setattr("secrets.token_hex", lambda size: f"{next(ids):0{2 * size}x}")


def test_drills_are_compared_at_the_end_of_a_launch_and_again(call: Caller) -> None:
    said = call(*DRILL, *targets("novice", "expert"))
    assert "sim:expert is ahead of sim:novice by" in said.out
    again = call("compare", *(run.name for run in call.runs))
    assert again.code == 0
    ranking = again.out[: again.out.index("What was measured")].strip()
    assert ranking in said.out.replace("\n\n\n", "\n\n"), "the rest is for whoever compares"
    found = json.loads(call("compare", *(run.name for run in call.runs), "--json").out)
    assert [model["label"] for model in found["models"]] == ["sim:expert", "sim:novice"]
    assert found["pairs"][0]["p"] < 0.05
    assert found["simulated"] is found["decisive"] is True


def test_several_domains_are_compared_over_those_that_all_models_have(call: Caller) -> None:
    call(*FEW, "Noble gases", *targets("novice", "expert"))
    call(*FEW[:1], "Halogens", *FEW[2:], *targets("expert"))
    runs = [run.name for run in call.runs]
    said = call("compare", *runs).out
    rows = [" ".join(line.split()) for line in said.split("EVD by domain")[1].splitlines()]
    assert any(row.startswith("Halogens") and row.endswith("not run") for row in rows)
    assert "not all models were drilled in them: Halogens" in " ".join(said.split())
    found = json.loads(call("compare", *runs, "--json").out)
    assert sorted(found["domains"]) == ["Chemical elements", "Noble gases"]
    assert [pair["over"] for pair in found["pairs"]] == [2]
    assert len(found["cells"]) == 5
    assert set(found) <= set(json.loads(call("schema", "comparison").out)["properties"])


METHODS = {
    "eqt": ["eqt", "Copper", "Iron", "Gold", "--questions", "2", "--examiner", "sim:evaluator"],
    "depthqa": ["depthqa", "ask", "last", "--judge", "sim:evaluator"],
    "deepquestion": [
        "deepquestion",
        str(EXAMPLES / "deepquestion_chemistry.jsonl"),
        "--limit",
        "6",
        "-e",
        "sim:evaluator",
    ],
}


@pytest.mark.parametrize("method", METHODS)
def test_other_methods_are_compared_question_by_question(method: str, call: Caller) -> None:
    if method == "depthqa":
        call(
            "depthqa",
            "build",
            str(EXAMPLES / "depthqa_elements.csv"),
            "--limit",
            "3",
            "-e",
            "sim:evaluator",
            "--display",
            "none",
        )
    asked = call(*METHODS[method], *targets("novice", "expert"), "--display", "none")
    assert asked.code == 0, asked.err
    runs = [run.name for run in call.runs if "_build-" not in run.name]
    found = json.loads(call("compare", *runs, "--json").out)
    assert found["measure"] == ("score" if method == "depthqa" else "accuracy")
    assert found["models"][0]["label"] == "sim:expert"
    assert found["pairs"][0]["over"] > 5
    assert found["pairs"][0]["difference"] > 0


def test_runs_that_cannot_be_compared_are_refused(call: Caller) -> None:
    call(*FEW, *targets("student"))
    call("eqt", "Copper", "--questions", "1", *targets("student"), "--display", "none")
    one, other = (run.name for run in call.runs)
    alone = call("compare", one)
    assert (alone.code, alone.err.count("\n")) == (2, 1)
    assert "takes two finished runs" in alone.err
    mixed = call("compare", one, other)
    assert mixed.code == 2
    assert "these are of drill, eqt" in mixed.err
    assert call("compare", "nothing").code == 2
    call(*FEW[:1], "Halogens", *FEW[2:], *targets("student"))
    alike = call("compare", *(run.name for run in call.runs if "-drill-" in run.name))
    assert (alike.code, alike.out) == (2, "")
    assert "is of one model" in alike.err


@pytest.mark.parametrize(
    ("again", "what"),
    [
        ([], "the same spec, prompts, sources and names of models"),
        (["--seed", "7"], "seed (42 → 7)"),
        (["--prompt", "answer=answer.txt"], "wording of prompts (answer)"),
    ],
)
def test_two_runs_of_one_model_are_set_against_each_other(
    again: list[str], what: str, call: Caller, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "answer.txt").write_text("=== user ===\nAnswer: $question\n")
    call(*FEW, *targets("student"))
    said = call(*FEW, *targets("student"), *again)
    assert said.code == 0, said.err
    words = " ".join(call("compare", *(run.name for run in call.runs)).out.split())
    assert "cannot be told apart" in words
    assert f": {what}." in words.split("What has changed")[1]
    assert again or "ahead by 0.00 EVD" in words


STUDY = """
method: drill
domains: [Chemical elements]
target: [sim:novice, sim:expert]
evaluator: sim:evaluator
probes: 3
max-depth: 1
"""


def test_a_study_file_names_its_own_runs(call: Caller) -> None:
    words = [
        *DRILL[:-4],
        "-n",
        "3",
        "--max-depth",
        "1",
        "--display",
        "none",
        *targets("novice", "expert"),
    ]
    (call.folder / "s.yaml").write_text(STUDY)
    assert_refused(call, ["compare", "s.yaml"], "is of the study s.yaml", "fathom run s.yaml")
    assert_refused(call, ["compare", "no.yaml"], "There is no file no.yaml")
    call("run", "s.yaml", "--display", "none")
    own = sorted(
        (run.name for run in call.runs), key=lambda name: "expert" in name
    )  # in the order of the study
    call(*words, "--seed", "7")
    for shown in (["compare"], ["report", "-o", "-", "--format", "md"], ["export"]):
        of_study, by_name = call(*shown, "s.yaml"), call(*shown, *own)
        assert of_study.code == by_name.code == 0
        assert re.sub(r"made .* UTC", "", of_study.out) == re.sub(
            r"made .* UTC", "", by_name.out
        )
        assert of_study.out
