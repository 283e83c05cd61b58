"""What makes two requests, or two look-ups, the same one: canonical JSON, digested; and the store of
one launch, which reads at once, writes behind, and never fails a run."""

import asyncio
import hashlib
import json
import sqlite3
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import orjson
from pydantic import TypeAdapter

from ...state.errors import UsageError
from ..facts.base import FactQuery
from ..flight import SingleFlight
from ..models.address import instructed, parse_model
from ..models.chat import ChatReply, ChatRequest, strict_schema
from ..models.providers import PROVIDERS
from ..runs.log import get_logger
from ..sqlite import reason_of
from .database import Row, Writer, connect

T = TypeVar("T")
READ_PATIENCE_S = 0.25
"""In WAL mode a reader waits for nobody but a process that mends the file after a crash."""
MOST_IN_MEMORY = 20_000
"""Replies and look-ups that a store without a file holds; the oldest make room."""
_MOST_AT_ONCE = 256
_BY_THE_CACHE = {"cached", "saved_usd", "request", "read"}
"""What the cache itself says about a reply."""
_REPLY = TypeAdapter(ChatReply)


_REPLY_FORMAT = "reply/1"
"""Changes when replies are kept differently."""
_LOOKUP_FORMAT = "lookup/2"
"""Changes when pages are cut into passages differently: what was cut the old way is then looked up
again."""


def reply_key(origin: str, name: str, request: ChatRequest) -> str:
    """64 hex digits over all that shapes a reply: origin, model, conversation, JSON shape, limits,
    seed, sample, and the provider's own way of asking. `name` is the model as a spec names it; what
    the reply is for is no part of it."""
    model, manner = _model_of(name)
    request = instructed(name, request)
    parts = {
        "format": _REPLY_FORMAT,
        "place": origin,
        "model": model,
        "manner": manner,
        "messages": [(message.role, message.content) for message in request.messages],
        "schema": None if request.schema is None else strict_schema(request.schema),
        "max_tokens": request.max_tokens,
        "temperature": None if request.temperature is None else float(request.temperature),
        "seed": request.seed,
        "sample": request.sample,
    }
    # only where they are asked for: the keys of all other requests stay what they were before there
    # were any
    if request.top_p is not None:
        parts["top_p"] = float(request.top_p)
    if request.logprobs:
        parts["logprobs"] = True
    return digest_of(parts)


def model_of(name: str) -> str:
    """The model without provider and address: `student` of `sim:student`; a name of another form as
    it is."""
    return _model_of(name)[0]


def lookup_key(source: str, origin: str, query: FactQuery) -> str:
    """64 hex digits over a look-up: source, where it is, and what of the query shapes the answer,
    its date included."""
    return digest_of(
        {
            "format": _LOOKUP_FORMAT,
            "source": source,
            "place": origin,
            "concept": query.concept,
            "domain": query.domain,
            "tier": query.tier.value,
            "as_of": query.as_of.isoformat(),
            "language": query.language,
            "limit": query.limit,
            "line": query.line[-1:],
        }
    )


def page_key(
    source: str,
    origin: str,
    title: str,
    language: str,
) -> str:
    """64 hex digits over the question whether a source has a page."""
    return digest_of(
        {
            "format": _LOOKUP_FORMAT,
            "source": source,
            "place": origin,
            "page": title,
            "language": language,
        }
    )


@lru_cache(maxsize=256)
def _model_of(name: str) -> tuple[str, Mapping[str, Any]]:
    try:
        address = parse_model(name)
    except UsageError:  # a host's own model may be called anything
        return name, {}
    settings, provider = address.settings, PROVIDERS.get(address.provider)
    chosen = {
        "headers": settings.headers,
        "fields": settings.fields,
        "api": settings.api,
    }
    chosen = {name: value for name, value in chosen.items() if value}
    if provider is None:
        return address.model, chosen
    return address.model, {
        "mode": provider.mode,
        "seed": provider.seed_name,
        "extra": dict(provider.extra),
        **chosen,
    }


def digest_of(parts: Mapping[str, Any]) -> str:
    try:
        canonical = orjson.dumps(parts, option=orjson.OPT_SORT_KEYS)
    except orjson.JSONEncodeError:  # half a surrogate pair, as some models write it, is no UTF-8
        canonical = json.dumps(parts, sort_keys=True).encode()
    return hashlib.sha256(canonical).hexdigest()


class KeptReply(NamedTuple):
    """A reply with the run that paid for it."""

    reply: ChatReply
    run_id: str


@dataclass(frozen=True, slots=True)
class LookUp:
    """What a source is asked, under its key; an empty `origin` cannot be told apart from others."""

    key: str
    source: str
    origin: str
    concept: str
    tier: str | None = None


class PendingCall:
    """One call under way. Whoever started it may finish it once, with the reply the others then
    share."""

    def __init__(self) -> None:
        self.is_sent = True
        """False while its caller still waits for something that a follower may be holding: then
        nobody should wait for it, or both might wait for ever."""
        self._reply: asyncio.Future[ChatReply | None] = asyncio.get_running_loop().create_future()

    def finish(self, reply: ChatReply | None) -> None:
        if not self._reply.done():
            self._reply.set_result(reply)

    async def wait(self) -> ChatReply | None:
        """What it was finished with; None when nothing came of it, and somebody else has to ask."""
        # a follower that is cancelled must not take the others with it
        return await asyncio.shield(self._reply)


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
        writer: Writer | None,
    ) -> None:
        """Use `open` or `memory`."""
        self.now = now
        """The clock that dates what is kept."""
        self._lookups: SingleFlight[str, Any] = SingleFlight(keep=0)
        """Those under way, by key."""
        self._pending: dict[str, PendingCall] = {}
        self._reader = reader
        self._writer = writer
        self._arriving: dict[tuple[str, str], tuple[Row, asyncio.Future[None]]] = {}
        """Rows on their way to the file, by table and key: they can be read already. The future is
        done when a row is written, or cannot be."""
        self._in_memory: dict[tuple[str, str], Row] = {}
        """The same of a store without a file, oldest first."""
        self._writing: asyncio.Task[None] | None = None
        self._closed = False
        self._reason: str | None = None
        self._not_kept = 0

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
        if self._reason is None or not self._not_kept:
            return self._reason
        return f"{self._reason}; {self._not_kept} replies or look-ups were not kept"

    def pending(self, key: str) -> PendingCall | None:
        """The call for this reply that is under way, if there is one to wait for."""
        call = self._pending.get(key)
        return call if call is not None and call.is_sent else None

    @contextmanager
    def start(self, key: str) -> Iterator[PendingCall]:
        """The caller asks. When it leaves without a reply, those that waited get nothing, and one
        of them asks."""
        call = self._pending[key] = PendingCall()
        try:
            yield call
        finally:
            if self._pending.get(key) is call:
                del self._pending[key]
            call.finish(None)

    def reply(self, key: str) -> KeptReply | None:
        """The reply that was kept under this key."""
        with self._readable():
            if (row := self._row("replies", key)) is not None:
                return KeptReply(reply_of(str(row[4])), str(row[9]))
        return None

    async def keep_reply(
        self,
        key: str,
        origin: str,
        model: str,
        purpose: str,
        reply: ChatReply,
        run_id: str,
    ) -> None:
        """Returns when the reply is safe, or cannot be kept. A key keeps its first reply."""
        usage = reply.usage
        row = (
            *(key, origin, model, purpose, reply_text(reply)),
            *(usage.input_tokens, usage.output_tokens, reply.cost_usd, self._stamp(), run_id),
        )
        await self._keep("replies", row)

    async def get_or_call(
        self,
        lookup: LookUp,
        form: TypeAdapter[T],
        call: Callable[[], Awaitable[T]],
        is_kept: Callable[[T], bool] = lambda value: True,
    ) -> T:
        """What a look-up found before, else what `call` finds, which is kept if it may be: those
        that ask at the same time share one call. Without an origin it is only called. Raises what the
        call raises."""
        if not lookup.origin:
            return await call()
        with self._readable():
            if (row := self._row("lookups", lookup.key)) is not None:
                return form.validate_json(str(row[5]))

        async def call_and_keep() -> T:
            value = await call()
            if is_kept(value):
                await self.keep(lookup, form, value)
            return value

        value: T = await self._lookups.get(lookup.key, call_and_keep)
        return value

    async def keep(
        self,
        lookup: LookUp,
        form: TypeAdapter[T],
        value: T,
    ) -> None:
        """Returns when what a look-up found is safe, or cannot be kept."""
        about = (lookup.key, lookup.source, lookup.origin, lookup.tier, lookup.concept)
        await self._keep("lookups", (*about, form.dump_json(value).decode(), self._stamp()))

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
        await self._lookups.aclose()  # for nobody any more
        self._closed = True
        if self._writing is not None:
            await self._writing
        if self._writer is not None:
            await asyncio.to_thread(self._writer.close)
        if self._reader is not None:
            self._reader.close()
        self._in_memory.clear()

    def _row(self, table: str, key: str) -> Row | None:
        """The row under this key."""
        if (arriving := self._arriving.get((table, key))) is not None:
            return arriving[0]
        if self._closed or self._reader is None:
            return self._in_memory.get((table, key))
        query = f"SELECT * FROM {table} WHERE key = ?"
        rows: list[Row] = self._reader.execute(query, (key,)).fetchall()
        return rows[0] if rows else None

    async def _keep(self, table: str, row: Row) -> None:
        key = (table, str(row[0]))
        if self._closed:
            self._fail("it was closed while a run still used it", not_kept=1)
        elif self._writer is None:
            self._in_memory.setdefault(key, row)
            if len(self._in_memory) > MOST_IN_MEMORY:
                del self._in_memory[next(iter(self._in_memory))]
        else:
            new = (row, asyncio.get_running_loop().create_future())
            _, is_written = self._arriving.setdefault(key, new)
            if self._writing is None or self._writing.done():
                self._writing = asyncio.create_task(self._write(self._writer))
            # the row goes on its way even when the caller is cancelled: it was paid for
            await asyncio.shield(is_written)

    async def _write(self, writer: Writer) -> None:
        """Until no row is on its way; each time all that have come in meanwhile."""
        while self._arriving:
            batch = list(islice(self._arriving.items(), _MOST_AT_ONCE))
            rows = [(table, row) for (table, _), (row, _) in batch]
            trouble = await asyncio.to_thread(writer.write, rows)
            for key, (_, is_written) in batch:
                del self._arriving[key]
                is_written.set_result(None)
            if trouble is not None:
                self._fail(trouble, not_kept=len(batch))

    @contextmanager
    def _readable(self) -> Iterator[None]:
        """What cannot be read is not there; the reason is kept for the result's notes."""
        try:
            yield
        except sqlite3.Error as error:
            self._fail(reason_of(error))
        except (ValueError, KeyError, TypeError) as error:
            self._fail(f"an entry cannot be read ({type(error).__name__})")

    def _fail(self, reason: str, *, not_kept: int = 0) -> None:
        self._not_kept += not_kept
        if self._reason is None:
            self._reason = reason
            path = str(self._writer.path) if self._writer else None
            get_logger().warning("the cache failed", path=path, reason=reason)

    def _stamp(self) -> str:
        """UTC to the second, so that texts sort as times do."""
        return self.now().astimezone(UTC).isoformat(timespec="seconds")


def reply_text(reply: ChatReply) -> str:
    """A reply as JSON, all of it but what the cache itself says about it. Half a surrogate pair is
    escaped."""
    return json.dumps(_REPLY.dump_python(reply, exclude=_BY_THE_CACHE))


def reply_of(text: str) -> ChatReply:
    """The reply that was kept. Raises ValueError for what `reply_text` did not write."""
    return _REPLY.validate_python(json.loads(text))


def _open(path: Path) -> tuple[sqlite3.Connection, Writer]:
    writing, reading = connect(path), connect(path)
    reading.execute(f"PRAGMA busy_timeout={round(READ_PATIENCE_S * 1000)}")
    reading.execute("PRAGMA query_only=ON")
    return reading, Writer(writing, path)
