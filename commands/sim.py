"""`fathom sim`: the simulated world as a server, for trying Fathom and other programs on it."""

import asyncio
import signal
from dataclasses import replace
from typing import TYPE_CHECKING

import typer

from ..state.spec import WorldSpec
from .declare import Command, Given
from .options.shared import HOST, PORT
from .options.shared import SIM as SIM_OPTION

if TYPE_CHECKING:
    from ..sim.server import RunningWorld, Timing


def serve(values: Given) -> None:
    """Serve until Ctrl-C or SIGTERM. Raises UsageError for `--sim` pairs that are wrong, and for a
    port in use."""
    from .options.spec import parse_sim

    spec, timing = parse_sim(values["sim"] or ())
    port = 8788 if values["port"] is None else values["port"]
    asyncio.run(_serve(spec, timing, values["host"] or "127.0.0.1", port))


SIM = Command(
    serve,
    """Serve the simulated world: models, a wiki and a search over facts about the chemical elements.

Its models know each fact or not as the seed decides; its figures measure no real model. Ends with Ctrl-C.""",
    (
        replace(PORT, default="8788"),
        HOST,
        replace(SIM_OPTION, panel=""),
    ),
)


async def _serve(spec: WorldSpec, timing: "Timing", host: str, port: int) -> None:
    from ..sim.server import start

    world = await start(spec, timing, host=host, port=port)
    try:
        typer.echo(_welcome(world), err=True)
        await interrupted()
    finally:
        await world.aclose()
    typer.echo(f"Served {world.served} requests.", err=True)


async def interrupted() -> None:
    """Waits for Ctrl-C or SIGTERM."""
    interruption = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, interruption.set)
    try:
        await interruption.wait()
    finally:
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(number)


def _welcome(world: "RunningWorld") -> str:
    from ..sim.chat_api import MODELS

    target, evaluator = (f"sim@{world.api_url}:{name}" for name in ("student", "evaluator"))
    return f"""The simulated world is being served; it measures no real model. Ctrl-C ends it.
  models   {world.api_url}  ({", ".join(MODELS)})
  wiki     {world.wiki_url}
  search   {world.search_url}/search

Try:
  curl {world.api_url}/models
  fathom drill "Chemical elements" --target {target} \\
    --evaluator {evaluator}"""
