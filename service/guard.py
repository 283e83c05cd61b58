"""Who may ask: token or cookie, host, origin, rate; and errors as problem+json."""

import hmac
import os
import re
import secrets
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from hashlib import sha256
from http import HTTPStatus
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from aiohttp import web

from ..state.errors import FathomError, UsageError
from ..tools.runs.log import get_logger
from .studies import Problem

COOKIE = "fathom"
PUBLIC = frozenset({"/", "/page.js", "/page.css", "/healthz", "/login"})
MOST_BYTES, PER_MINUTE = 2**20, 3000
LOOPBACK = ("127.0.0.1", "localhost", "::1", "[::1]")
UNKNOWN = "The token is missing or wrong: send Authorization: Bearer TOKEN."
PROBLEM = "application/problem+json"
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
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


def problem(status: int, sentence: str, **headers: str) -> web.Response:
    """An error with Fathom's sentence."""
    title = HTTPStatus(status).phrase
    body = {
        "type": "about:blank",
        "title": title,
        "status": status,
        "detail": sentence,
    }
    return web.json_response(body, status=status, content_type=PROBLEM, headers=headers)


def token_in(file: Path) -> tuple[str, bool]:
    """The token of the server, and whether it was made now; only its user can read the file."""
    try:
        number = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return file.read_text().strip(), False
    with os.fdopen(number, "w") as opened:
        token = secrets.token_urlsafe(32)
        opened.write(f"{token}\n")
    return token, True


@dataclass(slots=True)
class Guard:
    """`token`: None lets everybody in; `hosts`: names under which the server is asked for."""

    token: str | None
    hosts: tuple[str, ...]
    per_minute: int = PER_MINUTE
    _requests: Counter[str] = field(default_factory=Counter)
    _minute: int = 0

    @property
    def cookie(self) -> str:
        """What a browser has in place of the token."""
        return sha256(f"cookie {self.token}".encode()).hexdigest()

    def knows(self, request: Any) -> bool:
        """Whether the request (aiohttp's or Starlette's) has the token, or the cookie that stands
        for it."""
        if self.token is None:
            return True
        kind, _, token = request.headers.get("Authorization", "").partition(" ")
        if kind.lower() == "bearer" and same(token.strip(), self.token):
            return True
        return same(request.cookies.get(COOKIE, ""), self.cookie)

    def refusal(self, request: web.Request) -> web.Response | None:
        """Why it is not answered; None where it is."""
        host, origin = request.headers.get("Host", ""), request.headers.get("Origin")
        name = _HOST.fullmatch(host.lower())
        if name is None or name[1].strip("[]") not in self.hosts:
            return problem(403, "This server has another name: start it with --host-name NAME.")
        if origin is not None and urlsplit(origin).netloc != host:
            return problem(403, "Requests from pages of other servers are refused.")
        if not self._has_room(request.remote or ""):
            sentence = f"More than {self.per_minute:,} requests in a minute: wait and ask again."
            return problem(429, sentence, **{"Retry-After": "60"})
        if request.path not in PUBLIC and not self.knows(request):
            return problem(401, UNKNOWN, **{"WWW-Authenticate": "Bearer"})
        if request.body_exists and request.content_type != "application/json":
            return problem(415, "Send JSON, with Content-Type: application/json.")
        return None

    def _has_room(self, remote: str) -> bool:
        minute = int(time.monotonic() // 60)
        if minute != self._minute:
            self._minute, self._requests = minute, Counter()
        self._requests[remote] += 1
        return self._requests[remote] <= self.per_minute

    @web.middleware
    async def answer(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Refuse the request or let it be handled, and turn errors into sentences."""
        try:
            return self.refusal(request) or await handler(request)
        except Problem as error:
            return problem(error.status, str(error))
        except FathomError as error:
            return problem(422 if isinstance(error, UsageError) else 500, str(error))
        except web.HTTPRequestEntityTooLarge:
            return problem(413, f"A request may have {MOST_BYTES:,} bytes: send less.")
        except web.HTTPException as error:
            return problem(error.status, f"{error.reason}: GET /openapi.json has all paths.")
        except (ConnectionError, TimeoutError):  # the listener is gone
            raise
        except Exception:  # noqa: BLE001  # one request's bug is told, and the others go on
            get_logger().exception("unexpected error")
            return problem(500, "An internal error, which the server's log describes.")


def same(one: str, other: str) -> bool:
    """Whether they are equal, in a time that does not tell how far."""
    return hmac.compare_digest(one.encode(errors="replace"), other.encode())


async def add_headers(_: web.Request, response: web.StreamResponse) -> None:
    """Every response has them, unless it says otherwise."""
    for name, value in HEADERS.items():
        response.headers.setdefault(name, value)
