"""Where the command line finds its settings and its runs: flag over environment over `.env` over default."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from ..state.errors import UsageError

RunsDir = Annotated[
    Path | None,
    typer.Option("--runs", metavar="DIR", envvar="FATHOM_RUNS", help="Folder of the run folders.", show_default="runs"),
]


def environment() -> dict[str, str]:
    """The process environment over the nearest `.env` upward. Raises UsageError where it cannot be read."""
    from ..tools.env import read_env

    try:
        here = Path.cwd()
    except FileNotFoundError:
        raise UsageError("The working folder does not exist any more: change to another one.") from None
    return read_env(here, os.environ)


def runs_dir(given: Path | None, env: Mapping[str, str] | None = None) -> Path:
    """The folder of the runs: what `--runs` or FATHOM_RUNS gave, else FATHOM_RUNS in `.env`, else `runs`.

    `env`: the environment, where it has been read already.
    """
    if given is not None:
        return given
    settings = environment() if env is None else env
    return Path(settings.get("FATHOM_RUNS", "").strip() or "runs")
