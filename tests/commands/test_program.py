"""The installed program as a process: Ctrl-C, broken pipes, files in place of terminals, `python -m
fathom`."""

import os
import shlex
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from fathom.state.events import EVENT, RunFinished
from fathom.state.result import DrillResult

from ..support.command_line import PROGRAM, SMALL, STUDENT
from ..support.programs import PIPE, Programs
from ..support.screen import active_characters
from .test_terminal import environ

DRILL = ["drill", "Chemical elements", *STUDENT]
FAST = [*DRILL, *SMALL]
GRACE = "fathom.graphs.run.launch:GRACE_S"
"""How long an interrupted program waits for what is in flight."""
GRACE_S = 5.0
LONG_S = 30.0
"""Long enough to write what there is and leave, on any machine; well below what a simulated model
of 60 s takes."""
PATIENT = {GRACE: 600.0}
"""A grace that no test outlasts."""
HASTY = {GRACE: 1.0}


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    return environ(tmp_path / "runs", PYTHONSAFEPATH="1")


class Running:
    """A drill in a process of its own, with lines on stderr."""

    def __init__(
        self, programs: Programs, folder: Path, env: dict[str, str], *words: str, **options: Any
    ) -> None:
        self.folder = folder
        lines = [*DRILL, "-n", "3", "--max-depth", "8", "--display", "lines", *words]
        self.process = programs.start(
            *lines, cwd=folder, env=env, stdout=PIPE, stderr=PIPE, **options
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
        """Send the signals, each after an answer to the one before: two at once would be one.
        Returns the seconds from the last one to the end."""
        for place, number in enumerate(numbers):
            if place:
                self.until("stopping: ")
            self.process.send_signal(number)
        sent = time.monotonic()
        self.out, rest = self.process.communicate()
        self.err += rest
        return time.monotonic() - sent

    @property
    def run(self) -> Path:
        (run,) = (self.folder / "runs").iterdir()
        return run

    def ended_cleanly(self) -> None:
        """Exit code 130, one last sentence that names the folder, a whole journal that says how it
        ended."""
        assert self.process.returncode == 130, self.err
        assert "Traceback" not in self.err
        assert "stopping: " in self.err
        assert self.err.count("Ctrl-C again to leave now") == 1
        judged = sum(
            '"type":"probe_judged"' in line
            for line in (self.run / "events.jsonl").read_text().splitlines()
        )
        assert f"\nInterrupted: {judged} finished probe" in self.err
        assert (
            f" saved in {self.run}.\nResume: fathom resume {self.run.name[-8:]} --runs "
            in self.err
        )
        assert not active_characters(self.err)
        journal = (self.run / "events.jsonl").read_text()
        assert journal.endswith("\n")
        events = [EVENT.validate_json(line) for line in journal.splitlines()]
        assert [event.seq for event in events] == list(range(1, len(events) + 1))
        assert isinstance(events[-1], RunFinished)
        assert events[-1].status == "interrupted"


@pytest.fixture
def drilling(
    programs: Programs, tmp_path: Path, env: dict[str, str]
) -> Iterator[Callable[..., Running]]:
    """Starts drills; those that are still running when the test ends are killed."""
    with ExitStack() as started:

        def start(*words: str, **options: Any) -> Running:
            drill = Running(programs, tmp_path, env, *words, **options)
            started.enter_context(drill.process)
            return drill

        yield start


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_keeps_the_closed_depths(
    drilling: Callable[..., Running], number: signal.Signals
) -> None:
    drill = drilling("--sim", "latency=0.04")
    drill.until("depth 1 closed")
    assert drill.interrupt(number) < GRACE_S
    drill.ended_cleanly()
    result = DrillResult.model_validate_json((drill.run / "result.json").read_bytes())
    assert (result.status, result.stop_reason) == ("interrupted", "interrupted")
    assert len(result.depths) >= 1
    assert f"Interrupted: {len(result.probes)} finished probe" in drill.err
    assert "interrupted at depth" in drill.out


def test_an_interrupt_of_the_opening_waits_no_longer_than_the_grace(
    drilling: Callable[..., Running],
) -> None:
    drill = drilling("--sim", "latency=60", constants=HASTY)
    drill.until("SIMULATED")
    assert HASTY[GRACE] <= drill.interrupt(signal.SIGINT) < LONG_S
    drill.ended_cleanly()
    assert "Interrupted: 0 finished probes." in drill.err
    assert drill.out == ""
    assert not (drill.run / "result.json").exists()


def test_a_second_interrupt_does_not_wait(drilling: Callable[..., Running]) -> None:
    drill = drilling("--sim", "latency=60", constants=PATIENT)
    drill.until("SIMULATED")
    assert drill.interrupt(signal.SIGINT, signal.SIGINT) < LONG_S
    drill.ended_cleanly()


def closed_pipe() -> int:
    """The writing end of a pipe that nobody reads any more."""
    reading, writing = os.pipe()
    os.close(reading)
    return writing


def test_a_reader_that_goes_away_costs_no_result(
    programs: Programs, tmp_path: Path, env: dict[str, str]
) -> None:
    pipe = closed_pipe()
    done = programs.run(*FAST, "--display", "none", env=env, stdout=pipe)
    os.close(pipe)
    assert (done.returncode, done.stderr) == (1, "")
    (run,) = (tmp_path / "runs").iterdir()
    assert (
        DrillResult.model_validate_json((run / "result.json").read_bytes()).status == "complete"
    )


def test_a_reader_that_goes_away_costs_no_file(
    programs: Programs, tmp_path: Path, env: dict[str, str]
) -> None:
    (tmp_path / "questions.txt").write_text("Which is denser, iron or neon, and why?\n")
    graph = tmp_path / "graph.json"
    words = [
        "depthqa",
        "build",
        str(tmp_path / "questions.txt"),
        "-e",
        "sim:evaluator",
        "-o",
        str(graph),
    ]
    pipe = closed_pipe()
    done = programs.run(*words, "--display", "none", env=env, stdout=pipe)
    os.close(pipe)
    assert (done.returncode, done.stderr) == (1, "")
    assert graph.exists()


def test_a_screen_that_goes_away_costs_no_result(
    programs: Programs, env: dict[str, str]
) -> None:
    pipe = closed_pipe()
    done = programs.run(*FAST, "--json", env=env, stderr=pipe)
    os.close(pipe)
    assert done.returncode == 0
    assert DrillResult.model_validate_json(done.stdout).status == "complete"


def test_a_reader_of_events_that_has_seen_enough_ends_the_drill(
    programs: Programs, tmp_path: Path, env: dict[str, str]
) -> None:
    words = [
        *DRILL,
        "-n",
        "3",
        "--max-depth",
        "15",
        "--threshold",
        "0.001",
        "--sim",
        "latency=0.05",
    ]
    with programs.start(
        *words, "--display", "events", env=env, stdout=PIPE, stderr=PIPE
    ) as process:
        assert process.stdout is not None
        assert EVENT.validate_json(process.stdout.readline()).type == "run_started"
        process.stdout.close()
        _, err = process.communicate()
    assert process.returncode == 130
    first, second, _ = err.splitlines()
    assert first.startswith("The events can no longer be written to stdout")
    assert second.startswith("Interrupted: ")
    (run,) = (tmp_path / "runs").iterdir()
    assert (
        EVENT.validate_json((run / "events.jsonl").read_text().splitlines()[-1]).type
        == "run_finished"
    )


def test_streams_closed_before_the_start(tmp_path: Path, env: dict[str, str]) -> None:
    script = f"exec {shlex.join([PROGRAM, *FAST])} >&- 2>&- <&-"
    assert (
        subprocess.run(["sh", "-c", script], env=env, timeout=60, check=False).returncode == 0
    )
    (run,) = (tmp_path / "runs").iterdir()
    assert (run / "result.json").exists()
    for line in (run / "events.jsonl").read_text().splitlines():
        EVENT.validate_json(line)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize("words", [["schema"], ["--version"]])
def test_an_output_that_cannot_be_written_is_said_in_one_sentence(
    programs: Programs, env: dict[str, str], words: list[str]
) -> None:
    with open("/dev/full", "wb") as full:
        done = programs.run(*words, env=env, stdout=full)
    assert done.returncode == 1
    assert done.stderr == "Error: The output cannot be written: No space left on device.\n"
