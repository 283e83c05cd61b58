"""What the graphs and tools of `agents.export.deepquestion` take and give."""

from typing import Annotated, Literal, NotRequired

from pydantic import Field
from typing_extensions import TypedDict

from ....state.deepquestion.items import Criterion, Kind

Language = Annotated[str, Field(description="Code of the language to write in; en where it is left out.")]
Guide = Annotated[str, Field(description="The transformation prompt: how a problem is to be rewritten.")]
Instruction = Annotated[str, Field(description="What a question is to be written by.")]
Options = Annotated[list[str], Field(min_length=2, max_length=26, description="Of multiple choice, as A, B, …")]
Preferred = Literal["created", "original", "tie"]
"""Which of a written question and the original is the better one."""


class ProblemFields(TypedDict):
    """A question with its definite answer; of multiple choice the answer is the letter of an option."""

    question: str
    answer: str
    options: NotRequired[Options]
    solution: NotRequired[Annotated[str, Field(description="The way to the answer, where it is known.")]]


Samples = Annotated[list[ProblemFields], Field(min_length=1, max_length=20, description="Problems of the benchmark.")]


class Scenario(TypedDict):
    """A scenario without distractors: its sentences, and the one at the end that asks."""

    sentences: list[str]
    question: str


class PlacedDistractor(TypedDict):
    """A sentence that follows the scenario's sentence of number `after`, counted from 1; 0: it begins the text."""

    text: str
    after: int


class PromptDrafterInput(TypedDict):
    """A `guide` in it is the last draft, with its `score` and the `feedback` on it; without one this is the first."""

    kind: Kind
    problems: Samples
    guide: NotRequired[Guide]
    score: NotRequired[Annotated[int | None, Field(description="Of the last draft, 1 to 10.")]]
    feedback: NotRequired[Annotated[str, Field(description="What the last draft lacks.")]]


class PromptDrafterOutput(TypedDict):
    guide: str


class PromptScorerInput(TypedDict):
    kind: Kind
    problems: Samples
    guide: Guide


class PromptScorerOutput(TypedDict):
    """`score`: 1 to 10."""

    score: Annotated[int, Field(ge=1, le=10)]
    feedback: str


class PromptOptimiserInput(TypedDict):
    """`problems`: the benchmark's, of which `sample` are drawn by `seed`; 4 and 42 where these are left out. A draft is
    accepted from `threshold` on (8), and there are `rounds` drafts at most (5)."""

    kind: Kind
    problems: Annotated[list[ProblemFields], Field(min_length=1, description="Problems of the benchmark.")]
    threshold: NotRequired[Annotated[int, Field(ge=1, le=10)]]
    rounds: NotRequired[Annotated[int, Field(ge=1, le=50)]]
    sample: NotRequired[Annotated[int, Field(ge=1, le=20)]]
    seed: NotRequired[int]


class Draft(TypedDict):
    """One draft of a transformation prompt, with what the evaluator said of it."""

    round: int
    guide: str
    score: int
    feedback: str


class PromptOptimiserOutput(TypedDict):
    """The accepted draft with its score; where none was accepted (`converged` is false) the best one, the earliest of
    several. `drafts` are all of them."""

    guide: str
    score: int
    converged: bool
    drafts: list[Draft]


class WriterInput(TypedDict):
    """What a scenario or an instruction is written from."""

    problem: ProblemFields
    guide: Guide
    language: NotRequired[Language]


class ScenarioWriterOutput(TypedDict):
    """`question`: the scenario as one text, as a solver reads it."""

    scenario: Scenario
    question: str


class DistractorWriterInput(TypedDict):
    """`count` distractors are asked for, 2 where it is left out."""

    problem: ProblemFields
    scenario: Scenario
    count: NotRequired[Annotated[int, Field(ge=1, le=10, description="Distractors to write; 2 where left out.")]]
    language: NotRequired[Language]


class DistractorWriterOutput(TypedDict):
    """Distractors, the most tempting first, at most as many as were asked for, without those that state the answer or
    repeat a sentence; `question`: the scenario with all of them as one text, as a solver reads it."""

    distractors: list[PlacedDistractor]
    question: str


class ScenarioCheckerInput(TypedDict):
    problem: ProblemFields
    scenario: Scenario


class ScenarioCheckerOutput(TypedDict):
    """`missing`: quantities that the problem needs and the scenario has not; `bare`: it is little more than the
    problem; `gives_away`: it tells the answer or an intermediate result. It passes with none of them; whether the
    answer is unchanged, a solver has to say."""

    missing: list[str]
    bare: bool
    gives_away: bool
    reason: str


class InstructionWriterOutput(TypedDict):
    instruction: str


class InstructionCheckerInput(TypedDict):
    problem: ProblemFields
    instruction: Instruction


class InstructionCheckerOutput(TypedDict):
    """`gives_away`: a question is there already; `complete`: both a solution path and the right final answer are."""

    gives_away: bool
    complete: bool
    reason: str


class SolverInput(TypedDict):
    """The text to solve; nothing else of a host's state is shown to the solver."""

    question: str
    options: NotRequired[Options]


class SolverOutput(TypedDict):
    """The whole answer, and why it ended."""

    answer: str
    finish: str
    refusal: bool


class IndependentSolverOutput(TypedDict):
    """`answer`: the final answer alone, empty where the text determines none (`solvable` is false)."""

    answer: str
    solvable: bool
    working: str


class FinalJudgeInput(TypedDict):
    """`options`: as the solver saw them; without any the answer of a multiple-choice problem is its option's text.
    `refusal`: the endpoint says that the model refused."""

    problem: ProblemFields
    answer: str
    options: NotRequired[Options]
    refusal: NotRequired[bool]


class FinalJudgeOutput(TypedDict):
    """`read`: the final answer as it was read, empty where there is none; `correct` is null where words have to be
    compared, which a judge can do."""

    correct: bool | None
    read: str


class QuestionCreatorInput(TypedDict):
    """Nothing else of a host's state, such as the problem, is shown to who writes."""

    instruction: Instruction


class QuestionCreatorOutput(TypedDict):
    """`question` is empty when the model refused."""

    question: str
    finish: str
    refusal: bool


class InstructionMetCheckerInput(TypedDict):
    instruction: Instruction
    question: Annotated[str, Field(description="The question that was written; empty: none was.")]


class InstructionMetCheckerOutput(TypedDict):
    met: bool
    reason: str


class QuestionComparerInput(TypedDict):
    """`problem` holds the original, `question` what was written by the `instruction`; without one the criterion
    instruction_following is left out, as for two originals."""

    problem: ProblemFields
    question: str
    instruction: NotRequired[Instruction]


class QuestionComparerOutput(TypedDict):
    """By criterion. A question is preferred where it is in both orders; `orders` are the comparisons themselves, the
    original first and then second."""

    preferences: dict[Criterion, Preferred]
    orders: list[dict[Criterion, Preferred]]
    reasons: list[str]
