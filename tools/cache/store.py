"""The store of one launch: reads at once, writes behind, and never fails a run."""

import asyncio
import json
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from pydantic import TypeAdapter

from ...state.records import Evidence, Tier
from ..flight import MOST_CHARS, SingleFlight
from ..models.chat import ChatReply
from ..runs.log import get_logger
from ..sqlite import reason_of
from .database import Row, Writer, connect

READ_PATIENCE_S = 0.25
"""In WAL mode a reader waits for nobody but a process that mends the file after a crash."""
KEPT_IN_MEMORY = 20_000
"""Replies and look-ups that a store without a file holds, with no more than `MOST_CHARS`
characters; the oldest make room."""
_MOST_AT_ONCE = 256
_OWN = {"cached", "saved_usd", "request", "read"}
"""What the cache itself says about a reply."""
_REPLY = TypeAdapter(ChatReply)
_EVIDENCE = TypeAdapter(list[Evidence])


class Kept(NamedTuple):
    """A reply with the run that paid for it."""

    reply: ChatReply
    run_id: str


class Flight:
    """One call under way. Whoever leads it may land it once, with the reply the others then
    share."""

    def __init__(self) -> None:
        self.off = True
        """False while its leader still waits for something that a follower may be holding: then
        nobody should wait for it, or both might wait for ever."""
        self._landed: asyncio.Future[ChatReply | None] = asyncio.get_running_loop().create_future()

    def land(self, reply: ChatReply | None) -> None:
        if not self._landed.done():
            self._landed.set_result(reply)

    async def wait(self) -> ChatReply | None:
        """What it landed with; None when nothing came of it, and somebody else has to ask."""
        # a follower that is cancelled must not take the others with it
        return await asyncio.shield(self._landed)


class Store:
    """What was asked before. Opened once per launch and shared by its runs, on one event loop.

    Trouble with the file after it was opened (full disk, a lock beyond all patience, a file that
    was taken away) never reaches a caller as an exception: what cannot be read counts as not there,
    what cannot be written is not kept, and `trouble` says so.
    """

    def __init__(
        self, now: Callable[[], datetime], reader: sqlite3.Connection | None, writer: Writer | None
    ) -> None:
        """Use `open` or `memory`."""
        self.lookups: SingleFlight[str, list[Evidence]] = SingleFlight(keep=0)
        """Those under way, by key; of pages it is an empty list or not."""
        self.pages: SingleFlight[str, bool] = SingleFlight(keep=0)
        self.path = writer.path if writer else None
        """The file; None in memory."""
        self.now = now
        """The clock that dates what is kept."""
        self._replies: dict[str, Flight] = {}
        self._reader = reader
        self._writer = writer
        self._arriving: dict[tuple[str, str], tuple[Row, asyncio.Future[None]]] = {}
        """Rows on their way to the file, by table and key: they can be read already. The future is
        done when a row is written, or cannot be."""
        self._held: dict[tuple[str, str], Row] = {}
        """The same of a store without a file, oldest first."""
        self._held_chars = 0
        self._writing: asyncio.Task[None] | None = None
        self._closed = False
        self._reason: str | None = None
        self._lost = 0

    @classmethod
    async def open(cls, path: Path, *, now: Callable[[], datetime]) -> "Store":
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
        if self._reason is None or not self._lost:
            return self._reason
        return f"{self._reason}; {self._lost} replies or look-ups were not kept"

    def under_way(self, key: str) -> Flight | None:
        """The call for this reply that is under way, if there is one to wait for."""
        flight = self._replies.get(key)
        return flight if flight is not None and flight.off else None

    @contextmanager
    def lead(self, key: str) -> Iterator[Flight]:
        """The caller asks. When it leaves without a landing, those that waited get nothing, and one
        of them asks."""
        flight = self._replies[key] = Flight()
        try:
            yield flight
        finally:
            if self._replies.get(key) is flight:
                del self._replies[key]
            flight.land(None)

    def reply(self, key: str) -> Kept | None:
        """The reply that was kept under this key."""
        with self._readable():
            if (row := self._row("replies", key)) is not None:
                return Kept(
                    row[4] if isinstance(row[4], ChatReply) else reply_of(str(row[4])), str(row[9])
                )
        return None

    async def keep_reply(
        self, key: str, place: str, model: str, purpose: str, reply: ChatReply, run_id: str
    ) -> None:
        """Returns when the reply is safe, or cannot be kept. A key keeps its first reply."""
        usage = reply.usage
        # most replies are never asked for again: the text is enough to keep
        kept = replace(reply, read=None) if self._writer is None else reply_text(reply)
        row = (
            *(key, place, model, purpose, kept, usage.input_tokens, usage.output_tokens),
            *(reply.cost_usd, _stamp(self.now()), run_id),
        )
        await self._keep("replies", row)

    def evidence(self, key: str) -> list[Evidence] | None:
        """What a look-up found, an empty list when it found nothing; None when it was never
        kept."""
        with self._readable():
            if (row := self._row("lookups", key)) is not None:
                return (
                    list(row[5])
                    if isinstance(row[5], tuple)
                    else _EVIDENCE.validate_json(str(row[5]))
                )
        return None

    async def keep_evidence(
        self, key: str, source: str, place: str, tier: Tier, concept: str, found: list[Evidence]
    ) -> None:
        """Returns when the look-up is safe, or cannot be kept. It is as old as its oldest
        passage."""
        retrieved = min((evidence.retrieved_at for evidence in found), default=self.now())
        kept = tuple(found) if self._writer is None else _EVIDENCE.dump_json(found).decode()
        row = (key, source, place, tier.value, concept, kept, _stamp(retrieved))
        await self._keep("lookups", row)

    def has_page(self, key: str) -> bool | None:
        """Whether the page was found to be there; None when that was never kept."""
        with self._readable():
            if (row := self._row("lookups", key)) is not None:
                return row[5] == "true"
        return None

    async def keep_page(
        self, key: str, source: str, place: str, title: str, *, there: bool = True
    ) -> None:
        """The page is there, or not. That a domain's own page is missing is not kept: it ends a
        run, and may be written tomorrow."""
        await self._keep(
            "lookups", (key, source, place, None, title, str(there).lower(), _stamp(self.now()))
        )

    def titles(self, key: str) -> list[str] | None:
        """The titles that were found nearest to one; None where none was."""
        with self._readable():
            if (row := self._row("lookups", key)) is not None:
                return [str(title) for title in json.loads(str(row[5]))]
        return None

    async def keep_titles(
        self, key: str, source: str, place: str, title: str, titles: list[str]
    ) -> None:
        text = json.dumps(titles)
        await self._keep("lookups", (key, source, place, None, title, text, _stamp(self.now())))

    def spent(self, run_id: str) -> tuple[int, float | None]:
        """(replies kept that this run paid for, what they cost in USD). None: some price is
        unknown.

        A reply that another process had kept a moment earlier under the same key is not among them.
        None is where there is no file: what was kept has ended with its launch.
        """
        if self._reader is None:
            return 0, 0.0
        query = "SELECT count(*), total(cost_usd), count(cost_usd) FROM replies WHERE run_id = ?"
        with self._readable():
            for calls, usd, priced in self._reader.execute(query, (run_id,)).fetchall():
                return int(calls), float(usd) if priced == calls else None
        return 0, 0.0

    async def aclose(self) -> None:
        """Returns when everything is written. Nothing is found or kept afterwards. May be called
        again."""
        if self._closed:
            return
        await asyncio.gather(self.lookups.aclose(), self.pages.aclose())  # for nobody any more
        self._closed = True
        if self._writing is not None:
            await self._writing
        if self._writer is not None:
            await asyncio.to_thread(self._writer.close)
        if self._reader is not None:
            self._reader.close()
        self._held.clear()

    def _row(self, table: str, key: str) -> Row | None:
        """The row under this key."""
        if (arriving := self._arriving.get((table, key))) is not None:
            return arriving[0]
        if self._closed or self._reader is None:
            return self._held.get((table, key))
        found: list[Row] = self._reader.execute(
            f"SELECT * FROM {table} WHERE key = ?", (key,)
        ).fetchall()
        return found[0] if found else None

    async def _keep(self, table: str, row: Row) -> None:
        if self._closed:
            self._fail("it was closed while a run still used it", lost=1)
        elif self._writer is None:
            self._hold((table, str(row[0])), row)
        else:
            new = (row, asyncio.get_running_loop().create_future())
            _, written = self._arriving.setdefault((table, str(row[0])), new)
            if self._writing is None or self._writing.done():
                self._writing = asyncio.create_task(self._write(self._writer))
            # the row goes on its way even when the caller is cancelled: it was paid for
            await asyncio.shield(written)

    def _hold(self, place: tuple[str, str], row: Row) -> None:
        if place not in self._held:
            self._held[place] = row
            self._held_chars += _chars(row)
        while len(self._held) > KEPT_IN_MEMORY or self._held_chars > MOST_CHARS:
            self._held_chars -= _chars(self._held.pop(next(iter(self._held))))

    async def _write(self, writer: Writer) -> None:
        """Until no row is on its way; each time all that have come in meanwhile."""
        while self._arriving:
            batch = list(islice(self._arriving.items(), _MOST_AT_ONCE))
            trouble = await asyncio.to_thread(
                writer.write, [(table, row) for (table, _), (row, _) in batch]
            )
            for place, (_, written) in batch:
                del self._arriving[place]
                written.set_result(None)
            if trouble is not None:
                self._fail(trouble, lost=len(batch))

    @contextmanager
    def _readable(self) -> Iterator[None]:
        """What cannot be read is not there; the reason is kept for the result's notes."""
        try:
            yield
        except sqlite3.Error as error:
            self._fail(reason_of(error))
        except (ValueError, KeyError, TypeError) as error:
            self._fail(f"an entry cannot be read ({type(error).__name__})")

    def _fail(self, reason: str, *, lost: int = 0) -> None:
        self._lost += lost
        if self._reason is None:
            self._reason = reason
            get_logger().warning("the cache failed", path=str(self.path), reason=reason)


def reply_text(reply: ChatReply) -> str:
    """A reply as JSON, all of it but what the cache itself says about it. Half a surrogate pair is
    escaped."""
    return json.dumps(_REPLY.dump_python(reply, exclude=_OWN))


def reply_of(text: str) -> ChatReply:
    """The reply that was kept. Raises ValueError for what `reply_text` did not write."""
    return _REPLY.validate_python(json.loads(text))


def _chars(row: Row) -> int:
    """Of the texts in a row of a store without a file."""
    if isinstance(reply := row[4], ChatReply):
        return len(reply.text) + len(reply.reasoning or "")
    return sum(len(evidence.text) for evidence in row[5]) if isinstance(row[5], tuple) else 0


def _open(path: Path) -> tuple[sqlite3.Connection, Writer]:
    writing, reading = connect(path), connect(path)
    reading.execute(f"PRAGMA busy_timeout={round(READ_PATIENCE_S * 1000)}")
    reading.execute("PRAGMA query_only=ON")
    return reading, Writer(writing, path)


def _stamp(moment: datetime) -> str:
    """UTC to the second, so that texts sort as times do."""
    return moment.astimezone(UTC).isoformat(timespec="seconds")
