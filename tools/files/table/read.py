"""Tables that a person hands over, as rows with their places: JSON, JSON lines, CSV or Parquet, up to 32 MB."""

from collections.abc import Collection
from pathlib import Path
from typing import NamedTuple

from ....state.errors import UsageError
from ..text import decoded, read_bytes, require_no_utf16, shown
from .csv_rows import csv_rows
from .json_rows import Shape, json_table, lines_table
from .parquet import is_begun, is_parquet, parquet_rows
from .row import Row, Table

__all__ = ["MAX_BYTES", "MAX_ROWS", "Data", "Row", "Shape", "Table", "read_data", "table_of"]

MAX_BYTES = 32_000_000
MAX_ROWS = 100_000
_LINES = (".jsonl", ".ndjson")
_TABLES = (".csv", ".tsv")


class Data(NamedTuple):
    """A file as it was read."""

    path: Path
    """What a message calls it."""
    raw: bytes
    holds: str
    """What is wanted of it, in plural."""

    @property
    def text(self) -> str:
        r"""With `\n` line ends and without a byte order mark. Raises UsageError for what is not UTF-8, or no text."""
        require_no_utf16(self.raw, self.path)
        if b"\0" in self.raw:
            raise UsageError(f"{self.path} is not a UTF-8 text file. Give JSONL, JSON, CSV or Parquet.")
        return decoded(self.raw, self.path)


def read_data(path: Path, holds: str) -> Data:
    """A file, or the standard input (`-`). Raises UsageError for one that cannot be read, is empty or over 32 MB."""
    raw, path = read_bytes(path, holds, MAX_BYTES), shown(path)
    if len(raw) > MAX_BYTES:
        raise UsageError(f"The file {path} is larger than 32 MB: split it, or name another one.")
    if not raw.removeprefix(b"\xef\xbb\xbf").strip():
        raise UsageError(f"The file {path} is empty: name one that holds {holds}.")
    return Data(path, raw, holds)


def table_of(data: Data, columns: Collection[str], shape: Shape = Shape()) -> Table:  # noqa: B008  # it is frozen
    """The rows of a file; blank lines are none. `columns` are the known ones, by which the separator of CSV is found.

    A file is what its suffix says: .json, .jsonl or .ndjson, .csv or .tsv; Parquet is known by its first bytes. Any
    other one is JSON or JSON lines when it begins with { or [, else CSV. Raises UsageError, with the place, for what is
    not valid, has the wrong shape, or has more than 100,000 rows, and for a key that stands twice in one object.
    """
    if is_parquet(data.raw):
        table = Table(parquet_rows(data.raw, data.path, MAX_ROWS))
    else:
        table = _of_text(data, columns, shape)
    if not table.rows:
        raise UsageError(f"The file {data.path} holds no {data.holds}: it has no row.")
    if len(table.rows) > MAX_ROWS:
        raise UsageError(f"The file {data.path} has more than {MAX_ROWS:,} rows of {data.holds}: split it.")
    return table


def _of_text(data: Data, columns: Collection[str], shape: Shape) -> Table:
    suffix = data.path.suffix.casefold()
    if suffix == ".parquet" or is_begun(data.raw):
        raise UsageError(f"The file {data.path} is no Parquet file, or was cut off: fetch or write it again.")
    text = data.text
    if suffix in _LINES:
        return lines_table(text, data.path, MAX_ROWS)
    if suffix == ".json" or (suffix not in _TABLES and text.lstrip().startswith(("{", "["))):
        return json_table(text, data.path, data.holds, shape, MAX_ROWS)
    return Table(csv_rows(text, data.path, columns, MAX_ROWS), spreadsheet=True)
