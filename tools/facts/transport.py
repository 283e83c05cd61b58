"""The one way out to a fact source: bounded, retried, and with every failure named. Below any HTTPX
client.

A library on top of it sees only good replies; everything else leaves as SourceFailed, which it does
not catch.
"""

import asyncio
import ssl
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from urllib.parse import quote, quote_plus

import aiohttp
import httpx
import orjson
from httpx_aiohttp import AiohttpTransport
from tenacity import (
    AsyncRetrying,
    retry_if_exception_type,
    stop_after_attempt,
    wait_exponential,
)

from ...state.errors import SourceFailed
from ..flight import Pace
from ..net import (
    ACCEPTED,
    Garbled,
    TooLarge,
    certificates,
    hide_bytes,
    is_loopback,
    read_body,
    told_wait_s,
)

MAX_RETRY_AFTER_S = 60.0
_TOLD = (b"retry-after", b"content-type", b"x-ratelimit-remaining")
_WIRE = (b"content-encoding", b"content-length", b"transfer-encoding")
"""Headers that are about the body as it was sent, packed."""


@dataclass(frozen=True)
class Network:
    """How all sources of a launch go out: said once and handed down. `time_limit_s` is per attempt,
    without waiting in the queue. `transport` and `sleep` replace the wire and the waiting between
    attempts."""

    user_agent: str
    clock: Callable[[], datetime]
    max_connections: int = 8
    """Requests at a time towards one service."""
    attempts: int = 4
    time_limit_s: float = 30.0
    contact: str = ""
    allow_http: bool = False
    """Whether a key may go over plain http to another machine."""
    transport: httpx.AsyncBaseTransport | None = None
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep


@dataclass(frozen=True)
class Habits:
    """What is particular to one service."""

    inspect: Callable[[httpx.Response], None] = lambda response: None
    """Looks at each reply with status 200, and raises Passing or SourceFailed when it is an error
    in disguise."""
    advice: Mapping[int, str] = field(default_factory=dict)
    """What to do about a status."""
    key: str = ""
    """Taken out of every body that echoes it."""
    private: Mapping[str, str] = field(default_factory=dict)
    """Query parameters added below the HTTP client, so that its log and its errors never have them.
    """
    busy: frozenset[int] = frozenset()
    """Statuses that mean "too fast" with this service."""
    per_second: float = 0.0
    """Requests that it permits a second; 0: no such limit is known."""
    spent: str = ""
    """What to do when an allowance for the day is used up. Where there is one, a 429 is final if
    the service asks to wait a minute or more, or its X-RateLimit-Remaining is 0: waiting does
    not help."""


class Passing(Exception):
    """A failure that may not last: worth another attempt. `wait_s` is what the service asked for,
    if it did."""

    def __init__(
        self,
        kind: str,
        reason: str,
        wait_s: float | None = None,
    ) -> None:
        super().__init__(reason)
        self.kind = kind
        self.wait_s = wait_s


class PoliteTransport(httpx.AsyncBaseTransport):
    """408, 429, 5xx, time-outs and lost connections are tried again; a Retry-After (seconds or
    date, at most 60 s) pauses the whole service; a body of more than `MOST_BYTES` is a bad reply,
    and is not read on. The proxy settings of the environment are heeded unless the service is on
    this machine.

    Raises SourceFailed with kind timeout, rate_limit, server, connection or bad_reply.
    """

    def __init__(
        self,
        service: str,
        url: str,
        network: Network,
        habits: Habits,
    ) -> None:
        self._service = service
        self._network = network
        self._habits = habits
        self._slots = asyncio.Semaphore(network.max_connections)
        self._inner = network.transport or _aiohttp_transport(url, network.max_connections)
        self._pace = (
            Pace(habits.per_second) if habits.per_second and not is_loopback(url) else Pace()
        )
        self._paused_until = 0.0

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        retrying = AsyncRetrying(
            stop=stop_after_attempt(self._network.attempts),
            wait=wait_exponential(0.5, max=8.0),
            retry=retry_if_exception_type(Passing),
            sleep=self._network.sleep,
            reraise=True,
        )
        try:
            return await retrying(self._attempt, request)
        except Passing as failure:
            message = f"{self._service}: {self._network.attempts} attempts failed; last error: {failure}."
            raise SourceFailed(failure.kind, message) from failure

    async def aclose(self) -> None:
        await self._inner.aclose()

    async def _attempt(self, request: httpx.Request) -> httpx.Response:
        await self._turn()
        async with self._slots:
            response = await self._exchange(request)
        try:
            self._check(response)
        except Passing as failure:
            # a wiki that lags behind says how long in the header of a good reply
            wait_s = failure.wait_s or self._retry_after_s(response)
            if wait_s is not None:
                self._paused_until = max(self._paused_until, _now_s() + wait_s)
            raise
        return response

    async def _turn(self) -> None:
        """Wait as long as the service asked for, and for the rate that it permits."""
        now_s = _now_s()
        due_s = max(self._paused_until, self._pace.due_s(now_s))
        self._pace.count(due_s)
        if due_s > now_s:
            await self._network.sleep(due_s - now_s)

    async def _exchange(self, request: httpx.Request) -> httpx.Response:
        """One request with its whole body read, so that a cut body is a failed attempt too. What is
        private is on the wire only: neither the request of the reply nor an error has it."""
        request.headers["Accept-Encoding"] = ACCEPTED
        outgoing = request
        if self._habits.private:
            outgoing = httpx.Request(
                request.method,
                request.url.copy_merge_params(self._habits.private),
                headers=request.headers,
                extensions=request.extensions,
            )
        limit_s = self._network.time_limit_s
        try:
            async with asyncio.timeout(limit_s):
                response = await self._inner.handle_async_request(outgoing)
                assert isinstance(response.stream, httpx.AsyncByteStream)
                try:
                    body = await read_body(
                        response.stream, response.headers.get("content-encoding")
                    )
                finally:
                    await response.aclose()
                return _whole(response, body, request, self._habits.key)
        except TooLarge as error:
            raise SourceFailed(
                "bad_reply", f"{self._service} {error}: it is not read."
            ) from None
        except Garbled as error:
            raise Passing("connection", f"it {error}") from None
        except TimeoutError:
            raise Passing("timeout", f"no reply within {limit_s:g} s") from None
        except (httpx.RequestError, aiohttp.ClientError) as error:
            kind, reason = _named(error)
            raise Passing(kind, self._struck(reason)) from None

    def _check(self, response: httpx.Response) -> None:
        status = response.status_code
        if status == 200:
            self._habits.inspect(response)
            return
        wait_s = self._retry_after_s(response)
        none_left = response.headers.get("x-ratelimit-remaining") == "0"
        is_used_up = none_left or (wait_s or 0.0) >= MAX_RETRY_AFTER_S
        if status == 429 and self._habits.spent and is_used_up:
            says = (
                f"{self._service} permits no further searches for now (HTTP 429). "
                f"{self._habits.spent}"
            )
            raise SourceFailed("rate_limit", says)
        if status in self._habits.busy:
            raise Passing(
                "rate_limit",
                f"HTTP {status}, which it sends when asked too fast",
                wait_s or 1.0,
            )
        if status == 429:
            raise Passing("rate_limit", "HTTP 429, too many requests", wait_s or 1.0)
        if status == 408:
            raise Passing("timeout", "HTTP 408")
        if status >= 500:
            raise Passing("server", f"HTTP {status}", wait_s)
        advice = self._habits.advice.get(status, "Check the address.")
        kind = "rate_limit" if status in (432, 433) else "bad_reply"
        raise SourceFailed(kind, f"{self._service} answered with HTTP {status}. {advice}")

    def _retry_after_s(self, response: httpx.Response) -> float | None:
        return retry_after_s(response.headers.get("retry-after"), self._network.clock())

    def _struck(self, text: str) -> str:
        for value in self._habits.private.values():
            for spelling in {value, quote(value), quote(value, safe=""), quote_plus(value)}:
                text = text.replace(spelling, "…")
        return text


def _whole(
    response: httpx.Response,
    body: bytes,
    request: httpx.Request,
    key: str,
) -> httpx.Response:
    """The response with its body as read, without the key. Beside an echoed key few headers are
    trusted."""
    clean = hide_bytes(body, key) if key else body
    # as bytes: not all that is sent as a header is ASCII
    headers = [
        (n, v)
        for n, v in response.headers.raw
        if (n.lower() in _TOLD if clean != body else n.lower() not in _WIRE)
    ]
    return httpx.Response(
        response.status_code,
        headers=headers,
        content=clean,
        request=request,
    )


def _aiohttp_transport(url: str, max_connections: int) -> AiohttpTransport:
    trust_env = not is_loopback(url)
    # plain http never uses the certificates, and reading them takes 0.1 s
    tls = (
        certificates() if url.startswith("https:") else ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    )

    def session() -> aiohttp.ClientSession:
        connector = aiohttp.TCPConnector(limit=max_connections, ssl=tls)
        return aiohttp.ClientSession(
            connector=connector, cookie_jar=aiohttp.DummyCookieJar(), trust_env=trust_env
        )

    return AiohttpTransport(verify=tls, client=session)


def _named(error: Exception) -> tuple[str, str]:
    """Kind and reason. Over aiohttp a refused or dropped connection surfaces as a connect
    time-out."""
    if isinstance(error, aiohttp.ClientResponseError):
        return "connection", "what came is no HTTP, or has more headers than are read"
    slow = isinstance(error, httpx.TimeoutException) and not isinstance(
        error, httpx.ConnectTimeout
    )
    return "timeout" if slow else "connection", str(error) or type(error).__name__


def retry_after_s(header: str | None, moment: datetime) -> float | None:
    """Seconds a Retry-After header asks for, 0 to 60; None without a readable one."""
    wait_s = told_wait_s(header or "", moment.timestamp())
    return None if wait_s is None else min(MAX_RETRY_AFTER_S, max(0.0, wait_s))


def json_of(response: httpx.Response) -> Any:
    """The JSON of a reply, None when it is none."""
    try:
        return orjson.loads(response.content)
    except orjson.JSONDecodeError:
        return None


def _now_s() -> float:
    return asyncio.get_running_loop().time()
