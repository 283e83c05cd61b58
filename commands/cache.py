"""`fathom cache`: where replies and look-ups are kept on this machine, and taking them out."""

import sys
from dataclasses import asdict
from pathlib import Path

import typer

from ..state.errors import UsageError
from ..state.option import Option
from .declare import Command, Given
from .environment import environment
from .help import Group
from .options.shared import AS_JSON
from .streams import print_json


def _info(values: Given) -> None:
    from ..tools.cache.store import cache_info

    path = _path()
    info = cache_info(path)
    if values["json"]:
        print_json(asdict(info) | {"path": str(path)})
        return
    content = f"{info.replies:,} replies, {info.lookups:,} look-ups"
    typer.echo(f"{path}: {info.size_bytes / 1e6:.1f} MB, {content}")


def _clear(values: Given) -> None:
    from ..tools.cache.store import cache_info

    path = _path()
    if not values["yes"] and not _confirmed(path):
        typer.echo("Nothing was removed.", err=True)
        return
    removed = cache_info(path, clear=True)
    for file in (path.parent / "folders").glob("[0-9a-f]" * 64 + ".json"):
        file.unlink(missing_ok=True)
    typer.echo(f"Removed {removed.replies:,} replies, {removed.lookups:,} look-ups.", err=True)


def _path() -> Path:
    from ..tools.cache.store import cache_path

    return cache_path(environment())


def _confirmed(path: Path) -> bool:
    if not sys.stdin.isatty():
        raise UsageError(f"No terminal to confirm clearing {path}: add --yes.")
    return typer.confirm(
        f"Remove every reply, look-up and reading of a folder from {path}? Getting replies again "
        "costs their price.",
        err=True,
    )


CACHE_INFO = Command(
    _info, "Show where the cache is, how large it is, and what it holds.", (AS_JSON,)
)
CACHE_CLEAR = Command(
    _clear,
    "Remove everything from the cache. Active runs continue and refill the cache.",
    (Option("--yes", "", "Skip the confirmation prompt.", ""),),
)
CACHE = Group(
    "Replies and look-ups, stored so that no call is paid for twice (FATHOM_CACHE sets the file).",
    {"info": CACHE_INFO, "clear": CACHE_CLEAR},
)
