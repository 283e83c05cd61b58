"""The review file of a run folder: what was drawn, and what raters said."""

import fcntl
import os
from collections.abc import Iterable
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from ...state.errors import RunFailed
from ...state.review import FILE, Entry, Label, Review, Sampled

MOST_BYTES = 16 * 2**20
"""A review file may have: some 50,000 labels."""
ENTRY: TypeAdapter[Sampled | Label] = TypeAdapter(Entry)


def read_review(folder: Path) -> Review:
    """Empty where nobody has reviewed the run. The last line may have been cut off by a kill; it is
    passed over. Raises RunFailed for a file that is none of ours."""
    path = folder / FILE
    try:
        if not path.is_file():
            return Review()
        if path.stat().st_size > MOST_BYTES:
            raise RunFailed(f"The review {path} is too large to be one: remove it.")
        entries, _ = _parsed(path.read_bytes(), path)
    except OSError as error:
        raise RunFailed(f"The review {path} cannot be read ({error.strerror}).") from error
    return Review(
        sample=tuple(entry for entry in entries if entry.kind == "sampled"),
        labels=tuple(entry for entry in entries if entry.kind == "label"),
    )


def append_review(folder: Path, entries: Iterable[Sampled | Label]) -> None:
    """Each entry is on the disk when this returns. Raises OSError, and RunFailed for a damaged
    file, which stays as it is."""
    path = folder / FILE
    with path.open("ab+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)  # another rater may write as well
        file.seek(0)
        before = file.read()
        _, whole = _parsed(before, path)
        joint = b"" if before[:whole].endswith(b"\n") or not whole else b"\n"
        file.truncate(whole)
        file.write(joint + b"".join(ENTRY.dump_json(entry) + b"\n" for entry in entries))
        file.flush()
        os.fsync(file.fileno())


def _parsed(data: bytes, path: Path) -> tuple[list[Sampled | Label], int]:
    """The entries, and the bytes they take: a kill may have cut off what comes after them. Raises
    RunFailed."""
    *lines, last = data.split(b"\n")
    try:
        entries = [ENTRY.validate_json(line) for line in lines if line]
        try:
            entries += [ENTRY.validate_json(last)] if last else []
        except ValidationError as error:
            if "EOF while parsing" not in str(error):
                raise
            return entries, len(data) - len(last)
    except ValidationError as error:
        raise RunFailed(f"The review {path} is damaged: mend or remove it.") from error
    return entries, len(data)
