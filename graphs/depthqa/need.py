"""What a tree of questions sets aside of a budget, and how many trees are worked on side by side."""

from collections.abc import Sequence

from ...agents.judge.rating import Mark
from ...state.depthqa.items import QuestionGraph
from ...state.depthqa.spec import DepthQASpec
from ...tools.models.budget import Amount, Cost
from ...tools.runs.journal import Sink
from ..run.admission import TEXT_BYTES, worst_call
from ..run.deps import DrillDeps
from .protocol import SCORE, PlannedQuestion

TOKEN_BYTES = 4
"""Bytes per token that an answer is taken to have where it is sent on."""
WORST_SHARE = 6
"""So many times less than its worst price a tree is taken to cost, for the part that has to be free."""


def side_by_side(trees: Sequence[Sequence[PlannedQuestion]], sequence: int, connections: int) -> int:
    """Trees to work on at once: twice as many as keep all connections busy. Not all of them: a run that is cut off
    should have whole trees to report. `sequence`: calls that follow each other in a tree."""
    calls = sum(1 + (planned.given is None) for due in trees for planned in due) / max(1, len(trees))
    return max(2, -(-2 * connections * sequence // max(1, round(calls))))


def left_of(
    sink: Sink, run_id: str, short_id: str, due: Sequence[PlannedQuestion]
) -> tuple[list[PlannedQuestion], list[PlannedQuestion]]:
    """What is left of a tree beyond what the journal holds: askings to answer, askings to rate."""
    memory = sink.run(run_id)

    def lacks(item_id: str) -> bool:
        return item_id not in memory.item_ids or item_id in memory.redo

    def to_rate(planned: PlannedQuestion) -> bool:
        answer_id = f"{short_id}/{planned.place}"
        if not planned.scored or not lacks(f"{answer_id}{SCORE}"):
            return False
        answer = None if lacks(answer_id) else sink.item(run_id, answer_id)
        return answer is None or answer.fault is None  # what was cut off or filtered has nothing to rate

    answers = [planned for planned in due if lacks(f"{short_id}/{planned.place}")]
    ratings = [planned for planned in due if to_rate(planned)]
    return [planned for planned in answers if planned.given is None], ratings


def tree_need(
    deps: DrillDeps,
    spec: DepthQASpec,
    graph: QuestionGraph,
    answers: Sequence[PlannedQuestion],
    ratings: Sequence[PlannedQuestion],
) -> Cost:
    """For what is left of one tree. In USD the base is the dearest call at its worst price, the extra a share of all
    others: a whole tree at its worst is many times what one costs, and small budgets would begin none. A tree that does
    meet the end of the budget is left open. As many calls as there are answers left have to be free for what is asked
    again."""
    said = TOKEN_BYTES * spec.answer_tokens
    calls = []
    for planned in answers:
        quoted = sum(_bytes(graph, node) + said for node in planned.before)
        name = "depth_with_context" if planned.before and planned.conversation is None else "depth_answer"
        shown = quoted + _bytes(graph, planned.node)
        calls.append(worst_call(deps, "target", name, shown, spec.answer_tokens, None))
    for planned in ratings:
        shown = _bytes(graph, planned.node) + said + TEXT_BYTES
        calls.append(worst_call(deps, "judge", "rating", shown, spec.judge_tokens, Mark))
    whole = sum(calls, start=Amount())
    if whole.usd is None:
        return Cost(whole, Amount(0.0, len(answers)))
    dearest = max((call.usd or 0.0 for call in calls), default=0.0)
    return Cost(Amount(dearest, whole.calls), Amount((whole.usd - dearest) / WORST_SHARE, len(answers)))


def _bytes(graph: QuestionGraph, node_id: str) -> int:
    node = graph.by_id[node_id]
    return len(node.question.encode()) + len(node.reference.encode())
