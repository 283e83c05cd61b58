"""Explain-Query-Test in the simulated world: which of its tasks a prompt sets, and how each is done."""

import re
from collections.abc import Callable, Mapping

from ..claims import read_claim, untrue_in
from ..options import Shown, read_shown
from ..personas import Persona
from ..rewording import compare, reword
from ..world import World
from .choices import choose, choose_open_book, say
from .explaining import explain
from .writing import write_question

TASKS: dict[str, frozenset[str]] = {
    "choice_question": frozenset({"question", "options"}),
    "paraphrase": frozenset({"paraphrase"}),
    "same_question": frozenset({"same_meaning", "self_contained", "reworded"}),
    "attribution": frozenset({"cause", "reason"}),
}
"""Tasks with a structured reply, by the properties it must have."""


def prose_task(given: Mapping[str, str], question: str, is_turn: bool = False) -> str:
    """What a prompt that wants prose sets: `explanation`, `open_book`, `choice`, a question `with_context`, a later
    `turn` of a conversation, or `answer`, a bare question."""
    if "explanation" in given and read_shown(question):
        return "open_book"
    if "concept" in given and "language" in given:
        return "explanation"
    if read_shown(question):
        return "choice"
    if "context" in given:
        return "with_context"
    return "turn" if is_turn else "answer"


def do(world: World, task: str, given: Mapping[str, str], persona: Persona, attempt: int) -> dict[str, object]:
    """The reply to a task of `TASKS`; `attempt` counts from 0 the times it was sent back."""
    if task == "choice_question":
        return dict(write_question(world, persona, given, attempt))
    if task == "paraphrase":
        return {"paraphrase": reword(given["question"], given["manner"], given["taken"].splitlines(), attempt)}
    if task == "same_question":
        return compare(given["question"], given["paraphrase"])
    return attribute(given["explanation"], given["question"], given["right"])


def explanation(world: World, persona: Persona, given: Mapping[str, str], question: str) -> str:
    return explain(world, given["concept"])


def choice(world: World, persona: Persona, given: Mapping[str, str], question: str) -> str:
    """The reply to a multi-select question, closed book."""
    shown = read_shown(question) or Shown(question, ())
    return say(shown, choose(world, persona, shown, question), world.spec.seed, persona.name, question)


def open_book(world: World, persona: Persona, given: Mapping[str, str], question: str) -> str:
    """The reply to a multi-select question with the explanation at hand."""
    shown = read_shown(question) or Shown(question, ())
    return say(shown, choose_open_book(world, persona, shown), world.spec.seed, persona.name, question)


PROSE: Mapping[str, Callable[[World, Persona, Mapping[str, str], str], str]] = {
    "explanation": explanation,
    "choice": choice,
    "open_book": open_book,
}
"""Tasks with a reply in prose."""


def attribute(explanation: str, question: str, right: str) -> dict[str, object]:
    """What a wrong choice comes from: the explanation, where it is untrue about what the options are about; else the
    question, where an option is marked against what is true; else the answer. What this world cannot tell is in order.
    """
    shown = read_shown(question) or Shown(question, ())
    marked = set(re.findall(r"\b[A-Z]\b", right))
    claims = {chr(65 + place): read_claim(option) for place, option in enumerate(shown.options)}
    known = {letter: claim for letter, claim in claims.items() if claim is not None}
    if untrue_in(explanation) & {claim.fact.id for claim in known.values()}:
        return {"cause": "explanation", "reason": "The text says something untrue about what the options are about."}
    for letter, claim in known.items():
        if claim.true != (letter in marked):
            held = "right" if letter in marked else "wrong"
            return {"cause": "question", "reason": f"Option {letter} is held to be {held} and is not."}
    return {"cause": "answer", "reason": "Text and marks are in order, and the choice is another."}
