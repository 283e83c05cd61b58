"""A DepthQA run as rows of answers."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence

from ...state.depthqa.items import HIGH, LEAST, SCALE, Mode, QuestionGraph, QuestionNode
from ...state.depthqa.result import Asked, DepthQAResult
from ...state.rows import AnswerRow, RowVerdict
from ...state.text import digest
from ...stats.depthqa.answers import nodes_answered, stage_of
from ..answers import row_maker


def rows_of(result: DepthQAResult) -> list[AnswerRow]:
    """Every rated answer, as `answer_rows` has them."""
    graph = result.asked_graph
    closed = {index for index, tree in enumerate(graph.trees) if tree.root not in result.open_trees}
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
    rows = []
    for mode in modes:
        by_node: dict[str, list[Asked]] = defaultdict(list)
        for answer in answers:
            for name in nodes_answered(answer, graph, closed) if answer.mode == mode else ():
                by_node[name].append(answer)
        for node in graph.nodes:
            rows += [make(**_fields(graph, node, answer)) for answer in by_node[node.id]]
    return rows


def _fields(graph: QuestionGraph, node: QuestionNode, asked: Asked) -> dict[str, object]:
    root = graph.trees[graph.component_of[node.id]].root
    led_to = graph.by_id[asked.conversation].question if asked.conversation else ""
    topic = graph.by_id[root].question
    verdict: RowVerdict = "unscored"
    if asked.score is not None:
        verdict = "right" if asked.score >= HIGH else "abstained" if asked.refused else "wrong"
    return {
        "group": topic,
        "item": digest("\n".join([asked.mode, led_to, node.question, topic])),
        "condition": asked.mode,
        "score": None if asked.score is None else (asked.score - LEAST) / SCALE,
        "verdict": verdict,
        "stage": stage_of(asked),
        "tags": {
            "mode": asked.mode,
            "depth": node.depth,
            "node": node.id,
            "tree": root,
            "predecessors": " ".join(node.predecessors),
            "answer_id": asked.id,
            "conversation": asked.conversation,
            "category": node.domain,
            "reasoning": ", ".join(node.reasoning),
            "min_k": asked.min_k,
        },
        "texts": {
            "question": node.question,
            "reference": node.reference,
            "answer": asked.answer,
            "reason": asked.unscored or asked.reason,
        },
    }
