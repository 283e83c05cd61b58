"""Knowing that it does not know: what a model does where it is not right."""

from collections.abc import Iterator, Sequence

from ...state.rows import AnswerRow, Measure
from ..page.blocks import Block
from .by_tag import by_tag

SHOWN = ("precision_when_answering", "hallucination_rate", "index")


def abstention_table(
    rows: Sequence[AnswerRow], measures: Sequence[Measure], by: str
) -> Iterator[Block]:
    """By a tag and over all answers; nothing where no answer abstains."""
    if any(row.verdict == "abstained" for row in rows):
        shown = [measure for measure in measures if measure.name in SHOWN]
        yield by_tag("Knowing that it does not know", rows, shown, by)
