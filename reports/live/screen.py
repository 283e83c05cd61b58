"""The live screen: every run's state, fitted to the terminal. Pure: a board, a gauge and a time give rows."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from rich.cells import cell_len

from ..page import figures
from ..page.rows import Row, between, clip, clip_left, fit, pad, row_width
from ..page.sanitise import model_name, one_line
from ..views.deepquestion.screen import deepquestion_block, deepquestion_overview_head, deepquestion_overview_row
from ..views.deepquestion.steps import DEEPQUESTION_LEGEND
from ..views.depthqa.building.progress import BUILD_LEGEND
from ..views.depthqa.building.screen import build_block, build_overview_head, build_overview_row
from ..views.depthqa.screen import DEPTHQA_LEGEND, depthqa_block, depthqa_overview_head, depthqa_overview_row
from ..views.drill.depths import depth_rows
from ..views.eqt.progress import UNIT
from ..views.eqt.screen import EQT_LEGEND, eqt_block, eqt_overview_head, eqt_overview_row
from .blocks import names, notice_rows, spent, state_mark
from .progress import Finished, Progress, RunProgress, Waiting

BLOCK_ROWS = 11
"""Rows below which a run is not worth showing in full beside another."""
NARROW = 70
ECHO = 4
"""Cells left free at the end of the footer, where the cursor rests: a terminal that echoes `^C` there, perhaps twice,
must not break the line, or the frame could no longer be redrawn in its place."""
LEGEND = "○ asked ◐ answered ✓ right ✗ wrong ∅ abstained ? unscored"


@dataclass(frozen=True, slots=True)
class _Stepped:
    """How runs of a method that works in steps are shown."""

    head: Callable[[int], Row]
    row: Callable[[RunProgress, datetime, int], Row]
    block: Callable[[RunProgress, Any, datetime, int, int], list[Row]]
    legend: str


_STEPPED = {
    "eqt": _Stepped(eqt_overview_head, eqt_overview_row, eqt_block, EQT_LEGEND),
    "depthqa": _Stepped(depthqa_overview_head, depthqa_overview_row, depthqa_block, DEPTHQA_LEGEND),
    "depthqa_build": _Stepped(build_overview_head, build_overview_row, build_block, BUILD_LEGEND),
    "deepquestion": _Stepped(
        deepquestion_overview_head, deepquestion_overview_row, deepquestion_block, DEEPQUESTION_LEGEND
    ),
}


@dataclass(frozen=True, slots=True)
class Gauge:
    """The model calls of all endpoints of this launch at one moment."""

    in_flight: int
    peak: int
    queued: int
    capacity: int
    stopping: int | None = None
    """Probes (or steps) still in flight once the launch was told to stop; None before that."""


def frame(progress: Progress, gauge: Gauge, now: datetime, focus: Sequence[str], width: int, height: int) -> list[Row]:
    """The screen in at most `height` rows of at most `width` cells. `focus`: ids of the runs to show in full."""
    runs = list(progress.runs.values())
    foot = [footer(runs, gauge, width)]
    room = height - len(foot)
    if not runs:
        return [fit([("waiting for the first run", "quiet")], width), *foot][:height]
    rows: list[Row] = []
    if len(runs) > 1:
        rows += overview(runs, now, width, max(2, room - BLOCK_ROWS if room > 2 * BLOCK_ROWS else room // 2))
    shown = [progress.runs[run_id] for run_id in focus if run_id in progress.runs]
    for index, run in enumerate(shown):
        left = room - len(rows)
        share = left // (len(shown) - index)
        if share < 3:
            break
        rows += block(run, now, width, share, spaced=bool(rows))
    return [fit(row, width) for row in [*rows[:room], *foot]]


def focus_room(runs: int, height: int) -> int:
    """How many runs can be shown in full on a screen `height` rows high."""
    return 1 if runs < 2 else max(1, (height - runs - 3) // (BLOCK_ROWS + 4))


def overview(runs: Sequence[RunProgress], now: datetime, width: int, height: int) -> list[Row]:
    """One row per run; when there are too many, finished ones are counted in place of shown."""
    chosen = list(runs)
    hidden = 0
    if len(runs) + 1 > height:
        room = max(1, height - 2)
        active = [run for run in runs if run.finished is None] + [run for run in runs if run.finished is not None]
        kept = {run.run_id for run in active[:room]}
        chosen = [run for run in runs if run.run_id in kept]
        hidden = len(runs) - len(chosen)
    head, row = _overview_of(runs)
    rows = [head(width), *(row(run, now, width) for run in chosen)]
    if hidden:
        finished = sum(run.finished is not None for run in runs)
        rows.append([(f"  … {figures.count(hidden, 'more run')}; {finished} of {len(runs)} finished", "quiet")])
    return rows[:height]


def _overview_of(
    runs: Sequence[RunProgress],
) -> tuple[Callable[[int], Row], Callable[[RunProgress, datetime, int], Row]]:
    """How several runs are shown in a row each; the runs of one launch are of one method."""
    shown = _stepped(runs)
    return (shown.head, shown.row) if shown else (_overview_head, _overview_row)


def _stepped(runs: Sequence[RunProgress]) -> _Stepped | None:
    """How these runs are shown when their method works in steps; None of drills."""
    return next((_STEPPED[run.method] for run in runs if run.steps is not None), None)


def _name_width(width: int) -> int:
    return max(8, width - 41)


def _overview_head(width: int) -> Row:
    line = f"  {pad('run', _name_width(width))} {'depth':>5} {'probes':>6} {'A':>5} {'S':>5} {'EVD':>6} {'time':>6}"
    return fit([(line, "head")], width)


def _overview_row(run: RunProgress, now: datetime, width: int) -> Row:
    mark, style = state_mark(run)
    last = run.rows[max(run.rows)] if run.rows else None
    depth = run.open.depth if run.open else last.depth if last else 0
    numbers = (
        f"{depth or '–':>5} {run.probes:>6} {figures.percent(last.accuracy) if last else '–':>5} "
        f"{figures.percent(last.survival) if last else '–':>5} {_evd(run):>6} "
        f"{figures.duration(run.elapsed_s(now)):>6}"
    )
    name = pad(" · ".join(names(run)), _name_width(width))
    return fit([(f"{mark} ", style), (name, ""), (" " + numbers, "")], width)


def _evd(run: RunProgress) -> str:
    return figures.evd(run.evd, censored=run.finished is not None and run.finished.stop_reason != "threshold")


def block(run: RunProgress, now: datetime, width: int, height: int, *, spaced: bool) -> list[Row]:
    """One run in full, in at most `height` rows."""
    rows: list[Row] = [[("", "")]] if spaced else []
    if shown := _stepped([run]):
        return [*rows, *shown.block(run, run.steps, now, width, height - len(rows))]
    rows += [_title(run, width), _status(run, now, width)]
    left = height - len(rows)
    notices = notice_rows(run, left, width)
    left -= len(notices)
    depths = len(run.rows) + (run.open is not None)
    table = depth_rows(run, width, max(min(depths + 1, left * 3 // 5), left - _probe_count(run)))
    return [*rows, *table, *_probes(run, now, width, left - len(table)), *notices][:height]


def _probe_count(run: RunProgress) -> int:
    return len(run.newest) + len(run.waiting)


def _title(run: RunProgress, width: int) -> Row:
    subject, *others = names(run)
    row: Row = [(subject, "title"), *((f" · {name}", "") for name in others)]
    if run.spec is not None:
        row.append((f" · evaluator {model_name(run.spec.evaluator)}", "quiet"))
        if run.spec.judge != run.spec.evaluator:
            row.append((f" · judge {model_name(run.spec.judge)}", "quiet"))
    badge: Row = [(" SIMULATED ", "badge")] if run.simulated else []
    return between(row, badge, width) if badge else fit(row, width)


def _status(run: RunProgress, now: datetime, width: int) -> Row:
    time = figures.duration(run.elapsed_s(now))
    spend = f"{run.spend.input_tokens + run.spend.output_tokens:,} tokens · {spent(run)}"
    if run.finished is not None:
        done = run.finished
        threshold = run.spec.threshold if run.spec else None
        where = figures.ended(done.status, one_line(done.stop_reason), threshold)
    elif run.open is not None:
        where = f"depth {run.open.depth}, {run.open.scored} of {run.open.slots} scored"
    else:
        where = "opening" if not run.rows else "between depths"
    evd = "" if run.evd is None else f"EVD {'so far ' if run.finished is None else ''}{_evd(run)}"
    if run.finished is not None and run.finished.evd_ci is not None:
        evd += f" ({figures.span(run.finished.evd_ci)})"
    return fit([(figures.joined([where, evd, time, spend]), "")], width)


def _probes(run: RunProgress, now: datetime, width: int, room: int) -> list[Row]:
    """In flight in at most a third of the room (all of it while nothing is finished), then the newest finished."""
    if room <= 0:
        return []
    waiting = list(run.waiting.values())
    share = max(1, room // 3, room - len(run.newest))
    rows = [_waiting_row(w, now, width) for w in waiting[:share]]
    for done in run.newest:
        if len(rows) >= room:
            break
        rows.append(_finished_row(done, width))
    return rows


def _waiting_row(probe: Waiting, now: datetime, width: int) -> Row:
    since = max(0.0, (now - probe.since).total_seconds()) if probe.since else 0.0
    mark = "◐" if probe.answered else "○"
    return _probe_row((mark, "quiet"), probe.id, probe.chain, probe.question, figures.duration(since), width, "quiet")


def _finished_row(probe: Finished, width: int) -> Row:
    text = probe.question if not probe.note else f"[{probe.note}] {probe.question}"
    mark = (figures.MARKS[probe.mark], probe.mark)
    return _probe_row(mark, probe.id, probe.chain, text, figures.duration(probe.elapsed_s), width, "")


def _probe_row(
    mark: tuple[str, str], id_: str, chain: Sequence[str], question: str, time: str, width: int, style: str
) -> Row:
    place = one_line(figures.place(id_))
    path = " › ".join(one_line(concept) for concept in chain[-3:])
    row: Row = [mark, (f" {place} ", "quiet")]
    room = width - row_width(row) - len(time) - 1
    path = clip_left(path, room // 3 if width >= NARROW else room // 4)
    text = clip(one_line(question[: 8 * width]), max(0, room - cell_len(path) - 2))
    row += [(path, "accuracy"), (": ", "quiet"), (text, style)]
    return between(row, [(time, "quiet")], width)


def footer(runs: Sequence[RunProgress], gauge: Gauge, width: int) -> Row:
    """Calls in flight of capacity, what all runs together have spent, and where there is room what the marks mean.

    Once the launch was told to stop that comes first: whoever pressed Ctrl-C looks for it.
    """
    width = max(1, width - ECHO)
    said, unit = _legend_of(runs)
    queued = f", {gauge.queued} queued" if gauge.queued else ""
    parts = [f"calls in flight {gauge.in_flight} of {gauge.capacity} (peak {gauge.peak}{queued})"]
    if len(runs) > 1:
        parts.append(_totals(runs))
    row: Row = [(figures.joined(parts), "quiet")]
    if gauge.stopping is not None and (not runs or any(run.finished is None for run in runs)):
        row = [(stopping_words(gauge.stopping, unit), "warning"), (" · ", "quiet"), *row]
    legend: Row = [(said, "quiet")]
    if row_width(row) + 2 + row_width(legend) <= width:
        return between(row, legend, width)
    return fit(row, width)


def _legend_of(runs: Sequence[RunProgress]) -> tuple[str, str]:
    """What the signs of these runs mean, and what they consist of."""
    shown = _stepped(runs)
    return (shown.legend, UNIT) if shown else (LEGEND, "probe")


def stopping_words(number: int, unit: str = "probe") -> str:
    """What a launch says that was told to stop while so many probes, or other units, are in flight."""
    return f"stopping: {figures.count(number, unit)} in flight, Ctrl-C again to leave now"


def _totals(runs: Sequence[RunProgress]) -> str:
    known = [run.spend.usd for run in runs if run.spend.usd is not None]
    cost = figures.money(sum(known)) if len(known) == len(runs) else "cost unknown"
    tokens = sum(run.spend.input_tokens + run.spend.output_tokens for run in runs)
    finished = sum(run.finished is not None for run in runs)
    return f"{finished} of {len(runs)} runs finished · {tokens:,} tokens · {cost}"
