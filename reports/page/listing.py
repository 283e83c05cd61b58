"""The runs there are, as a table."""

from collections.abc import Sequence
from typing import Any

from ...state.result import Interval
from ...state.worlds import label_of
from ...tools.runs.folders import RunEntry
from ...tools.runs.listed import USUAL_LOAD
from . import figures
from .blocks import Cell, Column, Table
from .rows import STYLES
from .sanitise import one_line

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
    Column("result", "found", "number"),
    Column("95% CI", "ends", "number"),
)


def runs_listing(entries: Sequence[RunEntry]) -> Table:
    """One line per run: id, when, method, domain, target, status, and what was measured with its
    95% interval: EVD, accuracy (and ACS), mean score (and at D3), or accuracy on originals (and in
    Q2S and Q2I). A list is read by its lines: no cell is folded."""
    return Table("", COLUMNS, [_row(entry) for entry in entries])


def _row(entry: RunEntry) -> dict[str, Any]:
    named = {
        "method": entry.method,
        "domain": entry.domain,
        "target": label_of(entry.target),
    }
    return {
        "id": entry.id,
        "launch": figures.short_id(entry.launch) if entry.launch else figures.NONE,
        "simulated": "SIM" if entry.simulated else "",
        **{name: text or figures.NONE for name, text in named.items()},
        "day": entry.when.strftime("%Y-%m-%d") if entry.when else figures.NONE,
        "status": Cell(entry.status, STYLES[_STATUS.get(entry.status, "abstained")]),
        "found": _found(entry),
        "ends": _ends(entry),
    }


def _found(entry: RunEntry) -> str:
    """`EVD 4.62`, `71% ACS .92`, `mean 3.82 D3 3.60`, or `88% Q2S 75% Q2I 53%`."""
    if entry.original is not None:
        load = "" if entry.q2s_load == USUAL_LOAD else one_line(entry.q2s_load)
        further = (("Q2S", entry.q2s, load), ("Q2I", entry.q2i, ""))
        said = [
            figures.joined([f"{n} {figures.percent(share)}", of], " ")
            for n, share, of in further
            if share is not None
        ]
        return figures.joined([figures.percent(entry.original), *said], " ")
    if entry.mean is not None:
        of_d3 = f" D3 {figures.number(entry.mean_d3)}" if entry.mean_d3 is not None else ""
        return f"mean {figures.number(entry.mean)}{of_d3}"
    if entry.evd is not None:
        return f"EVD {figures.evd(entry.evd, censored=entry.censored)}"
    parts = ["" if entry.accuracy is None else figures.percent(entry.accuracy)]
    return (
        figures.joined(
            [*parts, "" if entry.acs is None else f"ACS {figures.score(entry.acs)}"], " "
        )
        or figures.NONE
    )


def _ends(entry: RunEntry) -> str:
    depths: Interval | None = entry.mean_ci or entry.evd_ci
    return (
        figures.span(depths)
        if depths
        else figures.percent_span(entry.original_ci or entry.accuracy_ci)
    )
