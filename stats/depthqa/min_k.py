"""How likely an answer's least likely words were, by depth and beside the gap between neighbouring
questions."""

from collections.abc import Iterable, Sequence
from itertools import chain
from statistics import fmean

from ...state.depthqa.items import DEPTHS, SCALE
from ...state.depthqa.result import LEVEL_OF, Level, MinK, QuartileGap, Spread5
from ...state.rows import AnswerRow
from ...state.spec import DepthQASpec
from ..estimates import mean
from .nodes import Node, Nodes, neighbours

QUARTILES = 4


def min_k_missing(spec: DepthQASpec) -> str:
    """Why no answer has a Min-K%, in a sentence."""
    if spec.given:
        return "Answers that were collected elsewhere come without log-probabilities."
    if not spec.logprobs:
        return "Add --logprobs to request log-probabilities."
    return "The endpoint sent no usable log-probabilities with any answer."


def min_k_numbers(nodes: Nodes) -> MinK | None:
    """Distribution by depth of the answer, and the score gaps by quartile; None when no answer has
    a Min-K%."""
    answers = _answers(nodes.values())
    values = _values(answers)
    if not values:
        return None
    by_depth: dict[Level, Spread5 | None] = {}
    for depth in DEPTHS:
        at_depth = _answers(node for node in nodes.values() if node.depth == depth)
        by_depth[LEVEL_OF[depth]] = spread5(_values(at_depth))
    return MinK(
        answers=len(values),
        missing=len(answers) - len(values),
        by_depth={**by_depth, "overall": spread5(values)},
        quartiles=_quartiles(nodes),
    )


def _answers(nodes: Iterable[Node]) -> list[AnswerRow]:
    """All answers with any word, each once."""
    rows = chain.from_iterable(node.rows for node in nodes)
    with_words = (row for row in rows if row.texts["answer"].strip())
    by_id = {row.tags["answer_id"]: row for row in with_words}
    return [*by_id.values()]


def _values(rows: Iterable[AnswerRow]) -> list[float]:
    return [float(value) for row in rows if (value := row.tags["min_k"]) is not None]


def spread5(values: Sequence[float]) -> Spread5 | None:
    """Five numbers and the mean; quantiles lie at 1 + p(n − 1) and are interpolated linearly. None
    without a value."""
    if not values:
        return None
    ranked = sorted(values)
    q1, median, q3 = (_quantile(ranked, quarter / 4) for quarter in (1, 2, 3))
    return Spread5(
        n=len(ranked),
        minimum=ranked[0],
        q1=q1,
        median=median,
        q3=q3,
        maximum=ranked[-1],
        mean=fmean(ranked),
    )


def _quantile(ranked: Sequence[float], p: float) -> float:
    place = p * (len(ranked) - 1)
    below = int(place)
    above = min(below + 1, len(ranked) - 1)
    return ranked[below] + (place - below) * (ranked[above] - ranked[below])


def _quartiles(nodes: Nodes) -> tuple[QuartileGap, ...]:
    """Nodes of depth 3 by Min-K%, those alike in the graph's order, cut after each quarter of
    them."""
    deep = [(_values(node.rows), node) for node in nodes.values() if node.depth == max(DEPTHS)]
    ranked = [(fmean(values), node) for values, node in deep if values]
    ranked.sort(key=lambda one: one[0])
    if len(ranked) < QUARTILES:
        return ()
    cuts = [place * len(ranked) // QUARTILES for place in range(QUARTILES + 1)]
    return tuple(
        _quartile(nodes, place, ranked[cuts[place - 1] : cuts[place]])
        for place in range(1, QUARTILES + 1)
    )


def _quartile(nodes: Nodes, quartile: int, ranked: Sequence[tuple[float, Node]]) -> QuartileGap:
    """`ranked`: (Min-K%, node), rising."""
    pairs = list[tuple[Node, Node]]()
    for _, node in ranked:
        pairs += [(node, below) for below in neighbours(nodes, node, "forward")]
    gaps = [
        (node.group, float(node.score - below.score) / SCALE)
        for node, below in pairs
        if node.score is not None and below.score is not None
    ]
    gap = mean(gaps, -1.0)
    return QuartileGap.model_validate(
        {
            "quartile": quartile,
            "min_k": (ranked[0][0], ranked[-1][0]),
            "questions": len(ranked),
            "pairs": gap.n,
            "mean": gap.value,
            "ci": gap.interval,
            "gaps": spread5([value for _, value in gaps]),
        }
    )
