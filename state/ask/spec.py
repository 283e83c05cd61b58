"""Questions that somebody brings, and what is kept of asking one."""

from collections.abc import Mapping
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from ..option import MODELS, Option
from ..records import UNSAID, Answer, Item, QuestionCheck, Record, Scored
from ..tiers import Tier
from ..worlds import AnswerTokens, Language, RunSpec, SeedOption, TargetOption, WorldSpec

MOST_QUESTIONS = 5_000
Filled = Annotated[str, Field(pattern=r"\S")]


class OwnQuestion(Record):
    """One question with its reference answer."""

    text: Filled
    answer: Filled
    passage: Annotated[str, UNSAID] = ""
    """What the answer rests on; empty: none was given or found."""
    source: Annotated[str, UNSAID] = ""
    """Address of the passage."""
    topic: Annotated[str, UNSAID] = ""
    level: Annotated[Tier | None, UNSAID] = None
    """As whoever brought it says."""


class AskSpec(RunSpec):
    """One target asked somebody's own questions."""

    usual_models: ClassVar[Mapping[str, str]] = {"judge": "evaluator"}
    method: Literal["ask"] = "ask"
    name: Annotated[str, Field(min_length=1, max_length=200)]
    """What the questions are about, or their file's name."""
    questions: Annotated[
        tuple[OwnQuestion, ...], Field(min_length=1, max_length=MOST_QUESTIONS)
    ]
    target: TargetOption
    evaluator: Annotated[
        str,
        Option(
            "--evaluator -e",
            "MODEL",
            "Model that checks the references, and looks for missing answers.",
            MODELS,
            kind="model",
            required=True,
        ),
    ]
    judge: Annotated[
        str,
        Option(
            "--judge",
            "MODEL",
            "Model that judges.",
            MODELS,
            kind="model",
            default="the evaluator",
        ),
    ]
    verify_questions: Annotated[
        bool,
        Option(
            "--verify-questions",
            "",
            "Have the evaluator read each question with its passage, and answer what the target gets "
            "wrong, to find references that may be wrong.",
        ),
    ] = True
    seed: SeedOption = 42
    language: Annotated[
        Language, Option("--language", "CODE", "Language of the questions and sources.")
    ] = "en"
    answer_tokens: AnswerTokens = 2048
    """Limit of an answer, hidden reasoning included; a cut-off one is asked for once more with
    twice this."""
    prompts: dict[str, str] = Field(default_factory=dict)
    """Prompt overrides: prompt name → full text."""
    world: WorldSpec | None = None
    """The simulated world; null: none is used."""

    @property
    def domain(self) -> str:
        return self.name

    @property
    def has_peer(self) -> bool:
        """Whether the evaluator is asked, closed book, what the target gets wrong: of its own
        answers it would say nothing new."""
        return self.verify_questions and self.evaluator != self.target

    @property
    def models(self) -> dict[str, str]:
        models = {"target": self.target, "evaluator": self.evaluator, "judge": self.judge}
        if not self.verify_questions:
            del models["evaluator"]
        return models


class AskedQuestion(Item):
    """A question that was put, with what the evaluator says of its reference."""

    type: Literal["asked_question"] = "asked_question"
    answer: Answer | None = None
    """The target's; None where its call failed."""
    verdict: Scored | None = None
    """None exactly when `fault` is set."""
    check: QuestionCheck | None = None
    """None where it has no passage, or was not checked."""
    passage_says: str = ""
    """The answer that the passage gives, where it is another one than the reference."""
    another_answer: bool = False
    """The check says that an expert might give another answer."""
    peer: str = ""
    """What the evaluator says closed book, where the target was wrong and both say the same."""
