"""Runs of `fathom eqt` afterwards: shown, listed, frozen, computed again, resumed."""

from pathlib import Path

import pytest

from ...support.command_line import Caller
from ...support.eqt.commands import (
    QUIET,
    SMALL,
    WEAK,
    eqt_caller,
)


@pytest.fixture
def call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Caller:
    return eqt_caller(tmp_path, monkeypatch, capsys)


@pytest.mark.parametrize(
    ("this", "that"), [('"index":0', '"index":7'), ('"concept":0', '"concept":7')]
)
def test_a_journal_that_contradicts_itself_fails_in_one_sentence(
    call: Caller, this: str, that: str
) -> None:
    call("eqt", "Gold", "-t", WEAK, *SMALL, *QUIET)
    journal = call.runs[0] / "events.jsonl"
    journal.write_text(journal.read_text().replace(this, that))
    said = call("replay", "last")
    assert (said.code, said.err.count("\n")) == (1, 1)
    assert "Internal error" not in said.err


def test_what_is_for_other_methods_is_refused_in_one_sentence(call: Caller) -> None:
    call("eqt", "Gold", "-t", WEAK, *SMALL, *QUIET)
    call(
        "drill",
        "Noble gases",
        "-n",
        "2",
        "--max-depth",
        "1",
        "-t",
        "sim:expert",
        "-e",
        "sim:evaluator",
        *QUIET,
    )
    drill, eqt = (
        next(run.name for run in call.runs if f"-{method}-" in run.name)
        for method in ("drill", "eqt")
    )
    (call.folder / "taken").write_text("a file")
    before = sorted(call.folder.rglob("*"))
    for words, part in (
        (
            ["judge", eqt, "--judge", "sim:expert"],
            "Only a drill",
        ),
        (
            ["show", drill, "--benchmark", "scores.csv"],
            "has no score of",
        ),
        (["show", eqt, "--path", "c001", "--plots", "plots"], "leave one of them out"),
        (["show", eqt, "--path", "c002"], "c002"),
        (["show", eqt, "--path", "d01.s00.r0"], "This run has no part named"),
        (["show", eqt, "--plots", "taken"], "taken cannot be written"),
        (["show", eqt, "--benchmark", "gone.csv"], "no file gone.csv"),
    ):
        said = call(*words)
        assert (said.code, said.out, said.err.count("\n")) == (2, "", 1), said
        assert part in said.err
    assert sorted(call.folder.rglob("*")) == before
