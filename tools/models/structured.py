"""Asking for a validated object, or for prose: what is asked again, and what ends as unreadable."""

from dataclasses import replace
from typing import TypeVar

from pydantic import BaseModel

from ...state.errors import ReplyUnreadable
from .chat import Chat, ChatReply, ChatRequest, Message
from .replies import UnreadableText, read_object

T = TypeVar("T", bound=BaseModel)

_QUOTED = 4000  # characters of a bad reply that go back with the repair


async def structured(chat: Chat, request: ChatRequest, schema: type[T]) -> T:
    """One validated object of the shape, in at most three calls.

    A reply that cannot be read is repaired once: it goes back with what was wrong. A cut-off reply is never read: it is
    asked for once more with twice the limit. Raises ReplyUnreadable (parse, empty, refusal, cut_off, content_filter)
    and whatever the chat raises.
    """
    asked = replace(request, schema=schema)
    longer = repaired = False
    while True:
        reply = await chat.complete(asked)
        _check_filter(reply, chat)
        if reply.refusal:
            raise ReplyUnreadable("refusal", f"{chat.name} refused to reply: {_start(reply.refusal)}")
        if reply.finish == "length":
            if longer:
                raise _cut_off(chat, asked)
            asked, longer = _with_twice_the_limit(asked), True
            continue
        try:
            return read_object(reply.text, schema)
        except UnreadableText as error:
            if repaired:
                kind = "parse" if reply.text.strip() else "empty"
                raise ReplyUnreadable(kind, f"{chat.name} gave no readable reply, twice: {error}.") from None
            asked, repaired = _repair(asked, reply.text, str(error), schema), True


async def prose(chat: Chat, request: ChatRequest) -> ChatReply:
    """One whole answer in prose, in at most three calls; a refusal is an answer too and is returned as it is.

    A cut-off answer is asked for once more with twice the limit, an empty one once more as it was. Raises
    ReplyUnreadable (cut_off, empty, content_filter) and whatever the chat raises.
    """
    asked = request
    longer = again = False
    while True:
        reply = await chat.complete(asked)
        _check_filter(reply, chat)
        if reply.refusal:
            return reply
        if reply.finish == "length":
            if longer:
                raise _cut_off(chat, asked)
            asked, longer = _with_twice_the_limit(asked), True
        elif reply.text.strip():
            return reply
        elif again:
            raise ReplyUnreadable("empty", f"{chat.name} answered with nothing, twice.")
        else:
            again = True


def _check_filter(reply: ChatReply, chat: Chat) -> None:
    if reply.finish == "content_filter":
        raise ReplyUnreadable("content_filter", f"The provider's content filter held back what {chat.name} replied.")


def _cut_off(chat: Chat, asked: ChatRequest) -> ReplyUnreadable:
    return ReplyUnreadable("cut_off", f"{chat.name} was cut off at {asked.max_tokens} tokens, twice the usual limit.")


def _with_twice_the_limit(request: ChatRequest) -> ChatRequest:
    return replace(request, max_tokens=2 * request.max_tokens)


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
