"""Blocks as plain data with every figure written and foreign text made harmless: what a terminal
shows at its width, and what media that are no terminal show whole."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from . import blocks as b
from .forms import TEXTS, span_written, written
from .rows import STYLES
from .sanitise import one_line, paragraphs

WIDE = 1000
"""A width at which every column is shown."""
Plain = dict[str, Any]
"""A text: `title`, `lines`. A table: `title`, `heads`, `rows` (of `cells`, or with a `head` of
their own), `said`."""
Shown = tuple[b.Column, bool]
"""A column, and whether it is that of the interval behind it."""


def plain(blocks: Iterable[b.Block]) -> list[Plain]:
    """The blocks that have something to show."""
    return [part for block in blocks for part in _plain(block)]


def style_words(style: str) -> str:
    """A style by its name as words: `bold black on yellow`."""
    return STYLES.get(style, style)


def _plain(block: b.Block) -> Iterator[Plain]:
    if isinstance(block, b.Text):
        yield {
            "kind": "text",
            "title": one_line(block.title),
            "lines": [_line(line, block.style) for line in block.lines],
        }
    elif isinstance(block, b.Table):
        yield table(block, WIDE)
    else:
        yield _simple(block.title, ["", ""], [[row.label, figure(row)] for row in block.rows])


def line_of(line: str | b.Line) -> b.Line:
    """A line of text with what can be said of it."""
    return b.Line(line) if isinstance(line, str) else line


def lead_of(line: b.Line) -> str:
    """What stands before the line, harmless, with the blanks behind it."""
    return one_line(line.lead) + line.lead[len(line.lead.rstrip()) :]


def _line(text: str | b.Line, style: str) -> Plain:
    line = line_of(text)
    fields = {
        "text": paragraphs(line.text) if line.ends else one_line(line.text),
        "style": style_words(line.style or style),
        "lead": lead_of(line),
        "lead_style": style_words(line.lead_style) if line.lead else "",
        "indent": line.indent,
        "step": line.step,
        "whole": line.whole and line.ends,
    }
    return {name: value for name, value in fields.items() if value}


def figure(row: b.Figure) -> str:
    """A figure with its interval."""
    span = f" ({span_written(row.interval, row.form)})" if row.interval is not None else ""
    return f"{written(row.value, row.form)}{span}"


def _simple(title: str, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> Plain:
    """A table of texts, the first column flush left."""
    return {
        "kind": "table",
        "title": one_line(title),
        "heads": [{"text": head, "right": index > 0} for index, head in enumerate(heads)],
        "rows": [{"cells": [{"text": text} for text in row]} for row in rows],
        "said": [],
    }


def columns_of(block: b.Table, width: int) -> list[Shown]:
    """The columns for which there is room; behind each that of its interval, if that has room for
    one of its own."""
    columns = list[Shown]()
    for column in block.columns:
        if width >= column.since:
            columns.append((column, False))
            if column.interval and width >= column.apart:
                columns.append((column, True))
    return columns


def table(block: b.Table, width: int) -> Plain:
    """A table as a medium of this width shows it."""
    columns = columns_of(block, width)
    heads = []
    for column, is_interval in columns:
        text = "95% CI" if is_interval else " ".join(map(one_line, column.head.split("\n")))
        heads.append({"text": text, "right": is_interval or column.form not in TEXTS})
    legend = " · ".join(c.legend for c, is_interval in columns if c.legend and not is_interval)
    return {
        "kind": "table",
        "title": one_line(block.title),
        "heads": heads,
        "rows": [_row(columns, row, width) for row in block.rows],
        "said": [one_line(line) for line in (legend, *block.said) if line],
    }


def _row(columns: Sequence[Shown], row: Any, width: int) -> Plain:
    if isinstance(row, str):
        return {"head": one_line(row)}
    return {"cells": [_cell(column, row, width) for column in columns]}


def _cell(pair: Shown, row: Any, width: int) -> Plain:
    column, is_interval = pair
    span = span_written(b.value_of(row, column.interval), column.form) if column.interval else ""
    if is_interval:
        return {"text": span}
    value = b.value_of(row, column.key)
    cell = value if isinstance(value, b.Cell) else b.Cell(value)
    more = [one_line(line) for line in cell.more]
    if column.under and width < column.apart:
        more.append(span)
    text = {"text": written(cell.value, column.form)}
    text["style"] = style_words(cell.style or column.style)
    return text | ({"more": more} if more else {})
