"""Which files of a folder may be read: inside it, visible, of a known kind, and not too large. Opens none of them."""

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from .document import MAX_BYTES, Unreadable

KINDS = {
    ".md": "markdown", ".markdown": "markdown", ".mkd": "markdown", ".mdown": "markdown",
    ".txt": "text", ".text": "text", ".rst": "rst",
    ".html": "html", ".htm": "html", ".xhtml": "html",
    ".pdf": "pdf",
}  # fmt: skip
"""Kind of document by the end of the file's name, in any case."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A file to read. `path`: below the folder, with `/`; `real`: where it is; `stamp`: changes when the file does."""

    path: str
    real: str
    kind: str
    stamp: str


@dataclass(slots=True)
class Census:
    """What a walk found: files to read by path, and the reason for each that is not."""

    entries: dict[str, Entry] = field(default_factory=dict)
    skipped: dict[str, str] = field(default_factory=dict)


def walk(root: str) -> Census:
    """Every file below `root`, a real path, in an order that depends on nothing but names.

    Hidden files and folders are passed over in silence. A link is followed when it ends inside the folder, and gives
    each file or folder once: its own path wins, then the first link. Raises OSError when `root` itself cannot be
    listed.
    """
    census = Census()
    seen: set[str] = set()
    links: list[tuple[str, str]] = []
    _walk_folder("", root, root, seen, links, census, top=True)
    while links:
        links.sort(reverse=True)
        path, real = links.pop()
        if not _inside(root, real):
            census.skipped[shown(path)] = "a link that leads out of the folder"
        elif os.path.isdir(real):
            if real not in seen:
                _walk_folder(path, real, root, seen, links, census)
        else:
            _add(path, real, seen, census)
    return census


def read_bytes(real: str) -> bytes:
    """The file's content. Raises Unreadable: not an ordinary file any more, too large, or refused by the system."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
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


_TOO_LARGE = f"larger than {MAX_BYTES // 1_000_000} MB"


def _walk_folder(
    path: str, real: str, root: str, seen: set[str], links: list[tuple[str, str]], census: Census, top: bool = False
) -> None:
    pending = [(path, real)]
    while pending:
        here, folder = pending.pop()
        if folder in seen:
            continue
        seen.add(folder)
        try:
            found = sorted(os.scandir(folder), key=lambda item: item.name)
        except OSError as error:
            if top and folder == root:
                raise
            census.skipped[shown(here)] = _refused(error)
            continue
        for item, below in _named(found, here, census):
            if item.is_symlink():
                links.append((below, os.path.realpath(item.path)))
            elif item.is_dir(follow_symlinks=False):
                pending.append((below, item.path))
            else:
                _add(below, item.path, seen, census)


def _named(found: list[os.DirEntry[str]], here: str, census: Census) -> Iterator[tuple[os.DirEntry[str], str]]:
    for item in found:
        if item.name.startswith("."):
            continue
        below = f"{here}/{item.name}" if here else item.name
        if item.name.isprintable():  # a line break or an escape sequence would travel into every result
            yield item, below
        else:
            census.skipped[shown(below)] = "unprintable characters in its name"


def _add(path: str, real: str, seen: set[str], census: Census) -> None:
    if real in seen:
        census.skipped[shown(path)] = "a link to a file that is read already"
        return
    try:
        facts = os.stat(real, follow_symlinks=False)
    except OSError as error:
        census.skipped[shown(path)] = _refused(error)
        return
    kind = KINDS.get(os.path.splitext(path)[1].lower(), "")
    if path.lower().endswith(".rst.txt"):
        kind = "rst"
    if reason := _objection(facts, kind):
        census.skipped[shown(path)] = reason
        return
    seen.add(real)
    census.entries[path] = Entry(path, real, kind, f"{facts.st_size}:{facts.st_mtime_ns}:{facts.st_ctime_ns}")


def _objection(facts: os.stat_result, kind: str) -> str:
    if not stat.S_ISREG(facts.st_mode):
        return "not an ordinary file"
    if not kind:
        return "unknown kind of file"
    return _TOO_LARGE if facts.st_size > MAX_BYTES else ""


def _inside(root: str, real: str) -> bool:
    return Path(real).is_relative_to(root)


def _refused(error: OSError) -> str:
    return f"could not be opened ({(error.strerror or type(error).__name__).lower()})"


def shown(path: str) -> str:
    """A path fit for a screen and a JSON file, whatever bytes a file's name is made of."""
    readable = path.encode("utf-8", "backslashreplace").decode()
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in readable)
