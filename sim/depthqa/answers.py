"""What a simulated model says when asked in depth: alone, with answers quoted to it, or in a conversation."""

import re
from collections.abc import Sequence

from ..answering import IGNORANCE, answer
from ..draws import pick, shuffled
from ..personas import Persona
from ..world import World
from .knowing import Help, Mind, Settled
from .nodes import DeepQuestion
from .questions import recognise
from .rating import is_right

Turn = tuple[str, str]
"""What was asked, and what was answered to it."""

_CONTEXT = re.compile(r"<context>\n.*?</context>", re.DOTALL)
_QUOTED = re.compile(
    r"^(?:\d+\.|Question:) ([^\n]*)\nAnswer: ?(.*?)(?=\n\s*\n(?:\d+\.|Question:) [^\n]*\nAnswer: |\Z)",
    re.DOTALL | re.MULTILINE,
)
_OPENINGS = ("", "Let me take it step by step. ", "This is how I would go about it. ", "Here is what I can say. ")


def question_in(message: str) -> DeepQuestion | None:
    """The question of this world that a message asks, whatever stands around it: the whole, or its last lines."""
    lines = [line.strip() for line in _CONTEXT.sub("", message).strip().splitlines() if line.strip()]
    texts = (" ".join(lines), lines[-1] if lines else "", " ".join(lines[-2:]))
    return next((known for text in texts if (known := recognise(text)) is not None), None)


def answer_in_depth(
    world: World, persona: Persona, message: str, context: str | None, earlier: Sequence[Turn]
) -> str | None:
    """The reply to the message, with questions and answers that stand in `context`, or behind earlier turns; None for
    a question that is not of this world."""
    question = question_in(message)
    if question is None:
        return None
    quoted = _QUOTED.findall(context) if context is not None else earlier
    right = [_was_right(asked, said) for asked, said in quoted]
    share = sum(right) / len(right) if right else 0.0
    help_: Help = "guided" if context is None else "with_context"
    settled = Mind(world, persona).settled(question, help_, share)
    if question.fact is not None:
        return answer(world, persona, question.fact, helped=settled.right)
    return _spoken(world, persona, question, settled)


def _was_right(asked: str, said: str) -> bool:
    question = question_in(asked)
    return question is not None and is_right(question.question, said)


def _spoken(world: World, persona: Persona, question: DeepQuestion, settled: Settled) -> str:
    """All parts in order, those that are not right with a wrong value."""
    name = (world.spec.seed, persona.name, question.id)
    if settled.abstains:
        return f"{pick(IGNORANCE, *name)} It would take more than I have learnt."
    places = range(len(question.parts))
    right = set(shuffled(places, *name, "right parts")[: settled.parts])
    said = [
        part.text if place in right else part.said(pick(part.wrong, *name, place))
        for place, part in enumerate(question.parts)
    ]
    return pick(_OPENINGS, *name, "opening") + " ".join(said)
