"""The runs there are, as a table."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from rich.table import Table
from rich.text import Text

from ...state.worlds import label_of
from ...tools.runs.folders import RunEntry
from ...tools.runs.listed import BUILD, DEEPQUESTION, DEPTHQA, EQT, USUAL_LOAD
from . import figures
from .rows import STYLES
from .sanitise import one_line
from .tables import Column, table_of

INTERVALS, D3 = 60, 50
"""Widths from which intervals, and the mean score at D3, are shown: what was measured must not be cut for them."""
_STATUS = {"complete": "correct", "failed": "wrong", "unreadable": "wrong", "running": "accuracy"}


def _cut(text: str) -> Text:
    """On one line, however narrow its column: a list is read by its lines."""
    return Text(one_line(text) or "–", no_wrap=True, overflow="ellipsis")


def _badge(entry: RunEntry, word: str) -> Text:
    return Text(word if entry.simulated else "", STYLES["badge"] if entry.simulated else "")


def _when(entry: RunEntry, form: str) -> str:
    return entry.when.strftime(form) if entry.when else "–"


LIST_COLUMNS: tuple[Column[RunEntry], ...] = (
    Column("id", lambda e: one_line(e.id), text=True, fixed=True),
    Column("when (UTC)", lambda e: _when(e, "%Y-%m-%d %H:%M"), since=105, text=True, fixed=True),
    Column("when", lambda e: _when(e, "%Y-%m-%d"), since=70, until=105, text=True, fixed=True),
    Column("method", lambda e: one_line(e.method) or "–", since=90, text=True, fixed=True),
    Column("domain", lambda e: _cut(e.domain), text=True),
    Column("target", lambda e: _cut(label_of(e.target)), text=True),
    Column(
        "status",
        lambda e: Text(one_line(e.status), STYLES[_STATUS.get(e.status, "abstained")]),
        text=True,
        fixed=True,
    ),
)
EVD_COLUMNS: tuple[Column[RunEntry], ...] = (
    Column("EVD", lambda e: figures.evd(e.evd, censored=e.censored)),
    Column("95% CI", lambda e: figures.span(e.evd_ci), since=INTERVALS),
)


EQT_COLUMNS: tuple[Column[RunEntry], ...] = (
    Column("accuracy", lambda e: figures.percent(e.accuracy)),
    Column("95% CI", lambda e: figures.percent_span(e.accuracy_ci), since=INTERVALS),
    Column("ACS", lambda e: figures.score(e.acs)),
    Column("95% CI", lambda e: figures.score_span(e.acs_ci), since=120),
)
DEPTHQA_COLUMNS: tuple[Column[RunEntry], ...] = (
    Column("mean", lambda e: figures.number(e.mean)),
    Column("95% CI", lambda e: figures.span(e.mean_ci), since=INTERVALS),
    Column("D3", lambda e: figures.number(e.mean_d3), since=D3),
    Column("95% CI", lambda e: figures.span(e.mean_d3_ci), since=120),
)


def _q2s(entry: RunEntry) -> str:
    """`75%`, of the load that is usual; `70% many` of another, which is another task."""
    if entry.q2s is None:
        return "–"
    load = "" if entry.q2s_load == USUAL_LOAD else one_line(entry.q2s_load)
    return figures.joined([figures.percent(entry.q2s), load], " ")


DEEP_COLUMNS: tuple[Column[RunEntry], ...] = (
    Column("original", lambda e: figures.percent(e.original)),
    Column("95% CI", lambda e: figures.percent_span(e.original_ci), since=120),
    Column("Q2S", _q2s),
    Column("95% CI", lambda e: figures.percent_span(e.q2s_ci), since=90),
    Column("Q2I", lambda e: figures.percent(e.q2i)),
    Column("95% CI", lambda e: figures.percent_span(e.q2i_ci), since=90),
)
BOTH, WIDE = 130, 150
"""Width from which runs of two methods in one list have columns of their own, and where one of them is DepthQA or
DeepQuestion; below they share theirs, as three do."""


def _found(entry: RunEntry, *, deepest: bool = True) -> str:
    """`EVD 4.62`, `71% ACS .92`, `mean 3.82 D3 3.60`, or `88% Q2S 75% Q2I 53%`; without the `deepest` only the
    first."""
    if entry.original is not None:
        further = (("Q2S", entry.q2s, _q2s(entry)), ("Q2I", entry.q2i, figures.percent(entry.q2i))) if deepest else ()
        said = [f"{name} {told}" for name, share, told in further if share is not None]
        return figures.joined([figures.percent(entry.original), *said], " ")
    if entry.mean is not None:
        of_d3 = f" D3 {figures.number(entry.mean_d3)}" if deepest and entry.mean_d3 is not None else ""
        return f"mean {figures.number(entry.mean)}{of_d3}"
    if entry.evd is not None:
        return f"EVD {figures.evd(entry.evd, censored=entry.censored)}"
    parts = ["" if entry.accuracy is None else figures.percent(entry.accuracy)]
    return figures.joined([*parts, "" if entry.acs is None else f"ACS {figures.score(entry.acs)}"], " ") or "–"


def _ends(entry: RunEntry) -> str:
    if entry.mean_ci is not None:
        return figures.span(entry.mean_ci)
    if entry.evd_ci is not None:
        return figures.span(entry.evd_ci)
    return figures.percent_span(entry.original_ci or entry.accuracy_ci)


SHARED_COLUMNS: tuple[Column[RunEntry], ...] = (
    Column("result", lambda e: _found(e, deepest=False), until=INTERVALS),
    Column("result", _found, since=INTERVALS),
    Column("95% CI", _ends, since=INTERVALS),
)


def _numbers(entries: Sequence[RunEntry], width: int) -> tuple[Column[RunEntry], ...]:
    """The columns of what was measured."""
    own = {EQT: EQT_COLUMNS, DEPTHQA: DEPTHQA_COLUMNS, DEEPQUESTION: DEEP_COLUMNS}
    held = dict.fromkeys(own.get(entry.method, EVD_COLUMNS) for entry in entries if entry.method != BUILD)
    kinds = [columns for columns in (EVD_COLUMNS, *own.values()) if columns in held]
    if len(kinds) < 2:
        return kinds[0] if kinds else EVD_COLUMNS
    room = WIDE if held.keys() & {DEPTHQA_COLUMNS, DEEP_COLUMNS} else BOTH
    return (*kinds[0], *kinds[1]) if len(kinds) == 2 and width >= room else SHARED_COLUMNS


BADGE_COLUMNS: tuple[Column[RunEntry], ...] = (
    Column("", lambda e: _badge(e, "SIM"), until=130, text=True, fixed=True),
    Column("", lambda e: _badge(e, "SIMULATED"), since=130, text=True, fixed=True),
)
LAUNCH_BESIDE = 4
"""Columns of numbers beside which a launch's id has room before the screen is wide."""
LAUNCH_COLUMN: Column[RunEntry] = Column("launch", lambda e: one_line(e.launch), since=105, text=True, fixed=True)


def runs_listing(entries: Sequence[RunEntry], *, width: int) -> Table:
    """One line per run: id, when, method, domain, target, status, and what was measured: EVD, accuracy and ACS, mean
    scores, or accuracy on originals, in Q2S and Q2I, with their intervals.

    Of these only what some run of the list can have. Where a launch has several of the runs and there is room,
    those bear its id too.
    """
    runs = Counter(entry.launch for entry in entries if entry.launch)
    shared = [replace(entry, launch=entry.launch if runs[entry.launch] > 1 else "") for entry in entries]
    numbers = _numbers(entries, width)
    first, *rest, status = LIST_COLUMNS
    with_launch = any(entry.launch for entry in shared) and (len(numbers) <= LAUNCH_BESIDE or width >= WIDE)
    badge = BADGE_COLUMNS if any(entry.simulated for entry in entries) else ()
    columns = [first, *([LAUNCH_COLUMN] if with_launch else []), *rest, *badge, status, *numbers]
    return table_of(columns, shared, width=width)
