"""A reply that can be used: the answer without the thoughts around it, asked for again where it was cut off,
empty or unreadable; and the JSON object in what a model wrote around it, beside it, or almost.

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
from typing import Annotated, Any, NamedTuple, TypeVar, get_origin

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

T = TypeVar("T", bound=BaseModel)

THOUGHTS = "thoughts"
"""The finish reason of a reply whose thoughts never end."""
_TAGS = ("think", "thinking", "thought", "thoughts", "reasoning", "seed:think", "mm:think")
_MARKS = {
    **{f"<{tag}>": f"</{tag}>" for tag in _TAGS},
    "[THINK]": "[/THINK]",
    "◁think▷": "◁/think▷",
    "<|START_THINKING|>": "<|END_THINKING|>",
    "<|begin_of_thought|>": "<|end_of_thought|>",
    "<|inner_prefix|>": "<|inner_suffix|>",
    "<|channel>thought": "<channel|>",
}
"""Each form of thoughts: what opens them, what closes them."""
_OPENS, _CLOSES = ("|".join(map(re.escape, marks)) for marks in (_MARKS, _MARKS.values()))
_MARK = re.compile(f"(?P<opens>{_OPENS})|{_CLOSES}", re.IGNORECASE)
_CHANNEL = re.compile(
    r"(?<![ \t\"'`“(])(?:<\|start\|>)?(?:assistant)?<\|channel\|>\s{0,9}(\w+)[^<\n]{0,200}"
    r"(?:<\|constrain\|>[^<\n]{0,200})?(?:<\|message\|>|\Z)"
)
"""The head of a message in the harmony form."""
_END = re.compile(r"<\|(?:end|return|call|start)\|>")
_JSON = re.compile(r"\s*(?:\{|\[\s*[\[{\"])")
_TOKEN = r"<\|[^|<>\n]{1,40}\|>"
"""Of a chat template."""
_LEADING = re.compile(
    rf"(?:[\s\ufeff\u200b\u2060]+|(?!{_OPENS}|{_CLOSES}){_TOKEN}(?:assistant)?|<s>)*",
    re.IGNORECASE,
)
_TRAILING = re.compile(rf"(?:\s|{_TOKEN}|</s>|<end_of_turn>)+\Z")
_LONGEST_END = 100
_QUOTES, _END_QUOTES = frozenset("\"'`“‘«„("), frozenset("\"'`”’»“)")


class Spoken(NamedTuple):
    """A text without its thoughts."""

    answer: str
    thoughts: str | None = None
    """None: there were none, and the answer is the text as it was."""
    ends: bool = True
    """False: the thoughts never end, so that nobody knows the answer; it is empty."""


def spoken(text: str) -> Spoken:
    """The answer in a text, without the thoughts around it. Takes time in proportion to the
    text."""
    if _JSON.match(text):
        return Spoken(text)
    heads = list(_CHANNEL.finditer(text))
    return _from_channels(text, heads) if heads else _from_blocks(text)


def answer_in(text: str) -> str:
    """The answer in a text. Raises ReplyUnreadable (thoughts) where its thoughts never end."""
    answer, _, ends = spoken(text)
    if not ends:
        raise ReplyUnreadable(
            THOUGHTS, "The answer holds thoughts that never end, and nothing else."
        )
    return answer


def without_thoughts(reply: ChatReply) -> ChatReply:
    """The reply with its answer alone as its text, and the thoughts beside it. Where these never
    end it has no text, and finishes with `THOUGHTS`."""
    answer, thoughts, ends = spoken(reply.text)
    if thoughts is None:
        return reply
    says_more = reply.finish in ("length", "content_filter", "refusal")
    return replace(
        reply,
        text=answer,
        thoughts=bool(thoughts),
        reasoning="\n".join(part for part in (reply.reasoning, thoughts) if part) or None,
        finish=reply.finish if ends or says_more else THOUGHTS,
        logprobs=None,
    )


def _from_channels(text: str, heads: list[re.Match[str]]) -> Spoken:
    """By harmony's channels, of which the last `final` is the answer."""
    answer, thoughts = None, [text[: heads[0].start()]]
    ends = [head.start() for head in heads[1:]] + [len(text)]
    for head, end in zip(heads, ends, strict=True):
        body = _END.split(text[head.end() : end], maxsplit=1)[0]
        if head[1] == "final":
            answer, body = body, answer or ""
        thoughts.append(body)
    return _split(thoughts, answer)


def _from_blocks(text: str) -> Spoken:
    """By the marks that count: what a block holds, and what stands before a closing mark that none
    opened, is no answer."""
    answers, thoughts = list[str](), list[str]()
    at, hidden = _start(text), False
    for mark in _MARK.finditer(text, at):
        opens, start = mark["opens"] is not None, mark.start()
        if _is_quoted(text, mark) or (opens if hidden else _is_mentioned(text, start)):
            continue
        if hidden:
            thoughts.append(text[at:start])
        elif opens:
            answers.append(text[at:start])
        else:
            thoughts += [*answers, text[at:start]]
            answers.clear()
        at, hidden = mark.end(), opens
    if hidden:
        return _split([*answers, *thoughts, text[at:]], None)
    if not thoughts:
        return Spoken(text)
    return _split(thoughts, "".join((*answers, text[at:])))


def _split(thoughts: list[str], answer: str | None) -> Spoken:
    stripped = (part.strip() for part in thoughts)
    reasoning = "\n".join(filter(None, stripped))
    if answer is None:
        return Spoken("", reasoning, ends=False)
    answer = answer[_start(answer) :]
    end = _TRAILING.search(answer, max(0, len(answer) - _LONGEST_END))
    return Spoken(answer[: end.start()] if end else answer, reasoning)


def _start(text: str) -> int:
    """Where it begins behind white space and tokens of a chat template."""
    match = _LEADING.match(text)
    return match.end() if match else 0


def _is_quoted(text: str, mark: re.Match[str]) -> bool:
    before = text[max(mark.start() - 1, 0) : mark.start()]
    return before in _QUOTES and text[mark.end() : mark.end() + 1] in _END_QUOTES


def _is_mentioned(text: str, start: int) -> bool:
    """Whether a mark belongs to a sentence: a blank sets it off from a word of its line."""
    line = text[max(0, start - 60) : start].rpartition("\n")[2]
    return line[-1:].isspace() and line.rstrip()[-1:].isalnum()


_OPENING = re.compile(r"""\{(?=\s*(?:["'“‘}]|//|/\*|[A-Za-z_]\w*\s*:))|\[(?=\s*[\[{"'“‘])""")
_COPIED = re.compile(r"<\\(?!u[0-9a-fA-F]{4})(?=[^\W\d_])")
"""The backslash by which a prompt shows `<name>` as `<\\name>`: copied into JSON it would be `\\n`
and an escape."""
_CLOSING = {"{": "}", "[": "]"}
_MOST_MENDED = 20_000
"""Characters: mending takes milliseconds for a thousand, in the event loop."""
_MOST_READ = 300_000
_DEPTH = 3


def whole(text: str) -> str:
    """The text with a replacement sign for each half of a surrogate pair, which no file could
    hold."""
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def text_of(content: object) -> str:
    """The text of a message's content: a string, or a list of parts of which the text parts
    count."""
    if isinstance(content, str):
        return whole(content)
    if not isinstance(content, list):
        return ""
    texts = list[str]()
    for part in content:
        text = part
        if isinstance(part, dict) and part.get("type", "text") in ("text", "output_text"):
            text = part.get("text")
        if isinstance(text, str):
            texts.append(text)
    return whole("".join(texts))


def whole_texts(value: object) -> object:
    """The value without halves of surrogate pairs in its texts: one such sign must not spoil all
    that was said."""
    if isinstance(value, str):
        return whole(value)
    if isinstance(value, list):
        return [whole_texts(item) for item in value]
    if isinstance(value, dict):
        return {whole_texts(name): whole_texts(item) for name, item in value.items()}
    return value


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
        if value is None:
            reasons.append("the JSON is malformed")
        if isinstance(value, list) and len(value) != 1:
            reasons.append("it holds a list where one object was asked for")
        shaped = _first_shaped(value, schema, reasons)
        if shaped is not None and shaped not in objects:
            objects.append(shaped)
    if len(objects) > 1:
        raise UnreadableText(
            f"it holds {len(objects)} different objects where one was asked for"
        )
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
    fields = schema.model_fields
    lists = [name for name in fields if get_origin(fields[name].annotation) in (list, tuple)]
    if isinstance(value, list) and len(lists) == 1:
        yield {lists[0]: value}


def _in_words(error: ValidationError) -> str:
    """`field asserts_reference: Input should be a valid boolean (got "false")`, at most four
    such."""
    faults = []
    for entry in error.errors(include_url=False, include_context=False)[:4]:
        where = ".".join(map(str, entry["loc"])) or "(the object)"
        if entry["type"] == "missing":
            faults.append(f"field {where} is missing")
        else:
            faults.append(f"field {where}: {entry['msg']} (got {repr(entry['input'])[:60]})")
    return "; ".join(faults)


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
                "cut_off",
                f"{chat.name} was cut off at {chosen} tokens, its setting max_tokens.",
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
    room = _Room(replace(request, schema=schema))
    repaired = False
    while True:
        reply = await _whole_reply(chat, room)
        if reply.refusal:
            raise ReplyUnreadable(
                "refusal", f"{label_of(chat.name)} refused to reply: {reply.refusal[:200]}"
            )
        try:
            return (
                reply.read
                if isinstance(reply.read, schema)
                else read_object(reply.text, schema)
            )
        except UnreadableText as error:
            if repaired:
                kind = "parse" if reply.text.strip() else _kind(reply)
                raise ReplyUnreadable(
                    kind, f"{label_of(chat.name)} gave no readable reply, twice: {error}."
                ) from None
            room.request = _repair(room.request, reply.text, str(error), schema)
            repaired = True


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
    request: ChatRequest, bad: str, reason: str, schema: type[BaseModel]
) -> ChatRequest:
    """The same conversation with the bad reply, what was wrong with it, and which fields are
    wanted."""
    fields = ", ".join(schema.model_fields)
    # an empty turn is refused by some endpoints, so an empty reply is named instead of repeated
    quoted = Message("assistant", bad[:_QUOTED] if bad.strip() else "(an empty reply)")
    wanted = Message(
        "user",
        f"That reply could not be read: {reason}. Reply again with one JSON object and nothing "
        f"else; its fields are: {fields}.",
    )
    return replace(request, messages=(*request.messages, quoted, wanted))
