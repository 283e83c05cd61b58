"""What `fathom eqt` says around a run: notices beforehand, words of its help, and what it found
when a plot fails."""

import sys
from io import BytesIO, TextIOWrapper
from pathlib import Path

import pytest

from fathom.commands import show_options
from fathom.sim.personas import CHOICE_KEYS
from fathom.state.errors import UsageError

from ...support.command_line import Caller
from ...support.eqt.commands import QUIET, SMALL, WEAK, eqt_caller


@pytest.fixture
def call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Caller:
    return eqt_caller(tmp_path, monkeypatch, capsys)


@pytest.mark.parametrize("command", [["eqt"], ["plan", "eqt"]])
def test_a_concept_named_twice_is_told_before_it_is_asked_about_once(
    call: Caller, command: list[str]
) -> None:
    words = [*command, "Gold", "gold", "-t", WEAK, *SMALL]
    said = call(*words, "--display", "lines")
    assert said.code == 0, said.err
    concept = said.err.splitlines()[0]
    assert concept == "Repeats in the command line are asked about once: 'gold'."
    assert call(*words, *QUIET).err == ""


def test_a_plot_that_fails_at_the_end_does_not_look_like_a_refusal(
    call: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> list[Path]:
        raise UsageError(
            "The folder plots for the pictures cannot be made (No space left): name another one."
        )

    monkeypatch.setattr(show_options, "save", full)
    said = call("eqt", "Gold", "-t", WEAK, *SMALL, *QUIET, "--plots", "plots")
    assert said.code == 1
    assert "accuracy" in said.out
    assert "No space left" in said.err
    assert (call.runs[0] / "result.json").is_file()


@pytest.mark.parametrize("flag", ["--concepts", "--benchmark"])
def test_a_file_may_come_from_stdin(
    call: Caller, monkeypatch: pytest.MonkeyPatch, flag: str
) -> None:
    files = {"--concepts": "concepts.txt", "--benchmark": "scores.csv"}
    words = ["plan", "eqt", "-t", WEAK, *SMALL, "--json"]
    whole = call(*words, *(part for pair in files.items() for part in pair))
    monkeypatch.setattr(
        sys, "stdin", TextIOWrapper(BytesIO((call.folder / files[flag]).read_bytes()))
    )
    said = call(*words, *(part for pair in (files | {flag: "-"}).items() for part in pair))
    assert (said.code, said.out) == (0, whole.out)


def test_help_says_how_a_simulated_model_is_set_up_and_what_replay_is_for(call: Caller) -> None:
    said = call("eqt", "--help").out
    assert said.count("sim:accuracy=0.7,instability=0.2") >= 2
    assert [key for key in CHOICE_KEYS if key not in said] == []
    assert "for runs of any method" in " ".join(call("replay", "--help").out.split())
