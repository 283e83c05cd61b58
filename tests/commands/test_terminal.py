"""The whole program on a real pseudo-terminal: what a person sees while it runs, on Ctrl-C, and at
the end."""

import os
import re
from pathlib import Path

import pytest

from ..support.programs import Programs
from ..support.terminal import CTRL_C, Terminal

pytestmark = pytest.mark.terminal

DRILL = [
    "drill",
    "Chemical elements",
    "--target",
    "sim:student",
    "--evaluator",
    "sim:evaluator",
    "-n",
    "8",
]
SLOW = ["--sim", "latency=0.1", "--max-depth", "2"]
COLOUR = re.compile(r"\x1b\[[0-9;]*(?:3[0-8]|9[0-7]|4[0-8])[0-9;]*m")


def environ(runs: Path, **extra: str) -> dict[str, str]:
    kept = {
        name: os.environ[name]
        for name in ("PATH", "HOME", "PYTHONPATH", "PYTHONSAFEPATH", "FATHOM_CACHE")
        if name in os.environ
    }
    return {
        **kept,
        "TERM": "xterm-256color",
        "LANG": "C.UTF-8",
        "FATHOM_RUNS": str(runs),
        **extra,
    }


HEAD = " SIMULATED  Chemical elements · sim:student"


def in_flight(rows: list[str]) -> bool:
    return any("of 8 scored" in row for row in rows) and any(
        row.startswith("calls in flight") for row in rows
    )


@pytest.mark.parametrize(("width", "height"), [(60, 15)])
def test_a_drill_from_start_to_end(
    programs: Programs, tmp_path: Path, width: int, height: int
) -> None:
    words = [*DRILL, *SLOW, "--display", "tree"]
    with Terminal(
        programs, *words, width=width, height=height, env=environ(tmp_path)
    ) as terminal:
        rows = terminal.until(in_flight)
        assert any(row.startswith(HEAD) for row in rows)
        terminal.until(lambda rows: any(row.startswith("1 common 1") for row in rows))
        assert sum(row.startswith(HEAD) for row in terminal.rows) == 1
        assert not terminal.scrolled, "the frame never grew beyond the screen"
        assert terminal.end() == 0
        everything = "\n".join([*terminal.scrolled, *terminal.rows])
        assert not terminal.screen.cursor.hidden
    assert re.search(
        r"EVD\) (≥ |at least )?\d\.\d\d of 2 \(95% interval ", " ".join(everything.split())
    )
    assert "Results: " in everything
    assert COLOUR.search(terminal.raw)
    (run,) = tmp_path.iterdir()
    assert (run / "result.json").is_file()


def test_ctrl_c_ends_cleanly_and_says_what_is_kept(programs: Programs, tmp_path: Path) -> None:
    words = [
        *DRILL,
        "--sim",
        "latency=0.3",
        "--max-depth",
        "4",
        "--display",
        "tree",
    ]  # a busy machine draws late
    with Terminal(programs, *words, width=100, height=30, env=environ(tmp_path)) as terminal:
        terminal.until(
            lambda rows: any(row.startswith("1 common 1") and "(" in row for row in rows)
        )
        # between two depths nothing is in flight, and when its last probes end the program ends at
        # once
        terminal.until(
            lambda rows: (
                any(re.match("calls in flight [1-9]", row) for row in rows)
                and any("0 of 8 scored" in row for row in rows)
            )
        )
        terminal.press(CTRL_C)
        assert terminal.end(timeout_s=30) == 130
        assert re.search("stopping: .*Ctrl-C again", terminal.raw), (
            "for as long as a busy machine left it there"
        )
        everything = "\n".join([*terminal.scrolled, *terminal.rows])
        heads = [row for row in everything.splitlines() if row.startswith(HEAD)]
        assert len(heads) == 1, (
            "the frame was redrawn in its place, whatever the terminal echoed"
        )
        assert not terminal.screen.cursor.hidden
    (run,) = tmp_path.iterdir()
    assert "Traceback" not in everything
    assert run.name[-8:] in everything
    assert (run / "events.jsonl").read_bytes().endswith(b"\n")
