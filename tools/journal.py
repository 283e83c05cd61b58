"""The journal: the one stream of a run's events, kept in memory or appended to a file, and told to listeners."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import BinaryIO, Protocol

from ..state.errors import RunFailed, UsageError
from ..state.events import EVENT, DepthClosed, Event, Opened, ProbeJudged, RunStarted
from ..state.records import Probe
from .log import get_logger

Listener = Callable[[Event], None]


@dataclass(slots=True)
class RunMemory:
    """What the barrier and the result need to know of one run, texts of probes apart."""

    seq: int = 0
    started_at: datetime | None = None
    opened: Opened | None = None
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

    async def emit(self, event: Event) -> None:
        if isinstance(event, RunStarted):
            self.forget(event.run_id)
        memory = self._runs.setdefault(event.run_id, RunMemory())
        memory.seq += 1
        stamped = event.model_copy(update={"seq": memory.seq, "at": self._now()})
        self._keep(stamped)
        _remember(memory, stamped)
        for listener in tuple(self._listeners):
            self._tell(listener, stamped)

    def _tell(self, listener: Listener, event: Event) -> None:
        """A listener that fails is not told anything more: what was measured does not depend on who looks on."""
        try:
            listener(event)
        except Exception:  # noqa: BLE001 - whatever a listener does wrong is logged, and is not the run's fault
            get_logger().exception("a listener failed and was dropped")
            self._listeners.remove(listener)

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
        for probe_id in self._runs.pop(run_id, RunMemory()).probe_ids:
            del self._probes[run_id, probe_id]


def _remember(memory: RunMemory, event: Event) -> None:
    if isinstance(event, ProbeJudged):
        memory.probe_ids.append(event.probe.id)
    elif isinstance(event, DepthClosed):
        memory.closed[event.row.depth] = event
    elif isinstance(event, Opened):
        memory.opened = event
    elif isinstance(event, RunStarted):
        memory.started_at = event.at


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
        self._places: dict[tuple[str, str], tuple[int, int]] = {}
        """Probe → offset and length of its line: memory stays small however many probes finish."""

    def _keep(self, event: Event) -> None:
        line = event.model_dump_json().encode() + b"\n"
        try:
            offset = self._file.tell()
            if self._file.write(line) != len(line):
                raise OSError("only a part of the line was written")
        except OSError as error:
            raise RunFailed(
                f"The journal {self._path} cannot be written ({error.strerror or error}); "
                "what it holds so far is kept. Free the disk or set --runs to another folder."
            ) from error
        if isinstance(event, ProbeJudged):
            self._places[event.run_id, event.probe.id] = (offset, len(line))

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

    def forget(self, run_id: str) -> None:
        for probe_id in self._runs.pop(run_id, RunMemory()).probe_ids:
            del self._places[run_id, probe_id]

    def close(self) -> None:
        self._file.close()
