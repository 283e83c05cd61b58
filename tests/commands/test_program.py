"""The installed program as a process: Ctrl-C, broken pipes, files in place of terminals, `python -m fathom`."""

import os
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO

import pytest

from fathom import __version__
from fathom.state.events import EVENT, RunFinished
from fathom.state.result import DrillResult

from ..support.command_line import PROGRAM, SMALL, STUDENT
from ..support.screen import active_characters
from ..support.terminal import Terminal
from .test_terminal import COLOUR, environ

DRILL = [PROGRAM, "drill", "Chemical elements", *STUDENT]
FAST = [*DRILL, *SMALL]
GRACE_S = 5.0
"""How long an interrupted program waits for what is in flight."""
LONG_S = 30.0
"""Long enough to write what there is and leave, on any machine; well below what a simulated model of 60 s takes."""
PATIENT = [
    sys.executable,
    "-c",
    "import runpy, fathom.graphs.run.launch as it; it.GRACE_S = 600.0; runpy.run_module('fathom', run_name='__main__')",
]
"""The program with a grace that no test outlasts."""


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    return environ(tmp_path / "runs", PYTHONSAFEPATH="1")


class Running:
    """A drill in a process of its own, with lines on stderr."""

    def __init__(self, folder: Path, env: dict[str, str], *words: str, program: Sequence[str] = (PROGRAM,)) -> None:
        self.folder = folder
        self.process = subprocess.Popen(
            [*program, *DRILL[1:], "-n", "3", "--max-depth", "8", "--display", "lines", *words],
            cwd=folder,
            env=env,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.err = ""
        self.out = ""

    def until(self, part: str) -> None:
        """Read stderr until a line has the part."""
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.err += line
            if part in line:
                return
        raise AssertionError(f"never said {part!r}:\n{self.err}")

    def interrupt(self, *numbers: signal.Signals) -> float:
        """Send the signals, a moment apart; returns the seconds from the last one to the end."""
        for place, number in enumerate(numbers):
            time.sleep(0.3 if place else 0)  # as fast as a person presses twice; two signals at once would be one
            self.process.send_signal(number)
        sent = time.monotonic()
        self.out, rest = self.process.communicate(timeout=60)
        self.err += rest
        return time.monotonic() - sent

    @property
    def run(self) -> Path:
        (run,) = (self.folder / "runs").iterdir()
        return run

    def ended_cleanly(self) -> None:
        """Exit code 130, one last sentence that names the folder, a whole journal that says how it ended."""
        assert self.process.returncode == 130, self.err
        assert "Traceback" not in self.err
        last = self.err.splitlines()[-1]
        assert "stopping: " in self.err
        assert self.err.count("Ctrl-C again to leave now") == 1
        judged = sum('"type":"probe_judged"' in line for line in (self.run / "events.jsonl").read_text().splitlines())
        assert last.startswith(f"Interrupted: {judged} finished probe{'' if judged == 1 else 's'} in ")
        assert f" saved in {self.run}. Resume: fathom resume {self.run.name[-8:]} --runs " in last
        assert not active_characters(self.err)
        journal = (self.run / "events.jsonl").read_text()
        assert journal.endswith("\n")
        events = [EVENT.validate_json(line) for line in journal.splitlines()]
        assert [event.seq for event in events] == list(range(1, len(events) + 1))
        assert isinstance(events[-1], RunFinished)
        assert events[-1].status == "interrupted"


@pytest.fixture
def running(tmp_path: Path, env: dict[str, str]) -> Iterator[list[Running]]:
    """Drills that are still running when the test ends are killed."""
    started: list[Running] = []
    yield started
    for drill in started:
        drill.process.kill()
        drill.process.communicate()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_keeps_the_closed_depths(
    tmp_path: Path, env: dict[str, str], running: list[Running], number: signal.Signals
) -> None:
    running.append(drill := Running(tmp_path, env, "--sim", "latency=0.1"))
    drill.until("depth 1 closed")
    assert drill.interrupt(number) < GRACE_S
    drill.ended_cleanly()
    result = DrillResult.model_validate_json((drill.run / "result.json").read_bytes())
    assert (result.status, result.stop_reason) == ("interrupted", "interrupted")
    assert len(result.depths) >= 1
    assert f"Interrupted: {len(result.probes)} finished probes in {len(result.depths)} closed depth" in drill.err
    assert "interrupted at depth" in drill.out


def test_an_interrupt_of_the_opening_waits_no_longer_than_the_grace(
    tmp_path: Path, env: dict[str, str], running: list[Running]
) -> None:
    running.append(drill := Running(tmp_path, env, "--sim", "latency=60"))
    drill.until("SIMULATED")
    assert GRACE_S - 1 < drill.interrupt(signal.SIGINT) < LONG_S
    drill.ended_cleanly()
    assert "Interrupted: 0 finished probes in 0 closed depths" in drill.err
    assert drill.out == ""
    assert not (drill.run / "result.json").exists()


def test_a_second_interrupt_does_not_wait(tmp_path: Path, env: dict[str, str], running: list[Running]) -> None:
    running.append(drill := Running(tmp_path, env, "--sim", "latency=60", program=PATIENT))
    drill.until("SIMULATED")
    drill.interrupt(signal.SIGINT, signal.SIGINT)
    drill.ended_cleanly()


def ended(words: list[str], env: dict[str, str], *, stdout: int | IO[bytes], stderr: int | IO[bytes]) -> int:
    return subprocess.run(words, env=env, stdout=stdout, stderr=stderr, timeout=60, check=False).returncode


def closed_pipe() -> int:
    """The writing end of a pipe that nobody reads any more."""
    reading, writing = os.pipe()
    os.close(reading)
    return writing


def test_a_reader_that_goes_away_costs_no_result(tmp_path: Path, env: dict[str, str]) -> None:
    pipe = closed_pipe()
    with (tmp_path / "err").open("wb") as err:
        assert ended([*FAST, "--display", "none"], env, stdout=pipe, stderr=err) == 1
    os.close(pipe)
    assert (tmp_path / "err").read_text() == ""
    (run,) = (tmp_path / "runs").iterdir()
    assert DrillResult.model_validate_json((run / "result.json").read_bytes()).status == "complete"


def test_a_screen_that_goes_away_costs_no_result(tmp_path: Path, env: dict[str, str]) -> None:
    pipe = closed_pipe()
    with (tmp_path / "out").open("wb") as out:
        assert ended([*FAST, "--json"], env, stdout=out, stderr=pipe) == 0
    os.close(pipe)
    assert DrillResult.model_validate_json((tmp_path / "out").read_bytes()).status == "complete"


def test_a_reader_of_events_that_has_seen_enough_ends_the_drill(tmp_path: Path, env: dict[str, str]) -> None:
    words = [*DRILL, "-n", "3", "--max-depth", "15", "--threshold", "0.001", "--sim", "latency=0.05"]
    with subprocess.Popen(
        [*words, "--display", "events"], env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert EVENT.validate_json(process.stdout.readline()).type == "run_started"
        process.stdout.close()
        err = process.stderr.read()
    assert process.returncode == 130
    first, second = err.splitlines()
    assert first.startswith("The events can no longer be written to stdout")
    assert second.startswith("Interrupted: ")
    (run,) = (tmp_path / "runs").iterdir()
    assert EVENT.validate_json((run / "events.jsonl").read_text().splitlines()[-1]).type == "run_finished"


def test_streams_closed_before_the_start(tmp_path: Path, env: dict[str, str]) -> None:
    script = f"exec {shlex.join(FAST)} >&- 2>&- <&-"
    assert ended(["sh", "-c", script], env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) == 0
    (run,) = (tmp_path / "runs").iterdir()
    assert (run / "result.json").exists()
    for line in (run / "events.jsonl").read_text().splitlines():
        EVENT.validate_json(line)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize("words", [["schema"], ["--version"]])
def test_an_output_that_cannot_be_written_is_said_in_one_sentence(
    tmp_path: Path, env: dict[str, str], words: list[str]
) -> None:
    with open("/dev/full", "wb") as full, (tmp_path / "err").open("wb") as err:
        assert ended([PROGRAM, *words], env, stdout=full, stderr=err) == 1
    assert (tmp_path / "err").read_text() == "Error: The output cannot be written: No space left on device.\n"


@pytest.mark.terminal
def test_show_has_colours_on_a_terminal_unless_they_are_not_wanted(tmp_path: Path, env: dict[str, str]) -> None:
    assert ended([*FAST, "--display", "none"], env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) == 0
    seen = []
    for extra in ({}, {"NO_COLOR": "1"}):
        with Terminal([PROGRAM, "show", "last"], width=100, height=40, env={**env, **extra}) as terminal:
            assert terminal.end() == 0
            seen.append(bool(COLOUR.search(terminal.raw)))
    assert seen == [True, False]


def test_python_m_is_the_same_program(env: dict[str, str]) -> None:
    for words in ([PROGRAM], [sys.executable, "-m", "fathom"]):
        done = subprocess.run([*words, "--version"], env=env, capture_output=True, text=True, timeout=60, check=True)
        assert (done.stdout, done.stderr) == (f"fathom {__version__}\n", "")
