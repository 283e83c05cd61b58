"""Everything that decides a result, and nothing else. A spec has a digest."""

import unicodedata
from collections.abc import Mapping
from datetime import date
from fractions import Fraction
from typing import Annotated, Any, ClassVar, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    TypeAdapter,
    ValidationInfo,
    field_validator,
    model_validator,
)

from .ask.spec import AskSpec as AskSpec
from .deepquestion.spec import DeepQuestionSpec as DeepQuestionSpec
from .depthqa.spec import DepthQABuildSpec as DepthQABuildSpec
from .depthqa.spec import DepthQASpec as DepthQASpec
from .option import MODELS, Option
from .records import ANCHORS, UNSAID
from .tiers import Tier, nominal_tiers
from .worlds import EVALUATOR_ERRORS as EVALUATOR_ERRORS
from .worlds import (
    AnswerTokens,
    ClassifyErrors,
    Confidence,
    KeptInteger,
    Language,
    SeedOption,
    TargetOption,
)
from .worlds import FaultRates as FaultRates
from .worlds import RunSpec as RunSpec
from .worlds import WorldSpec as WorldSpec
from .worlds import digest_of as digest_of
from .worlds import is_simulated as is_simulated
from .worlds import label_of as label_of

Weight = Annotated[float, Field(gt=0, allow_inf_nan=False)]


NEW = "new"
"""Context of a validation: the spec is to be run, and was read from no journal."""


def _domain_name(domain: str, info: ValidationInfo) -> str:
    """A new one is checked; what an older journal holds is read as it is."""
    if info.context != NEW:
        return domain
    if len(domain) > 200:
        raise ValueError(f"it is {len(domain):,} characters long, and a name has at most 200")
    if any(unicodedata.category(sign) in ("Cc", "Cs") for sign in domain):
        raise ValueError("it holds control characters or bytes that are not UTF-8 text")
    if not any(map(str.isalnum, domain)):
        raise ValueError("it names no field, for want of a letter or digit")
    return domain


DomainName = Annotated[str, AfterValidator(_domain_name)]


class DrillSpec(RunSpec):
    """One drill of one target in one domain (DepthCharge)."""

    usual_models: ClassVar[Mapping[str, str]] = {"judge": "evaluator"}
    method: Literal["drill"] = "drill"
    domain: DomainName
    target: TargetOption
    evaluator: Annotated[
        str,
        Option(
            "--evaluator -e",
            "MODEL",
            "Model that writes and checks the questions.",
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
    anchors: Annotated[
        tuple[str, ...],
        Field(max_length=len(ANCHORS)),
        UNSAID,
        Option(
            "--anchor",
            "MODEL",
            "Model of known strength that is asked the scored questions as well, to say how hard "
            "they are; at most 3.",
            MODELS,
            type=list[str],
            kind="model",
            default="none",
        ),
    ] = ()
    facts: Annotated[
        dict[Tier, tuple[str, ...]],
        Option(
            "--facts",
            "SOURCES",
            "wikipedia, mediawiki:URL, folder:PATH, zim:FILE, tavily, europepmc, openalex, sim: a "
            "list, or per tier"
            " (COMMON=wikipedia,SPECIALIST=openalex). Quote paths that contain a comma or plus sign"
            ' (folder:"a,b"). Paths are stored as absolute.',
            MODELS,
            type=str,
            kind="sources",
            default=(
                "wikipedia, and tavily above TEXTBOOK if a key is set; sim with a simulated "
                "evaluator"
            ),
        ),
    ]
    """Fact sources per tier, asked in order until one has evidence; a tier without a source ends
    the run there."""
    n: Annotated[
        int, Field(ge=1, le=10_000), Option("-n --probes", "N", "Scored probes per depth.")
    ] = 30
    passes: Annotated[
        int, Field(ge=1, le=200), Option("--passes -q", "K", "Depths per tier.")
    ] = 3
    threshold: Annotated[
        float,
        Field(gt=0.0, lt=1.0),
        Option("--threshold", "SHARE", "Stop when survival falls below this."),
    ] = 0.2
    """The drill stops when survival falls below it, 0 … 1."""
    max_depth: Annotated[
        int,
        Field(ge=1, le=1_000),
        Option("--max-depth", "D", "Maximum depth.", default="5 tiers × --passes"),
    ] = 15
    """Deepest depth that may be asked."""
    seed: SeedOption = 42
    missing: Literal["exclude", "wrong"] = "exclude"
    """How concepts without evidence count: they are replaced, or are wrong, as in the paper."""
    verify_questions: Annotated[
        bool,
        Option(
            "--verify-questions",
            "",
            "First have the evaluator answer each question from the passage alone.",
        ),
    ] = True
    classify_errors: ClassifyErrors = False
    confidence: Confidence = False
    language: Annotated[
        Language, Option("--language", "CODE", "Language of evidence, questions and answers.")
    ] = "en"
    """Code of the wiki language, such as en, de, zh, pt, simple."""
    as_of: Annotated[
        date,
        Option(
            "--as-of", "DATE", "Date from which 'recent' is counted.", type=str, default="today"
        ),
    ]
    """Date (UTC) that stands for today: evidence that is later does not count."""
    answer_tokens: AnswerTokens = 2048
    """Limit of an answer, hidden reasoning included; a cut-off one is asked for once more with
    twice this."""
    prompts: dict[str, str] = Field(default_factory=dict)
    """Prompt overrides: prompt name → full text."""
    world: WorldSpec | None = None
    """The simulated world; null: none is used."""
    repeats: Annotated[
        int,
        Field(ge=1, le=1_000),
        Option(
            "--repeats",
            "R",
            "Drills per domain and model, each with different roots; 3 or more give an interval.",
        ),
    ] = 1
    """Drills of this domain and target that are reported together; each has its own seed."""
    repeat: Annotated[int, Field(ge=1)] = 1
    """Which of them this one is, counted from 1."""
    pool_seed: KeptInteger | None = None
    """Seed with which the pool of aspects is named, the same for all repeats; None: `seed`."""
    topics: Annotated[dict[str, Weight], UNSAID] = Field(default_factory=dict)
    """Topic → weight: the blueprint that the roots are drawn from; empty: there is none."""

    @model_validator(mode="before")
    @classmethod
    def _fill_depth(cls, values: Any) -> Any:
        """With five tiers' depths, where nobody says how deep."""
        passes = values.get("passes") if isinstance(values, Mapping) else None
        if isinstance(passes, int) and values.get("max_depth") is None:
            return {**values, "max_depth": len(Tier) * passes}
        return values

    @model_validator(mode="after")
    def _require_distinct_anchors(self) -> "DrillSpec":
        if len({*self.anchors, self.target}) <= len(self.anchors):
            raise ValueError("An --anchor is named twice or is the target: name another model.")
        return self

    @property
    def pool(self) -> int:
        """Aspects the evaluator is asked for: 4·N with repeats, ⌈1.25·N⌉ without (METHODS.md,
        Opening and Repeats)."""
        return 4 * self.n if self.repeats > 1 else -(-5 * self.n // 4)

    @property
    def asks_further(self) -> bool:
        """Whether anything is asked once an answer has its verdict."""
        return bool(self.anchors or self.confidence or self.classify_errors)

    @property
    def exact_threshold(self) -> Fraction:
        """The threshold as the decimal that was written: 0.2 is 1/5, not the nearest binary
        float."""
        return Fraction(str(self.threshold))

    @property
    def nominal(self) -> frozenset[Tier]:
        """Tiers that its sources do not tell apart."""
        return nominal_tiers(self.facts)

    @property
    def models(self) -> dict[str, str]:
        asked = {
            "target": self.target,
            "evaluator": self.evaluator,
            "judge": self.judge,
        }
        return asked | dict(zip(ANCHORS, self.anchors, strict=False))

    @property
    def sources(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(name for names in self.facts.values() for name in names))

    @property
    def writers(self) -> tuple[str, ...]:
        return (
            self.evaluator,
            *self.sources,
        )  # the target answers in whatever language it likes


class ReplaySpec(RunSpec):
    """The questions of a finished drill put to another model, without drilling."""

    method: Literal["replay"] = "replay"
    source: DrillSpec
    """The drill the questions come from."""
    source_run: str
    """Its run id."""
    questions: str
    """Digest of the questions, references and evidence that are replayed."""
    target: str
    judge: str
    """Judges the new answers and, when it is not the drill's own judge, the old ones too."""
    answers: Annotated[dict[str, str], UNSAID] = Field(default_factory=dict)
    """Of a person who took an exam: the question's place in the drill → the answer, blank where
    none was given. Empty: the target is asked."""
    calibration: Annotated[int, Field(ge=0, le=1_000), UNSAID] = 0
    """References in other words that the judge must accept, and as many that it must reject."""
    evaluator: Annotated[str, UNSAID] = ""
    """Restates references, and reads the second evaluator's questions; empty: neither is asked for.
    """
    second_evaluator: Annotated[str, UNSAID] = ""
    """Writes questions from passages of the drill, once more; empty: nobody does."""
    seed: KeptInteger = 42
    answer_tokens: AnswerTokens = 2048
    """Limit of an answer in tokens, hidden reasoning included."""
    classify_errors: ClassifyErrors = False
    confidence: Confidence = False
    prompts: dict[str, str] = Field(default_factory=dict)
    """Prompt overrides: `answer`, `verdict` and those of what else is asked for."""
    world: WorldSpec | None = None
    """The simulated world; null: none is used."""

    @property
    def domain(self) -> str:
        return self.source.domain

    @property
    def nominal(self) -> frozenset[Tier]:
        """Tiers that the drill's sources do not tell apart."""
        return self.source.nominal

    @property
    def asks_further(self) -> bool:
        """Whether anything is asked once an answer of the target has its verdict."""
        return self.confidence or self.classify_errors

    @property
    def rejudges(self) -> bool:
        """Whether the answers of the drill are judged anew, by another judge, and the target is not
        asked."""
        return self.target == self.source.target

    @property
    def models(self) -> dict[str, str]:
        only_judged = self.rejudges or self.answers
        by_role = {
            "target": "" if only_judged and not self.second_evaluator else self.target,
            "evaluator": self.evaluator,
            "judge": self.judge,
            "second_evaluator": self.second_evaluator,
        }
        return {role: name for role, name in by_role.items() if name}

    @property
    def simulated(self) -> bool:
        """Whether the questions, the model or the judge are of the simulated world."""
        named = (self.target, self.judge, *self.models.values())
        return self.source.simulated or any(map(is_simulated, named))


class Concept(BaseModel):
    """What is explained and asked about."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    name: Annotated[str, Field(max_length=200, pattern=r"\S")]
    category: Annotated[str, Field(max_length=200)] = ""
    """What it is reported under; empty: none. Not `all`, which stands for all concepts together."""


class EqtSpec(RunSpec):
    """One target's Explain-Query-Test over a set of concepts (METHODS.md, section 3)."""

    usual_models: ClassVar[Mapping[str, str]] = {"examiner": "target", "judge": "examiner"}
    method: Literal["eqt"] = "eqt"
    concepts: Annotated[tuple[Concept, ...], Field(min_length=1)]
    target: TargetOption
    examiner: Annotated[
        str,
        Option(
            "--examiner",
            "MODEL",
            "Model that explains, asks and paraphrases.",
            MODELS,
            kind="model",
            default="the target itself",
        ),
    ]
    """Explains, asks and paraphrases; the target itself, as in the paper, unless another model is
    named."""
    judge: Annotated[
        str,
        Option(
            "--judge",
            "MODEL",
            "Model that reads answers in other forms, checks paraphrases, attributes failures.",
            MODELS,
            kind="model",
            default="examiner",
        ),
    ]
    """Reads the selection of an answer that does not end with the line asked for; checks paraphrases
    and attributes failures where that is asked for."""
    questions: Annotated[
        int, Field(ge=1, le=1_000), Option("--questions", "Q", "Questions per concept.")
    ] = 5
    """q, per concept."""
    options: Annotated[
        int, Field(ge=2, le=26), Option("--options", "O", "Options per question (2-26).")
    ] = 10
    """o, per question; lettered A to Z."""
    paraphrases: Annotated[
        int, Field(ge=0, le=100), Option("--paraphrases", "K", "Paraphrases per question.")
    ] = 3
    """k, per question."""
    open_book: Annotated[
        bool, Option("--open-book", "", "Also ask each question with the explanation included.")
    ] = False
    """Ask each original question once more with the explanation at hand."""
    shuffle_options: bool = True
    """A new order of the options for each asking; False: the order in which they were written, as
    in the paper."""
    verify_paraphrases: Annotated[
        bool,
        Option(
            "--verify-paraphrases",
            "",
            "Have the judge check that each paraphrase asks the same.",
        ),
    ] = False
    """Have the judge say of each paraphrase whether it still is the same question."""
    attribute: Annotated[
        int,
        Field(ge=0, le=1_000_000),
        Option("--attribute", "N", "Have the judge say what caused N wrong answers."),
    ] = 0
    """Wrong closed-book answers, drawn by seed, of which the judge says what failed."""
    seed: SeedOption = 42
    language: Annotated[
        Language,
        Option("--language", "CODE", "Language of explanations, questions and options."),
    ] = "en"
    """Of explanations, questions and options."""
    answer_tokens: AnswerTokens = 2048
    """Limit of an answer, hidden reasoning included; a cut-off one is asked for once more with
    twice this."""
    prompts: dict[str, str] = Field(default_factory=dict)
    """Prompt overrides: prompt name → full text."""
    world: WorldSpec | None = None
    """The simulated world; null: none is used."""

    @field_validator("concepts")
    @classmethod
    def _told_apart(cls, concepts: tuple[Concept, ...]) -> tuple[Concept, ...]:
        """Each concept once per category: a second one would count the same answers twice."""
        seen: set[tuple[str, str]] = set()
        for concept in concepts:
            key = (concept.category.casefold(), " ".join(concept.name.split()).casefold())
            if key in seen:
                raise ValueError(f"the concept {concept.name!r} stands there twice")
            if key[0] == "all":
                raise ValueError("a category cannot be called 'all'")
            seen.add(key)
        return concepts

    @property
    def domain(self) -> str:
        """What the run is about, in a few words: its concepts when they are few, else how many
        there are."""
        names = [concept.name for concept in self.concepts]
        categories = {concept.category for concept in self.concepts} - {""}
        if len(names) <= 3:
            return ", ".join(names)
        return f"{len(names)} concepts" + (
            f" in {len(categories)} categories" if len(categories) > 1 else ""
        )

    @property
    def models(self) -> dict[str, str]:
        return {
            "target": self.target,
            "examiner": self.examiner,
            "judge": self.judge,
        }


Spec = Annotated[
    DrillSpec
    | ReplaySpec
    | EqtSpec
    | DepthQASpec
    | DepthQABuildSpec
    | DeepQuestionSpec
    | AskSpec,
    Field(discriminator="method"),
]
SPEC: TypeAdapter[Spec] = TypeAdapter(Spec, config=ConfigDict(defer_build=True))
"""Reads a spec back: `SPEC.validate_json(text)`."""
