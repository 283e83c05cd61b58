"""What two runs of a model differ in, where they are about the same: settings that decide a
profile's figures."""

import hashlib
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

Settings = Mapping[str, str]
"""Name of a setting → its value, both in words."""

_MODEL_AND_CHANCE = {"method", "target", "seed"}
_NOT_DECIDING: Mapping[str, set[str]] = {
    # repeats differ in their seeds; how many there are decides only how large the pool of aspects
    # is
    "drill": {"domain", "repeats", "repeat", "pool_seed"},
    # answers with the book open, and what failed in wrong ones, are no part of the figures
    "eqt": {"open_book", "attribute"},
    "depthqa": {"graph"},
    # pairs of originals measure the judge alone
    "deepquestion": {"benchmark", "baseline"},
}
"""Per method what names the subject, or touches no figure of a profile."""
_LONGEST = 40
"""Letters of a value; of a longer one, such as a prompt, stands a digest."""


def settings_of(spec: Any, started: datetime | None) -> Settings:
    """The settings of a spec that decide its figures: all but model, name, seed and what touches no
    figure.

    A drill's day of evidence is none when it is the day on which the run began: of two such runs
    one is just later.
    """
    held = spec.model_dump(
        mode="json", exclude=_MODEL_AND_CHANCE | _NOT_DECIDING.get(spec.method, set())
    )
    if spec.method == "eqt":
        held["concepts"] = sorted(f"{each.name} ({each.category})" for each in spec.concepts)
        held |= {} if spec.verify_paraphrases else {"judge": None}
    if (
        started is not None
        and spec.method == "drill"
        and abs(spec.as_of - started.date()) <= timedelta(days=1)
    ):
        held.pop("as_of")
    return dict(_flat("", held))


def differences(several: Sequence[Settings]) -> list[str]:
    """For each of several settings what sets it apart: `distractors some; judge openai:gpt-5`.
    Empty where all are alike."""
    names = dict.fromkeys(name for settings in several for name in settings)
    apart = [name for name in names if len({settings.get(name) for settings in several}) > 1]
    return [
        "; ".join(f"{name} {settings.get(name, _without(name))}" for name in apart)
        for settings in several
    ]


def _without(name: str) -> str:
    return "of the day of the run" if name == "as of" else "none"


def _flat(prefix: str, value: Any) -> list[tuple[str, str]]:
    if isinstance(value, dict):
        return [
            pair for key, each in value.items() for pair in _flat(f"{prefix} {key}".strip(), each)
        ]
    return [(prefix.replace("_", " "), _worded(value))]


def _worded(value: Any) -> str:
    if value is None or value == []:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    said = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
    return said if len(said) <= _LONGEST else f"#{hashlib.sha256(said.encode()).hexdigest()[:8]}"
