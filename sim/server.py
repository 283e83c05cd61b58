"""The simulated world behind HTTP: models, wiki and search on one port."""

import asyncio
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date
from functools import partial
from hashlib import blake2b
from typing import Any

import orjson
from aiohttp import web

from ..state.errors import UsageError
from ..state.spec import WorldSpec
from . import chat_api, embeddings, search, wiki_api
from .evaluator import Evaluator
from .faults import BadRequest, Fault, Faults, Kind, Timing
from .world import World, identity

__all__ = ["RunningWorld", "Served", "Timing", "start"]

SIMULATED = {"X-Fathom-Simulated": "true"}
RETRY_AFTER_S = 1
LOG_KEPT = 200_000
MAX_BODY_BYTES = 16 * 1024 * 1024


@dataclass(slots=True)
class Served:
    """One request as it was served. `status` is 0 while no reply has been sent (hanging, or given
    up by the caller)."""

    kind: Kind
    digest: str
    attempt: int
    purpose: str
    """What a reply was wanted for (`chat_api.Asked`); `embeddings`; else what was asked for."""
    at_s: float
    """Time of arrival on the monotonic clock, in seconds."""
    done_s: float = 0.0
    """When the reply was sent, on the same clock."""
    status: int = 0
    model: str = ""
    fault: str | None = None


@dataclass(slots=True)
class RunningWorld:
    """A world that is being served. `base_url` has no path; its parts are below it."""

    world: World
    base_url: str
    log: deque[Served] = field(default_factory=lambda: deque(maxlen=LOG_KEPT))
    """The newest requests, in order of arrival."""
    served: int = 0
    """Requests that have arrived."""
    in_flight: int = 0
    on_served: Callable[[Served], None] | None = None
    """Is told of each request whose reply is about to be sent."""
    _runner: web.AppRunner | None = None
    _closing: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def api_url(self) -> str:
        """Base address for OpenAI clients."""
        return f"{self.base_url}/v1"

    @property
    def wiki_url(self) -> str:
        """Address of the wiki's api.php."""
        return f"{self.base_url}/w/api.php"

    @property
    def search_url(self) -> str:
        """Base address for Tavily clients; searches go to `{search_url}/search`."""
        return self.base_url

    async def aclose(self) -> None:
        """Ends what hangs and closes the port. May be called again."""
        self._closing.set()
        runner, self._runner = self._runner, None
        if runner is not None:
            await runner.cleanup()


async def start(
    world_spec: WorldSpec,
    timing: Timing = Timing(),  # noqa: B008  # frozen
    *,
    host: str = "127.0.0.1",
    port: int = 0,
    today: date | None = None,
) -> RunningWorld:
    """Serves the world until `aclose`, whatever key is sent, or none. Port 0 takes a free one.

    `today` dates the newest literature for searches that name no dates (default: the day of the
    start). Raises UsageError, which says why, when the address cannot be bound.
    """
    world = World(world_spec)
    running = RunningWorld(world, "")
    service = _Service(running, Evaluator(world), timing, today or date.today())
    app = web.Application(client_max_size=MAX_BODY_BYTES)
    app.add_routes(
        [method(path, partial(service.serve, kind)) for method, path, kind in _DOORS]
    )
    runner = web.AppRunner(
        app,
        access_log=None,
        handler_cancellation=True,
        shutdown_timeout=0.5,
    )
    await runner.setup()
    try:
        await web.TCPSite(runner, host, port, backlog=2048).start()
    except OSError as error:
        await runner.cleanup()
        reason = (error.strerror or str(error) or type(error).__name__).rpartition(": ")[2]
        advice = " Choose another port (0: any free one)." if port else ""
        raise UsageError(
            f"The simulated world cannot listen on {host}:{port}: {reason}.{advice}"
        ) from error
    bound_port: int = runner.addresses[0][1]
    running.base_url = f"http://{f'[{host}]' if ':' in host else host}:{bound_port}"
    running._runner = runner
    return running


class _Service:
    """Reads a request, counts it, lets happen what must, and answers."""

    def __init__(
        self,
        running: RunningWorld,
        evaluator: Evaluator,
        timing: Timing,
        today: date,
    ) -> None:
        self._running = running
        self._evaluator = evaluator
        self._timing = timing
        world = running.world
        models = chat_api.model_list(identity(world.spec, today))
        self._faults = Faults(world.spec.faults, world.seed)
        self._replies: Mapping[Kind, Callable[[Any], object]] = {
            "models": lambda name: chat_api.model_card(name) if name else models,
            "embeddings": embeddings.embed,
            "wiki": partial(wiki_api.query, world),
            "search": lambda body: search.search(body, today),
        }

    async def serve(self, kind: Kind, request: web.Request) -> web.Response:
        running = self._running
        running.served += 1
        running.in_flight += 1
        try:
            return await self._serve(kind, await _read(kind, request))
        except BadRequest as error:
            return _error(kind, error.status, str(error), code=error.code)
        finally:
            running.in_flight -= 1

    async def _serve(self, kind: Kind, body: Any) -> web.Response:
        digest, purpose, model = _digest(kind, body), str(kind), ""
        chat = chat_api.read(body) if kind == "chat" else None
        if chat is not None:
            purpose, model = chat.simulation.purpose, chat.model
            kind = "structured" if chat.response_format else kind
        elif kind == "wiki":
            purpose = body.get("list") or body.get("prop", "")
        attempt = self._faults.attempt(digest)
        fault = self._faults.fault_of(kind, digest, attempt)
        record = Served(
            kind, digest, attempt, purpose, time.monotonic(), model=model, fault=fault
        )
        self._running.log.append(record)
        if fault == "hang":
            await self._running._closing.wait()
            return _error(kind, 503, "The simulated world is closing.")
        # the reply is made before the wait, so that what it says cannot depend on what arrives
        # meanwhile
        response = self._respond(kind, body, chat, digest, fault)
        await self._timing.wait(digest, attempt)
        record.status, record.done_s = response.status, time.monotonic()
        if self._running.on_served is not None:
            self._running.on_served(record)
        return response

    def _respond(
        self,
        kind: Kind,
        body: Any,
        chat: chat_api.Asked | None,
        digest: str,
        fault: Fault | None,
    ) -> web.Response:
        if fault == "rate_limit":
            message = "Rate limit reached (simulated)."
            response = _error(kind, 429, message, code="rate_limit_exceeded")
            response.headers["Retry-After"] = str(RETRY_AFTER_S)
            return response
        if fault == "server_error":
            return _error(kind, 500, "The server had an error (simulated).")
        if chat is None:
            return _json(self._replies[kind](body))
        return _json(chat_api.complete(chat, self._evaluator, digest, fault))


def _json(body: object, status: int = 200) -> web.Response:
    return web.Response(
        body=orjson.dumps(body),
        status=status,
        content_type="application/json",
        headers=SIMULATED,
    )


def _error(kind: Kind, status: int, message: str, *, code: str | None = None) -> web.Response:
    """An error in the format of the protocol that was spoken."""
    if kind == "search":
        return _json({"detail": {"error": message}}, status)
    return _json(chat_api.error_body(message, status, code), status)


_DOORS: tuple[tuple[Callable[..., web.RouteDef], str, Kind], ...] = (
    (web.post, "/v1/chat/completions", "chat"),
    (web.post, "/v1/embeddings", "embeddings"),
    (web.get, "/v1/models", "models"),
    (web.get, "/v1/models/{name}", "models"),
    (web.get, "/w/api.php", "wiki"),
    (web.post, "/w/api.php", "wiki"),
    (web.post, "/search", "search"),
)


async def _read(kind: Kind, request: web.Request) -> Any:
    """The body, or what stands in its place. Raises BadRequest for one that is not JSON where it
    must be."""
    if kind == "models":
        return request.match_info.get("name", "")
    if kind == "wiki":
        form = await request.post()
        return {**request.query, **{key: str(value) for key, value in form.items()}}
    try:
        return orjson.loads(await request.read())
    except orjson.JSONDecodeError as error:
        raise BadRequest(f"The body is not JSON: {error}.") from error


def _digest(kind: Kind, body: Any) -> str:
    """What goes wrong for a request depends on this, and so not on what says nothing, or nothing
    more."""
    if isinstance(body, dict):
        body = {key: body[key] for key in body if key not in ("simulation", "stream")}
    canonical = orjson.dumps(body, option=orjson.OPT_SORT_KEYS)
    prefix = "" if kind == "chat" else kind
    return blake2b(prefix.encode() + canonical, digest_size=12).hexdigest()
