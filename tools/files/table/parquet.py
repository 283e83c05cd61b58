"""Rows from Parquet through pyarrow, which is an extra, in bounded memory."""

import importlib
from pathlib import Path
from typing import Any

from ....state.errors import UsageError
from .row import Row

NO_PYARROW = "needs the extra: pip install 'fathom-eval[parquet]'"
_MAGIC = b"PAR1"
_BATCH = 16
"""Rows decoded at a time: a small file may hold one long text ten thousand times."""
MAX_UNPACKED = 128_000_000
"""Bytes of all columns together once they are decoded."""


def is_begun(raw: bytes) -> bool:
    """Whether it begins as Parquet does, however it ends."""
    return raw.startswith(_MAGIC)


def is_parquet(raw: bytes) -> bool:
    return is_begun(raw) and raw.endswith(_MAGIC)


def parquet_rows(raw: bytes, path: Path, most: int) -> tuple[Row, ...]:
    """The rows, at most one more than `most`. Raises UsageError where pyarrow is missing, and for a file that is broken
    or unpacks to more than 128 MB."""
    try:
        arrow, parquet = importlib.import_module("pyarrow"), importlib.import_module("pyarrow.parquet")
    except ImportError:
        raise UsageError(f"The file {path} is Parquet, and reading it {NO_PYARROW}.") from None
    try:
        return _rows(parquet.ParquetFile(arrow.BufferReader(raw)), path, most)
    except UsageError:
        raise
    except (arrow.ArrowException, OSError, ValueError) as error:
        said = (str(error).splitlines() or ["no further word"])[0][:200]
        raise UsageError(f"The file {path} is not valid Parquet ({said}): fetch or write it again.") from None


def _rows(file: Any, path: Path, most: int) -> tuple[Row, ...]:
    rows: list[Row] = []
    groups = (file.metadata.row_group(place) for place in range(file.metadata.num_row_groups))
    _require_small(sum(group.total_byte_size for group in groups), path)
    unpacked = 0
    for batch in file.iter_batches(batch_size=_BATCH, use_threads=False):
        unpacked += batch.nbytes
        _require_small(unpacked, path)
        rows += [Row(f"Row {number} of {path}", cells) for number, cells in enumerate(batch.to_pylist(), len(rows) + 1)]
        if len(rows) > most:
            break
    return tuple(rows)


def _require_small(unpacked: int, path: Path) -> None:
    if unpacked > MAX_UNPACKED:
        raise UsageError(f"The file {path} unpacks to more than 128 MB: that is no file of ours; split it.")
