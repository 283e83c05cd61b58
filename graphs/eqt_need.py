"""What a concept sets aside of a budget, and how many concepts are worked on side by side."""

from ..agents.choice_question import Draft
from ..agents.judge import Blame
from ..agents.paraphraser import Comparison, Reworded
from ..state.spec import EqtSpec
from ..tools.purse import Amount, Need
from .admission import LIMIT, TEXT_BYTES, worst_call
from .deps import DrillDeps

EXPLANATION_TOKENS = 4000
EXPLANATION_BYTES = 12_000
"""Room for an explanation in the requests that carry it."""
OPTION_BYTES = 150
STEPS = 4
"""Calls that follow each other in a concept: explaining, writing, rewording, answering."""


def calls_of(spec: EqtSpec) -> int:
    """Calls of one concept when nothing is asked again: 1 + q + q·k + q·(k+1), and what was asked for beyond."""
    q, k = spec.questions, spec.paraphrases
    return 1 + q * (1 + k + (k + 1) + spec.open_book + spec.verify_paraphrases * k)


def side_by_side(spec: EqtSpec, connections: int) -> int:
    """Concepts to work on at once: twice as many as keep all connections busy, since a concept asks little at its
    beginning and much at its end. Not all of them: a run that is cut off should have whole concepts to report."""
    return max(2, -(-2 * connections * STEPS // calls_of(spec)))


def concept_need(deps: DrillDeps, spec: EqtSpec) -> Need:
    """For one concept, each call at its worst price. In USD the base is the dearest step, the extra all others; as many
    calls as there are questions have to be free beyond, for what is asked again."""
    q, k, shown = spec.questions, spec.paraphrases, TEXT_BYTES + OPTION_BYTES * spec.options
    explain = worst_call(deps, "evaluator", "explanation", TEXT_BYTES, EXPLANATION_TOKENS, None)
    writing = LIMIT + 80 * spec.options
    write = worst_call(deps, "evaluator", "choice_question", EXPLANATION_BYTES + TEXT_BYTES, writing, Draft) * q
    reword = worst_call(deps, "evaluator", "paraphrase", shown, LIMIT, Reworded) * (q * k)
    answer = worst_call(deps, "target", "choice", shown, spec.answer_tokens, None)
    first, second = reword + answer * q, answer * (q * k)
    if spec.open_book:
        first += worst_call(deps, "target", "open_book", EXPLANATION_BYTES + shown, spec.answer_tokens, None) * q
    if spec.verify_paraphrases:
        first += worst_call(deps, "judge", "same_question", 2 * shown, LIMIT, Comparison) * (q * k)
    steps = (explain, write, first, second)
    whole = sum(steps[1:], start=steps[0])
    if whole.usd is None:
        return Need(whole, Amount(0.0, q))
    dearest = max(step.usd or 0.0 for step in steps)
    return Need(Amount(dearest, whole.calls), Amount(whole.usd - dearest, q))


def attribution_need(deps: DrillDeps, spec: EqtSpec) -> Need:
    """For one attribution."""
    shown = EXPLANATION_BYTES + TEXT_BYTES + OPTION_BYTES * spec.options
    once = worst_call(deps, "judge", "attribution", shown, LIMIT, Blame)
    return Need(once, once)
