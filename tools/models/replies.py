"""Reading a JSON object out of what a model wrote around it, beside it, or almost.

What is mended: code fences, words before and after, thoughts, a byte order mark, trailing commas,
comments, single or typographic quotes, Python literals, JSON inside a JSON string, an object in a
list of one or under one key, a bare list where the shape has one list field. What is never guessed:
the end of JSON that breaks off, which of several different objects was meant, the type of a value
("false" is not true; a shape's booleans should be StrictBool).
"""

import ast
import json
import re
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Annotated, Any, TypeVar, get_origin

import json5
import orjson
from pydantic import (
    BaseModel,
    BeforeValidator,
    ValidationError,
    ValidatorFunctionWrapHandler,
    WrapValidator,
)

from .faults import HttpResponse
from .reading import spoken, whole_texts

_BEGINNINGS = (b":", b"data:", b"event:", b"id:", b"retry:")
_TEXTS = ("content", "reasoning_content", "reasoning", "refusal")


def one_body(raw: HttpResponse) -> HttpResponse:
    """The response with the chunks of a stream joined, and without the comments that keep a
    connection open.

    As it came where it is no stream, and where the stream ends before its reply does: half a reply
    is none.
    """
    if not raw.body.lstrip().startswith(_BEGINNINGS):
        return raw
    lines = [line.strip() for line in raw.body.splitlines() if not line.startswith(b":")]
    events = [line.removeprefix(b"data:").strip() for line in lines if line.startswith(b"data:")]
    if not events:
        return replace(raw, body=b"\n".join(lines))
    try:
        chunks = [orjson.loads(event) for event in events if event != b"[DONE]"]
    except orjson.JSONDecodeError:
        return raw
    whole = _joined_chunks([chunk for chunk in chunks if isinstance(chunk, dict)])
    return raw if whole is None else replace(raw, body=orjson.dumps(whole))


def _joined_chunks(chunks: list[dict[str, Any]]) -> dict[str, Any] | None:
    """One completion, or the error that a chunk holds; None where no reason for its end came."""
    message: dict[str, str] = {}
    logprobs: list[Any] = []
    finish, usage, model = None, None, None
    for chunk in chunks:
        if chunk.get("error"):
            return chunk
        usage, model = chunk.get("usage") or usage, chunk.get("model") or model
        for choice in _first_choice(chunk):
            finish = choice.get("finish_reason") or finish
            logprobs += _fields_of(choice.get("logprobs")).get("content") or []
            part = _fields_of(choice.get("delta") or choice.get("message"))
            for name in _TEXTS:
                if isinstance(text := part.get(name), str):
                    message[name] = message.get(name, "") + text
    if finish is None:
        return None
    choice = {
        "message": message,
        "finish_reason": finish,
        "logprobs": {"content": logprobs} if logprobs else None,
    }
    return {
        "model": model,
        "choices": [choice],
        "usage": usage,
    }


def _first_choice(chunk: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    choices = chunk.get("choices")
    for choice in choices if isinstance(choices, list) else ():
        if isinstance(choice, dict) and not choice.get("index"):
            yield choice


def _fields_of(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


T = TypeVar("T", bound=BaseModel)

_FENCE = re.compile(r"```[\w-]*+[ \t]*+\n?+(.*?)```", re.DOTALL)
_OPENING = re.compile(r"""\{(?=\s*(?:["'“‘}]|//|/\*|[A-Za-z_]\w*\s*:))|\[(?=\s*[\[{"'“‘])""")
_COPIED = re.compile(r"<\\(?!u[0-9a-fA-F]{4})(?=[^\W\d_])")
"""The backslash by which a prompt shows `<name>` as `<\\name>`: copied into JSON it would be `\\n`
and an escape."""
_SAME_QUOTES = str.maketrans(
    {
        "“": '"',
        "”": '"',
        "„": '"',
        "‘": "'",
        "’": "'",
    }
)
_CLOSING = {"{": "}", "[": "]"}
_MOST_MENDED = (
    20_000  # characters; the forgiving parsers take 5 ms for a thousand, in the event loop
)
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


class _BreaksOff(UnreadableText):
    """A bracket is never closed: the text was cut, or is no JSON."""


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
    reasons: list[str] = []
    for stage in (_whole, _fenced, _embedded):
        found = _distinct(stage(bare), schema, reasons)
        if len(found) > 1:
            raise UnreadableText(f"it holds {len(found)} different objects where one was asked for")
        if found:
            return found[0]
    raise UnreadableText(reasons[0] if reasons else "it holds no JSON object")


def _distinct(pieces: Iterator[str], schema: type[T], reasons: list[str]) -> list[T]:
    """Objects of the shape among the pieces, each once; why the others are none goes into
    `reasons`."""
    found: list[T] = []
    try:
        for piece in pieces:
            shaped = _first_shaped(piece, schema, reasons)
            if shaped is not None and shaped not in found:
                found.append(shaped)
    except _BreaksOff as error:
        # a complete object before the break may be a draft of the one that was cut: it is not taken
        # either
        reasons.insert(0, str(error))
        return []
    return found


def _whole(text: str) -> Iterator[str]:
    yield text


def _fenced(text: str) -> Iterator[str]:
    """What stands in fences, and any whole object beside them: a fenced one may be a quotation, its
    neighbour meant."""
    fences = [match[1].strip() for match in _FENCE.finditer(text)]
    yield from fences
    if fences:
        with suppress(_BreaksOff):  # words around a fence need not be JSON
            yield from _embedded(_FENCE.sub("\n", text))


def _embedded(text: str) -> Iterator[str]:
    """Outermost brackets that begin like JSON, each up to its partner."""
    position = 0
    while opening := _OPENING.search(text, position):
        position = _end(text, opening.start())
        yield text[opening.start() : position]


def _end(text: str, start: int) -> int:
    """Index behind the partner of the bracket at `start`. Raises _BreaksOff when it has none."""
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
    raise _BreaksOff("the JSON breaks off, or its brackets do not match")


def _first_shaped(piece: str, schema: type[T], reasons: list[str]) -> T | None:
    value = _parsed(piece)
    if value is None:
        if piece[:1] in ("{", "["):
            reasons.append("the JSON is malformed")
        return None
    if isinstance(value, list) and len(value) != 1:
        reasons.append("it holds a list where one object was asked for")
    for candidate in _readings(value, schema, _DEPTH):
        try:
            return schema.model_validate_json(orjson.dumps(candidate))
        except ValidationError as error:
            reasons.append(_in_words(error))
        except TypeError:
            reasons.append("it holds values that JSON does not know")
    return None


def _readings(value: object, schema: type[BaseModel], depth: int) -> Iterator[object]:
    """What a parsed value may stand for, plainest first."""
    if depth == 0:
        return
    if isinstance(value, dict):
        yield value
        if len(value) == 1:
            inner = next(iter(value.values()))
            if isinstance(inner, dict):
                yield from _readings(inner, schema, depth - 1)
    elif isinstance(value, list):
        if len(value) == 1:
            yield from _readings(value[0], schema, depth - 1)
        if (field := _only_list_field(schema)) is not None:
            yield {field: value}
    elif isinstance(value, str) and (inner := _parsed(value.strip())) is not None:
        yield from _readings(inner, schema, depth - 1)


def _only_list_field(schema: type[BaseModel]) -> str | None:
    lists = [
        name
        for name, field in schema.model_fields.items()
        if get_origin(field.annotation) in (list, tuple)
    ]
    return lists[0] if len(lists) == 1 else None


def _parsed(text: str) -> object | None:
    """The value a text denotes, by the first parser that takes all of it; None when none does, or
    for bare words."""
    if text[:1] not in ("{", "[", '"'):
        return None
    parsers = _PARSERS if len(text) <= _MOST_MENDED else _PARSERS[:2]
    for spelling in dict.fromkeys((text, text.translate(_SAME_QUOTES))):
        for parse in parsers:
            try:
                return whole_texts(parse(spelling))
            except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
                continue
    return None


def _python_literal(text: str) -> object:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # an odd escape in a model's text is no warning to the user
        return ast.literal_eval(text)


_PARSERS: tuple[Callable[[str], object], ...] = (
    orjson.loads,
    json.loads,
    json5.loads,
    _python_literal,
)


def _in_words(error: ValidationError) -> str:
    """`field asserts_reference: Input should be a valid boolean (got "false")`, at most four
    such."""
    entries = error.errors(include_url=False, include_context=False)
    return "; ".join(_entry_in_words(entry["loc"], entry["msg"], entry) for entry in entries[:4])


def _entry_in_words(place: tuple[int | str, ...], said: str, entry: Any) -> str:
    where = ".".join(str(part) for part in place)
    if entry["type"] == "missing":
        return f"field {where} is missing"
    got = repr(entry["input"])
    return (
        f"field {where or '(the object)'}: {said} (got {got if len(got) <= 60 else got[:59] + '…'})"
    )
