"""A reply that can be used: asked for again where it was cut off, empty or unreadable; and the JSON object
in what a model wrote around it, beside it, or almost.

What is mended: code fences, words before and after, thoughts, a byte order mark, an object in a list
of one or under one key, a bare list where the shape has one list field; and JSON that is nearly right
(commas, comments, quotes, Python literals), by json-repair. What is never guessed: the end of JSON that
breaks off, which of several different objects was meant, the type of a value ("false" is not true; a
shape's booleans should be StrictBool).
"""

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from typing import Annotated, Any, TypeVar, get_origin

import json_repair
import orjson
from pydantic import (
    BaseModel,
    BeforeValidator,
    ValidationError,
    ValidatorFunctionWrapHandler,
    WrapValidator,
)

from ...state.errors import ReplyUnreadable
from ...state.worlds import label_of
from .address import settings_of
from .chat import Chat, ChatReply, ChatRequest, Message
from .reading import THOUGHTS, spoken, whole_texts, without_thoughts

T = TypeVar("T", bound=BaseModel)

_OPENING = re.compile(r"""\{(?=\s*(?:["'“‘}]|//|/\*|[A-Za-z_]\w*\s*:))|\[(?=\s*[\[{"'“‘])""")
_COPIED = re.compile(r"<\\(?!u[0-9a-fA-F]{4})(?=[^\W\d_])")
"""The backslash by which a prompt shows `<name>` as `<\\name>`: copied into JSON it would be `\\n`
and an escape."""
_CLOSING = {"{": "}", "[": "]"}
_MOST_MENDED = 20_000
"""Characters: mending takes milliseconds for a thousand, in the event loop."""
_MOST_READ = 300_000
_DEPTH = 3


def optional(default: Any) -> WrapValidator:
    """Marks a field that nothing depends on: what cannot be read there is `default`, and the rest
    of the object counts. Not for what decides anything."""

    def read(value: object, handler: ValidatorFunctionWrapHandler) -> Any:
        try:
            return handler(value)
        except ValidationError:
            return default

    return WrapValidator(read)


Aside = Annotated[str, optional("")]
"""Words beside what was asked for, such as a reason."""
Blank = Annotated[str, BeforeValidator(lambda value: "" if value is None else value)]
"""Words that may be missing; null says that they are."""


class UnreadableText(ValueError):
    """The text holds no object of the shape that was asked for; the message says why in plain
    words."""


def read_object(text: str, schema: type[T]) -> T:
    """The one object of this shape in the text. Fields beyond the shape are ignored.

    Several objects are fine when only one has the shape, or when those that have it are equal.
    Raises UnreadableText.
    """
    answer, _, ends = spoken(text.lstrip("\ufeff"))
    if not ends:
        raise UnreadableText("it holds thoughts that never end, and no answer")
    bare = _COPIED.sub("<", answer.strip())
    if not bare:
        raise UnreadableText("the reply is empty")
    if len(bare) > _MOST_READ:
        raise UnreadableText(
            f"it has {len(bare)} characters, more than any object that was asked for"
        )
    reasons, objects = list[str](), list[T]()
    # a complete object before one that breaks off may be a draft of it: then neither is taken
    for value in _values(bare):
        shaped = _first_shaped(value, schema, reasons)
        if shaped is not None and shaped not in objects:
            objects.append(shaped)
    if len(objects) > 1:
        raise UnreadableText(f"it holds {len(objects)} different objects where one was asked for")
    if not objects:
        raise UnreadableText(reasons[0] if reasons else "it holds no JSON object")
    return objects[0]


def _values(text: str) -> Iterator[object]:
    """What the text denotes, where all of it is JSON; else its outermost brackets that begin like
    JSON, each up to its partner, mended where they have to be. None of one that cannot be."""
    with suppress(ValueError):
        yield whole_texts(orjson.loads(text))
        return
    position = 0
    while opening := _OPENING.search(text, position):
        position = _end(text, opening.start())
        yield _mended(text[opening.start() : position])


def _mended(text: str) -> object | None:
    try:
        if len(text) > _MOST_MENDED:
            return whole_texts(json.loads(text))
        return whole_texts(json_repair.loads(text, strict=True))
    except (ValueError, RecursionError):
        return None


def _end(text: str, start: int) -> int:
    """Index behind the partner of the bracket at `start`. Raises UnreadableText when it has none."""
    waiting: list[str] = []
    quote, previous, escaped = "", "", False
    for index in range(start, len(text)):
        sign = text[index]
        if quote:
            if not escaped and sign == quote:
                quote = ""
            escaped = sign == "\\" and not escaped
        elif sign in "\"'" and previous in "{[,:":
            quote = sign  # only where a string can begin: an apostrophe in a comment opens none
        elif sign in _CLOSING:
            waiting.append(_CLOSING[sign])
        elif sign in "}]":
            if waiting.pop() != sign:
                break
            if not waiting:
                return index + 1
        if not sign.isspace():
            previous = sign
    raise UnreadableText("the JSON breaks off, or its brackets do not match")


def _first_shaped(value: object, schema: type[T], reasons: list[str]) -> T | None:
    """An object of the shape; why there is none goes into `reasons`."""
    if value is None:
        reasons.append("the JSON is malformed")
    if isinstance(value, list) and len(value) != 1:
        reasons.append("it holds a list where one object was asked for")
    for candidate in _readings(value, schema, _DEPTH):
        try:
            return schema.model_validate_json(orjson.dumps(candidate))
        except ValidationError as error:
            reasons.append(_in_words(error))
    return None


def _readings(value: object, schema: type[BaseModel], depth: int) -> Iterator[object]:
    """What a parsed value may stand for, plainest first."""
    if isinstance(value, str):
        value = next(_values(value), None)
    if isinstance(value, dict):
        yield value
    inner = list(value.values()) if isinstance(value, dict) else value
    if depth > 1 and isinstance(inner, list) and len(inner) == 1:
        yield from _readings(inner[0], schema, depth - 1)
    if isinstance(value, list) and (field := _only_list_field(schema)) is not None:
        yield {field: value}


def _only_list_field(schema: type[BaseModel]) -> str | None:
    lists = [
        name
        for name, field in schema.model_fields.items()
        if get_origin(field.annotation) in (list, tuple)
    ]
    return lists[0] if len(lists) == 1 else None


def _in_words(error: ValidationError) -> str:
    """`field asserts_reference: Input should be a valid boolean (got "false")`, at most four
    such."""
    entries = error.errors(include_url=False, include_context=False)
    return "; ".join(_entry_in_words(entry["loc"], entry["msg"], entry) for entry in entries[:4])


def _entry_in_words(
    location: tuple[int | str, ...],
    fault: str,
    entry: Any,
) -> str:
    where = ".".join(str(part) for part in location)
    if entry["type"] == "missing":
        return f"field {where} is missing"
    got = repr(entry["input"])
    return f"field {where or '(the object)'}: {fault} (got {got if len(got) <= 60 else got[:59] + '…'})"


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

    def grow(
        self,
        reply: ChatReply,
        chat: Chat,
    ) -> None:
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


async def structured(
    chat: Chat,
    request: ChatRequest,
    schema: type[T],
) -> T:
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
            room.request, repaired = (
                _repair(
                    room.request,
                    reply.text,
                    str(error),
                    schema,
                ),
                True,
            )


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
