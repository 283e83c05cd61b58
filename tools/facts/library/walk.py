"""Which files of a folder may be read: inside it, visible, of a known kind, and not too large.
Opens none of them."""

import os
import stat
from dataclasses import dataclass, field
from heapq import heappop, heappush
from pathlib import Path

from .document import MAX_BYTES, Unreadable

_TOO_LARGE = f"larger than {MAX_BYTES // 1_000_000} MB"
KINDS = {
    ".md": "markdown", ".markdown": "markdown", ".mkd": "markdown", ".mdown": "markdown",
    ".txt": "text", ".text": "text",
    ".html": "html", ".htm": "html", ".xhtml": "html",
    ".pdf": "pdf",
}  # fmt: skip
"""Kind of document by the end of the file's name, in any case."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A file to read. `path`: below the folder, with `/`; `real`: where it is; `stamp`: changes
    when the file does."""

    path: str
    real: str
    kind: str
    stamp: str


@dataclass(frozen=True, slots=True)
class Census:
    """What a walk found: files to read by path, and the reason for each that is not."""

    entries: dict[str, Entry] = field(default_factory=dict)
    skipped: dict[str, str] = field(default_factory=dict)


def walk(root: str) -> Census:
    """Every file below `root`, a real path, whatever the order in which the system lists them.

    Hidden files and folders are passed over in silence. A link is followed when it ends inside the
    folder, and gives each file or folder once: its own path wins, then the first link. Raises
    OSError when `root` itself cannot be listed.
    """
    census = Census()
    visited = {root}
    files, links = _children("", root, census), list[tuple[str, str]]()
    while files or links:
        if files:
            path, real = files.pop()
            if os.path.islink(real):
                heappush(links, (path, os.path.realpath(real)))
                continue
        else:
            path, real = heappop(links)
            if not Path(real).is_relative_to(root):
                census.skipped[printable(path)] = "a link that leads out of the folder"
                continue
        try:
            if not os.path.isdir(real):
                _file(path, real, visited, census)
            elif real not in visited:
                visited.add(real)
                files += _children(path, real, census)
        except OSError as error:
            census.skipped[printable(path)] = _refused(error)
    return census


def _children(path: str, real: str, census: Census) -> list[tuple[str, str]]:
    """Path below the folder and place of all that is not hidden in a folder. Raises OSError."""
    children = []
    for name in os.listdir(real):
        path_below = f"{path}/{name}".lstrip("/")
        if name.startswith("."):
            continue
        if name.isprintable():
            children.append((path_below, os.path.join(real, name)))
        else:  # a line break or an escape sequence would travel into every result
            census.skipped[printable(path_below)] = "unprintable characters in its name"
    return children


def _file(
    path: str,
    real: str,
    visited: set[str],
    census: Census,
) -> None:
    facts = os.stat(real, follow_symlinks=False)
    kind = KINDS.get(os.path.splitext(path)[1].lower(), "")
    if real in visited:
        census.skipped[printable(path)] = "a link to a file that is read already"
    elif reason := _objection(facts, kind):
        census.skipped[printable(path)] = reason
    else:
        visited.add(real)
        census.entries[path] = Entry(
            path, real, kind, f"{facts.st_size}:{facts.st_mtime_ns}:{facts.st_ctime_ns}"
        )


def _objection(facts: os.stat_result, kind: str) -> str:
    if not stat.S_ISREG(facts.st_mode):
        return "not an ordinary file"
    if not kind:
        return "unknown kind of file"
    return _TOO_LARGE if facts.st_size > MAX_BYTES else ""


def read_bytes(real: str) -> bytes:
    """The file's content. Raises Unreadable: not an ordinary file any more, too large, or refused
    by the system."""
    flags = (
        os.O_RDONLY
        | getattr(os, "O_NOFOLLOW", 0)
        | getattr(os, "O_NONBLOCK", 0)
        | getattr(os, "O_BINARY", 0)
    )
    try:
        with open(os.open(real, flags), "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise Unreadable("not an ordinary file")
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise Unreadable(_refused(error)) from error
    if len(data) > MAX_BYTES:
        raise Unreadable(_TOO_LARGE)
    return data


def _refused(error: OSError) -> str:
    return f"could not be opened ({(error.strerror or type(error).__name__).lower()})"


def printable(path: str) -> str:
    """A path fit for a screen and a JSON file, whatever bytes a file's name is made of."""
    readable = path.encode("utf-8", "backslashreplace").decode()
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in readable)
