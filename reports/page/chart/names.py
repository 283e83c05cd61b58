"""Names and notes as the pictures of an Explain-Query-Test show them: short, wrapped, and told
apart."""

import re
from collections.abc import Iterable, Mapping, Sized

from rich.cells import cell_len

from ..sanitise import one_line

ALL = "all"
"""The category of the cells over all concepts."""
MOST_CATEGORIES = 60
"""More would make a picture that nobody can look at."""
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
    return _told_apart({name: name for name in names}, width)


def category_labels(categories: Iterable[str], width: int) -> dict[str, str]:
    """Category → its label, as `labels` makes them; the one over all concepts has its name in
    words."""
    return _told_apart(
        {name: "all concepts" if name == ALL else name for name in categories}, width
    )


def _told_apart(words: Mapping[str, str], width: int) -> dict[str, str]:
    found: dict[str, str] = {}
    for name, text in words.items():
        label = cut(text, width) or "(no name)"
        same = 1
        while label in found.values():
            same += 1
            label = f"{cut(text, width - 4)} ({same})"
        found[name] = label
    return found


def wrap(text: str, width: int, lines: int | None = None) -> list[str]:
    """The text in lines of at most `width` cells, broken after blanks and the marks of names, else
    anywhere; the last of `lines` is cut short."""
    made = [""]
    for piece in _BREAKS.split(text):
        for part in _chopped(piece, width):
            if cell_len((made[-1] + part).rstrip()) > width:
                made.append("")
            made[-1] += part
    made = [line.strip() for line in made if line.strip()] or [""]
    if lines is not None and len(made) > lines:
        made = [*made[: lines - 1], cut(" ".join(made[lines - 1 :]), width)]
    return made


def _chopped(piece: str, width: int) -> Iterable[str]:
    """A piece without a place to break, in parts that fit."""
    part = ""
    for sign in piece:
        if cell_len(part + sign.rstrip()) > width:
            yield part
            part = ""
        part += sign
    yield part


def category_order(categories: Iterable[str], present: Iterable[str]) -> list[str]:
    """The categories that are present, in order; over all concepts last."""
    held = set(present)
    order = [
        category
        for category in dict.fromkeys([*categories, *sorted(held)])
        if category in held - {ALL}
    ]
    return [*order, ALL] if ALL in held else order


def left_out(every: Sized, drawn: Sized) -> list[str]:
    """That some categories are not in the picture, if so."""
    return (
        [f"The first {len(drawn)} of {len(every)} categories are drawn."]
        if len(drawn) < len(every)
        else []
    )


def sentences(notes: Iterable[str], width_px: float) -> list[str]:
    """Notes in lines that fit a width in pixels in the small print of a picture."""
    return [
        line for note in notes for line in wrap(one_line(note), max(50, int(width_px / _SIGN_PX)))
    ]


def widest(lines: Iterable[str]) -> int:
    """Pixels that the longest line of small print may take."""
    return round(max((cell_len(line) for line in lines), default=0) * _SIGN_PX)
