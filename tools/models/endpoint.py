"""An endpoint: a base URL with a key, one pool of connections there over aiohttp, and what has been
learnt about it. One HTTP request per call, no retries."""

import asyncio
import json
import ssl
from collections.abc import Iterator
from functools import cached_property, lru_cache
from typing import Any
from urllib.parse import quote
from urllib.request import getproxies, proxy_bypass

import aiohttp
import orjson
from yarl import URL

from ... import __version__
from ...state.errors import EndpointRefused, EndpointUnreachable
from ..net import (
    ACCEPTED,
    MOST_BYTES,
    MOST_PARTS,
    PIECE,
    Garbled,
    TooLarge,
    WorldName,
    is_loopback,
    read_body,
    untrusted,
)
from .address import Access
from .dialect import Completion, read_completion, without_key
from .faults import AttemptFailed, HttpResponse
from .limiter import Destination, Limiter

_UNREACHED = (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError)
_CUT = (aiohttp.ClientConnectionError, aiohttp.ClientPayloadError)
_CONNECT_S = 15.0
_KEPT_OPEN_S = 5.0
"""How long a connection stays open that nobody needs: some servers close theirs a moment later."""
_MOST_CHARS = 2_000_000
"""Of an answer with its reasoning or refusal, which is about half a million tokens."""
CHAT, EMBEDDINGS, RESPONSES = "chat/completions", "embeddings", "responses"
"""Where requests go below an endpoint's address."""


class Endpoint:
    """Shared by all models there. Never shows its key."""

    def __init__(
        self,
        base_url: str,
        access: Access,
        destination: Destination,
    ) -> None:
        self.base_url, self.access = base_url, access
        self.limits, self.timing = destination.limits, destination.timing
        self.answered = False
        self.refused: dict[str, str] = {}
        """By model with its settings: why it is not asked any more."""
        self.unreachable = ""
        """Why nothing is, unless it has answered."""
        self.world = WorldName(base_url, access.key)
        self._destination, self._key = destination, access.digest
        self._headers = _headers(access)

    def limiter(self, model: str) -> Limiter:
        return self._destination.limiter(model, self._key)

    def check(self, model: str) -> None:
        """Raise again, without asking, what is known to be final of a model with its settings."""
        if model in self.refused:
            raise EndpointRefused(self.refused[model])
        if self.unreachable and not self.answered:
            raise EndpointUnreachable(self.unreachable)

    def completion(self, raw: HttpResponse) -> Completion | None:
        """What the response says, None when it is no completion; without the key, whatever the
        endpoint echoes. Raises AttemptFailed for an answer that goes on without end."""
        completion = read_completion(raw.body) if raw.status < 300 else None
        if completion is None:
            return None
        reply = completion.reply
        texts = (reply.text, reply.reasoning or "", reply.refusal or "")
        if sum(map(len, texts)) > _MOST_CHARS:
            trouble = f"it sent an answer of more than {_MOST_CHARS} characters"
            raise AttemptFailed("server", trouble, retryable=False)
        return completion._replace(reply=without_key(reply, self.access.secrets))

    async def exchange(
        self,
        payload: dict[str, Any],
        *,
        door: str = CHAT,
        most: int = MOST_BYTES,
        parts: int = MOST_PARTS,
    ) -> HttpResponse:
        """One request, one response of whatever status; a chat completion, whichever API the
        endpoint is asked by. Raises AttemptFailed when none came (timeout or connection) or it was
        too large: more than `most` bytes, or `parts` commas or opening brackets."""
        version, model = self.access.azure_version, payload["model"]
        if not self.access.responses or door != CHAT:
            url = _url(
                self.base_url,
                version,
                door,
                model,
            )
            return await self._post(
                url,
                encoded(payload),
                most,
                parts,
            )
        from .responses import as_completion, as_responses

        url = _url(
            self.base_url,
            version,
            RESPONSES,
            "",
        )
        response = await self._post(
            url,
            encoded(as_responses(payload)),
            most,
            parts,
        )
        return as_completion(response) if response.status < 300 else response

    async def aclose(self) -> None:
        if "session" in vars(self):
            await self.session.close()

    @cached_property
    def session(self) -> aiohttp.ClientSession:
        """Opened with the first call. No headers are its own: aiohttp would tell them to a proxy."""
        is_secure = self.base_url.startswith("https:")
        connect_s = min(_CONNECT_S, self.limits.timeout_s)
        return aiohttp.ClientSession(
            # the number is explicit because without one the pool stops at 100
            connector=aiohttp.TCPConnector(
                limit=self._destination.connections,
                keepalive_timeout=_KEPT_OPEN_S,
                ssl=_certificates() if is_secure else True,
            ),
            timeout=aiohttp.ClientTimeout(total=None, sock_connect=connect_s),
            cookie_jar=aiohttp.DummyCookieJar(),
            auto_decompress=False,
        )

    async def _post(
        self,
        url: URL,
        data: bytes,
        most: int,
        parts: int,
    ) -> HttpResponse:
        limit_s = self.limits.timeout_s
        # a proxy for the outside world has no business between two processes of one machine
        proxy, password = (None, {}) if is_loopback(self.base_url) else _proxy(url)
        is_secure = url.scheme == "https"
        try:
            async with (
                asyncio.timeout(limit_s),
                self.session.post(
                    url,
                    data=data,
                    headers=self._headers if is_secure else self._headers | password,
                    allow_redirects=False,  # a key must not follow one to another host
                    proxy=proxy,
                    proxy_headers=password if is_secure else {},
                ) as response,
            ):
                headers = {name.lower(): value for name, value in response.headers.items()}
                pieces = response.content.iter_chunked(PIECE)
                packed = headers.get("content-encoding")
                body = await read_body(
                    pieces,
                    packed,
                    most=most,
                    parts=parts,
                )
        except (aiohttp.ClientError, TimeoutError, TooLarge, Garbled) as error:
            raise fault_of(error, limit_s) from None
        return HttpResponse(response.status, headers, body)


@lru_cache(maxsize=256)
def _url(
    base_url: str,
    azure_version: str,
    door: str,
    model: str,
) -> URL:
    """Where a request goes; Azure has an address for each deployment."""
    if not azure_version:
        return URL(f"{base_url}/{door}")
    below = f"deployments/{quote(model, safe='')}/{door}" if model else door
    return URL(f"{base_url}/openai/{below}?api-version={quote(azure_version)}", encoded=True)


def _headers(access: Access) -> dict[str, str]:
    """What the request needs and the user chose: no platform, no organisation, no header from the
    environment."""
    key = access.key or "none"
    usual = {
        **({"api-key": key} if access.azure_version else {"Authorization": f"Bearer {key}"}),
        "Content-Type": "application/json",
        "Accept": "application/json",
        "Accept-Encoding": ACCEPTED,
        "User-Agent": f"fathom/{__version__}",
    }
    chosen = {name.lower() for name in access.headers}
    rest = {name: value for name, value in usual.items() if name.lower() not in chosen}
    return rest | dict(access.headers)


def _proxy(url: URL) -> tuple[URL | None, dict[str, str]]:
    """What the environment puts between this machine and the other, with the header it wants.
    Raises EndpointRefused when it is no proxy's address, without its words, which may hold a
    password."""
    proxies = getproxies()
    text = proxies.get(url.scheme) or proxies.get("all")
    if not text or proxy_bypass(url.host or ""):
        return None, {}
    try:
        proxy = URL(text if "://" in text else f"http://{text}")
        if proxy.scheme not in ("http", "https") or not proxy.host:
            raise ValueError("no proxy")
    except ValueError:
        raise EndpointRefused(
            "The proxy in the environment (HTTPS_PROXY, HTTP_PROXY or ALL_PROXY) is no address: "
            "write it as http://host:port, or unset it."
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
    except (
        orjson.JSONEncodeError
    ):  # half a surrogate pair, as some models write it, is no UTF-8
        text = json.dumps(payload, ensure_ascii=False)
        return text.encode("utf-8", errors="replace")


def fault_of(error: BaseException, limit_s: float) -> AttemptFailed:
    """What kept a response from coming; what really happened is in the chain of causes."""
    if isinstance(
        error, TooLarge
    ):  # whoever runs on once does so again, and each time is paid for
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
        reason = (
            "connection refused" if refused else f"no connection ({type(chain[-1]).__name__})"
        )
        return AttemptFailed("connection", reason, unreached=True)
    if isinstance(error, aiohttp.ClientResponseError):
        return AttemptFailed(
            "connection", "what came is no HTTP, or has more headers than are read"
        )
    if any(isinstance(cause, _CUT) for cause in chain) and not any(
        isinstance(c, TimeoutError) for c in chain
    ):
        return AttemptFailed(
            "connection", "the connection was cut before the reply was complete"
        )
    return AttemptFailed("timeout", f"no reply within {limit_s:g} s")


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__
