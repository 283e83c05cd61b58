"""A program that meets bodies of gigabytes from a wiki, Tavily and a model; prints the most memory
it has held, in MB.

The server runs in a process of its own, so that only the reader is measured. A reader that does not
stop by itself fails when its time is up, which is an error here.
"""

import asyncio
import gzip
import json
import multiprocessing
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path

from aiohttp import web
from tests.support.fact_server import query
from tests.support.model_server import FakeTime, ask, clients_at
from tests.tools.test_body import FACT, HITS, MANY, source_at

from fathom.state.errors import CallFailed, SourceFailed

SPACES = b" " * 2**20


def bodies() -> dict[str, bytes]:
    """Those that are sent as they are, by name."""
    member = gzip.compress(bytes(2**26), 9)
    text = FACT + " Sodium is soft." * 900_000
    page = {"pageid": 7, "ns": 0, "title": "Sodium", "revisions": [{"*": text}]}
    found = json.dumps({"query": {"pages": {"7": page}}}).encode()
    return {
        "bomb": member * (11 * 2**20 // len(member)),  # 11 MB that unpack to more than 10 GB
        "hits": json.dumps({"results": [HITS[0]] * 90_000}).encode(),
        "million": MANY,
        "page": found,
        "page-of-100-MB": found + 100 * SPACES,
    }


def serve(tell: Connection) -> None:
    """Answer for ever; `tell` is told the port."""
    asyncio.run(_serve(tell))


async def _serve(tell: Connection) -> None:
    ready = bodies()

    async def answer(request: web.Request) -> web.StreamResponse:
        name = request.match_info["name"]
        if name in ready:
            packed = {"Content-Encoding": "gzip"} if name == "bomb" else {}
            return web.Response(
                body=ready[name], headers=packed, content_type="application/json"
            )
        response = web.StreamResponse()
        with suppress(ConnectionError):  # the reader goes away
            await response.prepare(request)
            while True:
                await response.write(SPACES)
        return response

    app = web.Application()
    app.router.add_route("*", "/{name}/{rest:.*}", answer)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    tell.send(runner.addresses[0][1])
    await asyncio.Event().wait()


NAMES = ("endless", "bomb", "hits", "million", "page", "page-of-100-MB")


async def meet(url: str) -> None:
    """Every body from every kind, all kinds at once."""
    for name in NAMES:
        async with asyncio.timeout(25):  # less than the limit of a look-up or a call
            sources = (_look_up(kind, f"{url}/{name}") for kind in ("wikipedia", "tavily"))
            await asyncio.gather(*sources, _call(url, name))


async def _look_up(kind: str, url: str) -> None:
    source = source_at(kind, url)
    with suppress(SourceFailed):
        await source.find(query("Sodium"))
    await source.aclose()


async def _call(url: str, name: str) -> None:
    async with clients_at(FakeTime(), attempts=1) as clients:
        with suppress(CallFailed):
            await clients.get(f"openai@{url}/{name}:m").complete(ask())


def main() -> None:
    ours, theirs = multiprocessing.get_context("fork").Pipe()
    server = multiprocessing.get_context("fork").Process(
        target=serve, args=(theirs,), daemon=True
    )
    server.start()
    asyncio.run(meet(f"http://127.0.0.1:{ours.recv()}"))
    print(most_held_mb())
    server.terminate()


def most_held_mb() -> int:
    """By the kernel's count for this program: `ru_maxrss` begins with what the process held that
    started it."""
    (line,) = (
        line
        for line in Path("/proc/self/status").read_text().splitlines()
        if line.startswith("VmHWM")
    )
    return int(line.split()[1]) // 1024
