"""The transport: ChatOpenAI's payloads over aiohttp, one HTTP request per call, no retries. Imports are heavy here."""

import asyncio
import json
import ssl
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from urllib.request import getproxies

import aiohttp
import httpx2
import openai
import orjson
from langchain_openai import ChatOpenAI
from pydantic import Field

from ... import __version__
from ...state.errors import EndpointRefused
from ..net import ACCEPTED, Garbled, TooLarge, is_loopback, read_body
from .chat import Message
from .faults import Fault, Raw

_UNREACHED = (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError, httpx2.ConnectError)
_CUT = (aiohttp.ClientConnectionError, aiohttp.ClientPayloadError, httpx2.NetworkError, httpx2.ProtocolError)
_CONNECT_S = 15.0


class Line:
    """One connection pool and one client for an endpoint, shared by all models there. Never shows its key."""

    def __init__(
        self,
        base_url: str,
        key: str | None,
        *,
        connections: int,
        timeout_s: float,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        secure = base_url.startswith("https:")
        if not is_loopback(base_url):
            _check_proxies()
        self._http = openai.DefaultAioHttpClient(
            # the number is explicit because without one the pool stops at 100
            limits=httpx2.Limits(max_connections=connections, max_keepalive_connections=connections),
            timeout=httpx2.Timeout(timeout_s, connect=min(_CONNECT_S, timeout_s), pool=None),
            # a key must not follow a redirect to another host
            follow_redirects=False,
            # a proxy for the outside world has no business between two processes of one machine
            trust_env=not is_loopback(base_url),
            # plain http never uses the certificates, and reading them takes 0.15 s
            verify=True if secure else ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT),
        )
        self._client = openai.AsyncOpenAI(
            api_key=key or "none", base_url=base_url, http_client=self._http, max_retries=0, timeout=timeout_s
        )
        # the SDK fills these from OPENAI_* variables even when the endpoint is another company's
        self._client.organization = None
        self._client.project = None
        self._headers = dict(headers or {})

    def model(self, name: str) -> "Transport":
        """The model of that name at this endpoint."""
        return Transport(
            model=name,
            api_key=self._client.api_key,
            base_url=str(self._client.base_url),
            client=True,  # stands for the synchronous client, which is never asked and would read the proxy settings
            root_async_client=self._client,
            async_client=self._client.chat.completions,
            max_retries=0,
            use_responses_api=False,
            chosen_headers=self._headers,
        )

    async def aclose(self) -> None:
        await self._client.close()


def _check_proxies() -> None:
    """Raises EndpointRefused when a proxy in the environment is none, without its words, which may hold a password."""
    known = getproxies()
    try:
        for url in filter(None, map(known.get, ("http", "https", "all"))):
            httpx2.Proxy(url if "://" in url else f"http://{url}")
    except (ValueError, httpx2.InvalidURL):
        raise EndpointRefused(
            "The proxy in the environment (HTTPS_PROXY, HTTP_PROXY or ALL_PROXY) is no address: write it as"
            " http://host:port, or unset it."
        ) from None


class Transport(ChatOpenAI):
    """ChatOpenAI of which only the payload is used: posting it directly costs a fifth of the CPU time per call.

    Leans on ChatOpenAI's `_get_request_payload` and on `root_async_client` with its pool; a test guards them.
    """

    chosen_headers: dict[str, str] = Field(default_factory=dict, repr=False, exclude=True)
    """The user's own; what they hold may be secret."""

    def _headers(self) -> dict[str, str]:
        """What the request needs and the user chose: no platform, no organisation, no header from the environment."""
        sent = {
            "Authorization": f"Bearer {self.root_async_client.api_key}",
            "Content-Type": "application/json",
            "Accept": "application/json",
            "Accept-Encoding": ACCEPTED,
            "User-Agent": f"fathom/{__version__}",
        }
        taken = {name.lower() for name in self.chosen_headers}
        return {name: value for name, value in sent.items() if name.lower() not in taken} | self.chosen_headers

    async def exchange(self, messages: Sequence[Message], parameters: dict[str, Any], limit_s: float) -> Raw:
        """One request, one response of whatever status. Raises Fault when none came (timeout or connection) or it was
        too large."""
        payload = self._get_request_payload([(message.role, message.content) for message in messages])
        payload.pop("stream", None)
        payload |= parameters
        try:
            async with asyncio.timeout(limit_s):
                async with self.root_async_client._client.stream(
                    "POST",
                    f"{self.root_async_client.base_url}chat/completions",
                    content=_encoded(payload),
                    headers=self._headers(),
                ) as response:
                    headers = {name.lower(): value for name, value in response.headers.items()}
                    body = await read_body(response.aiter_raw(), headers.get("content-encoding"))
        except (httpx2.RequestError, aiohttp.ClientError, TimeoutError, TooLarge, Garbled) as error:
            raise fault_of(error, limit_s) from None
        return Raw(response.status_code, headers, body)


def _encoded(payload: dict[str, Any]) -> bytes:
    try:
        return orjson.dumps(payload)
    except orjson.JSONEncodeError:  # half a surrogate pair, as some models write it, is no UTF-8
        text = json.dumps(payload, ensure_ascii=False)
        return text.encode("utf-8", errors="replace")


def fault_of(error: BaseException, limit_s: float) -> Fault:
    """Over aiohttp a refused connection surfaces as a timeout: what really happened is in the chain of causes."""
    if isinstance(error, TooLarge):  # whoever runs on once does so again, and each time is paid for
        return Fault("server", f"it {error}", retryable=False)
    if isinstance(error, Garbled):
        return Fault("connection", f"it {error}")
    chain = list(_causes(error))
    if any(isinstance(cause, _UNREACHED) for cause in chain):
        refused = any(isinstance(cause, ConnectionRefusedError) for cause in chain)
        reason = "connection refused" if refused else f"no connection ({type(chain[-1]).__name__})"
        return Fault("connection", reason, unreached=True)
    if isinstance(error, aiohttp.ClientResponseError):
        return Fault("connection", "what came is no HTTP, or has more headers than are read")
    if any(isinstance(cause, _CUT) for cause in chain) and not any(isinstance(c, TimeoutError) for c in chain):
        return Fault("connection", "the connection was cut before the reply was complete")
    return Fault("timeout", f"no reply within {limit_s:g} s")


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__
