"""What decides a DepthQA result, and what decides a DepthQA graph."""

from itertools import accumulate
from typing import Annotated, Literal

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    field_validator,
    model_validator,
)

from ..option import MODELS, Option, words_in
from ..question_graph import Mode, NodeId, question_key
from ..worlds import AnswerTokens, Language, RunSpec, SeedOption, WorldSpec

LEXICAL = "lexical"
"""Questions are compared by their words, without a model."""
GIVEN = "given:"
"""Begins a target's name when its answers were collected by somebody else: it is not asked."""


class DepthQASpec(RunSpec):
    """One target asked, or its answers judged, over a graph of questions (METHODS.md, section
    4)."""

    method: Literal["depthqa"] = "depthqa"
    graph: str
    """The graph's name."""
    material: str
    """Digest of the questions, edges and references, and of the answers where those are given."""
    target: Annotated[
        str,
        Option(
            "--target -t",
            "MODEL",
            (
                "Model under test; may be repeated. With --answers: their author. [required "
                "without --answers]"
            ),
            MODELS,
            type=list[str],
            kind="model",
            instead="answers",
        ),
    ]
    """The model under test; `given:NAME` when its answers are given."""
    judge: Annotated[
        str,
        Option(
            "--judge",
            "MODEL",
            "Model that rates answers against the reference.",
            MODELS,
            kind="model",
            required=True,
        ),
    ]
    modes: Annotated[
        tuple[Mode, ...],
        BeforeValidator(words_in),
        Field(min_length=1),
        Option(
            "--mode",
            "MODE",
            "How to ask: zero-shot, prompt-gold (with predecessors and their references), "
            "prompt-pred (with the"
            " target's own answers), multi-turn; several with commas, or repeated.",
            type=list[str],
        ),
    ] = ("zero-shot",)
    """Ways of asking, each at most once; of given answers the one way in which they were asked for.
    """
    logprobs: Annotated[
        bool, Option("--logprobs", "", "Ask for log-probabilities, for Min-K% (memorisation).")
    ] = False
    """Ask for log-probabilities, for Min-K%."""
    judge_temperature: Annotated[float, Field(ge=0.0, le=2.0)] | None = 0.0
    """None: whatever the endpoint does of itself."""
    judge_top_p: Annotated[float, Field(gt=0.0, le=1.0)] | None = None
    """Nucleus sampling of the judge, 0 … 1; null: the endpoint's own."""
    judge_tokens: Annotated[int, Field(ge=16)] = 1024
    """Limit of a rating, hidden reasoning included; a cut-off one is asked for once more with twice
    this."""
    seed: SeedOption = 42
    answer_tokens: AnswerTokens = 2048
    """Limit of an answer, likewise."""
    prompts: dict[str, str] = Field(default_factory=dict)
    """Prompt overrides: prompt name → full text."""
    world: WorldSpec | None = None
    """The simulated world; null: none is used."""

    @model_validator(mode="after")
    def _require_one_way(self) -> "DepthQASpec":
        if self.given and (self.logprobs or len(self.modes) > 1):
            raise ValueError(
                "--answers were collected in one --mode and without --logprobs: nobody is asked to "
                "answer, so leave those out."
            )
        return self

    @property
    def given(self) -> bool:
        """Whether the answers are given and nobody but the judge is asked."""
        return self.target.startswith(GIVEN)

    @property
    def domain(self) -> str:
        return self.graph

    @property
    def models(self) -> dict[str, str]:
        return (
            {"judge": self.judge}
            if self.given
            else {"target": self.target, "judge": self.judge}
        )

    @property
    def writers(self) -> tuple[str, ...]:
        return ()  # it is asked in the words that were given


MAX_SOURCE_ID = 80
"""Signs of a source question's id: those of its parts are longer, and have their own limit."""


class SourceQuestion(BaseModel):
    """A question that somebody brings to be deconstructed."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    id: Annotated[NodeId, Field(max_length=MAX_SOURCE_ID)]
    question: Annotated[str, Field(min_length=1, pattern=r"\S")]
    reference: str = ""
    """Empty: the evaluator writes it."""
    key_points: str = ""
    """What the reference has to say, where there is none yet."""
    domain: str = ""


class DepthQABuildSpec(RunSpec):
    """Building a graph from questions of depth 3."""

    method: Literal["depthqa_build"] = "depthqa_build"
    name: str
    """What the graph is called."""
    questions: Annotated[tuple[SourceQuestion, ...], Field(min_length=1)]
    evaluator: Annotated[
        str,
        Option(
            "--evaluator -e",
            "MODEL",
            "Model that writes the graph.",
            MODELS,
            kind="model",
            required=True,
        ),
    ]
    classify: Annotated[
        bool,
        Option(
            "--classify",
            "",
            "First classify the depth of each question; keep those of depth 3.",
        ),
    ] = False
    """Have the depth of each question judged first, and keep those of depth 3."""
    check: Annotated[
        bool,
        Option("--check", "", "Rate every relation for comprehensiveness and implicitness."),
    ] = False
    """Have every relation rated for comprehensiveness and implicitness."""
    width: Annotated[
        int,
        Field(ge=1, le=8),
        Option("--width", "W", "Maximum number of questions below each question (1-8)."),
    ] = 4
    """Predecessors of a question at most."""
    similarity: Annotated[
        str,
        Option(
            "--embeddings",
            "MODEL",
            "Embeddings model used to find similar questions.",
            MODELS,
            kind="model",
            study="embeddings",
        ),
    ] = LEXICAL
    """`lexical`, or an embeddings model as PROVIDER:MODEL."""
    seed: SeedOption = 42
    language: Annotated[
        Language, Option("--language", "CODE", "Language of the questions.")
    ] = "en"
    """Of the questions."""
    prompts: dict[str, str] = Field(default_factory=dict)
    world: WorldSpec | None = None
    """The simulated world; null: none is used."""

    @field_validator("questions")
    @classmethod
    def _told_apart(cls, questions: tuple[SourceQuestion, ...]) -> tuple[SourceQuestion, ...]:
        texts = {question_key(question.question) for question in questions}
        names = {question.id for question in questions}
        if min(len(texts), len(names)) < len(questions):
            raise ValueError("two questions have the same id or the same text")
        for name in names:
            parents = accumulate(name.split("."), "{}.{}".format)
            if any(parent in names for parent in parents if parent != name):
                raise ValueError(
                    f"the id {name!r} reads like a part of another question: give it another one"
                )
        return questions

    @property
    def target(self) -> str:
        """Nobody is under test; in lists the evaluator's name stands in its place."""
        return self.evaluator

    @property
    def domain(self) -> str:
        return self.name

    @property
    def models(self) -> dict[str, str]:
        return {"evaluator": self.evaluator}

    @property
    def embeddings(self) -> tuple[str, ...]:
        return () if self.similarity == LEXICAL else (self.similarity,)
