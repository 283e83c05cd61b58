"""The simulated world behind HTTP: model endpoint, wiki and search on one port."""

import asyncio
import time
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import date
from functools import partial
from hashlib import blake2b
from secrets import compare_digest
from typing import Any

import orjson
from aiohttp import web

from ..state.errors import UsageError
from ..state.spec import WorldSpec
from . import chat_api, embeddings, literature, search_api, wiki_api
from .evaluator import Evaluator
from .faulty import Delay, Fault, Faults, Kind, Timing
from .query import BadQuery
from .world import World, identity

__all__ = ["RunningWorld", "Served", "Timing", "start"]

SIMULATED = {"X-Fathom-Simulated": "true"}
RETRY_AFTER_S = 1
LOG_KEPT = 200_000
MAX_BODY_BYTES = 16 * 1024 * 1024


@dataclass(slots=True)
class Served:
    """One request as it was served. `status` is 0 while no reply has been sent (hanging, or given up by the caller)."""

    kind: Kind
    digest: str
    attempt: int
    purpose: str
    """What prose was wanted for, or the task (`chat_api.Asked`); `embeddings`; else what was asked for."""
    at_s: float
    """Time of arrival on the monotonic clock, in seconds."""
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
    peak_in_flight: int = 0
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

    def literature_url(self, service: literature.Service) -> str:
        """Base address of the stand-in for Europe PMC or OpenAlex, as it is written after `europepmc@`."""
        return f"{self.base_url}{literature.PATHS[service]}"

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
    api_key: str | None = None,
    today: date | None = None,
) -> RunningWorld:
    """Serves the world until `aclose`. Port 0 takes a free one. Without `api_key` any key, or none, will do.

    `today` dates the newest literature for searches that name no dates (default: the day of the start).
    Raises UsageError, which says why, when the address cannot be bound.
    """
    world = World(world_spec)
    running = RunningWorld(world, "")
    service = _Service(running, Evaluator(world), timing, api_key, today or date.today())
    app = web.Application(client_max_size=MAX_BODY_BYTES)
    app.add_routes(
        [
            web.post("/v1/chat/completions", partial(service.serve, "chat")),
            web.post("/v1/embeddings", partial(service.serve, "embeddings")),
            web.get("/v1/models", partial(service.serve, "models")),
            web.get("/v1/models/{name}", partial(service.serve, "models")),
            web.get("/w/api.php", partial(service.serve, "wiki")),
            web.post("/w/api.php", partial(service.serve, "wiki")),
            web.post("/search", partial(service.serve, "search")),
            *(web.get(path, partial(service.serve, kind)) for kind, path in literature.ROUTES.items()),
        ]
    )
    runner = web.AppRunner(app, access_log=None, handler_cancellation=True, shutdown_timeout=0.5)
    await runner.setup()
    try:
        await web.TCPSite(runner, host, port, backlog=2048).start()
    except OSError as error:
        await runner.cleanup()
        reason = (error.strerror or str(error) or type(error).__name__).rpartition(": ")[2]
        other = " Choose another port (0: any free one)." if port else ""
        raise UsageError(f"The simulated world cannot listen on {host}:{port}: {reason}.{other}") from error
    bound_port: int = runner.addresses[0][1]
    running.base_url = f"http://{f'[{host}]' if ':' in host else host}:{bound_port}"
    running._runner = runner
    return running


@dataclass(slots=True)
class _Request:
    """A request, read: what decides its digest, and what it asks for."""

    kind: Kind
    canonical: bytes
    purpose: str
    body: Any
    asked: chat_api.Asked | None = None


class _Service:
    """Reads a request, counts it, lets happen what must, and answers."""

    def __init__(
        self, running: RunningWorld, evaluator: Evaluator, timing: Timing, api_key: str | None, today: date
    ) -> None:
        self._running = running
        self._evaluator = evaluator
        self._api_key = api_key
        self._today = today
        self._identity = identity(running.world.spec, today)
        self._delay = Delay(timing)
        spec = running.world.spec
        self._faults = Faults(spec.faults, spec.seed)
        self._read: Mapping[str, Callable[[web.Request], Awaitable[_Request]]] = {
            "chat": _read_chat,
            "models": _read_models,
            "embeddings": _read_embeddings,
            "wiki": _read_wiki,
            "search": _read_search,
            **{kind: partial(_read_literature, kind) for kind in literature.ROUTES},
        }

    async def serve(self, kind: Kind, request: web.Request) -> web.Response:
        running = self._running
        running.served += 1
        running.in_flight += 1
        running.peak_in_flight = max(running.peak_in_flight, running.in_flight)
        try:
            if not self._permitted(kind, request):
                return _error(kind, 401, "Incorrect API key provided.", code="invalid_api_key")
            try:
                return await self._serve(await self._read[kind](request))
            except chat_api.BadRequest as error:
                return _error(kind, error.status, str(error), code=error.code)
            except (search_api.BadQuery, BadQuery, embeddings.BadInput) as error:
                return _error(kind, 400, str(error))
        finally:
            running.in_flight -= 1

    def _permitted(self, kind: Kind, request: web.Request) -> bool:
        if self._api_key is None or kind == "wiki" or kind in literature.ROUTES:
            return True
        sent = request.headers.get("Authorization", "").removeprefix("Bearer ")
        return compare_digest(sent.encode(), self._api_key.encode())

    async def _serve(self, request: _Request) -> web.Response:
        digest = blake2b(request.canonical, digest_size=12).hexdigest()
        attempt = self._faults.attempt(digest)
        model = request.asked.model if request.asked else ""
        fault = self._faults.drawn(request.kind, digest, attempt)
        record = Served(request.kind, digest, attempt, request.purpose, time.monotonic(), 0, model, fault)
        self._running.log.append(record)
        if fault == "hang":
            await self._running._closing.wait()
            return _error(request.kind, 503, "The simulated world is closing.")
        # the reply is made before the wait, so that what it says cannot depend on what arrives meanwhile
        response = self._respond(request, digest, fault)
        await self._delay.wait(digest, attempt)
        record.status = response.status
        if self._running.on_served is not None:
            self._running.on_served(record)
        return response

    def _respond(self, request: _Request, digest: str, fault: Fault | None) -> web.Response:
        if fault == "rate_limit":
            response = _error(request.kind, 429, "Rate limit reached (simulated).", code="rate_limit_exceeded")
            response.headers["Retry-After"] = str(RETRY_AFTER_S)
            return response
        if fault == "server_error":
            return _error(request.kind, 500, "The server had an error (simulated).")
        if request.asked is not None:
            sent = request.body["messages"]
            completion = chat_api.complete(request.asked, self._evaluator, digest, fault, sent)
            return _streamed(completion) if request.asked.stream else _json(completion)
        world = self._running.world
        if request.kind == "wiki":
            return _json(wiki_api.query(world, request.body))
        if request.kind == "embeddings":
            return _json(embeddings.embed(request.body))
        if request.kind == "search":
            return _json(search_api.search(world, request.body, self._today))
        if request.kind == "europepmc" or request.kind == "openalex":
            return _json(literature.respond(request.kind, request.body, self._today))
        return _json(chat_api.model_card(request.body) if request.body else chat_api.model_list(self._identity))


def _json(body: object, status: int = 200) -> web.Response:
    return web.Response(body=orjson.dumps(body), status=status, content_type="application/json", headers=SIMULATED)


def _streamed(completion: chat_api.Json) -> web.Response:
    body = chat_api.as_events(completion)
    return web.Response(body=body, content_type="text/event-stream", headers=SIMULATED)


def _error(kind: Kind, status: int, message: str, *, code: str | None = None) -> web.Response:
    """An error in the format of the protocol that was spoken."""
    if kind == "search":
        return _json({"detail": {"error": message}}, status)
    if kind == "europepmc" or kind == "openalex":
        return _json(literature.error(kind, status, message), status)
    return _json(chat_api.error_body(message, status, code), status)


async def _read_json(request: web.Request) -> tuple[Any, bytes]:
    try:
        body = orjson.loads(await request.read())
    except orjson.JSONDecodeError as error:
        raise chat_api.BadRequest(400, f"The body is not JSON: {error}.") from error
    return body, orjson.dumps(body, option=orjson.OPT_SORT_KEYS)


async def _read_chat(request: web.Request) -> _Request:
    body, canonical = await _read_json(request)
    asked = chat_api.read(body)
    kind: Kind = "chat" if asked.task is None else "structured"
    return _Request(kind, canonical, asked.purpose, body, asked)


async def _read_models(request: web.Request) -> _Request:
    name = request.match_info.get("name", "")
    return _Request("models", name.encode(), "models", name)


async def _read_embeddings(request: web.Request) -> _Request:
    body, canonical = await _read_json(request)
    return _Request("embeddings", b"embeddings" + canonical, "embeddings", body)


async def _read_wiki(request: web.Request) -> _Request:
    params = {**request.query, **{k: str(v) for k, v in (await request.post()).items()}}
    canonical = orjson.dumps(params, option=orjson.OPT_SORT_KEYS)
    return _Request("wiki", b"wiki" + canonical, params.get("list") or params.get("prop", ""), params)


async def _read_search(request: web.Request) -> _Request:
    body, canonical = await _read_json(request)
    if not isinstance(body, dict):
        raise search_api.BadQuery("The body is not a JSON object.")
    return _Request("search", b"search" + canonical, "search", body)


async def _read_literature(kind: Kind, request: web.Request) -> _Request:
    params = dict(request.query)
    canonical = orjson.dumps(params, option=orjson.OPT_SORT_KEYS)
    return _Request(kind, kind.encode() + canonical, kind, params)
