"""Disks that are full and folders that cannot be written: a clear sentence, nothing finished is
lost, and once that is mended the run ends like one that nothing happened to."""

import os
import resource
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest

from fathom.graphs.run.deps import utc_now
from fathom.graphs.run.folder import RunFolder
from fathom.graphs.run.launch import Launch, LaunchOptions
from fathom.sim.server import Timing
from fathom.state.errors import RunFailed, UsageError
from fathom.state.events import Event, Notice
from fathom.state.result import DrillResult
from fathom.tools.runs.folders import read_events, read_result
from fathom.tools.runs.journal import Journal

from ...support.command_line import STUDENT
from ...support.drill.drills import drill, lasting, sim_spec
from ...support.killed import environment
from ...support.programs import Programs
from ...support.resuming import (
    SIZE,
    at_probe,
    folder_names,
    resumed,
    stopped,
    types_of,
    uninterrupted,
    whole,
)

DRILL = [
    "drill",
    "Chemical elements",
    *STUDENT,
    "-n",
    "6",
    "--max-depth",
    "4",
    "--threshold",
    "0.001",
]
QUIET = ["--display", "none"]


@contextmanager
def files_no_larger_than(size: int) -> Iterator[None]:
    """A write beyond that many bytes of a file fails, after as much as has room."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@contextmanager
def read_only(folder: Path) -> Iterator[None]:
    """Whatever is in the folder can be read and not changed. For root, whom no permission holds
    back, by a mount."""
    if os.geteuid() != 0:
        modes = {path: path.stat().st_mode for path in (folder, *folder.rglob("*"))}
        for path in modes:
            path.chmod(0o555)
        yield
        for path, mode in modes.items():
            path.chmod(mode)
        return
    words = [
        ["mount", "--bind", str(folder), str(folder)],
        ["mount", "-o", "remount,ro,bind", str(folder)],
    ]
    try:
        for command in words:
            subprocess.run(command, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("root cannot mount a folder read-only here")
    try:
        yield
    finally:
        subprocess.run(["umount", str(folder)], check=True)


Fathom = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def fathom(programs: Programs, tmp_path: Path) -> Fathom:
    """Runs the program, with a cache beside the runs."""
    return partial(
        programs.run, env=environment(tmp_path) | {"FATHOM_RUNS": str(tmp_path / "runs")}
    )


def test_a_line_that_has_no_room_leaves_no_trace(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    journal = Journal(path, utc_now)
    note = partial(Notice, run_id="run", level="info")

    async def emit(event: Event) -> None:
        await journal.emit(event)

    def write(message: str) -> None:
        emit(note(message=message)).send(None)

    with pytest.raises(StopIteration):
        write("first")
    size = path.stat().st_size
    with (
        files_no_larger_than(size + 40),
        pytest.raises(RunFailed, match=r"cannot be written \(File too large\)"),
    ):
        write("x" * 200)
    assert path.stat().st_size == size, "the forty bytes that had room were taken back"
    with pytest.raises(StopIteration):
        write("second")
    journal.close()
    events = list(read_events(tmp_path))
    assert [(event.seq, getattr(event, "message", "")) for event in events] == [
        (1, "first"),
        (2, "second"),
    ]


async def test_a_disk_that_fills_up(fathom: Fathom, tmp_path: Path) -> None:
    """Every file of a process has its limit: the cache and the journal."""
    full = fathom(*DRILL, *QUIET, limits={resource.RLIMIT_FSIZE: 60_000})
    (run,) = (tmp_path / "runs").iterdir()
    kept = [event.probe.id for event in read_events(run) if event.type == "probe_judged"]
    assert full.returncode == 1, full.stderr
    assert full.stderr.startswith("Error: ")
    assert "free the disk" in full.stderr.lower()
    assert kept
    mended = fathom("resume", run.name, *QUIET)
    assert mended.returncode == 0, mended.stderr
    result = read_result(run)
    assert result is not None
    assert lasting(result) == lasting(whole(await drill(result.spec)))
    judged = [event.probe.id for event in read_events(run) if event.type == "probe_judged"]
    assert len(judged) == len(set(judged)), "nothing that was kept was played again"
    assert set(kept) <= set(judged)


async def test_a_log_that_has_no_room_costs_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(RunFolder, "log", Path("/dev/full"))
    (report,) = await Launch[DrillResult](
        [sim_spec(**SIZE)], LaunchOptions(runs=tmp_path)
    ).run()
    assert (report.status, report.error) == ("complete", None)
    assert capfd.readouterr().err == ""


async def test_a_result_that_has_no_room_is_written_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(self: RunFolder, result: DrillResult) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as full:
        full.setattr(RunFolder, "write_result", refuse)
        (report,) = await Launch[DrillResult](
            [sim_spec(**SIZE)], LaunchOptions(runs=tmp_path)
        ).run()
    assert (report.status, report.exit_code) == ("failed", 1)
    assert report.folder is not None
    assert "result.json" not in folder_names(report.folder)
    assert types_of(report.folder)[-1] == "run_finished"
    again = await resumed(report.folder)
    assert again.exit_code == 0
    assert lasting(whole(again)) == lasting(whole(report))
    assert read_result(report.folder) == again.result


async def test_a_folder_that_cannot_be_written(fathom: Fathom, tmp_path: Path) -> None:
    truth = await uninterrupted()
    folder = await stopped(tmp_path / "runs", at_probe(2, 2))
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    with read_only(folder):
        with pytest.raises(
            UsageError, match=r"The run folder .* cannot be written \((Read-only|Permission)"
        ):
            await resumed(folder)
        assert fathom("resume", "last", *QUIET).returncode == 2
        assert fathom("show", "last").returncode == 0
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
    assert lasting(whole(await resumed(folder))) == truth


async def test_a_folder_that_can_no_longer_be_written(tmp_path: Path) -> None:
    """It was writable when the run began: the journal is open, the result is
    refused."""
    truth = await uninterrupted()
    folders: list[Path] = []
    undo: list[object] = []

    def listen(event: Event) -> None:
        if event.type == "depth_closed" and event.row.depth == 2:
            (folder,) = (tmp_path / "runs").iterdir()
            folders.append(folder)
            mounted = read_only(folder)
            mounted.__enter__()
            undo.append(mounted)

    launch = Launch[DrillResult](
        [sim_spec(**SIZE)],
        LaunchOptions(runs=tmp_path / "runs", timing=Timing(latency_s=0.01)),
        [listen],
    )
    try:
        (report,) = await launch.run()
    finally:
        for mounted in undo:
            mounted.__exit__(None, None, None)  # type: ignore[attr-defined]  # a context manager
    assert (report.status, report.exit_code) == ("failed", 1)
    again = await resumed(folders[0])
    assert lasting(whole(again)) == truth
