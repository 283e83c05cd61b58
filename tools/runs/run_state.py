"""What is remembered of one run while it goes on: the skeleton of its journal, without the
texts."""

from dataclasses import dataclass, field
from datetime import datetime

from ...state.events import (
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
)
from ...state.items import AnyItem
from ...state.records import Probe, Unscored

Kept = Probe | AnyItem
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
        return len(self.probe_ids) + len(self.item_ids), len(self.closed) + len(self.parts)

    @property
    def reportable(self) -> bool:
        """Whether there is something that a run which was cut off can report."""
        return bool(self.closed or self.parts)


def kept_in(event: Event) -> Kept | None:
    """The probe or item that an event carries; None when it carries none."""
    if isinstance(event, ProbeJudged):
        return event.probe
    return event.item if isinstance(event, ItemFinished) else None


def is_known(memory: RunMemory, event: Event) -> bool:
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
            return event.depth in memory.closed or (event.depth, event.round) in memory.looked_up
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
