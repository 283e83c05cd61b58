"""How likely an answer's least likely words were, by depth and beside the gap between neighbouring
questions."""

from collections.abc import Sequence
from statistics import fmean
from typing import Literal

from ...state.depthqa.items import DEPTHS, SCALE
from ...state.depthqa.result import Asked, Level, MinK, QuartileGap, Spread5
from ...state.spec import DepthQASpec
from ..consistency import mean_interval_clustered
from .gaps import neighbours
from .scores import LEVEL_OF, ModeScores

Quartile = Literal[1, 2, 3, 4]
_QUARTILES: tuple[Quartile, ...] = (1, 2, 3, 4)


def min_k_missing(spec: DepthQASpec) -> str:
    """Why no answer has a Min-K%, in a sentence."""
    if spec.given:
        return "Answers that were collected elsewhere come without log-probabilities."
    if not spec.logprobs:
        return "Add --logprobs to request log-probabilities."
    return "The endpoint sent no usable log-probabilities with any answer."


def min_k_numbers(scores: ModeScores) -> MinK | None:
    """Distribution by depth of the answer, and the score gaps by quartile; None when no answer has
    a Min-K%."""
    said = [row for row in scores.rows if row.answer.strip()]
    held = [row for row in said if row.min_k is not None]
    if not held:
        return None
    by_depth: dict[Level, Spread5 | None] = {
        LEVEL_OF[depth]: _at(scores, held, depth) for depth in DEPTHS
    }
    return MinK(
        answers=len(held),
        missing=len(said) - len(held),
        by_depth={**by_depth, "overall": spread5(_values(held))},
        quartiles=_quartiles(scores),
    )


def _values(rows: Sequence[Asked]) -> list[float]:
    return [row.min_k for row in rows if row.min_k is not None]


def _at(scores: ModeScores, rows: Sequence[Asked], depth: int) -> Spread5 | None:
    asked = scores.question_of
    return spread5(
        _values(
            [
                row
                for row in rows
                if any(node in asked and scores.depth(node) == depth for node in row.nodes)
            ]
        )
    )


def spread5(values: Sequence[float]) -> Spread5 | None:
    """Five numbers and the mean; quantiles lie at 1 + p(n − 1) and are interpolated linearly. None
    without a value."""
    if not values:
        return None
    ranked = sorted(values)
    minimum, q1, median, q3, maximum = (_quantile(ranked, quarter / 4) for quarter in range(5))
    return Spread5(
        n=len(ranked),
        minimum=minimum,
        q1=q1,
        median=median,
        q3=q3,
        maximum=maximum,
        mean=fmean(ranked),
    )


def _quantile(ranked: Sequence[float], p: float) -> float:
    place = p * (len(ranked) - 1)
    below = int(place)
    above = min(below + 1, len(ranked) - 1)
    return ranked[below] + (place - below) * (ranked[above] - ranked[below])


def _quartiles(scores: ModeScores) -> tuple[QuartileGap, ...]:
    """Nodes of depth 3 by Min-K%, those alike in the graph's order, cut after each quarter of
    them."""
    known = {
        node: _values(scores.answers[node]) for node in scores.nodes if scores.depth(node) == 3
    }
    ranked = sorted(
        ((fmean(values), node) for node, values in known.items() if values),
        key=lambda each: each[0],
    )
    if len(ranked) < len(_QUARTILES):
        return ()
    cuts = [place * len(ranked) // len(_QUARTILES) for place in range(len(_QUARTILES) + 1)]
    return tuple(
        _quartile(scores, quartile, ranked[cuts[quartile - 1] : cuts[quartile]])
        for quartile in _QUARTILES
    )


def _quartile(
    scores: ModeScores, quartile: Quartile, own: Sequence[tuple[float, str]]
) -> QuartileGap:
    """`own`: (Min-K%, node), rising."""
    known = scores.scores
    gaps = [
        (scores.tree(node), float(known[node] - known[below]) / SCALE)
        for _, node in own
        for below in neighbours(scores, node, "forward")
        if node in known and below in known
    ]
    values = [gap for _, gap in gaps]
    return QuartileGap(
        quartile=quartile,
        min_k=(own[0][0], own[-1][0]),
        questions=len(own),
        pairs=len(gaps),
        mean=fmean(values) if values else None,
        ci=mean_interval_clustered(gaps, -1.0, 1.0),
        gaps=spread5(values),
    )
