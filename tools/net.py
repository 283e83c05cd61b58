"""What an address says about the way to it, what whoever listens there says about when to come
back, which simulated world it is, what of a text is a secret, and the loading of what talks HTTP."""

import asyncio
import ipaddress
import os
import ssl
import zlib
from collections.abc import AsyncIterable, Iterable, Mapping
from datetime import UTC
from email.utils import parsedate_to_datetime
from functools import cache
from importlib import import_module
from urllib.parse import quote, quote_plus, urlsplit

import orjson

from ..state.errors import UsageError

HIDDEN = "[key]"
_SHORTEST = 8
"""Characters of a key that is looked for; what is shorter may be an ordinary word."""
_NO_KEY = frozenset({"empty", "none", "ollama"})
"""What a local server's clients are told to send in place of a key: no secrets, although they are
short."""


def key_in(env: Mapping[str, str], *variables: str) -> str | None:
    """The key in the first of these variables that holds any, None without one. Raises UsageError,
    with the variable's name and without its value, for what cannot be a key."""
    name = next((name for name in variables if env.get(name, "").strip()), None)
    if name is None:
        return None
    if why := broken_key(env[name]):
        raise UsageError(
            f"{name} cannot be a key: {why}. Set it again, or leave it empty if no key is needed."
        )
    return env[name].strip()


def broken_key(value: str) -> str | None:
    """Why a value that is not blank cannot be a key, in words that do not repeat it; None when it
    can."""
    key = value.strip()
    if key[0] in "\"'`" or key[-1] in "\"'`":
        return "it contains quotation marks"
    if any(sign.isspace() for sign in key):
        return "it contains spaces"
    if not (key.isascii() and key.isprintable()):
        return "it contains characters that no key has"
    short = len(key) < _SHORTEST and key.lower() not in _NO_KEY
    return f"it is shorter than {_SHORTEST} characters" if short else None


Keys = str | tuple[str, ...] | None
"""What must not come back: a key, several secrets, or nothing."""


def hide(text: str, keys: Keys) -> str:
    """The text without the keys."""
    for key in (keys,) if isinstance(keys, str) else keys or ():
        if len(key) >= _SHORTEST:
            text = text.replace(key, HIDDEN)
    return text


def hide_bytes(body: bytes, key: str) -> bytes:
    """A response body without the key, as it is or as addresses and JSON spell it."""
    if len(key) < _SHORTEST:
        return body
    for spelling in {
        key,
        quote(key),
        quote(key, safe=""),
        quote_plus(key),
        key.replace("/", "\\/"),
    }:
        body = body.replace(spelling.encode(), HIDDEN.encode())
    return body


def is_loopback(url: str) -> bool:
    """Whether a URL's host is this machine: no proxy belongs between, and what is sent there
    crosses no network.

    A name below localhost is none: whom it leads to is for DNS to say.
    """
    host = urlsplit(url).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def told_wait_s(header: str, now_s: float) -> float | None:
    """Seconds that a Retry-After header asks for, a number or a date against `now_s` (POSIX
    seconds); negative for a date in the past, None without a readable one."""
    try:
        wait_s = float(header)
    except ValueError:
        until_s = timestamp(header)
        return None if until_s is None else until_s - now_s
    return wait_s if wait_s >= 0 else None


def timestamp(date: str) -> float | None:
    """The POSIX seconds of a date as headers have it, in UTC unless it says otherwise; None for one
    that is none, or beyond all calendars."""
    try:
        moment = parsedate_to_datetime(date)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return None


def untrusted(error: Exception) -> str:
    """What is wrong with a certificate, in OpenSSL's words, and what to do where it is the user's
    own."""
    reason = getattr(error, "verify_message", "").rstrip(".") or "it cannot be verified"
    return (
        f"its certificate is not trusted here ({reason}); if it is your own, name its file in "
        "SSL_CERT_FILE"
    )


def certificates() -> ssl.SSLContext:
    """The authorities that a source's address is checked against: those of SSL_CERT_FILE or
    SSL_CERT_DIR, else certifi's. Read once, as that takes 0.1 s."""
    return _read_certificates(os.environ.get("SSL_CERT_FILE"), os.environ.get("SSL_CERT_DIR"))


@cache
def _read_certificates(_file: str | None, _folder: str | None) -> ssl.SSLContext:
    import httpx

    return httpx.create_ssl_context()


MOST_BYTES = 16 * 2**20
"""Of one body, as sent and as unpacked."""
MOST_PARTS = 2_000_000
"""Commas and opening brackets of one body: JSON takes up to thirty times its size once it is read.
"""
ACCEPTED = "gzip, deflate"
"""For the header Accept-Encoding: nothing else is unpacked here."""
PIECE = 2**16
"""Bytes to read at a time."""


class TooLarge(Exception):
    """There is more than is read. The message goes on after the name of whoever sent it."""


class Garbled(Exception):
    """What came cannot be unpacked, or breaks off. The message goes on after the name of whoever
    sent it."""


async def read_body(
    pieces: AsyncIterable[bytes],
    encoding: str | None,
    *,
    most: int = MOST_BYTES,
    parts: int = MOST_PARTS,
) -> bytes:
    """A body from its pieces as they come over the wire, unpacked from its Content-Encoding. No
    more is ever held than `most` bytes and one piece. Raises TooLarge and Garbled; closing the
    response is the caller's, as is a time limit.
    """
    body, wire_size = bytearray(), 0
    packed = _Packed() if _is_packed(encoding) else None
    async for piece in pieces:
        wire_size += len(piece)
        # one byte over the limit tells that there is more
        body += packed.unpack(piece, most + 1 - len(body)) if packed else piece
        if max(wire_size, len(body)) > most:
            raise TooLarge(f"sent more than {most / 2**20:g} MB in one reply")
    if packed and wire_size and not packed.complete:
        raise Garbled("sent a packed reply that breaks off")
    if len(body) > parts and sum(map(body.count, (b",", b"{", b"["))) > parts:
        raise TooLarge(f"sent more than {parts} values in one reply")
    return bytes(body)


def _is_packed(encoding: str | None) -> bool:
    name = (encoding or "identity").strip().lower()
    if name not in (
        "identity",
        "gzip",
        "x-gzip",
        "deflate",
    ):  # several, one within the other, are never asked for
        raise Garbled(f"sent a reply packed as {name[:40]}, which nobody asked for")
    return name != "identity"


class _Packed:
    """Gzip or deflate, the latter with its header or, as some servers send it, without."""

    def __init__(self) -> None:
        self._unpacking: zlib._Decompress | None = None

    @property
    def complete(self) -> bool:
        return self._unpacking is not None and self._unpacking.eof

    def unpack(
        self,
        piece: bytes,
        most: int,
    ) -> bytes:
        if not piece or self.complete:
            return b""
        if self._unpacking is None:
            headed = piece[0] == 0x1F or piece[0] & 0x0F == 8
            self._unpacking = zlib.decompressobj(
                zlib.MAX_WBITS | 32 if headed else -zlib.MAX_WBITS
            )
        try:
            return self._unpacking.decompress(piece, most)
        except zlib.error:
            raise Garbled("sent a packed reply that cannot be unpacked") from None


_LIMIT_S = 5.0


async def fetch(
    url: str,
    headers: Mapping[str, str],
    limit_s: float = _LIMIT_S,
) -> tuple[int, bytes]:
    """Status and body of one GET, without redirects. Raises aiohttp.ClientError, TimeoutError,
    TooLarge and Garbled."""
    import aiohttp  # heavy: only where somebody is asked

    async with (
        aiohttp.ClientSession(
            trust_env=not is_loopback(url),
            headers={"Accept-Encoding": ACCEPTED, **headers},
            timeout=aiohttp.ClientTimeout(limit_s),
            cookie_jar=aiohttp.DummyCookieJar(),
            auto_decompress=False,  # `read_body` does it, within its limits
        ) as session,
        session.get(url, allow_redirects=False) as reply,
    ):
        pieces = reply.content.iter_chunked(PIECE)
        return reply.status, await read_body(pieces, reply.headers.get("Content-Encoding"))


class WorldName:
    """The name of the world served below an address such as `http://127.0.0.1:8788/v1`. Asked for
    until there is an answer, which is then remembered; those who want it at the same time share one
    request."""

    def __init__(
        self,
        api_url: str,
        key: str | None = None,
    ) -> None:
        self._url = f"{api_url.rstrip('/')}/models"
        self._headers = {"Authorization": f"Bearer {key or 'none'}"}
        self._name: str | None = None
        self._request: asyncio.Task[str | None] | None = None

    async def get(self) -> str:
        """The digest of the world; empty when whoever answers there names none, or nobody
        answers."""
        if self._name is None:
            if self._request is None or self._request.done():
                self._request = asyncio.create_task(self._ask())
            self._name = await asyncio.shield(self._request)
        return self._name or ""

    async def _ask(self) -> str | None:
        """None when nobody answered."""
        import aiohttp

        try:
            status, body = await fetch(self._url, self._headers)
            listing = orjson.loads(body) if status == 200 else None
        except (aiohttp.ClientError, TimeoutError):
            return None
        except (ValueError, TooLarge, Garbled):
            return ""
        world = listing.get("world") if isinstance(listing, dict) else None
        return world if isinstance(world, str) else ""


_WIKI, _SEARCH = ".facts.mediawiki", ".facts.tavily"
_HEAVY = {
    "wikipedia": (_WIKI,),
    "mediawiki": (_WIKI,),
    "tavily": (_SEARCH,),
    "sim": (_WIKI, _SEARCH),
}
"""By the kind of a fact source."""


async def preload(kinds: Iterable[str] = ()) -> None:
    """Import the parts that talk HTTP to models and to fact sources of these kinds, beside the
    event loop. Takes a second or two the first time, then nothing."""
    for module in (
        ".models.endpoint",
        *(module for kind in kinds for module in _HEAVY.get(kind, ())),
    ):
        await asyncio.to_thread(import_module, module, __package__)
