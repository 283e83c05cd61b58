"""The pattern of all tables: columns that each say how a row fills them and how wide a screen they need."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from rich import box
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from .sanitise import one_line

RowT = TypeVar("RowT")
ROOMY = 96
"""Width from which columns stand two cells apart."""


@dataclass(frozen=True, slots=True)
class Column(Generic[RowT]):
    """One column of a table."""

    head: str
    cell: Callable[[RowT], str | Text]
    """Foreign text must be harmless already (`sanitise`); it is never read as markup."""
    since: int = 0
    """Width of the screen from which the column is shown."""
    until: int | None = None
    """Width from which it is no longer shown, because another takes its place."""
    text: bool = False
    """Text is flush left and may be folded; numbers are flush right and never are."""
    fixed: bool = False
    """Text that is never folded."""

    def shown(self, width: int) -> bool:
        return width >= self.since and (self.until is None or width < self.until)


def table_of(columns: Sequence[Column[RowT]], rows: Sequence[RowT], *, width: int, title: str = "") -> Table:
    """The rows under the columns that are shown on a screen `width` cells wide."""
    shown = [column for column in columns if column.shown(width)]
    table = Table(
        box=box.SIMPLE_HEAD,
        title=Text(title) if title else None,
        title_justify="left",
        title_style="bold",
        padding=(0, 1) if width >= ROOMY else (0, 0),
        collapse_padding=True,
        pad_edge=False,
        show_edge=False,
    )
    for column in shown:
        fixed = column.fixed or not column.text
        table.add_column(
            Text(column.head),
            justify="left" if column.text else "right",
            no_wrap=fixed,
            overflow="ellipsis" if fixed else "fold",
        )
    for row in rows:
        cells = (column.cell(row) for column in shown)
        table.add_row(*(Text(cell) if isinstance(cell, str) else cell for cell in cells))
    return table


def under(title: str, table: Table) -> list[RenderableType]:
    """A table under its title, which would be folded to the table's width if it were the table's own."""
    return [Text(title, "bold"), table]


def stacked(value: str, span: str) -> Text:
    """A number and under it its interval."""
    return Text.assemble((value, "bold"), "\n", (span, "dim"))


def underline(table: Table, row: int) -> None:
    """A rule below a row, to set the totals apart; nothing for a row that is not there."""
    if 0 <= row < len(table.rows):
        table.rows[row].end_section = True


def listed(title: str, items: Sequence[str]) -> list[RenderableType]:
    """A heading and the items under it, a line each; nothing without any. The items may be foreign text."""
    if not items:
        return []
    return ["", Text(title, "bold"), *(Text("· " + one_line(item)) for item in items)]


def kept_in(folder: Path | None) -> list[RenderableType]:
    """Where the run is. Never folded, and to be printed with crop=False: a path that was cut cannot be copied."""
    return [Text(f"Results: {one_line(str(folder))}", "dim", no_wrap=True, overflow="ignore")] if folder else []
