"""Files that are handed to a person: written whole, or not at all."""

import os
import secrets
import shutil
from contextlib import suppress
from pathlib import Path

from ...state.errors import UsageError


def write_whole(path: Path, data: bytes, title: str) -> None:
    """Write a file, replacing one that is there; of a link, what it leads to. `called` is what a
    message calls it, as in "The texts".

    Raises UsageError when it cannot be written; then an older file of that name is as it was.
    """
    real = Path(os.path.realpath(path))
    part = real.with_name(f".{secrets.token_hex(8)}.part")  # nobody's file has this name
    try:
        with part.open("xb") as file:
            file.write(data)
        if real.is_file():
            shutil.copymode(real, part)
        os.replace(part, real)
    except OSError as error:
        with suppress(OSError):
            part.unlink(missing_ok=True)
        raise UsageError(
            f"{title} cannot be written to {path} ({error.strerror or error})."
        ) from error
