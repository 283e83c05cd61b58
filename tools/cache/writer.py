"""The one thread that writes: whatever waits is committed together."""

import asyncio
import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread

from .database import PATIENCE_S, is_busy, reason_of

Row = tuple[object, ...]
_MOST_AT_ONCE = 256


@dataclass(frozen=True, slots=True)
class _Write:
    table: str
    row: Row
    landed: "asyncio.Future[str | None]"


class Writer:
    """Inserts rows on a thread of its own, in one transaction for all that has come in meanwhile.

    A transaction costs more than a row, and a statement that runs beside a busy event loop waits for its turn at the
    interpreter: so many rows share both.
    """

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        """The connection is used, and in the end closed, by the thread alone."""
        self._connection = connection
        self._path = path
        self._file = _identity(path)
        self._queue: SimpleQueue[_Write | None] = SimpleQueue()
        self._ending = False
        self._hurried = False
        self._thread = Thread(target=self._run, name="fathom-cache", daemon=True)
        self._thread.start()

    def put(self, table: str, row: Row) -> "asyncio.Future[str | None]":
        """A future of the running loop: None once the row is committed (a key that is there already keeps its row),
        else why it could not be written. It must not be cancelled."""
        write = _Write(table, row, asyncio.get_running_loop().create_future())
        self._queue.put(write)
        return write.landed

    async def aclose(self) -> None:
        """Returns when all that was put is written, or has failed. Nothing may be put afterwards."""
        self._queue.put(None)
        await asyncio.to_thread(self._thread.join)

    def _run(self) -> None:
        while not self._ending:
            first = self._queue.get()
            batch = [first, *self._waiting()] if first is not None else []
            self._ending = self._ending or first is None
            if batch:
                _tell(batch, self._commit(batch))
        self._connection.close()

    def _waiting(self) -> Iterator[_Write]:
        for _ in range(_MOST_AT_ONCE - 1):
            try:
                write = self._queue.get_nowait()
            except Empty:
                return
            if write is None:
                self._ending = True
                return
            yield write

    def _commit(self, batch: Sequence[_Write]) -> str | None:
        """None, or why nothing of the batch was written."""
        try:
            if _identity(self._path) != self._file:
                return "the file was removed or replaced while it was in use"
            self._insert(batch)
        except Exception as error:  # noqa: BLE001  # a thread that ended would leave every later call waiting for ever
            self._hurry(is_busy(error))
            return reason_of(error)
        self._hurry(False)
        return None

    def _insert(self, batch: Sequence[_Write]) -> None:
        connection = self._connection
        connection.execute("BEGIN IMMEDIATE")
        try:
            for table in sorted({write.table for write in batch}):
                rows = [write.row for write in batch if write.table == table]
                while rows:
                    # powers of two: few different statements, so that each is prepared once
                    size = 1 << (len(rows).bit_length() - 1)
                    some, rows = rows[:size], rows[size:]
                    connection.execute(insertion(table, len(some[0]), size), [value for row in some for value in row])
            connection.execute("COMMIT")
        finally:
            if connection.in_transaction:
                connection.execute("ROLLBACK")

    def _hurry(self, hurried: bool) -> None:
        """After a lock that outlasted the patience no other call waits for it as long, until it is gone."""
        if hurried != self._hurried:
            self._hurried = hurried
            self._connection.execute(f"PRAGMA busy_timeout={0 if hurried else round(PATIENCE_S * 1000)}")


def insertion(table: str, columns: int, rows: int) -> str:
    """The statement that inserts so many rows, each of so many columns; rows whose key is there are left out."""
    places = f"({','.join('?' * columns)})"
    return f"INSERT OR IGNORE INTO {table} VALUES {','.join([places] * rows)}"


def _tell(batch: Sequence[_Write], trouble: str | None) -> None:
    loops = {write.landed.get_loop() for write in batch}
    for loop in loops:
        mine = [write.landed for write in batch if write.landed.get_loop() is loop]
        with suppress(RuntimeError):  # the loop is closed: nobody waits any more
            loop.call_soon_threadsafe(_land, mine, trouble)


def _land(futures: "Sequence[asyncio.Future[str | None]]", trouble: str | None) -> None:
    for future in futures:
        if not future.done():
            future.set_result(trouble)


def _identity(path: Path) -> tuple[int, int]:
    found = os.stat(path)
    return found.st_dev, found.st_ino
