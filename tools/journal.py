"""The journal: the one stream of a run's events, kept in memory or appended to a file, and told to listeners."""

import errno
import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import BinaryIO, Protocol

from ..state.errors import RunFailed, UsageError
from ..state.events import (
    EVENT,
    DepthClosed,
    DepthPlanned,
    Event,
    Opened,
    ProbeJudged,
    RunFinished,
    RunResumed,
    RunStarted,
)
from ..state.records import Probe
from .eventfile import events_with_places, redone
from .log import get_logger

Listener = Callable[[Event], None]


@dataclass(slots=True)
class RunMemory:
    """What the barrier and the result need to know of one run, texts of probes apart."""

    seq: int = 0
    started: RunStarted | None = None
    resumed: list[RunResumed] = field(default_factory=list)
    finished: RunFinished | None = None
    """How the run ended; None again once it is resumed."""
    began_at: datetime | None = None
    """When the present sitting of the run began: its start, or the last time it was resumed."""
    last_at: datetime | None = None
    earlier_s: float = 0.0
    """Seconds of all sittings before the present one."""
    opened: Opened | None = None
    announced: set[tuple[int, int]] = field(default_factory=set)
    """(depth, round) pairs that were announced."""
    closed: dict[int, DepthClosed] = field(default_factory=dict)
    """Depth → how it closed."""
    probe_ids: list[str] = field(default_factory=list)
    """Ids of finished probes, in order of completion."""


class Sink(Protocol):
    """Where the events of one or several runs go, each under its run id. `emit` returns when the event is safe."""

    async def emit(self, event: Event) -> None: ...

    def run(self, run_id: str) -> RunMemory:
        """What is known of a run; empty for one that has not begun."""
        ...

    def get(self, run_id: str, probe_id: str) -> Probe | None:
        """A finished probe of the run, None when it has not finished."""
        ...

    def probes(self, run_id: str) -> Sequence[Probe]:
        """All finished probes of a run, in order of completion."""
        ...

    def forget(self, run_id: str) -> None:
        """The run has its result: nothing of it is asked for any more."""
        ...


class MemorySink:
    """Keeps everything in memory; numbers and times each event and tells the listeners.

    A run that begins anew under a known id starts from nothing. A run that failed stays until `forget` is called.
    """

    def __init__(self, now: Callable[[], datetime], listeners: Sequence[Listener] = ()) -> None:
        self._now = now
        self._listeners = list(listeners)
        self._runs: dict[str, RunMemory] = {}
        self._probes: dict[tuple[str, str], Probe] = {}

    def listen(self, listener: Listener) -> None:
        """Tell this one too what happens."""
        self._listeners.append(listener)

    async def emit(self, event: Event) -> None:
        memory = self._runs.get(event.run_id)
        if memory is not None and memory.resumed and _is_known(memory, event):
            return
        if isinstance(event, RunStarted):
            self.forget(event.run_id)
        memory = self._runs.setdefault(event.run_id, RunMemory())
        stamped = event.model_copy(update={"seq": memory.seq + 1, "at": self._now()})
        self._keep(stamped)
        self._remember(stamped)
        for listener in tuple(self._listeners):
            self._tell(listener, stamped)

    def _remember(self, event: Event) -> None:
        memory = self._runs.setdefault(event.run_id, RunMemory())
        if isinstance(event, RunResumed) and event.reopened is not None:
            gone = {probe.id for probe in self.probes(event.run_id) if redone(probe, event.reopened)}
            self._drop(event.run_id, gone)
            memory.probe_ids = [probe_id for probe_id in memory.probe_ids if probe_id not in gone]
            memory.announced = {(depth, nth) for depth, nth in memory.announced if depth < event.reopened}
        _note(memory, event)
        memory.seq, memory.last_at = event.seq, event.at or memory.last_at

    def _drop(self, run_id: str, probe_ids: Iterable[str]) -> None:
        for probe_id in probe_ids:
            del self._probes[run_id, probe_id]

    def _tell(self, listener: Listener, event: Event) -> None:
        """A listener that fails is not told anything more: what was measured does not depend on who looks on."""
        try:
            listener(event)
        except Exception:  # noqa: BLE001 - whatever a listener does wrong is logged, and is not the run's fault
            get_logger().exception("a listener failed and was dropped")
            self._listeners.remove(listener)

    def load(self, events: Iterable[Event]) -> None:
        """Take in what was journalled earlier, as it stands; nobody is told."""
        for event in events:
            if isinstance(event, ProbeJudged):
                self._probes[event.run_id, event.probe.id] = event.probe
            self._remember(event)

    def _keep(self, event: Event) -> None:
        """Make the event safe: here, hold the probe."""
        if isinstance(event, ProbeJudged):
            self._probes[event.run_id, event.probe.id] = event.probe

    def run(self, run_id: str) -> RunMemory:
        return self._runs.get(run_id, RunMemory())

    def get(self, run_id: str, probe_id: str) -> Probe | None:
        return self._probes.get((run_id, probe_id))

    def probes(self, run_id: str) -> Sequence[Probe]:
        return [self._probes[run_id, probe_id] for probe_id in self.run(run_id).probe_ids]

    def forget(self, run_id: str) -> None:
        self._drop(run_id, self._runs.pop(run_id, RunMemory()).probe_ids)


def _is_known(memory: RunMemory, event: Event) -> bool:
    """Whether an event of a resumed run stands in its journal already: a barrier was passed again, not a new one."""
    match event:
        case RunStarted() | Opened():
            return memory.opened is not None or isinstance(event, RunStarted)
        case DepthPlanned():
            return (event.depth, event.round) in memory.announced
        case DepthClosed():
            return event.row.depth in memory.closed
        case ProbeJudged(added=None):
            return event.probe.id in memory.probe_ids
        case _:
            return False


def _note(memory: RunMemory, event: Event) -> None:
    match event:
        case RunStarted():
            memory.started, memory.began_at = event, event.at
        case RunResumed():
            memory.resumed.append(event)
            memory.finished = None
            if memory.began_at and memory.last_at:
                memory.earlier_s += (memory.last_at - memory.began_at).total_seconds()
            memory.began_at = event.at
        case Opened():
            memory.opened = event
        case DepthPlanned():
            memory.announced.add((event.depth, event.round))
        case ProbeJudged(added=None):
            memory.probe_ids.append(event.probe.id)
        case DepthClosed():
            memory.closed[event.row.depth] = event
        case RunFinished():
            memory.finished = event


class Journal(MemorySink):
    """Appends each event to `events.jsonl`, flushed before `emit` returns; probes are read back from there.

    Raises UsageError when the file cannot be opened, RunFailed when it can no longer be written.
    """

    def __init__(self, path: Path, now: Callable[[], datetime], listeners: Sequence[Listener] = ()) -> None:
        super().__init__(now, listeners)
        self._path = path
        try:
            self._file: BinaryIO = path.open("ab", buffering=0)  # unbuffered: nothing is left to fail at closing
        except OSError as error:
            raise UsageError(
                f"The journal {path} cannot be written ({error.strerror or error}); choose another folder with --runs."
            ) from error
        self._torn = False
        """Whether the file ends within a line that could neither be finished nor taken back."""
        self._places: dict[tuple[str, str], tuple[int, int]] = {}
        """Probe → offset and length of its line: memory stays small however many probes finish."""

    def reload(self) -> int:
        """Take in what the file holds from earlier sittings; returns the bytes cut off at its end.

        A last line that is not whole was being written when the run was killed; nobody relied on it, so it is taken
        away. One that lacks nothing but its end is given one. Raises RunFailed, with the line's number, on any other
        line that is no event.
        """
        whole = 0
        for event, offset, length in events_with_places(self._path):
            if isinstance(event, ProbeJudged):
                self._places[event.run_id, event.probe.id] = (offset, length)
            self._remember(event)
            whole = offset + length
        try:
            spare = self._path.stat().st_size - whole
            if spare:
                os.truncate(self._path, whole)
            elif whole and not self._ends_a_line():
                self._file.write(b"\n")
        except OSError as error:
            raise UsageError(
                f"The journal {self._path} ends within a line and cannot be mended ({error.strerror or error}): make it"
                " writable."
            ) from error
        return spare

    def _ends_a_line(self) -> bool:
        with self._path.open("rb") as file:
            file.seek(-1, os.SEEK_END)
            return file.read() == b"\n"

    def _keep(self, event: Event) -> None:
        line = event.model_dump_json().encode() + b"\n"
        try:
            offset = self._append(line)
        except OSError as error:
            raise RunFailed(
                f"The journal {self._path} cannot be written ({error.strerror or error}); "
                "what it holds so far is kept. Free the disk, then resume the run."
            ) from error
        if isinstance(event, ProbeJudged):
            self._places[event.run_id, event.probe.id] = (offset, len(line))

    def _append(self, line: bytes) -> int:
        """The offset of the line. Raises OSError; then the file ends where it did before, or takes nothing more."""
        if self._torn:
            raise OSError(errno.EIO, "it ends within a line")
        offset, rest = self._file.tell(), memoryview(line)
        try:
            while rest:  # a disk that fills up takes a part of the line, and says why only when asked again
                rest = rest[self._file.write(rest) :]
        except OSError:
            self._torn = len(rest) < len(line) and not self._taken_back(offset)
            raise
        return offset

    def _taken_back(self, offset: int) -> bool:
        """Cut off what was written of a line, so that it does not damage the next one; whether that was possible."""
        try:
            self._file.truncate(offset)
            self._file.seek(offset)
        except OSError as error:
            get_logger().error("the journal ends within a line", path=str(self._path), fault=str(error))
            return False
        return True

    def get(self, run_id: str, probe_id: str) -> Probe | None:
        if (run_id, probe_id) not in self._places:
            return None
        with self._path.open("rb") as file:
            return self._read(file, run_id, probe_id)

    def probes(self, run_id: str) -> Sequence[Probe]:
        with self._path.open("rb") as file:
            return [self._read(file, run_id, probe_id) for probe_id in self.run(run_id).probe_ids]

    def _read(self, file: BinaryIO, run_id: str, probe_id: str) -> Probe:
        offset, length = self._places[run_id, probe_id]
        file.seek(offset)
        event = EVENT.validate_json(file.read(length))
        assert isinstance(event, ProbeJudged)  # only their places are kept
        return event.probe

    def _drop(self, run_id: str, probe_ids: Iterable[str]) -> None:
        for probe_id in probe_ids:
            del self._places[run_id, probe_id]

    def close(self) -> None:
        self._file.close()
