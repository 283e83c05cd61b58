"""`fathom cache`: what replies and look-ups are kept on this machine, and taking them out."""

import re
import sys
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..reports.page.sanitise import one_line
from ..state.errors import UsageError
from .environment import environment
from .show import AsJson
from .streams import print_json

if TYPE_CHECKING:
    from ..tools.cache.upkeep import CacheInfo, Removed

_HOURS = {"h": 1, "d": 24, "w": 24 * 7}

cache_app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Replies and look-ups, stored so that no call is paid for twice (FATHOM_CACHE sets the file).",
)


@cache_app.command("info")
def info_command(as_json: AsJson = False) -> None:
    """Show where the cache is, how large it is, and what it holds."""
    from ..tools.cache.upkeep import cache_info

    info = cache_info(_path())
    if as_json:
        print_json(_document(info))
        return
    from ..reports.page.cache import cache_blocks
    from ..reports.page.console import stdout_console
    from ..reports.page.terminal import rendered

    console = stdout_console()
    console.print(rendered(cache_blocks(info), console.width))


@cache_app.command("clear")
def clear_command(yes: Annotated[bool, typer.Option("--yes", help="Skip the confirmation prompt.")] = False) -> None:
    """Remove everything from the cache. Active runs continue and refill the cache."""
    from ..tools.cache.upkeep import clear_cache

    path = _path()
    if not yes and not _confirmed(path):
        typer.echo("Nothing was removed.", err=True)
        return
    _tell(clear_cache(path))


@cache_app.command("prune")
def prune_command(
    older: Annotated[str, typer.Option("--older", metavar="AGE", help="Remove entries older than this: 12h, 30d, 8w.")],
) -> None:
    """Remove old replies and look-ups from the cache."""
    from ..tools.cache.upkeep import prune_cache

    before = datetime.now(UTC) - read_age(older)
    _tell(prune_cache(_path(), before))


def read_age(text: str) -> timedelta:
    """`12h`, `30d` or `8w` as a time span. Raises UsageError for anything else."""
    match = re.fullmatch(r"([1-9][0-9]{0,4})([hdw])", text.strip().lower())
    if match is None:
        why = "has no unit" if text.strip().isdecimal() else "is not an age"
        raise UsageError(f"--older {one_line(text)} {why}: write 12h, 30d or 8w (hours, days, weeks).")
    return timedelta(hours=int(match[1]) * _HOURS[match[2]])


def _path() -> Path:
    from ..tools.cache.database import cache_path

    return cache_path(environment())


def _confirmed(path: Path) -> bool:
    if not sys.stdin.isatty():
        raise UsageError(f"No terminal to confirm clearing {path}: add --yes.")
    return typer.confirm(f"Remove every reply and look-up from {path}? Getting them again costs their price.", err=True)


def _tell(removed: "Removed") -> None:
    from ..reports.page.cache import removed_words

    typer.echo(removed_words(removed), err=True)


def _document(info: "CacheInfo") -> dict[str, object]:
    return asdict(info) | {"path": str(info.path)}
