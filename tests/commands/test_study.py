"""Study files: what a command was asked for, written down, planned, run, refused; and old names of
options."""

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml

from fathom.graphs.method import served

from ..support.command_line import STUDENT, Caller, assert_refused
from ..support.corpora import tsv
from ..support.programs import Programs
from .test_plan import call, plan

__all__ = ["call"]
pytestmark = pytest.mark.xdist_group("plans")
EQT = "method: eqt\nconcepts: [Gold]\ntarget: sim:student\nquestions: 1\nparaphrases: 0\n"
QUIET = ("--display", "none")


def study(call: Caller, text: str, name: str = "s.yaml") -> str:
    (call.folder / name).write_text(text)
    return name


def specs(call: Caller) -> list[Any]:
    """Those of all runs, of each method in the order of the seeds."""
    found = [json.loads((run / "spec.json").read_text()) for run in call.runs]
    return sorted(
        found, key=lambda spec: (spec["method"], str(spec.get("domain")), spec["seed"])
    )


def test_a_replay_with_models_is_a_study(call: Caller) -> None:
    drill = [
        "drill",
        "Chemical elements",
        "-t",
        "sim:student",
        "-e",
        "sim:evaluator",
        "-n",
        "3",
        "--max-depth",
        "1",
    ]
    assert call(*drill, *QUIET).code == 0
    (run,) = call.runs
    (call.folder / "studies").mkdir()
    where = str(run.relative_to(call.folder))
    again = f"method: replay\nrun: [../{where}]\ntarget: [sim:expert]\n"
    study(call, again, "studies/again.yaml")
    assert call("run", "studies/again.yaml", *QUIET).code == 0
    assert [spec["target"] for spec in specs(call)] == ["sim:student", "sim:expert"]
    assert call("plan", "studies/again.yaml").code == 0
    assert_refused(
        call, ["run", study(call, "method: replay\nrun: last\n")], "--target is missing"
    )


def test_paths_in_a_study_begin_where_it_stands(call: Caller) -> None:
    for name, text in (
        ("choice.txt", "=== user ===\nChoose: $question\n"),
        ("list.txt", "Gold\nNeon\n"),
        ("prompt.txt", "Be brief."),
        ("wiki/gold.md", "# Gold\nGold is a metal.\n"),
    ):
        (call.folder / "texts" / name).parent.mkdir(parents=True, exist_ok=True)
        (call.folder / "texts" / name).write_text(text)
    words = [
        "eqt",
        "--concepts",
        "texts/list.txt",
        "-t",
        "sim:student system=@texts/prompt.txt",
    ]
    text = (
        "method: eqt\nconcepts_file: list.txt\ntarget: sim:student system=@prompt.txt\nprompt: "
        "{choice: choice.txt}\n"
    )
    planned = plan(call, study(call, text, "texts/s.yaml"))
    assert planned == plan(call, *words, "--prompt", "choice=texts/choice.txt")
    assert planned["runs"][0]["target"].endswith("system='Be brief.'")
    text = (
        "method: drill\ndomains: Gold\ntarget: sim:student\nevaluator: sim:evaluator\nfacts: "
        "{COMMON: folder:wiki}\n"
    )
    planned = plan(call, study(call, text, "texts/d.yaml"))
    assert planned == plan(
        call, "drill", "Gold", *STUDENT, "--facts", "COMMON=folder:texts/wiki"
    )


def test_columns_of_a_file_are_named_in_a_study(call: Caller) -> None:
    (call.folder / "b.csv").write_text("Frage;Zahl\nHow many are 1 and 1?;2\n")
    study = {
        "method": "deepquestion",
        "benchmark": "b.csv",
        "columns": {"question": "Frage", "answer": "Zahl"},
        "target": "sim:student",
        "evaluator": "sim:evaluator",
    }
    (call.folder / "study.yaml").write_text(yaml.safe_dump(study))
    assert call("plan", "study.yaml").code == 0
    del study["columns"]
    (call.folder / "study.yaml").write_text(yaml.safe_dump(study))
    assert_refused(call, ["plan", "study.yaml"], "--columns question=COLUMN")


def test_a_study_runs_like_its_command(call: Caller) -> None:
    words = [
        "drill",
        "Chemical elements",
        "Noble gases",
        *STUDENT,
        "-n",
        "2",
        "--max-depth",
        "1",
        "--facts",
        "COMMON=sim",
        "--repeats",
        "2",
    ]
    said = call(*words, "--json", *QUIET)
    text = """
        method: drill
        domains: [Chemical elements, Noble gases]
        target: [sim:student]
        evaluator: sim:evaluator
        probes: 2
        max-depth: 1
        facts: COMMON=sim
        repeats: 2
    """
    again = call("run", study(call, text), "--json", *QUIET)
    assert (again.code, again.err) == (0, "")
    assert json.loads(again.out)["cells"] == json.loads(said.out)["cells"]
    assert len(call.runs) == 8
    assert specs(call)[::2] == specs(call)[1::2]


def test_limits_end_a_study_as_they_end_a_command_and_it_is_resumed(call: Caller) -> None:
    said = call("run", study(call, EQT), "--max-calls", "2", *QUIET)
    assert said.code == 3
    assert said.err.endswith(
        "0 of 1 cells are complete. Continue with a larger --budget or --max-calls: fathom "
        "run s.yaml\n"
    )
    assert call("status", "s.yaml").err == said.err.splitlines(keepends=True)[-1]
    assert call("run", study(call, EQT), "--max-calls", "50", *QUIET).code == 0
    (run,) = call.runs
    assert (
        call("run", study(call, EQT), *QUIET).err == "Nothing to run: 1 of 1 cell complete.\n"
    )
    assert call.runs == [run]


def test_a_plan_is_of_what_is_left_and_then_of_all(call: Caller) -> None:
    assert call("run", study(call, EQT), *QUIET).code == 0
    more = call(
        "plan", study(call, EQT.replace("sim:student", "[sim:student, sim:novice]")), "--json"
    )
    assert [run["target"] for run in json.loads(more.out)["runs"]] == ["sim:novice"]
    assert more.err == "1 of 2 cells are complete: the plan is of the others.\n"
    again = call("plan", study(call, EQT), "--json")
    assert [run["target"] for run in json.loads(again.out)["runs"]] == ["sim:student"]
    assert "1 of 1 cells are complete: nothing is left to run" in again.err


def test_what_continues_a_study_finds_the_same_cells(call: Caller) -> None:
    words = ["run", study(call, EQT), "--engine", "local", "--runs", "my runs", *QUIET]
    said = call(*words, "--max-calls", "2")
    assert said.err.endswith(
        "larger --budget or --max-calls: fathom run s.yaml --runs 'my runs' --engine local\n"
    )
    assert call(*words).code == 0
    (run,) = Path("my runs").glob("2*")
    shutil.rmtree(run)
    said = call(*words)
    assert said.code == 1
    assert (
        "1 finished run cannot be found in my runs: removed, or on the machine of a worker."
        in said.err
    )


@pytest.mark.parametrize(
    ("text", "parts"), [(text, parts) for text, *parts in tsv("studies.tsv")]
)
@pytest.mark.parametrize("command", ["run", "plan"])
def test_refused_with_its_file_and_line(
    command: str, text: str, parts: list[str], call: Caller
) -> None:
    assert_refused(call, [command, study(call, text.replace("\\n", "\n"))], *parts)


def test_a_file_that_is_not_there_and_one_from_stdin(
    call: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    for command in ("run", "plan", "status"):
        assert_refused(call, [command, "gone.yaml"], "There is no file gone.yaml")
    read, write = os.pipe()
    os.write(write, EQT.encode())
    os.close(write)
    with open(read, encoding="utf-8") as stdin:
        monkeypatch.setattr("sys.stdin", stdin)
        assert call("run", "-", *QUIET).code == 0
    assert [spec["concepts"][0]["name"] for spec in specs(call)] == ["Gold"]


@pytest.mark.parametrize("method", served())
def test_init_writes_what_can_be_planned_and_overwrites_nothing(
    method: str, call: Caller
) -> None:
    said = call("init", "--method", method)
    assert (said.code, said.out) == (0, "")
    held = yaml.safe_load(Path("study.yaml").read_text())
    for name, file in (
        ("graph", "toy.json"),
        ("questions", "questions.txt"),
        ("benchmark", "benchmark.jsonl"),
    ):
        held |= {name: file} if name in held else {}
    assert call("plan", study(call, json.dumps(held), "filled.json")).code == 0
    assert max(map(len, Path("study.yaml").read_text().splitlines())) <= 120
    assert_refused(call, ["init"], "study.yaml exists already", "name another file")
    assert_refused(call, ["init", "x.txt"], "does not end in .yaml")
    assert_refused(call, ["init", "x.yaml", "--method", "exam"], "choose one of drill, eqt")


def test_a_shell_completes_commands_and_options(call: Caller, programs: Programs) -> None:
    for words, found in (
        ("fathom plan e", "eqt"),
        ("fathom drill --thr", "--threshold"),
    ):
        env = {
            "_FATHOM_COMPLETE": "complete_bash",
            "COMP_WORDS": words,
            "COMP_CWORD": str(len(words.split()) - 1),
        }
        done = programs.run(env=os.environ | env, cwd=call.folder)
        assert done.stdout.split()[:1] == [found][: bool(found)], (words, done.stderr)


def test_status_and_plan_write_nothing(call: Caller) -> None:
    (call.folder / "study.yaml").write_text(STUDY_READ)
    (call.folder / "runs").mkdir()
    for command in ("status", "plan"):
        assert call(command, "study.yaml").code == 0
    assert list((call.folder / "runs").iterdir()) == []


STUDY_READ = (
    "method: drill\ndomains: [Noble gases]\ntarget: sim:student\nevaluator: sim:evaluator\n"
)
