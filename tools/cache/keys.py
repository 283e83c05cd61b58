"""What makes two requests the same one: canonical JSON, digested."""

import hashlib
import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import orjson

from ...state.errors import UsageError
from ..facts.base import FactQuery
from ..models.address import instructed, parse_model
from ..models.chat import ChatRequest, strict_schema
from ..models.providers import PROVIDERS

_REPLY = "reply/1"
"""Changes when replies are kept differently."""
_LOOKUP = "lookup/2"
"""Changes when pages are cut into passages differently: what was cut the old way is then looked up again."""


def reply_key(place: str, name: str, request: ChatRequest) -> str:
    """64 hex digits over all that shapes a reply: place, model, conversation, JSON shape, limits, seed, sample, and the
    provider's own way of asking. `name` is the model as a spec names it; what the reply is for is no part of it."""
    model, manner = _model_of(name)
    request = instructed(name, request)
    # only where they are asked for: the keys of all other requests stay what they were before there were any
    later = {
        **({} if request.top_p is None else {"top_p": float(request.top_p)}),
        **({"logprobs": True} if request.logprobs else {}),
    }
    return _digest(
        {
            "format": _REPLY,
            "place": place,
            "model": model,
            "manner": manner,
            "messages": [(message.role, message.content) for message in request.messages],
            "schema": None if request.schema is None else strict_schema(request.schema),
            "max_tokens": request.max_tokens,
            "temperature": None if request.temperature is None else float(request.temperature),
            "seed": request.seed,
            "sample": request.sample,
            **later,
        }
    )


def model_of(name: str) -> str:
    """The model without provider and address: `student` of `sim:student`; a name of another form as it is."""
    return _model_of(name)[0]


def lookup_key(source: str, place: str, query: FactQuery) -> str:
    """64 hex digits over a look-up: source, where it is, and what of the query shapes the answer, its date included."""
    return _digest(
        {
            "format": _LOOKUP,
            "source": source,
            "place": place,
            "concept": query.concept,
            "domain": query.domain,
            "tier": query.tier.value,
            "as_of": query.as_of.isoformat(),
            "language": query.language,
            "limit": query.limit,
            "line": query.line[-1:],
        }
    )


def page_key(source: str, place: str, title: str, language: str) -> str:
    """64 hex digits over the question whether a source has a page."""
    asked = {"source": source, "place": place, "page": title, "language": language}
    return _digest({"format": _LOOKUP, **asked})


@lru_cache(maxsize=256)
def _model_of(name: str) -> tuple[str, Mapping[str, Any]]:
    try:
        address = parse_model(name)
    except UsageError:  # a host's own model may be called anything
        return name, {}
    provider = PROVIDERS.get(address.provider)
    if provider is None:
        return address.model, {}
    chosen = {"headers": address.settings.headers} if address.settings.headers else {}
    return address.model, {"mode": provider.mode, "seed": provider.seed_name, "extra": dict(provider.extra), **chosen}


def _digest(parts: Mapping[str, Any]) -> str:
    try:
        canonical = orjson.dumps(parts, option=orjson.OPT_SORT_KEYS)
    except orjson.JSONEncodeError:  # half a surrogate pair, as some models write it, is no UTF-8
        canonical = json.dumps(parts, sort_keys=True).encode()
    return hashlib.sha256(canonical).hexdigest()
