"""What specs of every method share: the simulated world's settings, and the digest of a spec."""

import hashlib
import re
import shlex
from collections.abc import Mapping
from functools import lru_cache
from typing import Annotated, Any, ClassVar, Self

import orjson
from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    model_validator,
)

from .option import ADVANCED, MODELS, Option
from .records import UNSAID

TargetOption = Annotated[
    str,
    Option(
        "--target -t",
        "MODEL",
        "Model under test; may be repeated.",
        MODELS,
        type=list[str],
        kind="model",
        required=True,
    ),
]
KeptInteger = Annotated[int, Field(ge=-(2**63), lt=2**63)]
"""What a JSON file can hold."""
SeedOption = Annotated[KeptInteger, Option("--seed", "SEED", "Random seed.", ADVANCED)]
AnswerTokens = Annotated[
    int,
    Field(ge=16, le=1_000_000),
    Option(
        "--answer-tokens",
        "TOKENS",
        "Token limit of an answer, including hidden reasoning.",
        ADVANCED,
    ),
]
ClassifyErrors = Annotated[
    bool,
    UNSAID,
    Option("--classify-errors", "", "Have the judge say what is wrong with each wrong answer."),
]
Confidence = Annotated[
    bool,
    UNSAID,
    Option(
        "--confidence",
        "",
        "After each answer, ask the target how likely it is right (0 to 100).",
    ),
]
"""Fields that several methods have, with what the command line says of them."""


def _language_code(code: str) -> str:
    if not re.fullmatch(r"[a-z]{2,12}(-[a-z0-9]+)*", code):
        raise ValueError(
            "it must be the code of a language in small letters, such as en, de or simple"
        )
    return code


Language = Annotated[str, AfterValidator(_language_code)]
Rate = Annotated[float, Field(ge=0.0, le=1.0)]
ErrorRate = Annotated[Rate, UNSAID]
ErrorLevels = Annotated[int, Field(ge=-4, le=4), UNSAID]
"""An evaluator's errors are written only where there are any: specs of before they could be set keep
their digest."""


def is_simulated(name: str) -> bool:
    """Whether a model or source string names the simulated world: `sim`, `sim:student`,
    `sim@http://…`."""
    return name == "sim" or name.startswith(("sim:", "sim@"))


_SHOWN = ("temperature=", "top_p=", "reasoning_effort=", "max_tokens=", "api=", "body.")
"""Settings by which people tell two of a kind apart."""


@lru_cache(maxsize=256)
def label_of(model: str) -> str:
    """What people are shown of a model: the label among its settings (`name=…`), else its name with
    those of its settings that shape its answers. A text that is no model with settings (a host's
    own model, whose answers are given) as it is."""
    head, _, settings = model.partition(" ")
    if "=" not in settings:
        return model
    try:
        words = shlex.split(settings)
    except ValueError:
        return model
    shown = " ".join((head, *(word[:60] for word in words if word.startswith(_SHOWN))))
    return next((word[5:] for word in words if word.startswith("name=")), shown)


class FaultRates(BaseModel):
    """Chance of each fault per request and attempt in the simulated world (0 … 1); see
    `fathom.sim`."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    rate_limit: Rate = 0.0
    """HTTP 429 with a Retry-After header."""
    server_error: Rate = 0.0
    """HTTP 500."""
    hang: Rate = 0.0
    """No reply at all until the caller gives up."""
    malformed: Rate = 0.0
    """A structured reply that is not JSON."""
    refusal: Rate = 0.0
    """A refusal in place of an answer."""
    cut_off: Rate = 0.0
    """An answer that stops in the middle, finish reason `length`."""
    missing_page: Rate = 0.0
    """A wiki page that does not exist (decided per title, never by attempt)."""


class WorldSpec(BaseModel):
    """What decides the simulated world's replies. Latency and order of arrival do not, so they are
    not here."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    seed: KeptInteger = 0
    sensitivity: Rate = 1.0
    """Chance that the simulated judge accepts a right answer."""
    specificity: Rate = 1.0
    """Chance that the simulated judge rejects a wrong answer."""
    faults: FaultRates = FaultRates()
    """Rates of faults of the simulated endpoints, each 0 … 1."""
    leak: ErrorRate = 0.0
    """Chance that a question the simulated evaluator writes gives its answer away."""
    drift: ErrorRate = 0.0
    """Chance that it asks about another thing than the concept."""
    lists: ErrorRate = 0.0
    """Chance that it asks for several things, or for a missing one."""
    refuses: ErrorRate = 0.0
    """Chance that it refuses a passage, however good."""
    few: ErrorRate = 0.0
    """Chance, for each call, that it names fewer aspects than it was asked for."""
    level: ErrorLevels = 0
    """How many levels above the tier its questions are; -2: two levels too easy."""
    level_said: ErrorLevels = 0
    """How many levels above the truth its check puts a question."""
    off: ErrorRate = 0.0
    """Chance that its check says of a follow-up that it has left the line."""
    another: ErrorRate = 0.0
    """Chance that its check says that an expert might give another answer."""
    doubtful: ErrorRate = 0.0
    """Chance that its check calls a passage outdated or disputed."""


class RunSpec(BaseModel):
    """What every spec can tell of itself, whatever its method. Its fields stand in the methods' own
    specs."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)
    usual_models: ClassVar[Mapping[str, str]] = {}
    """Role → the role whose model it is where none is named."""

    @model_validator(mode="before")
    @classmethod
    def _fill_roles(cls, values: Any) -> Any:
        if not isinstance(values, Mapping):
            return values
        named = dict(values)
        for role, other in cls.usual_models.items():
            if named.get(role) is None and other in named:
                named[role] = named[other]
        return named

    @model_validator(mode="after")
    def _require_english(self) -> Self:
        language = getattr(self, "language", "en")
        if language != "en" and any(map(is_simulated, self.writers)):
            raise ValueError(
                f"--language cannot be {language!r}: the simulated world speaks English only."
            )
        return self

    @property
    def models(self) -> dict[str, str]:
        """Role → model, of the models that are asked anything."""
        raise NotImplementedError

    @property
    def sources(self) -> tuple[str, ...]:
        """The fact sources that are asked, once each."""
        return ()

    @property
    def embeddings(self) -> tuple[str, ...]:
        """The embeddings models that are asked."""
        return ()

    @property
    def asked(self) -> tuple[str, ...]:
        """Every model that is asked anything, embeddings included, once each."""
        return tuple(dict.fromkeys((*self.models.values(), *self.embeddings)))

    @property
    def writers(self) -> tuple[str, ...]:
        """The models and sources that write or speak in the language of the spec."""
        return (*self.asked, *self.sources)

    @property
    def simulated(self) -> bool:
        """Whether any model or source that is asked is of the simulated world."""
        return any(map(is_simulated, (*self.asked, *self.sources)))

    @property
    def own_world(self) -> bool:
        """Whether the run starts a simulated world for itself; one at an address was set up by
        whoever serves it."""
        return "sim" in self.sources or any(name.startswith("sim:") for name in self.asked)

    @property
    def digest(self) -> str:
        """Sixteen hex digits over the canonical JSON of the spec."""
        return digest_of(self)


ERROR_RATES = ("leak", "drift", "lists", "refuses", "few", "off", "another", "doubtful")
EVALUATOR_ERRORS = (*ERROR_RATES, "level", "level_said")
"""Keys of a world whose simulated evaluator errs on purpose."""


def digest_of(spec: BaseModel) -> str:
    """Sixteen hex digits over the canonical JSON of a spec."""
    canonical = orjson.dumps(spec.model_dump(mode="json"), option=orjson.OPT_SORT_KEYS)
    return hashlib.sha256(canonical).hexdigest()[:16]
