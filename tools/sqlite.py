"""SQLite files of Fathom's own: how one is opened, whose it must be, and why one is refused."""

import errno
import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from ..state.errors import UsageError

PATIENCE_S = 30.0
"""How long a writer waits for other processes that write, the tidying after `fathom cache clear`
among them."""


class Kind(NamedTuple):
    """What a file holds. Another program's database is never written to."""

    name: str
    """As in “The cache PATH is damaged”."""
    tables: str
    """The statements that make them, separated by semicolons."""
    application: int
    """Marks the file (PRAGMA application_id)."""
    elsewhere: str
    """What to do where the file cannot be used."""
    format: int = 1
    """Version of the tables (PRAGMA user_version)."""
    private: bool = False
    """Whether the file is its owner's alone."""
    upgrade: str = ""
    """The statements that make a file of an older format one of this; empty: there is none."""


def connect(path: Path, kind: Kind, *, patience_s: float = PATIENCE_S) -> sqlite3.Connection:
    """A connection that may write, in autocommit mode; the file and its folder are made where they
    are missing. Usable from any one thread at a time. Raises UsageError: damaged, another
    program's, from a newer Fathom, not writable, or locked for longer than the patience."""
    try:
        _make_file(path, private=kind.private)
        connection = sqlite3.connect(
            str(path), timeout=patience_s, isolation_level=None, check_same_thread=False
        )
        try:
            _prepare(connection, path, kind, patience_s)
        except BaseException:
            connection.close()
            raise
    except (OSError, sqlite3.Error) as error:
        raise refusal(path, kind, error, patience_s) from None
    return connection


def reason_of(error: Exception) -> str:
    """Why the system or SQLite would not, in its own few words."""
    return (
        (error.strerror if isinstance(error, OSError) else None)
        or str(error)
        or type(error).__name__
    )


def is_busy(error: BaseException) -> bool:
    """Whether another process held the lock for longer than the patience."""
    # the low byte is the primary code, whatever SQLite adds above it
    return (
        isinstance(error, sqlite3.OperationalError)
        and error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY
    )


def is_damage(error: BaseException) -> bool:
    """Whether the file is no sound database."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in (
        sqlite3.SQLITE_NOTADB,
        sqlite3.SQLITE_CORRUPT,
    )


def refusal(
    path: Path, kind: Kind, error: Exception, patience_s: float = PATIENCE_S
) -> UsageError:
    """What is wrong with a file that cannot be used, and how that is mended."""
    if is_busy(error):
        state, advice = f"has been locked by another program for {patience_s:g} s", "end that"
    elif is_damage(error):
        state, advice = f"is damaged ({reason_of(error)})", "remove it"
    else:
        state, advice = (
            f"cannot be written ({reason_of(error)})",
            "fix its permissions or the disk",
        )
    return UsageError(f"The {kind.name} {path} {state}: {advice}, or {kind.elsewhere}.")


def identity(path: Path) -> tuple[int, int]:
    """Of the file that has this name now: another one after it was removed or replaced. Raises
    OSError."""
    status = os.stat(path)
    return status.st_dev, status.st_ino


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """All of it or nothing; no other process writes meanwhile."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")


def _make_file(path: Path, *, private: bool) -> None:
    if not path.parent.is_dir():
        try:
            path.parent.parent.mkdir(parents=True, exist_ok=True)
            path.parent.mkdir(mode=0o700 if private else 0o777, exist_ok=True)
        except FileExistsError:
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR)) from None
    # made here because SQLite gives the files beside it the rights of this one; a file that is
    # there is left alone, because closing it would drop the locks by which this process's other
    # connections keep their log from removal
    mode = 0o600 if private else 0o666
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode))


def _prepare(
    connection: sqlite3.Connection,
    path: Path,
    kind: Kind,
    patience_s: float,
) -> None:
    """Checks whose file it is, makes the tables in an empty one, and sees that it can be
    written."""
    connection.execute(
        "PRAGMA synchronous=NORMAL"
    )  # a power cut may cost the last writes, never the file
    with transaction(connection):
        statements = "" if _require_own(connection, path, kind) else kind.tables
        if (
            not statements
            and connection.execute("PRAGMA user_version").fetchone()[0] < kind.format
        ):
            statements = kind.upgrade
        for statement in statements.split(";"):
            connection.execute(statement)
        connection.execute(f"PRAGMA application_id={kind.application}")
        connection.execute(
            f"PRAGMA user_version={kind.format}"
        )  # the first statement that a read-only file refuses
    if connection.execute("PRAGMA journal_mode").fetchall() != [("wal",)]:
        _to_wal(connection, patience_s)


def _require_own(connection: sqlite3.Connection, path: Path, kind: Kind) -> int:
    """How many tables the file has. Raises UsageError when it is another program's, or from a newer
    Fathom."""
    queries = (
        "PRAGMA application_id",
        "PRAGMA user_version",
        "SELECT count(*) FROM sqlite_master",
    )
    application, version, tables = (
        int(connection.execute(query).fetchall()[0][0]) for query in queries
    )
    if application not in (0, kind.application) or (application == 0 and tables):
        raise UsageError(
            f"{path} is a database of another program, not a Fathom {kind.name}: {kind.elsewhere}."
        )
    if version > kind.format:
        raise UsageError(
            f"The {kind.name} {path} is of a newer Fathom (format {version}, this one reads "
            f"{kind.format}):"
            f" update Fathom, or {kind.elsewhere}."
        )
    return tables


def _to_wal(connection: sqlite3.Connection, patience_s: float) -> None:
    from tenacity import Retrying, retry_if_exception, stop_after_delay, wait_fixed

    # the one statement for which SQLite does not wait by itself when two processes make the file at
    # once
    retrying = Retrying(
        retry=retry_if_exception(is_busy),
        stop=stop_after_delay(patience_s),
        wait=wait_fixed(0.02),
        reraise=True,
    )
    retrying(connection.execute, "PRAGMA journal_mode=WAL")
