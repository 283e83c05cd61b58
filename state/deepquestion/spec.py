"""What decides a DeepQuestion result."""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BeforeValidator, Field, field_validator, model_validator

from ..option import ADVANCED, MODELS, Option, words_in
from ..problems import KINDS, LOADS, Kind, Load
from ..worlds import Language, RunSpec, SeedOption, TargetOption, WorldSpec


class DeepQuestionSpec(RunSpec):
    """One target asked a benchmark's problems and their scenarios, and to write questions
    (METHODS.md, section 5)."""

    usual_models: ClassVar[Mapping[str, str]] = {"generator": "evaluator", "judge": "evaluator"}
    method: Literal["deepquestion"] = "deepquestion"
    benchmark: str
    """The benchmark's name."""
    material: str
    """Digest of the problems, and of what was written from them where that is given."""
    problems: Annotated[int, Field(ge=1)]
    """How many there are."""
    target: TargetOption
    generator: Annotated[
        str,
        Option(
            "--generator",
            "MODEL",
            "Model that drafts prompts and writes scenarios and instructions.",
            MODELS,
            kind="model",
            default="the evaluator, as in the paper",
        ),
    ]
    """Drafts transformation prompts and writes scenarios, distractors and instructions; nobody
    where they are given."""
    evaluator: Annotated[
        str,
        Option(
            "--evaluator -e",
            "MODEL",
            "Model that scores drafts, solves independently and checks.",
            MODELS,
            kind="model",
            required=True,
        ),
    ]
    """Scores the drafts, solves independently, checks what was written."""
    judge: Annotated[
        str,
        Option(
            "--judge",
            "MODEL",
            "Model that compares questions and free-text answers.",
            MODELS,
            kind="model",
            default="the evaluator",
        ),
    ]
    """Compares questions, and answers that are no numbers."""
    given: bool = False
    """What was written is given: nothing is drafted, written or checked."""
    kinds: Annotated[
        tuple[Kind, ...],
        BeforeValidator(words_in),
        Field(min_length=1),
        Option(
            "--kinds",
            "KIND",
            "q2s (solve a scenario), q2i (write a question); both with a comma.",
            type=list[str],
            default="both; with --from those of its file",
        ),
    ] = KINDS
    distractors: Annotated[
        tuple[Load, ...],
        BeforeValidator(words_in),
        Field(min_length=1),
        Option(
            "--distractors",
            "LOAD",
            "Distractors in a scenario: none, some (2) or many (5); several with commas.",
            type=list[str],
            default="some; with --from those of its file",
        ),
    ] = ("some",)
    """Loads of Q2S, ascending; all of them for the same problems."""
    threshold: Annotated[
        int,
        Field(ge=1, le=10),
        Option("--score-threshold", "SCORE", "Score (1-10) that accepts a draft."),
    ] = 8
    """From this score a draft is accepted."""
    rounds: Annotated[
        int, Field(ge=1, le=50), Option("--rounds", "N", "Maximum number of drafts per kind.")
    ] = 5
    """Drafts at most."""
    single_pass: Annotated[
        bool,
        Option(
            "--single-pass",
            "",
            "Use the first draft whatever its score (the paper's ablation).",
            excludes=("rounds", "use_best", "threshold"),
        ),
    ] = False
    """The ablation: the first draft is used, whatever its score."""
    use_best: Annotated[
        bool, Option("--use-best", "", "Use the best draft if none reaches the threshold.")
    ] = False
    """Use the best draft where none reaches the threshold."""
    sample: Annotated[
        int,
        Field(ge=1, le=20),
        Option("--sample", "N", "Problems shown when drafting and scoring."),
    ] = 4
    """Problems of the benchmark, drawn by seed, that drafting and scoring look at."""
    guides: dict[Kind, str] = Field(default_factory=dict)
    """Transformation prompts that are given: no draft is asked for."""
    baseline: Annotated[
        int,
        Field(ge=0, le=1_000_000),
        Option(
            "--baseline",
            "N",
            "Pairs of originals that measure the judge's position bias; with q2i.",
        ),
    ] = 10
    """Pairs of originals, drawn by seed, by which the judge's own leaning is measured; 0: none."""
    tolerance: Annotated[
        Annotated[float, Field(ge=0.0, lt=1.0)] | None,
        Option(
            "--tolerance",
            "SHARE",
            "Relative difference up to which numbers count as equal (0.01: 1%).",
            type=float,
            default="bare numbers exactly, others to the precision written",
        ),
    ] = None
    """Relative difference up to which two numbers are the same; None: bare numbers when equal,
    others by the precision with which they are written."""
    seed: SeedOption = 42
    language: Annotated[
        Language, Option("--language", "CODE", "Language of scenarios and instructions.")
    ] = "en"
    """Of scenarios and instructions."""
    answer_tokens: Annotated[
        int,
        Field(ge=16, le=1_000_000),
        Option(
            "--answer-tokens",
            "TOKENS",
            "Token limit of a solution, including hidden reasoning.",
            ADVANCED,
        ),
    ] = 4096
    """Limit of a solution, hidden reasoning included; a cut-off one is asked for once more with
    twice this."""
    prompts: dict[str, str] = Field(default_factory=dict)
    """Prompt overrides: prompt name → full text."""
    world: WorldSpec | None = None
    """The simulated world; null: none is used."""

    @field_validator("kinds")
    @classmethod
    def _kinds_in_order(cls, kinds: tuple[Kind, ...]) -> tuple[Kind, ...]:
        return tuple(kind for kind in KINDS if kind in kinds)

    @field_validator("distractors")
    @classmethod
    def _loads_in_order(cls, loads: tuple[Load, ...]) -> tuple[Load, ...]:
        return tuple(load for load in LOADS if load in loads)

    @model_validator(mode="before")
    @classmethod
    def _fill_baseline(cls, values: Any) -> Any:
        """None where no questions are compared."""
        if not isinstance(values, Mapping) or values.get("baseline") is not None:
            return values
        compares = "q2i" in str(values.get("kinds", KINDS)).casefold()
        return values if compares else {**values, "baseline": 0}

    @model_validator(mode="after")
    def _require_together(self) -> "DeepQuestionSpec":
        if self.single_pass and self.guides:
            raise ValueError(
                "A single pass drafts a prompt, and prompts are given: choose one of them."
            )
        if self.baseline and "q2i" not in self.kinds:
            raise ValueError(
                "--baseline is about the judge that compares questions, and without q2i there are "
                "none to compare: leave it out."
            )
        return self

    @property
    def domain(self) -> str:
        return self.benchmark

    @property
    def drafted(self) -> tuple[Kind, ...]:
        """Kinds whose transformation prompt is drafted."""
        return (
            () if self.given else tuple(kind for kind in self.kinds if kind not in self.guides)
        )

    @property
    def models(self) -> dict[str, str]:
        generator = {} if self.given else {"generator": self.generator}
        return {
            "target": self.target,
            **generator,
            "evaluator": self.evaluator,
            "judge": self.judge,
        }
