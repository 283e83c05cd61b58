"""Lines of styled text, and how they fit a screen."""

from collections.abc import Sequence
from dataclasses import dataclass

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

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
Span = tuple[str, str]
"""Text and the name of its style ("" for none). The text must be harmless already (`sanitise`)."""


def line_of(*spans: Span) -> Text:
    """One line; what has no room is cut."""
    styled = [(text, STYLES.get(style, style)) for text, style in spans]
    return Text.assemble(*styled, no_wrap=True, overflow="ellipsis")


def clip(text: str, width: int) -> str:
    """The text in at most `width` cells; what is lost is marked by `…`."""
    short = Text(text[: 2 * width + 2])
    short.truncate(width, overflow="ellipsis")
    return short.plain


def grid(rows: Sequence[Sequence[str]]) -> Table:
    """A small table, its first row the heading, a line each: the first column flush left, and cut
    where there is no room."""
    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0), header_style=STYLES["head"])
    heads, *lines = rows
    for place, head in enumerate(heads):
        table.add_column(Text(head), justify="right" if place else "left", no_wrap=place > 0)
    for first, *cells in lines:
        table.add_row(line_of((first, "")), *map(Text, cells))
    return table


@dataclass(frozen=True, slots=True)
class Fitted:
    """A screen of at most so many lines: where there is no room the body loses its end."""

    body: Sequence[RenderableType]
    foot: Sequence[RenderableType]
    height: int

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        free = options.update(height=None)
        body = console.render_lines(Group(*self.body), free, pad=False)
        foot = console.render_lines(Group(*self.foot), free, pad=False)
        for line in [*body[: max(0, self.height - len(foot))], *foot][-self.height :]:
            yield from line
            yield Segment.line()
