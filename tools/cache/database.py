"""The cache's file: where it is, what is in it, how it is opened, why one is refused, and how it is written to."""

import errno
import os
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from ...state.errors import UsageError

PATIENCE_S = 30.0
"""How long a writer waits for other processes that write, the tidying after `fathom cache clear` among them."""
_APPLICATION = 0x46415448
"""Marks the file as Fathom's (PRAGMA application_id): another program's database is never written to."""
_FORMAT = 1
"""Version of the tables (PRAGMA user_version)."""
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
_ELSEWHERE = "set FATHOM_CACHE to another file"
Row = tuple[object, ...]


def cache_path(env: Mapping[str, str]) -> Path:
    """FATHOM_CACHE, else `fathom/cache.sqlite` below XDG_CACHE_HOME, else below `~/.cache`."""
    if own := env.get("FATHOM_CACHE", "").strip():
        return Path(own).expanduser().absolute()
    base = Path(env.get("XDG_CACHE_HOME", "").strip())
    if not base.is_absolute():  # the XDG specification has relative ones ignored
        base = Path(env.get("HOME", "").strip() or "~").expanduser() / ".cache"
    return base / "fathom" / "cache.sqlite"


def connect(path: Path, *, patience_s: float = PATIENCE_S) -> sqlite3.Connection:
    """A connection that may write, in autocommit mode; the file and its folder are made, for their owner only, where
    they are missing. Usable from any one thread at a time. Raises UsageError: damaged, another program's, from a newer
    Fathom, not writable, or locked for longer than the patience."""
    try:
        _make_file(path)
        connection = _connection(str(path), patience_s)
        try:
            _prepare(connection, path, patience_s)
        except BaseException:
            connection.close()
            raise
    except (OSError, sqlite3.Error) as error:
        raise refusal(path, error, patience_s) from None
    return connection


def reason_of(error: Exception) -> str:
    """Why the system or SQLite would not, in its own few words."""
    return (error.strerror if isinstance(error, OSError) else None) or str(error) or type(error).__name__


def is_busy(error: BaseException) -> bool:
    """Whether another process held the lock for longer than the patience."""
    # the low byte is the primary code, whatever SQLite adds above it
    return isinstance(error, sqlite3.OperationalError) and error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY


def refusal(path: Path, error: OSError | sqlite3.Error, patience_s: float = PATIENCE_S) -> UsageError:
    """The sentence about a cache that cannot be used."""
    if is_busy(error):
        fault, mend = f"has been locked by another program for {patience_s:g} s", "end that"
    elif getattr(error, "sqlite_errorcode", 0) & 0xFF in (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT):
        fault, mend = f"is damaged ({reason_of(error)})", "remove it"
    else:
        fault, mend = f"cannot be written ({reason_of(error)})", "mend that"
    return UsageError(f"The cache {path} {fault}: {mend}, or {_ELSEWHERE}.")


def _make_file(path: Path) -> None:
    if not path.parent.is_dir():
        try:
            path.parent.parent.mkdir(parents=True, exist_ok=True)
            path.parent.mkdir(mode=0o700, exist_ok=True)
        except FileExistsError:
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR)) from None
    # made here because SQLite gives the files beside it the rights of this one; a file that is there is left alone,
    # because closing it would drop the locks by which this process's other connections keep their log from removal
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))


def _connection(database: str, patience_s: float) -> sqlite3.Connection:
    return sqlite3.connect(database, timeout=patience_s, isolation_level=None, check_same_thread=False)


@contextmanager
def _transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """All of it or nothing; no other process writes meanwhile."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")


def _prepare(connection: sqlite3.Connection, path: Path, patience_s: float) -> None:
    """Checks whose file it is, makes the tables in an empty one, and sees that it can be written."""
    questions = ("PRAGMA application_id", "PRAGMA user_version", "SELECT count(*) FROM sqlite_master")
    connection.execute("PRAGMA synchronous=NORMAL")  # a power cut may cost the last replies, never the file
    with _transaction(connection):
        application, version, tables = (int(connection.execute(one).fetchall()[0][0]) for one in questions)
        if application not in (0, _APPLICATION) or (application == 0 and tables):
            raise UsageError(f"{path} is a database of another program, not a cache of Fathom's: {_ELSEWHERE}.")
        if version > _FORMAT:
            raise UsageError(
                f"The cache {path} is of a newer Fathom (format {version}, this one reads {_FORMAT}):"
                f" update Fathom, or {_ELSEWHERE}."
            )
        if not tables:
            for statement in _TABLES.split(";"):
                connection.execute(statement)
            connection.execute(f"PRAGMA application_id={_APPLICATION}")
        connection.execute(f"PRAGMA user_version={_FORMAT}")  # the first statement that a read-only file refuses
    if connection.execute("PRAGMA journal_mode").fetchall() != [("wal",)]:
        _to_wal(connection, patience_s)


def _to_wal(connection: sqlite3.Connection, patience_s: float) -> None:
    from tenacity import Retrying, retry_if_exception, stop_after_delay, wait_fixed

    # the one statement for which SQLite does not wait by itself when two processes make the file at once
    retrying = Retrying(
        retry=retry_if_exception(is_busy), stop=stop_after_delay(patience_s), wait=wait_fixed(0.02), reraise=True
    )
    retrying(connection.execute, "PRAGMA journal_mode=WAL")


class Writer:
    """Inserts rows, many in one transaction: it costs more than a row, and a statement that runs beside a busy event
    loop waits for its turn at the interpreter."""

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        """The connection is the writer's own."""
        self._connection = connection
        self.path = path
        self._file = _identity(path)
        self._hurried = False

    def write(self, rows: Sequence[tuple[str, Row]]) -> str | None:
        """Rows with their tables; a key that is there already keeps its row. None, or why nothing was written."""
        try:
            if _identity(self.path) != self._file:
                return "the file was removed or replaced while it was in use"
            with _transaction(self._connection):
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
        """After a lock that outlasted the patience no other call waits for it as long, until it is gone."""
        if hurried != self._hurried:
            self._hurried = hurried
            self._connection.execute(f"PRAGMA busy_timeout={0 if hurried else round(PATIENCE_S * 1000)}")


def _insert(connection: sqlite3.Connection, table: str, rows: Sequence[Row]) -> None:
    """Inserts these rows in one statement; those whose key is there are left out."""
    places = ",".join([f"({','.join('?' * len(rows[0]))})"] * len(rows))
    connection.execute(f"INSERT OR IGNORE INTO {table} VALUES {places}", [cell for row in rows for cell in row])


def _identity(path: Path) -> tuple[int, int]:
    found = os.stat(path)
    return found.st_dev, found.st_ino
