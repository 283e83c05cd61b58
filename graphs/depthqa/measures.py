"""What a DepthQA run measures, over rows of its answers."""

from collections.abc import Sequence
from functools import partial

from ...state.rows import AnswerRow, Estimate, Measure
from ..abstention import abstention_measures
from ..reviewed import share_measures
from .discrepancy import Direction, gaps, mean_score, nodes_of, of_one_mode, shortfall

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


SAYS: tuple[tuple[str, Direction, str, str], ...] = (
    (
        "forward",
        "forward",
        "average",
        "How far answers fall short of those to the simpler questions that lead to them.",
    ),
    (
        "backward",
        "backward",
        "average",
        "How far answers fall short of those to the deeper questions they lead to.",
    ),
    (
        "forward_frequency",
        "forward",
        "frequency",
        "Share of questions that fall short of the simpler ones.",
    ),
    (
        "backward_frequency",
        "backward",
        "frequency",
        "Share of questions that fall short of the deeper ones.",
    ),
)
MEASURES = (
    Measure("score", "score", "higher", "Mean rating of the answers, 1 to 5.", _score, BY),
    *(
        Measure(name, "share", "lower", says, partial(_shortfall, direction, figure), ("mode",))
        for name, direction, figure, says in SAYS
    ),
    *abstention_measures(scored_once, BY),
    *share_measures(scored_once, BY),
)
