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
WORST_SHARE = 6
"""So many times less than its worst price a concept is taken to cost, for the part that has to be free."""
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
    """For one concept. In USD the base is the dearest call at its worst price, the extra a share of all others: a whole
    concept at its worst is many times what one costs, and small budgets would begin none. A concept that does meet the
    end of the budget is left open. As many calls as there are questions have to be free for what is asked again."""
    q, k, shown = spec.questions, spec.paraphrases, TEXT_BYTES + OPTION_BYTES * spec.options
    writing = LIMIT + 80 * spec.options
    answering = spec.answer_tokens
    kinds = [
        (1, worst_call(deps, "evaluator", "explanation", TEXT_BYTES, EXPLANATION_TOKENS, None)),
        (q, worst_call(deps, "evaluator", "choice_question", EXPLANATION_BYTES + TEXT_BYTES, writing, Draft)),
        (q * k, worst_call(deps, "evaluator", "paraphrase", shown, LIMIT, Reworded)),
        (q * (k + 1), worst_call(deps, "target", "choice", shown, answering, None)),
    ]
    if spec.open_book:
        kinds.append((q, worst_call(deps, "target", "open_book", EXPLANATION_BYTES + shown, answering, None)))
    if spec.verify_paraphrases:
        kinds.append((q * k, worst_call(deps, "judge", "same_question", 2 * shown, LIMIT, Comparison)))
    whole = sum((one * times for times, one in kinds), start=Amount())
    if whole.usd is None:
        return Need(whole, Amount(0.0, q))
    dearest = max(one.usd or 0.0 for times, one in kinds if times)
    return Need(Amount(dearest, whole.calls), Amount((whole.usd - dearest) / WORST_SHARE, q))


def attribution_need(deps: DrillDeps, spec: EqtSpec) -> Need:
    """For one attribution."""
    shown = EXPLANATION_BYTES + TEXT_BYTES + OPTION_BYTES * spec.options
    once = worst_call(deps, "judge", "attribution", shown, LIMIT, Blame)
    return Need(once, once)
