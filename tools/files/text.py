"""Files that a person hands over: read whole, checked, and refused in one sentence with the place
that is wrong."""

import errno
import os
import stat
import sys
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import orjson
from pydantic import BaseModel

from ...state.errors import UsageError

STDIN = Path("-")
MAX_BYTES = 32_000_000
_HARMLESS = "\t\n\r\u200c\u200d"
"""White space, and the joiners that are part of the spelling in Persian and in the scripts of
India."""


class Data(NamedTuple):
    """A file as it was read."""

    path: Path
    """What a message calls it."""
    raw: bytes
    holds: str
    """What is wanted of it, in plural."""

    @property
    def text(self) -> str:
        r"""With `\n` line ends and without a byte order mark. Raises UsageError for what is no text
        in UTF-8."""
        fault = "it holds zero bytes, as UTF-16 does" if b"\0" in self.raw else ""
        try:
            text = self.raw.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            line = self.raw.count(b"\n", 0, error.start) + 1
            text, fault = "", fault or f"line {line}"
        if fault:
            raise UsageError(
                f"{self.path} is not a UTF-8 text file ({fault}): save it as UTF-8."
            )
        return text.replace("\r\n", "\n").replace("\r", "\n")


def read_data(path: Path, holds: str, most: int = MAX_BYTES) -> Data:
    """A file, or the standard input (`-`). `holds` says what is wanted of it, in plural. Raises
    UsageError for one that cannot be read, is empty or has more than `most` bytes."""
    try:
        raw = _stdin(most) if path == STDIN else read_patiently(path, most)
    except FileNotFoundError:
        raise UsageError(f"There is no file {path}: name one that holds {holds}.") from None
    except (OSError, ValueError) as error:  # ValueError: a name that no file can have
        reason = (error.strerror if isinstance(error, OSError) else None) or error
        raise UsageError(
            f"The file {path} cannot be read ({reason}): name one that holds {holds}."
        ) from None
    path = shown(path)
    if len(raw) > most:
        raise UsageError(
            f"The file {path} is larger than {most // 1_000_000} MB: split it, or name another one."
        )
    if not raw.removeprefix(b"\xef\xbb\xbf").strip():
        raise UsageError(f"The file {path} is empty: name one that holds {holds}.")
    return Data(path, raw, holds)


def _stdin(most: int) -> bytes:
    return sys.stdin.buffer.read(most + 1) if sys.stdin else b""


def handed_over(value: object, title: str) -> Path | Data:
    """What a program gives in place of a file: a path as it is; anything else as its JSON, which a
    message calls `<title>`. Raises UsageError for the standard input, which is not the program's to
    give away, and for what cannot be written as JSON."""
    is_json = isinstance(value, str) and value.lstrip()[:1] in ("{", "[")
    if isinstance(value, str | Path) and not is_json:
        if Path(value) == STDIN:
            raise UsageError(
                f"The {title} cannot be read from the standard input here: name a file, or hand "
                "them over."
            )
        return Path(value)
    if not isinstance(value, Iterable):
        raise UsageError(
            f"The {title} cannot be of type {type(value).__name__}: give a path, JSON, or a list."
        )
    try:
        raw = value.encode() if isinstance(value, str) else orjson.dumps(value, default=_plain)
    except TypeError as error:
        raise UsageError(f"The {title} cannot be written as JSON ({error}).") from None
    return Data(Path(f"<{title}>"), raw, title)


def _plain(value: Any) -> object:
    return value.model_dump(mode="json") if isinstance(value, BaseModel) else list(value)


def shown(path: Path) -> Path:
    """What a message calls the file."""
    return Path("<stdin>") if path == STDIN else path


def read_patiently(path: Path, limit: int) -> bytes:
    """The bytes of a file, at most one more than `limit`; a pipe is waited for while somebody
    writes to it. Raises OSError, also for a pipe to which nobody does: opening it would never end.
    """

    def open_at_once(name: str, flags: int) -> int:
        return os.open(name, flags | os.O_NONBLOCK)

    with open(path, "rb", opener=open_at_once) as file:
        first: bytes | None = file.read(1)  # None: its writer has not come that far
        if first == b"" and stat.S_ISFIFO(os.fstat(file.fileno()).st_mode):
            raise OSError(errno.ENODATA, "it is a pipe to which nobody writes", str(path))
        os.set_blocking(file.fileno(), True)
        return (first or b"") + file.read(limit + 1 - len(first or b""))


def fold(text: str) -> str:
    """The text with single spaces for every run of white space, and none at its ends."""
    return " ".join(text.split())


def unseen(text: str) -> str | None:
    """The first sign that nobody can see, as U+0007: a control character, a mark of direction, half
    a surrogate pair. None when there is none; tabs and line ends are white space."""
    if text.isprintable():
        return None
    for sign in text:
        if unicodedata.category(sign) in ("Cc", "Cf", "Cs") and sign not in _HARMLESS:
            return f"U+{ord(sign):04X}"
    return None


def some_of(names: Sequence[str], most: int = 5) -> str:
    """The first of these names for a message, each as `quoted`."""
    first = ", ".join(quoted(name) for name in names[:most])
    return f"{first}, …" if len(names) > most else first


def tally(counts: Mapping[str, int]) -> tuple[str, ...]:
    """Notices of how many there are of each; none of what there is none of."""
    return tuple(f"{title}: {count:,}." for title, count in counts.items() if count)


def quoted(text: str, limit: int = 40) -> str:
    """A piece of foreign text for a message: in quotation marks, escaped, and cut to `limit`
    characters."""
    return repr(text if len(text) <= limit else text[: limit - 1] + "…")
