"""The runs there are, as a table."""

from collections.abc import Callable, Sequence
from typing import Any

from ...state.worlds import label_of
from ...tools.runs.folders import RunEntry
from .blocks import Cell, Column, Table
from .figures import NONE
from .forms import with_interval, written

_STATUS = {
    "complete": "correct",
    "failed": "wrong",
    "unreadable": "wrong",
    "running": "accuracy",
}
COLUMNS = (
    Column("id", "id"),
    Column("domain", "domain", cut=True),
    Column("target", "target", cut=True),
    Column("", "simulated", style="badge"),
    Column("status", "status"),
    Column("result", "figure", "number"),
)
FigureOf = Callable[[str], tuple[str, str]]
"""Method → what its first figure is called, and how it is written."""


def runs_listing(entries: Sequence[RunEntry], figure_of: FigureOf) -> Table:
    """One line per run: what it is about, how it stands, and what it measured first of all with its
    95% interval."""
    return Table("", COLUMNS, [_row(entry, figure_of) for entry in entries])


def _row(entry: RunEntry, figure_of: FigureOf) -> dict[str, Any]:
    main, (name, form) = entry.main, figure_of(entry.method)
    figure = NONE
    if main is not None:
        value = f"{name} {'≥' * entry.censored}{written(main.value, form)}"
        figure = with_interval(value, main.interval, form)
    return {
        "id": entry.id,
        "domain": entry.domain or NONE,
        "target": label_of(entry.target) or NONE,
        "simulated": "SIM" if entry.simulated else "",
        "status": Cell(entry.status, _STATUS.get(entry.status, "abstained")),
        "figure": figure,
    }
