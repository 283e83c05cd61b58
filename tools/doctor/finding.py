"""What the doctor found, one line each."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from ..facts.plan import KEY, OPENALEX_KEY
from ..models.faults import redact
from ..models.providers import INTEGRATIONS, PROVIDERS

Level = Literal["ok", "warning", "failure"]
Topic = Literal["versions", "disk", "cache", "settings", "keys", "models", "sources", "leaves"]

KEY_VARIABLES: tuple[str, ...] = tuple(
    dict.fromkeys(
        [
            *(name for provider in PROVIDERS.values() for name in provider.key_variables),
            *(i.key_variable for i in INTEGRATIONS.values() if i.key_variable),
            KEY,
            OPENALEX_KEY,
            "LANGSMITH_API_KEY",
            "LANGCHAIN_API_KEY",
        ]
    )
)
"""Variables that may hold a key."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at. `failure` stands in the way of a run, `warning` may surprise,
    `ok` is told."""

    topic: Topic
    subject: str
    level: Level
    said: str
    advice: str = ""
    """What to do about it; empty when there is nothing to do."""


def without_keys(findings: Iterable[Finding], env: Mapping[str, str]) -> list[Finding]:
    """The findings with every key of the environment, and whatever looks like one, taken out of
    their words: what an endpoint says of itself may hold the key it was sent."""
    # the longest first: one key may begin with another
    keys = sorted(
        {key for name in KEY_VARIABLES if len(key := env.get(name, "").strip()) >= 4},
        key=len,
        reverse=True,
    )

    def clean(text: str) -> str:
        for key in keys:
            text = text.replace(key, "[key]")
        return redact(text)

    return [
        replace(
            found, subject=clean(found.subject), said=clean(found.said), advice=clean(found.advice)
        )
        for found in findings
    ]
