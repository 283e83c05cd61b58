"""The journal: the one stream of a run's events, kept in memory or appended to a file, and told to listeners."""

from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path
from typing import BinaryIO, Protocol

from ..state.errors import RunFailed
from ..state.events import DepthClosed, Event, Opened, ProbeJudged, RunStarted
from ..state.records import Probe

Listener = Callable[[Event], None]


class Sink(Protocol):
    """Where a run's events go. `emit` returns when the event is safe; a finished probe is found again by its id."""

    async def emit(self, event: Event) -> None: ...

    def get(self, probe_id: str) -> Probe | None: ...

    def probes(self) -> Sequence[Probe]:
        """Finished probes, in order of completion."""
        ...

    def closed(self) -> Sequence[DepthClosed]:
        """Closed depths, in order."""
        ...

    @property
    def opened(self) -> Opened | None: ...

    @property
    def started_at(self) -> datetime | None: ...


class MemorySink:
    """Keeps finished probes and closed depths in memory; numbers and times each event and tells the listeners."""

    def __init__(self, now: Callable[[], datetime], listeners: Sequence[Listener] = ()) -> None:
        self._now = now
        self._listeners = tuple(listeners)
        self._seq = 0
        self._probes: dict[str, Probe] = {}
        self._closed: list[DepthClosed] = []
        self._opened: Opened | None = None
        self._started_at: datetime | None = None

    async def emit(self, event: Event) -> None:
        self._seq += 1
        stamped = event.model_copy(update={"seq": self._seq, "at": self._now()})
        self._keep(stamped)
        if isinstance(stamped, ProbeJudged):
            self._probes[stamped.probe.id] = stamped.probe
        elif isinstance(stamped, DepthClosed):
            self._closed.append(stamped)
        elif isinstance(stamped, Opened):
            self._opened = stamped
        elif isinstance(stamped, RunStarted):
            self._started_at = stamped.at
        for listener in self._listeners:
            listener(stamped)

    def _keep(self, event: Event) -> None:
        """Make the event durable; memory needs nothing more."""

    def get(self, probe_id: str) -> Probe | None:
        return self._probes.get(probe_id)

    def probes(self) -> Sequence[Probe]:
        return list(self._probes.values())

    def closed(self) -> Sequence[DepthClosed]:
        return list(self._closed)

    @property
    def opened(self) -> Opened | None:
        return self._opened

    @property
    def started_at(self) -> datetime | None:
        return self._started_at


class Journal(MemorySink):
    """Also appends each event to `events.jsonl`, flushed before `emit` returns."""

    def __init__(self, path: Path, now: Callable[[], datetime], listeners: Sequence[Listener] = ()) -> None:
        super().__init__(now, listeners)
        self._path = path
        self._file: BinaryIO = path.open("ab")

    def _keep(self, event: Event) -> None:
        try:
            self._file.write(event.model_dump_json().encode() + b"\n")
            self._file.flush()
        except OSError as error:
            raise RunFailed(
                f"The journal {self._path} cannot be written ({error.strerror or error}); "
                "what it holds so far is kept. Free the disk or set --runs to another folder."
            ) from error

    def close(self) -> None:
        self._file.close()
