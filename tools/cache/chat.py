"""A chat model that is asked once for what has the same key."""

from dataclasses import replace

from ..models.chat import Chat, ChatReply, ChatRequest, Payer, Placed
from ..models.replies import UnreadableText, read_object
from .flight import Flight
from .keys import model_of, reply_key
from .store import Kept, Store

_CUT = frozenset({"length", "content_filter"})


class CachedChat:
    """A Chat that takes from the store what is there, and keeps there what it pays for. Implements Chat.

    A model without a place, or whose place cannot be told apart from others (an empty one), is asked as if there were
    no cache. Within the store's launch equal requests that come together share one call, whichever run they are of.

    `accounted` holds the keys of the calls that the run's figures already contain. A reply that this very run paid for
    and that is not among them was kept just before the run was killed: it comes back at its price, as the call it was.
    """

    def __init__(self, inner: Chat, store: Store, run_id: str, accounted: set[str]) -> None:
        """`accounted` is added to as calls are made; the models of one run share one set."""
        self._inner = inner
        self._store = store
        self._run_id = run_id
        self._accounted = accounted
        self._model = model_of(inner.name)
        # asked once: looking for a protocol's members takes longer than all else here
        self._placed = inner if isinstance(inner, Placed) else None

    @property
    def name(self) -> str:
        return self._inner.name

    @property
    def caveats(self) -> tuple[str, ...]:
        """What of a request is not honoured, in words."""
        return tuple(getattr(self._inner, "caveats", ()))

    def __repr__(self) -> str:
        return f"CachedChat({self._inner!r})"

    async def place(self) -> str:
        """Where its replies come from; empty when they cannot be cached."""
        return await self._placed.place() if self._placed else ""

    async def complete(self, request: ChatRequest) -> ChatReply:
        """A reply, kept before it is returned; `request` names its key. Raises what the model raises.

        Not kept, and without a key: replies that were cut off or filtered, empty ones that are no refusal, and what
        should be JSON and cannot be read as such: an error page, or a bad hour of the endpoint, must not last.
        """
        place = await self.place()
        if not place:
            return await self._inner.complete(request)
        key = reply_key(place, self.name, request)
        while True:
            if (kept := self._store.reply(key)) is not None:
                return self._recalled(key, kept)
            if (flight := self._store.replies_under_way.of(key)) is None:
                return await self._ask(key, place, request)
            if (reply := await flight.wait()) is not None:
                return _free(key, reply)

    async def _ask(self, key: str, place: str, request: ChatRequest) -> ChatReply:
        with self._store.replies_under_way.lead(key) as flight:
            if request.payer is not None:
                request = replace(request, payer=_Starting(request.payer, flight))
            reply = await self._inner.complete(request)
            if not _worth_keeping(request, reply):
                return reply
            self._accounted.add(key)  # before the reply can be found: whoever finds it has not paid for it
            await self._store.keep_reply(key, place, self._model, request.purpose, reply, self._run_id)
            flight.land(reply)
            return replace(reply, request=key)

    def _recalled(self, key: str, kept: Kept) -> ChatReply:
        if kept.run_id != self._run_id or key in self._accounted:
            return _free(key, kept.reply)
        self._accounted.add(key)
        return replace(kept.reply, request=key)


class _Starting:
    """A Payer that lets the flight off once the money is there. Until then its leader may wait for money that is set
    aside for the very slot that would wait for the flight."""

    def __init__(self, payer: Payer, flight: Flight[ChatReply]) -> None:
        self._payer = payer
        self._flight = flight
        flight.off = False

    async def hold(self, worst_usd: float | None) -> float:
        held = await self._payer.hold(worst_usd)
        self._flight.off = True
        return held

    def settle(self, held_usd: float, cost_usd: float | None) -> None:
        self._payer.settle(held_usd, cost_usd)


def _free(key: str, reply: ChatReply) -> ChatReply:
    """The reply as one that cost nothing this time."""
    return replace(reply, cached=True, cost_usd=0.0, saved_usd=reply.cost_usd, attempts=0, request=key)


def _worth_keeping(request: ChatRequest, reply: ChatReply) -> bool:
    if reply.finish in _CUT:
        return False
    if request.schema is None:
        return bool(reply.text.strip() or reply.refusal)
    try:
        read_object(reply.text, request.schema)
    except UnreadableText:
        return False
    return not reply.refusal
