"""What is in the cache, and making it empty; both beside runs that use it."""

import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from .database import connect, refusal

_TABLES = ("replies", "lookups")


@dataclass(frozen=True, slots=True)
class Contents:
    """How many replies and look-ups, and the size of the file in bytes, 0 when there is none."""

    replies: int = 0
    lookups: int = 0
    size_bytes: int = 0


def cache_info(path: Path) -> Contents:
    """What the cache in this file holds; the file is not made where it is missing. Raises
    UsageError."""
    return _contents(path, clear=False)


def clear_cache(path: Path) -> Contents:
    """Takes everything out, and returns what that was. Runs that use the cache go on, and keep what
    they ask from then on. Raises UsageError."""
    return _contents(path, clear=True)


def _contents(path: Path, *, clear: bool) -> Contents:
    if not path.exists():
        return Contents()
    with closing(connect(path)) as connection:
        try:
            if not clear:
                replies, lookups = (
                    connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
                    for table in _TABLES
                )
            else:
                replies, lookups = (
                    connection.execute(f"DELETE FROM {table}").rowcount for table in _TABLES
                )
                # the file itself stays: a run that has it open would go on writing into one that
                # nobody finds any more
                connection.execute("VACUUM")
                connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        except sqlite3.Error as error:
            raise refusal(path, error) from None
    files = (path, path.with_name(f"{path.name}-wal"))
    size_bytes = sum(file.stat().st_size for file in files if file.exists())
    return Contents(replies, lookups, size_bytes)
