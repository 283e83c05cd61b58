"""The runs there are, as a table."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from ...state.result import Interval
from ...state.worlds import label_of
from ...tools.runs.folders import RunEntry
from ...tools.runs.listed import BUILD, DEEPQUESTION, DEPTHQA, EQT, USUAL_LOAD
from . import figures
from .blocks import Cell, Column, Table
from .rows import STYLES
from .sanitise import one_line

INTERVALS, D3 = 60, 50
"""Widths from which intervals, and the mean score at D3, are shown: what was measured must not be cut for them."""
BOTH, WIDE = 130, 150
"""Width from which runs of two methods in one list have columns of their own, and where one of them is DepthQA or
DeepQuestion; below they share theirs, as three do."""
LAUNCH_BESIDE = 4
"""Columns of numbers beside which a launch's id has room before the screen is wide."""
_STATUS = {"complete": "correct", "failed": "wrong", "unreadable": "wrong", "running": "accuracy"}
OTHER = ""
"""Stands for drills, and for methods that have no columns of their own."""

COLUMNS: Mapping[str, Sequence[Column]] = {
    OTHER: (Column("EVD", "evd", "number", interval="evd_ci", apart=INTERVALS),),
    EQT: (
        Column("accuracy", "accuracy", "percent", interval="accuracy_ci", apart=INTERVALS),
        Column("ACS", "acs", "score", interval="acs_ci", apart=120),
    ),
    DEPTHQA: (
        Column("mean", "mean", "number", interval="mean_ci", apart=INTERVALS),
        Column("D3", "mean_d3", "number", interval="mean_d3_ci", apart=120, since=D3),
    ),
    DEEPQUESTION: (
        Column("original", "original", "percent", interval="original_ci", apart=120),
        Column("Q2S", "q2s", "percent", interval="q2s_ci", apart=90),
        Column("Q2I", "q2i", "percent", interval="q2i_ci", apart=90),
    ),
}
"""Method → what was measured by it."""
SHARED = (
    Column("result", "short", "number", until=INTERVALS),
    Column("result", "found", "number", since=INTERVALS),
    Column("95% CI", "ends", "number", since=INTERVALS),
)
LAUNCH = Column("launch", "launch", since=105)
BADGE = (Column("", "sim", until=130, style="badge"), Column("", "simulated", "badge", since=130, style="badge"))


def runs_listing(entries: Sequence[RunEntry], *, width: int) -> Table:
    """One line per run: id, when, method, domain, target, status, and what was measured: EVD, accuracy and ACS, mean
    scores, or accuracy on originals, in Q2S and Q2I, with their intervals.

    Of these only what some run of the list can have. Where a launch has several of the runs and there is room,
    those bear its id too. A list is read by its lines: no cell is folded.
    """
    runs = Counter(entry.launch for entry in entries if entry.launch)
    numbers = _numbers(entries, width)
    count = sum(1 + bool(column.interval) for column in numbers if column.shown(width))
    several = any(runs[entry.launch] > 1 for entry in entries) and (count <= LAUNCH_BESIDE or width >= WIDE)
    columns = [
        Column("id", "id"),
        *([LAUNCH] if several else []),
        Column("when (UTC)", "minute", since=105),
        Column("when", "day", since=70, until=105),
        Column("method", "method", since=90),
        Column("domain", "domain", cut=True),
        Column("target", "target", cut=True),
        *(BADGE if any(entry.simulated for entry in entries) else ()),
        Column("status", "status"),
        *numbers,
    ]
    return Table("", columns, [_row(entry, runs) for entry in entries])


def _row(entry: RunEntry, runs: Mapping[str, int]) -> dict[str, Any]:
    named = {"method": entry.method, "domain": entry.domain, "target": label_of(entry.target)}
    of_load = "" if entry.q2s is None or entry.q2s_load == USUAL_LOAD else f" {one_line(entry.q2s_load)}"
    measured = ("evd_ci", "accuracy", "accuracy_ci", "acs", "acs_ci", "mean", "mean_ci", "mean_d3", "mean_d3_ci")
    held = ("original", "original_ci", "q2s_ci", "q2i", "q2i_ci", "id", "simulated")
    return {
        **{name: getattr(entry, name) for name in (*measured, *held)},
        **{name: text or figures.NONE for name, text in named.items()},
        "launch": entry.launch if runs[entry.launch] > 1 else "",
        "minute": entry.when.strftime("%Y-%m-%d %H:%M") if entry.when else figures.NONE,
        "day": entry.when.strftime("%Y-%m-%d") if entry.when else figures.NONE,
        "status": Cell(entry.status, STYLES[_STATUS.get(entry.status, "abstained")]),
        "sim": "SIM" if entry.simulated else "",
        "evd": None if entry.evd is None else figures.evd(entry.evd, censored=entry.censored),
        "q2s": f"{figures.percent(entry.q2s)}{of_load}" if of_load else entry.q2s,
        "short": _found(entry, deepest=False),
        "found": _found(entry),
        "ends": _ends(entry),
    }


def _found(entry: RunEntry, *, deepest: bool = True) -> str:
    """`EVD 4.62`, `71% ACS .92`, `mean 3.82 D3 3.60`, or `88% Q2S 75% Q2I 53%`; without the `deepest` only the
    first."""
    if entry.original is not None:
        load = "" if entry.q2s_load == USUAL_LOAD else one_line(entry.q2s_load)
        further = (("Q2S", entry.q2s, load), ("Q2I", entry.q2i, "")) if deepest else ()
        said = [
            figures.joined([f"{n} {figures.percent(share)}", of], " ") for n, share, of in further if share is not None
        ]
        return figures.joined([figures.percent(entry.original), *said], " ")
    if entry.mean is not None:
        of_d3 = f" D3 {figures.number(entry.mean_d3)}" if deepest and entry.mean_d3 is not None else ""
        return f"mean {figures.number(entry.mean)}{of_d3}"
    if entry.evd is not None:
        return f"EVD {figures.evd(entry.evd, censored=entry.censored)}"
    parts = ["" if entry.accuracy is None else figures.percent(entry.accuracy)]
    return figures.joined([*parts, "" if entry.acs is None else f"ACS {figures.score(entry.acs)}"], " ") or figures.NONE


def _ends(entry: RunEntry) -> str:
    depths: Interval | None = entry.mean_ci or entry.evd_ci
    return figures.span(depths) if depths else figures.percent_span(entry.original_ci or entry.accuracy_ci)


def _numbers(entries: Sequence[RunEntry], width: int) -> Sequence[Column]:
    """The columns of what was measured."""
    held = {entry.method if entry.method in COLUMNS else OTHER for entry in entries if entry.method != BUILD}
    kinds = [method for method in COLUMNS if method in held]
    if len(kinds) < 2:
        return COLUMNS[kinds[0] if kinds else OTHER]
    room = WIDE if held & {DEPTHQA, DEEPQUESTION} else BOTH
    return [*COLUMNS[kinds[0]], *COLUMNS[kinds[1]]] if len(kinds) == 2 and width >= room else SHARED
