"""Settings from a `.env` file. Only the command line calls this; the library itself takes a mapping."""

from collections.abc import Mapping
from pathlib import Path

from dotenv import dotenv_values

from ..state.errors import UsageError


def find_env(folder: Path) -> Path | None:
    """The nearest `.env` file in the folder or in one above it."""
    start = folder.absolute()
    return next((path for place in (start, *start.parents) if (path := place / ".env").is_file()), None)


def read_env(folder: Path, process: Mapping[str, str]) -> dict[str, str]:
    """The process environment over the nearest `.env` upward from the folder; values are taken literally (no `${…}`).

    Nothing is written to the process environment. Raises UsageError when the file cannot be read.
    """
    path = find_env(folder)
    if path is None:
        return dict(process)
    try:
        values = dotenv_values(path, interpolate=False, encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} cannot be read ({type(error).__name__}): mend or remove it.") from None
    return {name: value for name, value in values.items() if value is not None} | dict(process)
