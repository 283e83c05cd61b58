"""A program, `FILE RUN FIRST COUNT`: keeps replies to numbered questions, and says each key that is
safe."""

import asyncio
import sys
from pathlib import Path

from fathom.tools.cache.store import Store

from .cached import PlacedChat, ask, cached, noon


def main() -> None:
    file, run_id, first, count = sys.argv[1:]
    asyncio.run(write(Path(file), run_id, int(first), int(count)))


async def write(path: Path, run_id: str, first: int, count: int) -> None:
    store = await Store.open(path, now=noon)
    chat = cached(PlacedChat(), store, run_id)
    print("open", flush=True)

    async def keep(numbers: range) -> None:
        for number in numbers:
            reply = await chat.complete(ask(f"question {number}"))
            print(reply.request, reply.cached, flush=True)

    await asyncio.gather(*(keep(range(first + lane, first + count, 8)) for lane in range(8)))
    await store.aclose()
    print("trouble", store.trouble, flush=True)
