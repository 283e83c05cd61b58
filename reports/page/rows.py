"""Rows of styled text that always fit: the live screen's own small layout.

A rich Table measures every cell on each frame; a frame of plain rows costs a fraction of that, and
its height is known before it is drawn, which a live screen needs in order never to overflow.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter

from rich import cells
from rich.console import Console, ConsoleOptions
from rich.segment import Segment
from rich.style import Style

Span = tuple[str, str]
"""Text and the name of its style ("" for none). The text must be harmless already (`sanitise`)."""
Row = list[Span]

STYLES = {
    "correct": "green",
    "wrong": "red",
    "abstained": "yellow",
    "unscored": "magenta",
    "accuracy": "cyan",
    "survival": "blue",
    "badge": "bold black on yellow",
    "title": "bold",
    "head": "dim",
    "quiet": "dim",
    "info": "dim",
    "warning": "yellow",
    "error": "bold red",
}


def cell_len(text: str) -> int:
    """Cells the text takes. Most texts need not be measured."""
    return len(text) if text.isascii() else cells.cell_len(text)


def clip(text: str, width: int) -> str:
    """The text in at most `width` cells; what is lost is marked by `…`."""
    if width <= 0:
        return ""
    if text.isascii():
        return text if len(text) <= width else text[: width - 1].rstrip() + "…"
    if len(text) > 8 * width + 64:
        text = text[
            : 8 * width + 64
        ]  # measuring a page to show one line of it would cost more than the frame
    if cell_len(text) <= width:
        return text
    short = text[: width - 1]
    if cell_len(short) == len(
        short
    ):  # a sign a cell, as nearly everywhere: nothing has to be taken apart
        return short.rstrip() + "…"
    return cells.set_cell_size(text, width - 1).rstrip() + "…"


def clip_left(text: str, width: int) -> str:
    """Like `clip`, but keeps the end of the text."""
    if cell_len(text) <= width:
        return text
    if width <= 1:
        return clip(text, width)
    tail = text[-width:]
    while cell_len(tail) > width - 1:
        tail = tail[1:]
    return "…" + tail.lstrip()


def pad(text: str, width: int, *, right: bool = False) -> str:
    """The text in exactly `width` cells, flush left, or flush right if asked."""
    short = clip(text, width)
    space = " " * (width - cell_len(short))
    return space + short if right else short + space


def row_width(row: Row) -> int:
    """Cells a row takes."""
    return sum([cell_len(text) for text, _ in row])


def between(left: Row, right: Row, width: int) -> Row:
    """Two rows on one line, the second flush right; the first gives way."""
    room = width - row_width(right) - 1
    fitted = fit(left, room)
    return [*fitted, (" " * (width - row_width(fitted) - row_width(right)), ""), *right]


def fit(row: Row, width: int) -> Row:
    """The row cut to `width` cells."""
    fitted: Row = []
    left = width
    for text, style in row:
        size = cell_len(text)
        if size > left:
            fitted.append((clip(text, left), style))
            break
        fitted.append((text, style))
        left -= size
    return fitted


@dataclass(frozen=True, slots=True)
class Rows:
    """A rich renderable of rows that fit, each on a line of its own."""

    rows: Sequence[Row]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Segment]:
        return segments(self.rows)


def segments(rows: Iterable[Row]) -> Iterator[Segment]:
    """The rows, each with an end of its line; neighbours of one style are one segment."""
    for row in rows:
        for style, spans in groupby(row, key=itemgetter(1)):
            text = "".join([text for text, _ in spans])
            if text:
                yield Segment(text, Style.parse(STYLES.get(style, style)) if style else None)
        yield Segment.line()
