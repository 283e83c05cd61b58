"""What a DepthQA run measures, over rows of its answers."""

from collections.abc import Sequence
from functools import partial

from ...state.rows import AnswerRow, Estimate, Measure
from ...stats.depthqa.nodes import Direction, gaps, mean_score, nodes_of, of_one_mode, shortfall
from ..abstention import abstention_measures

BY = ("mode", "depth", "category", "reasoning")


def scored_once(rows: Sequence[AnswerRow]) -> list[AnswerRow]:
    """The scored answers in one way of asking, each once."""
    scored = [row for row in of_one_mode(rows) if row.score is not None]
    by_answer = {(row.run, row.tags["answer_id"]): row for row in reversed(scored)}
    return list(by_answer.values())


def _score(rows: Sequence[AnswerRow]) -> Estimate:
    return mean_score(nodes_of(of_one_mode(rows)).values())


def _shortfall(direction: Direction, figure: str, rows: Sequence[AnswerRow]) -> Estimate:
    measured = gaps(nodes_of(of_one_mode(rows)), direction)
    estimate: Estimate = getattr(shortfall(measured), figure)
    return estimate


def _lower(name: str, says: str, direction: Direction, figure: str) -> Measure:
    of = partial(_shortfall, direction, figure)
    return Measure(name, "share", "lower", says, of, ("mode",))


MEASURES = (
    Measure("score", "score", "higher", "Mean rating of the answers, 1 to 5.", _score, BY),
    _lower(
        "forward",
        "How far answers fall short of those to the simpler questions that lead to them.",
        "forward",
        "average",
    ),
    _lower(
        "backward",
        "How far answers fall short of those to the deeper questions they lead to.",
        "backward",
        "average",
    ),
    _lower(
        "forward_frequency",
        "Share of questions that fall short of the simpler ones.",
        "forward",
        "frequency",
    ),
    _lower(
        "backward_frequency",
        "Share of questions that fall short of the deeper ones.",
        "backward",
        "frequency",
    ),
    *abstention_measures(scored_once, BY),
)
