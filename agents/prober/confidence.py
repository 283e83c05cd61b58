"""Prober: asks the target, once it has answered, how likely its answer is right."""

from typing import Annotated

from pydantic import BaseModel, Field

from ...tools.models.chat import Message
from ..skill import Ask, Prompt, Text, skill
from .answer import ANSWER, NOTHING

CONFIDENCE = Prompt(
    "confidence",
    """=== user ===
How likely is it that this answer of yours is right? What counts is all that was asked for, as an examiner marks it
against one reference answer. 100 means certainly right, 50 as likely wrong as right, 0 certainly wrong. The figure is a
good one if, of 100 answers given 80, 80 are right. Do not answer the question again.

Reply with one JSON object with the key "confidence", a whole number from 0 to 100 (95, not 0.95).""",
)


class Stated(BaseModel):
    """Reply to the prompt `confidence`."""

    confidence: Annotated[int, Field(ge=0, le=100)]


@skill(CONFIDENCE, role="target", stage="answer")
async def state_confidence(ask: Ask, question: Text, answer: Text) -> float:
    """How likely the target says its answer is right, 0 … 1, in a turn of its own behind the
    answer: what was asked for the answer is as it would be without it."""
    prompt = ask.prompts.get(ANSWER.name, ANSWER)
    first = prompt.render(bare={"question"}, question=question)
    before = (*first, Message("assistant", answer.strip() or NOTHING))
    stated = await ask(Stated, before=before, question=question, answer=answer)
    return stated.confidence / 100
