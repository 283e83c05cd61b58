"""Benchmark scores to set beside an Explain-Query-Test: a table with the columns model, category
and score."""

import re
from decimal import Decimal
from pathlib import Path
from typing import Annotated, NamedTuple

from pydantic import BeforeValidator, Field

from ...state.benchmark import BenchmarkScore
from ...state.errors import UsageError
from .rows import Name, Row, rows_of, text
from .table import read_table
from .text import fold

_NUMBER = re.compile(
    r"(\+?(?:[0-9]+(?:[.,][0-9]*)?|[.,][0-9]+)(?:[eE][+-]?[0-9]{1,3})?)\s*(%?)"
)
_APART = re.compile("[_-]")


class _Score(NamedTuple):
    value: Decimal
    """As it was written, in shares of 1 or per cent."""
    signed: bool
    """Whether it has a per cent sign."""


def _score(cell: object) -> _Score:
    number = _NUMBER.fullmatch(text(cell).strip())
    if not number:
        raise ValueError("it must be a share such as 0.75, or 75%")
    value = Decimal(number[1].replace(",", "."))
    if value > 100:
        raise ValueError("it must be 0 … 1, or at most 100 per cent")
    return _Score(value, bool(number[2]))


_Name = Annotated[Name, Field(max_length=200)]


class _Line(Row):
    model: _Name
    category: _Name
    score: Annotated[_Score, BeforeValidator(_score)]


def read_scores(path: Path) -> tuple[BenchmarkScore, ...]:
    """The scores of a table in its order, as shares in 0 … 1; `-` is the standard input.

    Columns beyond model, category and score are left aside. Scores are shares, or per cent when any
    of them is above 1 or has the sign. Raises UsageError, with the row, as `rows_of` does, for a
    score that is no number or out of range, for scores in two scales, and for two scores of one
    model in one category.
    """
    rows = rows_of(read_table(path, "benchmark scores with model, category and score"), _Line)
    signed = any(row.score.signed for row in rows)
    scale = 100 if signed or any(row.score.value > 1 for row in rows) else 1
    by_key: dict[tuple[str, str], _Line] = {}
    for row in rows:
        # among per cent, 0.8 may be a share or less than one per cent
        is_unclear = row.score.signed < signed or (not signed and 0 < row.score.value <= 1)
        if scale == 100 and is_unclear:
            raise UsageError(
                f"{row.place} has the score {row.score.value} without a % sign, and others are per "
                "cent: write all scores as shares (0 … 1), or all as per cent, with a % sign each."
            )
        category = _APART.sub(" ", row.category.casefold())
        first = by_key.setdefault((row.model.casefold(), fold(category)), row)
        if first.score.value != row.score.value:
            raise UsageError(
                f"{first.place} and {row.place} give {row.model} two scores in "
                f"{row.category}: keep one."
            )
    scores = []
    for row in by_key.values():
        share = float(row.score.value / scale)
        scores.append(BenchmarkScore(model=row.model, category=row.category, score=share))
    return tuple(scores)
