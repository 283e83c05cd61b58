"""The journal: the one stream of a run's events, kept in memory or appended to a file, and told to listeners."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import BinaryIO, Protocol

from ..state.errors import RunFailed
from ..state.events import EVENT, DepthClosed, Event, Opened, ProbeJudged, RunStarted
from ..state.records import Probe

Listener = Callable[[Event], None]


@dataclass(slots=True)
class RunMemory:
    """What the barrier and the result need to know of one run, texts of probes apart."""

    seq: int = 0
    started_at: datetime | None = None
    opened: Opened | None = None
    closed: list[DepthClosed] = field(default_factory=list)
    probe_ids: list[str] = field(default_factory=list)


class Sink(Protocol):
    """Where the events of one or several runs go. `emit` returns when the event is safe."""

    async def emit(self, event: Event) -> None: ...

    def run(self, run_id: str) -> RunMemory:
        """What is known of a run; empty for one that has not begun."""
        ...

    def get(self, probe_id: str) -> Probe | None:
        """A finished probe, None when it has not finished."""
        ...

    def probes(self, run_id: str) -> Sequence[Probe]:
        """All finished probes of a run, in order of completion."""
        ...

    def forget(self, run_id: str) -> None:
        """The run has its result: nothing of it is asked for any more."""
        ...


class MemorySink:
    """Keeps everything in memory; numbers and times each event and tells the listeners."""

    def __init__(self, now: Callable[[], datetime], listeners: Sequence[Listener] = ()) -> None:
        self._now = now
        self._listeners = tuple(listeners)
        self._runs: dict[str, RunMemory] = {}
        self._probes: dict[str, Probe] = {}

    async def emit(self, event: Event) -> None:
        memory = self._runs.setdefault(event.run_id, RunMemory())
        memory.seq += 1
        stamped = event.model_copy(update={"seq": memory.seq, "at": self._now()})
        self._keep(stamped)
        self._remember(memory, stamped)
        for listener in self._listeners:
            listener(stamped)

    def _keep(self, event: Event) -> None:
        """Make the event safe: here, hold the probe."""
        if isinstance(event, ProbeJudged):
            self._probes[event.probe.id] = event.probe

    def _remember(self, memory: RunMemory, event: Event) -> None:
        if isinstance(event, ProbeJudged):
            memory.probe_ids.append(event.probe.id)
        elif isinstance(event, DepthClosed):
            memory.closed.append(event)
        elif isinstance(event, Opened):
            memory.opened = event
        elif isinstance(event, RunStarted):
            memory.started_at = event.at

    def run(self, run_id: str) -> RunMemory:
        return self._runs.get(run_id, RunMemory())

    def get(self, probe_id: str) -> Probe | None:
        return self._probes.get(probe_id)

    def probes(self, run_id: str) -> Sequence[Probe]:
        return [self._probes[probe_id] for probe_id in self.run(run_id).probe_ids]

    def forget(self, run_id: str) -> None:
        for probe_id in self._runs.pop(run_id, RunMemory()).probe_ids:
            del self._probes[probe_id]


class Journal(MemorySink):
    """Appends each event to `events.jsonl`, flushed before `emit` returns; probes are read back from there."""

    def __init__(self, path: Path, now: Callable[[], datetime], listeners: Sequence[Listener] = ()) -> None:
        super().__init__(now, listeners)
        self._path = path
        self._file: BinaryIO = path.open("ab")
        self._places: dict[str, tuple[int, int]] = {}
        """Probe id → offset and length of its line: memory stays small however many probes finish."""

    def _keep(self, event: Event) -> None:
        line = event.model_dump_json().encode() + b"\n"
        try:
            offset = self._file.tell()
            self._file.write(line)
            self._file.flush()
        except OSError as error:
            raise RunFailed(
                f"The journal {self._path} cannot be written ({error.strerror or error}); "
                "what it holds so far is kept. Free the disk or set --runs to another folder."
            ) from error
        if isinstance(event, ProbeJudged):
            self._places[event.probe.id] = (offset, len(line))

    def get(self, probe_id: str) -> Probe | None:
        if probe_id not in self._places:
            return None
        with self._path.open("rb") as file:
            return self._read(file, probe_id)

    def probes(self, run_id: str) -> Sequence[Probe]:
        with self._path.open("rb") as file:
            return [self._read(file, probe_id) for probe_id in self.run(run_id).probe_ids]

    def _read(self, file: BinaryIO, probe_id: str) -> Probe:
        offset, length = self._places[probe_id]
        file.seek(offset)
        event = EVENT.validate_json(file.read(length))
        assert isinstance(event, ProbeJudged)  # only their places are kept
        return event.probe

    def forget(self, run_id: str) -> None:
        for probe_id in self._runs.pop(run_id, RunMemory()).probe_ids:
            del self._places[probe_id]

    def close(self) -> None:
        self._file.close()
