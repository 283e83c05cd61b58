"""The items of a DepthQA run as answers with their scores, and these as rows."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from itertools import product

from ...state.depthqa.items import HIGH, LEAST, SCALE, DepthAnswer, Rating
from ...state.depthqa.result import Asked, DepthQAResult
from ...state.errors import RunFailed
from ...state.items import DepthQAItem
from ...state.question_graph import MODES, PROMPT_MODES, Mode, QuestionGraph, QuestionNode
from ...state.rows import AnswerRow, RowVerdict
from ...state.text import digest
from ..answers import row_maker
from .min_k import min_k


def asked_answers(
    graph: QuestionGraph, items: Iterable[DepthQAItem], closed: Collection[int]
) -> tuple[Asked, ...]:
    """Every answer to a node of a finished tree with its score, by mode, conversation and the
    graph's order, in whatever order the items came; none of a conversation that leads to a node of
    an open tree. `closed`: indices of the trees that are finished. Of items with one id the last
    counts.

    Raises RunFailed when the answer is missing that a rating is of.
    """
    counting = [item for item in items if nodes_answered(item, graph, closed)]
    answers = {item.id: item for item in counting if isinstance(item, DepthAnswer)}
    ratings = {item.of: item for item in counting if isinstance(item, Rating)}
    for rating in ratings.values():
        if rating.of not in answers:
            raise RunFailed(
                f"The run's journal lacks the item {rating.of}, to which {rating.id} refers, so "
                "that no result can be computed from it: put back the journal as it was written, "
                "or start the run again."
            )

    def order(answer: Asked) -> tuple[int, int, int, str]:
        node, end = answer.nodes[0], answer.conversation
        turns = graph.by_id[end].predecessors if end else ()
        turn = turns.index(node) if node in turns else len(turns)
        return MODES.index(answer.mode), graph.places[end or node], turn, answer.id

    pairs = [_asked(answer, ratings.get(answer.id)) for answer in answers.values()]
    return tuple(sorted(pairs, key=order))


def nodes_answered(
    answer: Asked | DepthQAItem, graph: QuestionGraph, closed: Collection[int]
) -> list[str]:
    """The nodes that an answer or its rating counts for."""
    if answer.conversation is not None and graph.tree_of[answer.conversation] not in closed:
        return []
    finished = [node for node in answer.nodes if graph.tree_of[node] in closed]
    if answer.mode not in PROMPT_MODES:
        return finished
    return [node for node in finished if graph.by_id[node].predecessors]


def _asked(item: DepthAnswer, rating: Rating | None) -> Asked:
    if item.fault is not None:
        rating = None  # of what was asked for anew and then got lost
    fault = rating.fault if rating is not None else item.fault
    answer = item.answer
    return Asked(
        id=item.id,
        mode=item.mode,
        nodes=item.nodes,
        conversation=item.conversation,
        answer=answer.text if answer is not None else "",
        refused=answer is not None and answer.refusal,
        score=rating.score if rating is not None else None,
        reason=rating.reason if rating is not None else "",
        min_k=min_k(answer.logprobs) if answer is not None else None,
        unscored=f"{fault.stage}: {fault.message or fault.kind}" if fault is not None else None,
    )


def stage_of(answer: Asked) -> str:
    """The stage at which an answer or its rating came to nothing; empty where it has not."""
    return (answer.unscored or "").partition(":")[0]


def rows_of(result: DepthQAResult) -> list[AnswerRow]:
    """Every rated answer, as `answer_rows` has them."""
    graph = result.asked_graph
    closed = {
        index for index, tree in enumerate(graph.trees) if tree.root not in result.open_trees
    }
    return answer_rows(graph, result.answers, closed, result.spec.modes, row_maker(result))


def answer_rows(
    graph: QuestionGraph,
    answers: Sequence[Asked],
    closed: Collection[int],
    modes: Iterable[Mode],
    make: Callable[..., AnswerRow],
) -> list[AnswerRow]:
    """The answers by way of asking and the graph's order; one to a question that stands at several
    places of the graph has a row for each (`node`), under one `answer_id`. Right is a rating of 4
    or 5. An item is the same in two runs where its text, its tree's and its conversation's are.
    `closed`: indices of the trees that are finished; no node of another one counts."""
    by_node: dict[tuple[Mode, str], list[Asked]] = defaultdict(list)
    for answer in answers:
        for name in nodes_answered(answer, graph, closed):
            by_node[answer.mode, name].append(answer)
    rows = list[AnswerRow]()
    for mode, node in product(modes, graph.nodes):
        rows += [make(**_fields(graph, node, answer)) for answer in by_node[mode, node.id]]
    return rows


def _fields(graph: QuestionGraph, node: QuestionNode, answer: Asked) -> dict[str, object]:
    root = graph.trees[graph.component_of[node.id]].root
    leads_to = graph.by_id[answer.conversation].question if answer.conversation else ""
    topic = graph.by_id[root].question
    verdict: RowVerdict = "unscored"
    if answer.score is not None:
        verdict = (
            "right" if answer.score >= HIGH else "abstained" if answer.refused else "wrong"
        )
    return {
        "group": topic,
        "item": digest("\n".join([answer.mode, leads_to, node.question, topic])),
        "condition": answer.mode,
        "score": None if answer.score is None else (answer.score - LEAST) / SCALE,
        "verdict": verdict,
        "stage": stage_of(answer),
        "tags": {
            "mode": answer.mode,
            "depth": node.depth,
            "node": node.id,
            "tree": root,
            "predecessors": " ".join(node.predecessors),
            "answer_id": answer.id,
            "conversation": answer.conversation,
            "category": node.domain,
            "reasoning": ", ".join(node.reasoning),
            "min_k": answer.min_k,
        },
        "texts": {
            "question": node.question,
            "reference": node.reference,
            "answer": answer.answer,
            "reason": answer.unscored or answer.reason,
        },
    }
