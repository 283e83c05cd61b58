"""Blocks on a terminal of any width."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from rich import box, table
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text as Words

from . import blocks as b
from . import figures
from .curves import curves
from .forms import TEXTS, span_written, written
from .rows import STYLES, clip
from .sanitise import one_line, paragraphs

ROOMY = 96
"""Width from which columns stand two cells apart."""
BAR = 16
"""Cells of a bar."""
LEAST = 20
"""Cells of a text that is cut, at least."""


def rendered(blocks: Iterable[b.Block], width: int) -> Group:
    """The blocks below each other, with an empty line between them."""
    parts: list[RenderableType] = []
    for block in blocks:
        own = [*_parts(block, width)]
        parts += [*([""] if parts and own else []), *own]
    return Group(*parts)


def _parts(block: b.Block, width: int) -> Iterator[RenderableType]:
    if isinstance(block, b.Table):
        yield from _table(block, width)
    elif isinstance(block, b.Chart):
        yield from curves(block, width)
    elif isinstance(block, b.Figures):
        yield from _figures(block)
    else:
        yield from _text(block, width)


def _style(name: str) -> str:
    return STYLES.get(name, name)


# text


def _text(block: b.Text, width: int) -> Iterator[RenderableType]:
    if width < block.since:
        return
    if block.title:
        yield Words(one_line(block.title), "bold")
    for each in block.lines:
        line = each if isinstance(each, b.Line) else b.Line(each)
        yield _line(line, line.style or block.style, width)


def _line(line: b.Line, style: str, width: int) -> RenderableType:
    text = paragraphs(line.text) if line.ends else one_line(line.text)
    if line.lines:  # lines break at words and are not full
        text = clip(
            text,
            max(LEAST, (width - line.indent) * line.lines - len(line.lead) - 10 * (line.lines > 1)),
        )
    words = Words(no_wrap=line.whole, overflow="ignore" if line.whole else "fold")
    lead = one_line(line.lead) + line.lead[len(line.lead.rstrip()) :] if line.lead else ""
    words.append(lead, _style(line.lead_style)).append(text, _style(style))
    return Padding(words, (0, 0, 0, line.indent), expand=False) if line.indent else words


def _figures(block: b.Figures) -> Iterator[RenderableType]:
    if block.title:
        yield Words(one_line(block.title), "bold")
    room = max((len(row.label) for row in block.rows), default=0)
    for row in block.rows:
        span = f" ({span_written(row.interval, row.form)})" if row.interval is not None else ""
        yield Words(f"{row.label:<{room}}  {written(row.value, row.form)}{span}")


# tables


def _table(block: b.Table, width: int) -> Iterator[RenderableType]:
    shown = [column for column in block.columns if column.shown(width)]
    for place, columns in enumerate(_split(block, shown, width) if block.wide else [shown]):
        if place:
            yield ""
        if block.title:
            yield Words(one_line(f"{block.title} (continued)" if place else block.title), "bold")
        yield _grid(block, columns, width)
    legend = [column.legend for column in shown if column.legend]
    for said in [*([" · ".join(legend)] if legend else []), *block.said]:
        yield Words(one_line(said), "dim")


def _grid(block: b.Table, columns: Sequence[b.Column], width: int) -> table.Table:
    made = table.Table(
        box=box.SIMPLE_HEAD,
        padding=(0, 1) if width >= ROOMY else (0, 0),
        collapse_padding=True,
        pad_edge=False,
        show_edge=False,
    )
    for column in columns:
        head = _head(column)
        _add(made, column, head, text=column.form in TEXTS)
        if _apart(column, width):
            _add(made, column, "\n" * head.count("\n") + "95% CI", text=False)
    indent = "  " * any(isinstance(row, str) for row in block.rows)
    for place, row in enumerate(block.rows):
        made.add_row(*_cells(columns, row, width, indent), end_section=place == block.rule)
    return made


def _split(block: b.Table, columns: Sequence[b.Column], width: int) -> list[list[b.Column]]:
    """As many columns in each table as there is room for, as evenly as can be; the first is in all
    of them."""
    gap = 2 if width >= ROOMY else 1
    first, *rest = (
        [_with_interval(column, row, width)[0] for row in block.rows] for column in columns
    )
    label, *heads = ([Words(line) for line in _head(column).split("\n")] for column in columns)
    sizes = [
        _within(max(map(_widest, pair)), column) + gap
        for pair, column in zip(zip(rest, heads, strict=True), columns[1:], strict=True)
    ]
    names = _within(max(_widest(first), _widest(label)), columns[0])
    fitting = max(1, (width - names) // max(sizes, default=1))
    tables = -(-len(sizes) // fitting)
    size = -(-len(sizes) // max(1, tables))
    return [
        [columns[0], *columns[1 + at : 1 + at + size]] for at in range(0, len(sizes), size)
    ] or [[*columns]]


def _within(size: int, column: b.Column) -> int:
    return min(size, column.room) if column.room else size


def _widest(cells: Sequence[Words]) -> int:
    return max((line.cell_len for cell in cells for line in cell.split("\n")), default=0)


def _apart(column: b.Column, width: int) -> bool:
    return bool(column.interval) and column.form != "bar" and width >= column.apart


def _head(column: b.Column) -> str:
    """The head of a column, harmless, on as many lines as it has."""
    return "\n".join(one_line(line) for line in column.head.split("\n"))


def _add(made: table.Table, column: b.Column, head: str, *, text: bool) -> None:
    folds = column.room > 0 or (text and (column.fold or column.cut))
    made.add_column(
        Words(head),
        justify="left" if text else "right",
        no_wrap=not folds,
        max_width=column.room or None,
        overflow="fold" if folds else "ellipsis",
    )


def _cells(shown: Sequence[b.Column], row: Any, width: int, indent: str) -> Iterator[Words]:
    """The cells of a row; of a heading only the first."""
    if isinstance(row, str):
        yield Words(one_line(row), "bold")
        return
    for place, column in enumerate(shown):
        words, *more = _with_interval(column, row, width)
        yield Words(indent).append_text(words) if indent and place == 0 else words
        yield from more


def _with_interval(column: b.Column, row: Any, width: int) -> list[Words]:
    """A value and its interval: in a column of its own, under it, or left out."""
    words = _cell(column, row)
    if not column.interval or column.form == "bar":
        return [words]
    span = span_written(b.value_of(row, column.interval), column.form)
    if _apart(column, width):
        return [words, Words(span)]
    return [words.append(f"\n{span}", "dim") if column.under else words]


def _cell(column: b.Column, row: Any) -> Words:
    value = b.value_of(row, column.key)
    if column.form == "bar":
        interval = b.value_of(row, column.interval)
        return _bar(column, value, interval)
    cell = value if isinstance(value, b.Cell) else b.Cell(value)
    text = written(cell.value, column.form)
    words = Words(f"{text}{cell.sign}", _style(cell.style or column.style))
    for line in cell.more:
        words.append(f"\n{one_line(line)}", "dim")
    if column.cut:
        words.no_wrap, words.overflow = True, "ellipsis"
    return words


def _bar(column: b.Column, value: float | None, interval: Any) -> Words:
    """Up to the value, with its interval; see `figures.BAR_LEGEND`."""
    if value is None:
        return Words()
    low, high = column.scale
    points = (*(interval or (value, value)), value)
    first, last, middle = ((point - low) / (high - low) for point in points)
    bar = figures.bar(middle, (first, last), BAR)
    return Words(bar, _style(column.style or "accuracy"))
