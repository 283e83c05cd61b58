"""What a reader of the event stream knows of each run. It does not grow with the texts of the run:
screen, lines and unfinished runs read this."""

from collections import defaultdict, deque
from collections.abc import Callable, Iterable, KeysView, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from ..state.events import (
    DepthClosed,
    DepthPlanned,
    Event,
    ItemFinished,
    Notice,
    PartClosed,
    ProbeAnswered,
    ProbeAsked,
    ProbeJudged,
    RunFinished,
    RunResumed,
    RunStarted,
)
from ..state.records import Call
from ..state.result import DepthRow
from ..tools.runs.journal import RunMemory, note
from .step import BRIEF, Count, RunContext, StepView
from .tally import OpenPart, Spend, Tally, Waiting

KEPT_STEPS = 60
"""Newest steps kept per run: as many as the tallest screen shows."""
KEPT_NOTICES = 8


@dataclass(slots=True)
class RunProgress:
    """One run. A step that came to nothing and is done again counts once, as it came out last."""

    run_id: str
    steps_of: Callable[[str], Any]
    """How the steps of a method's runs are read (`views.steps.Steps`)."""
    memory: RunMemory = field(default_factory=RunMemory)
    scene: RunContext | None = None
    """None of a run that has not begun, and in a stream that is read from its middle."""
    subject: tuple[str, str] | None = None
    """Domain and target; None until the run has begun."""
    simulated: bool = False
    steps: int = 0
    """Finished ones."""
    open: dict[int, OpenPart] = field(default_factory=dict)
    """By index, in the order they were begun."""
    tallies: defaultdict[str, Tally] = field(default_factory=lambda: defaultdict(Tally))
    waiting: dict[str, Waiting] = field(default_factory=dict)
    newest: deque[StepView] = field(default_factory=lambda: deque(maxlen=KEPT_STEPS))
    """Finished steps, the newest first."""
    notices: deque[Notice] = field(default_factory=lambda: deque(maxlen=KEPT_NOTICES))
    spend: Spend = field(default_factory=Spend)
    last: datetime | None = None
    _lost: dict[str, StepView] = field(default_factory=dict)
    """Steps that came to nothing: when the run goes on, they may be done once more."""
    _expected: int = 0
    """Parts that there are, or are expected."""
    earlier: tuple[float, float] = (0.0, 0.0)
    """Seconds and share of the run that earlier sessions have done."""

    def apply(self, event: Event) -> None:
        """Take in one event of this run."""
        self.memory.last_at, self.last = self.last, event.at or self.last
        _READ.get(event.type, RunProgress._close)(self, event)
        if event.type not in _UNCOUNTED:
            note(self.memory, event)

    def elapsed_s(self, now: datetime) -> float:
        """Seconds the run has taken, all sessions together."""
        memory = self.memory
        if memory.finished is not None:
            return memory.finished.wall_s
        began = memory.began_at
        return memory.earlier_s + (max(0.0, (now - began).total_seconds()) if began else 0.0)

    @property
    def finished(self) -> RunFinished | None:
        return self.memory.finished

    @property
    def method(self) -> str:
        return self.scene.spec.method if self.scene else ""

    @property
    def reading(self) -> Any:
        """How its steps are read, once it has begun."""
        return self.steps_of(self.method)

    @property
    def rows(self) -> list[DepthRow]:
        """The closed depths of a drill, in their order."""
        return [self.memory.closed[depth].row for depth in sorted(self.memory.closed)]

    @property
    def evd(self) -> float | None:
        """Expected Valid Depth of the closed depths."""
        closed = self.memory.closed
        if self.finished is not None and self.finished.evd is not None:
            return self.finished.evd
        return closed[max(closed)].evd if closed else None

    @property
    def parts(self) -> int:
        """How many there are, or are expected; those known of, without a beginning."""
        if self.scene is not None and not self._expected:
            self._expected = self.reading.parts(self.scene)
        closed = self.closed
        if len(closed) + len(self.open) <= self._expected:
            return self._expected
        return max(
            self._expected,
            len(closed) + sum(index >= 0 and index not in closed for index in self.open),
        )

    @property
    def closed(self) -> KeysView[int]:
        """The parts that are closed: concepts, trees or problems, or the depths of a drill."""
        return self.memory.parts.keys() or self.memory.closed.keys()

    @property
    def share(self) -> float:
        """How much of the run is done, 0 … 1: its parts count alike. It is 1 once the run is
        complete."""
        if self.finished is not None and self.finished.status == "complete":
            return 1.0
        in_parts = sum(self.share_of(part) for part in self.open.values() if part.counts)
        return min(0.99, (len(self.closed) + in_parts) / max(1, self.parts))

    def share_of(self, part: OpenPart) -> float:
        """How much of a part is done, 0 … 1."""
        if part.wanted is None:
            assert self.scene is not None  # a part is opened by a step, which is read with it
            part.wanted = self.reading.planned(self.scene, part.index)
        return min(1.0, len(part.steps) / part.wanted) if part.wanted > 0 else 0.0

    @property
    def lost(self) -> int:
        """Steps that came to nothing for a fault."""
        return len(self._lost)

    def _begin(self, event: RunStarted | RunResumed) -> None:
        """The run begins, or goes on: what was waited for is asked anew."""
        memory, spec = self.memory, event.spec
        self.waiting.clear()
        self.subject = spec.domain, spec.target
        self.simulated |= event.simulated if isinstance(event, RunStarted) else spec.simulated
        if isinstance(event, RunStarted):
            self.scene = RunContext(spec, event.material, event.problems, closed=memory.parts)
        else:
            self._expected = 0
            self.scene = self.scene or RunContext(spec, closed=memory.parts)
            self.scene.spec = spec
            memory.finished = None
            self.earlier = (self.elapsed_s(memory.last_at) if memory.last_at else 0.0, self.share)

    def _leave(self, event: DepthClosed) -> None:
        self.open.pop(event.row.depth, None)

    def _ask(self, event: ProbeAsked) -> None:
        view = StepView(
            event.probe_id, "open", about=" › ".join(event.chain), text=event.question[:BRIEF]
        )
        self.waiting[event.probe_id] = Waiting(view, event.at)

    def _answered(self, event: ProbeAnswered) -> None:
        if event.probe_id in self.waiting:
            self.waiting[event.probe_id].answered = True

    def _judged(self, event: ProbeJudged) -> None:
        if event.carried and self.scene is not None:
            self.scene.carried += 1
        if not event.carried:
            self._pay(event.new_calls)
        if not event.carried and event.added is None:
            self._take(event.probe)

    def _finish(self, event: ItemFinished) -> None:
        self._pay(event.new_calls)
        self._take(event.item)

    def _plan(self, event: DepthPlanned) -> None:
        part = self.open.get(event.depth)
        if part is None or event.round == 0:
            part = self.open[event.depth] = OpenPart(event.depth, event.slots)
        part.planned = (
            event if part.planned is None or event.round == 0 else _further(part.planned, event)
        )

    def _take(self, item: Any) -> None:
        if self.scene is None:
            return
        reading = self.reading
        view = reading.step(item, self.scene).brief()
        before = self._lost.pop(item.id, None)
        if before is not None:
            self._count(before.counts, -1)
            self.newest = deque(
                (newer for newer in self.newest if newer.id != item.id),
                maxlen=KEPT_STEPS,
            )
        self._count(view.counts)
        if view.fault is not None:
            self._lost[item.id] = view
        self.waiting.pop(item.id, None)
        self.steps += before is None
        index = reading.index(item)
        if index not in self.open:
            self.open[index] = OpenPart(index, again=index in self.closed)
        self.open[index].take(view, before)
        copied: Any = item
        if isinstance(item, reading.kept):
            self.scene.items[view.place] = copied.model_copy(update={"prompt": (), "calls": ()})
        if view.seen != "trace":
            self.newest.appendleft(view)

    def _close(self, event: PartClosed) -> None:
        """All about a part is there; closed once more, it counts as it came out last."""
        if self.scene is None:
            return
        reading, before = self.reading, self.memory.parts.get(event.index)
        if before is not None:
            self._count(closing(reading, before, self.scene).counts, -1)
        view = closing(reading, event, self.scene)
        self._count(view.counts)
        self.newest = deque(
            (newer for newer in self.newest if newer.id != view.id),
            maxlen=KEPT_STEPS,
        )
        self.newest.appendleft(view.brief())
        self.open.pop(event.index, None)
        self.scene.items = {
            place: item for place, item in self.scene.items.items() if item.concept != event.index
        }

    def _count(self, counts: Iterable[Count], sign: int = 1) -> None:
        for count in counts:
            self.tallies[count.series].add(count, sign)

    def _pay(self, calls: Iterable[Call]) -> None:
        for call in calls:
            self.spend.add(call)
            self.simulated = self.simulated or call.model.startswith(
                "sim-"
            )  # by whatever address it was asked


def _further(first: DepthPlanned, later: DepthPlanned) -> DepthPlanned:
    """A depth of which some probes are replaced."""
    return first.model_copy(update={"round": later.round})


def closing(reading: Any, event: PartClosed, scene: RunContext) -> StepView:
    """A part that closes, as a step is shown."""
    part, (outcome, counts) = reading.named(scene, event.index), reading.closed(event, scene)
    run = event.run_id.rpartition("-")[2]
    return StepView(
        f"{run}/{part.name}",
        "closed",
        about=part.about,
        said=f"closed: {outcome}",
        counts=tuple(counts),
    )


_READ: Mapping[str, Callable[[RunProgress, Any], None]] = {
    "run_started": RunProgress._begin,
    "run_resumed": RunProgress._begin,
    "opened": lambda run, event: run._pay(event.calls),
    "depth_planned": RunProgress._plan,
    "probe_asked": RunProgress._ask,
    "probe_answered": RunProgress._answered,
    "probe_judged": RunProgress._judged,
    "depth_closed": RunProgress._leave,
    "look_up_failed": lambda run, event: None,  # a notice tells of it
    "passages_found": lambda run, event: run._pay(event.calls),
    "item_finished": RunProgress._finish,
    "notice": lambda run, event: run.notices.append(event),
    "run_finished": lambda run, event: run.waiting.clear(),
}
"""Type of an event → what it changes; the others close a part."""
_UNCOUNTED = {"probe_asked", "probe_answered", "look_up_failed", "passages_found", "notice"}
"""Types of events that change no figure."""
