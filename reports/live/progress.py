"""What a reader of the event stream knows about each run: small, flat in the number of finished probes."""

from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from ...state.events import (
    DepthClosed,
    DepthPlanned,
    Event,
    ItemFinished,
    Notice,
    Opened,
    PartClosed,
    ProbeAnswered,
    ProbeAsked,
    ProbeJudged,
    RunFinished,
    RunResumed,
    RunStarted,
)
from ...state.records import Call, Probe
from ...state.result import DepthRow
from ...state.spec import DrillSpec
from ...state.tiers import Tier
from ...state.worlds import label_of
from ..views.deepquestion.progress import DeepQuestionProgress
from ..views.depthqa.building.progress import BuildProgress
from ..views.depthqa.progress import DepthQAProgress
from ..views.eqt.progress import EqtProgress

KEPT_PROBES = 60
"""Newest finished probes kept per run: as many as the tallest screen shows."""
KEPT_NOTICES = 8

Mark = Literal["correct", "wrong", "abstained", "unscored"]


@dataclass(slots=True)
class Waiting:
    """A probe whose question is with the target or the judge."""

    id: str
    chain: tuple[str, ...]
    question: str
    since: datetime | None
    answered: bool = False


@dataclass(frozen=True, slots=True)
class Finished:
    """A probe that is done, as one line shows it."""

    id: str
    mark: Mark
    chain: tuple[str, ...]
    question: str
    note: str
    """Why it is unscored; empty when it is scored."""
    elapsed_s: float


@dataclass(slots=True)
class OpenDepth:
    """The depth that is being asked."""

    depth: int
    tier: Tier
    tier_pass: int
    slots: int
    """Probes the depth wants scored (those of round 0)."""
    round: int
    paths: int
    marks: dict[Mark, int] = field(default_factory=lambda: {"correct": 0, "wrong": 0, "abstained": 0, "unscored": 0})

    @property
    def scored(self) -> int:
        return self.marks["correct"] + self.marks["wrong"] + self.marks["abstained"]


@dataclass(slots=True)
class Spend:
    """What the run's calls cost so far. A cached call costs nothing again."""

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    usd: float | None = 0.0
    """None once the price of any call is unknown."""

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


def mark_of(probe: Probe) -> Mark:
    """The probe's verdict, or `unscored`."""
    return probe.outcome.verdict if probe.outcome.status == "scored" else "unscored"


_STEPPED: Mapping[str, Callable[[Any], Any]] = {
    "eqt": EqtProgress,
    "depthqa": DepthQAProgress,
    "depthqa_build": BuildProgress,
    "deepquestion": DeepQuestionProgress,
}
"""Method → what keeps account of a run that works in steps: it begins with a spec, takes items, and closes parts."""


@dataclass(slots=True)
class RunProgress:
    """One run."""

    run_id: str
    spec: DrillSpec | None = None
    """The run's spec when it is a drill."""
    method: str = ""
    steps: Any = None
    """What is known of a run of a method that works in steps (`_STEPPED`), its spec included; None of any other, and
    of a stream that is read from its middle."""
    subject: tuple[str, str] | None = None
    """Domain and target."""
    simulated: bool = False
    started: datetime | None = None
    """When the present session began."""
    earlier_s: float = 0.0
    """Seconds of earlier sessions."""
    last: datetime | None = None
    roots: int = 0
    rows: dict[int, DepthRow] = field(default_factory=dict)
    open: OpenDepth | None = None
    waiting: dict[str, Waiting] = field(default_factory=dict)
    newest: deque[Finished] = field(default_factory=lambda: deque(maxlen=KEPT_PROBES))
    """Finished probes, the newest first."""
    notices: deque[Notice] = field(default_factory=lambda: deque(maxlen=KEPT_NOTICES))
    probes: int = 0
    spend: Spend = field(default_factory=Spend)
    evd: float | None = None
    """Expected Valid Depth of the closed depths."""
    finished: RunFinished | None = None

    def apply(self, event: Event) -> None:
        """Take in one event of this run."""
        before, self.last = self.last, event.at or self.last
        match event:
            case RunStarted() | RunResumed():
                self._sit_down(event, before)
            case Opened():
                self.roots = len(event.roots)
                self._spend(event.calls)
            case DepthPlanned():
                self._plan(event)
            case ProbeAsked() | ProbeAnswered():
                self._wait(event)
            case ProbeJudged(carried=False):
                self._judged(event)
            case DepthClosed():
                self.rows[event.row.depth] = event.row
                self.open, self.evd = None, event.evd
            case ItemFinished() | PartClosed():
                self._take(event)
            case Notice():
                self.notices.append(event)
            case RunFinished():
                self._finish(event)

    def elapsed_s(self, now: datetime) -> float:
        """Seconds since the run began, or its whole time once it is over."""
        if self.finished is not None:
            return self.finished.wall_s
        return self.earlier_s + (max(0.0, (now - self.started).total_seconds()) if self.started else 0.0)

    def _sit_down(self, event: RunStarted | RunResumed, before: datetime | None) -> None:
        """The run begins, or goes on; what was under way when it was cut off is asked again."""
        self._know(event)
        self.subject = event.spec.domain, label_of(event.spec.target)
        self.simulated = self.simulated or (event.simulated if isinstance(event, RunStarted) else event.spec.simulated)
        self.finished = None
        if self.started and before:
            self.earlier_s += (before - self.started).total_seconds()
        self.started = event.at
        self.waiting.clear()

    def _know(self, event: RunStarted | RunResumed) -> None:
        """The spec as it is now, and what a board of the method begins with."""
        spec, board = event.spec, _STEPPED.get(event.spec.method)
        self.method = spec.method
        self.spec = spec if spec.method == "drill" else None
        if board is not None:
            self.steps = self.steps or board(spec)
            self.steps.begin(spec, event if isinstance(event, RunStarted) else None)

    def _plan(self, event: DepthPlanned) -> None:
        if self.open is not None and self.open.depth == event.depth and event.round > 0:
            self.open.round = event.round
            return
        self.open = OpenDepth(event.depth, event.tier, event.tier_pass, event.slots, event.round, event.paths)

    def _wait(self, event: ProbeAsked | ProbeAnswered) -> None:
        if isinstance(event, ProbeAsked):
            self.waiting[event.probe_id] = Waiting(event.probe_id, event.chain, event.question, event.at)
        elif event.probe_id in self.waiting:
            self.waiting[event.probe_id].answered = True

    def _judged(self, event: ProbeJudged) -> None:
        self._spend(event.new_calls)
        if event.added is not None:
            return
        probe = event.probe
        waited = self.waiting.pop(probe.id, None)
        mark = mark_of(probe)
        if self.open is not None and self.open.depth == probe.depth:
            self.open.marks[mark] += 1
        question = probe.question.text if probe.question else waited.question if waited else ""
        note = "" if probe.outcome.status == "scored" else f"{probe.outcome.stage}: {probe.outcome.kind}"
        self.newest.appendleft(Finished(probe.id, mark, probe.chain, question, note, probe.elapsed_s))
        self.probes += 1

    def _take(self, event: ItemFinished | PartClosed) -> None:
        if isinstance(event, ItemFinished):
            self._spend(event.new_calls)
        if self.steps is not None:
            self.steps.take(event.item) if isinstance(event, ItemFinished) else self.steps.close(event)

    def _spend(self, calls: Iterable[Call]) -> None:
        for call in calls:
            self.spend.add(call)
            self.simulated = self.simulated or call.model.startswith("sim-")  # by whatever address it was asked

    def _finish(self, event: RunFinished) -> None:
        self.finished, self.open = event, None
        self.evd = event.evd if event.evd is not None else self.evd
        self.waiting.clear()


@dataclass(slots=True)
class Progress:
    """All runs of one launch, in the order they began."""

    runs: dict[str, RunProgress] = field(default_factory=dict)

    def apply(self, event: Event) -> RunProgress:
        """Take in one event; returns the run it belongs to."""
        run = self.runs.setdefault(event.run_id, RunProgress(event.run_id))
        run.apply(event)
        return run


def progress_of(events: Iterable[Event]) -> Progress:
    """The board after all these events."""
    progress = Progress()
    for event in events:
        progress.apply(event)
    return progress
