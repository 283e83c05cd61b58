"""The live screen of a campaign, fitted to the terminal. Pure: states, a tempo and a gauge give
rows."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

from ...state.campaign import CellState
from ..page import figures
from ..page.forms import span_written, written
from ..page.rows import Row, between, cell_len, clip, clip_left, fit, pad, row_width
from ..page.sanitise import model_name, one_line
from ..views.campaign import STANDINGS, by_reason, complete_words, measure, spent
from ..views.steps import flow
from .gauge import Gauge, footer_row
from .grid import grid_rows, legend
from .pace import Tempo, share_of
from .screen import progress_row

ROOMY = 20
"""Height from which parts are kept apart by an empty row."""
FAILURES, NEWEST, MOST = 6, 3, 9
"""Rows of failures at most; rows that are left for what has ended last, and at most."""
LONG_AGO = datetime.min.replace(tzinfo=UTC)


def campaign_frame(
    states: Sequence[CellState], tempo: Tempo, gauge: Gauge, width: int, height: int
) -> list[Row]:
    """The screen in at most `height` rows of at most `width` cells."""
    going = any(not state.over for state in states)
    if gauge.stopping is not None:
        gauge = replace(gauge, stopping=sum(state.status == "running" for state in states))
        going = bool(gauge.stopping)
    foot = footer_row(gauge, width, unit="cell", going=going, more="Ctrl-C to stop")
    room = height - 1
    blank: list[Row] = [[("", "")]] if height >= ROOMY else []
    badge: Row = (
        [(" SIMULATED ", "badge")]
        if any(state.simulated for state in states) and width >= 60
        else []
    )
    told = [complete_words(states)[0], *time_words(tempo)]
    bar = progress_row(share_of(states), told, width - row_width(badge) - len(badge))
    top = [
        between(bar, badge, width) if badge else bar,
        *flow(call_words(states, tempo, gauge), width),
        *blank,
    ][:room]
    failures = failure_rows(states, width, min(FAILURES, room // 5))
    key: list[Row] = (
        [[(clip(legend(states), width), "quiet")]] if states and room > len(top) + 4 else []
    )
    grid = grid_rows(
        states,
        width,
        room - len(top) - len(failures) - 3 * len(blank) - len(key) - NEWEST * bool(blank),
    )
    rows = [*top, *grid, *key, *blank, *failures, *(blank if failures else [])]
    rows = [*rows[:room], *newest_rows(states, width, min(MOST, room - len(rows))), foot]
    return [fit(row, width) for row in rows]


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


def failure_rows(states: Sequence[CellState], width: int, height: int) -> list[Row]:
    """The newest failures in at most `height` rows, those of one reason on one."""
    sign, _, style, _ = STANDINGS["failed"]
    rows: list[Row] = []
    for reason, cells in [*by_reason(_newest(states, "failed")).items()][: max(0, height)]:
        times = f"{len(cells):,} × " if len(cells) > 1 else ""
        who = f"{'last ' if times else ''}{_called(cells[0], width * 2 // 5)}"
        rows.append(
            between(
                [(f"{sign} {times}", style), (clip(reason, width), style)], [(who, "quiet")], width
            )
        )
    return rows


def newest_rows(states: Sequence[CellState], width: int, height: int) -> list[Row]:
    """What the cells have measured that came to their end last, each with its 95% interval."""
    sign, _, style, _ = STANDINGS["complete"]
    newest = _newest(states, "complete")[: max(0, height)]
    figures_ = [_figure(state) for state in newest]
    size = max(map(cell_len, figures_), default=0)
    rows = zip(newest, figures_, strict=True)
    return [
        [
            (f"{sign} ", style),
            (pad(figure, size), "title"),
            (f"  {_called(state, max(1, width - size - 4))}", "quiet"),
        ]
        for state, figure in rows
    ]


def _figure(state: CellState) -> str:
    """`EVD at least 3.21 (95% interval 2.41–4.11)`."""
    name, form = measure(state.method)
    span = (
        f" (95% interval {span_written(state.interval, form)})"
        if state.interval is not None
        else ""
    )
    return f"{name} {'at least ' if state.at_least else ''}{written(state.figure, form)}{span}"


def _newest(states: Sequence[CellState], status: str) -> list[CellState]:
    found = [state for state in states if state.status == status]
    return sorted(found, key=lambda state: state.changed or LONG_AGO, reverse=True)


def _called(state: CellState, room: int) -> str:
    """`Physics · gpt-5 · seed 7`, the names cut to that room: what tells them apart is kept."""
    seed = "" if state.seed is None else f"seed {state.seed}"
    names, domain, model = (
        max(8, room - len(seed) - 6),
        one_line(state.domain),
        model_name(state.target),
    )
    domain = clip(domain, max(names // 2, names - cell_len(model)))
    return clip(figures.joined([domain, clip_left(model, names - cell_len(domain)), seed]), room)
