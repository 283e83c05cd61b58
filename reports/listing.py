"""The runs there are, as a table."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from rich.table import Table
from rich.text import Text

from ..tools.runs import RunEntry
from . import figures
from .rows import STYLES
from .sanitise import one_line
from .tables import Column, table_of

_STATUS = {"complete": "correct", "failed": "wrong", "unreadable": "wrong"}


def _target(entry: RunEntry) -> Text:
    target = Text(one_line(entry.target) or "–")
    return target.append(" SIMULATED", STYLES["badge"]) if entry.simulated else target


def _when(entry: RunEntry, form: str) -> str:
    return entry.when.strftime(form) if entry.when else "–"


LIST_COLUMNS: tuple[Column[RunEntry], ...] = (
    Column("id", lambda e: one_line(e.id), text=True, fixed=True),
    Column("when (UTC)", lambda e: _when(e, "%Y-%m-%d %H:%M"), since=90, text=True, fixed=True),
    Column("when", lambda e: _when(e, "%Y-%m-%d"), since=70, until=90, text=True, fixed=True),
    Column("method", lambda e: one_line(e.method) or "–", since=90, text=True, fixed=True),
    Column("domain", lambda e: one_line(e.domain) or "–", text=True),
    Column("target", _target, text=True),
    Column(
        "status",
        lambda e: Text(one_line(e.status), STYLES[_STATUS.get(e.status, "abstained")]),
        text=True,
        fixed=True,
    ),
    Column("EVD", lambda e: figures.evd(e.evd, censored=e.censored)),
    Column("95 %", lambda e: "–" if e.evd_ci is None else figures.span(e.evd_ci)),
)


LAUNCH_COLUMN: Column[RunEntry] = Column("launch", lambda e: one_line(e.launch), since=105, text=True, fixed=True)


def runs_listing(entries: Sequence[RunEntry], *, width: int) -> Table:
    """One line per run: id, when, method, domain, target, status, EVD with its interval.

    Where a launch has several of the runs and there is room, those bear its id too.
    """
    runs = Counter(entry.launch for entry in entries if entry.launch)
    shared = [replace(entry, launch=entry.launch if runs[entry.launch] > 1 else "") for entry in entries]
    columns = LIST_COLUMNS
    if any(entry.launch for entry in shared):
        columns = (LIST_COLUMNS[0], LAUNCH_COLUMN, *LIST_COLUMNS[1:])
    return table_of(columns, shared, width=width)
