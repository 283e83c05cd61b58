"""The whole program on a real pseudo-terminal: what a person sees while it runs, on Ctrl-C, and at
the end."""

import os
import re
from pathlib import Path

import pytest

from ..support.programs import Programs
from ..support.screen import active_characters
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
SLOW = ["--sim", "latency=0.1", "--max-depth", "4"]
COLOUR = re.compile(r"\x1b\[[0-9;]*(?:3[0-8]|9[0-7]|4[0-8])[0-9;]*m")


def environ(runs: Path, **extra: str) -> dict[str, str]:
    kept = {
        name: os.environ[name]
        for name in ("PATH", "HOME", "PYTHONPATH", "PYTHONSAFEPATH", "FATHOM_CACHE")
        if name in os.environ
    }
    return {**kept, "TERM": "xterm-256color", "LANG": "C.UTF-8", "FATHOM_RUNS": str(runs), **extra}


def in_flight(rows: list[str]) -> bool:
    return any("of 8 scored" in row for row in rows) and any(
        row.startswith("calls in flight") for row in rows
    )


def whole_frame(rows: list[str]) -> bool:
    """One frame, from the first row on, and nothing left of another."""
    heads = [number for number, row in enumerate(rows) if row.startswith("  run ")]
    return heads == [1] and sum(row.startswith("calls in flight") for row in rows) == 1


@pytest.mark.parametrize(("width", "height"), [(60, 15)])
def test_a_drill_from_start_to_end(
    programs: Programs, tmp_path: Path, width: int, height: int
) -> None:
    words = [*DRILL, *SLOW, "--display", "tree"]
    with Terminal(programs, *words, width=width, height=height, env=environ(tmp_path)) as terminal:
        rows = terminal.until(in_flight)
        head = next(row for row in rows if row.startswith("Chemical elements · sim:student"))
        assert "SIMULATED" in head
        terminal.until(lambda rows: any(row.startswith(" 1 common 1") for row in rows))
        assert sum(row.startswith("Chemical elements · sim:student") for row in terminal.rows) == 1
        assert not terminal.scrolled, "the frame never grew beyond the screen"
        assert terminal.end() == 0
        everything = "\n".join([*terminal.scrolled, *terminal.rows])
        assert not terminal.screen.cursor.hidden
    assert re.search(r"EVD (at least )?\d+\.\d\d \(95% interval ", everything)
    assert "Results: " in everything
    assert COLOUR.search(terminal.raw)
    (run,) = tmp_path.iterdir()
    assert (run / "result.json").is_file()


def test_no_color(programs: Programs, tmp_path: Path) -> None:
    words = [*DRILL, "--max-depth", "2", "--display", "tree"]
    with Terminal(
        programs, *words, width=80, height=24, env=environ(tmp_path, NO_COLOR="1")
    ) as terminal:
        assert terminal.end() == 0
    assert not COLOUR.search(terminal.raw)


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
            lambda rows: any(row.startswith(" 1 common 1") and "%" in row for row in rows)
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
        heads = [row for row in everything.splitlines() if row.rstrip().endswith(" SIMULATED")]
        assert len(heads) == 1, "the frame was redrawn in its place, whatever the terminal echoed"
        assert not terminal.screen.cursor.hidden
    (run,) = tmp_path.iterdir()
    assert "Traceback" not in everything
    assert run.name[-8:] in everything
    assert (run / "events.jsonl").read_bytes().endswith(b"\n")


def test_a_pipe_gets_plain_lines(programs: Programs, tmp_path: Path) -> None:
    done = programs.run(*DRILL, "--max-depth", "2", env=environ(tmp_path))
    assert done.returncode == 0, done.stderr
    assert not active_characters(done.stderr + done.stdout)
    assert sum(" d01.s" in line for line in done.stderr.splitlines()) >= 8
    assert "SIMULATED" in done.stdout


def test_a_resized_terminal_is_redrawn(programs: Programs, tmp_path: Path) -> None:
    child = "tests.support.live_child:main"
    with Terminal(
        programs, "0.01", function=child, width=120, height=40, env=environ(tmp_path)
    ) as terminal:
        terminal.until(lambda rows: any(row.startswith(" 2 common 2") for row in rows))
        terminal.resize(70, 18)
        terminal.until(whole_frame)  # what was drawn for the old size may still come first
        before = len(terminal.scrolled)
        terminal.until(lambda rows: any(row.startswith(" 4 textbook 1") for row in rows))
        assert whole_frame(terminal.rows)
        assert len(terminal.scrolled) == before
        terminal.until(lambda rows: any("the end" in row for row in rows))
        assert sum(row.startswith("calls in flight") for row in terminal.rows) == 1
        assert terminal.end() == 0
