"""A model as a run asks it: every call is reserved, looked for in the cache, sent, priced, kept and
recorded here, and an object that was asked for is read."""

import asyncio
from dataclasses import dataclass, field, replace
from typing import TypeVar

from pydantic import BaseModel

from ...state.errors import CallFailed, ReplyUnreadable
from ...state.records import Call, Role
from ...state.worlds import label_of
from ..cache.store import KeptReply, PendingCall, Store, model_of, reply_key
from .address import settings_of
from .chat import Chat, ChatReply, ChatRequest, Message, Payer, Placed
from .pricing import PriceList, Tally
from .reading import THOUGHTS, without_thoughts
from .replies import UnreadableText, read_object

_CUT = frozenset({"length", "content_filter", THOUGHTS})


@dataclass(frozen=True, slots=True, repr=False)
class BoundModel:
    """A chat model behind the cache, the budget and the account of a run. Implements Chat.

    A model without a place, or whose place cannot be told apart from others (an empty one), is
    asked as if there were no cache. Within the store's launch equal requests that come together
    share one call, whichever run they are of; a reply from the cache is neither paid for nor
    counted.

    A failed call is settled with nothing, although a provider may have charged for attempts whose
    reply never arrived: nobody tells us what those cost, so under failures a provider's bill can be
    higher than what is counted here. A reply whose tokens the endpoint did not count is settled
    with all that was held for it, and so is a call that was cancelled on its way.
    """

    inner: Chat
    prices: PriceList | None = None
    """None: a reply keeps the price that its endpoint names."""
    tally: Tally = field(default_factory=Tally)
    """Notes what the calls cost that were sent."""
    store: Store | None = None
    """The cache; None: there is none."""
    run_id: str = ""
    accounted: set[str] = field(default_factory=set)
    """Keys of the calls that the run's figures already contain, added to as calls are made; the
    models of a run share it. A reply that this very run paid for and that is not among them was
    kept just before the run was killed: it comes back at its price, as the call it was."""
    role: Role | None = None
    """For whom is asked; None: nothing is recorded."""
    payer: Payer | None = None
    """Who answers for the price of the calls under a budget."""
    calls: list[Call] = field(default_factory=list)
    """One for each completed or failed call, in order of completion."""
    requests: list[ChatRequest] = field(default_factory=list)
    """What was asked."""

    @property
    def name(self) -> str:
        return self.inner.name

    @property
    def caveats(self) -> tuple[str, ...]:
        """What of a request is not honoured, in words."""
        return tuple(getattr(self.inner, "caveats", ()))

    async def place(self) -> str:
        """Where its replies come from; empty when they cannot be cached."""
        return await self.inner.place() if isinstance(self.inner, Placed) else ""

    async def complete(self, request: ChatRequest) -> ChatReply:
        """The reply with its price, kept before it is returned; `request` names its key in the
        cache. What follows are the stages of a call, in their order.

        Not kept, and without a key: replies that were cut off or filtered, empty ones that are no
        refusal, and what should be JSON and cannot be read as such: an error page, or a bad hour of
        the endpoint, must not last. Raises BudgetSpent, and whatever the model raises.
        """
        if self.role is None:
            return await self._reply_from_cache_or_model(request)
        self.requests.append(request)
        payer = self.payer or request.payer
        call = Call(role=self.role, purpose=request.purpose, model=self.name)
        try:
            reply = await self._reply_from_cache_or_model(
                replace(request, payer=payer, role=self.role)
            )
        except CallFailed as error:
            failed = {"attempts": error.attempts, "failure": error.kind}
            self.calls.append(call.model_copy(update=failed))
            raise
        answered = {name: getattr(reply, name) for name in _RECORDED}
        answered["model"] = reply.model or self.name
        self.calls.append(call.model_copy(update=answered))
        return reply

    async def _reply_from_cache_or_model(self, request: ChatRequest) -> ChatReply:
        """A kept reply, that of an equal request under way, or a new one."""
        place = await self.place() if self.store is not None else ""
        if self.store is None or not place:
            return await self._send_and_pay(request)
        key = reply_key(place, self.name, request)
        while True:
            if (recalled := self.store.reply(key)) is not None:
                return self._recalled(key, recalled)
            if (call := self.store.pending(key)) is None:
                return await self._ask_once_for_all(self.store, key, place, request)
            if (reply := await call.wait()) is not None:
                return _free(key, reply)

    def _recalled(self, key: str, recalled: KeptReply) -> ChatReply:
        if recalled.run_id != self.run_id or key in self.accounted:
            return _free(key, recalled.reply)
        self.accounted.add(key)
        return replace(recalled.reply, request=key)

    async def _ask_once_for_all(
        self,
        store: Store,
        key: str,
        place: str,
        request: ChatRequest,
    ) -> ChatReply:
        with store.start(key) as call:
            reply = await self._send_and_pay(request, call)
            lasting = _worth_keeping(request, reply, key)
            if lasting is None:
                return reply
            # before the reply can be found: whoever finds it has not paid for it
            self.accounted.add(key)
            model = model_of(self.name)
            await store.keep_reply(key, place, model, request.purpose, lasting, self.run_id)
            call.finish(lasting)
            return lasting

    async def _send_and_pay(
        self, request: ChatRequest, call: PendingCall | None = None
    ) -> ChatReply:
        """A new reply, paid for. `call`: sent once the money is there; until then its caller may
        wait for money that is set aside for the very slot that would wait for the call."""
        payer, reserved_usd = request.payer, None
        if payer is not None:
            if call is not None:
                call.is_sent = False
            worst_usd = self.prices.worst_usd(self.name, request) if self.prices else None
            reserved_usd = await payer.hold(worst_usd)
            if call is not None:
                call.is_sent = True
        paid_usd: float | None = 0.0
        try:
            reply = self._priced(await self.inner.complete(request))
            self.tally.replies += 1
            paid_usd = reserved_usd if reply.cost_usd is None else reply.cost_usd
            return reply
        except asyncio.CancelledError:
            paid_usd = reserved_usd
            raise
        finally:
            self.tally.add(paid_usd)
            if payer is not None:
                payer.settle(reserved_usd or 0.0, paid_usd)

    def _priced(self, reply: ChatReply) -> ChatReply:
        if self.prices is None or reply.cached:
            return reply
        return replace(reply, cost_usd=self.prices.cost_usd(self.name, reply))


_RECORDED = ("usage", "cost_usd", "latency_s", "attempts", "cached", "saved_usd", "request")
"""Fields of a reply that its call keeps."""


def _free(key: str, reply: ChatReply) -> ChatReply:
    """The reply as one that cost nothing this time."""
    return replace(
        reply, cached=True, cost_usd=0.0, saved_usd=reply.cost_usd, attempts=0, request=key
    )


def _worth_keeping(request: ChatRequest, reply: ChatReply, key: str) -> ChatReply | None:
    """The reply under its key, with the object that was read from it where a shape was asked for;
    None of what is not kept."""
    if reply.finish in _CUT:
        return None
    if request.schema is None:
        return replace(reply, request=key) if reply.text.strip() or reply.refusal else None
    if reply.refusal:
        return None
    try:
        return replace(reply, request=key, read=read_object(reply.text, request.schema))
    except UnreadableText:
        return None


T = TypeVar("T", bound=BaseModel)

_WIDEST = 8  # times the first limit
_QUOTED = 4000  # characters of a bad reply that go back with the repair


class _Room:
    """A request and its token limit, which grows after cut-offs.

    A reply that was cut off in the middle of its text gets twice its limit, once. One without any
    visible text was cut off while the model was still thinking, and thoughts are long: it gets 4
    times the first limit, then 8 times. More than 8 times is never asked for.
    """

    def __init__(self, request: ChatRequest) -> None:
        self.request = request
        self._first = request.max_tokens
        self._factor = 1
        self._doubled = False

    def grow(self, reply: ChatReply, chat: Chat) -> None:
        """Make room after a reply that was cut off. Raises ReplyUnreadable (cut_off) when there has
        been enough."""
        if chosen := settings_of(chat.name).max_tokens:
            raise ReplyUnreadable(
                "cut_off", f"{chat.name} was cut off at {chosen} tokens, its setting max_tokens."
            )
        if not reply.text.strip():
            wider = 4 if self._factor < 4 else 8
        else:
            wider = self._factor if self._doubled else min(2 * self._factor, _WIDEST)
            self._doubled = True
        if wider <= self._factor:
            times = f", {self._factor} times the usual limit" if self._factor > 1 else ""
            raise ReplyUnreadable(
                "cut_off",
                f"{label_of(chat.name)} was cut off at {self.request.max_tokens} tokens{times}.",
            )
        self._factor = wider
        self.request = replace(self.request, max_tokens=wider * self._first)


async def structured(chat: Chat, request: ChatRequest, schema: type[T]) -> T:
    """One validated object of the shape, in at most five calls, three without hidden reasoning.

    A reply that cannot be read is repaired once: it goes back with what was wrong. A cut-off reply
    is never read: it is asked for again with a higher limit, twice as high once when text was
    there, 4 and then 8 times as high when all of it went into hidden reasoning. Raises
    ReplyUnreadable (parse, empty, thoughts, refusal, cut_off, content_filter) and whatever the chat
    raises.
    """
    room = _Room(request if request.schema is schema else replace(request, schema=schema))
    repaired = False
    while True:
        reply = await _whole_reply(chat, room)
        if reply.refusal:
            raise ReplyUnreadable(
                "refusal", f"{label_of(chat.name)} refused to reply: {reply.refusal[:200]}"
            )
        try:
            return reply.read if isinstance(reply.read, schema) else read_object(reply.text, schema)
        except UnreadableText as error:
            if repaired:
                kind = "parse" if reply.text.strip() else _kind(reply)
                raise ReplyUnreadable(
                    kind, f"{label_of(chat.name)} gave no readable reply, twice: {error}."
                ) from None
            room.request, repaired = _repair(room.request, reply.text, str(error), schema), True


async def _whole_reply(chat: Chat, room: _Room) -> ChatReply:
    """A reply that was not cut off, or a refusal."""
    while True:
        reply = without_thoughts(await chat.complete(room.request))
        if reply.finish == "content_filter":
            raise ReplyUnreadable(
                "content_filter",
                f"The provider's content filter held back what {label_of(chat.name)} replied.",
            )
        if reply.refusal or reply.finish != "length":
            return reply
        room.grow(reply, chat)


async def prose(chat: Chat, request: ChatRequest) -> ChatReply:
    """One whole answer in prose, in at most five calls, three without hidden reasoning; a refusal
    is an answer too and is returned as it is.

    A cut-off answer is asked for again with a higher limit as in `structured`, an empty one, or one
    of thoughts without end, once more as it was. Raises ReplyUnreadable (cut_off, empty, thoughts,
    content_filter) and whatever the chat raises.
    """
    room = _Room(request)
    for _ in range(2):
        reply = await _whole_reply(chat, room)
        if reply.refusal or reply.text.strip():
            return reply
    kind = _kind(reply)
    raise ReplyUnreadable(kind, f"{label_of(chat.name)} {_NOTHING[kind]}, twice.")


_NOTHING = {
    "empty": "answered with nothing",
    THOUGHTS: "wrote thoughts that never end, and no answer",
}


def _kind(reply: ChatReply) -> str:
    return THOUGHTS if reply.finish == THOUGHTS else "empty"


def _repair(
    request: ChatRequest,
    bad: str,
    reason: str,
    schema: type[BaseModel],
) -> ChatRequest:
    """The same conversation with the bad reply, what was wrong with it, and which fields are
    wanted."""
    fields = ", ".join(schema.model_fields)
    # an empty turn is refused by some endpoints, so an empty reply is named instead of repeated
    quoted = Message("assistant", bad[:_QUOTED] if bad.strip() else "(an empty reply)")
    wanted = Message(
        "user",
        f"That reply could not be read: {reason}. Reply again with one JSON object and nothing "
        "else;"
        f" its fields are: {fields}.",
    )
    return replace(request, messages=(*request.messages, quoted, wanted))
