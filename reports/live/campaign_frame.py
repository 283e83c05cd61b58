"""The live screen of a campaign, fitted to the terminal. Pure: states, a tempo and a gauge give
rows."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from statistics import fmean

from ...state.campaign import CellState, CellStatus
from ..page import figures
from ..page.forms import span_written, written
from ..page.rows import Row, between, cell_len, clip_left, fit, pad, row_width
from ..page.sanitise import model_name, one_line
from ..views.campaign import STANDINGS, by_reason, complete_words, measure, named, spent
from ..views.steps import flow
from .gauge import Gauge, footer_row
from .pace import Tempo, share_of
from .screen import progress_row

FAILURES, NEWEST = 4, 6
"""Rows of failures, and of what has ended last, at most."""
LABEL, COUNT = 28, 8
"""Cells of a model's name at most, and of each column."""
COUNTED: Sequence[CellStatus] = ("complete", "running", "failed", "waiting")
LONG_AGO = datetime.min.replace(tzinfo=UTC)


def campaign_frame(
    states: Sequence[CellState], tempo: Tempo, gauge: Gauge, width: int, height: int
) -> list[Row]:
    """The screen in at most `height` rows of at most `width` cells."""
    going = any(not state.over for state in states)
    if gauge.stopping is not None:
        gauge = replace(gauge, stopping=sum(state.status == "running" for state in states))
        going = bool(gauge.stopping)
    foot = footer_row(
        gauge,
        width,
        unit="cell",
        going=going,
        more="Ctrl-C to stop",
    )
    badge: Row = []
    if any(state.simulated for state in states):
        badge = [(" SIMULATED ", "badge")]
    told = [complete_words(states)[0], *time_words(tempo)]
    bar = progress_row(share_of(states), told, max(1, width - row_width(badge) - len(badge)))
    top = [between(bar, badge, width), *flow(call_words(states, tempo, gauge), width), []]
    room = height - 1 - len(top)
    failures = failure_rows(states)[: max(0, min(FAILURES, room // 4))]
    newest = newest_rows(states)[: max(0, min(NEWEST, room // 3))]
    models = model_rows(states, max(0, room - len(failures) - len(newest)))
    rows = [*top, *models, *failures, *newest]
    return [fit(row, width) for row in [*rows[: height - 1], foot]]


def time_words(tempo: Tempo) -> list[str]:
    """How long it has taken, and may still take."""
    left = "" if tempo.left_s is None else f"about {figures.roughly(tempo.left_s)} left"
    return [f"{figures.roughly(tempo.elapsed_s)} elapsed", *filter(None, [left])]


def call_words(states: Sequence[CellState], tempo: Tempo, gauge: Gauge) -> list[str]:
    """What it has cost, of what it may, and how fast calls are made."""
    budget = f" of {figures.money(gauge.budget_usd)}" if gauge.budget_usd is not None else ""
    made = sum(state.calls for state in states)
    calls = (
        figures.count(made, "call")
        if gauge.max_calls is None
        else f"{made:,} of {gauge.max_calls:,} calls"
    )
    rate = f" ({tempo.calls_per_minute:,.0f} a minute)" if tempo.calls_per_minute >= 1 else ""
    refused = f"rate limit hit {figures.count(gauge.refused, 'time')}" if gauge.refused else ""
    return [spent(states) + budget, calls + rate, *filter(None, [refused])]


def model_rows(states: Sequence[CellState], height: int) -> list[Row]:
    """A row for each model and method: how many of its cells stand how, and the mean of what they
    have measured so far; those without a row are counted."""
    groups: dict[tuple[str, str], list[CellState]] = {}
    for state in states:
        key = (state.target, state.method)
        groups.setdefault(key, []).append(state)
    room = height - 1 if len(groups) < height else max(0, height - 2)
    shown = [*groups][:room]
    if not shown:
        return []
    label = min(LABEL, max(cell_len(_label(*group)) for group in shown))
    heads = [pad(f"{STANDINGS[each].told}", COUNT, right=True) for each in COUNTED]
    head = " ".join([" " * label, *heads, "  so far"])
    rows: list[Row] = [[(head, "head")]]
    rows += [_model_row(_label(*group), groups[group], label) for group in shown]
    more = len(groups) - len(shown)
    if more:
        rows.append([(f"… {figures.count(more, 'more model')}", "quiet")])
    return rows


def _label(target: str, method: str) -> str:
    return f"{clip_left(model_name(target), LABEL - 9)} · {one_line(method)}"


def _model_row(name: str, cells: Sequence[CellState], label: int) -> Row:
    counts = Counter(cell.status for cell in cells)
    told = [pad(f"{counts[each]:,}", COUNT, right=True) for each in COUNTED]
    values = [cell.figure for cell in cells if cell.figure is not None]
    what, form = measure(cells[0].method)
    mean = f"  {what} {written(fmean(values), form)}" if values else ""
    return [(" ".join([pad(name, label), *told]), ""), (mean, "title")]


def failure_rows(states: Sequence[CellState]) -> list[Row]:
    """The newest failures, those of one reason on one row."""
    sign, _, style, _ = STANDINGS["failed"]
    rows: list[Row] = []
    for reason, cells in by_reason(_newest(states, "failed")).items():
        times = f"{len(cells):,} × " if len(cells) > 1 else ""
        rows.append([(f"{sign} {times}{reason}", style)])
    return rows


def newest_rows(states: Sequence[CellState]) -> list[Row]:
    """What the cells have measured that came to their end last, each with its 95% interval."""
    sign, _, style, _ = STANDINGS["complete"]
    rows: list[Row] = []
    for state in _newest(states, "complete")[:NEWEST]:
        figure = (_figure(state), "title")
        rows.append([(f"{sign} ", style), figure, (f"  {named(state, LABEL)}", "quiet")])
    return rows


def _figure(state: CellState) -> str:
    """`EVD at least 3.21 (95% interval 2.41–4.11)`."""
    name, form = measure(state.method)
    figure = f"{name} {'at least ' if state.at_least else ''}{written(state.figure, form)}"
    if state.interval is None:
        return figure
    return f"{figure} (95% interval {span_written(state.interval, form)})"


def _newest(states: Sequence[CellState], status: CellStatus) -> list[CellState]:
    found = [state for state in states if state.status == status]
    return sorted(found, key=lambda state: state.changed or LONG_AGO, reverse=True)
