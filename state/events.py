"""The one stream of a run. Terminal, JSON lines and journal are readers of it; the union is
closed."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import ConfigDict, Field, TypeAdapter

from .eqt.result import Numbers
from .items import AnyItem
from .problems import ProblemSet
from .question_graph import Depth, Material
from .records import UNSAID, Call, Evidence, Probe, Record, Unscored
from .result import DepthRow, Interval, Population, Status, StopReason
from .spec import Spec
from .tiers import Tier

FORMAT = 1
"""Counts up when a field of an event changes its meaning or is gone; not for new ones."""


class BaseEvent(Record):
    """`seq` counts from 1 within a run; `at` is UTC."""

    run_id: str
    seq: int = 0
    """Number of the event within its run, counted from 1."""
    at: datetime | None = None
    """When it happened, UTC."""


class RunStarted(BaseEvent):
    type: Literal["run_started"] = "run_started"
    spec: Spec
    spec_digest: str
    """Sixteen hex digits over the spec."""
    version: str
    simulated: bool
    """True when any part of the run is the simulated world: its numbers measure no real model."""
    prompts: dict[str, str] = Field(default_factory=dict)
    """Prompt name → digest of its text."""
    sources: dict[str, str] = Field(default_factory=dict)
    """Source → fingerprint of its content, for sources that can be read whole (folders, archives).
    """
    environment: dict[str, str] = Field(default_factory=dict)
    """Version of Python and of the libraries that shape a result."""
    material: Material | None = None
    """Of a run over a question graph: its questions, and the answers where they are given."""
    problems: ProblemSet | None = None
    """Of a run over problems: these, and what was written from them where it is given."""
    format: int = 0
    """Version of what events look like: `FORMAT` when the run began; 0 before there was
    a number."""


class RunResumed(BaseEvent):
    """A run goes on after it was cut off. What was finished before is not asked for again."""

    type: Literal["run_resumed"] = "run_resumed"
    spec: Spec
    """The spec as it is now; another one than the run started with only when that was forced."""
    version: str
    probes: int
    """Finished probes that were there already."""
    reopened: int | None = None
    """Depth that ended the run for faults of the infrastructure and is asked anew; see
    `fathom.graphs.run.record`. Of the methods without depths 1: the steps that such faults have
    prevented are done anew."""
    spent_usd: float | None = None
    """All that earlier sessions have paid, calls of unfinished probes included; None: not known."""
    spent_calls: int = 0
    """The calls they have paid for."""
    forced: tuple[str, ...] = ()
    """Each difference to the start of the run that was overridden, in words."""


class Opened(BaseEvent):
    """The opening is done: the aspects in drawn order, and the roots among them."""

    type: Literal["opened"] = "opened"
    aspects: tuple[str, ...]
    roots: tuple[str, ...]
    """A topic as often as its weight gives it probes at depth 1; every other root once."""
    calls: tuple[Call, ...] = ()
    population: Annotated[Population, Field(exclude_if=lambda value: value == "free")] = "free"
    lost_roots: Annotated[tuple[str, ...], UNSAID] = ()
    """Those that were drawn and have no evidence, in drawn order; the next ones of `aspects` took
    their place."""


class DepthPlanned(BaseEvent):
    """A round is about to be asked; round 0 opens the depth, later rounds replace what could not be
    scored."""

    type: Literal["depth_planned"] = "depth_planned"
    depth: int
    """Depth, counted from 1."""
    round: int
    tier: Tier
    tier_pass: int
    """Which depth of its tier it is, counted from 1."""
    paths: int
    """Surviving paths the depth's probes are dealt over."""
    slots: int
    """Probes of this round."""


class ProbeAsked(BaseEvent):
    type: Literal["probe_asked"] = "probe_asked"
    probe_id: str
    depth: int
    """Depth, counted from 1."""
    chain: tuple[str, ...]
    """Concepts from the root to this one."""
    question: str


class ProbeAnswered(BaseEvent):
    type: Literal["probe_answered"] = "probe_answered"
    probe_id: str
    depth: int
    """Depth, counted from 1."""
    text: str
    latency_s: float
    """Seconds from the request to its reply."""


class ProbeJudged(BaseEvent):
    """The probe is finished, scored or not: the whole record."""

    type: Literal["probe_judged"] = "probe_judged"
    probe: Probe
    carried: bool = False
    """The probe is of another run and was finished there: this one replays its question."""
    added: int | None = None
    """The probe was journalled before and its verdict stands; its concepts, once lost to a fault,
    were asked for again. So many of its calls, the last ones, are new."""

    @property
    def new_calls(self) -> tuple[Call, ...]:
        """The calls that no earlier event told of."""
        calls = self.probe.calls
        return calls if self.added is None else calls[len(calls) - self.added :]


class DepthClosed(BaseEvent):
    type: Literal["depth_closed"] = "depth_closed"
    row: DepthRow
    evd: float
    """Expected Valid Depth so far."""
    excluded: dict[str, Literal["duplicate"]] = Field(default_factory=dict)
    """Scored probes of this depth that do not count, with the reason."""


class LookUpFailed(BaseEvent):
    """The evidence on a concept could not be looked up for a fault of the source, or the concepts
    of an answer could not be read: nobody knows what there is for the depth that needs it."""

    type: Literal["look_up_failed"] = "look_up_failed"
    depth: int
    """Depth, counted from 1."""
    tier: Tier
    parent: str | None
    """The probe that the concept is from; None for an opening aspect."""
    concept: str
    failure: Unscored
    """Why; its stage is `facts`, or `explanation` for concepts that could not be read."""

    @property
    def key(self) -> tuple[int, str | None, str]:
        return self.depth, self.parent, self.concept


class ConceptPassages(Record):
    """What a look-up brought on one concept."""

    parent: str | None
    """The probe that the concept is from; None for an opening aspect."""
    concept: str
    passages: tuple[int, ...] | None
    """Their places in the event's list, none where there is no evidence; None: the look-up failed,
    and `look_up_failed` says why."""
    nearest: Annotated[tuple[str, ...], UNSAID] = ()
    """Of what was not found under this name: the titles of the source nearest to it. Passages are
    then of the one that the Explainer meant."""
    unmeant: Annotated[bool, UNSAID] = False
    """The Explainer was shown them, and meant none."""


class PassagesFound(BaseEvent):
    """What a depth is dealt from, before anything of it is dealt: a run that goes on deals the
    same, although a page has changed meanwhile."""

    type: Literal["passages_found"] = "passages_found"
    depth: int
    round: int | None = None
    """The round that lacked these; None: all that was there when the depth began."""
    concepts: tuple[ConceptPassages, ...]
    passages: tuple[Evidence, ...]
    """Each once."""
    calls: Annotated[tuple[Call, ...], UNSAID] = ()
    """To the Explainer, for what names mean that were not found."""

    @property
    def id(self) -> str:
        return passages_id(self.depth, self.round)


def passages_id(depth: int, round_: int | None) -> str:
    """The name under which the passages of a depth, or of a round of it, are kept."""
    return f"passages of {depth}, {round_}"


class ItemFinished(BaseEvent):
    """A step of a method without depths is finished, with what came of it: the whole record, prompt
    included."""

    type: Literal["item_finished"] = "item_finished"
    item: AnyItem
    added: int | None = None
    """The step came to nothing before, for a fault, and was done again: so many of its calls, the
    last, are new."""

    @property
    def new_calls(self) -> tuple[Call, ...]:
        """The calls that no earlier event told of."""
        calls = self.item.calls
        return calls if self.added is None else calls[len(calls) - self.added :]


class PartClosed(BaseEvent):
    """All that was to be asked about one part of a run without depths was asked."""

    type: str
    index: int
    """The part's place, counted from 0 in the list of concepts, trees or problems."""


class ConceptClosed(PartClosed):
    """All that was to be asked about a concept was asked."""

    type: Literal["concept_closed"] = "concept_closed"
    concept: str
    category: str
    numbers: Numbers


class Marks(Record):
    """Scores of one depth, all ways of asking together."""

    scored: int
    unscored: int
    """Lost to a fault; never counted as wrong."""
    total: int
    """Sum of the scores (1 … 5)."""


class TreeClosed(PartClosed):
    """All that was to be asked about a tree of questions was asked and rated."""

    type: Literal["tree_closed"] = "tree_closed"
    root: str
    depths: dict[Depth, Marks]


PartMark = Literal["right", "wrong", "unscored", "rejected"]


class ProblemClosed(PartClosed):
    """All that was to be asked about a problem of a benchmark was asked."""

    type: Literal["problem_closed"] = "problem_closed"
    problem: str
    """Place in the list, counted from 0 (−1: none)."""
    marks: dict[str, PartMark]
    """`original`, `q2s-none`, `q2s-some`, `q2s-many`, `q2i`, those that were asked for. Rejected:
    what was written did not pass its checks."""


class Notice(BaseEvent):
    type: Literal["notice"] = "notice"
    level: Literal["info", "warning", "error"]
    message: str


class RunFinished(BaseEvent):
    type: Literal["run_finished"] = "run_finished"
    status: Status
    """How it ended: complete, partial (budget), failed or interrupted."""
    stop_reason: StopReason
    """Why the run ended."""
    stop_detail: str = ""
    caveats: tuple[str, ...] = ()
    """What a model's client could not send as asked, such as a seed, and other remarks for the
    result's notes."""
    spent_usd: float | None = None
    """For a run that was cut off: all that was paid, calls of unfinished probes included."""
    spent_calls: int = 0
    """The calls that were paid for, likewise."""
    evd: float | None
    """Expected Valid Depth: the sum of survival over the depths; null before there is one."""
    evd_ci: Interval | None
    """95% interval of the EVD."""
    cost_usd: float | None
    """What it cost in USD; null when the price of any call is unknown."""
    wall_s: float
    """Seconds from beginning to end, all sessions together."""


Event = Annotated[
    RunStarted
    | RunResumed
    | Opened
    | DepthPlanned
    | ProbeAsked
    | ProbeAnswered
    | ProbeJudged
    | DepthClosed
    | LookUpFailed
    | PassagesFound
    | ItemFinished
    | ConceptClosed
    | TreeClosed
    | ProblemClosed
    | Notice
    | RunFinished,
    Field(discriminator="type"),
]
EVENT: TypeAdapter[Event] = TypeAdapter(Event, config=ConfigDict(defer_build=True))
"""Reads an event back: `EVENT.validate_json(line)`."""
