"""What a DepthQA run measures, over rows of its answers."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from ...state.rows import AnswerRow, Estimate, Measure
from ...stats.depthqa.gaps import Direction, discrepancy
from ...stats.estimates import Value, mean
from ..abstention import abstention_measures
from .rows import LEAST, STEPS

BY = ("mode", "depth", "category", "reasoning")


@dataclass(frozen=True, slots=True)
class Node:
    """A place in the graph, in one way of asking."""

    group: str
    answers: frozenset[str]
    """Nodes with the very same ones hold the same question."""
    score: Fraction | None
    """Mean rating, 1 … 5."""
    predecessors: tuple[str, ...]


def of_one_mode(rows: Sequence[AnswerRow]) -> list[AnswerRow]:
    """The rows in zero-shot, or (without any) in the first way of asking."""
    modes = dict.fromkeys(row.condition for row in rows)
    mode = "zero-shot" if "zero-shot" in modes else next(iter(modes), "")
    return [row for row in rows if row.condition == mode]


def own(rows: Sequence[AnswerRow]) -> list[AnswerRow]:
    """The scored answers, each once."""
    scored = [row for row in of_one_mode(rows) if row.score is not None]
    return list({(row.run, row.tags["answer_id"]): row for row in reversed(scored)}.values())


def nodes_of(rows: Sequence[AnswerRow]) -> dict[tuple[str, str], Node]:
    """(run, node) → what became of it."""
    answers: dict[tuple[str, str], list[AnswerRow]] = defaultdict(list)
    for row in of_one_mode(rows):
        answers[row.run, str(row.tags["node"])].append(row)
    nodes = {}
    for key, asked in answers.items():
        ratings = [LEAST + STEPS * Fraction(row.score) for row in asked if row.score is not None]
        tags = asked[0].tags
        nodes[key] = Node(
            asked[0].group,
            frozenset(str(row.tags["answer_id"]) for row in asked),
            sum(ratings, Fraction(0)) / len(ratings) if ratings else None,
            tuple(str(tags["predecessors"]).split()),
        )
    return nodes


def score(rows: Sequence[AnswerRow]) -> Estimate:
    """The mean rating, 1 … 5, over distinct questions."""
    distinct: dict[object, Node] = {}
    for (run, _), node in nodes_of(rows).items():
        distinct.setdefault((run, node.answers), node)
    rated = [
        (node.group, float(node.score)) for node in distinct.values() if node.score is not None
    ]
    return mean(rated, LEAST, LEAST + STEPS)


def gaps(rows: Sequence[AnswerRow], direction: Direction) -> list[Value]:
    """(group, how far its rating falls short of its neighbours'), of the nodes that count."""
    nodes = nodes_of(rows)
    around = defaultdict(list)
    for (run, name), node in nodes.items():
        for other in node.predecessors:
            above, below = ((run, name), (run, other))
            if below in nodes:
                one, neighbour = (above, below) if direction == "forward" else (below, above)
                around[one].append(nodes[neighbour].score)
    values = list[Value]()
    for key, scores in around.items():
        rated, node = [each for each in scores if each is not None], nodes[key]
        if rated and node.score is not None:
            gap = discrepancy(node.score, sum(rated, Fraction(0)) / len(rated))
            values += [(node.group, gap)] if gap is not None else []
    return values


def _average(direction: Direction) -> Callable[[Sequence[AnswerRow]], Estimate]:
    return lambda rows: mean(gaps(rows, direction))


def _frequency(direction: Direction) -> Callable[[Sequence[AnswerRow]], Estimate]:
    return lambda rows: mean([(group, float(gap > 0)) for group, gap in gaps(rows, direction)])


MEASURES = (
    Measure("score", "score", "higher", "Mean rating of the answers, 1 to 5.", score, BY),
    Measure(
        "forward",
        "share",
        "lower",
        "How far answers fall short of those to the simpler questions that lead to them.",
        _average("forward"),
        ("mode",),
    ),
    Measure(
        "backward",
        "share",
        "lower",
        "How far answers fall short of those to the deeper questions they lead to.",
        _average("backward"),
        ("mode",),
    ),
    Measure(
        "forward_frequency",
        "share",
        "lower",
        "Share of questions that fall short of the simpler ones.",
        _frequency("forward"),
        ("mode",),
    ),
    Measure(
        "backward_frequency",
        "share",
        "lower",
        "Share of questions that fall short of the deeper ones.",
        _frequency("backward"),
        ("mode",),
    ),
    *abstention_measures(own, BY),
)
