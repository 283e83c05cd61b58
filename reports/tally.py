"""What a run's steps add up to: calls and money, marks and means, parts that are open."""

from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime

from ..state.events import DepthPlanned
from ..state.records import Call
from .step import Count, StepView


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
    number: int = 0
    total: float = 0.0
    _units: dict[str, tuple[float, int]] = field(default_factory=dict)

    def add(self, count: Count, sign: int = 1) -> None:
        self.marks[count.mark] += sign * count.number
        if not count.unit:
            self.number, self.total = (
                self.number + sign * count.number,
                self.total + sign * count.total,
            )
            return
        total, times = self._units.get(count.unit, (0.0, 0))
        after = (total + sign * count.total, times + sign)
        self._units[count.unit] = after
        self.number += bool(after[1]) - bool(times)
        self.total += (after[0] / after[1] if after[1] else 0.0) - (total / times if times else 0.0)

    @property
    def mean(self) -> float | None:
        """None without any."""
        return self.total / self.number if self.number else None

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
    steps: set[str] = field(default_factory=set)
    marks: Counter[str] = field(default_factory=Counter)
    planned: DepthPlanned | None = None
    """Of a depth of a drill: its round."""

    @property
    def counts(self) -> bool:
        """Whether it is one of the run's parts that are not closed yet."""
        return self.index >= 0 and not self.again

    def take(self, view: StepView, before: StepView | None) -> None:
        """A step is finished; `before`: it had come to nothing. What measures something is counted
        by its mark."""
        if before is not None and before.counts and view.id in self.steps:
            self.marks[before.mark] -= 1
        self.steps.add(view.id)
        if view.counts:
            self.marks[view.mark] += 1


@dataclass(slots=True)
class Waiting:
    """A step that is under way."""

    view: StepView
    since: datetime | None
    answered: bool = False
    """Whether its answer is with the judge."""
