"""The transport: chat completions and embeddings over aiohttp, one HTTP request per call, no
retries."""

import asyncio
import json
import ssl
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.request import getproxies, proxy_bypass

import aiohttp
import orjson
from yarl import URL

from ... import __version__
from ...state.errors import EndpointRefused
from ..net import (
    ACCEPTED,
    MOST_BYTES,
    MOST_PARTS,
    PIECE,
    Garbled,
    TooLarge,
    is_loopback,
    read_body,
    untrusted,
)
from .faults import AttemptFailed, HttpResponse

_UNREACHED = (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError)
_CUT = (aiohttp.ClientConnectionError, aiohttp.ClientPayloadError)
_CONNECT_S = 15.0
_KEPT_OPEN_S = 5.0
"""How long a connection stays open that nobody needs: some servers close theirs a moment later."""


class Transport:
    """One connection pool for an endpoint, shared by all models there. Never shows its key."""

    def __init__(
        self,
        base_url: str,
        key: str | None,
        *,
        connections: int,
        timeout_s: float,
        headers: Mapping[str, str] | None = None,
        door: str = "chat/completions",
    ) -> None:
        """`headers`: the user's own; what they hold may be secret. `door`: where requests go below
        the address."""
        self._url = URL(f"{base_url.rstrip('/')}/{door}")
        secure = self._url.scheme == "https"
        # a proxy for the outside world has no business between two processes of one machine
        self._proxy, password = (None, {}) if is_loopback(base_url) else _proxy(self._url)
        # no headers of the session: aiohttp would tell them to a proxy
        self._headers = _headers(key, headers or {}) | ({} if secure else password)
        self._proxy_headers = password if secure else {}
        self._session = aiohttp.ClientSession(
            # the number is explicit because without one the pool stops at 100
            connector=aiohttp.TCPConnector(
                limit=connections,
                keepalive_timeout=_KEPT_OPEN_S,
                ssl=_certificates() if secure else True,
            ),
            timeout=aiohttp.ClientTimeout(total=None, sock_connect=min(_CONNECT_S, timeout_s)),
            cookie_jar=aiohttp.DummyCookieJar(),
            auto_decompress=False,
        )

    async def exchange(
        self,
        payload: dict[str, Any],
        limit_s: float,
        *,
        most: int = MOST_BYTES,
        parts: int = MOST_PARTS,
    ) -> HttpResponse:
        """One request, one response of whatever status. Raises AttemptFailed when none came (timeout or
        connection) or it was too large: more than `most` bytes, or `parts` commas or opening
        brackets."""
        return await self.post(self._url, self._headers, encoded(payload), limit_s, most, parts)

    async def post(
        self,
        url: URL | str,
        headers: Mapping[str, str],
        data: bytes,
        limit_s: float,
        most: int,
        parts: int,
    ) -> HttpResponse:
        """As `exchange`, to any address of the endpoint."""
        try:
            async with (
                asyncio.timeout(limit_s),
                self._session.post(
                    url,
                    data=data,
                    headers=headers,
                    allow_redirects=False,  # a key must not follow one to another host
                    proxy=self._proxy,
                    proxy_headers=self._proxy_headers,
                ) as response,
            ):
                received = {name.lower(): value for name, value in response.headers.items()}
                pieces, packed = (
                    response.content.iter_chunked(PIECE),
                    received.get("content-encoding"),
                )
                body = await read_body(pieces, packed, most=most, parts=parts)
        except (aiohttp.ClientError, TimeoutError, TooLarge, Garbled) as error:
            raise fault_of(error, limit_s) from None
        return HttpResponse(response.status, received, body)

    async def aclose(self) -> None:
        await self._session.close()


def _headers(key: str | None, chosen: Mapping[str, str]) -> dict[str, str]:
    """What the request needs and the user chose: no platform, no organisation, no header from the
    environment."""
    sent = {
        "Authorization": f"Bearer {key or 'none'}",
        "Content-Type": "application/json",
        "Accept": "application/json",
        "Accept-Encoding": ACCEPTED,
        "User-Agent": f"fathom/{__version__}",
    }
    taken = {name.lower() for name in chosen}
    return {name: value for name, value in sent.items() if name.lower() not in taken} | dict(chosen)


def _proxy(url: URL) -> tuple[URL | None, dict[str, str]]:
    """What the environment puts between this machine and the other, with the header it wants.
    Raises EndpointRefused when it is no proxy's address, without its words, which may hold a
    password."""
    known = getproxies()
    text = known.get(url.scheme) or known.get("all")
    if not text or proxy_bypass(url.host or ""):
        return None, {}
    try:
        proxy = URL(text if "://" in text else f"http://{text}")
        if proxy.scheme not in ("http", "https") or not proxy.host:
            raise ValueError("no proxy")
    except ValueError:
        raise EndpointRefused(
            "The proxy in the environment (HTTPS_PROXY, HTTP_PROXY or ALL_PROXY) is no address: "
            "write it as"
            " http://host:port, or unset it."
        ) from None
    if proxy.user is None and proxy.password is None:
        return proxy, {}
    password = aiohttp.encode_basic_auth(proxy.user or "", proxy.password or "")
    return proxy.with_user(None), {"Proxy-Authorization": password}


def _certificates() -> ssl.SSLContext:
    """The system's, or those of SSL_CERT_FILE or SSL_CERT_DIR. Plain HTTP never needs them, and
    they take 0.15 s."""
    from httpx2 import create_ssl_context

    return create_ssl_context()


def encoded(payload: dict[str, Any]) -> bytes:
    try:
        return orjson.dumps(payload)
    except orjson.JSONEncodeError:  # half a surrogate pair, as some models write it, is no UTF-8
        text = json.dumps(payload, ensure_ascii=False)
        return text.encode("utf-8", errors="replace")


def fault_of(error: BaseException, limit_s: float) -> AttemptFailed:
    """What kept a response from coming; what really happened is in the chain of causes."""
    if isinstance(error, TooLarge):  # whoever runs on once does so again, and each time is paid for
        return AttemptFailed("server", f"it {error}", retryable=False)
    if isinstance(error, Garbled):
        return AttemptFailed("connection", f"it {error}")
    chain = list(_causes(error))
    if isinstance(error, aiohttp.ClientConnectorCertificateError):
        return AttemptFailed(
            "connection", untrusted(error.certificate_error), retryable=False, unreached=True
        )
    if any(isinstance(cause, _UNREACHED) for cause in chain):
        refused = any(isinstance(cause, ConnectionRefusedError) for cause in chain)
        reason = "connection refused" if refused else f"no connection ({type(chain[-1]).__name__})"
        return AttemptFailed("connection", reason, unreached=True)
    if isinstance(error, aiohttp.ClientResponseError):
        return AttemptFailed(
            "connection", "what came is no HTTP, or has more headers than are read"
        )
    if any(isinstance(cause, _CUT) for cause in chain) and not any(
        isinstance(c, TimeoutError) for c in chain
    ):
        return AttemptFailed("connection", "the connection was cut before the reply was complete")
    return AttemptFailed("timeout", f"no reply within {limit_s:g} s")


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__
