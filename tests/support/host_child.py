"""A program, `FOLDER WORLD_URL`: a host with a checkpointer and a journal on disk, begun or gone on with."""

import asyncio
import json
import sys
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import aiosqlite
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.graph import END, START, StateGraph
from typing_extensions import TypedDict

from fathom.graphs.embed import EmbeddedDrill, embed_drill
from fathom.graphs.run.checkpoint import safe_serializer

SIZE: dict[str, Any] = {"n": 4, "max_depth": 3, "threshold": 0.001, "as_of": "2026-11-20"}
CONFIG: Any = {"configurable": {"thread_id": "one"}}


class HostState(TypedDict, total=False):
    spec: dict[str, Any]
    run_id: str
    result: dict[str, Any]


def bound(base: str, journal: Path | None = None) -> AbstractAsyncContextManager[EmbeddedDrill]:
    """The drill of the world at this address."""
    models = f"sim@{base}/v1:student", f"sim@{base}/v1:evaluator"
    return embed_drill(*models, facts=f"sim@{base}", journal=journal)


def app_of(drill: EmbeddedDrill, saver: AsyncSqliteSaver | None = None) -> Any:
    builder = StateGraph(HostState)
    builder.add_node("knowledge", drill.graph)
    builder.add_edge(START, "knowledge")
    builder.add_edge("knowledge", END)
    return builder.compile(saver)


def main() -> None:
    asyncio.run(host(Path(sys.argv[1]), sys.argv[2]))


async def host(folder: Path, base: str) -> None:
    async with (
        aiosqlite.connect(folder / "host.sqlite") as connection,
        bound(base, folder / "journal.jsonl") as drill,
    ):
        saver = AsyncSqliteSaver(connection, serde=safe_serializer())
        given = None if await saver.aget(CONFIG) else drill.input("Chemical elements", **SIZE)
        output = await app_of(drill, saver).ainvoke(given, CONFIG)
    (folder / "output.json").write_text(json.dumps(output))
