"""What a journal says of one run, as plain values: all that a result is made of."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TypeVar

from ...state.channels import Stop
from ...state.errors import RunFailed
from ...state.events import (
    DepthClosed,
    Event,
    Opened,
    PartClosed,
    RunFinished,
    RunResumed,
    RunStarted,
)
from ...state.items import AnyItem
from ...state.records import Probe
from ...state.result import Status
from ...state.spec import RunSpec, Spec
from ...tools.runs.journal import MemorySink, Sink
from ...tools.runs.run_state import RunMemory

S = TypeVar("S", bound=RunSpec)


@dataclass(frozen=True, slots=True)
class RunRecord:
    """One run: how it began, what was closed and finished, how it ended. A result is a pure function of it."""

    run_id: str
    started: RunStarted
    resumed: tuple[RunResumed, ...]
    opened: Opened | None
    closed: tuple[DepthClosed, ...]
    """In order of depth."""
    probes: tuple[Probe, ...]
    """In (depth, slot, round) order; those that a reopened depth asked anew stand here once."""
    items: tuple[AnyItem, ...]
    """Of the methods without depths, by part, in order of their ids."""
    parts: tuple[PartClosed, ...]
    """Concepts of an EQT, trees of questions, or problems of a benchmark, in the order of spec, graph or benchmark."""
    reopened: frozenset[int]
    """Parts that have closed and were being asked again when the run ended."""
    finished: RunFinished
    """How it ended; its EVD and cost are taken from the result, not the other way round."""

    @property
    def spec(self) -> Spec:
        """The spec as it was last: another one than at the start only when that was forced."""
        return self.resumed[-1].spec if self.resumed else self.started.spec

    def spec_as(self, kind: type[S]) -> S:
        """The spec, of the method's own kind."""
        spec = self.spec
        assert isinstance(spec, kind)  # by its `method`
        return spec

    @property
    def forced(self) -> tuple[str, ...]:
        """What was overridden when the run was resumed, once each, in sentences."""
        overridden = dict.fromkeys(difference for event in self.resumed for difference in event.forced)
        return tuple(f"Resumed by force although {difference}." for difference in overridden)


def record_of(events: Iterable[Event]) -> RunRecord:
    """The record in a stream of one run's events. Raises RunFailed when the run has not begun or not ended."""
    sink = MemorySink(lambda: datetime.now(UTC))
    run_id = ""
    for event in events:
        run_id = event.run_id
        sink.load([event])
    memory = sink.run(run_id)
    if memory.started is None:
        raise RunFailed("The journal holds no start of a run: there is nothing to compute a result from.")
    if memory.finished is None:
        raise RunFailed(f"The run {run_id} has not ended: `fathom resume {run_id.rpartition('-')[2]}` goes on with it.")
    return _record(run_id, memory, sink, memory.finished)


def record_now(sink: Sink, run_id: str, finished: RunFinished) -> RunRecord:
    """The record of a run that ends now. Raises RunFailed when it never began."""
    memory = sink.run(run_id)
    if memory.started is None:
        raise RunFailed(f"{finished.stop_detail or 'The run ended before it began'}.")
    return _record(run_id, memory, sink, finished)


def ending(
    sink: Sink, run_id: str, now: datetime, status: Status, stop: Stop, caveats: Sequence[str] = ()
) -> RunFinished:
    """The last event of a run as far as it is known before its numbers are. `wall_s` adds up all sessions."""
    return RunFinished(
        run_id=run_id,
        status=status,
        stop_reason=stop["reason"],
        stop_detail=stop["detail"],
        caveats=tuple(caveats),
        evd=None,
        evd_ci=None,
        cost_usd=None,
        wall_s=wall_s(sink.run(run_id), now),
    )


def wall_s(memory: RunMemory, now: datetime) -> float:
    """Seconds the run has taken, all sessions together, by its own clock."""
    return memory.earlier_s + ((now - memory.began_at).total_seconds() if memory.began_at else 0.0)


def _record(run_id: str, memory: RunMemory, sink: Sink, finished: RunFinished) -> RunRecord:
    assert memory.started is not None  # both callers refuse a run that never began
    return RunRecord(
        run_id=run_id,
        started=memory.started,
        resumed=tuple(memory.resumed),
        opened=memory.opened,
        closed=tuple(memory.closed[depth] for depth in sorted(memory.closed)),
        probes=tuple(sorted(sink.probes(run_id), key=lambda p: (p.depth, p.slot, p.round))),
        items=tuple(sorted(sink.items(run_id), key=lambda item: (item.concept, item.id))),
        parts=tuple(memory.parts[index] for index in sorted(memory.parts)),
        reopened=frozenset(memory.reopened),
        finished=finished,
    )
