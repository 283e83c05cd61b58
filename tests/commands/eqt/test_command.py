"""`fathom eqt` as a person uses it, over a simulated world of one's own."""

import json
from pathlib import Path
from typing import Any

import pytest

from fathom.agents.prompts import PROMPTS_OF
from fathom.state.eqt.result import EqtResult

from ...support.command_line import Caller
from ...support.eqt.commands import (
    QUIET,
    SCORES,
    SMALL,
    STRONG,
    WEAK,
    both,
    document_of,
    eqt_caller,
    launch_of,
)


@pytest.fixture
def call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Caller:
    return eqt_caller(tmp_path, monkeypatch, capsys)


def test_json_of_several_targets_holds_them_all(call: Caller) -> None:
    said = both(call, "--benchmark", "scores.csv", "--json", *QUIET)
    assert (said.code, said.err) == (0, "")
    comparison, results = document_of(said.out)
    assert comparison.targets == (WEAK, STRONG)
    assert comparison.categories == ("metals", "gases")
    assert [result.spec.target for result in results] == [WEAK, STRONG]
    assert comparison.benchmark is not None
    assert {
        (cell.target, cell.category, cell.benchmark) for cell in comparison.benchmark.cells
    } == set(SCORES)
    accuracy = {(cell.target, cell.category): cell.accuracy for cell in comparison.cells}
    for result in results:
        for category, numbers in result.by_category.items():
            assert accuracy[result.spec.target, category] == numbers.all.accuracy
    schema = json.loads(call("schema", "eqt_comparison").out)
    assert set(schema["required"]) <= set(json.loads(said.out)) <= set(schema["properties"])


def test_an_examiner_of_ones_own_writes_once_for_all_targets(call: Caller) -> None:
    said = both(call, "--examiner", "sim:expert", "--json", *QUIET)
    _, results = document_of(said.out)
    asked = [result.usage["examiner"].calls - result.usage["examiner"].cached for result in results]
    assert sorted(asked)[-1] <= sum(asked) == 3 * (1 + 2 + 2)
    questions = [
        [[q.text for q in concept.questions] for concept in result.concepts] for result in results
    ]
    assert questions[0] == questions[1]


def test_all_that_can_be_asked_for(call: Caller) -> None:
    words = [
        "--open-book",
        "--verify-paraphrases",
        "--attribute",
        "3",
        "--as-in-paper",
        "--limit",
        "2",
    ]
    said = call(
        "eqt", "--concepts", "concepts.txt", "-t", WEAK, *SMALL, *words, "--seed", "7", "--json"
    )
    assert said.code == 0, said.err
    result = EqtResult.model_validate_json(said.out)
    assert [concept.concept for concept in result.concepts] == [
        "Gold",
        "Neon",
    ]  # of each category the first
    assert result.numbers.open_book is not None
    assert result.numbers.open_book.scored == 4
    assert result.attribution is not None
    assert 0 < result.attribution.sampled <= 3
    orders = {answer.order for c in result.concepts for q in c.questions for answer in q.answers}
    assert orders == {(0, 1, 2, 3, 4)}
    assert result.spec.seed == 7
    assert (
        f"The judge {WEAK} checks its own paraphrases, explanations, questions, answers" in said.err
    )


NOTICES = [
    (["--attribute", "2", "--judge", "sim:evaluator"], None),
    (["--attribute", "2", "--judge", WEAK, "--examiner", "sim:expert"], "checks its own answers"),
    (
        ["--verify-paraphrases", "--examiner", "sim:expert"],
        "The judge sim:expert checks its own paraphrases:",
    ),
    (["--judge", "sim:evaluator"], "--judge is asked nothing"),
    (["--verify-paraphrases", "--paraphrases", "0"], "--verify-paraphrases has nothing to verify"),
    (
        [
            "--verify-paraphrases",
            "--paraphrases",
            "0",
            "--attribute",
            "1",
            "--judge",
            WEAK,
            "--examiner",
            "sim:expert",
        ],
        "--verify-paraphrases has nothing to verify: --paraphrases is 0.\nThe judge "
        + WEAK
        + " checks its own answers:",
    ),
    ([], None),
]


@pytest.mark.parametrize(("words", "notice"), NOTICES)
def test_notices(call: Caller, words: list[str], notice: str | None) -> None:
    said = call("plan", "eqt", "Gold", "gold", "-t", WEAK, *SMALL, *words)
    assert said.code == 0, said.err
    assert "Repeats in the command line are asked about once: 'gold'." in said.err
    assert said.err.count("\n") == (2 + notice.count("\n") if notice else 1)
    assert (notice or "") in said.err
    assert call("plan", "eqt", "Gold", "gold", "-t", WEAK, *words, *QUIET).err == ""


def test_no_paraphrases_and_two_options_are_fine(call: Caller) -> None:
    words = ["--questions", "1", "--paraphrases", "0", "--options", "2"]
    result = EqtResult.model_validate_json(
        call("eqt", "Gold", "-t", STRONG, *words, "--json", *QUIET).out
    )
    assert result.numbers.all.scored == 1
    assert result.numbers.consistency.acs is None


def test_plots_are_written_and_named(call: Caller) -> None:
    said = both(call, "--benchmark", "scores.csv", "--plots", "new/plots", "--display", "lines")
    assert said.code == 0, said.err
    files = sorted(path.name for path in (call.folder / "new" / "plots").iterdir())
    assert files == ["eqt-accuracy-acs.svg"]
    assert "1 plot written to new/plots: eqt-accuracy-acs.svg" in said.err
    again = call("show", launch_of(call), "--plots", "again", "--benchmark", "scores.csv")
    assert again.code == 0, again.err
    for name in files:
        assert (call.folder / "again" / name).read_bytes() == (
            call.folder / "new" / "plots" / name
        ).read_bytes()


def test_own_prompts_are_used(call: Caller) -> None:
    own = (
        "=== user ===\nPlease choose. $question\n\n"
        + PROMPTS_OF["eqt"]["choice"].text.partition("=== user ===")[0]
    )
    (call.folder / "own.txt").write_text(own)
    said = call("eqt", "Gold", "-t", WEAK, *SMALL, *QUIET, "--prompt", "choice=own.txt", "--json")
    assert said.code == 0, said.err
    assert EqtResult.model_validate_json(said.out).spec.prompts == {"choice": own}
    asking: list[dict[str, Any]] = json.loads(
        call("show", "last", "--path", "c001.q1.a0", "--json").out
    )["items"]
    assert asking[-1]["prompt"][0]["text"].startswith("Please choose.")
