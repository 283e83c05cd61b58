"""What a replay measured: the questions of a finished drill put to another model, or its answers
judged anew."""

from typing import Annotated, Any, Literal

from .records import UNSAID, Probe, Record, Verdict
from .result import Envelope, Interval, RoleUsage
from .spec import ReplaySpec
from .tiers import Tier


class ReplaySource(Record):
    """The drill that the questions come from."""

    run_id: str
    target: str
    judge: str
    questions: int
    """Its scored probes that count: what is replayed."""
    evd: float
    """As its own judge's verdicts on these questions give it."""
    nominal: Annotated[tuple[Tier, ...], UNSAID] = ()
    """Tiers fewer than half of whose questions are at their level."""


class Tally(Record):
    """One model on the questions, over its own verdicts."""

    model: str
    scored: int
    correct: int
    wrong: int
    abstained: int
    accuracy: float | None
    """None without any verdict."""
    accuracy_ci: Interval
    """Wilson."""
    accuracy_ci_clustered: Interval | None
    """Allows for questions that share roots; None with a single root."""


class Pair(Record):
    """One question. A side without a verdict leaves the pair out of every comparison; it is never
    wrong."""

    id: str
    """The probe it was in the drill."""
    depth: int
    """Depth, counted from 1."""
    tier: Tier
    root: str
    source: Verdict | None
    """On the drilled model's answer; None when another judge could not judge it again."""
    target: Verdict | None
    """On the other model's answer."""


class PairedRow(Record):
    """A comparison over the questions on which both sides have a verdict. The difference is target
    minus source."""

    n: int
    both: int
    """Questions both models have right."""
    only_source: int
    """Questions only the drilled model has right."""
    only_target: int
    """Questions only the other model has right."""
    neither: int
    source_accuracy: float
    """Accuracy of the drilled model, 0 … 1."""
    target_accuracy: float
    """Accuracy of the other model, 0 … 1."""
    difference: float
    difference_ci: Interval | None
    """Tango's score interval at the effective size, clustered by root; None with fewer than two
    roots."""
    mcnemar_p: float
    """Exact, two-sided, taking the questions as independent."""
    mcnemar_mid_p: float
    """Mid-p value of McNemar's test, two-sided."""


class PairedDepth(Record):
    """The comparison at one depth of the drill."""

    depth: int
    """Depth, counted from 1."""
    tier: Tier
    paired: PairedRow


class Agreement(Record):
    """Two judges over the same answers. Labels are right and not right: that is what decides a
    drill."""

    judge: str
    other: str
    n: int
    """Answers that both have judged."""
    agreement: float | None
    """Share of equal labels; None without any answer."""
    kappa: float | None
    """Cohen's κ; None where it is undefined, because one label is all there is."""
    verdicts: dict[Verdict, dict[Verdict, int]]
    """Verdict of `judge` → verdict of `other` → how many."""


class Flip(Record):
    """An answer that one judge accepts and the other does not."""

    id: str
    depth: int
    """Depth, counted from 1."""
    question: str
    reference: str
    answer: str
    judge: Verdict
    other: Verdict
    reason: str
    """The other judge's."""


class ReplayResult(Envelope):
    """Another model on the questions of a drill. It has no EVD: nothing was drilled with it."""

    method: Literal["replay"] = "replay"
    spec: ReplaySpec
    source: ReplaySource
    source_tally: Tally
    target_tally: Tally
    paired: PairedRow
    by_depth: tuple[PairedDepth, ...]
    by_tier: dict[Tier, PairedRow]
    pairs: tuple[Pair, ...]
    unscored: dict[str, int]
    """The other model's answers without a verdict, by stage."""
    judges: Agreement | None
    """The drill's judge and this one over the old answers; None when it is the same judge."""
    probes: tuple[Probe, ...]
    """The other model's probes; and, under another judge, the old answers judged anew, their ids
    ending in `.old`."""
    usage: dict[str, RoleUsage]
    cost_usd: float | None
    """What it cost in USD; null when the price of any call is unknown."""
    wall_s: float
    """Seconds from beginning to end, all sessions together."""
    notes: tuple[str, ...]
    provenance: dict[str, Any]
    """Versions, digests and models that the result was made with."""


class ConditionalDepth(Record):
    """One depth of a drill as another judge leaves it."""

    depth: int
    """Depth, counted from 1."""
    tier: Tier
    asked: int
    """Probes that counted in the drill."""
    removed: int
    """Of them those that grew from an answer the other judge does not accept."""
    unscored: int
    """Of the rest those without a verdict of the other judge."""
    n: int
    correct: int
    accuracy: float
    """Share of right answers, 0 … 1; null without any."""
    accuracy_ci: Interval
    """95% interval of the accuracy (Wilson)."""
    survival: float
    """Share of lines of questioning that survive to this depth, 0 … 1."""
    survival_ci: Interval
    """95% interval of the survival."""


class Calibration(Record):
    """A judge on references in other words: to their own questions, where it must accept them, and
    to other questions of the same topic or tier, where it must reject them."""

    right: int
    """Judged ones that must pass."""
    accepted: int
    sensitivity: float | None
    """Share of them that it accepted; None without any."""
    sensitivity_ci: Interval
    """Wilson, as that of the specificity."""
    wrong: int
    """Judged ones that must fail."""
    rejected: int
    specificity: float | None
    """Share of them that it rejected; None without any."""
    specificity_ci: Interval
    unscored: int
    """Of both; lost, or not restated."""


class SecondEvaluator(Record):
    """What another evaluator makes of the same passages, beside the drill's own questions from them,
    under one judge and one reader of questions. Differences are second minus first."""

    model: str
    passages: int
    refused: int
    """Passages from which it wrote no question that could be asked."""
    withdrawn: int
    """Questions that the first evaluator's check found faulty."""
    lost: int
    """To failed calls."""
    n: int
    """Passages with an answer to either question that has a verdict."""
    accuracy: float | None
    """Share of the answers to its questions that are right, 0 … 1."""
    first_accuracy: float | None
    """Likewise of the drill's own."""
    accuracy_difference: float | None
    accuracy_difference_ci: Interval | None
    """Clustered by root."""
    level_difference: float | None
    """In levels, of questions that were checked on both sides."""
    level_difference_ci: Interval | None
    evd_difference: float | None
    """What it would make of EVD: (accuracy/first accuracy − 1) · Σ_d g_d·A(d)."""
    evd_ci: Interval | None
    """The interval of EVD, widened by the variance between the two."""


class RejudgeResult(Envelope):
    """The answers of a drill under another judge, or what its own can be relied on. The EVD is
    conditional on the questions that were asked."""

    method: Literal["rejudge"] = "rejudge"
    spec: ReplaySpec
    source: ReplaySource
    judges: Agreement | None
    """The two judges over the same answers; null when they are the same."""
    evd: float
    """Conditional: over what is left when descendants of answers the other judge rejects are
    removed."""
    evd_ci: Interval
    """95% interval of the EVD."""
    evd_note: str | None
    """Why the interval is a boundary case, or what it does not cover; null: nothing is to be
    said."""
    censored: bool
    """True when what is left never fell below the threshold: the conditional EVD is a lower limit.
    """
    depths: tuple[ConditionalDepth, ...]
    removed: int
    newly_accepted: int
    """Answers only the other judge accepts: nothing was ever drilled below them."""
    flips: tuple[Flip, ...]
    """Answers that one judge accepts and the other does not."""
    unscored: int
    """Lost to a fault; never counted as wrong."""
    calibration: Annotated[Calibration | None, UNSAID] = None
    second_evaluator: Annotated[SecondEvaluator | None, UNSAID] = None
    probes: tuple[Probe, ...]
    """The old answers with the other judge's verdicts, whose ids end in `.old`; then restated
    references (`.same`, and `.sibling` for the questions that they are wrong for) and what came of
    the second evaluator's questions (`.second`)."""
    usage: dict[str, RoleUsage]
    cost_usd: float | None
    """What it cost in USD; null when the price of any call is unknown."""
    wall_s: float
    """Seconds from beginning to end, all sessions together."""
    notes: tuple[str, ...]
    provenance: dict[str, Any]
    """Versions, digests and models that the result was made with."""
