"""The simulated judge: compares the whole answer with what is known to be true, then errs as often as it is told to."""

from ...state.text import normalise
from .. import foreign
from ..draws import draw
from ..marking import Marking, declines, mark
from ..world import World


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
