"""What a reader of the event stream knows of each run. It does not grow with the texts of the run:
screen, lines and unfinished runs read this."""

from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterable, KeysView, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from statistics import fmean
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

KEPT_STEPS = 60
"""Newest steps kept per run: as many as the tallest screen shows."""
KEPT_NOTICES = 8


@dataclass(slots=True)
class Spend:
    """What the run's calls cost so far. A cached call costs nothing again."""

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    usd: float | None = 0.0
    """None once the price of any call is unknown."""

    @property
    def tokens(self) -> int:
        return self.input_tokens + self.output_tokens

    def add(self, call: Call) -> None:
        if call.cached:
            return
        self.calls += 1
        self.input_tokens += call.usage.input_tokens
        self.output_tokens += call.usage.output_tokens
        if call.cost_usd is not None:
            self.usd = None if self.usd is None else self.usd + call.cost_usd
        elif call.failure is None or call.usage.input_tokens:
            self.usd = None


@dataclass(slots=True)
class Tally:
    """A series of figures: how many of each mark, and the mean of what was measured."""

    marks: Counter[str] = field(default_factory=Counter)
    _values: dict[str, list[float]] = field(default_factory=dict)
    """Unit → what was measured of it: its mean counts once."""
    _others: int = 0
    _total: float = 0.0
    """Number and sum of what belongs to no unit."""

    def add(self, count: Count) -> None:
        self.marks[count.mark] += count.number
        if count.unit:
            self._values.setdefault(count.unit, []).append(count.total)
        else:
            self._others += count.number
            self._total += count.total

    @property
    def number(self) -> int:
        return self._others + len(self._values)

    @property
    def mean(self) -> float | None:
        """None without any."""
        total = self._total + sum(map(fmean, self._values.values()))
        return total / self.number if self.number else None

    @property
    def accuracy(self) -> float | None:
        """Right of right, wrong and abstained; None without any."""
        scored = sum(self.marks[mark] for mark in ("correct", "wrong", "abstained"))
        return self.marks["correct"] / scored if scored else None


@dataclass(slots=True)
class OpenPart:
    """A part of the run that is being worked on."""

    index: int
    wanted: float | None = None
    """Steps that it has when nothing fails; None until somebody wants to know."""
    again: bool = False
    """It was closed before, and what a fault took is asked for once more."""
    steps: dict[str, str] = field(default_factory=dict)
    """Id of a finished step → its mark, empty where it measures nothing."""
    planned: DepthPlanned | None = None
    """Of a depth of a drill: its round."""

    @property
    def marks(self) -> Counter[str]:
        return Counter(filter(None, self.steps.values()))

    @property
    def counts(self) -> bool:
        """Whether it is one of the run's parts that are not closed yet."""
        return self.index >= 0 and not self.again


@dataclass(slots=True)
class Waiting:
    """A step that is under way."""

    view: StepView
    since: datetime | None
    answered: bool = False
    """Whether its answer is with the judge."""


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
    waiting: dict[str, Waiting] = field(default_factory=dict)
    newest: deque[StepView] = field(default_factory=lambda: deque(maxlen=KEPT_STEPS))
    """Finished steps, the newest first."""
    notices: deque[Notice] = field(default_factory=lambda: deque(maxlen=KEPT_NOTICES))
    spend: Spend = field(default_factory=Spend)
    last: datetime | None = None
    _lost: set[str] = field(default_factory=set)
    """Ids of the steps that a fault took: when the run goes on, they may be done once more."""
    _counts: dict[str, tuple[Count, ...]] = field(default_factory=dict)
    """Id of a finished step or a closed part → what it adds to the figures."""
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
    def tallies(self) -> defaultdict[str, Tally]:
        """The series of figures, over all finished steps and closed parts."""
        tallies = defaultdict[str, Tally](Tally)
        for counts in self._counts.values():
            for count in counts:
                tallies[count.series].add(count)
        return tallies

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
        opened = sum(index >= 0 and index not in self.closed for index in self.open)
        return max(self._expected, len(self.closed) + opened)

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
            self.earlier = (
                self.elapsed_s(memory.last_at) if memory.last_at else 0.0,
                self.share,
            )

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
        first = part.planned if event.round else None
        part.planned = first.model_copy(update={"round": event.round}) if first else event

    def _take(self, item: Any) -> None:
        if self.scene is None:
            return
        reading = self.reading
        view = reading.step(item, self.scene).brief()
        self.steps += view.id not in self._counts
        self._show(view)
        if view.fault is None:
            self._lost.discard(view.id)
        else:
            self._lost.add(view.id)
        self.waiting.pop(item.id, None)
        index = reading.index(item)
        if index not in self.open:
            self.open[index] = OpenPart(index, again=index in self.closed)
        self.open[index].steps[view.id] = view.mark if view.counts else ""
        copied: Any = item
        if isinstance(item, reading.kept):
            self.scene.items[view.place] = copied.model_copy(update={"prompt": (), "calls": ()})

    def _close(self, event: PartClosed) -> None:
        """All about a part is there; closed once more, it counts as it came out last."""
        if self.scene is None:
            return
        self._show(closing(self.reading, event, self.scene))
        self.open.pop(event.index, None)
        self.scene.items = {
            place: item
            for place, item in self.scene.items.items()
            if item.concept != event.index
        }

    def _show(self, view: StepView) -> None:
        """A step is finished, or a part closed; what was there of it before is gone."""
        if view.id in self._counts:
            others = (newer for newer in self.newest if newer.id != view.id)
            self.newest = deque(others, maxlen=KEPT_STEPS)
        self._counts[view.id] = view.counts
        if view.seen != "trace":
            self.newest.appendleft(view)

    def _pay(self, calls: Iterable[Call]) -> None:
        for call in calls:
            self.spend.add(call)
            self.simulated |= call.model.startswith("sim-")  # by whatever address it was asked


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
