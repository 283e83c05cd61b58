"""Who can be asked: simulated models with a chance of knowing per tier, as they are, or with
settings behind their name, as in `student,instability=0.3`."""

from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import orjson

from ..state.tiers import TIERS, Tier


@dataclass(frozen=True, slots=True)
class Persona:
    """`chances`: of knowing a fact, from COMMON to CUTTING_EDGE; `abstains`: share of what it does
    not know about which it says so instead of answering wrongly. The rest are shares too (0 … 1),
    but for two counts."""

    name: str
    chances: tuple[float, float, float, float, float]
    abstains: float
    instability: float = 0.0
    """Share of askings of a multi-select question that are settled anew, whatever was chosen
    elsewhere."""
    unreadable: float = 0.0
    """Share of closed-book askings that are answered in prose without any selection."""
    favourite: float = 0.0
    """Share of the other closed-book askings in which the first option shown is chosen, and no
    other."""
    malformed_questions: float = 0.0
    """Share of the multi-select questions it writes that cannot be asked."""
    d2: float | None = None
    """Chance of working out a question of depth 2 when all it rests on is there
    (`depthqa.library`); None: halfway from its chance at the textbook tier to 1. Of depth 1 it is
    `chance`."""
    d3: float | None = None
    """The same for depth 3; None: halfway from its chance at the professional tier to 1."""
    d1d2: float = 1.0
    """Chance, for each edge, that what is known at depth 1 is there for the question of depth 2."""
    d2d3: float = 1.0
    """The same from depth 2 to 3."""
    slips: float = 0.0
    """Share of what it answers wrongly at depths 1 and 2 that is only a slip, and is there for the
    deeper questions."""
    partial: float = 0.5
    """Share of its wrong answers to questions with several parts that are right in part."""
    with_context: float = 0.0
    """Chance that a question it would get wrong comes right when all quoted answers are right."""
    guided: float = 0.0
    """The same for right answers in the earlier turns of a conversation."""
    memorised: float = 0.5
    """Chance that an answer of depth 1 is memorised; of depth d, its d-th power."""
    logprobs: float = 1.0
    """Share of answers of which it tells the log-probabilities, where asked to."""
    planted: float = 0.3
    """Share of its deconstructions with a fault that has to be mended."""
    solve: float | None = None
    """Chance of solving a problem, in whatever words it is put, before any distractor; None: its
    chance at the textbook tier."""
    mislead: float = 0.0
    """Chance, for each distractor, of using its number."""
    unsteady: float = 0.0
    """Share of the problems for which it is drawn anew for every wording whether it solves them."""
    create: float | None = None
    """Chance that a question it writes by an instruction is valid; None: its chance of solving a
    problem."""
    first: int = 2
    """Criteria that its first draft of a transformation prompt meets."""
    mends: int = 2
    """Criteria of those found wanting that it meets with each further draft."""
    spoils: float = 0.0
    """Share of the scenarios, and of the instructions, that it spoils whatever the prompt says."""
    leans: float = 0.0
    """Share of its single preferences between two different questions that go to the first,
    whatever stands there."""

    def chance(self, tier: Tier) -> float:
        return self.chances[TIERS.index(tier)]

    @property
    def solving(self) -> float:
        """Chance of solving a problem without distractors."""
        return self.chance(Tier.TEXTBOOK) if self.solve is None else self.solve

    @property
    def creating(self) -> float:
        """Chance that a question it writes by an instruction is valid."""
        return self.solving if self.create is None else self.create

    def ability(self, depth: int) -> float:
        """Chance of working out a question of depth 2 or 3 when all it rests on is there."""
        if depth == 2:
            chance, tier = self.d2, Tier.TEXTBOOK
        else:
            chance, tier = self.d3, Tier.PROFESSIONAL
        if chance is None:
            return (1.0 + self.chance(tier)) / 2
        return chance


PERSONAS: dict[str, Persona] = {
    row["name"]: Persona(**row | {"chances": tuple(row["chances"])})
    for row in orjson.loads((Path(__file__).parent / "data" / "personas.json").read_bytes())
}

EVALUATOR, GENERATOR = "evaluator", "generator"
MODELS = (*PERSONAS, EVALUATOR, GENERATOR)
"""The models that have a name of their own."""
_SETTABLE = tuple(field.name for field in fields(Persona) if field.default is not MISSING)
CHOICE_KEYS = ("accuracy", *_SETTABLE[: _SETTABLE.index("d2")])
"""What shapes an Explain-Query-Test."""
KEYS = (*CHOICE_KEYS, "d1", *_SETTABLE[_SETTABLE.index("d2") :])
"""What can be set, each a share from 0 to 1, but for the counts. `accuracy`, or `d1`, is the chance
of knowing a fact of any tier, and of solving a problem where `solve` is not set; what the others
are stands with `Persona`."""
COUNTS = ("first", "mends")
"""Those that are whole numbers from 0 to 6."""
_MOST = 6
_ALONE = ("accuracy", "d1", "solve")
"""Those that can stand without a persona in front."""


@lru_cache(maxsize=1024)
def persona_of(model: str) -> Persona:
    """Who answers under a model's name. Settings stand behind a persona's name, or alone when
    `accuracy`, `d1` or `solve` is among them: `accuracy=0.7,instability=0.2`,
    `d1=0.9,d2=0.8,d3=0.7`, `solve=0.9,create=0.5`. In whatever order they are written, the same
    settings are the same persona. With `solve` alone facts are known as often.

    Evaluator and generator know what the omniscient persona knows. Raises ValueError, in one
    sentence, for a name that is none.
    """
    first, *rest = model.split(",")
    named = "=" not in first
    if named and first not in MODELS:
        raise ValueError(
            f"The simulated world has no model {first!r}; it has {', '.join(MODELS)},"
            " each with settings behind it if need be, as in student,instability=0.3."
        )
    settings = _settings(rest if named else [first, *rest], model)
    if {"accuracy", "d1"} <= set(settings):
        raise ValueError(
            f"The simulated model {model!r} sets accuracy and d1, which are the same: write "
            "one of them."
        )
    if not named and not set(_ALONE) & set(settings):
        raise ValueError(
            f"The simulated model {model!r} lacks an accuracy: write accuracy=0.7, d1=0.7 or "
            "solve=0.7,"
            " or a persona in front."
        )
    base = PERSONAS["omniscient" if first in (EVALUATOR, GENERATOR) else first] if named else _BLANK
    if not settings:
        return base
    pairs = [f"{key}={str(settings[key]).removesuffix('.0')}" for key in KEYS if key in settings]
    return _set(base, ",".join([first, *pairs] if named else pairs), settings)


_BLANK = Persona("", (0.0, 0.0, 0.0, 0.0, 0.0), 0.0)


def _set(base: Persona, name: str, settings: Mapping[str, float]) -> Persona:
    changes: dict[str, Any] = {
        key: value for key, value in settings.items() if key not in ("accuracy", "d1")
    }
    # on its own, the chance of solving problems is the only one there is
    alone = settings.get("solve") if base is _BLANK else None
    chance = settings.get("accuracy", settings.get("d1", alone))
    if chance is not None:
        changes = {"solve": None} | changes | {"chances": (chance,) * 5}
    return replace(base, name=name, **changes)


def _settings(pairs: list[str], model: str) -> dict[str, float]:
    settings: dict[str, float] = {}
    for pair in pairs:
        key, sign, text = pair.partition("=")
        if not sign or key not in KEYS:
            raise ValueError(
                f"The simulated model {model!r} has the unknown setting {pair!r}; known settings, "
                "each as KEY=VALUE:"
                f" {', '.join(KEYS)}."
            )
        if key in settings:
            raise ValueError(f"The simulated model {model!r} sets {key} twice: write it once.")
        settings[key] = _count(text, key, model) if key in COUNTS else _share(text, key, model)
    return settings


def _count(text: str, key: str, model: str) -> int:
    if not text.isdecimal() or int(text) > _MOST:
        raise ValueError(
            f"The simulated model {model!r} sets {key} to {text!r}: it must be a whole number "
            f"from 0 to {_MOST}."
        )
    return int(text)


def _share(text: str, key: str, model: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0.0 <= value <= 1.0:
        raise ValueError(
            f"The simulated model {model!r} sets {key} to {text!r}: it must be a number from "
            "0 to 1."
        )
    return abs(value)  # -0.0 is 0.0
