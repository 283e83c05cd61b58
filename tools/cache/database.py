"""The cache's file: where it is, how it is written to, what is in it, and making it empty."""

import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from .. import sqlite
from ..sqlite import PATIENCE_S, Kind, identity, is_busy, reason_of, transaction

_TABLES = """
CREATE TABLE replies (
  key TEXT PRIMARY KEY,
  place TEXT NOT NULL,
  model TEXT NOT NULL,
  purpose TEXT NOT NULL,
  reply TEXT NOT NULL,
  input_tokens INTEGER NOT NULL,
  output_tokens INTEGER NOT NULL,
  cost_usd REAL,
  created_at TEXT NOT NULL,
  run_id TEXT NOT NULL
);
CREATE INDEX replies_of_run ON replies (run_id);
CREATE TABLE lookups (
  key TEXT PRIMARY KEY,
  source TEXT NOT NULL,
  place TEXT NOT NULL,
  tier TEXT,
  concept TEXT NOT NULL,
  found TEXT NOT NULL,
  retrieved_at TEXT NOT NULL
);
"""
_NAMES = ("replies", "lookups")
_CACHE = Kind("cache", _TABLES, 0x46415448, "set FATHOM_CACHE to another file", private=True)
Row = tuple[object, ...]


def cache_path(env: Mapping[str, str]) -> Path:
    """FATHOM_CACHE, a file or a folder; else `fathom/cache.sqlite` below XDG_CACHE_HOME, else below
    `~/.cache`."""
    if chosen := env.get("FATHOM_CACHE", "").strip():
        path = Path(chosen).expanduser().absolute()
        return path / "cache.sqlite" if path.is_dir() or chosen.endswith("/") else path
    base = Path(env.get("XDG_CACHE_HOME", "").strip())
    if not base.is_absolute():  # the XDG specification has relative ones ignored
        base = Path(env.get("HOME", "").strip() or "~").expanduser() / ".cache"
    return base / "fathom" / "cache.sqlite"


def connect(path: Path, *, patience_s: float = PATIENCE_S) -> sqlite3.Connection:
    """A connection to the cache in this file, which is made, for its owner only, where it is
    missing. Raises UsageError (see `sqlite.connect`)."""
    return sqlite.connect(path, _CACHE, patience_s=patience_s)


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
            counts = [
                connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
                for table in _NAMES
            ]
            if clear:
                counts = [connection.execute(f"DELETE FROM {table}").rowcount for table in _NAMES]
                # the file itself stays: a run that has it open would go on writing into one that
                # nobody finds any more
                connection.execute("VACUUM")
                connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        except sqlite3.Error as error:
            raise sqlite.refusal(path, _CACHE, error) from None
    files = (path, path.with_name(f"{path.name}-wal"))
    size_bytes = sum(file.stat().st_size for file in files if file.exists())
    return Contents(counts[0], counts[1], size_bytes)


class Writer:
    """Inserts rows, many in one transaction: it costs more than a row, and a statement that runs
    beside a busy event loop waits for its turn at the interpreter."""

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        """The connection is the writer's own."""
        self._connection = connection
        self.path = path
        self._file = identity(path)

    def write(self, rows: Sequence[tuple[str, Row]]) -> str | None:
        """Rows with their tables; a key that is there already keeps its row. None, or why nothing
        was written."""
        try:
            if identity(self.path) != self._file:
                return "the file was removed or replaced while it was in use"
            with transaction(self._connection):
                for name in _NAMES:
                    _insert(self._connection, name, [row for table, row in rows if table == name])
        except (OSError, sqlite3.Error) as error:
            if is_busy(error):  # the lock outlasted all patience: no other call waits as long
                self._connection.execute("PRAGMA busy_timeout=0")
            return reason_of(error)
        return None

    def close(self) -> None:
        self._connection.close()


def _insert(connection: sqlite3.Connection, table: str, rows: Sequence[Row]) -> None:
    """Inserts these rows in one statement; those whose key is there are left out."""
    if not rows:
        return
    marks = ",".join([f"({','.join('?' * len(rows[0]))})"] * len(rows))
    connection.execute(
        f"INSERT OR IGNORE INTO {table} VALUES {marks}", [cell for row in rows for cell in row]
    )
