"""What a DeepQuestion run measured. Field names are the contract of `fathom schema
deepquestion`."""

from typing import Annotated, Any, Literal

from pydantic import Field

from ..problems import AnswerKind, Criterion, Kind, Load, Preference, ProblemId, Transformed
from ..records import UNSAID, Record
from ..result import Envelope, Interval, RoleUsage
from .spec import DeepQuestionSpec

Mark = Literal["right", "wrong", "unscored"]
"""What came of an asking that counts, or why it does not: `unscored` counts neither for nor against
the model."""

Check = Literal[
    "not written",
    "malformed",
    "answer changed",
    "not solvable",
    "quantity lost",
    "bare problem",
    "gives away",
    "incomplete",
]
"""Why what was written was rejected. `not written`: there is nothing usable; `malformed`: it could
not be put together, or too few distractors are of use; `answer changed`: the evaluator reaches
another answer; `not solvable`: it reaches none; `quantity lost`: something needed is gone; `bare
problem`: a scenario no more than the problem; `gives away`: a scenario that tells the answer, an
instruction that holds the question; `incomplete`: one without path or answer."""

InvalidWhy = Literal[
    "nothing written", "not answerable", "another answer", "instruction not met"
]
"""Why an attempt at Q2I is no valid one; the first that applies."""


class PromptRound(Record):
    """One draft of a transformation prompt."""

    round: int
    draft: str
    score: int | None
    """1 … 10; None where no score came about."""
    feedback: str


class PromptHistory(Record):
    """How the transformation prompt of one kind came about."""

    kind: Kind
    source: Literal["optimised", "single pass", "given"]
    rounds: tuple[PromptRound, ...] = ()
    """All drafts; none of a prompt that was given."""
    converged: bool | None
    """Whether a score reached the threshold; None of a prompt that was given."""
    best: int | None = None
    """Round of the best draft, the earliest of several; None without any score."""
    score: int | None = None
    """Of the best draft."""
    guide: str = ""
    """The prompt that was used, or would be: the accepted one, else the best. Empty without any
    draft."""
    used: bool = False
    """Whether anything was written by it."""


class Share(Record):
    """So many of so many."""

    n: int
    count: int
    share: float | None
    """None where n is 0."""
    ci: Interval
    """Wilson, 95%; 0 … 1 where n is 0."""
    bounds: Annotated[Interval | None, UNSAID] = None
    """The share if all that the target itself lost had been wrong, and right; None where it lost
    none."""


class Drop(Record):
    """Original minus transformed, over problems that have both marks."""

    n: int
    both: int
    only_original: int
    """Problems solved as originals alone."""
    only_transformed: int
    """Problems solved in their transformed form alone."""
    neither: int
    original: float
    """Accuracy on the originals over these n problems."""
    transformed: float
    """Accuracy on the transformed problems, 0 … 1."""
    drop: float
    """In shares of 1; positive: the transformed problem is harder."""
    ci: Interval
    """Score interval of the paired difference."""
    mcnemar_p: float
    """Exact, two-sided."""
    mcnemar_mid_p: float
    """Mid-p value of McNemar's test, two-sided."""


class LoadRow(Record):
    """Q2S at one load."""

    load: Load
    """How many distractors: none, some or many; null: it is no scenario."""
    distractors: int
    scenarios: int
    """Scenarios that have passed every check."""
    unscored: int
    """Lost to a fault; never counted as wrong."""
    accuracy: Share
    """Share of right answers, 0 … 1; null without any."""
    drop: Drop | None
    """None without a problem that has both marks."""
    words: float | None
    """Mean length of the scenarios in words; None without any."""


class CriterionRow(Record):
    """Pairwise comparisons by one criterion, each pair in both orders."""

    criterion: Criterion
    pairs: int
    """Pairs with both comparisons."""
    wins: int
    """Pairs in which the question that is looked at (of a baseline pair: that of the first problem)
    is preferred in both orders."""
    losses: int
    """Pairs in which the other question is preferred in both orders."""
    ties: int
    """All others."""
    contradictory: int
    """Among the ties: the same place is preferred in both orders, whoever stands there."""
    win_rate: float | None
    """(wins + ties/2)/pairs; None without a pair."""
    ci: Interval | None
    """95%, of the mean over pairs, with Student's t; None with fewer than two pairs."""


class PositionRow(Record):
    """Whether the judge leans to what stands first: over all single comparisons that prefer one."""

    criterion: Criterion | Literal["all"]
    comparisons: int
    first: int
    second: int
    ties: int
    """Comparisons in which neither is preferred."""
    first_share: float | None
    """first/(first + second), .5 without a leaning; None where nothing was preferred."""
    ci: Interval | None
    """Clustered by pair; by one criterion Wilson's where only one pair prefers anything; None where
    that is not possible."""


class Comparisons(Record):
    """What came of comparing pairs of questions."""

    pairs: int
    """Pairs with both comparisons."""
    unscored: int
    """Comparisons that a fault took."""
    criteria: tuple[CriterionRow, ...]
    position: tuple[PositionRow, ...]
    """By criterion, then `all`."""


class InstructionRow(Record):
    """Q2I."""

    instructions: int
    """Instructions that have passed every check: attempts of the target."""
    unscored: int
    """Lost to a fault; never counted as wrong."""
    accuracy: Share
    """Valid attempts over attempts with a mark."""
    invalid: dict[InvalidWhy, int] = Field(default_factory=dict)
    """Why an attempt at a question is not valid, or how many by reason."""
    distance: float | None
    """Originals minus Q2I over problems with both marks: two tasks, so no paired test. None without
    such a problem."""
    distance_ci: Interval | None
    """Newcombe's interval of the difference of two independent shares, 95%."""
    comparisons: Comparisons


class Rejection(Record):
    """Something that was written and did not pass."""

    problem: ProblemId
    """Place in the list, counted from 0 (−1: none)."""
    kind: Kind
    check: Check
    load: Load | None = None
    """The load at which a scenario failed; None: at all of them."""
    reason: str
    text: str = ""
    """What was rejected."""


class AnswerRow(Record):
    """One problem solved by the target, without the prompt."""

    id: str
    mark: Mark
    """right, wrong, unscored or rejected."""
    said: str
    read: str
    reason: str = ""
    """The judge's, or the fault."""


class CreatedRow(Record):
    """One attempt at Q2I."""

    id: str
    instruction: str
    mark: Mark
    """right, wrong, unscored or rejected."""
    question: str
    invalid: InvalidWhy | None = None
    """Why an attempt at a question is not valid, or how many by reason."""
    reason: str = ""
    preferences: dict[Criterion, Literal["created", "original", "tie"]] = Field(
        default_factory=dict
    )
    """Both orders together; empty where one is missing."""


class ProblemRow(Record):
    """Everything about one problem."""

    id: ProblemId
    question: str
    answer: str
    answer_kind: AnswerKind
    """How answers are compared: number, option or text."""
    domain: str = ""
    original: AnswerRow | None
    scenarios: dict[Load, str] = Field(default_factory=dict)
    """Those that passed, whole."""
    solved: dict[Load, AnswerRow] = Field(default_factory=dict)
    created: CreatedRow | None = None
    """The question that the target wrote by an instruction; null: none."""
    unwritten: dict[Kind, str] = Field(default_factory=dict)
    """Why there is no scenario or instruction although nothing was rejected: a fault."""


class BaselineCase(Record):
    """One criterion of one comparison of a baseline pair."""

    first: ProblemId
    second: ProblemId
    preferences: dict[Criterion, Preference]


class DeepQuestionResult(Envelope):
    """The whole outcome of one target's DeepQuestion run."""

    method: Literal["deepquestion"] = "deepquestion"
    spec: DeepQuestionSpec
    prompts: tuple[PromptHistory, ...]
    """By kind; empty where what was written is given."""
    original: Share
    """Accuracy on all finished originals."""
    original_unscored: int
    """Originals without a mark, for a fault."""
    q2s: tuple[LoadRow, ...]
    """By load, ascending; empty where Q2S was not asked for or not reached."""
    q2i: InstructionRow | None
    """Questions written by instructions; null where that was not asked for or not reached."""
    baseline: Comparisons | None
    """Original against original; None where that was not asked for or not reached."""
    rejected: tuple[Rejection, ...]
    unwritten: dict[Kind, int]
    """Problems for which a fault took scenario or instruction, by kind."""
    problems: tuple[ProblemRow, ...]
    """Finished ones; only they count."""
    baseline_cases: tuple[BaselineCase, ...] = ()
    """Single comparisons of originals with originals."""
    open_problems: tuple[ProblemId, ...] = ()
    """Not finished when the run ended; they stay out of every number but usage."""
    transformed: tuple[Transformed, ...]
    """What was written and passed, for others to be asked the same."""
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
