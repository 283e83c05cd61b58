"""Rows from Parquet through pyarrow, which is an extra."""

import importlib

from ....state.errors import UsageError, install
from ..text import Data
from .formats import MAX_ROWS, RawTable, raw_row

_MAGIC = b"PAR1"
MAX_UNPACKED = 128_000_000
"""Bytes of all columns together once they are unpacked."""
_BATCH = 16
"""Rows decoded at a time: a small file may hold one long text ten thousand times."""


def is_parquet(data: Data) -> bool:
    """Whether it begins as Parquet does, or is called so."""
    return data.raw.startswith(_MAGIC) or data.path.suffix.casefold() == ".parquet"


def parquet_table(data: Data) -> RawTable:
    """Raises UsageError where pyarrow is missing, and for a file that is broken or unpacks to more
    than 128 MB."""
    try:
        arrow, parquet = (
            importlib.import_module("pyarrow"),
            importlib.import_module("pyarrow.parquet"),
        )
    except ImportError:
        raise UsageError(
            f"The file {data.path} is Parquet, and reading it needs the extra: "
            f"{install('parquet')}."
        ) from None
    rows: list[object] = []
    unpacked = 0
    try:
        file = parquet.ParquetFile(arrow.BufferReader(data.raw))
        groups = (file.metadata.row_group(number) for number in range(file.metadata.num_row_groups))
        _require_small(
            sum(group.total_byte_size for group in groups), data
        )  # before any of it is unpacked
        for batch in file.iter_batches(_BATCH, use_threads=False):
            unpacked += batch.nbytes
            _require_small(unpacked, data)
            rows += batch.to_pylist()
            if len(rows) > MAX_ROWS:
                break
    except UsageError:
        raise
    except (
        arrow.ArrowException,
        OSError,
        ValueError,
        OverflowError,
    ) as error:  # OverflowError: a date after 9999
        fault = (str(error).splitlines() or ["no further word"])[0][:200]
        raise UsageError(
            f"The file {data.path} is not valid Parquet ({fault}): fetch or write it again."
        ) from None
    return RawTable(
        data.path, [raw_row(row, f"Row {n} of {data.path}") for n, row in enumerate(rows, 1)]
    )


def _require_small(unpacked: int, data: Data) -> None:
    if unpacked > MAX_UNPACKED:
        raise UsageError(f"The file {data.path} unpacks to more than 128 MB: split it.")
