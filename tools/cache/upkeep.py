"""What is in the cache, and making it smaller; both beside runs that use it."""

import sqlite3
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from .database import connect, refusal


@dataclass(frozen=True, slots=True)
class Replies:
    """The replies of one model at one place. Tokens and `cost_usd` are what having them again would
    take; the cost is None when none of their prices is known, and leaves out the `unpriced` ones.
    """

    place: str
    model: str
    replies: int
    input_tokens: int
    output_tokens: int
    cost_usd: float | None
    unpriced: int
    oldest: datetime
    newest: datetime


@dataclass(frozen=True, slots=True)
class Lookups:
    """The look-ups at one source."""

    source: str
    place: str
    lookups: int
    empty: int
    """Of them, those that found nothing."""
    oldest: datetime
    newest: datetime


@dataclass(frozen=True, slots=True)
class CacheInfo:
    """What the cache holds. Sizes in bytes; the file's are 0 when there is none yet."""

    path: Path
    exists: bool
    size_bytes: int
    replies: tuple[Replies, ...] = ()
    lookups: tuple[Lookups, ...] = ()


@dataclass(frozen=True, slots=True)
class Removed:
    """How much was taken out, and how large the file is now."""

    replies: int
    lookups: int
    size_bytes: int


_NEVER = "later than any time"
"""Sorts behind all times, which begin with a digit."""
_REPLIES = """
SELECT place, model, count(*), sum(input_tokens), sum(output_tokens), sum(cost_usd), count(*) - count(cost_usd),
       min(created_at), max(created_at)
FROM replies GROUP BY place, model ORDER BY place, model
"""
_LOOKUPS = """
SELECT source, place, count(*), sum(found = '[]'), min(retrieved_at), max(retrieved_at)
FROM lookups GROUP BY source, place ORDER BY source, place
"""


def cache_info(path: Path) -> CacheInfo:
    """What the cache in this file holds; the file is not made where it is missing. Raises
    UsageError."""
    if not path.exists():
        return CacheInfo(path, exists=False, size_bytes=0)
    with closing(connect(path)) as connection:
        try:
            replies = tuple(
                Replies(*row[:7], *_times(row[7:]))
                for row in connection.execute(_REPLIES).fetchall()
            )
            lookups = tuple(
                Lookups(*row[:4], *_times(row[4:]))
                for row in connection.execute(_LOOKUPS).fetchall()
            )
        except sqlite3.Error as error:
            raise refusal(path, error) from None
    return CacheInfo(path, True, _size(path), replies, lookups)


def clear_cache(path: Path) -> Removed:
    """Takes everything out. Runs that use the cache go on, and keep what they ask from then on.
    Raises UsageError."""
    return _remove(path, _NEVER)


def prune_cache(path: Path, before: datetime) -> Removed:
    """Takes out what was asked before this moment. Raises UsageError."""
    return _remove(path, before.astimezone(UTC).isoformat(timespec="seconds"))


def _remove(path: Path, before: str) -> Removed:
    if not path.exists():
        return Removed(0, 0, 0)
    with closing(connect(path)) as connection:
        try:
            replies = connection.execute(
                "DELETE FROM replies WHERE created_at < ?", (before,)
            ).rowcount
            lookups = connection.execute(
                "DELETE FROM lookups WHERE retrieved_at < ?", (before,)
            ).rowcount
            # the file itself stays: a run that has it open would go on writing into one that nobody
            # finds any more
            connection.execute("VACUUM")
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        except sqlite3.Error as error:
            raise refusal(path, error) from None
    return Removed(replies, lookups, _size(path))


def _times(texts: tuple[str, ...]) -> tuple[datetime, ...]:
    return tuple(datetime.fromisoformat(text) for text in texts)


def _size(path: Path) -> int:
    """With the log that SQLite keeps beside the file."""
    return sum(
        file.stat().st_size for file in (path, path.with_name(f"{path.name}-wal")) if file.exists()
    )
