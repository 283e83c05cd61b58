"""Explain-Query-Tests by the command line, for tests: two targets of a simulated world, and what
they print."""

import json
from pathlib import Path

import pytest

from ..command_line import Caller, Said

WEAK, STRONG = "sim:accuracy=0.3,instability=0.5", "sim:accuracy=0.9,instability=0.0"
SMALL = ["--questions", "2", "--paraphrases", "1", "--options", "5"]
QUIET = ["--display", "none"]
SCORES = [
    (WEAK, "metals", 0.5),
    (WEAK, "gases", 0.4),
    (STRONG, "metals", 0.8),
    (STRONG, "gases", 0.9),
]


def eqt_caller(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Caller:
    """A caller in a folder with `concepts.txt`, three in two categories, and `scores.csv`, the
    benchmark `SCORES`."""
    caller = Caller(tmp_path, monkeypatch, capsys)
    monkeypatch.setenv(
        "FATHOM_CACHE", str(tmp_path / "cache" / "cache.sqlite")
    )  # the caller clears all settings
    (tmp_path / "concepts.txt").write_text("[metals]\nGold\nSilver\n[gases]\nNeon\n")
    rows = "".join(f'"{model}",{category},{score}\n' for model, category, score in SCORES)
    (tmp_path / "scores.csv").write_text(f"model,category,score\n{rows}")
    return caller


def both(call: Caller, *words: str) -> Said:
    """Both targets on the concepts of the file."""
    return call("eqt", "--concepts", "concepts.txt", "-t", WEAK, "-t", STRONG, *SMALL, *words)


def launch_of(call: Caller) -> str:
    run = next(run for run in call.runs if run.is_dir())
    launch = json.loads((run / "launch.json").read_bytes())["launch"]
    assert isinstance(launch, str)
    return launch
