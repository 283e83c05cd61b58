"""Which files of a folder may be read: inside it, visible, of a known kind, and not too large.
Opens none of them."""

import os
import stat
from dataclasses import dataclass, field
from pathlib import Path

from ....state.errors import UsageError
from .document import MAX_BYTES, Unreadable

READABLE = "Markdown, plain text, HTML or PDF"
_TOO_LARGE = f"larger than {MAX_BYTES // 1_000_000} MB"
KINDS = {
    ".md": "markdown", ".markdown": "markdown", ".mkd": "markdown", ".mdown": "markdown",
    ".txt": "text", ".text": "text",
    ".html": "html", ".htm": "html", ".xhtml": "html",
    ".pdf": "pdf",
}  # fmt: skip
"""Kind of document by the end of the file's name, in any case."""


def folder_at(path: str) -> Path:
    """The folder at a path, as it really is. Raises UsageError where there is none."""
    try:
        root = Path(path).expanduser().resolve()
        is_folder = root.is_dir()
    except (OSError, RuntimeError) as error:
        raise UsageError(f"The folder {path} cannot be found ({error}).") from error
    if not is_folder:
        raise UsageError(f"There is no folder {path}: name one that holds {READABLE}.")
    return root


@dataclass(frozen=True, slots=True)
class Census:
    """Kinds of the files to read, by their paths below the folder, in order; and the reason for
    each file that is not read."""

    entries: dict[str, str] = field(default_factory=dict)
    skipped: dict[str, str] = field(default_factory=dict)


def walk(root: str) -> Census:
    """Every file below `root`, whatever the order in which the system lists them.

    Hidden files and folders are passed over in silence; links are named and not followed. Raises
    OSError when `root` itself cannot be listed.
    """
    census = Census()

    def refuse(error: OSError) -> None:
        if error.filename == root:
            raise error
        census.skipped[printable(os.path.relpath(error.filename, root))] = _refused(error)

    paths = list[str]()
    for folder, folders, names in os.walk(root, onerror=refuse):
        folders[:] = [name for name in folders if not name.startswith(".")]
        links = [name for name in folders if os.path.islink(os.path.join(folder, name))]
        visible = [name for name in names if not name.startswith(".")]
        paths += [os.path.relpath(os.path.join(folder, name), root) for name in visible + links]
    for path in sorted(path.replace(os.sep, "/") for path in paths):
        kind = KINDS.get(os.path.splitext(path)[1].lower(), "")
        if reason := _objection(os.path.join(root, path), path, kind):
            census.skipped[printable(path)] = reason
        else:
            census.entries[path] = kind
    return census


def _objection(file: str, path: str, kind: str) -> str:
    if not path.isprintable():  # a line break would travel into every result
        return "unprintable characters in its name"
    try:
        status = os.lstat(file)
    except OSError as error:
        return _refused(error)
    if stat.S_ISLNK(status.st_mode):
        return "a link"
    if not stat.S_ISREG(status.st_mode):
        return "not an ordinary file"
    if not kind:
        return "unknown kind of file"
    return _TOO_LARGE if status.st_size > MAX_BYTES else ""


def read_bytes(file: str) -> bytes:
    """The file's content. Raises Unreadable: a link or not an ordinary file by now, too large, or
    refused by the system."""
    flags = os.O_RDONLY
    for flag in ("O_NOFOLLOW", "O_NONBLOCK", "O_BINARY"):
        flags |= getattr(os, flag, 0)
    try:
        with open(os.open(file, flags), "rb") as opened:
            if not stat.S_ISREG(os.fstat(opened.fileno()).st_mode):
                raise Unreadable("not an ordinary file")
            data = opened.read(MAX_BYTES + 1)
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
    return "".join(
        c if c.isprintable() else c.encode("unicode_escape").decode() for c in readable
    )
