"""Runs and their index in a PostgreSQL database: for workers on several machines, each run held by
one of them."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import suppress
from datetime import date
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from ...state.campaign import CellState
from ...state.errors import RunFailed, UsageError
from ..files.output import write_whole
from ..files.text import quoted
from ..postgres import extra_missing, patient, reason, unusable
from . import cell_rows
from .folders import EVENTS, LAUNCH, RESULT, SPEC

if TYPE_CHECKING:
    from psycopg import AsyncConnection

T = TypeVar("T")
_FILES = (SPEC, LAUNCH, RESULT)
_MOST_BYTES = 8 * 2**20
"""Of the lines that go out in one round trip; a longer one goes alone."""
_WATCHED: dict[str, str | int] = {
    "application_name": "fathom",
    "client_encoding": "UTF8",
    "keepalives_idle": 30,
    "keepalives_interval": 10,
    "keepalives_count": 3,
    "tcp_user_timeout": 60_000,
}
"""A server that has vanished is noticed within a minute."""
_SESSION = """
SET tcp_keepalives_idle = 30; SET tcp_keepalives_interval = 10; SET tcp_keepalives_count = 3
"""
"""So does the server, which then gives the runs of a machine that has vanished to others."""
_TABLES = f"""
{cell_rows.TABLES};
CREATE TABLE fathom_files (run TEXT, name TEXT, content BYTEA NOT NULL, PRIMARY KEY (run, name));
CREATE TABLE fathom_journals (run TEXT, nth BIGINT GENERATED ALWAYS AS IDENTITY, line BYTEA, PRIMARY KEY (run, nth))
"""
_APPEND = """
INSERT INTO fathom_journals (run, line)
SELECT run, line FROM unnest(%b::text[], %b::bytea[]) WITH ORDINALITY AS new (run, line, place) ORDER BY place
"""
_FETCH = f"""
SELECT name, content FROM fathom_files WHERE run = %(run)s UNION ALL
SELECT '{EVENTS}', string_agg(line, '' ORDER BY nth) FROM fathom_journals WHERE run = %(run)s HAVING count(*) > 0
"""
_KEEP = """
INSERT INTO fathom_files VALUES (%s, %s, %s) ON CONFLICT (run, name) DO UPDATE SET content = excluded.content
"""
_WRITE = f"""
INSERT INTO fathom_cells
SELECT * FROM unnest(%b::text[], %b::text[], %b::text[], %b::int[], %b::text[], %b::text[], %b::text[])
{cell_rows.WRITE}
"""


class PostgresRuns:
    """One connection of one process, which is also the fence: the runs that it holds are free for
    others as soon as the server has given it up, and from then on nothing can be written through
    it. (It cannot go through a pooler that gives each transaction another session.)

    What is asked of it is done one after the other, lines of journals that wait in a row in one
    round trip. What was begun is done even when the caller is cancelled. After the first failure of
    the database every method raises RunFailed, and a line that was not confirmed by then counts as
    not written.
    """

    def __init__(self, connection: "AsyncConnection[Any]") -> None:
        """Use `open`."""
        self._connection = connection
        self._turn = asyncio.Lock()
        self._held: set[str] = set()
        self._lines: list[tuple[str, bytes]] | None = None
        """Of journals, each with its run, while more can join them; else None."""
        self._size = 0
        self._writing: asyncio.Future[Any] | None = None
        self.broken: str | None = None
        """Why this connection is of no use any more, as a clause."""

    @classmethod
    async def open(cls, address: str) -> "PostgresRuns":
        """Connect, and make the tables where they are missing. Raises UsageError when the extra is
        missing or the database cannot be used."""
        try:
            import psycopg
        except ImportError:
            raise extra_missing("--store") from None
        try:
            connection = await psycopg.AsyncConnection.connect(
                patient(address, **_WATCHED), autocommit=True
            )
            try:
                await connection.execute(_SESSION)
                await _make_tables(connection)
            except BaseException:
                await connection.close()
                raise
        except psycopg.Error as error:
            raise unusable("database of the runs", "--store", error) from None
        return cls(connection)

    async def hold(self, run_id: str) -> bool:
        """Take the run for this process, until `release` or the end of the connection; False when
        another has it."""
        new = run_id not in self._held
        try:
            return await self._do(lambda: self._take(run_id))
        except asyncio.CancelledError:
            with suppress(RunFailed):
                if new:  # nobody knows of it
                    self._begin(lambda: self._give_back(run_id))
            raise

    async def release(self, run_id: str) -> None:
        """Let others work on the run, once what was begun for it is written."""
        await self._do(lambda: self._give_back(run_id))

    async def fetch(self, run_id: str, folder: Path) -> bool:
        """Write the run's spec.json, launch.json, events.jsonl and result.json as the database has
        them, and remove those it does not have; False, and nothing is changed, where it knows no
        such run. Raises UsageError when the folder cannot be written, or the database has a file
        that no run has."""
        files = dict(await self._ask(_FETCH, {"run": cell_rows.plain(run_id)}))
        if strange := sorted(files.keys() - {*_FILES, EVENTS}):
            raise UsageError(
                f"The database of the runs has a file {quoted(strange[0], 80)} for the run "
                f"{run_id}, which no run of"
                " Fathom has: nothing was written. See who else writes there, and take that row "
                "out."
            )
        if files:
            await asyncio.to_thread(_write_files, folder, files)
        return bool(files)

    async def keep(
        self,
        run_id: str,
        name: str,
        text: str,
    ) -> None:
        """Keep one of the run's files but the journal, in place of the one before."""
        if name not in _FILES:
            raise ValueError(f"{name} is none of {', '.join(_FILES)}")
        await self._ask(_KEEP, (cell_rows.plain(run_id), name, text.encode(errors="replace")))

    async def append(self, run_id: str, line: bytes) -> None:
        """Add a line to the run's journal, in the order of the calls. Safe when it returns."""
        if self._lines is None or self._size + len(line) > _MOST_BYTES:
            lines: list[tuple[str, bytes]] = []
            self._writing = self._begin(lambda: self._write_lines(lines))
            self._lines, self._size = lines, 0
        assert self._writing is not None
        self._lines.append((cell_rows.plain(run_id), line))
        self._size += len(line)
        await asyncio.shield(self._writing)

    async def _write_lines(self, lines: list[tuple[str, bytes]]) -> None:
        if self._lines is lines:
            self._lines = None
        await self._execute(_APPEND, _columns(lines))

    async def clear(self, run_id: str) -> None:
        """The run's journal begins anew."""
        await self._ask(
            "DELETE FROM fathom_journals WHERE run = %s", (cell_rows.plain(run_id),)
        )

    async def began(
        self,
        study: str,
        today: date,
        *,
        keep: bool = True,
    ) -> date:
        name, day = cell_rows.plain(study), today.isoformat()
        if keep:
            await self._ask(
                "INSERT INTO fathom_studies VALUES (%s, %s) ON CONFLICT DO NOTHING", (name, day)
            )
        rows = await self._ask("SELECT began FROM fathom_studies WHERE study = %s", (name,))
        return date.fromisoformat(rows[0][0] if rows else day)

    async def read(self, cells: Sequence[str]) -> dict[str, CellState]:
        chosen = [cell_rows.plain(cell) for cell in cells]
        rows = await self._ask(
            "SELECT record FROM fathom_cells WHERE cell = ANY(%s)", (chosen,)
        )
        return cell_rows.states_of((record for (record,) in rows), "The database of the runs")

    async def write(self, states: Iterable[CellState]) -> None:
        if rows := cell_rows.rows_of(states):
            await self._ask(_WRITE, _columns(rows))

    async def aclose(self) -> None:
        """Returns when what was begun is written and the runs that were held are free. May be
        called again."""
        if self.broken is None:
            # the server comes to the end of a connection later than its client
            leaving = self._begin(
                lambda: self._execute("SELECT pg_advisory_unlock_all()", None)
            )
            self.broken = "it was closed"
            await asyncio.wait([leaving])
            await self._connection.close()

    async def _ask(self, statement: str, values: Any) -> list[Any]:
        return await self._do(lambda: self._execute(statement, values))

    async def _execute(self, statement: str, values: Any) -> list[Any]:
        cursor = await self._connection.execute(statement, values)
        return await cursor.fetchall() if cursor.description else []

    async def _do(self, work: Callable[[], Awaitable[T]]) -> T:
        return await asyncio.shield(self._begin(work))

    def _begin(self, work: Callable[[], Awaitable[T]]) -> "asyncio.Task[T]":
        """Its place in the order is taken before anybody waits. Raises RunFailed when the
        connection is of no use."""
        if self.broken is not None:
            raise self._failure()
        self._lines = None  # none may join what comes before this
        task = asyncio.create_task(self._in_turn(work))
        # whoever waited may have been cancelled, and then nobody asks for it
        task.add_done_callback(lambda done: done.cancelled() or done.exception())
        return task

    async def _in_turn(self, work: Callable[[], Awaitable[T]]) -> T:
        async with self._turn:
            if self._connection.closed:
                raise self._failure()
            try:
                return await work()
            except BaseException as error:
                self.broken = reason(error)
                await self._connection.close()
                if isinstance(error, Exception):
                    raise self._failure() from error
                raise

    async def _take(self, run_id: str) -> bool:
        if run_id not in self._held:
            ((is_free,),) = await self._execute(
                "SELECT pg_try_advisory_lock(%s)", (_lock_of(run_id),)
            )
            if not is_free:
                return False
            self._held.add(run_id)
        return True

    async def _give_back(self, run_id: str) -> None:
        if run_id in self._held:
            await self._execute("SELECT pg_advisory_unlock(%s)", (_lock_of(run_id),))
            self._held.discard(run_id)

    def _failure(self) -> RunFailed:
        return RunFailed(
            f"The database of the runs failed ({self.broken}): see that the server is running, "
            "then run the study"
            " again."
        )


async def _make_tables(connection: "AsyncConnection[Any]") -> None:
    """Where they are missing: a user who may not make any can work with those that are there."""
    async with connection.transaction():
        await connection.execute("SELECT pg_advisory_xact_lock(%s)", (_lock_of("the tables"),))
        cursor = await connection.execute(
            "SELECT to_regclass('fathom_journals') IS NULL, getdatabaseencoding()"
        )
        ((missing, encoding),) = await cursor.fetchall()
        if encoding not in ("UTF8", "SQL_ASCII"):
            raise UsageError(
                f"The database of the runs is in {encoding}: make one with ENCODING 'UTF8' "
                "for --store."
            )
        if missing:
            await connection.execute(_TABLES)


def _columns(rows: Sequence[tuple[Any, ...]]) -> list[list[Any]]:
    return [list(column) for column in zip(*rows, strict=True)]


def _lock_of(name: str) -> int:
    digest = blake2b(
        name.encode(errors="replace"), digest_size=8, person=b"fathom run"
    ).digest()
    return int.from_bytes(digest, "big", signed=True)


def _write_files(folder: Path, files: dict[str, bytes]) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name in {*_FILES, EVENTS} - files.keys():
            (folder / name).unlink(missing_ok=True)
    except OSError as error:
        raise UsageError(
            f"The run folder {folder} cannot be written ({error.strerror or error})."
        ) from None
    for name, content in files.items():
        write_whole(folder / name, content, f"The run's {name}")
