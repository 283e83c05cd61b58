"""The simulated world in a process of its own: says where it is, and writes each request that it
has served to a file at once, so that one that is killed has told everything.

python -m tests.support.serving_world LOG [KEY=VALUE…]
"""

import asyncio
import sys
from pathlib import Path

import orjson

from fathom.commands.options.spec import parse_sim
from fathom.sim.server import Served, start


async def main(log: Path, settings: list[str]) -> None:
    spec, timing = parse_sim(settings)
    world = await start(spec, timing)
    with log.open("ab", buffering=0) as file:

        def write(record: Served) -> None:
            file.write(orjson.dumps(record) + b"\n")

        world.on_served = write
        print(world.base_url, flush=True)
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), sys.argv[2:]))
