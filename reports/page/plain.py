"""Blocks as plain data with every figure written, for media that are no terminal: no width, nothing
left out, foreign text made harmless."""

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


def plain(blocks: Iterable[b.Block]) -> list[Plain]:
    """The blocks that have something to show."""
    return [made for block in blocks for made in _plain(block)]


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
        yield _table(block)
    elif isinstance(block, b.Figures):
        rows = [[row.label, _figure(row)] for row in block.rows]
        yield _simple(block.title, ["", ""], rows)
    elif any(curve.points for curve in block.curves):
        yield _curves(block)


def _line(line: str | b.Line, style: str) -> Plain:
    if isinstance(line, str):
        line = b.Line(line)
    made = {
        "text": paragraphs(line.text) if line.ends else one_line(line.text),
        "style": style_words(line.style or style),
        "lead": one_line(line.lead) + line.lead[len(line.lead.rstrip()) :],
        "lead_style": style_words(line.lead_style) if line.lead else "",
        "indent": line.indent,
        "step": line.step,
        "whole": line.whole and line.ends,
    }
    return {name: value for name, value in made.items() if value}


def _figure(row: b.Figure) -> str:
    span = f" ({span_written(row.interval, row.form)})" if row.interval is not None else ""
    return f"{written(row.value, row.form)}{span}"


def _simple(title: str, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> Plain:
    """A table of texts, the first column flush left."""
    made = [{"text": head, "right": place > 0} for place, head in enumerate(heads)]
    cells = [{"cells": [{"text": text} for text in row]} for row in rows]
    return {
        "kind": "table",
        "title": one_line(title),
        "heads": made,
        "rows": cells,
        "said": [],
    }


def _curves(chart: b.Chart) -> Plain:
    """The shares of a chart as figures, which a picture shows otherwise."""
    steps = sorted({point[0] for curve in chart.curves for point in curve.points})
    rows = []
    for step in steps:
        at = [
            next((point for point in curve.points if point[0] == step), None)
            for curve in chart.curves
        ]
        shares = (
            "–"
            if one is None
            else f"{written(one[1], 'percent')} ({span_written(one[2:], 'percent')})"
            for one in at
        )
        rows.append([f"{step:g}", *shares])
    return _simple(
        chart.title, [chart.across, *(one_line(curve.name) for curve in chart.curves)], rows
    )


def _table(block: b.Table) -> Plain:
    shown = [column for column in block.columns if column.shown(WIDE)]
    heads = []
    for column in shown:
        heads.append({"text": _lines(column.head), "right": column.form not in TEXTS})
        if _apart(column):
            heads.append({"text": "95% CI", "right": True})
    legend = [column.legend for column in shown if column.legend]
    said = [*([" · ".join(legend)] if legend else []), *block.said]
    return {
        "kind": "table",
        "title": one_line(block.title),
        "heads": heads,
        "rows": [_row(shown, row) for row in block.rows],
        "said": [one_line(line) for line in said],
    }


def _lines(text: str) -> str:
    return " ".join(one_line(line) for line in text.split("\n"))


def _apart(column: b.Column) -> bool:
    return bool(column.interval) and column.form != "bar"


def _row(shown: Sequence[b.Column], row: Any) -> Plain:
    if isinstance(row, str):
        return {"head": one_line(row)}
    cells: list[Plain] = []
    for column in shown:
        cells.append(_cell(column, row))
        if _apart(column):
            cells.append({"text": span_written(b.value_of(row, column.interval), column.form)})
    return {"cells": cells}


def _cell(column: b.Column, row: Any) -> Plain:
    value = b.value_of(row, column.key)
    if column.form == "bar":
        return _bar(column, value, b.value_of(row, column.interval))
    cell = value if isinstance(value, b.Cell) else b.Cell(value)
    text = written(cell.value, column.form)
    made = {"text": f"{text}{cell.sign}", "style": style_words(cell.style or column.style)}
    more = [one_line(line) for line in cell.more]
    return made | ({"more": more} if more else {})


def _bar(column: b.Column, value: float | None, interval: Any) -> Plain:
    """Where low end, value and high end lie, as shares of the whole bar."""
    if value is None:
        return {"text": ""}
    low, high = column.scale
    first, last = interval or (value, value)
    return {
        "text": "",
        "bar": [round((each - low) / (high - low), 4) for each in (first, value, last)],
    }
