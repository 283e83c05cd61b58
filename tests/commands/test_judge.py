"""`fathom judge` as a person uses it, over simulated runs whose truth is known."""

import asyncio
from pathlib import Path
from typing import Any

import orjson
import pytest

from fathom.commands.finished import run_in
from fathom.graphs.run.launch import Launch, LaunchOptions
from fathom.state.replay import RejudgeResult
from fathom.state.spec import WorldSpec

from ..support.command_line import Caller
from ..support.drill.drills import sim_spec

pytestmark = pytest.mark.xdist_group(
    "judge_cli"
)  # one worker makes what all of them begin with

WORLD = WorldSpec(seed=2, sensitivity=0.9, specificity=0.8)
NAMES = {"student": "-sim-student-", "novice": "-sim-novice-"}


@pytest.fixture(scope="module")
def drilled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("drilled")
    specs = [sim_spec(target=f"sim:{model}", n=12, max_depth=4, world=WORLD) for model in NAMES]
    asyncio.run(Launch(specs, LaunchOptions(runs=folder / "runs")).run())
    return folder / "runs"


@pytest.fixture
def call(
    drilled: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Caller:
    caller = Caller(tmp_path, monkeypatch, capsys)
    monkeypatch.setenv("FATHOM_CACHE", str(tmp_path / "cache" / "cache.sqlite"))
    return caller


def named(drilled: Path, model: str) -> str:
    (run,) = drilled.glob(f"*-drill-*{NAMES[model]}*")
    return str(run)


def judged(call: Caller, *words: str) -> Any:
    said = call("judge", *words, "--json", "--display", "none")
    assert said.code == 0, said.err
    return orjson.loads(said.out)


def test_calibration_holds_what_the_judge_is(call: Caller, drilled: Path) -> None:
    document = judged(call, named(drilled, "student"), "--judge", "sim:expert")
    tried = RejudgeResult.model_validate(document).calibration
    assert tried is not None
    assert tried.right + tried.wrong + tried.unscored == 60
    assert tried.sensitivity_ci[0] <= WORLD.sensitivity <= tried.sensitivity_ci[1]
    assert tried.specificity_ci[0] <= WORLD.specificity <= tried.specificity_ci[1]


def test_several_judges_of_several_runs_and_what_a_plan_says_of_them(
    call: Caller, drilled: Path
) -> None:
    runs = [named(drilled, model) for model in NAMES]
    words = [*runs, "--judge", "sim:expert", "--judge", "sim:graduate"]
    words += ["--second-evaluator", "sim:graduate"]
    plan = orjson.loads(call("plan", "judge", *words, "--json").out)
    said = call("judge", *words, "--display", "none")
    assert said.code == 0, said.err
    for title in ("Judges among themselves", "Krippendorff", "EVD under each judge"):
        assert title in said.out
    documents = [orjson.loads((run / "result.json").read_bytes()) for run in call.runs]
    assert len(documents) == len(call.runs) == 4
    calls = sum(usage["calls"] for one in documents for usage in one["usage"].values())
    # a restatement, and what comes before the second evaluator's verdict, once for both judges
    assert plan["basis"]["repeated_calls"] == 2 * 30 + 2 * 20 * 3
    assert plan["calls"]["expected"] + plan["basis"]["repeated_calls"] == pytest.approx(calls)
    assert "sim:expert: sim:student" in said.out


def test_a_replay_is_judged_too_and_has_no_lines_of_its_own(
    call: Caller, drilled: Path
) -> None:
    drill = named(drilled, "student")
    assert call("replay", drill, "-t", "sim:novice", "--display", "none").code == 0
    document = judged(call, "last", "--judge", "sim:expert", "--calibration", "0")
    result = RejudgeResult.model_validate(document)
    assert (result.source.target, result.removed, result.calibration) == ("sim:novice", 0, None)
    assert result.judges is not None
    assert result.judges.agreement == 1.0  # both err alike
    assert result.evd == result.source.evd
    rows = run_in(call.folder / "runs" / result.run_id).rows
    assert len(rows) == result.judges.n


def test_a_budget_that_ends_it_leaves_it_to_be_resumed(call: Caller, drilled: Path) -> None:
    words = [named(drilled, "student"), "--second-evaluator", "sim:graduate"]
    said = call("judge", *words, "--max-calls", "61", "--display", "none")
    assert (said.code, "Resume: fathom resume" in said.err) == (3, True), said.err
    went_on = call("resume", "last", "--max-calls", "100000", "--display", "none", "--json")
    assert went_on.code == 0, went_on.err
    whole = judged(call, *words, "--no-cache")
    resumed = orjson.loads(went_on.out)
    for name in ("calibration", "second_evaluator", "evd", "evd_ci"):
        assert resumed[name] == whole[name]
    assert "sim:graduate on 20 passages" in call("show", "last").out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["RUN", "--calibration", "0"], "judged"),
        (["RUN", "--judge", "sim:nobody"], "no model 'nobody'"),
        (["RUN", "--judge", " "], "--judge is missing"),
        (["RUN", "--second-evaluator", "nonsense"], "nonsense"),
        (["RUN", "--evaluator", "sim:a,sim:b"], "--evaluator takes one model"),
        (["nowhere"], "No run"),
    ],
)
def test_what_cannot_be_right_is_refused(
    words: list[str], message: str, call: Caller, drilled: Path
) -> None:
    run = named(drilled, "student")
    said = call("judge", *(run if word == "RUN" else word for word in words))
    assert (said.code, said.err.count("\n")) == (2, 1), said.err
    assert message in said.err
    assert not call.runs
