"""Which files of a folder may be read: inside it, visible, of a known kind, and not too large. Opens none of them."""

import os
import stat
from dataclasses import dataclass, field
from pathlib import Path

from .document import MAX_BYTES, Unreadable

_TOO_LARGE = f"larger than {MAX_BYTES // 1_000_000} MB"
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
    _seen: set[str] = field(default_factory=set)
    _links: list[tuple[str, str]] = field(default_factory=list)

    def folder(self, path: str, real: str) -> None:
        """All that lies below a folder, but for links, which wait."""

        def below(found: str) -> str:
            return f"{path}/{found[len(real) :].lstrip('/')}".strip("/")

        def refused(error: OSError) -> None:
            self.skipped[shown(below(error.filename))] = _refused(error)

        for here, folders, files in os.walk(real, onerror=refused):
            if here in self._seen:
                folders.clear()
                continue
            self._seen.add(here)
            visible = {name: below(os.path.join(here, name)) for name in folders + files if not name.startswith(".")}
            for name in [name for name in visible if not name.isprintable()]:
                # a line break or an escape sequence would travel into every result
                self.skipped[shown(visible.pop(name))] = "unprintable characters in its name"
            links = {name for name in visible if os.path.islink(os.path.join(here, name))}
            self._links += [(visible[name], os.path.realpath(os.path.join(here, name))) for name in links]
            for name in visible.keys() & set(files) - links:
                self.file(visible[name], os.path.join(here, name))
            folders[:] = visible.keys() & set(folders) - links

    def links(self, root: str) -> None:
        """What the links lead to, in the order of their paths."""
        while self._links:
            self._links.sort(reverse=True)
            path, real = self._links.pop()
            if not Path(real).is_relative_to(root):
                self.skipped[shown(path)] = "a link that leads out of the folder"
            elif not os.path.isdir(real):
                self.file(path, real)
            elif real not in self._seen:
                self.folder(path, real)

    def file(self, path: str, real: str) -> None:
        try:
            facts = os.stat(real, follow_symlinks=False)
        except OSError as error:
            self.skipped[shown(path)] = _refused(error)
            return
        kind = "rst" if path.lower().endswith(".rst.txt") else KINDS.get(os.path.splitext(path)[1].lower(), "")
        if real in self._seen:
            self.skipped[shown(path)] = "a link to a file that is read already"
        elif reason := _objection(facts, kind):
            self.skipped[shown(path)] = reason
        else:
            self._seen.add(real)
            self.entries[path] = Entry(path, real, kind, f"{facts.st_size}:{facts.st_mtime_ns}:{facts.st_ctime_ns}")


def walk(root: str) -> Census:
    """Every file below `root`, a real path, whatever the order in which the system lists them.

    Hidden files and folders are passed over in silence. A link is followed when it ends inside the folder, and gives
    each file or folder once: its own path wins, then the first link. Raises OSError when `root` itself cannot be
    listed.
    """
    os.scandir(root).close()
    census = Census()
    census.folder("", root)
    census.links(root)
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


def _objection(facts: os.stat_result, kind: str) -> str:
    if not stat.S_ISREG(facts.st_mode):
        return "not an ordinary file"
    if not kind:
        return "unknown kind of file"
    return _TOO_LARGE if facts.st_size > MAX_BYTES else ""


def _refused(error: OSError) -> str:
    return f"could not be opened ({(error.strerror or type(error).__name__).lower()})"


def shown(path: str) -> str:
    """A path fit for a screen and a JSON file, whatever bytes a file's name is made of."""
    readable = path.encode("utf-8", "backslashreplace").decode()
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in readable)
