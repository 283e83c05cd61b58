"""Benchmark scores to set beside an Explain-Query-Test: a CSV file with the columns model, category and score."""

import csv
import io
import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from pathlib import Path
from typing import NamedTuple

from ...state.eqt.result import BenchmarkScore
from ...state.errors import UsageError
from .text import fold, quoted, read_text, shown, unseen

COLUMNS = ("model", "category", "score")
MAX_NAME = 200
"""Characters of a model or a category."""
_DELIMITERS = ",;\t"
_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:[.,][0-9]*)?|[.,][0-9]+)(?:[eE][+-]?[0-9]{1,3})?")
_APART = re.compile("[_-]")
_WANTED = "a first line with model, category and score, separated by commas, semicolons or tabs"


class _Row(NamedTuple):
    line: int
    model: str
    category: str
    value: Decimal
    """As it was written, in shares of 1 or per cent."""
    signed: bool
    """Whether it has a per cent sign."""


def read_scores(path: Path) -> tuple[BenchmarkScore, ...]:
    """The scores of a file in its order, as shares in 0 … 1; `-` is the standard input.

    The first line names the columns, in any order and case; columns beyond the three are left aside. Scores are shares,
    or per cent when they have the sign or any of them is above 1. Raises UsageError, with the line, for a file that
    cannot be read, is over 5 MB, not UTF-8 or without scores, for a missing column, for a score that is no number or
    out of range, for scores in two scales, and for two scores of one model in one category.
    """
    text = read_text(path, "benchmark scores")
    path = shown(path)
    if not text.strip():
        raise UsageError(f"The file {path} is empty: it needs {_WANTED}.")
    rows = list(_rows(text, path))
    if not rows:
        raise UsageError(f"The file {path} has no line after its header: it needs a score per model and category.")
    scale = _scale(rows, path)
    return tuple(_scores(rows, scale, path))


def _rows(text: str, path: Path) -> Iterator[_Row]:
    records = _records(text, path)
    _, header = next(records)
    places = _places(header, path)
    for line, cells in records:
        where = f"Line {line} of {path}"
        if len(cells) < len(header) or any(cell.strip() for cell in cells[len(header) :]):
            raise UsageError(
                f"{where} has {len(cells)} columns where the header has {len(header)}: complete it; scores with a "
                "decimal comma need semicolons between the columns."
            )
        model, category, score = (cells[place] for place in places)
        yield _row(line, where, model, category, score)


def _records(text: str, path: Path) -> Iterator[tuple[int, list[str]]]:
    """Lines that are not blank, with their numbers; the first one is the header."""
    first = next(line for line in text.split("\n") if line.strip())
    reader = csv.reader(io.StringIO(text), delimiter=_delimiter(first), skipinitialspace=True, strict=True)
    before = 0
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                yield before + 1, cells
            before = reader.line_num
    except csv.Error as error:
        raise UsageError(f"Line {before + 1} of {path} is not valid CSV ({error}): mend it.") from None


def _delimiter(header: str) -> str:
    """The sign that splits the header into the most of the wanted columns."""
    return max(_DELIMITERS, key=lambda sign: len(set(COLUMNS) & {_plain(name) for name in header.split(sign)}))


def _plain(name: str) -> str:
    return name.strip().strip('"').strip().casefold()


def _places(header: Sequence[str], path: Path) -> list[int]:
    names = [_plain(name) for name in header]
    for column in COLUMNS:
        if column not in names:
            raise UsageError(f"The first line of {path} names no column {column}: it needs {_WANTED}.")
        if names.count(column) > 1:
            raise UsageError(
                f"The first line of {path} names the column {column} twice: rename the one to leave aside."
            )
    return [names.index(column) for column in COLUMNS]


def _row(line: int, where: str, model: str, category: str, score: str) -> _Row:
    for column, name in zip(COLUMNS, (model, category), strict=False):
        if not fold(name):
            raise UsageError(f"{where} has no {column}: fill it in.")
        if sign := unseen(name):
            raise UsageError(f"{where} holds the invisible sign {sign} in its {column}: take it out.")
        if len(fold(name)) > MAX_NAME:
            raise UsageError(f"{where} has a {column} of {len(fold(name))} characters: use at most {MAX_NAME}.")
    bare = score.strip()
    signed = bare.endswith("%")
    number = bare.removesuffix("%").rstrip()
    if not _NUMBER.fullmatch(number):
        raise UsageError(
            f"{where} has the score {quoted(bare)}, which is no number: write a share such as 0.75, or 75%."
        )
    value = Decimal(number.replace(",", "."))
    if not 0 <= value <= 100:
        raise UsageError(f"{where} has the score {quoted(bare)}, which is out of range: write 0 … 1, or per cent.")
    return _Row(line, fold(model), fold(category), value, signed)


def _scale(rows: Sequence[_Row], path: Path) -> int:
    """What the scores are divided by: 1, or 100 for per cent."""
    if any(row.signed for row in rows):
        bare = next((row for row in rows if not row.signed), None)
        if bare:
            raise UsageError(
                f"Line {bare.line} of {path} has a score without a % sign, other lines have one: "
                "write all scores in one way."
            )
        return 100
    large = [row for row in rows if row.value > 1]
    share = next((row for row in rows if 0 < row.value < 1), None)
    if large and share:  # 0.8 among per cent may be a share or less than one per cent
        raise UsageError(
            f"Line {large[0].line} of {path} has the score {large[0].value}, line {share.line} has {share.value}: write"
            " all scores as shares (0 … 1) or all as per cent, with a % sign each."
        )
    # one slip of the decimal point among shares would make a hundredth of every score
    if large and 2 * len(large) < sum(row.value > 0 for row in rows):
        raise UsageError(
            f"Line {large[0].line} of {path} has the score {large[0].value}, most others are at most 1: "
            "mend it, or write per cent with a % sign each."
        )
    return 100 if large else 1


def _scores(rows: Sequence[_Row], scale: int, path: Path) -> Iterator[BenchmarkScore]:
    seen: dict[tuple[str, str], _Row] = {}
    for row in rows:
        key = (row.model.casefold(), fold(_APART.sub(" ", row.category.casefold())))
        first = seen.setdefault(key, row)
        if first is row:
            yield BenchmarkScore(model=row.model, category=row.category, score=float(row.value / scale))
        elif first.value != row.value:
            raise UsageError(
                f"Lines {first.line} and {row.line} of {path} give {row.model} two scores in {row.category}: keep one."
            )
