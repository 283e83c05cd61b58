"""DeepQuestion (METHODS.md, section 5): what is kept of each step."""

from typing import Annotated, Literal

from pydantic import Field

from ..problems import Criterion, Distractor, Dropped, Kind, Load, Preference
from ..records import MODELS_OWN, Answer, Call, Record, Sent, Unscored


class DeepItem(Record):
    """One step. `problem` counts from 0 in the list of problems; −1: a step of the prompt
    optimisation."""

    id: str
    """`run/q2s@draft1`, `run/q2s@score1`. Of the problem p7: `run/p7@original`; `run/p7@scenario`,
    `…@scenario@check`, `run/p7@distractors`, `run/p7@some@solved`, `run/p7@some`;
    `run/p7@instruction`, `…@instruction@check`, `run/p7@q2i`, `…@q2i@solved`, `…@q2i@met`,
    `…@q2i@first`, `…@q2i@second`; `run/p7@baseline@first`, `…@baseline@second`. With `@same` behind
    it: the judge's word on whether an answer is the right one."""
    problem: int
    """Place in the list, counted from 0 (−1: none)."""
    prompt: tuple[Sent, ...] = ()
    """The messages as they were first sent; none when nobody was asked."""
    fault: Unscored | None = None
    """Why there is nothing, when the infrastructure or a model that helps failed; never counted
    against the target."""
    calls: tuple[Call, ...] = ()
    elapsed_s: float = 0.0
    """Seconds it took."""

    @property
    def concept(self) -> int:
        """The part of the run it belongs to, by the name that all methods share."""
        return self.problem

    @property
    def lost(self) -> bool:
        """Whether the infrastructure failed, so that it is worth while to try again."""
        return self.fault is not None and self.fault.kind not in MODELS_OWN


class PromptDraft(DeepItem):
    """A transformation prompt as the generator drafts it."""

    type: Literal["prompt_draft"] = "prompt_draft"
    kind: Kind
    round: int
    """Counts from 1."""
    text: str = ""
    """Empty exactly when `fault` is set."""


class PromptScore(DeepItem):
    """What the evaluator says of a draft."""

    type: Literal["prompt_score"] = "prompt_score"
    kind: Kind
    round: int
    score: Annotated[int, Field(ge=1, le=10)] | None = None
    """None exactly when `fault` is set."""
    feedback: str = ""


class ScenarioWritten(DeepItem):
    """A scenario without distractors, as sentences that others can be put between."""

    type: Literal["scenario"] = "scenario"
    sentences: tuple[str, ...] = ()
    question: str = ""
    """The sentence that asks; it comes last."""


class DistractorsWritten(DeepItem):
    type: Literal["distractors"] = "distractors"
    distractors: tuple[Distractor, ...] = ()
    """Those that are of use."""
    dropped: tuple[Dropped, ...] = ()
    """Others that came."""


class ScenarioChecked(DeepItem):
    """Whether a scenario keeps every quantity, is more than the bare problem, and holds the answer
    back."""

    type: Literal["scenario_check"] = "scenario_check"
    missing: tuple[str, ...] = ()
    """Quantities that the problem needs and the scenario has not."""
    bare: bool = False
    """Whether it is little more than the problem itself."""
    gives_away: bool = False
    """Whether it tells the answer, or an intermediate result that the problem does not state."""
    reason: str = ""


class InstructionWritten(DeepItem):
    """An instruction that states a solution path and a final answer."""

    type: Literal["instruction"] = "instruction"
    text: str = ""


class InstructionChecked(DeepItem):
    type: Literal["instruction_check"] = "instruction_check"
    gives_away: bool = False
    """Whether the question is there already, so that nothing is left to write."""
    complete: bool = True
    """Whether it states both a solution path and the right final answer."""
    reason: str = ""


SolvedWhat = Literal["original", "scenario", "check", "created"]
"""What was solved: the problem itself and its scenario by the target; a scenario that is being
checked, and a question that the target wrote, by the evaluator."""


class Solution(DeepItem):
    """Somebody solves something, and the final answer is read."""

    type: Literal["solution"] = "solution"
    what: SolvedWhat
    load: Load | None = None
    """How many distractors: none, some or many; null: it is no scenario."""
    answer: Answer | None = None
    """None when the solver said nothing at all, and when `fault` is set."""
    read: str = ""
    """The final answer as it was read (of multiple choice the letters); empty where none could be
    found, and where the evaluator says that there is none."""
    equal: bool | None = None
    """Whether it is the reference answer. None with a `fault`, and where the judge has to say (see
    `Same`)."""


class Same(DeepItem):
    """Whether an answer in words is the reference answer, by the judge."""

    type: Literal["same"] = "same"
    of: str
    """The solution's id."""
    equal: bool | None = None
    """None exactly when `fault` is set."""
    reason: str = ""


class Created(DeepItem):
    """The question that the target writes by an instruction."""

    type: Literal["created"] = "created"
    text: str = ""
    """Empty with a `fault`, and when the target wrote nothing or refused: then the attempt has
    failed."""
    answer: Answer | None = None


class InstructionMet(DeepItem):
    """Whether a written question keeps to its instruction, by the evaluator."""

    type: Literal["met"] = "met"
    met: bool | None = None
    """None exactly when `fault` is set."""
    reason: str = ""


class Compared(DeepItem):
    """One comparison of two questions by the judge."""

    type: Literal["comparison"] = "comparison"
    pair: Literal["created", "baseline"]
    """`created`: the original and what the target wrote. `baseline`: two originals."""
    original_first: bool
    """Of a baseline pair: whether the question of this problem stands first."""
    other: int | None = None
    """The other problem of a baseline pair."""
    preferences: dict[Criterion, Preference] = Field(default_factory=dict)
    """By criterion; empty exactly when `fault` is set. Of a baseline pair there is none for
    instruction_following."""
    reason: str = ""
