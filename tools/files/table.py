"""Tables that people hand over: JSON, JSON lines, CSV or Parquet, up to 32 MB, as cells with their
places; every fault is a sentence. `rows.py` reads the cells as models."""

import csv
import importlib
import io
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from ...state.errors import UsageError, install
from .text import Data, quoted, read_data
from .trees import parse_json, twice

MAX_ROWS = 100_000
_MAGIC = b"PAR1"
MAX_UNPACKED = 128_000_000
"""Bytes of all columns together once they are unpacked."""
_BATCH = 16
"""Rows decoded at a time: a small file may hold one long text ten thousand times."""
_GAP = re.compile(r"[\s_-]+")


class RawRow(NamedTuple):
    place: str
    """Where it stands: `Line 3 of graph.csv`."""
    cells: Mapping[str, Any]
    """By the names of their columns, which are `plain`."""
    key: str = ""
    """Its name, in an object of rows."""


class Table(NamedTuple):
    path: Path
    """What a message calls the file."""
    rows: Sequence[RawRow]
    about: Mapping[str, Any] = {}
    """What stands beside the list of rows, in an object that holds one."""

    @property
    def columns(self) -> list[str]:
        """All names of cells, in the order in which they turn up."""
        return list(dict.fromkeys(name for row in self.rows for name in row.cells))

    def numbered(self, form: str) -> "Table":
        """With names of this form for the rows that have none, by their place: `q{}`."""
        rows = []
        for number, row in enumerate(self.rows, 1):
            key = row.key or form.format(number)
            rows.append(row._replace(key=key))
        return self._replace(rows=rows)


def read_table(source: Path | Data, holds: str, *, inner: str = "", bare: str = "") -> Table:
    """The cells of a file, which may have been read already; blank lines are none. `holds` says
    what is wanted of it, in plural.

    A file is what its suffix says: .json, .jsonl or .ndjson, .csv or .tsv; Parquet is known by its
    first bytes. Any other one is JSON or JSON lines when it begins with { or [, else CSV. JSON is a
    list of rows, an object of them by their ids, or one whose member `inner` is such a list; `bare`
    is the column of a mere text in the place of a row.
    """
    data = source if isinstance(source, Data) else read_data(source, holds)
    suffix = data.path.suffix.casefold()
    is_csv = suffix in (".csv", ".tsv")
    if is_parquet(data):
        table = _parquet_table(data)
    elif suffix in (".jsonl", ".ndjson"):
        table = _lines_table(data)
    elif suffix == ".json" or (not is_csv and data.text.lstrip().startswith(("{", "["))):
        table = _json_table(data, inner, bare)
    else:
        table = _csv_table(data)
    if not table.rows:
        raise UsageError(f"The file {data.path} holds no {data.holds}: it has no row of them.")
    if len(table.rows) > MAX_ROWS:
        raise UsageError(
            f"The file {data.path} has more than {MAX_ROWS:,} rows of {data.holds}: split it."
        )
    return table


@lru_cache(maxsize=1000)
def plain(name: str) -> str:
    """A column's name without case, with one kind of gap."""
    return _GAP.sub("_", name.strip().casefold())


def _json_table(data: Data, inner: str, bare: str) -> Table:
    """JSON lines where it turns out to be those."""
    try:
        value = parse_json(data.text, f"The file {data.path}")
    except UsageError as error:
        cause = error.__cause__
        if isinstance(cause, json.JSONDecodeError) and cause.msg == "Extra data":
            return _lines_table(data)
        raise
    about = {}
    if isinstance(value, dict) and isinstance(value.get(inner), list):
        about, value = value, value[inner]
    is_object = isinstance(value, dict)
    if is_object and not bare and any(isinstance(cell, str) for cell in value.values()):
        value, is_object = [value], False  # JSON lines of a single one
    rows = list[RawRow]()
    if isinstance(value, list):
        for number, entry in enumerate(value, 1):
            rows.append(_raw_row(entry, f"Item {number} of {data.path}", bare))
    elif is_object:
        for key, entry in value.items():
            rows.append(_raw_row(entry, f"The entry {quoted(key)} of {data.path}", bare, key))
    else:
        raise UsageError(f"The file {data.path} must hold a list of {data.holds}.")
    return Table(data.path, rows, about)


def _raw_row(value: object, where: str, bare: str = "", key: str = "") -> RawRow:
    """Raises UsageError for what is no object."""
    if bare and (isinstance(value, str) or (key and value is None)):
        value = {bare: value}
    if not isinstance(value, dict):
        raise UsageError(f"{where} must be an object, as in {{…}}.")
    cells = {plain(name): cell for name, cell in value.items()}
    return RawRow(where, cells, key)


def _lines_table(data: Data) -> Table:
    """JSON lines."""
    rows = []
    for where, line in lines_of(data):
        rows.append(_raw_row(parse_json(line, where), where))
    return Table(data.path, rows)


def lines_of(data: Data) -> Iterator[tuple[str, str]]:
    """The lines of a text, each with its place; those that are blank or begin with # say
    nothing."""
    for number, line in enumerate(data.text.split("\n"), 1):
        if (bare := line.strip()) and not bare.startswith("#"):
            yield f"Line {number} of {data.path}", bare


def _csv_table(data: Data) -> Table:
    """As spreadsheets write it: commas, semicolons or tabs, with the columns named in the first
    line. Every cell is a text, and a blank one is null."""
    records = _records(data)
    _, header = next(records, (0, []))
    names = [plain(name) for name in header]
    if name := twice([name for name in names if name]):
        raise UsageError(f"{data.path} has two columns {quoted(name)}: rename one of them.")
    rows = []
    for line, cells in islice(records, MAX_ROWS + 1):
        where = f"Line {line} of {data.path}"
        beyond = "".join(cells[len(names) :])
        if len(cells) < len(names) or beyond.strip():
            raise UsageError(
                f"{where} has {len(cells)} columns where the first line has {len(names)}: put what "
                "holds the separator, such as a decimal comma, into quotation marks."
            )
        row: dict[str, str | None] = {}
        for name, cell in zip(names, cells, strict=False):
            row[name] = cell if cell.strip() else None
        rows.append(RawRow(where, row))
    return Table(data.path, rows)


def _records(data: Data) -> Iterator[tuple[int, list[str]]]:
    """Lines that are not blank, with their numbers; the first one is the header."""
    text = data.text
    header = text.lstrip().partition("\n")[0]
    separator = max(",;\t", key=header.count)
    reader = csv.reader(
        io.StringIO(text), delimiter=separator, skipinitialspace=True, strict=True
    )
    before = 0
    try:
        for cells in reader:
            line, before = before + 1, reader.line_num
            if any(cell.strip() for cell in cells):
                yield line, cells
    except csv.Error as error:
        raise UsageError(
            f"Line {before + 1} of {data.path} is not valid CSV ({error}): fix it."
        ) from None


def is_parquet(data: Data) -> bool:
    """Whether it begins as Parquet does, or is called so."""
    return data.raw.startswith(_MAGIC) or data.path.suffix.casefold() == ".parquet"


def _parquet_table(data: Data) -> Table:
    """Raises UsageError where pyarrow is missing, and for a file that is broken or unpacks to more
    than 128 MB."""
    try:
        arrow = importlib.import_module("pyarrow")
        parquet = importlib.import_module("pyarrow.parquet")
    except ImportError:
        raise UsageError(
            f"The file {data.path} is Parquet, and reading it needs the extra: "
            f"{install('parquet')}."
        ) from None
    rows: list[RawRow] = []
    unpacked = 0
    try:
        file = parquet.ParquetFile(arrow.BufferReader(data.raw))
        groups = map(file.metadata.row_group, range(file.metadata.num_row_groups))
        # before any of it is unpacked
        _require_small(sum(group.total_byte_size for group in groups), data)
        for batch in file.iter_batches(_BATCH, use_threads=False):
            unpacked += batch.nbytes
            _require_small(unpacked, data)
            for row in batch.to_pylist():
                rows.append(_raw_row(row, f"Row {len(rows) + 1} of {data.path}"))
            if len(rows) > MAX_ROWS:
                break
    except UsageError:
        raise
    # OverflowError: a date after 9999
    except (arrow.ArrowException, OSError, ValueError, OverflowError) as error:
        fault = str(error).partition("\n")[0][:200]
        raise UsageError(
            f"The file {data.path} is not valid Parquet ({fault}): fetch or write it again."
        ) from None
    return Table(data.path, rows)


def _require_small(unpacked: int, data: Data) -> None:
    if unpacked > MAX_UNPACKED:
        raise UsageError(f"The file {data.path} unpacks to more than 128 MB: split it.")
