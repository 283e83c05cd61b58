"""Log-probabilities of the tokens of a simulated reply, as OpenAI writes them. They are made up,
and label nothing but whether an answer counts as memorised."""

from math import log
from typing import Any

from .depthqa.tasks import question_in
from .personas import Persona
from .values import draw

TOKEN_LENGTH = 4
"""Characters of a token."""
MEMORISED, ORDINARY = 0.25, 1.0
"""Mean surprise of a token in nats, in memorised and in other answers; surprises are exponentially
distributed."""


def token_chances(seed: int, persona: Persona, asked: str, text: str) -> dict[str, Any] | None:
    """The field `logprobs` of a choice with this text; None where this persona tells none."""
    if draw(seed, "logprobs", persona.name, asked) >= persona.logprobs:
        return None
    scale = MEMORISED if is_memorised(seed, persona, asked) else ORDINARY
    tokens = [text[place : place + TOKEN_LENGTH] for place in range(0, len(text), TOKEN_LENGTH)]
    content = [
        {
            "token": token,
            "logprob": round(scale * log(1.0 - draw(seed, "token", persona.name, text, place)), 6),
            "bytes": list(token.encode()),
            "top_logprobs": [],
        }
        for place, token in enumerate(tokens)
    ]
    return {"content": content, "refusal": None}


def is_memorised(seed: int, persona: Persona, asked: str) -> bool:
    """Whether the answer to what is asked is a memorised one: the deeper the question, the more
    rarely."""
    question = question_in(asked)
    name = question.id if question else " ".join(asked.split())
    return draw(seed, "memorised", persona.name, name) < memorised_chance(
        persona, question.depth if question else 1
    )


def memorised_chance(persona: Persona, depth: int) -> float:
    """Chance that the answer to a question of this depth is memorised."""
    return persona.memorised**depth
