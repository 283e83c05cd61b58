"""Simulated models by name: a persona as it is, or with settings behind it, as in `student,instability=0.3`."""

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any

from .personas import PERSONAS, Persona

EVALUATOR = "evaluator"
MODELS = (*PERSONAS, EVALUATOR)
"""The models that have a name of their own."""
CHOICE_KEYS = ("accuracy", "instability", "unreadable", "favourite", "malformed_questions")
"""What shapes an Explain-Query-Test."""
DEPTH_KEYS = (
    "d1",
    "d2",
    "d3",
    "d1d2",
    "d2d3",
    "slips",
    "partial",
    "with_context",
    "guided",
    "memorised",
    "logprobs",
    "planted",
)
"""What shapes answers to questions at three depths, and a graph of them."""
KEYS = (*CHOICE_KEYS, *DEPTH_KEYS)
"""What can be set, each a share from 0 to 1. `accuracy`, or `d1`, is the chance of knowing a fact of any tier; what the
others are stands with `Persona`."""


@lru_cache(maxsize=1024)
def persona_of(model: str) -> Persona:
    """Who answers under a model's name. Settings stand behind a persona's name, or alone when `accuracy` or `d1` is
    among them: `accuracy=0.7,instability=0.2`, `d1=0.9,d2=0.8,d3=0.7`. In whatever order they are written, the same
    settings are the same persona.

    The evaluator knows what the omniscient persona knows. Raises ValueError, in one sentence, for a name that is none.
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
        raise ValueError(f"The simulated model {model!r} sets accuracy and d1, which are the same: write one of them.")
    if not named and not {"accuracy", "d1"} & set(settings):
        raise ValueError(
            f"The simulated model {model!r} lacks an accuracy: write accuracy=0.7 or d1=0.7, or a persona in front."
        )
    base = PERSONAS["omniscient" if first == EVALUATOR else first] if named else _BLANK
    if not settings:
        return base
    written = [f"{key}={str(settings[key]).removesuffix('.0')}" for key in KEYS if key in settings]
    return _set(base, ",".join([first, *written] if named else written), settings)


_BLANK = Persona("", (0.0, 0.0, 0.0, 0.0, 0.0), 0.0, "is as its settings say")


def _set(base: Persona, name: str, settings: Mapping[str, float]) -> Persona:
    changes: dict[str, Any] = {key: value for key, value in settings.items() if key not in ("accuracy", "d1")}
    chance = settings.get("accuracy", settings.get("d1"))
    if chance is not None:
        changes["chances"] = (chance,) * 5
    return replace(base, name=name, **changes)


def _settings(pairs: list[str], model: str) -> dict[str, float]:
    found: dict[str, float] = {}
    for pair in pairs:
        key, sign, text = pair.partition("=")
        if not sign or key not in KEYS:
            raise ValueError(
                f"The simulated model {model!r} has the setting {pair!r}, which is none:"
                f" write KEY=VALUE with {', '.join(KEYS[:-1])} or {KEYS[-1]}."
            )
        if key in found:
            raise ValueError(f"The simulated model {model!r} sets {key} twice: write it once.")
        found[key] = _share(text, key, model)
    return found


def _share(text: str, key: str, model: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0.0 <= value <= 1.0:
        raise ValueError(f"The simulated model {model!r} sets {key} to {text!r}: it must be a number from 0 to 1.")
    return abs(value)  # -0.0 is 0.0
