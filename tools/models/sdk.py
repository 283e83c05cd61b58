"""Azure's deployments and OpenAI's Responses API, through langchain-openai, behind the same
transport as all others."""

from collections.abc import Mapping
from typing import Any

import httpx2
import orjson
from langchain_openai import AzureChatOpenAI, ChatOpenAI
from langchain_openai.chat_models.base import BaseChatOpenAI
from pydantic import SecretStr

from ...state.errors import EndpointRefused
from ..net import MOST_BYTES, MOST_PARTS
from .faults import AttemptFailed, HttpResponse
from .transport import Transport, encoded

_CHAT_ONLY = ("model", "max_tokens", "max_completion_tokens", "reasoning_effort", "response_format")
"""Fields that have another name or form in the Responses API; LangChain knows which."""
_KEY_HEADERS = ("Authorization", "api-key")
_LOGPROBS = "message.output_text.logprobs"


class SdkTransport(Transport):
    """Takes chat completions, and gives them back, whatever the endpoint speaks. LangChain's model
    knows addresses, headers and forms; its client sends by this very transport and tries nothing
    again."""

    def __init__(
        self,
        base_url: str,
        key: str | None,
        *,
        responses: bool,
        azure_version: str,
        connections: int,
        timeout_s: float,
        headers: Mapping[str, str] | None = None,
        door: str = "chat/completions",
    ) -> None:
        super().__init__(
            base_url, None, connections=connections, timeout_s=timeout_s, headers=headers
        )
        self._limit_s, self._chosen = timeout_s, dict(headers or {})
        self._most = MOST_BYTES, MOST_PARTS
        self._door = "responses" if responses else door
        # what is not given here would be taken from variables that are meant for other programs
        options: dict[str, Any] = {
            "api_key": SecretStr(key or "none"),
            "max_retries": 0,
            "openai_proxy": "",
            "use_responses_api": responses,
            "http_client": httpx2.Client(
                transport=httpx2.MockTransport(lambda request: httpx2.Response(500))
            ),
            "http_async_client": httpx2.AsyncClient(
                transport=_Bridge(self), follow_redirects=False
            ),
        }
        self._model: BaseChatOpenAI
        if azure_version:
            azure = {
                "azure_endpoint": base_url,
                "api_version": azure_version,
                "azure_ad_token": None,
            }
            self._model = AzureChatOpenAI(**azure, **options)
        else:
            self._model = ChatOpenAI(model="", base_url=base_url, **options)

    async def exchange(
        self,
        payload: dict[str, Any],
        limit_s: float,
        *,
        most: int = MOST_BYTES,
        parts: int = MOST_PARTS,
    ) -> HttpResponse:
        """As of `Transport`, with what the Responses API gives in the form of a chat completion."""
        self._limit_s, self._most = limit_s, (most, parts)
        by_responses = self._door == "responses"
        payload = orjson.loads(
            encoded(payload)
        )  # whole texts: the client takes no halves of surrogate pairs
        body = self._as_responses(payload) if by_responses else payload
        response = await self._model.root_async_client.post(
            f"/{self._door}", body=body, cast_to=httpx2.Response
        )
        outcome: HttpResponse | Exception = response.extensions["outcome"]
        if isinstance(outcome, Exception):
            raise outcome
        return _as_completion(outcome) if by_responses and outcome.status < 300 else outcome

    def _as_responses(self, payload: Mapping[str, Any]) -> dict[str, Any]:
        chat = {name: value for name, value in payload.items() if name in _CHAT_ONLY}
        body = self._model._get_request_payload(payload["messages"], **chat)
        body |= {
            name: value for name, value in payload.items() if name not in (*_CHAT_ONLY, "messages")
        }
        if body.pop("logprobs", None):
            body["include"] = [*body.get("include", ()), _LOGPROBS]
        return {"store": False, **body}  # OpenAI would keep what was asked and answered

    async def send(self, request: httpx2.Request) -> HttpResponse:
        """The request of LangChain's client, with no more of its headers than the key."""
        key = {name: value for name in _KEY_HEADERS if (value := request.headers.get(name))}
        headers = {name: value for name, value in self._headers.items() if name not in _KEY_HEADERS}
        headers |= key | self._chosen
        return await self.post(
            str(request.url), headers, request.content, self._limit_s, *self._most
        )


class _Bridge(httpx2.AsyncBaseTransport):
    """Sends by our transport. LangChain's client sees success whatever came: faults are told apart
    in one place, for all endpoints alike."""

    def __init__(self, transport: SdkTransport) -> None:
        self._transport = transport

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        try:
            outcome: HttpResponse | Exception = await self._transport.send(request)
        except (AttemptFailed, EndpointRefused) as error:
            outcome = error
        return httpx2.Response(200, extensions={"outcome": outcome})


def _as_completion(raw: HttpResponse) -> HttpResponse:
    """A response of the Responses API as a chat completion; as it came where it is none, or one
    that failed."""
    try:
        data = orjson.loads(raw.body)
    except orjson.JSONDecodeError:
        return raw
    if not isinstance(data, dict) or data.get("error") or not isinstance(data.get("output"), list):
        return raw
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
    return HttpResponse(raw.status, raw.headers, orjson.dumps(body))


def _parts(items: list[dict[str, Any]], kind: str, name: str) -> list[dict[str, Any]]:
    """The parts under this name of all items of this kind."""
    lists = (item.get(name) for item in items if item.get("type") == kind)
    return [
        part for each in lists if isinstance(each, list) for part in each if isinstance(part, dict)
    ]


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
