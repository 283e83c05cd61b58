"""A program, `ADDRESS|FOLDER NAME FIRST COUNT`: writes states of cells, in a database also lines of
the run NAME, and says each number that is safe."""

import asyncio
import sys
from datetime import date
from pathlib import Path

from fathom.state.campaign import CellState
from fathom.tools.runs.index import open_index
from fathom.tools.runs.postgres import PostgresRuns


def cell(number: int, **more: object) -> CellState:
    fields = {
        "cell": f"{number:08}",
        "method": "drill",
        "domain": f"Domain {number}",
        "target": "sim:student",
    }
    return CellState.model_validate(fields | more)


def main() -> None:
    where, name, first, count = sys.argv[1:]
    asyncio.run(write(where, name, int(first), int(count)))


async def write(where: str, name: str, first: int, count: int) -> None:
    in_database = where.startswith("postgresql:")
    index = await open_index(
        None if in_database else Path(where), where if in_database else None
    )
    assert not isinstance(index, PostgresRuns) or await index.hold(name)
    print((await index.began("study", date(2026, 1, len(name)))).isoformat(), flush=True)
    for number in range(first, first + count):
        # the neighbours too, so that several processes write the same cells
        await index.write(
            cell(near, run=name, attempts=number) for near in (number + 1, number)
        )
        if isinstance(index, PostgresRuns):
            await index.append(name, b"%d\n" % number)
        print(number, flush=True)
    await index.aclose()
