"""A stream of events as the one body that was asked for: some servers stream whatever they are
told."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import orjson

from .faults import Raw

_BEGINNINGS = (b":", b"data:", b"event:", b"id:", b"retry:")
_TEXTS = ("content", "reasoning_content", "reasoning", "refusal")


def one_body(raw: Raw) -> Raw:
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
    whole = _joined([chunk for chunk in chunks if isinstance(chunk, dict)])
    return raw if whole is None else replace(raw, body=orjson.dumps(whole))


def _joined(chunks: list[dict[str, Any]]) -> dict[str, Any] | None:
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
            logprobs += _mapping(choice.get("logprobs")).get("content") or []
            part = _mapping(choice.get("delta") or choice.get("message"))
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
    return {"model": model, "choices": [choice], "usage": usage}


def _first_choice(chunk: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    choices = chunk.get("choices")
    for choice in choices if isinstance(choices, list) else ():
        if isinstance(choice, dict) and not choice.get("index"):
            yield choice


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
