"""Where the command line finds its settings and its runs: flag over environment over `.env` over default."""

import os
from pathlib import Path
from typing import Annotated

import typer

from ..state.errors import UsageError

RunsDir = Annotated[
    Path | None,
    typer.Option("--runs", envvar="FATHOM_RUNS", help="Folder of the run folders.", show_default="runs"),
]


def environment() -> dict[str, str]:
    """The process environment over the nearest `.env` upward. Raises UsageError where it cannot be read."""
    from ..tools.env import read_env

    try:
        here = Path.cwd()
    except FileNotFoundError:
        raise UsageError("The working folder does not exist any more: change to another one.") from None
    return read_env(here, os.environ)


def runs_dir(given: Path | None) -> Path:
    """The folder of the runs: what `--runs` or FATHOM_RUNS gave, else FATHOM_RUNS in `.env`, else `runs`."""
    return given if given is not None else Path(environment().get("FATHOM_RUNS", "").strip() or "runs")
