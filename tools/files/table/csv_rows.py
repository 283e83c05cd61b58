"""Rows from CSV as spreadsheets write it: commas, semicolons or tabs, with the columns named in the first line."""

import csv
import io
import re
from collections.abc import Collection, Iterator
from pathlib import Path

from ....state.errors import UsageError
from ..text import quoted, some_of
from .row import Row

_DELIMITERS = ",;\t"
_HEADER = 10_000
"""Characters of the first line at most."""
_SEPARATOR = re.compile(r'"?sep=([,;\t|])"?\s*', re.IGNORECASE)
"""What Excel writes and reads as a line of its own before the header."""


def csv_rows(text: str, path: Path, columns: Collection[str], most: int) -> tuple[Row, ...]:
    """The rows, without blank lines, at most one more than `most`; every cell is a text. Names of columns are read
    regardless of case. Raises UsageError, with the line, for what is no CSV or does not fit its header, and for a
    header that names a column twice, or none of `columns`."""
    records = _records(text, path, columns)
    _, named = next(records, (0, [""]))  # only separators: a first line that names nothing
    names = [_plain(name) for name in named]
    if not set(columns) & set(names):
        there = some_of([name for name in named if name.strip()])
        raise UsageError(
            f"The first line of {path} names no column that is known ({there}): it must name the columns, "
            f"such as {', '.join(list(columns)[:4])}."
        )
    twice = next((name for place, name in enumerate(names) if name and name in names[:place]), None)
    if twice is not None:
        raise UsageError(f"The first line of {path} names the column {quoted(twice)} twice: rename one of them.")
    rows = []
    for line, cells in records:
        place = f"Line {line} of {path}"
        if len(cells) < len(names) or any(cell.strip() for cell in cells[len(names) :]):
            raise UsageError(
                f"{place} has {len(cells)} columns where the first line has {len(names)}: complete it, and put a text "
                "that holds the separator into quotation marks."
            )
        rows.append(Row(place, {name: cell for name, cell in zip(names, cells, strict=False) if name}))
        if len(rows) > most:
            break
    return tuple(rows)


def _records(text: str, path: Path, columns: Collection[str]) -> Iterator[tuple[int, list[str]]]:
    """Lines that are not blank, with their numbers; the first one is the header."""
    first, told = header(text)
    if len(first) > _HEADER:
        raise UsageError(f"The first line of {path} is {len(first):,} characters long: it must name the columns.")
    sign = told or _delimiter(first, columns)
    reader = csv.reader(io.StringIO(text), delimiter=sign, skipinitialspace=True, strict=True)
    before, begun = 0, told is None
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                if begun:
                    yield before + 1, cells
                begun = True
            before = reader.line_num
    except csv.Error as error:
        raise UsageError(f"Line {before + 1} of {path} is not valid CSV ({error}): mend it.") from None


def header(text: str) -> tuple[str, str | None]:
    """The line that names the columns, and the separator where a line of its own before it tells that."""
    lines = (line for line in io.StringIO(text) if line.strip())
    first = next(lines, "")
    told = _SEPARATOR.fullmatch(first[:_HEADER])
    return (next(lines, ""), told[1]) if told else (first, None)


def _delimiter(first: str, columns: Collection[str]) -> str:
    """The sign that splits the header into the most of the known columns."""
    return max(_DELIMITERS, key=lambda sign: len(set(columns) & {_plain(name) for name in first.split(sign)}))


def _plain(name: str) -> str:
    return name.strip().strip('"').strip().casefold()
