"""The places of a graph of questions with their scores, and how far each falls short of its
neighbours (METHODS.md, section 4; DepthQA, equations 1 and 2)."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from statistics import NormalDist, fmean
from typing import Literal, NamedTuple

from ...state.depthqa.items import HIGH, LEAST, SCALE
from ...state.depthqa.result import DiscrepancyRow, ScoreRow
from ...state.records import LOST_AT_TARGET
from ...state.result import Interval
from ...state.rows import AnswerRow, Estimate
from ..accuracy import bounds, wilson
from ..consistency import mean_interval_clustered, t_quantile
from ..estimates import Value, mean

Direction = Literal["forward", "backward"]
Key = tuple[str, str]
"""(run, node)."""
MOST = LEAST + SCALE
_Z = NormalDist().inv_cdf(0.975)


@dataclass(frozen=True, slots=True)
class Node:
    """A place in the graph, asked in one way."""

    run: str
    name: str
    depth: int
    group: str
    rows: tuple[AnswerRow, ...]
    """Its answers: several where it is a turn of several conversations."""
    score: Fraction | None
    """Mean rating, 1 … 5, exact, because means are held against a threshold."""
    answers: frozenset[str]
    """Nodes with the very same ones hold the same question, which is counted once."""
    predecessors: tuple[Key, ...]
    """Those that were asked in the same way, as the successors."""
    successors: tuple[Key, ...]


Nodes = Mapping[Key, Node]


def of_one_mode(rows: Sequence[AnswerRow]) -> list[AnswerRow]:
    """The rows in zero-shot, or (without any) in the first way of asking."""
    modes = dict.fromkeys(row.condition for row in rows)
    mode = "zero-shot" if "zero-shot" in modes else next(iter(modes), "")
    return [row for row in rows if row.condition == mode]


def nodes_of(rows: Iterable[AnswerRow]) -> dict[Key, Node]:
    """What was asked in one way, in the order of the rows."""
    asked: dict[Key, list[AnswerRow]] = defaultdict(list)
    for row in rows:
        asked[row.run, str(row.tags["node"])].append(row)
    below, above = dict[Key, list[Key]](), defaultdict[Key, list[Key]](list)
    for run, name in asked:
        names = str(asked[run, name][0].tags["predecessors"]).split()
        below[run, name] = [(run, other) for other in names if (run, other) in asked]
        for other in below[run, name]:
            above[other].append((run, name))
    nodes = {}
    for key, own in asked.items():
        ratings = [LEAST + SCALE * Fraction(row.score) for row in own if row.score is not None]
        nodes[key] = Node(
            *key,
            depth=int(own[0].tags["depth"] or 0),
            group=own[0].group,
            rows=tuple(own),
            score=sum(ratings, Fraction(0)) / len(ratings) if ratings else None,
            answers=frozenset(str(row.tags["answer_id"]) for row in own),
            predecessors=tuple(below[key]),
            successors=tuple(above[key]),
        )
    return nodes


def distinct(nodes: Iterable[Node]) -> list[Node]:
    """The first node of each question."""
    first: dict[object, Node] = {}
    for node in nodes:
        first.setdefault((node.run, node.answers), node)
    return [*first.values()]


def rated(nodes: Iterable[Node]) -> list[Value]:
    """(group, score) of the distinct questions that have one."""
    return [(one.group, float(one.score)) for one in distinct(nodes) if one.score is not None]


def mean_score(nodes: Iterable[Node]) -> Estimate:
    """The mean rating, 1 … 5, over distinct questions. The interval is about new trees and new
    answers."""
    return mean(rated(nodes), LEAST, MOST)


def score_row(nodes: Collection[Node]) -> ScoreRow:
    """The mean score with what it is over."""
    questions, score = distinct(nodes), mean_score(nodes)
    lost = sum(node.score is None and _is_lost(node) for node in questions)
    total = sum(value for _, value in rated(questions))
    return ScoreRow(
        questions=len(questions),
        scored=score.n,
        mean=score.value,
        ci=score.interval,
        bounds=bounds(total, score.n, lost, LEAST, MOST),
    )


def _is_lost(node: Node) -> bool:
    """Whether the target itself lost an answer to the node."""
    return any(row.stage in LOST_AT_TARGET for row in node.rows)


class Gap(NamedTuple):
    """A node that has neighbours."""

    node: Node
    mean: Fraction | None
    """Of the neighbours' scores; None when the node has no score or none of its neighbours has."""
    d: float | None
    """The discrepancy, 0 … 1; None also where the neighbours' mean is below 4."""


def discrepancy(score: Fraction | int, mean: Fraction | int) -> float | None:
    """d = max(0, mean − score)/4, `mean` being that of the neighbours; None where that is below
    4."""
    if mean < HIGH:
        return None
    difference = max(Fraction(0), Fraction(mean) - score)
    return float(difference / SCALE)


def neighbours(nodes: Nodes, node: Node, direction: Direction) -> list[Node]:
    """The direct predecessors (forward) or successors (backward) that were asked in the same way."""
    keys = node.predecessors if direction == "forward" else node.successors
    return [nodes[key] for key in keys]


def gaps(nodes: Nodes, direction: Direction) -> list[Gap]:
    """Every node that has neighbours. Neighbours without a score are left out of the mean."""
    measured = []
    for node in nodes.values():
        around = neighbours(nodes, node, direction)
        scores = [other.score for other in around if other.score is not None]
        if node.score is not None and scores:
            average = sum(scores, Fraction(0)) / len(scores)
            measured.append(Gap(node, average, discrepancy(node.score, average)))
        elif around:
            measured.append(Gap(node, None, None))
    return measured


class Shortfall(NamedTuple):
    """Over the nodes that have a d; intervals are about new trees and new answers."""

    average: Estimate
    """Σd/n = frequency · intensity."""
    frequency: Estimate
    """Share of d > 0."""
    intensity: Estimate
    """Mean of the positive d."""


def shortfall(measured: Iterable[Gap]) -> Shortfall:
    """How far, how often and how much."""
    values = [(gap.node.group, gap.d) for gap in measured if gap.d is not None]
    positive = [(group, d) for group, d in values if d > 0]
    low, high = intensity_interval(positive) or (None, None)
    intensity = Estimate(mean(positive).value, low, high, len(positive))
    is_positive = [(group, float(d > 0)) for group, d in values]
    return Shortfall(mean(values), mean(is_positive), intensity)


def discrepancy_row(measured: Sequence[Gap]) -> DiscrepancyRow:
    """The shortfall with what it is over."""
    average, frequency, intensity = shortfall(measured)
    unscored = sum(gap.mean is None for gap in measured)
    return DiscrepancyRow(
        eligible=average.n,
        left_out=len(measured) - average.n - unscored,
        unscored=unscored,
        average=average.value,
        average_ci=average.interval,
        frequency=frequency.value,
        frequency_ci=frequency.interval,
        intensity=intensity.value,
        intensity_ci=intensity.interval,
    )


def intensity_interval(positive: Sequence[Value]) -> Interval | None:
    """95% interval of the mean of (tree, d), each d in ]0, 1]; None with fewer than two trees.

    As `consistency.mean_interval_clustered`, but with half an observation of the greatest possible
    variance, m(1 − m), added to the sum of squares. Positive d are few, and most of them are one
    small step of the scale, so that their scatter shows less than there is: without it the interval
    holds the truth in .84 of runs with eight positive d, with it in .93 at least
    (bench/depthqa_coverage.py). Among many positive d it changes nothing.
    """
    by_tree: dict[object, list[float]] = defaultdict(list)
    for tree, value in positive:
        by_tree[tree].append(value)
    n, k = len(positive), len(by_tree)
    average = fmean(value for _, value in positive) if positive else 1.0
    if k < 2 or average >= 1:
        return mean_interval_clustered(positive)
    sums = [sum(value - average for value in own) for own in by_tree.values()]
    robust = k / (k - 1) * sum(each**2 for each in sums)
    plain = n / (n - 1) * sum((value - average) ** 2 for _, value in positive)
    greatest = average * (1 - average)
    variance = (max(robust, plain) + greatest / 2) / n**2
    effective = greatest / variance * (_Z / t_quantile(k - 1)) ** 2
    return wilson(average * effective, effective)
