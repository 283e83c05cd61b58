"""Runs of `fathom eqt` afterwards: shown, listed, frozen, computed again, resumed."""

import json
import re
import shutil
from pathlib import Path

import pytest

from ...support.command_line import Caller
from ...support.eqt.commands import (
    QUIET,
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


def test_show_says_what_the_launch_said(call: Caller) -> None:
    ended = both(call, "--benchmark", "scores.csv", *QUIET)
    launch = launch_of(call)
    assert call("show", launch, "--benchmark", "scores.csv").out == ended.out
    without = call("show", launch)
    assert "Accuracy in %" in without.out
    assert len(without.out) < len(ended.out)
    document, results = document_of(call("show", launch, "--json").out)
    assert document.benchmark is None
    assert len(results) == 2
    alone = call("show", call.runs[0].name, "--benchmark", "scores.csv", "--json")
    assert document_of(alone.out)[0].benchmark is not None
    full = call("show", call.runs[0].name)
    assert "shuffled-options" in full.out, "every deviation from the paper is listed"


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
        (["replay", eqt, "-t", "sim:expert"], f"fathom eqt --examiner {WEAK} --target MODEL"),
        (
            ["replay", eqt, "--judge", "sim:expert"],
            "is an Explain-Query-Test, whose questions replay puts to no other",
        ),
        (
            ["show", drill, "--benchmark", "scores.csv"],
            "--benchmark is for results of Explain-Query-Tests",
        ),
        (["show", drill, "--path", "d01.s00.r0", "--with-prompts"], "keeps no prompts"),
        (["show", eqt, "--with-prompts"], "--with-prompts goes with --path"),
        (["show", eqt, "--path", "c001", "--plots", "plots"], "leave one out"),
        (["show", eqt, "--path", "c002"], "c002"),
        (["show", eqt, "--path", "d01.s00.r0"], "This run has no part named"),
        (["show", eqt, "--plots", "taken"], "taken is a file"),
        (["show", eqt, "--benchmark", "gone.csv"], "no file gone.csv"),
    ):
        said = call(*words)
        assert (said.code, said.out, said.err.count("\n")) == (2, "", 1), said
        assert part in said.err
    assert sorted(call.folder.rglob("*")) == before


def test_a_budget_cuts_a_launch_off_and_resuming_it_ends_with_the_same_tables(call: Caller) -> None:
    whole = both(call, *QUIET, "--no-cache")
    shutil.rmtree(call.folder / "runs")
    cut = both(call, *QUIET, "--no-cache", "--max-calls", "40")
    assert cut.code == 3, cut.err
    launch = launch_of(call)
    assert "Resume: fathom resume" in cut.err
    resumed = call("resume", launch, "--max-calls", "10000", *QUIET)
    assert (resumed.code, resumed.err) == (0, ""), resumed.err
    assert tables(resumed.out) == tables(whole.out)
    assert "Accuracy in %" in resumed.out
    over = call("resume", launch, "--json")
    assert document_of(over.out)[0].targets == (WEAK, STRONG)


def tables(text: str) -> str:
    """The output without what differs between runs: ids, folders, times, and the lengths of what
    was asked anew."""
    kept = [line for line in text.splitlines() if not line.startswith(("took ", "Results: "))]
    return re.sub(r"[0-9a-f]{8}", "ID", "\n".join(kept))


def test_several_runs_without_a_result_are_one_document_too(call: Caller) -> None:
    said = both(call, "--max-calls", "1", "--json", *QUIET)
    assert said.code == 3, said.err
    document = json.loads(said.out)
    assert document["method"] == "eqt_comparison"
    assert document["simulated"]
    assert [(run["method"], run["status"]) for run in document["runs"]] == [("eqt", "partial")] * 2
