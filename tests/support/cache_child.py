"""Run as a program, `FILE RUN FIRST COUNT`: keeps replies to numbered questions, and says each key that is safe."""

import asyncio
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.support.cached import PlacedChat, ask, cached, noon

from fathom.tools.cache.store import Store


async def main(path: Path, run_id: str, first: int, count: int) -> None:
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


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4])))
