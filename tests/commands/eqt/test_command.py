"""`fathom eqt` as a person uses it, over a simulated world of one's own."""

from pathlib import Path

import pytest

from fathom.state.eqt.result import EqtResult

from ...support.command_line import Caller
from ...support.eqt.commands import (
    SMALL,
    WEAK,
    eqt_caller,
)


@pytest.fixture
def call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Caller:
    return eqt_caller(tmp_path, monkeypatch, capsys)


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
    orders = {
        answer.order for c in result.concepts for q in c.questions for answer in q.answers
    }
    assert orders == {(0, 1, 2, 3, 4)}
    assert result.spec.seed == 7
