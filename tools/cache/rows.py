"""A reply and a look-up as they are kept: one text each."""

import json
from typing import Any

import orjson
from pydantic import TypeAdapter

from ...state.records import Evidence, Usage
from ..models.chat import ChatReply

_EVIDENCE: TypeAdapter[list[Evidence]] = TypeAdapter(list[Evidence])


def reply_text(reply: ChatReply) -> str:
    """A reply as JSON, all of it but what the cache itself says about it."""
    parts = {
        "text": reply.text,
        "finish": reply.finish,
        "refusal": reply.refusal,
        "reasoning": reply.reasoning,
        "usage": reply.usage.model_dump(),
        "latency_s": reply.latency_s,
        "model": reply.model,
        "attempts": reply.attempts,
        "cost_usd": reply.cost_usd,
        "logprobs": reply.logprobs,
    }
    try:
        return orjson.dumps(parts).decode()
    except orjson.JSONEncodeError:  # half a surrogate pair is no UTF-8, but can be escaped
        return json.dumps(parts)


def reply_of(text: str) -> ChatReply:
    """The reply that was kept. Raises ValueError, KeyError or TypeError for what `reply_text` did not write."""
    parts = _parsed(text)
    logprobs = parts.get("logprobs")
    parts["usage"] = Usage.model_validate(parts["usage"])
    parts["logprobs"] = None if logprobs is None else tuple(logprobs)
    return ChatReply(**parts)


def evidence_text(found: list[Evidence]) -> str:
    """Passages as JSON, in order."""
    return _EVIDENCE.dump_json(found).decode()


def evidence_of(text: str) -> list[Evidence]:
    """The passages that were kept. Raises ValueError."""
    return _EVIDENCE.validate_json(text)


def _parsed(text: str) -> dict[str, Any]:
    try:
        parts = orjson.loads(text)
    except orjson.JSONDecodeError:
        parts = json.loads(text)
    if not isinstance(parts, dict):
        raise ValueError("no object")
    return parts
