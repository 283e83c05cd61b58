"""`fathom sim`: the simulated world as a server, for trying Fathom and other programs on it."""

import asyncio
import math
import signal
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from ..state.errors import UsageError
from ..state.spec import FaultRates, WorldSpec

if TYPE_CHECKING:
    from ..sim.server import RunningWorld, Timing


def sim_command(
    port: Annotated[
        int, typer.Option("--port", min=0, max=65535, help="Port to listen on; 0 takes a free one.")
    ] = 8788,
    host: Annotated[str, typer.Option("--host", help="Address to listen on.")] = "127.0.0.1",
    seed: Annotated[int, typer.Option("--seed", help="Decides who knows what, and every fault.")] = 0,
    latency: Annotated[float, typer.Option("--latency", help="Seconds before every reply.")] = 0.0,
    jitter: Annotated[float, typer.Option("--jitter", help="Up to this many seconds more.")] = 0.0,
    sensitivity: Annotated[float, typer.Option("--sensitivity", help="Chance that a right answer is accepted.")] = 1.0,
    specificity: Annotated[float, typer.Option("--specificity", help="Chance that a wrong answer is rejected.")] = 1.0,
    fault: Annotated[
        list[str] | None,
        typer.Option("--fault", metavar="NAME=RATE", help=f"Chance of a fault: {', '.join(FaultRates.model_fields)}."),
    ] = None,
    api_key: Annotated[
        str | None, typer.Option("--api-key", envvar="FATHOM_SIM_KEY", help="Refuse every other key with 401.")
    ] = None,
) -> None:
    """Serve the simulated world: models, a wiki and a search over facts about the chemical elements.

    Its models know each fact or not as the seed decides; its figures measure no real model. Ends with Ctrl-C.
    """
    serve(
        port=port,
        host=host,
        seed=seed,
        latency_s=latency,
        jitter_s=jitter,
        sensitivity=sensitivity,
        specificity=specificity,
        faults=fault or (),
        api_key=api_key,
    )


def serve(
    *,
    port: int,
    host: str,
    seed: int,
    latency_s: float,
    jitter_s: float,
    sensitivity: float,
    specificity: float,
    faults: Sequence[str],
    api_key: str | None,
) -> None:
    """Serves until Ctrl-C or SIGTERM. Raises UsageError for rates outside 0 … 1, times below 0, and a port in use."""
    from ..sim.server import Timing

    spec = WorldSpec(
        seed=seed,
        sensitivity=_rate("--sensitivity", sensitivity),
        specificity=_rate("--specificity", specificity),
        faults=fault_rates(faults),
    )
    timing = Timing(latency_s=_seconds("--latency", latency_s), jitter_s=_seconds("--jitter", jitter_s))
    asyncio.run(_serve(spec, timing, host, port, api_key))


def fault_rates(pairs: Sequence[str]) -> FaultRates:
    """`NAME=RATE` pairs as rates. Raises UsageError for an unknown name or a rate outside 0 … 1."""
    given: dict[str, float] = {}
    for pair in pairs:
        name, sign, text = pair.partition("=")
        if not sign or name not in FaultRates.model_fields:
            known = ", ".join(FaultRates.model_fields)
            raise UsageError(f"--fault {pair!r} is not NAME=RATE with a known name; the names are {known}.")
        try:
            given[name] = _rate(f"--fault {name}", float(text))
        except ValueError as error:
            raise UsageError(f"--fault {pair!r} has no number for its rate; write for example {name}=0.05.") from error
    return FaultRates(**given)


def _rate(option: str, value: float) -> float:
    if not 0.0 <= value <= 1.0:
        raise UsageError(f"{option} is a chance and must lie between 0 and 1, not {value:g}.")
    return value


def _seconds(option: str, value: float) -> float:
    if not 0.0 <= value < math.inf:
        raise UsageError(f"{option} is a time in seconds and cannot be {value:g}.")
    return value


async def _serve(spec: WorldSpec, timing: "Timing", host: str, port: int, api_key: str | None) -> None:
    from ..sim.server import start

    try:
        world = await start(spec, timing, host=host, port=port, api_key=api_key)
    except OSError as error:
        raise UsageError(str(error.strerror or error)) from error
    try:
        typer.echo(_welcome(world, api_key is not None), err=True)
        await _interrupted()
    finally:
        await world.aclose()
    typer.echo(f"Served {world.served} requests.", err=True)


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

    # `sim` sends no key: a world that wants one is asked like any other endpoint
    provider, keys = ("openai", "OPENAI_API_KEY=KEY TAVILY_API_KEY=KEY") if has_key else ("sim", "TAVILY_API_KEY=any")
    target, evaluator = (f"{provider}@{world.api_url}:{name}" for name in ("student", "evaluator"))
    header = ' -H "Authorization: Bearer KEY"' if has_key else ""
    facts = f"mediawiki:{world.wiki_url},tavily@{world.search_url}"
    key = "\n  KEY      the one given with --api-key" if has_key else ""
    return f"""The simulated world is being served; it measures no real model. Ctrl-C ends it.
  models   {world.api_url}  ({", ".join(MODELS)}){key}
  wiki     {world.wiki_url}
  search   {world.search_url}/search

Try:
  curl{header} {world.api_url}/models
  {keys} fathom drill "Chemical elements" --target {target} \\
    --evaluator {evaluator} --facts {facts}"""
