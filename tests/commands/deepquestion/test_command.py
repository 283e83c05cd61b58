"""`fathom deepquestion` as a person uses it: what its words ask for, what it leaves behind, and
what is shown again."""

import json
from pathlib import Path
from typing import Any

import pytest

from fathom.commands.deepquestion.command import DEEPQUESTION
from fathom.commands.request import requested
from fathom.state.deepquestion.result import DeepQuestionResult
from fathom.state.events import RunStarted
from fathom.state.problems import Problem, ProblemSet, Transformed
from fathom.tools.files.transformed import read_transformed, write_transformed

from ...support.command_line import Caller, assert_refused
from ...support.paths import EXAMPLES
from ...support.reports import changed, result_of

CHEMISTRY = str(EXAMPLES / "deepquestion_chemistry.jsonl")
PROBLEMS = ProblemSet(
    name="carts",
    problems=(
        Problem(id="p1", question="A cart rolls 12 m in 3 s. How fast is it?", answer="4 m/s"),
        Problem(id="p2", question="What is 2 + 2?", answer="4"),
        Problem(id="p3", question="Who stated the law of inertia?", answer="Newton"),
    ),
)
TEXTS = (
    Transformed(
        problem="p1",
        scenarios={"none": "In a yard. How fast?", "some": "In a red yard. How fast?"},
    ),
    Transformed(problem="p3", instruction="Write a question whose answer is Newton."),
)


@pytest.fixture
def call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Caller:
    """In a folder with a benchmark, and texts and prompts for it."""
    caller = Caller(tmp_path, monkeypatch, capsys)
    rows = [
        problem.model_dump(mode="json", include={"question", "answer"})
        for problem in PROBLEMS.problems
    ]
    (tmp_path / "carts.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    write_transformed(tmp_path / "texts.jsonl", PROBLEMS, TEXTS, {"generator": "sim:generator"})
    return caller


def asked(**words: Any) -> Any:
    """The request behind these options, the others as they are when nothing is said."""
    usual = dict.fromkeys((option.key for option in DEEPQUESTION.options), None)
    roles = {"target": ["sim:student"], "evaluator": "sim:evaluator", "display": "none"}
    return requested(DEEPQUESTION, usual | roles | words)


def test_every_word_reaches_the_spec(call: Caller) -> None:
    request = asked(
        benchmark=Path("carts.jsonl"),
        target=["sim:student", "sim:novice"],
        generator="sim:omniscient",
        judge="sim:expert",
        distractors=["many,none"],
        limit=2,
        threshold=7,
        rounds=3,
        use_best=True,
        sample=2,
        baseline=0,
        tolerance=0.01,
        seed=5,
        answer_tokens=99,
        output=Path("out.jsonl"),
    )
    first, second = request.specs
    assert (first.target, second.target) == ("sim:student", "sim:novice")
    assert second == first.model_copy(update={"target": "sim:novice"})
    assert (first.generator, first.judge, first.distractors) == (
        "sim:omniscient",
        "sim:expert",
        ("none", "many"),
    )
    assert (first.threshold, first.rounds, first.use_best, first.sample, first.baseline) == (
        7,
        3,
        True,
        2,
        0,
    )
    assert (first.tolerance, first.seed, first.answer_tokens, first.problems) == (
        0.01,
        5,
        99,
        2,
    )
    assert request.planned.shown_with.wanted
    assert "drawn by seed 5" in "\n".join(request.planned.notices)
    assert not list(call.folder.glob("out*")), "only tried"


def history(place: int, *scores: int, used: bool = True) -> Any:
    """The recorded prompt of q2s (0) or q2i (1) with these scores."""
    told = result_of("deepquestion").prompts[place]
    rounds = tuple(
        changed(told.rounds[0], round=number, score=score)
        for number, score in enumerate(scores, 1)
    )
    best = max(rounds, key=lambda each: each.score)
    return changed(
        told,
        rounds=rounds,
        converged=best.score >= 8,
        best=best.round,
        score=best.score,
        used=used,
        guide="Write.",
    )


def kept(call: Caller, target: str = "sim:student", **changes: Any) -> str:
    """The recorded run with other texts, in its folder; its name."""
    about = {
        "run_id": f"20260101T120000-deepquestion-carts-{sum(map(ord, target)):08x}",
        "spec__target": target,
    }
    made: DeepQuestionResult = result_of(
        "deepquestion", **{**about, "transformed": TEXTS, **changes}
    )
    started = RunStarted(
        run_id=made.run_id,
        seq=1,
        spec=made.spec,
        spec_digest=made.spec.digest,
        version="0.1.0",
        simulated=made.simulated,
        problems=PROBLEMS,
    )
    folder = call.folder / "runs" / made.run_id
    folder.mkdir(parents=True)
    (folder / "events.jsonl").write_text(f"{started.model_dump_json()}\n")
    (folder / "result.json").write_text(made.model_dump_json())
    return made.run_id


def test_show_writes_the_texts_of_a_run(call: Caller) -> None:
    run = kept(call)
    said = call("show", run, "--output", "out.jsonl", "--json")
    assert said.code == 0, said.err
    assert DeepQuestionResult.model_validate_json(said.out).transformed == TEXTS
    assert said.err.startswith(
        "The texts of 2 of 3 problems are written to out.jsonl. Next: fathom deepquestion --from"
    )
    found = read_transformed(Path("out.jsonl"))
    assert (found.problems, found.transformed) == (PROBLEMS.problems, TEXTS)
    assert found.made["run"] == run
    assert found.made["simulated"] == "yes"
    # a loop with the scores 3, 5, 9
    about = {"seed": "42", "q2s_prompt": "optimised", "q2s_score": "9", "q2i_score": "9"}
    assert about.items() <= found.made.items()
    assert found.notices[0].startswith("The texts are of the simulated world.")
    assert_refused(call, ["show", run, "--output", "out.jsonl"], "exists already", "--force")
    again = call("show", run, "--output", "out.jsonl", "--force", "--plots", "plots")
    assert (again.code, "SIMULATED" in again.out) == (0, True), again.err
    assert list(Path("plots").glob("*.svg"))
    assert_refused(
        call,
        ["show", run, "--path", "p1", "--output", "x.jsonl"],
        "--output cannot go with --path",
    )


WRITING = [
    "deepquestion",
    CHEMISTRY,
    "-t",
    "sim:expert",
    "-e",
    "sim:evaluator",
    "--display",
    "lines",
    "--no-cache",
]


def test_texts_are_written_once_and_put_to_others(call: Caller) -> None:
    words = [
        *WRITING,
        "--generator",
        "sim:generator",
        "--limit",
        "2",
        "-o",
        "t.jsonl",
    ]
    cut = call(*words, "--max-calls", "25")
    assert cut.code == 3, cut.err
    (run,) = call.runs
    resumed = call("resume", "last", "--max-calls", "1000", "--display", "lines")
    assert resumed.code == 0, resumed.err
    assert not Path("t.jsonl").exists()
    assert call("show", "last", "--output", "t.jsonl").code == 0
    texts = read_transformed(Path("t.jsonl")).transformed
    asked = call(
        "deepquestion", "--from", "t.jsonl", *WRITING[2:], "--display", "none", "--json"
    )
    found = DeepQuestionResult.model_validate_json(asked.out)
    assert (found.transformed, found.spec.given) == (texts, True)
    assert "generator" not in found.usage
    (again,) = (path for path in call.runs if path != run)
    (again / "result.json").unlink()
    lines = (again / "events.jsonl").read_text().splitlines(keepends=True)
    (again / "events.jsonl").write_text("".join(lines[:-1]))
    part = json.loads(call("show", again.name, "--json").out)
    assert (part["method"], part["status"]) == ("deepquestion", "unfinished")
    assert part["finished"] == sum('"item_finished"' in line for line in lines)


def test_nothing_that_passes_is_no_success(call: Caller) -> None:
    words = [
        "--generator",
        "sim:generator,spoils=1",
        "--single-pass",
        "--kinds",
        "q2s",
        "--limit",
        "1",
    ]
    said = call(*WRITING, *words, "-o", "t.jsonl")
    assert said.code == 1
    assert "t.jsonl is not written" in said.err
    assert not Path("t.jsonl").exists()
