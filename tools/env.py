"""Settings from a `.env` file. Only the command line calls this; the library itself takes a
mapping."""

import os
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path

from ..state.errors import UsageError

TRUSTED = "FATHOM_TRUST_ENV_FILE"
"""Set to 1 in the environment itself: what is in it may go where a `.env` file says."""
_ENDS = ("_KEY", "_TOKEN", "_URL", "_ENDPOINT", "_API_BASE", "_BASE")


class FromFile(str):
    """A value from a `.env` file, which knows that file."""

    path: Path

    @classmethod
    def read(
        cls,
        value: str,
        path: Path,
    ) -> "FromFile":
        text = cls(value)
        text.path = path
        return text


def find_env(folder: Path) -> Path | None:
    """The nearest `.env` file in the folder or in one above it, up to the home folder or the root
    of a repository. One of another user is none."""
    return next((path for path in _files(folder) if _is_own(path)), None)


def _files(folder: Path) -> Iterator[Path]:
    start, home = folder.absolute(), Path("~").expanduser()
    for parent in (start, *start.parents):
        if (path := parent / ".env").is_file():
            yield path
        if parent in (home, home.resolve()) or (parent / ".git").exists():
            return


def _is_own(path: Path) -> bool:
    """Whether the file, and a link to it, is the user's or root's."""
    return {path.stat().st_uid, path.lstat().st_uid} <= {os.geteuid(), 0}


def read_env(folder: Path, process: Mapping[str, str]) -> dict[str, str]:
    """The process environment over the nearest `.env` upward from the folder; values are taken
    literally (no `${…}`).

    Nothing is written to the process environment. Raises UsageError when the file cannot be read.
    """
    path = find_env(folder)
    if path is None:
        return dict(process)
    from dotenv import dotenv_values  # whoever only asks where a value is from does without

    try:
        values = dotenv_values(path, interpolate=False, encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(
            f"{path} cannot be read ({type(error).__name__}): fix or remove it."
        ) from None
    env = dict(process)
    for name, value in values.items():
        if value is not None and process.get(name, value) == value:
            env[name] = FromFile.read(value, path)
    return env


def env_notices(folder: Path, env: Mapping[str, str]) -> list[str]:
    """What was read from a file and what was not, by the names of variables."""
    names = defaultdict[Path, list[str]](list)
    for name, value in env.items():
        if isinstance(value, FromFile) and (name.startswith("FATHOM_") or name.endswith(_ENDS)):
            names[value.path].append(name)
    foreign = [path for path in _files(folder) if not _is_own(path)]
    return [
        *(f"{path} belongs to another user: it is not read." for path in foreign),
        *(f"Read from {path}: {', '.join(sorted(read))}." for path, read in names.items()),
    ]


def require_meant(variable: str, env: Mapping[str, str], *secrets: str) -> None:
    """Raises UsageError where the address in a variable of a `.env` file would be sent a secret
    that stands in the process environment alone: whoever wrote the file would choose where it goes.
    """
    address = env.get(variable, "")
    trusted = env.get(TRUSTED, "")
    if not isinstance(address, FromFile) or (
        trusted == "1" and not isinstance(trusted, FromFile)
    ):
        return
    for name in secrets:
        if (value := env.get(name, "")).strip() and not isinstance(value, FromFile):
            raise UsageError(
                f"{name} of the environment would be sent to the address that {variable} names in "
                f"{address.path}: put"
                f" both in one place, or set {TRUSTED}=1 in the environment if that is meant."
            )
