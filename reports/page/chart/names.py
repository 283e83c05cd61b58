"""Names and notes as pictures show them: short, wrapped, and told
apart."""

import re
from collections.abc import Iterable

from rich.cells import cell_len

from ..sanitise import one_line

_SIGN_PX = 6.5
"""Width of a sign of the small print. Which font a viewer has is not known: this is a wide one's.
"""
_BREAKS = re.compile(r"(?<=[\s/:@_.,-])")


def cut(text: str, width: int) -> str:
    """The text in at most `width` cells; the middle goes, since names differ at their ends."""
    text = one_line(text)
    if cell_len(text) <= width:
        return text
    tail = text[-width:]
    while cell_len(tail) > (width - 1) // 2:
        tail = tail[1:]
    head = text[:width]
    while cell_len(head) + 1 + cell_len(tail) > width:
        head = head[:-1]
    return f"{head}…{tail}"


def labels(names: Iterable[str], width: int) -> dict[str, str]:
    """Name → what stands for it in a picture, at most about `width` cells; no two are the same, and
    none is empty."""
    by_name: dict[str, str] = {}
    for name in names:
        label = cut(name, width) or "(no name)"
        number = 1
        while label in by_name.values():
            number += 1
            label = f"{cut(name, width - 4)} ({number})"
        by_name[name] = label
    return by_name


def wrap(text: str, width: int, lines: int | None = None) -> list[str]:
    """The text in lines of at most `width` cells, broken after blanks and the marks of names, else
    anywhere; the last of `lines` is cut short."""
    wrapped = [""]
    for piece in _BREAKS.split(text):
        for part in _chopped(piece, width):
            if cell_len((wrapped[-1] + part).rstrip()) > width:
                wrapped.append("")
            wrapped[-1] += part
    wrapped = [line.strip() for line in wrapped if line.strip()] or [""]
    if lines is not None and len(wrapped) > lines:
        wrapped = [*wrapped[: lines - 1], cut(" ".join(wrapped[lines - 1 :]), width)]
    return wrapped


def _chopped(piece: str, width: int) -> Iterable[str]:
    """A piece without a place to break, in parts that fit."""
    part = ""
    for sign in piece:
        if cell_len(part + sign.rstrip()) > width:
            yield part
            part = ""
        part += sign
    yield part


def sentences(notes: Iterable[str], width_px: float) -> list[str]:
    """Notes in lines that fit a width in pixels in the small print of a picture."""
    return [
        line for note in notes for line in wrap(one_line(note), max(50, int(width_px / _SIGN_PX)))
    ]


def widest(lines: Iterable[str]) -> int:
    """Pixels that the longest line of small print may take."""
    return round(max((cell_len(line) for line in lines), default=0) * _SIGN_PX)
