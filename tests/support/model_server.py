"""A small real model endpoint on loopback that answers by script: one step per request, the last
one repeated."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from fathom.tools.models.chat import ChatRequest, Message
from fathom.tools.models.clients import Clients, Limits, Timing

Step = Callable[["ModelServer", web.Request], Awaitable[web.StreamResponse]]


@dataclass
class ModelServer:
    """What it was asked, and how many requests are open at once."""

    steps: list[Step]
    base_url: str = ""
    bodies: list[dict[str, Any]] = field(default_factory=list)
    headers: list[Mapping[str, str]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    open: int = 0
    peak: int = 0
    asked: asyncio.Event = field(default_factory=asyncio.Event)
    closing: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def calls(self) -> int:
        return len(self.bodies)

    async def handle(self, request: web.Request) -> web.StreamResponse:
        self.headers.append(dict(request.headers))
        self.paths.append(str(request.rel_url))
        self.bodies.append(json.loads(await request.read()))
        step = self.steps.pop(0) if len(self.steps) > 1 else self.steps[0]
        self.open += 1
        self.peak = max(self.peak, self.open)
        self.asked.set()
        try:
            return await step(self, request)
        finally:
            self.open -= 1


@asynccontextmanager
async def serving(*steps: Step) -> AsyncIterator[ModelServer]:
    server = ModelServer(list(steps))
    app = web.Application()
    app.router.add_post("/v1/chat/completions", server.handle)
    app.router.add_post("/v1/responses", server.handle)
    app.router.add_post("/openai/{door:.*}", server.handle)
    runner = web.AppRunner(app, shutdown_timeout=0.2)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0, backlog=1024).start()
    server.base_url = f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
    try:
        yield server
    finally:
        server.closing.set()
        await runner.cleanup()


def completion(
    text: str | None = "Neon.", finish: str | None = "stop", **message: Any
) -> dict[str, Any]:
    return {
        "id": "c1",
        "model": "served-model",
        "choices": [
            {
                "index": 0,
                "finish_reason": finish,
                "message": {"role": "assistant", "content": text, **message},
            }
        ],
        "usage": {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18},
    }


def ok(text: str | None = "Neon.", finish: str | None = "stop", **message: Any) -> Step:
    return answer(json.dumps(completion(text, finish, **message)).encode())


def answer(
    body: bytes, status: int = 200, content_type: str = "application/json", **headers: str
) -> Step:
    named = {name.replace("_", "-"): value for name, value in headers.items()}

    async def step(server: ModelServer, request: web.Request) -> web.StreamResponse:
        return web.Response(
            body=body, status=status, headers={"Content-Type": content_type, **named}
        )

    return step


def refuse(
    status: int,
    message: str = "no",
    code: str | None = None,
    param: str | None = None,
    **headers: str,
) -> Step:
    error = {"error": {"message": message, "type": "an_error", "code": code, "param": param}}
    return answer(json.dumps(error).encode(), status, **headers)


async def hang(server: ModelServer, request: web.Request) -> web.StreamResponse:
    await server.closing.wait()
    return web.Response()


async def cut(server: ModelServer, request: web.Request) -> web.StreamResponse:
    """Half a body, then the connection goes."""
    response = web.StreamResponse(
        headers={"Content-Length": "5000", "Content-Type": "application/json"}
    )
    await response.prepare(request)
    await response.write(b'{"choices": [{"message": {"content": "Ne')
    assert request.transport is not None
    request.transport.close()
    return response


async def drip(server: ModelServer, request: web.Request) -> web.StreamResponse:
    """A byte now and then: no single read takes long, and the reply never comes."""
    response = web.StreamResponse(headers={"Content-Type": "application/json"})
    await response.prepare(request)
    while not server.closing.is_set() and request.transport is not None:
        await response.write(b" ")
        await asyncio.sleep(0.01)
    return response


class FakeTime:
    """A clock that only moves when someone sleeps."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.slept: list[float] = []

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds
        await asyncio.sleep(0)

    @property
    def timing(self) -> Timing:
        return Timing(clock=lambda: self.now, wall=lambda: 1_700_000_000.0, sleep=self.sleep)


@asynccontextmanager
async def clients_at(
    time: FakeTime | None = None, env: Mapping[str, str] | None = None, **limits: Any
) -> AsyncIterator[Clients]:
    clients = Clients(env or {}, Limits(**limits), timing=time.timing if time else None)
    try:
        yield clients
    finally:
        await clients.aclose()


def ask(text: str = "Which gas glows red?", **changes: Any) -> ChatRequest:
    return ChatRequest(
        **{
            "messages": (Message("user", text),),
            "purpose": "answer",
            "max_tokens": 100,
            **changes,
        }
    )
