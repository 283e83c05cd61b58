"""`fathom cache`: what replies and look-ups are kept on this machine, and taking them out."""

import re
import sys
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from ..reports.page.sanitise import one_line
from ..state.errors import UsageError
from ..state.option import Option
from .declare import Command, Given
from .environment import environment
from .help import Entry, Group
from .options.shared import AS_JSON
from .streams import print_json

if TYPE_CHECKING:
    from ..tools.cache.upkeep import CacheInfo, Removed

_HOURS = {"h": 1, "d": 24, "w": 24 * 7}


def _info(given: Given) -> None:
    from ..tools.cache.upkeep import cache_info

    info = cache_info(_path())
    if given["json"]:
        print_json(_document(info))
        return
    from ..reports.page.cache import cache_blocks
    from ..reports.page.console import stdout_console
    from ..reports.page.terminal import rendered

    console = stdout_console()
    console.print(rendered(cache_blocks(info), console.width))


def _clear(given: Given) -> None:
    from ..tools.cache.upkeep import clear_cache

    path = _path()
    if not given["yes"] and not _confirmed(path):
        typer.echo("Nothing was removed.", err=True)
        return
    _tell(clear_cache(path))


def _prune(given: Given) -> None:
    if given["older"] is None:
        raise UsageError("--older is missing: say how old, as in --older 30d (12h, 30d or 8w).")
    from ..tools.cache.upkeep import prune_cache

    before = datetime.now(UTC) - read_age(given["older"])
    _tell(prune_cache(_path(), before))


def read_age(text: str) -> timedelta:
    """`12h`, `30d` or `8w` as a time span. Raises UsageError for anything else."""
    match = re.fullmatch(r"([1-9][0-9]{0,4})([hdw])", text.strip().lower())
    if match is None:
        why = "has no unit" if text.strip().isdecimal() else "is not an age"
        raise UsageError(
            f"--older {one_line(text)} {why}: write 12h, 30d or 8w (hours, days, weeks)."
        )
    return timedelta(hours=int(match[1]) * _HOURS[match[2]])


def _path() -> Path:
    from ..tools.cache.database import cache_path

    return cache_path(environment())


def _confirmed(path: Path) -> bool:
    if not sys.stdin.isatty():
        raise UsageError(f"No terminal to confirm clearing {path}: add --yes.")
    return typer.confirm(
        f"Remove every reply and look-up from {path}? Getting them again costs their price.",
        err=True,
    )


def _tell(removed: "Removed") -> None:
    from ..reports.page.cache import removed_words

    typer.echo(removed_words(removed), err=True)


def _document(info: "CacheInfo") -> dict[str, object]:
    return asdict(info) | {"path": str(info.path)}


CACHE_INFO = Command(
    _info, "Show where the cache is, how large it is, and what it holds.", (AS_JSON,)
)
CACHE_CLEAR = Command(
    _clear,
    "Remove everything from the cache. Active runs continue and refill the cache.",
    (Option("--yes", "", "Skip the confirmation prompt.", ""),),
)
CACHE_PRUNE = Command(
    _prune,
    "Remove old replies and look-ups from the cache.",
    (Option("--older", "AGE", "Remove entries older than this: 12h, 30d, 8w.", "", required=True),),
)
CACHE = Group(
    "Replies and look-ups, stored so that no call is paid for twice (FATHOM_CACHE sets the file).",
    {
        "info": Entry(
            ".cache:CACHE_INFO", "Show where the cache is, how large it is, and what it holds."
        ),
        "clear": Entry(".cache:CACHE_CLEAR", "Remove everything from the cache."),
        "prune": Entry(".cache:CACHE_PRUNE", "Remove old replies and look-ups from the cache."),
    },
)
