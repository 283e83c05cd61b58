"""Whether what a command is to write can be written, found out before anything is asked; nothing of
it stays."""

import tempfile
from pathlib import Path

from ..state.errors import UsageError
from ..tools.files.text import STDIN


def require_folder(folder: Path, flag: str) -> None:
    """Raises UsageError for a folder that cannot be made or written. Some only refuse when they are
    written, so that is tried."""
    try:
        _write_into(
            next(path for path in (folder, *folder.absolute().parents) if path.exists())
        )
    except OSError as error:
        raise UsageError(
            f"{flag} {folder} cannot be written ({error.strerror or error}): name another folder."
        ) from None


def require_file(file: Path, flag: str, *suffixes: str, force: bool) -> None:
    """Raises UsageError for a file that cannot be written or has none of the suffixes (if any), and
    for one that exists unless that is meant (`force`)."""
    if file == STDIN:
        raise UsageError(f"{flag} cannot be -: name a file.")
    try:
        if file.is_dir():
            raise UsageError(f"{flag} {file} is a folder: name a file.")
        if suffixes and file.suffix.casefold() not in suffixes:
            ends, like = " or ".join(suffixes), file.with_suffix(suffixes[0]).name
            raise UsageError(
                f"{flag} {file} does not end in {ends}: name a file that does, as in {like}."
            )
        if file.exists() and not force:
            raise UsageError(
                f"{flag} {file} exists already: name another file, or overwrite it with --force."
            )
        if not file.parent.is_dir():
            raise UsageError(
                f"{flag} {file} cannot be written, because there is no folder {file.parent}: "
                "make it first."
            )
        _write_into(file.parent)
        real = file.resolve()  # a link that leads nowhere yet stays
        if not real.exists():
            real.touch()  # a name may be too long, or hold what the disk does not take
            real.unlink()
    except OSError as error:
        raise UsageError(
            f"{flag} {file} cannot be written ({error.strerror or error}): name another file."
        ) from None


def _write_into(folder: Path) -> None:
    with tempfile.TemporaryFile(dir=folder):
        pass
