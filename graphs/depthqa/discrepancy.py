"""The nodes of a graph of questions with their scores, and how far each falls short of its
neighbours (METHODS.md, section 4; DepthQA, equations 1 and 2)."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal, NamedTuple

from ...state.depthqa.items import HIGH, LEAST, SCALE
from ...state.depthqa.result import LEVEL_OF, DiscrepancyRow, Level, ScoreRow
from ...state.question_graph import DEPTHS
from ...state.records import LOST_AT_TARGET
from ...state.rows import AnswerRow, Estimate
from ...stats.accuracy import bounds
from ...stats.consistency import mean_interval_clustered
from ...stats.estimates import mean

Direction = Literal["forward", "backward"]
Key = tuple[str, str]
"""(run, node)."""
MOST = LEAST + SCALE
DOUBT = 0.5
"""Observations of doubt in the interval of the intensity: positive d are few, and most of them are
one small step of the scale, so that their scatter shows less than there is. Without it the interval
holds the truth in .84 of runs with eight positive d, with it in .93 at least
(bench/coverage/depthqa.py). Among many positive d it changes nothing."""


@dataclass(frozen=True, slots=True)
class Node:
    """A node of the graph, asked in one way."""

    run: str
    name: str
    depth: int
    group: str
    rows: tuple[AnswerRow, ...]
    """Its answers: several where it is a turn of several conversations."""
    score: Fraction | None
    """Mean rating, 1 … 5, exact, because means are held against a threshold."""
    neighbours: Mapping[Direction, Sequence[Key]]
    """Forward its direct predecessors, backward its successors, those that were asked in the same
    way."""

    @property
    def key(self) -> Key:
        return self.run, self.name


Nodes = Mapping[Key, Node]


def of_one_mode(rows: Sequence[AnswerRow]) -> list[AnswerRow]:
    """The rows in zero-shot, or (without any) in the first way of asking."""
    modes = dict.fromkeys(row.condition for row in rows)
    mode = "zero-shot" if "zero-shot" in modes else next(iter(modes), "")
    return [row for row in rows if row.condition == mode]


def nodes_of(rows: Iterable[AnswerRow]) -> dict[Key, Node]:
    """What was asked in one way, in the order of the rows."""
    answers: dict[Key, list[AnswerRow]] = defaultdict(list)
    for row in rows:
        answers[row.run, str(row.tags["node"])].append(row)
    lower, upper = dict[Key, list[Key]](), defaultdict[Key, list[Key]](list)
    for key, rows_of_node in answers.items():
        names = str(rows_of_node[0].tags["predecessors"]).split()
        lower[key] = [(key[0], name) for name in names if (key[0], name) in answers]
        for below in lower[key]:
            upper[below].append(key)
    return {
        key: _node(key, tuple(rows_of_node), {"forward": lower[key], "backward": upper[key]})
        for key, rows_of_node in answers.items()
    }


def _node(
    key: Key, rows: tuple[AnswerRow, ...], neighbours: Mapping[Direction, Sequence[Key]]
) -> Node:
    ratings = [LEAST + SCALE * Fraction(row.score) for row in rows if row.score is not None]
    score = sum(ratings, Fraction(0)) / len(ratings) if ratings else None
    return Node(*key, int(rows[0].tags["depth"] or 0), rows[0].group, rows, score, neighbours)


def distinct(nodes: Iterable[Node]) -> list[Node]:
    """The first node of each question: nodes with the very same answers hold the same one."""
    first: dict[object, Node] = {}
    for node in nodes:
        first.setdefault(
            (node.run, frozenset(row.tags["answer_id"] for row in node.rows)), node
        )
    return [*first.values()]


def levels_of(nodes: Iterable[Node], depths: Sequence[int] = DEPTHS) -> dict[Level, list[Node]]:
    """The nodes by their depth, and those of all depths."""
    all_nodes = [*nodes]
    levels: dict[Level, list[Node]] = {}
    for depth in depths:
        levels[LEVEL_OF[depth]] = [node for node in all_nodes if node.depth == depth]
    return {**levels, "overall": all_nodes}


def mean_score(nodes: Iterable[Node]) -> Estimate:
    """The mean rating, 1 … 5, over distinct questions. The interval is about new trees and new
    answers."""
    scores = [
        (node.group, float(node.score)) for node in distinct(nodes) if node.score is not None
    ]
    return mean(scores, LEAST, MOST)


def score_row(nodes: Collection[Node]) -> ScoreRow:
    """The mean score with what it is over."""
    questions, score = distinct(nodes), mean_score(nodes)
    lost = 0
    for node in questions:
        if node.score is None and any(row.stage in LOST_AT_TARGET for row in node.rows):
            lost += 1
    return ScoreRow(
        questions=len(questions),
        scored=score.n,
        mean=score.value,
        ci=score.interval,
        bounds=bounds((score.value or 0.0) * score.n, score.n, lost, LEAST, MOST),
    )


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
    return float(max(Fraction(0), Fraction(mean) - score) / SCALE)


def scored_neighbours(nodes: Nodes, node: Node, direction: Direction) -> list[Node]:
    """Neighbours without a score are left out of every mean."""
    neighbours = [nodes[key] for key in node.neighbours[direction]]
    return [neighbour for neighbour in neighbours if neighbour.score is not None]


def gaps(nodes: Nodes, direction: Direction) -> list[Gap]:
    """Every node that has neighbours."""
    measured = []
    for node in nodes.values():
        scores = [
            Fraction(near.score or 0) for near in scored_neighbours(nodes, node, direction)
        ]
        if node.score is not None and scores:
            average = sum(scores, Fraction(0)) / len(scores)
            measured.append(Gap(node, average, discrepancy(node.score, average)))
        elif node.neighbours[direction]:
            measured.append(Gap(node, None, None))
    return measured


def shortfall(measured: Iterable[Gap]) -> dict[str, Estimate]:
    """Over the nodes that have a d: its `average` (frequency · intensity), the `frequency` of d > 0,
    and the `intensity`, the mean of these. Intervals are about new trees and new answers."""
    values = [(gap.node.group, gap.d) for gap in measured if gap.d is not None]
    positive = [(group, d) for group, d in values if d > 0]
    low, high = mean_interval_clustered(positive, doubt=DOUBT) or (None, None)
    return {
        "average": mean(values),
        "frequency": mean([(group, float(d > 0)) for group, d in values]),
        "intensity": Estimate(mean(positive).value, low, high, len(positive)),
    }


def discrepancy_row(measured: Sequence[Gap]) -> DiscrepancyRow:
    """The shortfall with what it is over."""
    eligible = sum(gap.d is not None for gap in measured)
    unscored = sum(gap.mean is None for gap in measured)
    left_out = len(measured) - eligible - unscored
    figures: dict[str, Any] = {}
    for name, estimate in shortfall(measured).items():
        figures |= {name: estimate.value, f"{name}_ci": estimate.interval}
    return DiscrepancyRow(eligible=eligible, left_out=left_out, unscored=unscored, **figures)
