"""The simulated judge: compares the whole answer with what is known to be true, then errs as often as it is told to."""

import re
from dataclasses import dataclass

from ..state.text import normalise
from . import foreign
from .draws import draw
from .facts import Fact
from .values import Pool
from .world import World

_DECLINES = re.compile(
    r"\b(?:do not|don't|cannot|can't|can not|could not|couldn't) (?:know|say|recall|remember|tell|help|answer|assist)\b"
    r"|\b(?:no idea|unable to|not able to|not familiar with)\b"
)


@dataclass(frozen=True, slots=True)
class Marking:
    """What an answer does with respect to a reference."""

    abstained: bool
    asserts: bool
    incompatible: bool

    @property
    def correct(self) -> bool:
        return self.asserts and not self.incompatible


def declines(answer: str) -> bool:
    """Whether an answer says that it does not know."""
    return _DECLINES.search(normalise(answer)) is not None


def mark(fact: Fact, pool: Pool, answer: str) -> Marking:
    """The true marking of an answer to a question of this world: right if it names every item of the value and no other
    value that the property could have, those in the question and those also true aside."""
    said = pool.found(answer)
    unknowing = declines(answer)
    if unknowing:
        said = {value for value in said if not pool.idle(value)}
    true = [value for value in said if any(pool.same(value, item) for item in fact.items)]
    asked = pool.found(fact.question)
    others = {v for v in said if v not in true and v not in fact.also and v not in asked and not pool.idle(v)}
    named = all(any(pool.same(value, item) for value in true) for item in fact.items)
    return Marking(unknowing and not named and not others, named, bool(others))


def mark_foreign(reference: str, question: str, answer: str) -> Marking:
    """The marking of an answer to a question from elsewhere, by figures and words."""
    named = foreign.asserts(reference, question, answer)
    other = not named and foreign.contradicts(reference, question, answer)
    return Marking(declines(answer) and not named, named, other)


def judge(world: World, question: str, reference: str, answer: str) -> dict[str, object]:
    """The verdict as the evaluator replies it. With sensitivity se a right answer is accepted, with specificity sp a
    wrong one rejected; an abstention is always recognised. The error is drawn for seed, question and answer."""
    fact = world.fact_of(question)
    found = mark(fact, world.pool(fact), answer) if fact else mark_foreign(reference, question, answer)
    spec = world.spec
    limit = spec.sensitivity if found.correct else spec.specificity
    errs = not found.abstained and draw(spec.seed, "judge", normalise(question), normalise(answer)) >= limit
    asserts, incompatible = found.asserts, found.incompatible
    if errs:
        asserts, incompatible = not found.correct, False
    return {
        "reason": _reason(found.abstained, asserts and not incompatible),
        "abstained": found.abstained,
        "asserts_reference": asserts,
        "asserts_incompatible": incompatible,
        "confidence": 0.95,
    }


def _reason(abstained: bool, correct: bool) -> str:
    if abstained:
        return "The answer says that it does not know."
    return "The answer states what the reference states." if correct else "The answer does not state the reference."
