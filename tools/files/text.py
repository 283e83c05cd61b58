"""Small text files that a person hands over: read whole, checked, and refused with the place that is wrong."""

import errno
import os
import re
import stat
import sys
import unicodedata
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Sequence
from pathlib import Path

from ...state.errors import UsageError

STDIN = Path("-")
MAX_BYTES = 5_000_000
_HEAD = 200
"""Bytes that are looked at for zeros."""
_ADDRESS = re.compile("[A-Za-z][A-Za-z0-9+.-]+:/")
_HARMLESS = "\t\n\r\u200c\u200d"
"""White space, and the joiners that are part of the spelling in Persian and in the scripts of India."""


def shown(path: Path) -> Path:
    """What a message calls the file."""
    return Path("<stdin>") if path == STDIN else path


def read_text(path: Path, holds: str) -> str:
    r"""The text of a file, with `\n` line ends and without a byte order mark. `holds` says what is wanted, in plural.

    `-` is the standard input. Raises UsageError for a file that cannot be read, is larger than 5 MB, or is not UTF-8.
    """
    data, path = read_bytes(path, holds, MAX_BYTES), shown(path)
    if len(data) > MAX_BYTES:
        raise UsageError(f"The file {path} is larger than 5 MB: that is no file of {holds}; name another one.")
    return decoded(data, path)


def read_bytes(path: Path, holds: str, limit: int) -> bytes:
    """The bytes of a file or (`-`) the standard input, at most one more than `limit`: the size of a pipe is not known
    before it was read. Raises UsageError for a file that cannot be read."""
    try:
        if path == STDIN:
            return sys.stdin.buffer.read(limit + 1) if sys.stdin else b""
        return read_patiently(path, limit)
    except FileNotFoundError:
        if address := _ADDRESS.match(str(path)):
            url = f"{address[0]}/{str(path)[address.end() :]}"  # a path has lost the second of its slashes
            raise UsageError(f"{url} is an address, not a file: download it and name the file.") from None
        raise UsageError(f"There is no file {path}: name one that holds {holds}.") from None
    except IsADirectoryError:
        raise UsageError(f"{path} is a folder, not a file: name a file that holds {holds}.") from None
    except (OSError, ValueError) as error:  # ValueError: a name that no file can have
        said = (error.strerror if isinstance(error, OSError) else None) or error
        raise UsageError(f"The file {path} cannot be read ({said}): mend that, or name another file.") from None


def read_patiently(path: Path, limit: int) -> bytes:
    """The bytes of a file, at most one more than `limit`; a pipe is waited for while somebody writes to it. Raises
    OSError, also for a pipe to which nobody does: opening it would never end."""
    with open(path, "rb", opener=lambda name, flags: os.open(name, flags | os.O_NONBLOCK)) as file:
        first: bytes | None = file.read(1)  # None: its writer has not come that far
        if first == b"" and stat.S_ISFIFO(os.fstat(file.fileno()).st_mode):
            raise OSError(errno.ENODATA, "it is a pipe to which nobody writes", str(path))
        os.set_blocking(file.fileno(), True)
        return (first or b"") + file.read(limit + 1 - len(first or b""))


def decoded(data: bytes, path: Path) -> str:
    r"""The text with `\n` line ends and without a byte order mark. Raises UsageError for what is not UTF-8."""
    require_no_utf16(data, path)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise UsageError(f"The file {path} is not UTF-8 (line {line}): save it in that encoding.") from None
    return text.replace("\r\n", "\n").replace("\r", "\n")


def require_no_utf16(data: bytes, path: Path) -> None:
    """Raises UsageError for what begins like UTF-16: with its byte order mark, or with every other byte a zero."""
    head = data[:_HEAD]
    halves = head[::2].count(0), head[1::2].count(0)
    if head.startswith((BOM_UTF16_LE, BOM_UTF16_BE)) or (min(halves) == 0 and max(halves) > 1 + len(head) // 4):
        raise UsageError(f"The file {path} is UTF-16, not UTF-8: save it as UTF-8.")


def fold(text: str) -> str:
    """The text with single spaces for every run of white space, and none at its ends."""
    return " ".join(text.split())


def unseen(text: str) -> str | None:
    """The first sign that nobody can see, as U+0007: a control character, a mark of direction, half a surrogate pair.
    None when there is none; tabs and line ends are white space."""
    for sign in text:
        if unicodedata.category(sign) in ("Cc", "Cf", "Cs") and sign not in _HARMLESS:
            return f"U+{ord(sign):04X}"
    return None


def some_of(names: Sequence[str], most: int = 5) -> str:
    """The first of these names for a message, each as `quoted`."""
    return ", ".join(quoted(name) for name in names[:most]) + (", …" if len(names) > most else "")


def quoted(text: str, limit: int = 40) -> str:
    """A piece of foreign text for a message: in quotation marks, escaped, and cut to `limit` characters."""
    return repr(text if len(text) <= limit else text[: limit - 1] + "…")
