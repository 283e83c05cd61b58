"""The cache's file: where it is, what is in it, and how it is written to."""

import sqlite3
from collections.abc import Mapping, Sequence
from pathlib import Path

from ...state.errors import UsageError
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
_CACHE = Kind("cache", _TABLES, 0x46415448, "set FATHOM_CACHE to another file", private=True)
Row = tuple[object, ...]


def cache_path(env: Mapping[str, str]) -> Path:
    """FATHOM_CACHE, a file or a folder; else `fathom/cache.sqlite` below XDG_CACHE_HOME, else below
    `~/.cache`."""
    if own := env.get("FATHOM_CACHE", "").strip():
        path = Path(own).expanduser().absolute()
        return path / "cache.sqlite" if path.is_dir() or own.endswith("/") else path
    base = Path(env.get("XDG_CACHE_HOME", "").strip())
    if not base.is_absolute():  # the XDG specification has relative ones ignored
        base = Path(env.get("HOME", "").strip() or "~").expanduser() / ".cache"
    return base / "fathom" / "cache.sqlite"


def connect(path: Path, *, patience_s: float = PATIENCE_S) -> sqlite3.Connection:
    """A connection to the cache in this file, which is made, for its owner only, where it is
    missing. Raises UsageError (see `sqlite.connect`)."""
    return sqlite.connect(path, _CACHE, patience_s=patience_s)


def refusal(path: Path, error: sqlite3.Error) -> UsageError:
    """The sentence about a cache that cannot be used."""
    return sqlite.refusal(path, _CACHE, error)


class Writer:
    """Inserts rows, many in one transaction: it costs more than a row, and a statement that runs
    beside a busy event loop waits for its turn at the interpreter."""

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        """The connection is the writer's own."""
        self._connection = connection
        self.path = path
        self._file = identity(path)
        self._hurried = False

    def write(self, rows: Sequence[tuple[str, Row]]) -> str | None:
        """Rows with their tables; a key that is there already keeps its row. None, or why nothing
        was written."""
        try:
            if identity(self.path) != self._file:
                return "the file was removed or replaced while it was in use"
            with transaction(self._connection):
                for table in {table for table, _ in rows}:
                    _insert(self._connection, table, [row for its, row in rows if its == table])
        except (OSError, sqlite3.Error) as error:
            self._hurry(is_busy(error))
            return reason_of(error)
        self._hurry(False)
        return None

    def close(self) -> None:
        self._connection.close()

    def _hurry(self, hurried: bool) -> None:
        """After a lock that outlasted the patience no other call waits for it as long, until it is
        gone."""
        if hurried != self._hurried:
            self._hurried = hurried
            self._connection.execute(
                f"PRAGMA busy_timeout={0 if hurried else round(PATIENCE_S * 1000)}"
            )


def _insert(connection: sqlite3.Connection, table: str, rows: Sequence[Row]) -> None:
    """Inserts these rows in one statement; those whose key is there are left out."""
    places = ",".join([f"({','.join('?' * len(rows[0]))})"] * len(rows))
    connection.execute(
        f"INSERT OR IGNORE INTO {table} VALUES {places}", [cell for row in rows for cell in row]
    )
