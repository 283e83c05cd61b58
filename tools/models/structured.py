"""Asking for a validated object, or for prose: what is asked again, and what ends as unreadable."""

from dataclasses import replace
from typing import TypeVar

from pydantic import BaseModel

from ...state.errors import ReplyUnreadable
from .chat import Chat, ChatReply, ChatRequest, Message
from .replies import UnreadableText, read_object

T = TypeVar("T", bound=BaseModel)

_WIDEST = 8  # times the first limit
_QUOTED = 4000  # characters of a bad reply that go back with the repair


class _Room:
    """A request and its token limit, which grows after cut-offs.

    A reply that was cut off in the middle of its text gets twice its limit, once. One without any visible text was cut
    off while the model was still thinking, and thoughts are long: it gets 4 times the first limit, then 8 times. More
    than 8 times is never asked for.
    """

    def __init__(self, request: ChatRequest) -> None:
        self.request = request
        self._first = request.max_tokens
        self._factor = 1
        self._doubled = False

    def grow(self, reply: ChatReply, chat: Chat) -> None:
        """Make room after a reply that was cut off. Raises ReplyUnreadable (cut_off) when there has been enough."""
        if not reply.text.strip():
            wider = 4 if self._factor < 4 else 8
        else:
            wider = self._factor if self._doubled else min(2 * self._factor, _WIDEST)
            self._doubled = True
        if wider <= self._factor:
            times = f", {self._factor} times the usual limit" if self._factor > 1 else ""
            raise ReplyUnreadable("cut_off", f"{chat.name} was cut off at {self.request.max_tokens} tokens{times}.")
        self._factor = wider
        self.request = replace(self.request, max_tokens=wider * self._first)


async def structured(chat: Chat, request: ChatRequest, schema: type[T]) -> T:
    """One validated object of the shape, in at most five calls, three without hidden reasoning.

    A reply that cannot be read is repaired once: it goes back with what was wrong. A cut-off reply is never read: it is
    asked for again with a higher limit, twice as high once when text was there, 4 and then 8 times as high when all of
    it went into hidden reasoning. Raises ReplyUnreadable (parse, empty, refusal, cut_off, content_filter) and whatever
    the chat raises.
    """
    room = _Room(replace(request, schema=schema))
    repaired = False
    while True:
        reply = await chat.complete(room.request)
        _check_filter(reply, chat)
        if reply.refusal:
            raise ReplyUnreadable("refusal", f"{chat.name} refused to reply: {_start(reply.refusal)}")
        if reply.finish == "length":
            room.grow(reply, chat)
            continue
        try:
            return reply.read if isinstance(reply.read, schema) else read_object(reply.text, schema)
        except UnreadableText as error:
            if repaired:
                kind = "parse" if reply.text.strip() else "empty"
                raise ReplyUnreadable(kind, f"{chat.name} gave no readable reply, twice: {error}.") from None
            room.request, repaired = _repair(room.request, reply.text, str(error), schema), True


async def prose(chat: Chat, request: ChatRequest) -> ChatReply:
    """One whole answer in prose, in at most five calls, three without hidden reasoning; a refusal is an answer too and
    is returned as it is.

    A cut-off answer is asked for again with a higher limit as in `structured`, an empty one once more as it was. Raises
    ReplyUnreadable (cut_off, empty, content_filter) and whatever the chat raises.
    """
    room = _Room(request)
    again = False
    while True:
        reply = await chat.complete(room.request)
        _check_filter(reply, chat)
        if reply.refusal:
            return reply
        if reply.finish == "length":
            room.grow(reply, chat)
        elif reply.text.strip():
            return reply
        elif again:
            raise ReplyUnreadable("empty", f"{chat.name} answered with nothing, twice.")
        else:
            again = True


def _check_filter(reply: ChatReply, chat: Chat) -> None:
    if reply.finish == "content_filter":
        raise ReplyUnreadable("content_filter", f"The provider's content filter held back what {chat.name} replied.")


def _repair(request: ChatRequest, bad: str, reason: str, schema: type[BaseModel]) -> ChatRequest:
    """The same conversation with the bad reply, what was wrong with it, and which fields are wanted."""
    fields = ", ".join(schema.model_fields)
    # an empty turn is refused by some endpoints, so an empty reply is named instead of repeated
    said = Message("assistant", bad[:_QUOTED] if bad.strip() else "(an empty reply)")
    wanted = Message(
        "user",
        f"That reply could not be read: {reason}. Reply again with one JSON object and nothing else;"
        f" its fields are: {fields}.",
    )
    return replace(request, messages=(*request.messages, said, wanted))


def _start(text: str) -> str:
    return text if len(text) <= 200 else text[:199] + "…"
