"""DeepQuestion (METHODS.md, section 5): problems, what is written from them, and what is kept of
each step."""

import hashlib
from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from typing import Annotated, Literal, get_args

import orjson
from pydantic import Field, field_validator

from ..records import MODELS_OWN, Answer, Call, Record, Sent, Unscored

Kind = Literal["q2s", "q2i"]
"""`q2s`: the problem inside a scenario (Bloom: apply). `q2i`: an instruction by which a question is
to be written (evaluate, create)."""
KINDS: tuple[Kind, ...] = get_args(Kind)

Load = Literal["none", "some", "many"]
"""How many distractors a scenario holds; the scenario around them stays the same to the letter."""
LOADS: tuple[Load, ...] = get_args(Load)
DISTRACTORS: dict[Load, int] = {"none": 0, "some": 2, "many": 5}
"""Distractors by load. Those of a lower load are the first of a higher one."""

Criterion = Literal[
    "clarity", "reasoning_demand", "realism", "instruction_following", "no_giveaway"
]
"""What a written question and the original are compared by."""
CRITERIA: tuple[Criterion, ...] = get_args(Criterion)
Preference = Literal["first", "second", "tie"]

AnswerKind = Literal["number", "choice", "text"]
"""How answers are compared: as numbers, by the letter of the option, or by the judge."""

ProblemId = Annotated[str, Field(min_length=1, max_length=120, pattern=r"^[^\s/@]+$")]


class Problem(Record):
    """One question of a benchmark, with its definite answer."""

    id: ProblemId
    question: Annotated[str, Field(min_length=1, pattern=r"\S")]
    answer: Annotated[str, Field(min_length=1, pattern=r"\S")]
    """The final answer alone: a number with its unit if it has one, a text; of multiple choice the
    letter."""
    options: tuple[str, ...] = ()
    """Of multiple choice, without their letters; at most 26."""
    solution: str = ""
    """The way to the answer, where the benchmark has it (GSM8K: what stands before ####)."""
    domain: str = ""

    @property
    def final_answer(self) -> str:
        """The answer in words: of multiple choice the text of the right option."""
        return self.options[ord(self.answer) - 65] if self.options else self.answer


class Transformed(Record):
    """What was written from a problem and has passed every check."""

    problem: ProblemId
    """Place in the list, counted from 0 (−1: none)."""
    scenarios: dict[Load, str] = Field(default_factory=dict)
    """Load → the whole text the target is asked, options of multiple choice apart. Empty: none, or
    not all, passed."""
    instruction: str = ""
    """Empty: none, or it did not pass."""


class ProblemSet(Record):
    """What a DeepQuestion run is about: a benchmark's problems, and what was written from them
    where it is given."""

    format: Literal["fathom-deepquestion/1"] = "fathom-deepquestion/1"
    name: str
    problems: Annotated[tuple[Problem, ...], Field(min_length=1)]
    transformed: tuple[Transformed, ...] | None = None
    """Given: nothing is written, nothing is checked again. None: it is still to be written."""
    made: dict[str, str] = Field(default_factory=dict)
    """How what is given came about: generator, evaluator, run, version."""
    notices: tuple[str, ...] = ()
    """What has to be known of the file it was read from, in sentences; they stand among the
    result's notes."""

    @field_validator("problems")
    @classmethod
    def _told_apart(cls, problems: tuple[Problem, ...]) -> tuple[Problem, ...]:
        """Each id once: the steps of a second problem would be taken for those of the first."""
        twice = next(
            (name for name, times in Counter(p.id for p in problems).items() if times > 1), None
        )
        if twice is not None:
            raise ValueError(f"the id {twice!r} stands there twice")
        return problems

    @cached_property
    def given(self) -> dict[str, Transformed]:
        """By problem; empty where nothing is given."""
        return {entry.problem: entry for entry in self.transformed or ()}

    @property
    def loads(self) -> tuple[Load, ...]:
        """Those that given texts have."""
        named = {load for texts in self.given.values() for load in texts.scenarios}
        return tuple(load for load in LOADS if load in named)

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """Those that given texts are of."""
        by_kind = {
            "q2s": bool(self.loads),
            "q2i": any(texts.instruction for texts in self.given.values()),
        }
        return tuple(kind for kind in KINDS if by_kind[kind])

    @cached_property
    def digest(self) -> str:
        """Sixteen hex digits over problems and texts."""
        content = self.model_dump(mode="json", include={"problems", "transformed"})
        return hashlib.sha256(orjson.dumps(content, option=orjson.OPT_SORT_KEYS)).hexdigest()[:16]


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


class Distractor(Record):
    """A sentence that is true of the scenario, looks as if it mattered, and does not."""

    text: str
    after: int
    """It follows the sentence of this number, counted from 1; 0: it begins the text."""


def woven(sentences: Sequence[str], question: str, distractors: Sequence[Distractor]) -> str:
    """The whole text: the scenario's sentences to the letter, the distractors at their places, the
    question last."""
    content = [entry.text for entry in distractors if entry.after == 0]
    for number, sentence in enumerate(sentences, 1):
        content += [sentence, *(entry.text for entry in distractors if entry.after == number)]
    return f"{' '.join(content)}\n\n{question}".strip()


class Dropped(Record):
    """A distractor that is not used."""

    text: str
    why: Literal["gives away", "repeats"]
    """`gives away`: the final answer stands in it; `repeats`: it is a sentence of the scenario, its
    question, or a distractor before it."""


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
