"""What a drill measured. Field names are the contract of `fathom schema result`."""

from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field, field_validator

from .records import UNSAID, Probe, Record
from .spec import DrillSpec
from .tiers import Tier

FORMAT = 2
"""Version of what results look like; a result has it in its `provenance`. Counts up when a field
changes its place, its meaning, or goes: numbers and names of figures stay. A result of an earlier
version is computed again from its journal when it is opened."""
Interval = tuple[float, float]
"""Lower and upper end of a 95% interval."""

Status = Literal["complete", "partial", "failed", "interrupted"]
"""How a run ended; `partial`: its budget was used up."""

StopReason = Literal[
    "threshold",
    "max_depth",
    "evidence_exhausted",
    "infrastructure",
    "no_source",
    "budget",
    "interrupted",
    "failed",
    "all_asked",
    "no_questions",
    "not_converged",
]
"""`threshold`: S(d) < θ. `no_source`: the next tier has no fact source. `all_asked`: a method that
ends with its questions. `no_questions`: no question that could be asked came about.
`not_converged`: no draft of a prompt was good enough."""


Population = Literal["topics", "contents", "free"]
"""What the roots of a drill are drawn from. `topics`: a list that was given; `contents`: what the
evaluator chose among the titles of the sources; `free`: what it named by itself."""

SHORT: frozenset[StopReason] = frozenset({"infrastructure", "no_questions", "not_converged"})
"""Reasons for which a run that ends by itself has failed: it did not find what it was to find."""


def cuts_short(reason: str | bool | None) -> bool:
    """Whether a drill that stopped for this reason has an EVD that is only a lower limit. One that
    reached the deepest depth allowed is complete to that depth."""
    return reason not in (None, False, "threshold", "max_depth")


class Envelope(Record):
    """What every result begins with, whatever its method; usage, cost, time, notes and provenance
    are at its end."""

    method: str
    run_id: str
    spec: Any
    simulated: bool
    """True when any part is the simulated world: the numbers measure no real model."""
    status: Status
    """How it ended: complete, partial (budget), failed or interrupted."""
    stop_reason: StopReason
    stop_detail: str

    @property
    def counts(self) -> bool:
        """Whether it is set beside others: it came to its own end, be it that calls failed (what it
        has found by then is a lower limit)."""
        return self.status == "complete" or self.stop_reason == "infrastructure"


class DepthRow(Record):
    """One depth. Counts are of probes; accuracy and survival are shares in 0 … 1."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", populate_by_name=True, defer_build=True
    )

    depth: int
    """Depth, counted from 1."""
    tier: Tier
    tier_pass: int = Field(alias="pass")
    """Which depth of its tier it is, counted from 1."""
    asked: int
    """Questions put to the target, those that were withdrawn or replaced included."""
    scored: int
    """n: probes with a verdict that count."""
    correct: int
    wrong: int
    abstained: int
    unscored: dict[str, int]
    """Probes without a verdict, by stage; all rounds together."""
    rejected: int
    """Questions written and thrown away."""
    duplicates: int
    """Scored probes left out because a lower slot asked for the same fact."""
    tried: int
    """Concepts whose turn came when slots were dealt."""
    no_evidence: int
    """Concepts among them without any evidence: nothing is near them in the source, or the
    Explainer meant nothing that is."""
    unfilled: int
    """Slots that stayed empty or unscored after all replacement rounds."""
    replaced: int
    """Probes whose call to the target failed, or whose answer was cut off, and whose slot was
    filled later."""
    rounds: int
    effective_roots: float
    """Number of independent starting topics that the spread of probes amounts to."""
    accuracy: float
    """Share of right answers, 0 … 1; null without any."""
    accuracy_ci: Interval
    """95% interval of the accuracy (Wilson)."""
    accuracy_ci_clustered: Interval | None
    """Interval that allows for probes sharing roots; None with a single root."""
    survival: float
    """Share of lines of questioning that survive to this depth, 0 … 1."""
    survival_ci: Interval
    """95% interval of the survival."""
    flags: tuple[str, ...] = ()
    """`short`: fewer than N scored probes, at least N/2."""
    refused: int = 0
    """Passages on which no question was written: they mean something else, or hold nothing that
    fits."""
    withdrawn: int = 0
    """Questions put to the target and then withdrawn, because the evaluator's own check failed
    them."""
    without_evidence: tuple[str, ...] = ()
    """The concepts of `no_evidence` by name."""
    anchors: Annotated[dict[str, tuple[int, int]], UNSAID] = Field(default_factory=dict)
    """Model of known strength → how many of these questions it answered right, and how many of its
    answers were scored."""
    roots: Annotated[int, UNSAID] = 0
    """Number of starting topics that the probes with a verdict come from; 0: not counted then."""
    not_found: Annotated[dict[str, tuple[str, ...]], UNSAID] = Field(default_factory=dict)
    """Concepts not found under their names → the titles of the source nearest to them. They are
    none of `no_evidence`: nobody was asked whether one of these is meant."""


class TierRow(Record):
    """One tier, all its depths together."""

    scored: int
    correct: int
    wrong: int
    abstained: int
    accuracy: float
    """Share of right answers, 0 … 1; null without any."""
    accuracy_ci: Interval
    """95% interval of the accuracy (Wilson)."""


class RootRow(Record):
    """One opening aspect with all that grew from it."""

    scored: int
    correct: int
    accuracy: float
    """Share of right answers, 0 … 1; null without any."""
    deepest: int
    """Deepest depth with a correct answer on this root; 0 when there is none."""


FEW = 5
"""Fewer questions than this support no claim; their figures stand with their number."""


class RulerShare(Record):
    """A share of checked questions."""

    count: int
    n: int
    """Questions that it could be true of."""
    share: float | None
    """0 … 1; null without any."""
    ci: Interval
    """95% interval (Wilson)."""
    ci_clustered: Interval | None
    """Interval that allows for questions sharing roots; None with a single root."""

    @property
    def below_half(self) -> bool:
        """Whether it is fewer than half, of enough to say so."""
        return self.n >= FEW and 2 * self.count < self.n

    @property
    def interval(self) -> Interval | None:
        """The one to show: it allows for shared roots where it can."""
        return (self.ci_clustered or self.ci) if self.n else None


class RulerRow(Record):
    """What the check, blind to the tier, says of scored questions that count."""

    checked: int
    """Questions whose level is known."""
    at_level: RulerShare
    """At the level of their tier."""
    harder: RulerShare
    """One level above that of their tier, or more."""
    easier: RulerShare
    """One level below it, or more."""
    mean_level: float | None
    """1 (common) … 5 (cutting edge); null without any."""
    mean_level_ci: Interval | None
    """95% interval, clustered by root; None with a single root."""
    deeper: RulerShare
    """Of the follow-ups: who knows this mostly knows the parent's answer, not the other way
    round."""
    level: RulerShare
    """Of the follow-ups: neither leads to the other."""
    doubtful: int
    """Questions whose passage is outdated or disputed."""


class TierRulerRow(RulerRow):
    """The same of a tier."""

    nominal: bool
    """Fewer than half of its questions are at its level, or its source does not tell tiers
    apart."""


class Ruler(Record):
    """Whether deeper questions are deeper, and tiers what they are called."""

    by_depth: dict[int, RulerRow]
    by_tier: dict[Tier, TierRulerRow]
    overall: RulerRow
    evd_without_doubtful: float | None
    """EVD over the same depths without the probes whose passage is outdated or disputed; null
    where a depth has no others."""
    constant_accuracy: float
    """The accuracy p that, the same at every depth, gives this EVD: p + p² + … under the stop rule
    and the deepest depth allowed (of a drill that was cut short: that it reached); the least p that
    gives at least it where the stop rule leaves no exact one. 0 … 1."""
    anchors_evd: float | None
    """EVD at the anchors' difficulty: the sum of the products of the anchors' pooled shares right
    at each depth, under the stop rule, to the deepest depth they were asked; null without
    anchors."""


class RoleUsage(Record):
    """What one role cost. `cost_usd` is None when the price of any of its calls is unknown."""

    calls: int
    cached: int
    """Served from the cache."""
    failed: int
    """Calls without a usable reply."""
    attempts: int
    """Requests sent, repeated ones included."""
    input_tokens: int
    """Tokens paid for in this run; those of cached calls stand apart."""
    output_tokens: int
    """Tokens of the replies."""
    cost_usd: float | None
    """What it cost in USD; null when the price of any call is unknown."""
    cached_input_tokens: int = 0
    """Tokens of cached calls, as counted when they were made."""
    cached_output_tokens: int = 0
    saved_usd: float | None = 0.0
    """What the cached calls cost when they were made; None when the price of any of them is
    unknown."""


class OpenDepth(Record):
    """A depth that was begun and not closed: what there is of it stays out of every number but
    usage and cost."""

    depth: int
    """Depth, counted from 1."""
    tier: Tier
    finished: int
    """Finished probes, scored or not."""
    correct: int
    wrong: int
    abstained: int
    unscored: int
    """Lost to a fault; never counted as wrong."""


class DrillResult(Envelope):
    """The whole outcome of one drill."""

    method: Literal["drill"] = "drill"
    spec: DrillSpec
    censored: str | None
    """The cause when EVD is only a lower limit of what a longer run would give; None after a stop
    by threshold, and at the deepest depth allowed, to which it is complete."""
    depths: tuple[DepthRow, ...]
    open_depth: OpenDepth | None = None
    """The depth the run ended in without closing it (budget, interrupt, too few verdicts); None
    when there is none."""
    evd: float
    """Expected Valid Depth: the sum of survival over the depths; null before there is one."""
    evd_ci: Interval
    """95% interval of the EVD."""
    evd_se: float | None
    """Standard error of the EVD, in depths; null where there is none."""
    evd_note: str | None
    """Why the interval is a boundary case, or what it does not cover."""
    evd_bounds: Interval
    """EVD if every slot that stayed empty and every answer lost at the target had been wrong, and
    if every one had been right. What the evaluator itself withdrew is not in it."""
    evd_no_evidence_wrong: float
    """EVD if concepts without evidence counted as wrong."""
    evd_beyond_common: float
    """Part of the EVD that lies beyond the tier COMMON."""
    depth_reached: int
    """Deepest depth that was closed."""
    median_depth: int | None
    """First depth with S < .5; None when survival never fell that far."""
    final_survival: float
    """Survival at the deepest closed depth, 0 … 1."""
    survival_last_k: float
    """Product of the last K accuracies (K = passes)."""
    survival_depth_weighted: float
    """Accuracy averaged with weight d: later depths count more. Never the headline."""
    accuracy: float | None
    """Share of right answers, 0 … 1; null without any."""
    mean_error_depth: float | None
    """Mean depth of the wrong answers; null without any."""
    by_tier: dict[Tier, TierRow]
    by_root: dict[str, RootRow]
    ruler: Annotated[Ruler | None, UNSAID] = None
    """Of the questions themselves; null where none was checked and no anchor was asked."""
    aspects: tuple[str, ...]
    probes: tuple[Probe, ...]
    usage: dict[str, RoleUsage]
    cost_usd: float | None
    """What it cost in USD; null when the price of any call is unknown."""
    wall_s: float
    """Seconds from beginning to end, all sessions together."""
    conformance: tuple[str, ...]
    """Each place where this run deviates from the published method, by name."""
    notes: tuple[str, ...]
    provenance: dict[str, Any]
    """Versions, digests and models that the result was made with."""
    population: Annotated[Population | None, UNSAID] = None
    """What the roots were drawn from; absent in older runs, as the next two are."""
    roots_with_evidence: Annotated[float | None, UNSAID] = None
    """Share of the roots that were drawn on which the sources have passages, 0 … 1."""
    roots_lost: Annotated[tuple[str, ...], UNSAID] = ()
    """The drawn roots without evidence."""

    @field_validator("censored")
    @classmethod
    def _complete_to_its_depth(cls, cause: str | None) -> str | None:
        """A drill that reached the deepest depth allowed is not cut short."""
        return cause if cuts_short(cause) else None

    @property
    def nominal(self) -> frozenset[Tier]:
        """The tiers that are so in name only."""
        rows = self.ruler.by_tier if self.ruler else {}
        return self.spec.nominal | {tier for tier, row in rows.items() if row.nominal}
