"""Rows from Parquet through pyarrow, which is an extra, in bounded memory."""

import importlib
from typing import Any

from ....state.errors import UsageError
from ..text import Data
from .formats import MAX_ROWS, RawRow, RawTable

_MAGIC = b"PAR1"
_BATCH = 16
"""Rows decoded at a time: a small file may hold one long text ten thousand times."""
MAX_UNPACKED = 128_000_000
"""Bytes of all columns together once they are decoded."""


def is_parquet(data: Data) -> bool:
    """Whether it begins as Parquet does, or is called so."""
    return data.raw.startswith(_MAGIC) or data.path.suffix.casefold() == ".parquet"


def parquet_table(data: Data) -> RawTable:
    """Raises UsageError where pyarrow is missing, and for a file that is broken or unpacks to more than 128 MB."""
    if not (data.raw.startswith(_MAGIC) and data.raw.endswith(_MAGIC)):
        raise UsageError(f"The file {data.path} is no Parquet file, or was cut off: fetch or write it again.")
    try:
        arrow, parquet = importlib.import_module("pyarrow"), importlib.import_module("pyarrow.parquet")
    except ImportError:
        raise UsageError(
            f"The file {data.path} is Parquet, and reading it needs the extra: pip install 'fathom-eval[parquet]'."
        ) from None
    try:
        return _rows(parquet.ParquetFile(arrow.BufferReader(data.raw)), data)
    except UsageError:
        raise
    except (arrow.ArrowException, OSError, ValueError) as error:
        said = (str(error).splitlines() or ["no further word"])[0][:200]
        raise UsageError(f"The file {data.path} is not valid Parquet ({said}): fetch or write it again.") from None


def _rows(file: Any, data: Data) -> RawTable:
    rows: list[RawRow] = []
    groups = (file.metadata.row_group(place) for place in range(file.metadata.num_row_groups))
    _require_small(sum(group.total_byte_size for group in groups), data)
    unpacked = 0
    for batch in file.iter_batches(batch_size=_BATCH, use_threads=False):
        unpacked += batch.nbytes
        _require_small(unpacked, data)
        cells = batch.to_pylist()
        rows += [RawRow(f"Row {number} of {data.path}", one) for number, one in enumerate(cells, len(rows) + 1)]
        if len(rows) > MAX_ROWS:
            break
    return RawTable(rows)


def _require_small(unpacked: int, data: Data) -> None:
    if unpacked > MAX_UNPACKED:
        raise UsageError(f"The file {data.path} unpacks to more than 128 MB: split it.")
