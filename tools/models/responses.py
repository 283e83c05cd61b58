"""OpenAI's Responses API: a chat completion's payload in its form, and its response as a chat
completion."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import httpx2
import orjson
from langchain_openai import ChatOpenAI
from pydantic import SecretStr

from .faults import HttpResponse

_CHAT_ONLY = (
    "model",
    "max_tokens",
    "max_completion_tokens",
    "reasoning_effort",
    "response_format",
)
"""Fields that have another name or form in the Responses API; LangChain knows which."""
_LOGPROBS = "message.output_text.logprobs"


@lru_cache(maxsize=1)
def _langchain() -> ChatOpenAI:
    """LangChain's model, for what it knows of forms: it never asks anybody."""
    nowhere = httpx2.MockTransport(lambda request: httpx2.Response(500))
    return ChatOpenAI(
        model="",
        api_key=SecretStr("none"),
        openai_proxy="",
        use_responses_api=True,
        http_client=httpx2.Client(transport=nowhere),
        http_async_client=httpx2.AsyncClient(transport=nowhere),
    )


def as_responses(payload: Mapping[str, Any]) -> dict[str, Any]:
    chat = {name: value for name, value in payload.items() if name in _CHAT_ONLY}
    body = _langchain()._get_request_payload(payload["messages"], **chat)
    known = (*_CHAT_ONLY, "messages")
    body |= {name: value for name, value in payload.items() if name not in known}
    if body.pop("logprobs", None):
        body["include"] = [*body.get("include", ()), _LOGPROBS]
    return {"store": False, **body}  # OpenAI would keep what was asked and answered


def as_completion(response: HttpResponse) -> HttpResponse:
    """A response of the Responses API as a chat completion; as it came where it is none, or one
    that failed."""
    try:
        data = orjson.loads(response.body)
    except orjson.JSONDecodeError:
        return response
    if (
        not isinstance(data, dict)
        or data.get("error")
        or not isinstance(data.get("output"), list)
    ):
        return response
    items = [item for item in data["output"] if isinstance(item, dict)]
    content = _parts(items, "message", "content")
    reasoning = [*_parts(items, "reasoning", "summary"), *_parts(items, "reasoning", "content")]
    texts = [part for part in content if part.get("type") == "output_text"]
    message = {
        "role": "assistant",
        "content": _joined(texts, "text"),
        "refusal": _joined(content, "refusal"),
        "reasoning": _joined(reasoning, "text"),
    }
    details = data.get("incomplete_details")
    reason = details.get("reason") if isinstance(details, dict) else None
    logprobs = [entry for part in texts for entry in part.get("logprobs") or ()]
    choice = {
        "finish_reason": reason or "stop",
        "message": message,
        "logprobs": {"content": logprobs},
    }
    usage = data.get("usage")
    body = {
        "model": data.get("model"),
        "choices": [choice],
        "usage": _usage(usage if isinstance(usage, dict) else {}),
    }
    return HttpResponse(response.status, response.headers, orjson.dumps(body))


def _parts(
    items: list[dict[str, Any]],
    kind: str,
    name: str,
) -> list[dict[str, Any]]:
    """The parts under this name of all items of this kind."""
    lists = [item.get(name) for item in items if item.get("type") == kind]
    parts = [part for listed in lists if isinstance(listed, list) for part in listed]
    return [part for part in parts if isinstance(part, dict)]


def _joined(parts: list[dict[str, Any]], name: str) -> str:
    texts = (part.get(name) for part in parts)
    return "".join(text for text in texts if isinstance(text, str))


def _usage(usage: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "prompt_tokens": usage.get("input_tokens"),
        "completion_tokens": usage.get("output_tokens"),
        "prompt_tokens_details": usage.get("input_tokens_details"),
        "completion_tokens_details": usage.get("output_tokens_details"),
    }
