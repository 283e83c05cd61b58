"""What a concept sets aside of a budget, and how many concepts are worked on side by side."""

from dataclasses import dataclass

from ...agents.judge.verdict import Blame
from ...agents.paraphraser.paraphrase import Comparison, Reworded
from ...agents.questioner.choice_question import Draft
from ...state.spec import EqtSpec
from ...tools.models.budget import Amount, Cost
from ...tools.runs.journal import Sink
from ..run.admission import LIMIT, TEXT_BYTES, worst_call
from ..run.deps import DrillDeps

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


@dataclass(frozen=True, slots=True)
class Left:
    """Calls that a concept still needs, by what they are for; those of questions that are not written are expected."""

    explanations: int
    questions: int
    paraphrases: int
    choices: int
    open_book: int

    @property
    def nothing(self) -> bool:
        return not (self.explanations or self.questions or self.paraphrases or self.choices or self.open_book)


def left_of(sink: Sink, run_id: str, concept: str, spec: EqtSpec) -> Left:
    """What is left of a concept (by its id) beyond what the journal holds."""
    memory, (q, k) = sink.run(run_id), (spec.questions, spec.paraphrases)
    if concept not in memory.item_ids or concept in memory.redo:
        return Left(1, q, q * k, q * (k + 1), q * spec.open_book)

    def lacks(item_id: str) -> bool:
        return item_id not in memory.item_ids or item_id in memory.redo

    def empty(item_id: str) -> bool:
        return not lacks(item_id) and not getattr(sink.item(run_id, item_id), "text", "")

    if empty(concept):
        return Left(0, 0, 0, 0, 0)
    asked = [name for name in (f"{concept}.q{n}" for n in range(1, q + 1)) if not empty(name)]
    places = [(name, nth) for name in asked for nth in range(1, k + 1)]
    reworded = [f"{name}.p{nth}" for name, nth in places]
    answers = [f"{name}.a0" for name in asked]
    answers += [f"{name}.a{nth}" for name, nth in places if not empty(f"{name}.p{nth}")]
    return Left(
        explanations=0,
        questions=sum(map(lacks, asked)),
        paraphrases=sum(map(lacks, reworded)),
        choices=sum(map(lacks, answers)),
        open_book=sum(lacks(f"{name}.open") for name in asked) * spec.open_book,
    )


def concept_need(deps: DrillDeps, spec: EqtSpec, left: Left) -> Cost:
    """For what is left of one concept. In USD the base is the dearest call at its worst price, the extra a share of all
    others: a whole concept at its worst is many times what one costs, and small budgets would begin none. A concept
    that does meet the end of the budget is left open. As many calls as there are questions left have to be free for
    what is asked again."""
    shown, answering = TEXT_BYTES + OPTION_BYTES * spec.options, spec.answer_tokens
    long, writing = EXPLANATION_BYTES + TEXT_BYTES, LIMIT + 80 * spec.options
    kinds = [
        (left.explanations, worst_call(deps, "evaluator", "explanation", TEXT_BYTES, EXPLANATION_TOKENS, None)),
        (left.questions, worst_call(deps, "evaluator", "choice_question", long, writing, Draft)),
        (left.paraphrases, worst_call(deps, "evaluator", "paraphrase", shown, LIMIT, Reworded)),
        (left.choices, worst_call(deps, "target", "choice", shown, answering, None)),
        (left.open_book, worst_call(deps, "target", "open_book", EXPLANATION_BYTES + shown, answering, None)),
    ]
    if spec.verify_paraphrases:
        checked = worst_call(deps, "judge", "same_question", 2 * shown, LIMIT, Comparison)
        kinds.append((left.paraphrases, checked))
    whole = sum((one * times for times, one in kinds), start=Amount())
    extra = left.questions
    if whole.usd is None:
        return Cost(whole, Amount(0.0, extra))
    dearest = max((one.usd or 0.0 for times, one in kinds if times), default=0.0)
    return Cost(Amount(dearest, whole.calls), Amount((whole.usd - dearest) / WORST_SHARE, extra))


def attribution_need(deps: DrillDeps, spec: EqtSpec) -> Cost:
    """For one attribution."""
    shown = EXPLANATION_BYTES + TEXT_BYTES + OPTION_BYTES * spec.options
    once = worst_call(deps, "judge", "attribution", shown, LIMIT, Blame)
    return Cost(once, once)
