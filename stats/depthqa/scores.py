"""The items of a DepthQA run as answers with their scores, and the scores of the nodes in each way
of asking."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import isfinite
from statistics import fmean

from ...state.depthqa.items import (
    MIN_K_SHARE,
    MIN_K_TOKENS,
    MODES,
    PROMPT_MODES,
    DepthAnswer,
    Mode,
    QuestionGraph,
    Rating,
    in_order,
)
from ...state.depthqa.result import Asked, Level
from ...state.errors import RunFailed
from ...state.items import DepthQAItem
from ...state.records import Unscored

LEVEL_OF: dict[int, Level] = {1: "D1", 2: "D2", 3: "D3"}
_NO_LOGPROB = -9999.0
"""What OpenAI-compatible endpoints send for a token that is not among the likeliest."""
_ROUNDING = 1e-3
"""So far above 0 a log-probability may lie by half-precision arithmetic."""


@dataclass(frozen=True)
class ModeScores:
    """The answers of one mode over the finished trees."""

    mode: Mode
    graph: QuestionGraph
    nodes: tuple[str, ...]
    """The nodes of finished trees that were asked in this mode, whatever came of it, in the graph's
    order; in the prompt modes those alone that have predecessors."""
    scores: Mapping[str, Fraction]
    """Node → mean score over its answers, 1 … 5, exact, because means are held against a threshold.
    Without any score a node is not in here."""
    question_of: Mapping[str, str]
    """Node → the name of what is counted once: nodes with the very same answers have the same."""
    answers: Mapping[str, tuple[Asked, ...]]
    """Node → its answers: several where it is a turn of several conversations."""
    rows: tuple[Asked, ...]
    """All answers."""

    def tree(self, node: str) -> int:
        """The cluster a node belongs to."""
        return self.graph.component_of[node]

    def depth(self, node: str) -> int:
        return self.graph.by_id[node].depth


def min_k(logprobs: Sequence[float]) -> float | None:
    """Min-K% of an answer in nats: the mean negative log-likelihood of the max(1, ⌊.2·T⌋) least
    likely of its first T ≤ 128 tokens (Shi et al. 2023, Detecting pretraining data from large
    language models; METHODS.md, section 4).

    None without any token, and where one of these has no log-probability: -9999 and below, not
    finite, or positive.
    """
    first = logprobs[:MIN_K_TOKENS]
    if not first or not all(
        isfinite(value) and _NO_LOGPROB < value <= _ROUNDING for value in first
    ):
        return None
    tokens = max(1, int(MIN_K_SHARE * len(first) + 1e-9))  # .2·T may miss a whole number by an ulp
    return fmean(max(0.0, -value) for value in sorted(first)[:tokens])


def asked_rows(
    graph: QuestionGraph, items: Iterable[DepthQAItem], closed: Collection[int]
) -> tuple[Asked, ...]:
    """Every answer to a node of a finished tree with its score, by mode, conversation and the
    graph's order, in whatever order the items came; none of a conversation that leads to a node of
    an open tree. `closed`: indices of the trees that are finished. Of items with one id the last
    counts.

    Raises RunFailed when the answer is missing that a rating is of.
    """
    held = [item for item in items if _counting(item, graph, closed)]
    answers = {item.id: item for item in held if isinstance(item, DepthAnswer)}
    ratings = {item.of: item for item in held if isinstance(item, Rating)}
    for rating in ratings.values():
        if rating.of not in answers:
            raise RunFailed(
                f"The run's journal lacks the item {rating.of}, to which {rating.id} refers, so "
                "that no result can be"
                " computed from it: put back the journal as it was written, or start the run again."
            )
    place = {node.id: index for index, node in enumerate(graph.nodes)}
    rows = [_row(answer, ratings.get(answer.id)) for answer in answers.values()]
    return tuple(
        sorted(rows, key=lambda row: (MODES.index(row.mode), *_turn(row, graph, place), row.id))
    )


def _counting(row: Asked | DepthQAItem, graph: QuestionGraph, closed: Collection[int]) -> list[str]:
    """The nodes that an answer or its rating counts for."""
    if row.conversation is not None and graph.tree_of[row.conversation] not in closed:
        return []
    finished = [node for node in row.nodes if graph.tree_of[node] in closed]
    return [
        node for node in finished if row.mode not in PROMPT_MODES or graph.by_id[node].predecessors
    ]


def _turn(row: Asked, graph: QuestionGraph, place: Mapping[str, int]) -> tuple[int, int]:
    """(place of the question that is led to, place of the turn)."""
    if row.conversation is None:
        return place[row.nodes[0]], 0
    turns = graph.by_id[row.conversation].predecessors
    return place[row.conversation], turns.index(row.nodes[0]) if row.nodes[0] in turns else len(
        turns
    )


def _row(item: DepthAnswer, rating: Rating | None) -> Asked:
    fault = item.fault if item.fault is not None or rating is None else rating.fault
    judged = (
        rating if item.fault is None else None
    )  # a rating of what was asked for anew and then got lost is stale
    answer = item.answer
    return Asked(
        id=item.id,
        mode=item.mode,
        nodes=item.nodes,
        conversation=item.conversation,
        answer=answer.text if answer is not None else "",
        refused=answer is not None and answer.refusal,
        score=judged.score if judged is not None else None,
        reason=judged.reason if judged is not None else "",
        min_k=min_k(answer.logprobs)
        if answer is not None and answer.logprobs is not None
        else None,
        unscored=_why(fault) if fault is not None else None,
    )


def _why(fault: Unscored) -> str:
    return f"{fault.stage}: {fault.message or fault.kind}"


def stage_of(row: Asked) -> str | None:
    """The stage at which an answer or its rating came to nothing."""
    return None if row.unscored is None else row.unscored.partition(":")[0]


def mode_scores(
    graph: QuestionGraph, rows: Iterable[Asked], closed: Collection[int], mode: Mode
) -> ModeScores:
    """The scores in one mode. `rows`: answers of any modes and trees, from `asked_rows`."""
    own: list[Asked] = []
    found: dict[str, list[Asked]] = {}
    for row in rows:
        counting = _counting(row, graph, closed) if row.mode == mode else []
        if counting:
            own.append(row)
            for node in counting:
                found.setdefault(node, []).append(row)
    nodes = in_order(found, graph)
    scores = {node: [row.score for row in found[node] if row.score is not None] for node in nodes}
    return ModeScores(
        mode=mode,
        graph=graph,
        nodes=tuple(nodes),
        scores={node: Fraction(sum(each), len(each)) for node, each in scores.items() if each},
        question_of={node: " ".join(sorted(row.id for row in found[node])) for node in nodes},
        answers={node: tuple(found[node]) for node in nodes},
        rows=tuple(own),
    )
