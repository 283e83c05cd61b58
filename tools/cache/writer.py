"""What writes into the cache's file: whatever waits is committed together, beside the event loop."""

import asyncio
import os
import sqlite3
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

from .database import PATIENCE_S, is_busy, reason_of

Row = tuple[object, ...]
_MOST_AT_ONCE = 256


class Writer:
    """Inserts rows in one transaction for all that have come in meanwhile.

    A transaction costs more than a row, and a statement that runs beside a busy event loop waits for its turn at the
    interpreter: so many rows share both.
    """

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        """The connection is the writer's own."""
        self._connection = connection
        self._path = path
        self._file = _identity(path)
        self._waiting: list[tuple[str, Row, asyncio.Future[str | None]]] = []
        self._writing: asyncio.Task[None] | None = None
        self._hurried = False

    def put(self, table: str, row: Row) -> "asyncio.Future[str | None]":
        """A future of the running loop: None once the row is committed (a key that is there already keeps its row),
        else why it could not be written. It must not be cancelled."""
        landed: asyncio.Future[str | None] = asyncio.get_running_loop().create_future()
        self._waiting.append((table, row, landed))
        if self._writing is None or self._writing.done():
            self._writing = asyncio.create_task(self._write())
        return landed

    async def aclose(self) -> None:
        """Returns when all that was put is written, or has failed. Nothing may be put afterwards."""
        if self._writing is not None:
            await self._writing
        await asyncio.to_thread(self._connection.close)

    async def _write(self) -> None:
        while self._waiting:
            batch, self._waiting = self._waiting[:_MOST_AT_ONCE], self._waiting[_MOST_AT_ONCE:]
            trouble = await asyncio.to_thread(self._commit, [(table, row) for table, row, _ in batch])
            for _, _, landed in batch:
                landed.set_result(trouble)

    def _commit(self, rows: Sequence[tuple[str, Row]]) -> str | None:
        """None, or why nothing of it was written."""
        try:
            if _identity(self._path) != self._file:
                return "the file was removed or replaced while it was in use"
            self._insert(rows)
        except (OSError, sqlite3.Error) as error:
            self._hurry(is_busy(error))
            return reason_of(error)
        self._hurry(False)
        return None

    def _insert(self, rows: Sequence[tuple[str, Row]]) -> None:
        connection = self._connection
        connection.execute("BEGIN IMMEDIATE")
        try:
            for table, some in groupby(sorted(rows, key=_table), key=_table):
                values = [row for _, row in some]
                connection.execute(insertion(table, values), [value for row in values for value in row])
            connection.execute("COMMIT")
        finally:
            if connection.in_transaction:
                connection.execute("ROLLBACK")

    def _hurry(self, hurried: bool) -> None:
        """After a lock that outlasted the patience no other call waits for it as long, until it is gone."""
        if hurried != self._hurried:
            self._hurried = hurried
            self._connection.execute(f"PRAGMA busy_timeout={0 if hurried else round(PATIENCE_S * 1000)}")


def insertion(table: str, rows: Sequence[Row]) -> str:
    """The statement that inserts these rows; those whose key is there are left out."""
    places = f"({','.join('?' * len(rows[0]))})"
    return f"INSERT OR IGNORE INTO {table} VALUES {','.join([places] * len(rows))}"


def _table(entry: tuple[str, Row]) -> str:
    return entry[0]


def _identity(path: Path) -> tuple[int, int]:
    found = os.stat(path)
    return found.st_dev, found.st_ino
