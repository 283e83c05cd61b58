"""The runs there are, as a table."""

from collections.abc import Callable, Sequence
from typing import Any

from ...state.worlds import label_of
from ...tools.runs.folders import RunEntry
from . import figures
from .blocks import Cell, Column, Table
from .figures import NONE
from .forms import span_written, written
from .rows import STYLES

_STATUS = {
    "complete": "correct",
    "failed": "wrong",
    "unreadable": "wrong",
    "running": "accuracy",
}
COLUMNS = (
    Column("id", "id"),
    Column("when", "day", since=110),
    Column("method", "method", since=130),
    Column("domain", "domain", cut=True),
    Column("target", "target", cut=True),
    Column("", "simulated", style="badge"),
    Column("launch", "launch", since=100),
    Column("status", "status"),
    Column("result", "figure", "number"),
    Column("95% CI", "interval", "number"),
)
FigureOf = Callable[[str], tuple[str, str]]
"""Method → what its first figure is called, and how it is written."""


def runs_listing(entries: Sequence[RunEntry], figure_of: FigureOf) -> Table:
    """One line per run: what it is about, how it stands, and what it measured first of all with its
    95% interval. A list is read by its lines: no cell is folded."""
    return Table("", COLUMNS, [_row(entry, figure_of) for entry in entries])


def _row(entry: RunEntry, figure_of: FigureOf) -> dict[str, Any]:
    main, (name, form) = entry.main, figure_of(entry.method)
    named = {
        "method": entry.method,
        "domain": entry.domain,
        "target": label_of(entry.target),
    }
    return {
        "id": entry.id,
        "launch": figures.short_id(entry.launch) or NONE,
        "simulated": "SIM" if entry.simulated else "",
        **{name: text or NONE for name, text in named.items()},
        "day": entry.when.strftime("%Y-%m-%d") if entry.when else NONE,
        "status": Cell(entry.status, STYLES[_STATUS.get(entry.status, "abstained")]),
        "figure": f"{name} {'≥' * entry.censored}{written(main.value, form)}" if main else NONE,
        "interval": span_written(main and main.interval, form),
    }
