"""Faults in the simulated evaluator's deconstructions, which whoever builds a graph has to find and mend."""

import re
from collections.abc import Callable, Sequence
from math import fsum

from ..draws import draw, number, pick
from ..embeddings import vector
from ..personas import Persona
from .nodes import DeepQuestion
from .questions import ECHO, FRAMES, framed

Sub = tuple[str, str]
"""A question and its reference answer, as the evaluator replies them."""

_OPEN_WORD = re.compile(r"\b(?:what|which|why|how|when|where|who|whom|whose|or)\b", re.IGNORECASE)
_ALIKE = 0.85
"""Cosine of the embeddings at which a question of depth 1 counts as one of depth 2, in the middle of .8 to .9."""


def plain(question: DeepQuestion) -> Sub:
    """The question and its reference answer."""
    return question.question, question.reference


def with_fault(
    seed: int, persona: Persona, parent: DeepQuestion, depth: int, needs: Sequence[DeepQuestion], count: int
) -> list[Sub]:
    """What a question rests on, of the depth wanted; in the persona's share of cases with one of these faults: a
    question that yes or no would answer; one that stands there twice, hardly reworded; at depth 1 the question itself
    with a frame around it; at depth 2 a question of depth 1. It takes the place of another where there is no room."""
    name = (seed, "planted", persona.name, parent.id, depth)
    subs = [plain(need) for need in needs]
    if draw(*name) >= persona.planted or not needs:
        return subs
    faults: list[Callable[[], list[Sub]]] = [lambda: _again(subs, pick(needs, *name, "again"), count)]
    binary = [need for need in needs if need.yes_no and not _OPEN_WORD.search(need.yes_no)]
    if binary:
        faults.append(lambda: _as_yes_no(subs, pick(binary, *name, "yes or no")))
    if depth == 1 and parent.depth == 2:
        faults.append(lambda: _put(subs, (framed(_frame(parent.question), parent.question), parent.reference), count))
    below = [fact for need in needs for fact in need.needs]
    if depth == 2 and below:
        faults.append(lambda: _put(subs, _echo(pick(below, *name, "too shallow")), count))
    return faults[number(*name, "which") % len(faults)]()


def _again(subs: list[Sub], need: DeepQuestion, count: int) -> list[Sub]:
    others = [sub for sub in subs if sub != plain(need)]
    return [*others[: max(0, count - 2)], plain(need), _echo(need)]


def _as_yes_no(subs: list[Sub], need: DeepQuestion) -> list[Sub]:
    return [(need.yes_no, need.reference) if sub == plain(need) else sub for sub in subs]


def _put(subs: list[Sub], fault: Sub, count: int) -> list[Sub]:
    return [*subs[: count - 1], fault]


def _echo(question: DeepQuestion) -> Sub:
    return framed(ECHO, question.question), question.reference


def _frame(question: str) -> str:
    """The words that, put in front, leave the question about as like itself as it takes."""
    own = vector(question)
    return min(FRAMES, key=lambda frame: abs(_cosine(own, vector(framed(frame, question))) - _ALIKE))


def _cosine(one: Sequence[float], other: Sequence[float]) -> float:
    return fsum(a * b for a, b in zip(one, other, strict=True))
