"""Who can be asked: simulated models with a chance of knowing per tier, as they are, or with
settings behind their name, as in `student,instability=0.3`."""

from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from typing import Any

import orjson

from ..state.tiers import TIERS, Tier
from .facts import DATA


@dataclass(frozen=True, slots=True)
class Persona:
    """`chances`: of knowing a fact, from COMMON to CUTTING_EDGE; `abstains`: share of what it does
    not know about which it says so instead of answering wrongly. The rest are shares too (0 … 1),
    but for a count."""

    name: str
    chances: tuple[float, ...] = (0.0,) * len(TIERS)
    abstains: float = 0.0
    instability: float = 0.0
    """Share of askings of a multi-select question that are settled anew, whatever was chosen
    elsewhere."""
    d2: float | None = None
    """Chance of working out a question of depth 2 when all it rests on is there (`depthqa`); None:
    halfway from its chance at the textbook tier to 1. Of depth 1 it is `chance`."""
    d3: float | None = None
    """The same for depth 3; None: halfway from its chance at the professional tier to 1."""
    slips: float = 0.0
    """Share of what it answers wrongly at depths 1 and 2 that is only a slip, and is there for the
    deeper questions."""
    partial: float = 0.5
    """Share of its wrong answers to questions with several parts that are right in part."""
    with_context: float = 0.0
    """Chance that a question it would get wrong comes right when all quoted answers, or those in
    earlier turns, are right."""
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
    mends: float = 2
    """Criteria of those found wanting that it meets with each further draft."""
    spoils: float = 0.0
    """Share of the scenarios, and of the instructions, that it spoils whatever the prompt says."""
    leans: float = 0.0
    """Share of its single preferences that go to the first of two questions, whatever stands
    there."""

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
        """Chance of working out a question when all it rests on is there."""
        if depth == 1:
            return self.chance(Tier.TEXTBOOK)
        chance, tier = (self.d2, Tier.TEXTBOOK) if depth == 2 else (self.d3, Tier.PROFESSIONAL)
        return (1.0 + self.chance(tier)) / 2 if chance is None else chance


PERSONAS: dict[str, Persona] = {
    row["name"]: Persona(**row | {"chances": tuple(row["chances"])})
    for row in orjson.loads((DATA / "personas.json").read_bytes())
}

EVALUATOR, GENERATOR = "evaluator", "generator"
MODELS = (*PERSONAS, EVALUATOR, GENERATOR)
"""The models that have a name of their own."""
KEYS = ("accuracy", *(field.name for field in fields(Persona)[3:]))
"""What can be set, each a share from 0 to 1, but for the count `mends`. `accuracy`, or `d1`, is the
chance of knowing a fact of any tier, and of solving a problem where `solve` is not set; what the
others are stands with `Persona`."""
_MOST = {"mends": 6.0}


@lru_cache(maxsize=1024)
def persona_of(model: str) -> Persona:
    """Who answers under a model's name. Settings stand behind a persona's name, or alone when
    `accuracy`, `d1` or `solve` is among them: `accuracy=0.7,instability=0.2`,
    `d1=0.9,d2=0.8,d3=0.7`, `solve=0.9,create=0.5`. In whatever order they are written, the same
    settings are the same persona. With `solve` alone facts are known as often.

    Evaluator and generator know what the omniscient persona knows. Raises ValueError, in one
    sentence, for a name that is none.
    """
    first, *pairs = model.split(",")
    base = PERSONAS["omniscient"] if first in (EVALUATOR, GENERATOR) else PERSONAS.get(first)
    if base is None and "=" not in first:
        raise ValueError(
            f"The simulated world has no model {first!r}; it has {', '.join(MODELS)},"
            " each with settings behind it if need be, as in student,instability=0.3."
        )
    settings = _settings(pairs if base else (first, *pairs), model)
    chance = settings.get("accuracy")
    if base is None:
        first, base, chance = "", Persona(""), settings.get("accuracy", settings.get("solve"))
        if chance is None:
            raise ValueError(
                f"The simulated model {model!r} lacks an accuracy: write accuracy=0.7, d1=0.7 or "
                "solve=0.7, or a persona in front."
            )
    if not settings:
        return base
    name = [f"{key}={str(settings[key]).removesuffix('.0')}" for key in KEYS if key in settings]
    changes: dict[str, Any] = settings | {"name": ",".join([first, *name]).lstrip(",")}
    if chance is not None:
        # the chance of knowing facts is that of solving problems where no other is set
        changes = {"solve": None} | changes | {"chances": (chance,) * len(TIERS)}
    changes.pop("accuracy", None)
    return replace(base, **changes)


def _settings(pairs: Iterable[str], model: str) -> dict[str, float]:
    settings: dict[str, float] = {}
    for pair in pairs:
        key, _, text = pair.partition("=")
        key = "accuracy" if key == "d1" else key
        if key not in KEYS or key in settings:
            raise ValueError(
                f"The simulated model {model!r} has the unknown or repeated setting {pair!r}; "
                f"known settings, each once as KEY=VALUE: {', '.join(KEYS)}, or d1 for accuracy."
            )
        try:
            value = float(text)
        except ValueError:
            value = -1.0
        if not 0.0 <= value <= _MOST.get(key, 1.0):
            raise ValueError(
                f"The simulated model {model!r} sets {key} to {text!r}: it must be a number from "
                f"0 to {_MOST.get(key, 1.0):g}."
            )
        settings[key] = abs(value)  # -0.0 is 0.0
    return settings
