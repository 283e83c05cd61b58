"""Small parts of what `fathom show --path` prints of a step."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderableType
from rich.text import Text

from ..agents.injection import addressed
from ..state.records import Sent, Unscored
from .page.rows import STYLES
from .page.sanitise import paragraphs

INDENT = 4
_OWN_LINE = re.compile(r"\s|[-*•] |\d+[.:)] |</?\w|[\w-]+:( |$)")
"""How a line begins that stands for itself: indented, of a list, a tag, or with a name before a colon."""
_WRAPPED = 40
"""Cells that a line has at least when it was ended for its length."""


@dataclass(frozen=True, slots=True)
class _Indented:
    """Text some cells from the left, with nothing behind the ends of its lines."""

    text: Text
    cells: int
    refill: bool = False
    """Whether a paragraph's lines are joined where they do not fit."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Text]:
        room = max(1, options.max_width - self.cells)
        text = Text(refilled(self.text.plain, room)) if self.refill else self.text
        for row in text.wrap(console, room, overflow="fold"):
            row.rstrip()
            row.pad_left(self.cells if row.plain else 0)
            yield row


def refilled(text: str, width: int) -> str:
    """The text with the lines of each paragraph joined if one of its lines is wider than `width` cells; blank lines,
    items of lists, tags and indented lines stay. To be wrapped again, without being broken twice."""
    return "\n\n".join(_paragraph(part, width) for part in text.split("\n\n"))


def _paragraph(text: str, width: int) -> str:
    lines = text.split("\n")
    if all(cell_len(line) <= width for line in lines):
        return text
    made = lines[:1]
    for before, line in pairwise(lines):
        if cell_len(before) < _WRAPPED or before.endswith((":", ">")) or not line or _OWN_LINE.match(line):
            made.append(line)
        else:
            made[-1] += f" {line}"
    return "\n".join(made)


def line(text: Text, depth: int = 1) -> RenderableType:
    """The text, indented."""
    return _Indented(text, INDENT * depth)


def field(name: str, text: str, style: str = "", depth: int = 1) -> RenderableType:
    """`name: text`, the text made harmless, with its line ends."""
    return line(Text.assemble((f"{name}: ", "dim"), (paragraphs(text), style)), depth)


def fault_lines(fault: Unscored | None, depth: int = 1) -> list[RenderableType]:
    """Why there is nothing; nothing without a fault."""
    if fault is None:
        return []
    why = f"{fault.stage}: {fault.kind}. {fault.message}"
    return [field("lost to a fault, not counted", why, STYLES["unscored"], depth)]


def pointed_out(text: str, depth: int = 1) -> list[RenderableType]:
    """A line under a text that speaks to a model or a marker; nothing is decided by it."""
    phrase = addressed(text)
    return [field("speaks to a model or a marker", f"“{phrase}”", STYLES["warning"], depth)] if phrase else []


def sent_lines(prompt: tuple[Sent, ...], what: str, depth: int = 1) -> list[RenderableType]:
    """What was sent first for a step, word for word; on a narrow screen with its paragraphs filled anew."""
    lines: list[RenderableType] = []
    for sent in prompt:
        lines.append(line(Text(f"{what}, {sent.role}:", "dim"), depth))
        lines.append(_Indented(Text(paragraphs(sent.text)), INDENT * (depth + 1), refill=True))
    return lines
