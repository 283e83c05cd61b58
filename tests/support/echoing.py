"""Endpoints on loopback that give away what they were told: the simulated world's models, wiki,
search and literature, which put the caller's key into answers, structured replies, model names,
search results, headers and error bodies."""

import json
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from aiohttp import web

from fathom.sim.evaluator import Evaluator
from fathom.sim.search import search
from fathom.sim.world import World
from fathom.state.spec import WorldSpec

from . import careless
from . import literature as literature_api


@dataclass
class Echoing:
    """Where it is, and which keys it was sent and gave away, by path."""

    url: str = ""
    keys: Counter[tuple[str, str]] = field(default_factory=Counter)
    evaluator: Evaluator = field(default_factory=lambda: Evaluator(World(WorldSpec())))
    requests: int = 0

    def told(self, request: web.Request) -> str:
        """The key of a request: from its header, or from its address."""
        key = request.headers.get("Authorization", "").removeprefix(
            "Bearer "
        ) or request.query.get("api_key", "")
        self.keys[request.path, key] += 1
        return key

    async def models(self, request: web.Request) -> web.Response:
        key = self.told(request)
        names = ["student", "evaluator", f"yours-{key}"]
        return web.json_response(
            {"object": "list", "data": [{"id": name} for name in names], "key": key}
        )

    async def chat(self, request: web.Request) -> web.Response:
        key, body = self.told(request), await request.json()
        self.requests += 1
        if self.requests % 37 == 4:
            error = {
                "error": {
                    "message": f"Overloaded; your key is {key}.",
                    "code": key,
                    "param": key,
                }
            }
            return web.json_response(
                error, status=500, headers={"X-Key": key, "Retry-After": "0"}
            )
        completion = careless.completion(body, self.evaluator)
        message = completion["choices"][0]["message"]
        message["content"] = _with(careless.purpose_of(body), message["content"], key)
        message["reasoning_content"] = f"I was called with {key}."
        completion["model"] = f"{body['model']}-of-{key}"
        return web.json_response(completion, headers={"X-Key": key})

    async def search(self, request: web.Request) -> web.Response:
        key, body = self.told(request), await request.json()
        reply = search(body, date(2026, 11, 20))
        for result in reply["results"]:
            result["title"] += f" for {key}"
            result["url"] += f"?for={key}"
            result["raw_content"] = (
                f"{result['raw_content']}\n\nThis copy of the text was sent to {key} alone."
            )
        return web.json_response(reply | {"key": key})

    async def works(self, request: web.Request) -> web.Response:
        key = self.told(request)
        reply: Any = literature_api.respond("openalex", dict(request.query), date(2026, 11, 20))
        for work in reply["results"]:
            work["display_name"] += f" for {key}"
            work["id"] += f"-{key}"
        return web.json_response(reply | {"you": str(request.url)})

    async def refusal(self, request: web.Request) -> web.Response:
        """What the endpoint says to whoever it does not let in."""
        key = self.told(request)
        return web.json_response(
            {"error": {"message": f"Incorrect API key provided: {key}"}}, status=401
        )

    async def elsewhere(self, request: web.Request) -> web.Response:
        return web.Response(status=307, headers={"Location": f"/moved/{self.told(request)}/v1"})


def _with(task: str, text: str, key: str) -> str:
    """The reply with the key in it, and still of the shape asked for."""
    if task == "answer":
        return f"{text} By the way, your key is {key}."
    reply = json.loads(text)
    if task == "verdict":
        reply["reason"] += f" Authorization: Bearer {key}"
    if task == "concepts":
        reply["aspects"].append(f"secret {key}")
    if task == "aspects":
        reply["aspects"][-1:] = [f"secret {key}"]
    if task == "question":
        reply["reference"] += f" (told to {key})"
    return json.dumps(reply)


@asynccontextmanager
async def echoing() -> AsyncIterator[Echoing]:
    served = Echoing()
    app = web.Application()
    app.router.add_post("/v1/chat/completions", served.chat)
    app.router.add_get("/v1/models", served.models)
    app.router.add_post("/search", served.search)
    app.router.add_get("/openalex/works", served.works)
    app.router.add_route("*", "/refusing/{path:.*}", served.refusal)
    app.router.add_route("*", "/leaving/{path:.*}", served.elsewhere)
    runner = web.AppRunner(app, shutdown_timeout=0.2)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    served.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
    try:
        yield served
    finally:
        await runner.cleanup()
