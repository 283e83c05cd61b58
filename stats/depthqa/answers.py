"""The items of a DepthQA run as answers with their scores."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from math import isfinite
from statistics import fmean

from ...state.depthqa.items import (
    MIN_K_SHARE,
    MIN_K_TOKENS,
    MODES,
    PROMPT_MODES,
    DepthAnswer,
    QuestionGraph,
    Rating,
)
from ...state.depthqa.result import Asked
from ...state.errors import RunFailed
from ...state.items import DepthQAItem

_NO_LOGPROB = -9999.0
"""What OpenAI-compatible endpoints send for a token that is not among the likeliest."""
_ROUNDING = 1e-3
"""So far above 0 a log-probability may lie by half-precision arithmetic."""


def min_k(logprobs: Sequence[float] | None) -> float | None:
    """Min-K% of an answer in nats: the mean negative log-likelihood of the max(1, ⌊.2·T⌋) least
    likely of its first T ≤ 128 tokens (Shi et al. 2023, Detecting pretraining data from large
    language models; METHODS.md, section 4).

    None without any token, and where one of these has no log-probability: -9999 and below, not
    finite, or positive.
    """
    first = (logprobs or ())[:MIN_K_TOKENS]
    usable = all(isfinite(value) and _NO_LOGPROB < value <= _ROUNDING for value in first)
    if not first or not usable:
        return None
    tokens = max(1, int(MIN_K_SHARE * len(first) + 1e-9))  # .2·T may miss a whole number by an ulp
    return fmean(max(0.0, -value) for value in sorted(first)[:tokens])


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
    place = {node.id: index for index, node in enumerate(graph.nodes)}
    asked = [_asked(answer, ratings.get(answer.id)) for answer in answers.values()]
    return tuple(
        sorted(asked, key=lambda one: (MODES.index(one.mode), *_turn(one, graph, place), one.id))
    )


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


def _turn(answer: Asked, graph: QuestionGraph, place: Mapping[str, int]) -> tuple[int, int]:
    """(place of the question that is led to, place of the turn)."""
    node = answer.nodes[0]
    if answer.conversation is None:
        return place[node], 0
    turns = graph.by_id[answer.conversation].predecessors
    return place[answer.conversation], turns.index(node) if node in turns else len(turns)


def _asked(item: DepthAnswer, rating: Rating | None) -> Asked:
    fault = item.fault if item.fault is not None or rating is None else rating.fault
    if item.fault is not None:
        rating = None  # of what was asked for anew and then got lost
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
