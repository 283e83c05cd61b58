"""Problems of a benchmark, and what is written from them (METHODS.md, section 5)."""

import hashlib
from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from typing import Annotated, Literal, get_args

import orjson
from pydantic import Field, field_validator

from .records import Record

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

    @property
    def without_options(self) -> "Problem":
        """As a question that asks for its answer in words or figures."""
        return self.model_copy(update={"options": (), "answer": self.final_answer})


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
        for name, times in Counter(problem.id for problem in problems).items():
            if times > 1:
                raise ValueError(f"the id {name!r} stands there twice")
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
        has_instruction = any(texts.instruction for texts in self.given.values())
        by_kind: tuple[tuple[Kind, bool], ...] = (
            ("q2s", bool(self.loads)),
            ("q2i", has_instruction),
        )
        return tuple(kind for kind, is_there in by_kind if is_there)

    @cached_property
    def digest(self) -> str:
        """Sixteen hex digits over problems and texts."""
        content = self.model_dump(mode="json", include={"problems", "transformed"})
        return hashlib.sha256(orjson.dumps(content, option=orjson.OPT_SORT_KEYS)).hexdigest()[
            :16
        ]


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
