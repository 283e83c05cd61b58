"""Which model to take: the verdict over a comparison, with its reason and what would come next."""

from typing import Literal

from .records import Record
from .result import Interval

Outcome = Literal[
    "better",
    "better_beyond_margin",
    "equal",
    "meets_conditions",
    "not_decided",
    "fails_condition",
    "not_certified",
]
"""`better`: one model is ahead of all others; `better_beyond_margin`: by more than the margin;
`equal`: the best ones differ by less than the margin; `meets_conditions`: one model is left that
meets them all; `not_decided`: more answers are needed; `fails_condition`: no model is left;
`not_certified`: something is missing, cut short or too small to decide on."""
DECIDED: frozenset[Outcome] = frozenset(
    {"better", "better_beyond_margin", "equal", "meets_conditions"}
)
Preference = Literal["cheaper", "faster", "better"]
"""Which of several equal models is taken."""
State = Literal["met", "failed", "open"]
SIGNS: dict[State, str] = {
    "met": "✓",
    "failed": "✗",
    "open": "open",
}


class Condition(Record):
    """What a model must keep to: a measure, at a tag, on one side of a bound."""

    text: str
    """As it was written: `hallucination_rate[professional] <= 10%`."""
    measure: str
    tag: str = ""
    """The tier, depth or other tag it is about; empty: all answers."""
    sense: Literal["<=", ">="]
    bound: float
    """In the unit of the measure: shares in 0 … 1."""


class ConditionState(Record):
    """One condition on one model."""

    model: str
    condition: str
    state: State
    """`met`: the whole 95% interval keeps to the bound; `failed`: none of it does; else `open`, as
    where there is no figure."""
    value: float | None = None
    interval: Interval | None = None
    n: int = 0
    """Answers that it rests on."""
    unit: str = ""
    says: str = ""
    """The measure, and what it tells."""


class Policy(Record):
    """By what is decided."""

    margin: float | None = None
    """The least difference that matters, in the unit of the measure (as it is stated, shares are in
    per cent); None: every difference does, and no two models are equal."""
    must: tuple[Condition, ...] = ()
    prefer: Preference = "cheaper"
    judge_checked: bool = False
    """Whether people have checked a sample of the judge's verdicts."""
    alpha: float = 0.05
    """Of each look, where the runs were looked at repeatedly."""


class Decision(Record):
    """The verdict, and all that it rests on."""

    method: Literal["decision"] = "decision"
    verdict: Outcome
    model: str | None = None
    """The one to take; None where there is none."""
    equals: tuple[str, ...] = ()
    """Of `equal`: all models that differ from the best one by less than the margin, it included."""
    answer: str
    """What to do, in one sentence."""
    reason: str
    next_step: str
    conditions: tuple[ConditionState, ...] = ()
    policy: Policy
    measure: str
    simulated: bool
    waiting: tuple[str, ...] = ()
    """The models of which more answers might decide."""
    more: int | None = None
    """About how many more repeats of each of them (or questions) might decide; None: not known, or
    none needed."""
    more_usd: float | None = None
    """What they would cost; None: not known."""
    unit: Literal["repeats", "questions"] = "repeats"
    judge_effect: float = 0.0
    """How far two points of error of the judge, with one model and not with another, would set them
    apart, in the unit of the measure; 0: it was checked, or there is none."""
    rule_change: str = ""
    """What was changed, in one sentence, where another rule stood when the runs were begun."""

    @property
    def exit_code(self) -> int:
        """0 decided, 4 not decided, 5 a condition fails or it is not certified."""
        return 0 if self.verdict in DECIDED else 4 if self.verdict == "not_decided" else 5

    @property
    def lines(self) -> tuple[str, str, str]:
        """What a launch ends with."""
        return self.answer, self.reason, f"Next: {self.next_step}"
