"""`fathom sim`: the simulated world as a server, for trying Fathom and other programs on it."""

import asyncio
import signal
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from ..state.option import Option
from ..state.spec import WorldSpec
from .declare import Command, Given
from .options.shared import sim_option

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..sim.server import RunningWorld, Served, Timing


def _sim(given: Given) -> None:
    port, host = given["port"], given["host"] or "127.0.0.1"
    pairs = given["sim"] or ()
    serve(
        port=8788 if port is None else port,
        host=host,
        pairs=pairs,
        api_key=given["api_key"],
        log=given["log"],
    )


SIM = Command(
    _sim,
    """Serve the simulated world: models, a wiki and a search over facts about the chemical elements.

Its models know each fact or not as the seed decides; its figures measure no real model. Ends with Ctrl-C.""",
    (
        Option(
            "--port",
            "PORT",
            "Port to listen on; 0 takes a free one.",
            "",
            type=int,
            least=0,
            most=65535,
            default="8788",
        ),
        Option("--host", "HOST", "Address to listen on.", "", default="127.0.0.1"),
        replace(sim_option(), panel=""),
        Option("--api-key", "KEY", "Refuse every other key with 401.", "", env="FATHOM_SIM_KEY"),
        Option(
            "--log", "FILE", "Append what was served to this file, as JSON lines.", "", kind="file"
        ),
    ),
)


def serve(
    *, port: int, host: str, pairs: Sequence[str], api_key: str | None, log: Path | None = None
) -> None:
    """Serves until Ctrl-C or SIGTERM. Raises UsageError for `--sim` pairs that are wrong, and for a
    port in use."""
    from .options.spec import parse_sim

    spec, timing = parse_sim(pairs)
    asyncio.run(_serve(spec, timing, host, port, api_key, log))


async def _serve(
    spec: WorldSpec, timing: "Timing", host: str, port: int, api_key: str | None, log: Path | None
) -> None:
    from ..sim.server import start

    world = await start(spec, timing, host=host, port=port, api_key=api_key)
    try:
        if log is not None:
            world.on_served = _logging(log)
        typer.echo(_welcome(world, api_key is not None), err=True)
        await _interrupted()
    finally:
        await world.aclose()
    typer.echo(f"Served {world.served} requests.", err=True)


def _logging(log: Path) -> "Callable[[Served], None]":
    """Appends each request to the file at once: a world that is killed has told everything."""
    import orjson

    file = log.open("ab", buffering=0)

    def write(record: "Served") -> None:
        file.write(orjson.dumps(record) + b"\n")

    return write


async def _interrupted() -> None:
    """Waits for Ctrl-C or SIGTERM."""
    asked = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, asked.set)
    try:
        await asked.wait()
    finally:
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(number)


def _welcome(world: "RunningWorld", has_key: bool) -> str:
    from ..sim.chat_api import MODELS

    if has_key:  # `sim` sends no key: a world that wants one is asked like any other endpoint
        settings = "OPENAI_API_KEY=KEY TAVILY_API_KEY=KEY "
        provider, facts = "openai", f" --facts mediawiki:{world.wiki_url},tavily@{world.search_url}"
        header, key = ' -H "Authorization: Bearer KEY"', "\n  KEY      the one given with --api-key"
    else:
        provider, settings, facts, header, key = "sim", "", "", "", ""
    target, evaluator = (f"{provider}@{world.api_url}:{name}" for name in ("student", "evaluator"))
    return f"""The simulated world is being served; it measures no real model. Ctrl-C ends it.
  models   {world.api_url}  ({", ".join(MODELS)}){key}
  wiki     {world.wiki_url}
  search   {world.search_url}/search
  papers   {world.literature_url("europepmc")}, {world.literature_url("openalex")}

Try:
  curl{header} {world.api_url}/models
  {settings}fathom drill "Chemical elements" --target {target} \\
    --evaluator {evaluator}{facts}"""
