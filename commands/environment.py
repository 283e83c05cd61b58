"""Where the command line finds its settings and its runs: flag over environment over `.env` over
default."""

import os
import unicodedata
from collections.abc import Mapping
from pathlib import Path

from ..state.errors import UsageError


def environment() -> dict[str, str]:
    """The process environment over the nearest `.env` upward. Raises UsageError where it cannot be
    read."""
    from ..tools.env import read_env

    try:
        here = Path.cwd()
    except FileNotFoundError:
        raise UsageError(
            "The working folder does not exist any more: change to another one."
        ) from None
    return read_env(here, os.environ)


def store_of(option: str | None) -> str | None:
    """The database of a campaign: what `--store` or FATHOM_STORE gave, else FATHOM_STORE in `.env`.
    Raises UsageError for what is no address of one."""
    address = option or environment().get("FATHOM_STORE", "").strip() or None
    if address is not None and not address.startswith(("postgresql://", "postgres://")):
        raise UsageError(
            "--store takes the address of a PostgreSQL database: write "
            "postgresql://USER@HOST/DATABASE."
        )
    return address


def runs_dir(option: Path | None, env: Mapping[str, str] | None = None) -> Path:
    """The folder of the runs: what `--runs` or FATHOM_RUNS gave, else FATHOM_RUNS in `.env`, else
    `runs`.

    `env`: the environment, where it has been read already. Raises UsageError for a name with
    control characters.
    """
    settings = (environment() if env is None else env) if option is None else {}
    folder = option or Path(settings.get("FATHOM_RUNS", "").strip() or "runs")
    if any(unicodedata.category(sign) == "Cc" for sign in str(folder)):
        raise UsageError(
            f"The folder of the runs cannot be {str(folder)!r}: it holds control characters."
        )
    return folder
