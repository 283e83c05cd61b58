"""Made-up answers to a graph of questions, and their scores."""

from collections.abc import Iterator, Sequence
from random import Random
from statistics import mean

from fathom.state.depthqa.items import Mode, QuestionGraph, question_key
from fathom.state.depthqa.result import Asked

_GAIN = {"zero-shot": 0.0, "prompt-gold": 0.5, "prompt-pred": 0.1, "multi-turn": 0.3}


def asked_of(over: QuestionGraph, target: str, mode: Mode, run_id: str, *, min_k: bool) -> Iterator[Asked]:
    """An answer per question, or in multi-turn per turn of each conversation; the last question of the graph that is
    asked has no score, since its judge was out of time."""
    every = list(_asked(over, mode))
    for conversation, nodes in every:
        node = over.by_id[nodes[0]]
        random = Random(f"{target}/{mode}/{conversation}/{question_key(node.question)}")
        skill = 4.2 + 0.8 * Random(target).random() + _GAIN[mode] - 0.45 * node.depth
        scored = (conversation, nodes) != every[-1]
        yield Asked(
            id=f"{run_id}/{conversation}@{mode}@{node.id}" if conversation else f"{run_id}/{node.id}@{mode}",
            mode=mode,
            nodes=nodes,
            conversation=conversation,
            answer=f"An answer to {node.id}.",
            refused=False,
            score=min(5, max(1, round(random.gauss(skill, 0.9)))) if scored else None,
            reason="It says most of what the reference says." if scored else "",
            min_k=round(max(0.05, random.gauss(1.2 + 0.7 * node.depth, 0.5)), 4) if min_k else None,
            unscored=None if scored else "judge: timeout",
        )


def _asked(over: QuestionGraph, mode: Mode) -> Iterator[tuple[str | None, tuple[str, ...]]]:
    """(conversation, the nodes that share the answer)."""
    if mode == "multi-turn":
        for node in over.nodes:
            last = [] if over.successors[node.id] else [node.id]
            yield from ((node.id, (turn,)) for turn in (*node.predecessors, *last) if node.predecessors)
        return
    if mode == "zero-shot":
        for first in dict.fromkeys(over.first_of.values()):
            yield None, tuple(node.id for node in over.nodes if over.first_of[node.id] == first)
        return
    yield from ((None, (node.id,)) for node in over.nodes if node.predecessors)


def node_scores(asked: Sequence[Asked], mode: Mode) -> dict[str, float]:
    """Node → its score, the mean over conversations."""
    found: dict[str, list[int]] = {}
    for answer in asked:
        if answer.mode == mode and answer.score is not None:
            for node in answer.nodes:
                found.setdefault(node, []).append(answer.score)
    return {node: mean(scores) for node, scores in found.items()}
