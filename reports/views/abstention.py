"""Knowing that it does not know: what a model does where it is not right."""

from collections.abc import Iterator, Sequence

from ...graphs.answers import measures_of
from ...state.rows import AnswerRow
from ..page.blocks import Block
from .by_tag import by_tag

SHOWN = ("precision_when_answering", "hallucination_rate", "index")


def abstention_table(rows: Sequence[AnswerRow], by: str) -> Iterator[Block]:
    """By a tag and over all answers; nothing where no answer abstains."""
    if any(row.verdict == "abstained" for row in rows):
        measures = [measure for measure in measures_of(rows[0].method) if measure.name in SHOWN]
        yield by_tag("Knowing that it does not know", rows, measures, by)
