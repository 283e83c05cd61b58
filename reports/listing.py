"""The runs there are, as a table."""

from collections.abc import Sequence

from rich.table import Table
from rich.text import Text

from ..tools.runs import RunEntry
from . import figures
from .rows import STYLES
from .sanitise import one_line
from .tables import plain_table

_STATUS = {"complete": "correct", "failed": "wrong", "unreadable": "wrong"}


def runs_listing(entries: Sequence[RunEntry]) -> Table:
    """One line per run: id, when, method, domain, target, status, EVD with its interval."""
    table = plain_table(text=("id", "when (UTC)", "method", "domain", "target", "status"), numeric=("EVD", "95 %"))
    for column in (0, 1, 2, 5):
        table.columns[column].no_wrap = True
    for entry in entries:
        target = Text(one_line(entry.target) or "–")
        if entry.simulated:
            target.append(" SIMULATED", STYLES["badge"])
        table.add_row(
            Text(one_line(entry.id)),
            entry.when.strftime("%Y-%m-%d %H:%M") if entry.when else "–",
            Text(one_line(entry.method) or "–"),
            Text(one_line(entry.domain) or "–"),
            target,
            Text(one_line(entry.status), STYLES[_STATUS.get(entry.status, "abstained")]),
            "–" if entry.evd is None else f"{entry.evd:.2f}",
            "–" if entry.evd_ci is None else figures.span(entry.evd_ci),
        )
    return table
