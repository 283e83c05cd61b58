"""Blocks on a terminal of any width."""

from collections.abc import Iterable, Iterator, Sequence

from rich import box
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text as Words

from . import blocks as b
from .forms import TEXTS
from .plain import Plain, columns_of, figure, lead_of, line_of, style_words, table
from .rows import clip
from .sanitise import one_line, paragraphs

ROOMY = 96
"""Width from which columns stand two cells apart."""
LEAST = 20
"""Cells of a text that is cut, at least."""


def rendered(blocks: Iterable[b.Block], width: int) -> Group:
    """The blocks below each other, with an empty line between them."""
    parts: list[RenderableType] = []
    for block in blocks:
        lines = [*_parts(block, width)]
        parts += [*([""] if parts and lines else []), *lines]
    return Group(*parts)


def _parts(block: b.Block, width: int) -> Iterator[RenderableType]:
    if isinstance(block, b.Table):
        yield from _table(block, width)
    else:
        if block.title:
            yield Words(one_line(block.title), "bold")
        yield from _figures(block) if isinstance(block, b.Figures) else _text(block, width)


def _text(block: b.Text, width: int) -> Iterator[RenderableType]:
    for text in block.lines:
        line = line_of(text)
        yield _line(line, line.style or block.style, width)


def _line(line: b.Line, style: str, width: int) -> RenderableType:
    text = paragraphs(line.text) if line.ends else one_line(line.text)
    if line.lines:  # lines break at words and are not full
        room = (width - line.indent) * line.lines - len(line.lead) - 10 * (line.lines > 1)
        text = clip(text, max(LEAST, room))
    words = Words(no_wrap=line.whole, overflow="ignore" if line.whole else "fold")
    words.append(lead_of(line), style_words(line.lead_style)).append(text, style_words(style))
    return Padding(words, (0, 0, 0, line.indent), expand=False) if line.indent else words


def _figures(block: b.Figures) -> Iterator[RenderableType]:
    room = max((len(row.label) for row in block.rows), default=0)
    for row in block.rows:
        yield Words(f"{row.label:<{room}}  {figure(row)}")


# tables


def _table(block: b.Table, width: int) -> Iterator[RenderableType]:
    content, columns = table(block, width), columns_of(block, width)
    rows = [row.get("cells") or [{"text": row["head"], "style": "bold"}] for row in content["rows"]]
    indent = "  " * any("head" in row for row in content["rows"])
    for row, plain_row in zip(rows, content["rows"], strict=True):
        if "cells" in plain_row:
            row[0] = row[0] | {"text": indent + row[0]["text"]}
    places = range(len(columns))
    gap = 2 if width >= ROOMY else 1
    sizes = [_size(columns[index], rows, index) + gap for index in places]
    groups = _split(sizes, width + gap) if block.wide else [[*places]]
    for number, group in enumerate(groups):
        if number:
            yield ""
        if block.title:
            yield Words(f"{content['title']}{' (continued)' if number else ''}", "bold")
        grid = Table(
            box=box.SIMPLE_HEAD,
            padding=(0, gap - 1),
            collapse_padding=True,
            pad_edge=False,
            show_edge=False,
        )
        for index in group:
            _add(grid, *columns[index])
        for row in rows:
            grid.add_row(*(_words(row[at], columns[at][0]) for at in group if at < len(row)))
        yield grid
    for line in content["said"]:
        yield Words(line, "dim")


def _head(column: b.Column, is_interval: bool) -> list[str]:
    """The head of a column, harmless, on as many lines as it has."""
    lines = [one_line(line) for line in column.head.split("\n")]
    return [*("" for _ in lines[1:]), "95% CI"] if is_interval else lines


def _size(pair: tuple[b.Column, bool], rows: Sequence[Sequence[Plain]], index: int) -> int:
    """Cells that a column takes."""
    lines = _head(*pair)
    for row in rows:
        if len(row) > 1:
            lines += [row[index]["text"], *row[index].get("more", ())]
    size = max(Words(line).cell_len for line in lines)
    return min(size, pair[0].room or size)


def _split(sizes: Sequence[int], width: int) -> list[list[int]]:
    """As many columns in each table as there is room for; the first is in all of them."""
    groups = [[0]]
    for index, size in list(enumerate(sizes))[1:]:
        if len(groups[-1]) > 1 and sum(sizes[at] for at in groups[-1]) + size > width:
            groups.append([0])
        groups[-1].append(index)
    return groups


def _add(grid: Table, column: b.Column, is_interval: bool) -> None:
    text = column.form in TEXTS and not is_interval
    folds = not is_interval and (column.room > 0 or (text and (column.fold or column.cut)))
    grid.add_column(
        Words("\n".join(_head(column, is_interval))),
        justify="left" if text else "right",
        no_wrap=not folds,
        max_width=column.room or None,
        overflow="fold" if folds else "ellipsis",
    )


def _words(cell: Plain, column: b.Column) -> Words:
    words = Words(cell["text"], cell.get("style", ""))
    if column.cut:
        words.no_wrap, words.overflow = True, "ellipsis"
    for line in cell.get("more", ()):
        words.append(f"\n{line}", "dim")
    return words
