"""What a DepthQA run measures, over rows of its answers."""

from collections.abc import Iterator, Sequence
from functools import partial

from ...state.rows import AnswerRow, Estimate, Measure
from ...stats.abstention import abstention_measures
from ...stats.correction import share_measures
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
    return shortfall(gaps(nodes_of(of_one_mode(rows)), direction))[figure]


SHORTFALLS: dict[tuple[Direction, str], str] = {
    ("forward", "average"): (
        "How far answers fall short of those to the simpler questions that lead to them."
    ),
    ("backward", "average"): (
        "How far answers fall short of those to the deeper questions they lead to."
    ),
    ("forward", "frequency"): "Share of questions that fall short of the simpler ones.",
    ("backward", "frequency"): "Share of questions that fall short of the deeper ones.",
}


def _shortfalls() -> Iterator[Measure]:
    for (direction, figure), says in SHORTFALLS.items():
        name = direction if figure == "average" else f"{direction}_{figure}"
        of = partial(_shortfall, direction, figure)
        yield Measure(name, "share", "lower", says, of, ("mode",))


MEASURES = (
    Measure("score", "score", "higher", "Mean rating of the answers, 1 to 5.", _score, BY),
    *_shortfalls(),
    *abstention_measures(scored_once, BY),
    *share_measures(scored_once, BY),
)
