"""`fathom decide` and the sheet, from runs to exit codes and files."""

import json
import shutil
from pathlib import Path

import pytest

from fathom.cli import main
from fathom.reports.document.sheet import BROWSERS

from ..support.command_line import Caller, assert_refused

pytestmark = pytest.mark.xdist_group("decide")  # one worker makes what several begin with
DRILL = ["drill", "Noble gases", "-e", "sim:evaluator", "-n", "12", "--max-depth", "3"]
TWO = [*DRILL, "--display", "none", "-t", "sim:novice", "-t", "sim:expert"]


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a launch of two models that are far apart."""
    folder = tmp_path_factory.mktemp("two")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setattr("sys.argv", ["fathom", *TWO])
        with pytest.raises(SystemExit, match="0"):
            main()
    return folder


@pytest.fixture
def launch(call: Caller, two: Path) -> list[str]:
    """The runs of a copy of that launch."""
    shutil.copytree(two / "runs", call.folder / "runs")
    return [run.name for run in call.runs]


def test_a_decision_its_conditions_and_exit_codes(call: Caller, launch: list[str]) -> None:
    assert call("show", "last").out.rstrip().splitlines()[-1].startswith("Next: ")
    found = json.loads((said := call("decide", *launch, "--margin", "0.5", "--json")).out)
    assert (said.code, found["verdict"]) == (0, "better_beyond_margin")
    assert (found["model"], found["simulated"]) == ("sim:expert", True)
    assert found["rule_change"]
    for run in call.runs:  # as in older launches
        record = json.loads((kept := run / "launch.json").read_text())
        del record["policy"]
        kept.write_text(json.dumps(record))
    assert changed(call, *launch, "--margin", "0.5") == ""
    assert set(found) <= set(json.loads(call("schema", "decision").out)["properties"])
    failing = call("decide", *launch, "--must", "accuracy[common] <= 20%")
    assert failing.code == 5
    unreached = call("decide", *launch, "--must", "accuracy[specialist] >= 1%", "--json")
    assert (unreached.code, json.loads(unreached.out)["verdict"]) == (4, "not_decided")
    assert "✗" in failing.out
    assert_refused(call, ["decide", *launch, "--must", "luck <= 3"], "no measure 'luck'")
    assert_refused(
        call, ["decide", *launch, "--must", "accuracy[north] <= 3%"], "'north'", "tier"
    )
    assert_refused(call, ["decide", *launch, "--must", "accuracy <= 30"], "per cent")
    assert_refused(call, ["decide", *launch, "--must", "evd >= 90%"], "depth")
    for margin in ("nan", "-1", "3", "1e9"):  # the drills went no deeper than 3
        assert_refused(call, ["decide", *launch, "--margin", margin], "--margin", "above 0")
    assert_refused(call, ["decide", *launch, "--must", "accuracy >= 101%"], "100%")
    assert_refused(call, ["decide", *launch, "--prefer", "nicer"], "--prefer")
    beyond = call("decide", *launch, "--must", "evd >= 7")
    assert beyond.code == 4, "no question was asked below depth 3"


def test_a_model_that_gives_out_at_once_was_asked_enough(call: Caller) -> None:
    call(*DRILL, "--display", "none", "-t", "sim:ignorant", "-t", "sim:expert")
    found = json.loads(call("decide", "last", "--json").out)
    assert (found["verdict"], found["model"]) == ("better", "sim:expert")


def test_models_asked_no_deeper_are_not_found_equal_nor_without_their_unfinished_runs(
    call: Caller,
) -> None:
    alike = [*DRILL[:-1], "1", "--display", "none", "-t", "sim:student", "-t", "sim:expert"]
    call(*alike, "-n", "30")
    runs = [run.name for run in call.runs]
    shallow = json.loads(call("decide", *runs, "--margin", "0.9", "--json").out)
    assert (shallow["verdict"], "depth 1" in shallow["reason"]) == ("not_certified", True)
    (call.runs[0] / "result.json").unlink()
    cut_short(call.runs[0])
    assert "finish" in call("decide", *runs).out
    (call.runs[1] / "result.json").unlink()
    (call.runs[1] / "events.jsonl").write_bytes(b"")
    (call.runs[0] / "events.jsonl").write_bytes(b"")
    launch = json.loads((call.runs[0] / "launch.json").read_text())["launch"]
    assert_refused(call, ["decide", *runs], f"fathom resume {launch}")


def changed(call: Caller, *words: str) -> str:
    """What a decision says of its rule."""
    found: str = json.loads(call("decide", *words, "--json").out)["rule_change"]
    return found


def cut_short(run: Path) -> None:
    """Take the end of a run from its journal."""
    lines = (journal := run / "events.jsonl").read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join(lines[:-1]))


@pytest.mark.parametrize(
    ("models", "most", "repeats", "code", "alpha"),
    [
        (("sim:novice", "sim:expert"), 12, 4, 0, 0.0158),
        (("sim:expert", "sim:student"), 5, 5, 4, 0.0294),
    ],
)
def test_repeats_are_spent_until_it_is_decided(
    call: Caller, models: tuple[str, str], most: int, repeats: int, code: int, alpha: float
) -> None:
    size = ["-n", "5", "--max-depth", "2"] if code == 0 else ["-n", "8", "--max-depth", "1"]
    words = ["drill", "Noble gases", "-e", "sim:evaluator", "--display", "none", *size]
    words += [word for model in models for word in ("-t", model)]
    looked = [*words, "--until-decided", str(most)]
    assert call(*looked, "--max-calls", "40").code == 3
    begun = {run.name for run in call.runs}
    assert call(*looked).code == code
    runs = [run.name for run in call.runs]
    assert begun <= {*runs}
    assert len(runs) == 2 * repeats
    found = json.loads(call("decide", "last", "--json").out)
    assert found == json.loads(call("decide", *runs, "--json").out), "all of its launches"
    assert found["policy"]["alpha"] == alpha, "as at each look"
    again = call(*looked)
    assert (again.code, [run.name for run in call.runs]) == (code, runs), (
        "nothing is asked again"
    )
    assert_refused(call, [*words[:-2], "--until-decided", "5"], "second --target")


STUDY = [
    "method: drill",
    "domains: [Noble gases]",
    "target: [sim:novice, sim:expert]",
    "evaluator: sim:evaluator",
    "probes: 10",
    "max_depth: 3",
    "decide: {margin: 0.5, must: 'accuracy[common] <= 20%'}",
]


def test_a_study_says_by_what_it_is_decided(call: Caller) -> None:
    study = call.folder / "study.yaml"
    study.write_text("\n".join(STUDY).replace("10", "5").replace("depth: 3", "depth: 2"))
    looked = call("run", "study.yaml", "--display", "none", "--until-decided", "12")
    assert (looked.code, "Not decided" in looked.err) == (5, False)
    assert call("decide", "study.yaml").code == 5
    assert call("decide", "last").code == 5, "all runs, and by what the study says"
    states = json.loads(call("status", "study.yaml", "--json").out)
    assert [state["status"] for state in states] == ["complete"] * 8, "no repeat is left"
    found = json.loads(call("decide", "study.yaml", "--json").out)
    assert found["policy"]["alpha"] < 0.05
    models = json.loads(call("compare", "last", "--json").out)["models"]
    assert [len(model["run_ids"]) for model in models] == [4, 4]
    study.write_text("\n".join([*STUDY[:-1], "decide: {must: 'luck <= 3'}"]))
    assert_refused(call, ["run", "study.yaml"], "no measure 'luck'")
    study.write_text("\n".join([*STUDY[:-1], "decide: {margins: 0.5}"]))
    assert_refused(call, ["decide", "study.yaml"], "margins", "margin")


def test_a_rule_that_was_changed_after_the_runs_is_told(call: Caller) -> None:
    study = call.folder / "study.yaml"
    study.write_text("\n".join(STUDY))
    ended = call("run", "study.yaml", "--display", "none", "--engine", "local")
    assert "Take none of them" in ended.out
    runs = [run.name for run in call.runs]
    rule = ("--margin", "0.5", "--must", "accuracy[common]<=20%", "--judge-checked")
    assert changed(call, *runs, *rule) == ""
    study.write_text("\n".join([*STUDY[:-1], "decide: {margin: 0.5}"]))
    found = changed(call, "study.yaml")
    assert found
    assert found in " ".join(call("decide", "study.yaml").out.split())
    sheet = call("report", "study.yaml", "--sheet", "--format", "md", "-o", "-").out
    assert found in sheet
    (call.runs[0] / "result.json").unlink()
    cut_short(call.runs[0])
    assert call("run", "study.yaml", "--display", "none", "--engine", "local").code == 0
    assert changed(call, "study.yaml") == found, "as it stood at the beginning"


def test_the_sheet_in_three_forms(
    call: Caller, launch: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert call("report", *launch, "--sheet", "-o", "s.html").code == 0
    page = Path("s.html").read_text()
    assert "<script" not in page
    assert "<svg" in page
    text = call("report", *launch, "--sheet", "--format", "md", "-o", "-").out
    for part in ("SIMULATED", "Take sim:expert", "Where each breaks", "Judge:", "Source:"):
        assert part in text
    answer = text.partition("## Conditions")[0]
    assert not {"EVD", "CI", " p "} & set(answer.split())
    monkeypatch.setattr(shutil, "which", lambda name: None)
    assert_refused(call, ["report", *launch, "--sheet", "-o", "s.pdf"], "Chromium")
    assert_refused(call, ["report", *launch, "-o", "r.pdf"], "--sheet")
    assert_refused(call, ["report", *launch, "--sheet", "-o", "s.docx"], ".html", ".md", ".pdf")


@pytest.mark.skipif(not any(map(shutil.which, BROWSERS)), reason="no Chromium is installed")
def test_a_sheet_is_one_page(call: Caller, launch: list[str]) -> None:
    import pypdf

    assert call("report", *launch, "--sheet", "-o", "s.pdf").code == 0
    assert len(pypdf.PdfReader("s.pdf").pages) == 1
