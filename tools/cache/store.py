"""The cache: one SQLite table of what was asked before, shared by processes; and the store of one
launch, which reads at once, writes behind, shares what is under way, and never fails a run."""

import asyncio
import hashlib
import json
import sqlite3
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import closing, nullcontext
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar

import orjson
from pydantic import TypeAdapter

from .. import sqlite
from ..runs.log import get_logger
from ..sqlite import PATIENCE_S, Kind, identity, is_busy, reason_of, transaction

T = TypeVar("T")
READ_PATIENCE_S = 0.25
"""In WAL mode a reader waits for nobody but a process that mends the file after a crash."""
MOST_IN_MEMORY = 20_000
"""Entries that a store without a file holds; the oldest make room."""
_MOST_AT_ONCE = 256
_TABLE = """
CREATE TABLE entries (
  key TEXT PRIMARY KEY,
  kind TEXT NOT NULL,
  value TEXT NOT NULL,
  cost_usd REAL,
  run_id TEXT NOT NULL,
  created_at TEXT NOT NULL
);
CREATE INDEX entries_of_run ON entries (run_id)
"""
_TWO_TABLES = f"""{_TABLE};
INSERT INTO entries SELECT key, 'reply', reply, cost_usd, run_id, created_at FROM replies;
INSERT INTO entries SELECT key, 'lookup', found, NULL, '', retrieved_at FROM lookups;
DROP TABLE replies;
DROP TABLE lookups
"""
"""Makes a file of the first format one of this format."""
_CACHE = Kind(
    "cache",
    _TABLE,
    0x46415448,
    "set FATHOM_CACHE to another file",
    private=True,
    upgrade=_TWO_TABLES,
    format=2,
)
REPLY, LOOKUP = "reply", "lookup"
"""Kinds of entries."""


class Row(NamedTuple):
    """An entry as the file has it."""

    key: str
    kind: str
    value: str
    cost_usd: float | None
    run_id: str
    created_at: str


@dataclass(frozen=True, slots=True)
class Entry(Generic[T]):
    """What is asked for. `form`: of its value; `lasting`: the value as it is kept, None where it must
    not last."""

    key: str
    form: TypeAdapter[T]
    lasting: Callable[[T], T | None] = lambda value: value
    kind: str = LOOKUP
    run_id: str = ""
    """Who pays for it, where that is to be known."""


class Answer(NamedTuple, Generic[T]):
    """A value, the run that paid for it, and whether that was just now."""

    value: T
    run_id: str
    is_new: bool


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


def cache_info(path: Path, *, clear: bool = False) -> Contents:
    """What the cache in this file holds; `clear`: takes it all out. The file is not made where it
    is missing; runs that use it go on, and keep what they ask from then on. Raises UsageError."""
    if not path.exists():
        return Contents()
    with closing(connect(path)) as connection:
        try:
            # what a run writes beside this is either counted and taken out or neither
            with sqlite.transaction(connection) if clear else nullcontext():
                counts = dict(
                    connection.execute("SELECT kind, count(*) FROM entries GROUP BY kind")
                )
                if clear:
                    connection.execute("DELETE FROM entries")
            if clear:
                # the file itself stays: a run that has it open would go on writing into one that
                # nobody finds any more
                connection.execute("VACUUM")
                connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        except sqlite3.Error as error:
            raise sqlite.refusal(path, _CACHE, error) from None
    files = (path, path.with_name(f"{path.name}-wal"))
    size_bytes = sum(file.stat().st_size for file in files if file.exists())
    return Contents(counts.get(REPLY, 0), counts.get(LOOKUP, 0), size_bytes)


def digest_of(parts: Mapping[str, Any]) -> str:
    """64 hex digits over all that makes two things that are asked the same one."""
    try:
        canonical = orjson.dumps(parts, option=orjson.OPT_SORT_KEYS)
    except (
        orjson.JSONEncodeError
    ):  # half a surrogate pair, as some models write it, is no UTF-8
        canonical = json.dumps(parts, sort_keys=True).encode()
    return hashlib.sha256(canonical).hexdigest()


class Store:
    """What was asked before. Opened once per launch and shared by its runs, on one event loop.

    Trouble with the file after it was opened (full disk, a lock beyond all patience, a file that
    was taken away) never reaches a caller as an exception: what cannot be read counts as not there,
    what cannot be written is not kept, and `trouble` says so.
    """

    def __init__(
        self,
        now: Callable[[], datetime],
        reader: sqlite3.Connection | None,
        writer: "Writer | None",
    ) -> None:
        """Use `open` or `memory`."""
        self.now = now
        """The clock that dates what is kept."""
        self._pending: dict[str, asyncio.Future[Answer[Any] | None]] = {}
        """Calls under way, by key."""
        self._reader = reader
        self._writer = writer
        self._arriving: dict[str, tuple[Row, asyncio.Future[None]]] = {}
        """Rows on their way to the file, by key: they can be read already. The future is done when
        a row is written, or cannot be."""
        self._in_memory: dict[str, Row] = {}
        """The rows of a store without a file, oldest first."""
        self._writing: asyncio.Task[None] | None = None
        self._closed = False
        self._reason: str | None = None
        self._not_kept = 0

    @classmethod
    async def open(
        cls,
        path: Path,
        *,
        now: Callable[[], datetime],
    ) -> "Store":
        """The store in this file, which is made where it is missing. `now` dates what is kept.

        Raises UsageError when the file is damaged, another program's, from a newer Fathom, or
        cannot be written.
        """
        reader, writer = await asyncio.to_thread(_open, path)
        return cls(now, reader, writer)

    @classmethod
    def memory(cls, *, now: Callable[[], datetime]) -> "Store":
        """A store that ends with the launch: nothing on disk, the newest replies and look-ups."""
        return cls(now, None, None)

    @property
    def trouble(self) -> str | None:
        """What has gone wrong with the file so far, as a clause: `database or disk is full; 12
        replies or look-ups were not kept`. None: nothing."""
        if self._reason is None or not self._not_kept:
            return self._reason
        return f"{self._reason}; {self._not_kept} replies or look-ups were not kept"

    async def get_or_call(
        self,
        entry: Entry[T],
        call: Callable[[], Awaitable[T]],
        admit: Callable[[], Awaitable[None]] | None = None,
    ) -> Answer[T]:
        """The value that is kept under the key, that of an equal call under way, or a new one,
        which is kept before it is returned. When nothing comes of the call that others wait for, or
        nothing that may last, one of them calls.

        `admit` is waited for before a call: others may be asking the same meanwhile. Raises what
        both raise.
        """
        while True:
            if (answer := self._find(entry)) is not None:
                return answer
            if (pending := self._pending.get(entry.key)) is not None:
                # whoever is cancelled must not take the others with it
                if (answer := await asyncio.shield(pending)) is not None:
                    return answer
            elif admit is not None:
                await admit()
                admit = None
            else:
                return await self._call(entry, call)

    async def _call(
        self,
        entry: Entry[T],
        call: Callable[[], Awaitable[T]],
    ) -> Answer[T]:
        pending = self._pending[entry.key] = asyncio.get_running_loop().create_future()
        try:
            value = await call()
            if (lasting := entry.lasting(value)) is not None:
                await self.keep(entry, lasting)
                value = lasting
                pending.set_result(Answer(lasting, entry.run_id, is_new=False))
            return Answer(value, entry.run_id, is_new=True)
        finally:
            del self._pending[entry.key]
            if not pending.done():
                pending.set_result(None)

    def _find(self, entry: Entry[T]) -> Answer[T] | None:
        """What cannot be read is not there; the reason is kept for the result's notes."""
        try:
            if (row := self._row(entry.key)) is not None:
                value = entry.form.validate_python(json.loads(row.value))
                return Answer(value, row.run_id, is_new=False)
        except sqlite3.Error as error:
            self._fail(reason_of(error))
        except (ValueError, KeyError, TypeError) as error:
            self._fail(f"an entry cannot be read ({type(error).__name__})")
        return None

    async def keep(
        self,
        entry: Entry[T],
        value: T,
    ) -> None:
        """Returns when the value is safe, or cannot be kept. A key keeps its first one."""
        # as Python writes it: half a surrogate pair is escaped
        text = json.dumps(entry.form.dump_python(value, mode="json"))
        moment = self.now().astimezone(UTC).isoformat(timespec="seconds")
        cost_usd = getattr(value, "cost_usd", None)
        row = Row(
            entry.key,
            entry.kind,
            text,
            cost_usd,
            entry.run_id,
            moment,
        )
        if self._closed:
            self._fail("it was closed while a run still used it", not_kept=1)
        elif self._writer is None:
            self._in_memory.setdefault(row.key, row)
            if len(self._in_memory) > MOST_IN_MEMORY:
                del self._in_memory[next(iter(self._in_memory))]
        else:
            new = (row, asyncio.get_running_loop().create_future())
            _, is_written = self._arriving.setdefault(row.key, new)
            if self._writing is None or self._writing.done():
                self._writing = asyncio.create_task(self._write(self._writer))
            # the row goes on its way even when the caller is cancelled: it was paid for
            await asyncio.shield(is_written)

    def spent(self, run_id: str) -> tuple[int, float | None]:
        """(replies kept that this run paid for, what they cost in USD). None: some price is
        unknown.

        A reply that another process had kept a moment earlier under the same key is not among them.
        None is where there is no file: what was kept has ended with its launch.
        """
        if self._reader is None:
            return 0, 0.0
        query = (
            "SELECT count(*), total(cost_usd), count(cost_usd) FROM entries WHERE run_id = ?"
        )
        try:
            calls, usd, priced = self._reader.execute(query, (run_id,)).fetchone()
        except sqlite3.Error as error:
            self._fail(reason_of(error))
            return 0, 0.0
        return int(calls), float(usd) if priced == calls else None

    async def aclose(self) -> None:
        """Returns when everything is written. Nothing is found or kept afterwards. May be called
        again."""
        if self._closed:
            return
        self._closed = True
        if self._writing is not None:
            await self._writing
        if self._writer is not None:
            await asyncio.to_thread(self._writer.close)
        if self._reader is not None:
            self._reader.close()
        self._in_memory.clear()

    def _row(self, key: str) -> Row | None:
        """The row under this key."""
        if (arriving := self._arriving.get(key)) is not None:
            return arriving[0]
        if self._closed or self._reader is None:
            return self._in_memory.get(key)
        cells = self._reader.execute("SELECT * FROM entries WHERE key = ?", (key,)).fetchone()
        return Row(*cells) if cells else None

    async def _write(self, writer: "Writer") -> None:
        """Until no row is on its way; each time all that have come in meanwhile."""
        while self._arriving:
            batch = list(islice(self._arriving.values(), _MOST_AT_ONCE))
            trouble = await asyncio.to_thread(writer.write, [row for row, _ in batch])
            for row, is_written in batch:
                del self._arriving[row.key]
                is_written.set_result(None)
            if trouble is not None:
                self._fail(trouble, not_kept=len(batch))

    def _fail(
        self,
        reason: str,
        *,
        not_kept: int = 0,
    ) -> None:
        self._not_kept += not_kept
        if self._reason is None:
            self._reason = reason
            path = str(self._writer.path) if self._writer else None
            get_logger().warning("the cache failed", path=path, reason=reason)


class Writer:
    """Inserts rows, many in one statement: a transaction costs more than a row, and a statement
    that runs beside a busy event loop waits for its turn at the interpreter."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        path: Path,
    ) -> None:
        """The connection is the writer's own."""
        self._connection = connection
        self.path = path
        self._file = identity(path)

    def write(self, rows: Sequence[Row]) -> str | None:
        """A key that is there already keeps its row. None, or why nothing was written."""
        marks = ",".join([f"({','.join('?' * len(Row._fields))})"] * len(rows))
        try:
            if identity(self.path) != self._file:
                return "the file was removed or replaced while it was in use"
            with transaction(self._connection):
                self._connection.execute(
                    f"INSERT OR IGNORE INTO entries VALUES {marks}",
                    [cell for row in rows for cell in row],
                )
        except (OSError, sqlite3.Error) as error:
            if is_busy(error):  # the lock outlasted all patience: no other call waits as long
                self._connection.execute("PRAGMA busy_timeout=0")
            return reason_of(error)
        return None

    def close(self) -> None:
        self._connection.close()


def _open(path: Path) -> tuple[sqlite3.Connection, Writer]:
    writing, reading = connect(path), connect(path)
    reading.execute(f"PRAGMA busy_timeout={round(READ_PATIENCE_S * 1000)}")
    reading.execute("PRAGMA query_only=ON")
    return reading, Writer(writing, path)
