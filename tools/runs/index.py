"""The index of a campaign: how each of its cells stands, in a file beside the runs or in a
PostgreSQL database."""

import asyncio
import json
import sqlite3
from collections.abc import Callable, Iterable, Sequence
from datetime import date
from pathlib import Path
from threading import Lock
from typing import Protocol, TypeVar

from ...state.campaign import CellState
from ...state.errors import RunFailed, UsageError
from .. import sqlite
from . import cell_rows

T = TypeVar("T")
NAME = ".cells.sqlite"
_KIND = sqlite.Kind(
    "index of cells", cell_rows.TABLES, 0x46415443, "choose another folder with --runs"
)


class Index(Protocol):
    """What is known of cells, over all processes that work on them."""

    async def began(
        self,
        study: str,
        today: date,
        *,
        keep: bool = True,
    ) -> date:
        """The as_of date of the study with this name: today at its first run, from then on kept if
        that is meant."""
        ...

    async def read(self, cells: Sequence[str]) -> dict[str, CellState]:
        """The states of these cells, as far as they are known."""
        ...

    async def write(self, states: Iterable[CellState]) -> None:
        """Each replaces the one of the same cell, unless that has another run already; all or none.
        Safe when it returns."""
        ...

    async def aclose(self) -> None: ...


async def open_index(runs: Path | None, store: str | None) -> Index:
    """The index in the database `store`, else the one in the folder `runs`. Raises UsageError when
    there is neither, or it cannot be used."""
    if store is not None:
        from .postgres import PostgresRuns

        return await PostgresRuns.open(store)
    if runs is None:
        raise UsageError(
            "No place for the cells is named: give a folder with --runs, or a database with "
            "--store."
        )
    return await FileIndex.open(runs)


class FileIndex:
    """An index in a SQLite file, for processes of one machine: several may read and write at once.
    (SQLite's log does not work over a network's file system.)

    Its methods raise RunFailed when the file can no longer be read or written, UsageError when it
    is damaged.
    """

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        """Use `open`."""
        self.path = path
        self._connection = connection
        self._file = sqlite.identity(path)
        self._one_at_a_time = (
            Lock()
        )  # of the thread: one whose caller was cancelled goes on to its end

    @classmethod
    async def open(cls, runs: Path) -> "FileIndex":
        """The index in this folder, which is made where it is missing. Raises UsageError when the
        file is damaged, another program's, from a newer Fathom, or cannot be written."""
        path = runs / NAME
        return cls(path, await asyncio.to_thread(sqlite.connect, path, _KIND))

    async def began(
        self,
        study: str,
        today: date,
        *,
        keep: bool = True,
    ) -> date:
        name = cell_rows.plain(study)

        def ask() -> str:
            if keep:
                new = (name, today.isoformat())
                self._connection.execute(
                    "INSERT INTO fathom_studies VALUES (?, ?) ON CONFLICT DO NOTHING", new
                )
            query = "SELECT began FROM fathom_studies WHERE study = ?"
            row = self._connection.execute(query, (name,)).fetchone()
            return str(row[0]) if row else today.isoformat()

        return date.fromisoformat(await self._do(ask))

    async def read(self, cells: Sequence[str]) -> dict[str, CellState]:
        chosen = json.dumps([cell_rows.plain(cell) for cell in cells])

        def ask() -> dict[str, CellState]:
            query = (
                "SELECT record FROM fathom_cells WHERE cell IN (SELECT value FROM json_each(?))"
            )
            records = self._connection.execute(query, (chosen,)).fetchall()
            return cell_rows.states_of(
                (str(record) for (record,) in records), f"The index of cells {self.path}"
            )

        return await self._do(ask)

    async def write(self, states: Iterable[CellState]) -> None:
        rows = cell_rows.rows_of(states)

        def insert_rows() -> None:
            insert = f"INSERT INTO fathom_cells VALUES (?, ?, ?, ?, ?, ?, ?) {cell_rows.WRITE}"
            with sqlite.transaction(self._connection):
                self._connection.executemany(insert, rows)

        await self._do(insert_rows)

    async def aclose(self) -> None:
        await asyncio.to_thread(self._close)

    def _close(self) -> None:
        with self._one_at_a_time:
            self._connection.close()

    async def _do(self, work: Callable[[], T]) -> T:
        return await asyncio.to_thread(self._guarded, work)

    def _guarded(self, work: Callable[[], T]) -> T:
        """Raises the sentence about a file that was removed, damaged, or has no room."""
        try:
            with self._one_at_a_time:
                if (
                    sqlite.identity(self.path) != self._file
                ):  # what is written there, nobody finds
                    raise FileNotFoundError(2, "it was replaced while it was in use")
                return work()
        except (OSError, sqlite3.Error) as error:
            refusal = sqlite.refusal(self.path, _KIND, error)
            if sqlite.is_damage(error):
                raise refusal from None
            raise RunFailed(str(refusal)) from None
