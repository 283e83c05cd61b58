"""A DepthQA run as rows of answers."""

from ...state.depthqa.items import HIGH, QuestionGraph
from ...state.depthqa.result import Asked, DepthQAResult
from ...state.rows import AnswerRow, RowVerdict
from ...state.text import digest
from ...stats.depthqa.scores import ModeScores, mode_scores, stage_of
from ..answers import row_maker

LEAST, STEPS = 1, 4
"""A rating of 1 … 5 is a score of 0 … 1 in four steps."""


def rows_of(result: DepthQAResult, graph: QuestionGraph) -> list[AnswerRow]:
    """Every rated answer, by way of asking and the graph's order; one to a question that stands at
    several places of the graph has a row for each (`node`), under one `answer_id`. Right is a rating
    of 4 or 5. An item is the same in two runs where its text, its tree's and its conversation's
    are."""
    make = row_maker(result)
    closed = {index for index, tree in enumerate(graph.trees) if tree.root not in result.open_trees}
    modes = [mode_scores(graph, result.answers, closed, mode) for mode in result.spec.modes]
    return [
        make(**_fields(mode, node, asked))
        for mode in modes
        for node in mode.nodes
        for asked in mode.answers[node]
    ]


def _fields(mode: ModeScores, name: str, asked: Asked) -> dict[str, object]:
    graph = mode.graph
    node, root = graph.by_id[name], graph.trees[mode.tree(name)].root
    led_to = graph.by_id[asked.conversation].question if asked.conversation else ""
    topic = graph.by_id[root].question
    verdict: RowVerdict = "unscored"
    if asked.score is not None:
        verdict = "right" if asked.score >= HIGH else "abstained" if asked.refused else "wrong"
    return {
        "group": graph.by_id[graph.trees[graph.component_of[name]].root].question,
        "item": digest("\n".join([asked.mode, led_to, node.question, topic])),
        "condition": asked.mode,
        "score": None if asked.score is None else (asked.score - LEAST) / STEPS,
        "verdict": verdict,
        "stage": stage_of(asked) or "",
        "tags": {
            "mode": asked.mode,
            "depth": node.depth,
            "node": name,
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
