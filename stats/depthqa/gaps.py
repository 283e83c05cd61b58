"""How far a question's score falls short of its neighbours' (METHODS.md, section 4; DepthQA,
equations 1 and 2)."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from statistics import NormalDist, fmean
from typing import Literal, NamedTuple

from ...state.depthqa.items import HIGH, SCALE
from ...state.depthqa.result import Discrepancies, DiscrepancyRow, Pair
from ...state.result import Interval
from ..accuracy import wilson
from ..consistency import mean_interval_clustered, t_quantile
from .scores import ModeScores

Direction = Literal["forward", "backward"]
_PAIR_OF: dict[Direction, dict[int, Pair]] = {
    "forward": {3: "D2 → D3", 2: "D1 → D2"},
    "backward": {2: "D2 → D3", 1: "D1 → D2"},
}
"""Depth of the node that is counted → pair of depths."""
_PAIRS: tuple[Pair, ...] = ("D2 → D3", "D1 → D2")
_Z = NormalDist().inv_cdf(0.975)


class Measured(NamedTuple):
    """A node that has neighbours."""

    node: str
    pair: Pair
    mean: Fraction | None
    """Of the neighbours' scores; None when the node has no score or none of its neighbours has."""
    d: float | None
    """The discrepancy, 0 … 1; None also where the neighbours' mean is below 4."""


def discrepancy(own: Fraction | int, mean: Fraction | int) -> float | None:
    """d = max(0, mean − own)/4, `mean` being that of the neighbours; None where that is below 4."""
    return float(max(Fraction(0), Fraction(mean) - own) / Fraction(SCALE)) if mean >= HIGH else None


def neighbours(scores: ModeScores, node: str, direction: Direction) -> tuple[str, ...]:
    """The direct predecessors (forward) or successors (backward) that were asked in the mode, in
    finished trees."""
    graph = scores.graph
    every = graph.by_id[node].predecessors if direction == "forward" else graph.successors[node]
    return tuple(each for each in every if each in scores.question_of)


def measure(scores: ModeScores, direction: Direction) -> list[Measured]:
    """Every node that has neighbours, in the graph's order. Neighbours without a score are left out
    of the mean."""
    return _measure(scores, direction, lambda around: around)


def _measure(
    scores: ModeScores, direction: Direction, chosen: Callable[[tuple[str, ...]], tuple[str, ...]]
) -> list[Measured]:
    """`chosen`: which of all neighbours a node is measured against."""
    found = []
    for node in scores.nodes:
        around, own = neighbours(scores, node, direction), scores.scores.get(node)
        if not around:
            continue
        pair = _PAIR_OF[direction][scores.depth(node)]
        held = [scores.scores[each] for each in chosen(around) if each in scores.scores]
        if own is None or not held:
            found.append(Measured(node, pair, None, None))
        else:
            mean = sum(held, Fraction(0)) / len(held)
            found.append(Measured(node, pair, mean, discrepancy(own, mean)))
    return found


def discrepancies(scores: ModeScores) -> Discrepancies:
    """Both directions, by pair of depths and pooled."""
    return Discrepancies(
        forward=_rows(scores, measure(scores, "forward")),
        backward=_rows(scores, measure(scores, "backward")),
    )


def _rows(scores: ModeScores, measured: Sequence[Measured]) -> dict[Pair, DiscrepancyRow]:
    rows = {
        pair: discrepancy_row(scores, [each for each in measured if each.pair == pair])
        for pair in _PAIRS
    }
    return {**rows, "overall": discrepancy_row(scores, measured)}


def discrepancy_row(scores: ModeScores, measured: Sequence[Measured]) -> DiscrepancyRow:
    """average = Σd/n, frequency = share of d > 0, intensity = mean of the positive d, over the
    nodes that have a d.

    Intervals are about new trees and new answers, and clustered by tree.
    """
    counted = [(scores.tree(each.node), each.d) for each in measured if each.d is not None]
    shown = [(tree, float(d > 0)) for tree, d in counted]
    positive = [(tree, d) for tree, d in counted if d > 0]
    unscored = sum(each.mean is None for each in measured)
    return DiscrepancyRow(
        eligible=len(counted),
        left_out=len(measured) - len(counted) - unscored,
        unscored=unscored,
        average=_mean(counted),
        average_ci=mean_interval_clustered(counted),
        frequency=_mean(shown),
        frequency_ci=mean_interval_clustered(shown),
        intensity=_mean(positive),
        intensity_ci=intensity_interval(positive),
    )


def _mean(values: Sequence[tuple[int, float]]) -> float | None:
    return fmean(value for _, value in values) if values else None


def intensity_interval(positive: Sequence[tuple[int, float]]) -> Interval | None:
    """95% interval of the mean of (tree, d), each d in ]0, 1]; None with fewer than two trees.

    As `consistency.mean_interval_clustered`, but with half an observation of the greatest possible
    variance, m(1 − m), added to the sum of squares. Positive d are few, and most of them are one
    small step of the scale, so that their scatter shows less than there is: without it the interval
    holds the truth in .84 of runs with eight positive d, with it in .93 at least
    (bench/depthqa_coverage.py). Among many positive d it changes nothing.
    """
    by_tree: dict[int, list[float]] = {}
    for tree, value in positive:
        by_tree.setdefault(tree, []).append(value)
    n, k, mean = len(positive), len(by_tree), _mean(positive)
    if k < 2 or mean is None or mean >= 1:
        return mean_interval_clustered(positive)
    robust = k / (k - 1) * sum(sum(value - mean for value in own) ** 2 for own in by_tree.values())
    plain = n / (n - 1) * sum((value - mean) ** 2 for _, value in positive)
    variance = (max(robust, plain) + mean * (1 - mean) / 2) / n**2
    effective = mean * (1 - mean) / variance * (_Z / t_quantile(k - 1)) ** 2
    return wilson(mean * effective, effective)
