"""A small real embeddings endpoint on loopback that answers by script: one step per request, the
last one repeated."""

import json
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

from aiohttp import web
from tests.support.model_server import ModelServer, Step, answer


def embedded(vectors: Mapping[str, Sequence[float]]) -> Step:
    """Each text has its vector; they come in reverse order, with their index."""

    async def step(server: ModelServer, request: web.Request) -> web.StreamResponse:
        texts = server.bodies[-1]["input"]
        data: list[dict[str, Any]] = [
            {"index": place, "embedding": vectors[text]} for place, text in enumerate(texts)
        ]
        return web.Response(
            body=json.dumps({"data": data[::-1], "model": "served"}),
            content_type="application/json",
        )

    return step


def data(*vectors: object) -> Step:
    """These vectors, whatever was asked for."""
    return answer(
        json.dumps(
            {"data": [{"index": k, "embedding": v} for k, v in enumerate(vectors)]}
        ).encode()
    )


@asynccontextmanager
async def embedding(*steps: Step) -> AsyncIterator[ModelServer]:
    server = ModelServer(list(steps))
    app = web.Application()
    app.router.add_post("/v1/embeddings", server.handle)
    runner = web.AppRunner(app, shutdown_timeout=0.2)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    server.base_url = f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
    try:
        yield server
    finally:
        server.closing.set()
        await runner.cleanup()
