"""`fathom freeze` and `fathom replay` as a person uses them, over simulated drills whose truth is
known."""

import asyncio
import shutil
from pathlib import Path

import orjson
import pytest
import pytest_socket

from fathom.commands.finished import run_in
from fathom.graphs.run.launch import Launch, LaunchOptions
from fathom.sim.drill import fact_of
from fathom.sim.personas import PERSONAS
from fathom.sim.world import World
from fathom.state.replay import PairedRow, RejudgeResult, ReplayResult
from fathom.state.result import DrillResult
from fathom.state.spec import WorldSpec
from fathom.tools.runs.bundle import freeze

from ..support.command_line import Caller
from ..support.drill.drills import sim_spec
from ..support.replays import true_difference

pytestmark = pytest.mark.xdist_group(
    "replay_cli"
)  # one worker makes what all of them begin with

WORLD = WorldSpec(seed=2)
MODELS = ("student", "expert", "novice")


@pytest.fixture(scope="module")
def drilled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Drills of three personas: their run folders in `runs`, and a bundle of each."""
    folder = tmp_path_factory.mktemp("drilled")
    specs = [sim_spec(target=f"sim:{model}", n=8, max_depth=4, world=WORLD) for model in MODELS]
    reports = asyncio.run(Launch(specs, LaunchOptions(runs=folder / "runs")).run())
    for model, report in zip(MODELS, reports, strict=True):
        assert report.folder is not None
        freeze(report.folder, folder / f"{model}.fathom")
    return folder


@pytest.fixture
def call(
    drilled: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Caller:
    for model in MODELS:
        shutil.copy(drilled / f"{model}.fathom", tmp_path)
    caller = Caller(tmp_path, monkeypatch, capsys)
    monkeypatch.setenv(
        "FATHOM_CACHE", str(tmp_path / "cache" / "cache.sqlite")
    )  # the caller clears all settings
    return caller


def run_of(drilled: Path, model: str) -> Path:
    (found,) = (drilled / "runs").glob(f"*-sim-{model}-*")
    return found


def drill_of(drilled: Path, model: str) -> DrillResult:
    return DrillResult.model_validate_json(
        (run_of(drilled, model) / "result.json").read_bytes()
    )


def test_a_bundle_replays_to_the_identical_result_with_the_network_closed(
    call: Caller, drilled: Path
) -> None:
    model = "student"
    pytest_socket.disable_socket()
    try:
        said = call("replay", f"{model}.fathom")
    finally:
        pytest_socket.enable_socket()
    own = run_of(drilled, model)
    assert said.code == 0, said.err
    assert f"{own.name}: identical to the run’s own result.json." in said.err
    shown = call("show", str(own))
    # kept nowhere: no run to show
    own_place = ("Results: ", "First 3 of ", "1 wrong answer; ", "`fathom show", "took ")
    printed = (
        [line for line in one.out.splitlines() if line and not line.startswith(own_place)]
        for one in (said, shown)
    )
    assert next(printed) == next(printed)
    assert not call.runs  # nothing was launched


def test_a_run_folder_replays_too_and_json_is_the_result(call: Caller, drilled: Path) -> None:
    said = call("replay", str(run_of(drilled, "novice")), "--json")
    assert said.code == 0
    assert DrillResult.model_validate_json(said.out) == drill_of(drilled, "novice")
    several = orjson.loads(call("replay", "novice.fathom", "expert.fathom", "--json").out)
    assert [document["spec"]["target"] for document in several] == ["sim:novice", "sim:expert"]


def test_a_result_that_does_not_follow_from_its_journal_is_told_field_by_field(
    call: Caller, drilled: Path
) -> None:
    run = call.folder / run_of(drilled, "novice").name
    shutil.copytree(run_of(drilled, "novice"), run)
    fields = orjson.loads((run / "result.json").read_bytes())
    fields["evd"] += 1
    fields["depths"][0]["correct"] += 1
    (run / "result.json").write_bytes(orjson.dumps(fields, option=orjson.OPT_INDENT_2))
    said = call("replay", str(run))
    assert said.code == 1
    assert "NOT identical: other values in depths.0.correct, evd." in said.err


def replayed(call: Caller, *words: str) -> ReplayResult:
    said = call("replay", *words, "--json", "--display", "none")
    assert said.code == 0, said.err
    return ReplayResult.model_validate_json(said.out)


def test_a_paired_replay_finds_the_true_difference(call: Caller, drilled: Path) -> None:
    source, target = "expert", "novice"
    result, drill = (
        replayed(call, f"{source}.fathom", "-t", f"sim:{target}"),
        drill_of(drilled, source),
    )
    world = World(WORLD)
    texts = {p.id: p.question.text for p in drill.probes if p.question}
    for pair in result.pairs:
        fact = fact_of(texts[pair.id])
        assert fact is not None
        assert (pair.source == "correct") == world.knows(PERSONAS[source], fact)
        assert (pair.target == "correct") == world.knows(PERSONAS[target], fact)
    assert result.paired.n == len(result.pairs) == sum(row.scored for row in drill.depths)
    assert result.paired.difference_ci is not None
    lower, upper = result.paired.difference_ci
    assert lower <= true_difference(WORLD, result) <= upper
    assert upper - lower < 0.6
    assert result.paired.mcnemar_p < 0.05
    assert result.source.evd == pytest.approx(drill.evd)
    assert result.simulated


def test_a_replay_is_a_run_that_can_be_shown_frozen_and_replayed(call: Caller) -> None:
    said = call("replay", "student.fathom", "-t", "sim:expert", "--display", "none")
    assert said.code == 0, said.err
    for words in (
        "SIMULATED",
        "points for sim:expert (95% interval ",
        "McNemar p",
        "By depth",
        "By tier",
        "home advantage",
    ):
        assert words in said.out
    assert "Results: runs/" in said.out
    (run,) = call.runs
    first = ReplayResult.model_validate_json(call("show", "last", "--json").out)
    assert ReplayResult.model_validate_json((run / "result.json").read_bytes()) == first
    assert "points for sim:expert" in call("show", "last").out
    assert call("freeze", "last", "-o", "replay.fathom").code == 0
    said = call("replay", "replay.fathom")
    assert (said.code, "identical to the run" in said.err) == (0, True)
    refused = call("replay", "replay.fathom", "-t", "sim:novice")
    assert (refused.code, "Only a drill" in refused.err) == (2, True)


def test_a_replay_asks_further_of_the_answers_of_its_own_target(call: Caller) -> None:
    plain = replayed(call, "student.fathom", "-t", "sim:expert")
    asked = replayed(
        call, "student.fathom", "-t", "sim:expert", "--confidence", "--classify-errors"
    )
    assert asked.pairs == plain.pairs
    answers = [probe.answer and probe.answer.text for probe in asked.probes]
    assert answers == [probe.answer and probe.answer.text for probe in plain.probes]
    for probe in asked.probes:
        assert (probe.confidence is not None) == (probe.verdict in ("correct", "wrong"))
        assert (probe.error is not None) == (probe.verdict in ("wrong", "abstained"))
    (folder,) = (run for run in call.runs if run.name == asked.run_id)
    drilled = [row for row in run_in(folder).rows if row.condition == "drilled model"]
    assert drilled
    assert not any({"confidence", "error"} & row.tags.keys() for row in drilled)
    assert "Stated confidence" in call("show", asked.run_id).out


def test_a_three_by_three_cross_examination(call: Caller, drilled: Path) -> None:
    targets = [word for model in MODELS for word in ("-t", f"sim:{model}")]
    bundles = [f"{model}.fathom" for model in MODELS]
    said = call("replay", *bundles, *targets, "--display", "none", "--json")
    assert said.code == 0, said.err
    assert len(call.runs) == 6  # the diagonal is not asked again
    document = orjson.loads(said.out)
    assert len(document["runs"]) == 6
    assert [model["label"] for model in document["models"]] == [
        "sim:expert",
        "sim:student",
        "sim:novice",
    ]
    # knowing is drawn for each fact apart: nobody has an advantage at home
    home = document["home_advantage"]
    assert home["low"] <= 0.05
    assert home["high"] >= 0
    out = call("show", "last").out
    assert "Home advantage" in out
    rows = [line for line in out.splitlines() if line.startswith("sim:")]
    assert len(rows) >= 6  # in the matrix and of the home advantage, a line per drill


def rejudged(call: Caller, *words: str) -> RejudgeResult:
    said = call("judge", *words, "--calibration", "0", "--json", "--display", "none")
    assert said.code == 0, said.err
    return RejudgeResult.model_validate_json(said.out)


def test_a_judge_of_the_same_opinion_leaves_the_evd_as_it_was(
    call: Caller, drilled: Path
) -> None:
    result, drill = (
        rejudged(call, "student.fathom", "--judge", "sim:expert"),
        drill_of(drilled, "student"),
    )
    assert (result.evd, result.evd_ci, result.removed) == (drill.evd, drill.evd_ci, 0)
    assert result.judges is not None
    assert result.judges.agreement == 1.0
    assert "target" not in result.usage
    assert "Conditional EVD" in call("show", "last").out


def figures(row: PairedRow) -> tuple[int, int, int]:
    return row.n, row.only_source, row.only_target


def test_another_judge_with_a_target_judges_both_sides(call: Caller) -> None:
    result = replayed(call, "student.fathom", "-t", "sim:expert", "--judge", "sim:graduate")
    plain = replayed(call, "student.fathom", "-t", "sim:expert")
    assert figures(result.paired) == figures(plain.paired)
    assert result.judges is not None
    assert result.judges.n == result.paired.n
    assert plain.judges is None


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["gone.fathom"], 2, "Bundle not found: gone.fathom"),
        ([" "], 2, "RUN is missing"),
        (["student.fathom", "-t", "sim:student"], 2, "is a drill of sim:student itself"),
        (["student.fathom", "-t", "sim:nobody"], 2, "no model 'nobody'"),
        (["student.fathom", "-t", "nonsense"], 2, "nonsense"),
        (["student.fathom", "-t", " "], 2, "--target is missing"),
        (["student.fathom", "--judge", "sim:expert"], 2, "`fathom judge`"),
        (["student.fathom", "--json", "--display", "events"], 2, "choose one of them"),
        (["broken.fathom"], 1, "is no bundle of Fathom"),
    ],
)
def test_what_cannot_be_right_is_refused_in_one_sentence(
    words: list[str], code: int, message: str, call: Caller
) -> None:
    (call.folder / "broken.fathom").write_bytes(b"\x1f\x8b nothing")
    said = call("replay", *words)
    assert (said.code, said.err.count("\n")) == (code, 1), said.err
    assert message in said.err
    assert not call.runs


def test_a_budget_that_ends_a_replay_leaves_it_to_be_resumed(call: Caller) -> None:
    said = call(
        "replay", "student.fathom", "-t", "sim:expert", "--max-calls", "41", "--display", "none"
    )
    assert (said.code, "Resume: fathom resume" in said.err) == (3, True), said.err
    assert not (call.runs[0] / "result.json").exists()
    went_on = call("resume", "last", "--max-calls", "100000", "--display", "none", "--json")
    assert went_on.code == 0, went_on.err
    whole = replayed(call, "student.fathom", "-t", "sim:expert")
    resumed = ReplayResult.model_validate_json(went_on.out)
    assert (resumed.pairs, resumed.paired) == (whole.pairs, whole.paired)
