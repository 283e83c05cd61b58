"""How often a kind of call is made, how long its texts are and how long its replies take."""

from dataclasses import dataclass
from typing import NamedTuple

from ...agents.prompt_template import Prompt
from ...state.records import Role
from .spread import Spread

CHARACTERS = 4
"""Of a prompt's text, per token."""


class Step(NamedTuple):
    """One kind of call: who is asked, and by which prompt."""

    role: Role
    purpose: str


@dataclass(frozen=True, slots=True)
class Rate:
    """One step: calls per slot (per opening, for aspects), tokens and seconds per call."""

    calls: Spread
    input_tokens: Spread
    output_tokens: Spread
    latency_s: Spread


TAGS = 25
"""Characters around a block."""


def bare_length(prompt: Prompt) -> int:
    """Characters of a prompt without the values in its places."""
    return sum(len(message.content) for message in prompt.render_bare(**dict.fromkeys(prompt.fields, "")))
