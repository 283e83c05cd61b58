"""`fathom serve`: the same runs behind HTTP."""

import asyncio
import os
from collections.abc import Callable
from dataclasses import replace
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from ..state.campaign import CellState
from ..state.errors import UsageError, install
from ..state.option import LIMITS, OUTPUT, Option
from .declare import Command, Given
from .environment import environment, runs_dir, store_of
from .options.shared import HOST, LIMIT, PORT, RUNS
from .sim import interrupted
from .study.command import STORE, cells_of, specs_of

if TYPE_CHECKING:
    from ..service.guard import Guard
    from ..service.studies import Studies

HOME, SOURCES = "127.0.0.1", ("wikipedia",)
"""Where it listens, and what requests may name beside FATHOM_MODEL_NAME, unless the operator says
otherwise."""
HOSTS = (
    HOST,
    Option(
        "--host-name",
        "NAME",
        "Name under which the server is asked for, beside its address; may be repeated.",
        OUTPUT,
        type=list[str],
    ),
)
EPILOG = """Examples:
  fathom serve --allow openai:gpt-5-mini --allow openai:gpt-5
  fathom serve --allow 'sim:*' --allow sim --no-auth
  curl -H "Authorization: Bearer $FATHOM_TOKEN" localhost:8787/v1/studies

docs/service.md has the whole of it.

Exit codes:
  0 stopped, 2 refused (the extra is missing, the port is in use)
"""


def _serve(values: Given) -> None:
    if find_spec("aiohttp_sse") is None:
        raise UsageError(f"fathom serve needs the extra [serve]: {install('serve')}.")
    port = 8787 if values["port"] is None else values["port"]
    studies = _studies(values)
    guard = guard_of(values, studies.runs)
    asyncio.run(_served(studies, guard, values["host"] or HOME, port))


def guard_of(values: Given, runs: Path) -> "Guard":
    """Who may ask, by --host, --host-name and --no-auth; says where the token is. Raises
    UsageError."""
    from ..service.guard import LOOPBACK, Guard, token_in

    host, token = values["host"] or HOME, None
    if values.get("no_auth"):
        if host not in LOOPBACK:
            raise UsageError(
                f"--no-auth lets everybody in who reaches {host}: it is for {HOME} only."
            )
    else:
        file = runs / ".token"
        token, is_new = token_in(file)
        shown = (
            f"Token: {token}\nIt is kept in {file}." if is_new else f"The token is in {file}."
        )
        typer.echo(shown, err=True)
    names = (*LOOPBACK, host, *(values["host_name"] or ()))
    return Guard(token, tuple(map(str.lower, names)))


def _studies(values: Given) -> "Studies":
    from ..service.studies import Studies
    from ..service.trust import Allowed
    from ..tools.models.pricing import PRICES, PriceList

    env, runs, store = (
        environment(),
        runs_dir(values["runs"]).absolute(),
        store_of(values["store"]),
    )
    if store is not None:  # children find it there, and no list of processes has it
        os.environ["FATHOM_STORE"] = store
    PriceList.parse(values["price"] or ())
    if values["price"]:
        os.environ[PRICES] = "\n".join(values["price"])
    runs.mkdir(parents=True, exist_ok=True)
    return Studies(
        runs=runs,
        allowed=Allowed((*SOURCES, *(values["allow"] or ())), env, runs),
        read_cells=cells_in(runs, store),
        jobs=values["jobs"] or 4,
        each={"budget": values["budget"] or 5.0, "max_calls": values["max_calls"]},
        daily={"budget": values["day_budget"] or 20.0, "max_calls": values["day_calls"]},
    )


def cells_in(runs: Path, store: str | None) -> Callable[[Path, bool], list[CellState]]:
    """How the cells of a study stand; asks, if that is wanted, for the price of every model."""
    from ..tools.models.pricing import PriceList

    def cells(study: Path, priced: bool) -> list[CellState]:
        if priced:
            specs = specs_of(str(study), runs, store)
            models = chain.from_iterable(spec.models.values() for spec in specs)
            PriceList.parse((), environment()).require(models)
        return cells_of(str(study), runs, store)

    return cells


async def _served(studies: "Studies", guard: "Guard", host: str, port: int) -> None:
    from aiohttp import web

    from ..service.app import application

    runner = web.AppRunner(
        application(studies, guard),
        access_log=None,
        handler_cancellation=True,
        shutdown_timeout=2.0,
    )
    await runner.setup()
    assert runner.server is not None
    watch = asyncio.create_task(guard.close_strangers(runner.server))
    try:
        site = web.TCPSite(runner, host, port, backlog=1024)
        try:
            await site.start()
        except OSError as error:
            reason = error.strerror or str(error)
            raise UsageError(
                f"The service cannot listen on {host}:{port}: {reason}. Choose another --port."
            ) from None
        address, bound = runner.addresses[0][:2]
        typer.echo(f"Fathom is served at http://{address}:{bound}. Ctrl-C stops it.", err=True)
        await interrupted()
    finally:
        watch.cancel()
        await runner.cleanup()


SERVE = Command(
    _serve,
    """Serve studies over HTTP: post them, watch them live, read their results.

Each study runs as `fathom run` in a process of its own; what is unfinished when the server ends goes on \
when it starts again. A request names models and sources that are offered with --allow, and no file, \
address, header or variable. The budget of a day counts in UTC.""",
    (
        Option(
            "--allow",
            "NAME",
            "Model or source that requests may name, as in openai:gpt-5-mini, tavily or 'sim:*'; "
            "may be repeated.",
            LIMITS,
            type=list[str],
            default="wikipedia, and the models of FATHOM_MODEL_NAME",
        ),
        replace(LIMIT["budget"], help="Maximum cost of one study.", default="5"),
        replace(
            LIMIT["budget"], flags="--day-budget", help="Maximum cost of a day.", default="20"
        ),
        replace(LIMIT["max_calls"], help="Maximum model calls of one study."),
        replace(LIMIT["max_calls"], flags="--day-calls", help="Maximum model calls of a day."),
        LIMIT["price"],
        Option("--jobs", "N", "Studies at once.", LIMITS, type=int, least=1, default="4"),
        replace(PORT, default="8787"),
        *HOSTS,
        Option("--no-auth", "", "Ask for no token; on this machine only.", OUTPUT),
        STORE,
        RUNS,
    ),
    EPILOG,
)
