"""One step of a run as it is shown. The row on the live screen, the line in a pipe and the trace
are made from the same object; each method says once what its steps come to (`views/steps.py`)."""

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple

from ..state.events import PartClosed
from ..state.problems import ProblemSet
from ..state.question_graph import Material
from ..state.records import ANCHORS, Unscored
from .page import figures
from .page.sanitise import model_name

StepStatus = Literal[
    "correct",
    "wrong",
    "abstained",
    "partial",
    "rejected",
    "unscored",
    "done",
    "open",
    "answered",
    "closed",
]
SIGNS: Mapping[StepStatus, tuple[str, str]] = {
    "correct": ("✓", "correct"),
    "wrong": ("✗", "wrong"),
    "abstained": ("∅", "abstained"),
    "partial": ("~", "abstained"),
    "rejected": ("–", "warning"),
    "unscored": ("?", "unscored"),
    "done": ("·", "quiet"),
    "open": ("○", "quiet"),
    "answered": ("◐", "quiet"),
    "closed": ("■", "title"),
}
"""StepStatus → the sign that stands for it, and its style."""
BRIEF = 1600
"""Characters of a text that are kept for a row: more than the widest screen shows."""


@dataclass(frozen=True, slots=True)
class Field:
    """One text of a step, as the trace shows it in full: `name: text`. Foreign text is made
    harmless where it is rendered."""

    name: str
    text: str
    style: str = ""
    quote: str = ""
    """The part of the text that a page underlines."""
    link: str = ""
    """Address of the page that it names."""


class Count(NamedTuple):
    """What a step, or a closed part, adds to a series of figures: so many of a mark, and a sum to
    take a mean of."""

    series: str
    mark: str = ""
    number: int = 1
    total: float = 0.0
    unit: str = ""
    """What is measured, where it may be measured several times and its mean counts once."""


Seen = Literal["everywhere", "screen", "trace"]


@dataclass(eq=False, slots=True)
class StepView:
    """A step. Texts may be foreign, and are raw: they are made harmless where they are rendered.
    Not frozen, which is slower to make: there are hundreds a second."""

    id: str
    mark: StepStatus
    title: str = ""
    """What was done, for the trace."""
    about: str = ""
    """What it is about: a concept, or the concepts that led to it."""
    said: str = ""
    """What came of it, in a few words."""
    text: str = ""
    """The question that was asked, or what else tells the step from others."""
    name: str = ""
    """What it is called in a row, where that is not its place in the run."""
    fields: Callable[[], Iterable[Field]] = tuple
    """What was written and said, put together when somebody wants to read it."""
    elapsed_s: float = 0.0
    fault: Unscored | None = None
    depth: int = 0
    """How far it is indented in the trace: below the step it belongs to."""
    seen: Seen = "everywhere"
    """On the screen, in a pipe and in the trace; not in a pipe; or only in the trace."""
    counts: tuple[Count, ...] = ()

    @property
    def place(self) -> str:
        """The id within the run."""
        return figures.place(self.id)

    @property
    def called(self) -> str:
        return self.name or self.place

    def brief(self) -> "StepView":
        """The same for a row, without what only the trace shows."""
        return replace(
            self,
            title="",
            about=self.about[:BRIEF],
            said=self.said[:BRIEF],
            text=self.text[:BRIEF],
            fields=tuple,
        )


def view_of(item: Any, mark: StepStatus, **what: Any) -> StepView:
    """The view of an item. A fault makes it unscored, and takes the place of what came of it."""
    if item.fault is not None:
        what |= {"said": f"{item.fault.stage}: {item.fault.kind}", "seen": "everywhere"}
        mark = "unscored"
    return StepView(item.id, mark, elapsed_s=item.elapsed_s, fault=item.fault, **what)


@dataclass(slots=True)
class RunContext:
    """What the steps of a run are read with."""

    spec: Any
    material: Material | None = None
    problems: ProblemSet | None = None
    items: dict[str, Any] = field(default_factory=dict)
    """Place → a step that is finished: in a trace all of them, while the run goes on those that the
    method keeps."""
    closed: Mapping[int, PartClosed] = field(default_factory=dict)
    carried: int = 0
    """Questions of another run that are put again."""
    calls: Any = None
    """What the run asks (`Calls`), once somebody needs it."""
    nominal: frozenset[str] | None = None
    """Tiers of a finished run that are so in name only; None: those of the spec."""
    plan: dict[Hashable, float] = field(default_factory=dict)
    """How many steps a part has, by what parts with as many share."""


def roles_of(spec: Any) -> list[str]:
    """Who takes part beside the target: `judge sim:evaluator`."""
    return [
        f"{role} {model_name(name)}"
        for role, name in spec.models.items()
        if role not in ("target", *ANCHORS)
    ]


class PartName(NamedTuple):
    """A part of a run: `c003`, and what it is about."""

    name: str
    about: str = ""
    text: str = ""
