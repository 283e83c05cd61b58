"""Blocks as plain data with every figure written and foreign text made harmless: all media show
these, and nothing else."""

from collections.abc import Iterable
from typing import Any

from . import blocks as b
from .forms import TEXTS, with_interval
from .rows import STYLES
from .sanitise import one_line, paragraphs

Plain = dict[str, Any]
"""A text: `title`, `lines`. A table: `title`, `heads`, `rows` (of `cells`, or with a `head` of
their own), `said`."""
FIGURES = (b.Column("", "label"), b.Column("", "value", "number"))
IN_BRACKETS = "in brackets: 95% intervals"


def plain(blocks: Iterable[b.Block]) -> list[Plain]:
    return [_plain(block) for block in blocks]


def style_words(style: str) -> str:
    """A style by its name as words: `bold black on yellow`."""
    return STYLES.get(style, style)


def _plain(block: b.Block) -> Plain:
    if isinstance(block, b.Text):
        return {
            "kind": "text",
            "title": one_line(block.title),
            "lines": [_line(line, block.style) for line in block.lines],
        }
    if isinstance(block, b.Figures):
        figures = []
        for figure in block.rows:
            value = with_interval(figure.value, figure.interval, figure.form)
            figures.append({"label": figure.label, "value": value})
        block = b.Table(block.title, FIGURES, figures)
    return _table(block)


def _line(text: str | b.Line, style: str) -> Plain:
    line = b.Line(text) if isinstance(text, str) else text
    blanks = line.lead[len(line.lead.rstrip()) :]
    fields = {
        "text": paragraphs(line.text) if line.ends else one_line(line.text),
        "style": style_words(line.style or style),
        "lead": one_line(line.lead) + blanks,
        "lead_style": style_words(line.lead_style) if line.lead else "",
        "indent": line.indent,
        "step": line.step,
        "whole": line.whole,
    }
    return {name: value for name, value in fields.items() if value}


def _table(block: b.Table) -> Plain:
    heads = [
        {"text": one_line(column.head), "right": column.form not in TEXTS, "cut": column.cut}
        for column in block.columns
    ]
    legend = " · ".join(column.legend for column in block.columns if column.legend)
    brackets = IN_BRACKETS if any(column.interval for column in block.columns) else ""
    return {
        "kind": "table",
        "title": one_line(block.title),
        "heads": heads,
        "rows": [_row(block.columns, row) for row in block.rows],
        "said": [one_line(line) for line in (legend, brackets, *block.said) if line],
    }


def _row(columns: Iterable[b.Column], row: Any) -> Plain:
    if isinstance(row, str):
        return {"head": one_line(row)}
    return {"cells": [_cell(column, row) for column in columns]}


def _cell(column: b.Column, row: Any) -> Plain:
    value = b.value_of(row, column.key)
    cell = value if isinstance(value, b.Cell) else b.Cell(value)
    interval = b.value_of(row, column.interval) if column.interval else None
    return {
        "text": with_interval(cell.value, interval, column.form),
        "style": style_words(cell.style or column.style),
    }
