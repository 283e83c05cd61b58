"""Blocks on a terminal of any width."""

from collections.abc import Iterable, Iterator, Sequence

from rich import box
from rich.cells import cell_len
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from . import blocks as b
from .plain import Plain, plain

GAP = 2
"""Cells between columns."""
TEXT = 16
"""Cells that a column of text is given at least, where it has so many and is not cut."""
HEAD = 14
"""Cells of a line of a column's head."""


def rendered(blocks: Iterable[b.Block], width: int) -> Group:
    """The blocks below each other, with an empty line between them."""
    parts: list[RenderableType] = []
    for block in plain(blocks):
        lines = [
            *(_tables(block, width) if block["kind"] == "table" else map(_line, block["lines"]))
        ]
        title = [Text(block["title"], "bold")] if block["title"] else []
        parts += [*([""] if parts and lines else []), *title, *lines]
    return Group(*parts)


def _line(line: Plain) -> RenderableType:
    is_whole = "whole" in line
    text = Text(no_wrap=is_whole, overflow="ignore" if is_whole else "fold")
    text.append(line.get("lead", ""), line.get("lead_style"))
    text.append(line.get("text", ""), line.get("style"))
    indent = line.get("indent", 0)
    return Padding(text, (0, 0, 0, indent), expand=False) if indent else text


def _tables(block: Plain, width: int) -> Iterator[RenderableType]:
    """The table, and where there is no room for all columns further ones below it, each with the
    first column again."""
    heads, rows = block["heads"], block["rows"]
    cells = [row["cells"] for row in rows if "cells" in row]
    gives_way = any(head["cut"] for head in heads)
    indent = GAP if len(cells) < len(rows) else 0
    sizes = [
        _size(head, [row[place]["text"] for row in cells]) for place, head in enumerate(heads)
    ]
    for number, places in enumerate(_split([size + GAP for size in sizes], width + GAP)):
        if number:
            yield ""
        table = Table(
            box=box.SIMPLE_HEAD,
            padding=(0, GAP - 1),
            collapse_padding=True,
            pad_edge=False,
            show_edge=False,
            show_header=any(head["text"] for head in heads),
        )
        for place in places:
            head = heads[place]
            is_text = not head["right"]
            table.add_column(
                Text(head["text"], overflow="fold"),
                justify="left" if is_text else "right",
                width=None if is_text else sizes[place],
                no_wrap=gives_way and not head["cut"],
                overflow="fold",
            )
        for row in rows:
            if "head" in row:
                table.add_row(Text(row["head"], "bold"))
                continue
            first, *more = (_cell(row["cells"][place], heads[place]) for place in places)
            table.add_row(Padding(first, (0, 0, 0, indent)), *more)
        yield table
    for line in block["said"]:
        yield Text(line, "dim")


def _size(head: Plain, texts: Sequence[str]) -> int:
    """Cells that a column needs."""
    size = max(map(cell_len, texts), default=0)
    if not head["right"]:
        size = min(size, 1 if head["cut"] else TEXT)
    return size if head["cut"] else max(size, min(cell_len(head["text"]), HEAD))


def _split(sizes: Sequence[int], width: int) -> list[list[int]]:
    """As many columns in each table as there is room for."""
    groups = [[0]]
    for place in range(1, len(sizes)):
        if len(groups[-1]) > 1 and sum(sizes[at] for at in groups[-1]) + sizes[place] > width:
            groups.append([0])
        groups[-1].append(place)
    return groups


def _cell(cell: Plain, head: Plain) -> Text:
    if head["cut"]:
        return Text(cell["text"], cell["style"], no_wrap=True, overflow="ellipsis")
    return Text(cell["text"], cell["style"], overflow="fold")
