"""The journal: the one stream of a run's events, kept in memory or appended to a file, and told to
listeners."""

import errno
import os
from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from typing import BinaryIO

from ...state.eqt.items import Attribution
from ...state.errors import RunFailed, UsageError
from ...state.events import (
    EVENT,
    DepthClosed,
    DepthPlanned,
    Event,
    ItemFinished,
    LookUpFailed,
    Opened,
    PartClosed,
    PassagesFound,
    ProbeJudged,
    RunFinished,
    RunResumed,
    RunStarted,
    passages_id,
)
from ...state.items import AnyItem
from ...state.records import Call, Probe, Unscored
from .event_file import events_with_places, redone
from .log import get_logger

Stored = Probe | AnyItem
"""What an event may carry that is kept under an id of its own."""


@dataclass(slots=True)
class RunMemory:
    """What the barrier and the result need to know of one run, texts of probes apart."""

    seq: int = 0
    started: RunStarted | None = None
    resumed: list[RunResumed] = field(default_factory=list)
    finished: RunFinished | None = None
    """How the run ended; None again once it is resumed."""
    began_at: datetime | None = None
    """When the present session of the run began: its start, or the last time it was resumed."""
    last_at: datetime | None = None
    earlier_s: float = 0.0
    """Seconds of all sessions before the present one."""
    opened: Opened | None = None
    announced: set[tuple[int, int]] = field(default_factory=set)
    """(depth, round) pairs that were announced."""
    closed: dict[int, DepthClosed] = field(default_factory=dict)
    """Depth → how it closed."""
    failed: dict[tuple[int, str | None, str], LookUpFailed] = field(default_factory=dict)
    """Look-ups that failed, each once."""
    looked_up: set[tuple[int, int | None]] = field(default_factory=set)
    """(depth, round) pairs whose passages are in the journal."""
    look_up_calls: list[Call] = field(default_factory=list)
    """Made for look-ups."""
    not_found: dict[int, dict[str, tuple[str, ...]]] = field(default_factory=dict)
    """Depth → concepts not found under their names, with the nearest titles of the source; without
    those of which the Explainer meant none."""
    probe_ids: list[str] = field(default_factory=list)
    """Ids of finished probes, in order of completion."""
    item_ids: dict[str, None] = field(default_factory=dict)
    """Ids of finished items (steps of a method without depths), in order of completion."""
    parts: dict[int, PartClosed] = field(default_factory=dict)
    """Concept, tree or problem → how it closed, the last time."""
    vain: dict[str, list[Unscored]] = field(default_factory=dict)
    """Kind of item → why all of this session were lost; empty once one was not."""
    redo: set[str] = field(default_factory=set)
    """Items that are there and are to be done again, since they came to nothing."""
    reopened: set[int] = field(default_factory=set)
    """Parts that have closed and will close again."""

    @property
    def done(self) -> tuple[int, int]:
        """Probes and steps, and depths and parts, that are finished."""
        steps = len(self.probe_ids) + len(self.item_ids)
        parts = len(self.closed) + len(self.parts)
        return steps, parts

    @property
    def reportable(self) -> bool:
        """Whether there is something that a run which was cut off can report."""
        return bool(self.closed or self.parts)


def stored_in(event: Event) -> Stored | None:
    """The probe or item that an event carries; None when it carries none."""
    if isinstance(event, ProbeJudged):
        return event.probe
    return event.item if isinstance(event, ItemFinished) else None


def is_repeated(memory: RunMemory, event: Event) -> bool:
    """Whether an event of a resumed run stands in its journal already: a barrier was passed again,
    not a new one."""
    match event:
        case RunStarted() | Opened():
            return memory.opened is not None or isinstance(event, RunStarted)
        case DepthPlanned():
            return (event.depth, event.round) in memory.announced
        case DepthClosed():
            return event.row.depth in memory.closed
        case PassagesFound():
            return (
                event.depth in memory.closed or (event.depth, event.round) in memory.looked_up
            )
        case ProbeJudged(added=None):
            return event.probe.id in memory.probe_ids
        case ItemFinished():
            return event.item.id in memory.item_ids and event.item.id not in memory.redo
        case PartClosed():
            return event.index in memory.parts and event.index not in memory.reopened
        case _:
            return False


def note(memory: RunMemory, event: Event) -> None:
    """Take in one event."""
    match event:
        case RunStarted():
            memory.started, memory.began_at = event, event.at
        case RunResumed():
            _sit_down(memory, event)
        case Opened():
            memory.opened = event
        case DepthPlanned():
            memory.announced.add((event.depth, event.round))
        case ProbeJudged(added=None):
            memory.probe_ids.append(event.probe.id)
        case DepthClosed():
            memory.closed[event.row.depth] = event
        case LookUpFailed() | PassagesFound():
            _look_up(memory, event)
        case ItemFinished() | PartClosed():
            _finish(memory, event)
        case RunFinished():
            memory.finished = event


def _look_up(memory: RunMemory, event: LookUpFailed | PassagesFound) -> None:
    if isinstance(event, LookUpFailed):
        memory.failed[event.key] = event
    else:
        memory.looked_up.add((event.depth, event.round))
        memory.look_up_calls += event.calls
        names = memory.not_found.setdefault(event.depth, {})
        for entry in event.concepts:
            if entry.nearest and not entry.passages and not entry.unmeant:
                names[entry.concept] = entry.nearest


def _finish(memory: RunMemory, event: ItemFinished | PartClosed) -> None:
    """A part has closed, or an item is finished; and whether anything of its kind has come about so
    far."""
    if isinstance(event, PartClosed):
        memory.parts[event.index] = event
        memory.reopened.discard(event.index)
        return
    item = event.item
    memory.item_ids[item.id] = None
    memory.redo.discard(item.id)
    if item.fault is None:
        memory.vain[item.type] = []
    elif item.lost and memory.vain.get(item.type) != []:
        memory.vain.setdefault(item.type, []).append(item.fault)


def _sit_down(memory: RunMemory, event: RunResumed) -> None:
    """The run goes on: its clock starts again."""
    memory.resumed.append(event)
    memory.finished = None
    memory.vain.clear()
    if memory.began_at and memory.last_at:
        memory.earlier_s += (memory.last_at - memory.began_at).total_seconds()
    memory.began_at = event.at


__all__ = ["Journal", "Listener", "MemorySink", "RunMemory", "Sink"]

Listener = Callable[[Event], None]
Copy = Callable[[str, bytes], Awaitable[None]]
"""Keeps a run's line, line end included, elsewhere too, and returns when it is safe there. Lines of
a run are in the order of the calls, however long each takes."""


class MemorySink:
    """Where the events of one or several runs go, each under its run id. Keeps everything in
    memory; numbers and times each event and tells the listeners.

    A run that begins anew under a known id starts from nothing. A run that failed stays until
    `forget` is called.
    """

    def __init__(self, now: Callable[[], datetime], listeners: Sequence[Listener] = ()) -> None:
        self._now = now
        self._listeners = list(listeners)
        self._runs: dict[str, RunMemory] = {}
        self._stored: dict[tuple[str, str], Stored] = {}
        self.done: dict[str, tuple[int, int]] = {}
        """What was finished (`RunMemory.done`) of each run whose last event was emitted."""

    def listen(self, listener: Listener) -> None:
        """Tell this one too what happens."""
        self._listeners.append(listener)

    async def emit(self, event: Event) -> Event | None:
        """The event as it is kept, numbered and timed, once it is safe; None for one that a resumed
        run has told before."""
        memory = self._runs.get(event.run_id)
        if memory is not None and memory.resumed and is_repeated(memory, event):
            return None
        seq = 1 if memory is None or isinstance(event, RunStarted) else memory.seq + 1
        stamped = event.model_copy(update={"seq": seq, "at": self._now()})
        self._keep(stamped)
        self._remember(stamped)
        if isinstance(stamped, RunFinished):
            self.done[stamped.run_id] = self.run(stamped.run_id).done
        for listener in tuple(self._listeners):
            self._tell(listener, stamped)
        return stamped

    def _remember(self, event: Event) -> None:
        if isinstance(event, RunStarted):
            self.forget(event.run_id)
        memory = self._runs.setdefault(event.run_id, RunMemory())
        if isinstance(event, RunResumed) and event.reopened is not None:
            self._reopen(memory, event.run_id, event.reopened)
        note(memory, event)
        memory.seq, memory.last_at = event.seq, event.at or memory.last_at

    def _reopen(
        self,
        memory: RunMemory,
        run_id: str,
        depth: int,
    ) -> None:
        """What was lost to a fault is to be done anew: at this depth of a drill, or anywhere in the
        other methods. There what came to nothing counts until it is done."""
        lost_probes = {probe.id for probe in self.probes(run_id) if redone(probe, depth)}
        memory.probe_ids = [name for name in memory.probe_ids if name not in lost_probes]
        memory.failed = {
            key: event for key, event in memory.failed.items() if event.depth < depth
        }
        memory.announced = {(deep, nth) for deep, nth in memory.announced if deep < depth}
        memory.looked_up = {(deep, nth) for deep, nth in memory.looked_up if deep < depth}
        self._drop(run_id, lost_probes)
        lost_items = [item for item in self.items(run_id) if item.lost]
        memory.redo |= {item.id for item in lost_items}
        parts = {item.concept for item in lost_items if not isinstance(item, Attribution)}
        memory.reopened |= memory.parts.keys() & parts

    def _drop(self, run_id: str, ids: Iterable[str]) -> None:
        for name in ids:
            del self._stored[run_id, name]

    def _tell(self, listener: Listener, event: Event) -> None:
        """A listener that fails is not told anything more: what was measured does not depend on who
        looks on."""
        try:
            listener(event)
        except Exception:  # noqa: BLE001 - whatever a listener does wrong is logged, and is not the run's fault
            get_logger().exception("a listener failed and was dropped")
            self._listeners.remove(listener)

    def load(self, events: Iterable[Event]) -> None:
        """Take in what was journalled earlier, as it stands; nobody is told."""
        for event in events:
            MemorySink._keep(self, event)
            self._remember(event)

    def _keep(self, event: Event) -> None:
        """Make the event safe: here, hold the probe or item."""
        if (stored := stored_in(event)) is not None:
            self._stored[event.run_id, stored.id] = stored

    def run(self, run_id: str) -> RunMemory:
        """What is known of a run; empty for one that has not begun."""
        return self._runs.get(run_id, RunMemory())

    def get(self, run_id: str, probe_id: str) -> Probe | None:
        """A finished probe of the run, None when it has not finished."""
        stored = self._find(run_id, probe_id)
        return stored if isinstance(stored, Probe) else None

    def probes(self, run_id: str) -> Sequence[Probe]:
        """All finished probes of a run, in order of completion."""
        probes = (self.get(run_id, name) for name in self.run(run_id).probe_ids)
        return [probe for probe in probes if probe is not None]

    def item(self, run_id: str, item_id: str) -> AnyItem | None:
        """A finished item of the run, None when it has not finished. One that came to nothing may
        have to be done again: `RunMemory.redo` says which."""
        stored = self._find(run_id, item_id)
        return None if isinstance(stored, Probe) else stored

    def items(self, run_id: str) -> Sequence[AnyItem]:
        """All finished items of a run, in order of completion."""
        items = (self.item(run_id, name) for name in self.run(run_id).item_ids)
        return [item for item in items if item is not None]

    def passages(
        self,
        run_id: str,
        depth: int,
        round_: int | None,
    ) -> PassagesFound | None:
        """What a depth, or a round of it that lacked some, was dealt from; None where that is not
        kept: a run in memory is dealt once."""
        return None

    def _find(self, run_id: str, name: str) -> Stored | None:
        return self._stored.get((run_id, name))

    def forget(self, run_id: str) -> None:
        """The run has its result: nothing of it is asked for any more."""
        memory = self._runs.pop(run_id, RunMemory())
        self._drop(run_id, [*memory.probe_ids, *memory.item_ids])


Sink = MemorySink
"""In memory, or appended to a file."""


class Journal(MemorySink):
    """Appends each event to `events.jsonl`, flushed before `emit` returns; probes are read back
    from there.

    With a `copy`, `emit` returns when the line is safe there as well. Raises UsageError when the
    file cannot be opened, RunFailed when it can no longer be written, and what the copy raises.
    """

    def __init__(
        self,
        path: Path,
        now: Callable[[], datetime],
        listeners: Sequence[Listener] = (),
        copy: Copy | None = None,
    ) -> None:
        super().__init__(now, listeners)
        self._path, self._copy = path, copy
        self._last = b""
        """The line that was written last."""
        self._is_torn = False
        """Whether it ends within a line that could neither be finished nor taken back."""
        try:
            # unbuffered: nothing is left to fail at closing
            self._file: BinaryIO = path.open("a+b", buffering=0)
        except OSError as error:
            raise UsageError(
                f"The journal {path} cannot be written ({error.strerror or error}); choose "
                "another folder with --runs."
            ) from error
        self._places: dict[tuple[str, str], tuple[int, int]] = {}
        """Probe, item or passages → offset and length of its line: memory stays small however many
        finish."""

    async def emit(self, event: Event) -> Event | None:
        stamped = await super().emit(event)  # nobody else's turn comes before it returns
        if self._copy is not None and stamped is not None:
            await self._copy(stamped.run_id, self._last)
        return stamped

    def reload(self) -> int:
        """Take in what the file holds from earlier sessions; returns the bytes cut off at its end.

        A last line that is not whole was being written when the run was killed; nobody relied on
        it, so it is taken away. One that lacks nothing but its end is given one. Raises RunFailed,
        with the line's number, on any other line that is no event.
        """
        whole = 0
        for event, offset, length in events_with_places(self._path):
            self._locate(event, offset, length)
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
                f"The journal {self._path} ends within a line and cannot be repaired "
                f"({error.strerror or error}):"
                " make it writable."
            ) from error
        return spare

    def _ends_a_line(self) -> bool:
        with self._path.open("rb") as file:
            file.seek(-1, os.SEEK_END)
            return file.read() == b"\n"

    def _keep(self, event: Event) -> None:
        line = event.model_dump_json().encode() + b"\n"
        if not os.fstat(
            self._file.fileno()
        ).st_nlink:  # writing would go on well, and keep nothing
            raise RunFailed(removed(self._path.parent))
        try:
            offset = self._append(line)
        except OSError as error:
            raise RunFailed(
                f"The journal {self._path} cannot be written ({error.strerror or error}); "
                "what it holds so far is kept. Free the disk, then resume the run."
            ) from error
        self._last = line
        self._locate(event, offset, len(line))

    def _locate(
        self,
        event: Event,
        offset: int,
        length: int,
    ) -> None:
        stored = event if isinstance(event, PassagesFound) else stored_in(event)
        if stored is not None:
            self._places[event.run_id, stored.id] = (offset, length)

    def _append(self, line: bytes) -> int:
        """The offset of the line. Raises OSError; then the file ends where it did before, or takes
        nothing more."""
        if self._is_torn:
            raise OSError(errno.EIO, "it ends within a line")
        offset, rest = self._file.tell(), memoryview(line)
        try:
            # a disk that fills up takes a part of the line, and says why only when asked again
            while rest:
                rest = rest[self._file.write(rest) :]
        except OSError:
            # what was written of the line would damage the next one
            self._is_torn = True
            with suppress(OSError):
                self._file.truncate(offset)
                self._file.seek(offset)
                self._is_torn = False
            raise
        return offset

    def _find(self, run_id: str, name: str) -> Stored | None:
        line = self._places.get((run_id, name))
        return stored_in(_read(self._file, *line)) if line else None

    def passages(
        self,
        run_id: str,
        depth: int,
        round_: int | None,
    ) -> PassagesFound | None:
        if (depth, round_) not in self.run(run_id).looked_up:
            return None
        event = _read(self._file, *self._places[run_id, passages_id(depth, round_)])
        return event if isinstance(event, PassagesFound) else None

    def _drop(self, run_id: str, ids: Iterable[str]) -> None:
        for name in ids:
            del self._places[run_id, name]

    def close(self) -> None:
        self._file.close()


def removed(folder: Path) -> str:
    """One sentence on a run whose folder is not there any more."""
    return (
        f"The run's folder {folder} was removed or renamed while the run went on: put it back, or "
        "start again."
    )


@lru_cache(maxsize=256)  # a probe is looked at again for each that goes on from it
def _read(file: BinaryIO, offset: int, length: int) -> Event:
    return EVENT.validate_json(os.pread(file.fileno(), length, offset))
