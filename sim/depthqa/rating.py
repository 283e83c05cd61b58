"""The simulated judge's score: of answers to this world's questions by the parts they state, of others by how much of
the reference they cover."""

import re
from functools import lru_cache

from ...state.text import normalise
from .. import foreign
from ..corpus import corpus
from ..draws import draw
from ..facts import Fact
from ..marking import Marking, declines, mark
from ..world import World
from .knowing import score_of
from .nodes import DeepQuestion, Part
from .questions import recognise

COVERAGE = (0.15, 0.25, 0.35, 0.45)
"""Share of the reference's words and figures, beyond the question's, that an answer from elsewhere must have for a
score of 2, 3, 4 and 5."""
_SPACES = re.compile(r"\s+")


def rate(world: World, question: str, reference: str, answer: str) -> dict[str, object]:
    """The rating as the evaluator replies it. With 1 − sensitivity the score of a good answer (4, 5), with
    1 − specificity that of a bad one (1, 2) is turned round, s → 6 − s, unless the answer is empty; drawn for seed,
    question and answer."""
    score = true_score(question, reference, answer)
    spec = world.spec
    limit = spec.sensitivity if score > 3 else spec.specificity if score < 3 else 1.0
    errs = limit < 1.0 and draw(spec.seed, "rating", normalise(question), normalise(answer)) >= limit
    if errs and answer.strip():
        score = 6 - score
    return {"reason": _REASONS[score - 1], "score": score}


_REASONS = (
    "Nothing that the reference says is there.",
    "Little of what the reference says is there.",
    "Some of what the reference says is right, and some is wrong or missing.",
    "Most of what the reference says is there.",
    "The answer states what the reference states.",
)


def true_score(question: str, reference: str, answer: str) -> int:
    """The score (1 … 5) of a judge that does not err. An empty answer scores 1."""
    if not answer.strip():
        return 1
    known = recognise(question)
    score = None if known is None else known_score(known, answer)
    return _foreign_score(question, reference, answer) if score is None else score


def is_right(question: str, answer: str) -> bool:
    """Whether an answer to a question of this world is right in all parts; False for any other question."""
    known = recognise(question)
    return known is not None and known_score(known, answer) == 5


@lru_cache(maxsize=4096)
def known_score(question: DeepQuestion, answer: str) -> int | None:
    """The score of an answer by the question's parts; None when it takes up none of them and does not decline."""
    if question.fact is not None:
        return _fact_score(question.fact, mark(question.fact, corpus().pools[question.fact.property], answer), answer)
    text = _flat(answer) + " "
    right = sum(_flat(part.text) + " " in text for part in question.parts)
    if right or declines(answer) or any(_taken_up(part, text) for part in question.parts):
        return score_of(right, len(question.parts))
    return None


def _fact_score(fact: Fact, marking: Marking, answer: str) -> int:
    """A value of several items can be named in part."""
    if marking.correct:
        return 5
    if marking.asserts:
        return 2
    pool = corpus().pools[fact.property]
    said = pool.found(answer)
    named = sum(any(pool.same(value, item) for value in said) for item in fact.items)
    return 1 if marking.incompatible else score_of(named, len(fact.items))


def _taken_up(part: Part, text: str) -> bool:
    return len(part.before) > 12 and _flat(part.before) in text


def _flat(text: str) -> str:
    return _SPACES.sub(" ", text).strip().casefold()


def _foreign_score(question: str, reference: str, answer: str) -> int:
    said = foreign.content(answer)
    wanted = foreign.content(reference)
    own = wanted - foreign.content(question) or wanted
    if not own:
        return 5 if normalise(answer) == normalise(reference) else 1
    covered = len(own & said) / len(own)
    return 1 + sum(covered >= limit for limit in COVERAGE)
