"""The runs there are, as a table."""

from collections.abc import Sequence

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


def runs_listing(entries: Sequence[RunEntry], *, width: int) -> Table:
    """One line per run: id, when, method, domain, target, status, EVD with its interval."""
    return table_of(LIST_COLUMNS, entries, width=width)
