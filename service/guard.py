"""Who may ask: token or cookie, host, origin, rate; and errors as problem+json."""

import hmac
import os
import re
import secrets
import time
import traceback
from asyncio import sleep
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from hashlib import sha256
from http import HTTPStatus
from pathlib import Path
from typing import Any

from aiohttp import web

from ..state.errors import FathomError, UsageError

COOKIE = "fathom"
HEALTH = "/healthz"
PUBLIC = frozenset({"/", "/page.js", "/page.css", "/login"})
MOST_BYTES, PER_MINUTE, LEAST_SIGNS = 2**20, 3000, 32
STRANGERS, PATIENCE_S, LOOK_S = 200, 15.0, 0.5
LOOPBACK = ("127.0.0.1", "localhost", "::1", "[::1]")
UNKNOWN = "The token is missing or wrong: send Authorization: Bearer TOKEN."
HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
        "form-action 'none'; base-uri 'none'; frame-ancestors 'none'"
    ),
}
_HOST = re.compile(r"(\[[\da-f:]+\]|[\w.-]+)(?::\d+)?", re.ASCII)
"""The name that was asked for, and perhaps a port."""


def token_in(file: Path) -> tuple[str, bool]:
    """The token of the server, and whether it was made now; only its user can read the file.
    Raises UsageError."""
    is_new = not file.exists() and _make_token(file)
    try:
        token, mode = file.read_text("utf-8").strip(), file.stat().st_mode
    except (OSError, UnicodeDecodeError):
        token, mode = "", 0
    if len(token) < LEAST_SIGNS or mode & 0o077:
        raise UsageError(
            f"{file} must hold a token of {LEAST_SIGNS} signs or more that only its user can read: "
            "remove it, and a new one is made."
        )
    return token, is_new


def _make_token(file: Path) -> bool:
    """Whether this process made it: the file is there with all that it holds, or not at all."""
    part = file.with_name(f".{secrets.token_hex(8)}.part")
    try:
        new_for_its_user = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(new_for_its_user, "w") as opened:
            opened.write(f"{secrets.token_urlsafe(32)}\n")
        os.link(part, file)
    except FileExistsError:
        return False
    except OSError as error:
        raise UsageError(f"The token cannot be kept in {file}: {error.strerror}.") from None
    finally:
        part.unlink(missing_ok=True)
    return True


@dataclass(slots=True)
class Guard:
    """`token`: None lets everybody in; `hosts`: names under which the server is asked for; `plain`:
    takes the paths of this machine out of a sentence."""

    token: str | None
    hosts: tuple[str, ...]
    patience_s: float = PATIENCE_S
    plain: Callable[[str], str] = str
    per_minute: int = PER_MINUTE
    _requests: Counter[tuple[str, bool]] = field(default_factory=Counter)
    """By address, and whether they had the token."""
    _minute: int = 0
    _friends: set[Any] = field(default_factory=set)
    """Connections on which the token was sent."""

    @property
    def cookie(self) -> str:
        """What a browser has in place of the token."""
        return sha256(f"cookie {self.token}".encode()).hexdigest()

    def has_token(self, request: Any) -> bool:
        """Whether the request (aiohttp's or Starlette's) has the token, or the cookie that stands
        for it."""
        if self.token is None:
            return True
        kind, _, token = request.headers.get("Authorization", "").partition(" ")
        if kind.lower() == "bearer" and same(token.strip(), self.token):
            return True
        return same(request.cookies.get(COOKIE, ""), self.cookie)

    def admit(self, request: web.Request) -> None:
        """Raises HTTPException with why the request is not answered."""
        host, origin = request.headers.get("Host", ""), request.headers.get("Origin")
        name = _HOST.fullmatch(host.lower())
        if name is None or name[1].strip("[]") not in self.hosts:
            raise web.HTTPForbidden(
                text="This server has another name: start it with --host-name NAME."
            )
        if origin is not None and origin.partition("://")[2] != host:
            raise web.HTTPForbidden(text="Requests from pages of other servers are refused.")
        if request.path == HEALTH:
            return
        is_friend = self.has_token(request)
        if is_friend:
            self._friends.add(request.protocol)
        self._require_room(request.remote or "", is_friend)
        if request.path not in PUBLIC and not is_friend:
            raise web.HTTPUnauthorized(text=UNKNOWN, headers={"WWW-Authenticate": "Bearer"})
        if request.body_exists and request.content_type != "application/json":
            raise web.HTTPUnsupportedMediaType(
                text="Send JSON, with Content-Type: application/json."
            )

    def _require_room(self, remote: str, is_friend: bool) -> None:
        """Raises HTTPTooManyRequests where an address has used up its minute."""
        minute = int(time.monotonic() // 60)
        if minute != self._minute:
            self._minute, self._requests = minute, Counter()
        self._requests[remote, is_friend] += 1
        if self._requests[remote, is_friend] > self.per_minute:
            raise web.HTTPTooManyRequests(
                text=f"More than {self.per_minute:,} requests in a minute: wait and ask again.",
                headers={"Retry-After": "60"},
            )

    async def close_strangers(self, server: web.Server) -> None:
        """Close connections without the token, for ever: those that are too old, and of too many
        the oldest."""
        since = dict[Any, float]()
        while True:
            await sleep(min(LOOK_S, self.patience_s))
            now = time.monotonic()
            self._friends.intersection_update(server.connections)
            strangers = [c for c in server.connections if c not in self._friends]
            since = {stranger: since.get(stranger, now) for stranger in strangers}
            for number, (stranger, began) in enumerate(since.items(), STRANGERS):
                if now - began > self.patience_s or number < len(since):
                    stranger.force_close()

    @web.middleware
    async def answer(
        self,
        request: web.Request,
        handler: Callable[[web.Request], Awaitable[web.StreamResponse]],
    ) -> web.StreamResponse:
        """Refuse the request or let it be handled, and turn errors into sentences."""
        headers = dict[str, str]()
        try:
            self.admit(request)
            return await handler(request)
        except web.HTTPException as error:
            status, sentence, headers = error.status, error.text or "", {**error.headers}
            del headers["Content-Type"]
            if sentence == f"{status}: {error.reason}":  # the router's
                sentence = f"{error.reason}: GET /openapi.json has all paths."
        except FathomError as error:
            status, sentence = (422 if isinstance(error, UsageError) else 500), str(error)
        except (ConnectionError, TimeoutError):  # the listener is gone
            raise
        except Exception:  # noqa: BLE001  # one request's bug is told, and the others go on
            traceback.print_exc()
            status, sentence = 500, "An internal error, which the server describes on stderr."
        problem = {
            "type": "about:blank",
            "title": HTTPStatus(status).phrase,
            "status": status,
            "detail": self.plain(sentence),
        }
        return web.json_response(
            problem, status=status, headers=headers, content_type="application/problem+json"
        )


def same(one: str, other: str) -> bool:
    """Whether they are equal, in a time that does not tell how far."""
    return hmac.compare_digest(one.encode(errors="replace"), other.encode())


async def add_headers(_: web.Request, response: web.StreamResponse) -> None:
    """Every response has them, unless it says otherwise."""
    for name, value in HEADERS.items():
        response.headers.setdefault(name, value)
