"""A campaign while it runs: a live screen on a terminal, a few lines in a pipe."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from math import ceil
from statistics import fmean
from typing import NamedTuple

from rich.console import Console

from ...state.campaign import CellState, CellStatus
from ..page import figures
from ..page.forms import written
from ..page.listing import FigureOf
from ..page.rows import Row, between, clip_left, fit
from ..page.sanitise import model_name, one_line
from ..views.campaign import STANDINGS, by_reason, complete_words, headline, named, spent
from ..views.steps import flow, grid
from .display import (
    Display,
    DisplayKind,
    NoDisplay,
    Redrawn,
    can_redraw,
    print_line,
    utc_now,
)
from .screen import Gauge, footer_row, progress_row

LINES, SILENCE = 16, timedelta(minutes=10)
"""Progress lines in a pipe where it goes fast; time after which there is one more."""
REASONS, REASON = 10, 400
"""Different reasons for failures that get a line of their own; characters of each."""
FAILURES, LABEL = 4, 28
"""Rows of failures, and cells of a model's name, at most."""
COUNTED: Sequence[CellStatus] = ("complete", "running", "failed", "waiting")
LONG_AGO = datetime.min.replace(tzinfo=UTC)


class Tempo(NamedTuple):
    """How fast a campaign goes in this session."""

    elapsed_s: float
    """Since the session began."""
    left_s: float | None
    """Seconds it may still take; None while nothing is known of that."""
    calls_per_minute: float


class Campaign:
    """The newest state of every cell, in the order in which they were planned, and the progress of
    this session alone, which begins now.

    With the first state of an attempt a cell tells what it had come to before: that is no progress
    of this session.
    """

    def __init__(self, states: Iterable[CellState], now: Callable[[], datetime]) -> None:
        self._cells = {state.cell: state for state in states}
        self._now, self._began = now, now()
        self._gained, self._calls = 0.0, 0
        """Cells' worth of work done in this session, and calls made in it."""

    @property
    def states(self) -> list[CellState]:
        return [*self._cells.values()]

    def apply(self, state: CellState) -> bool:
        """Take in a newer state of a cell; whether the cell is now over and was not before."""
        before = self._cells.get(state.cell, state)
        self._cells[state.cell] = state
        if state.status != "running" or before.status == "running":
            self._calls += max(0, state.calls - before.calls)
            self._gained += _left(before) - _left(state)
        return state.over and not before.over

    @property
    def tempo(self) -> Tempo:
        """How fast it goes."""
        elapsed_s = (self._now() - self._began).total_seconds()
        left = sum(map(_left, self._cells.values()))
        left_s = left * elapsed_s / self._gained if left and self._gained > 0 else None
        return Tempo(elapsed_s, left_s or None, 60 * self._calls / max(elapsed_s, 1e-9))


def _left(state: CellState) -> float:
    """How much of the cell this session has still to do."""
    return 0.0 if state.over else 1 - state.share


def make_campaign_display(
    kind: DisplayKind,
    states: Sequence[CellState],
    *,
    console: Console,
    gauge: Callable[[], Gauge],
    figure_of: FigureOf,
    now: Callable[[], datetime] = utc_now,
) -> Display:
    """A display of that kind. `states`: of all cells, those waiting that this session is to play;
    `console`: on stderr.

    `tree` is the screen on a terminal that can be redrawn, and lines elsewhere. A campaign has no
    stream of events of its own: with `events` there are lines too.
    """
    if kind == "none":
        return NoDisplay()
    if kind == "tree" and can_redraw(console):
        return CampaignScreen(Campaign(states, now), console, gauge, figure_of)
    return CampaignLines(Campaign(states, now), console, gauge, now)


class CampaignScreen(Redrawn):
    """The live screen of a campaign."""

    def __init__(
        self,
        campaign: Campaign,
        console: Console,
        gauge: Callable[[], Gauge],
        figure_of: FigureOf,
    ) -> None:
        super().__init__(console)
        self._campaign, self._gauge, self._figure_of = campaign, gauge, figure_of

    def handle(self, state: CellState) -> None:
        with self._lock:
            self._campaign.apply(state)

    def rows(self, width: int, height: int) -> list[Row]:
        campaign = self._campaign
        gauge = self._gauge()
        return campaign_frame(
            campaign.states, campaign.tempo, gauge, width, height, self._figure_of
        )


def campaign_frame(
    states: Sequence[CellState],
    tempo: Tempo,
    gauge: Gauge,
    width: int,
    height: int,
    figure_of: FigureOf,
) -> list[Row]:
    """The screen in at most `height` rows of at most `width` cells: how far it is, a row for each
    model and method, and the newest failures."""
    if gauge.stopping is not None:
        gauge = replace(gauge, stopping=sum(state.status == "running" for state in states))
    shares = [1.0 if state.status == "complete" else state.share for state in states]
    top = progress_row(
        sum(shares) / max(1, len(states)), [complete_words(states)[0], *time_words(tempo)]
    )
    if any(state.simulated for state in states):
        top = between(top, [(" SIMULATED ", "badge")], width)
    rows = [top, *flow(call_words(states, tempo, gauge), width), []]
    room = height - 1 - len(rows)
    failures = failure_rows(states)[: max(0, min(FAILURES, room // 3))]
    rows += [*model_rows(states, width, max(0, room - len(failures)), figure_of), *failures]
    return [fit(row, width) for row in [*rows[: height - 1], footer_row(gauge, width, "cell")]]


def time_words(tempo: Tempo) -> list[str]:
    """How long it has taken, and may still take."""
    words = [f"{figures.roughly(tempo.elapsed_s)} elapsed"]
    return (
        words if tempo.left_s is None else [*words, f"about {figures.roughly(tempo.left_s)} left"]
    )


def call_words(states: Sequence[CellState], tempo: Tempo, gauge: Gauge) -> list[str]:
    """What it has cost, of what it may, and how fast calls are made."""
    budget = f" of {figures.money(gauge.budget_usd)}" if gauge.budget_usd is not None else ""
    calls = f"{sum(state.calls for state in states):,}"
    calls += f" of {gauge.max_calls:,} calls" if gauge.max_calls is not None else " calls"
    rate = f" ({tempo.calls_per_minute:,.0f} a minute)" if tempo.calls_per_minute >= 1 else ""
    words = [spent(states) + budget, calls + rate]
    if gauge.refused:
        words.append(f"rate limit hit {figures.count(gauge.refused, 'time')}")
    return words


def model_rows(
    states: Sequence[CellState], width: int, height: int, figure_of: FigureOf
) -> list[Row]:
    """How many cells of each model and method stand how, and the mean of what they have measured so
    far; those without a row are counted."""
    groups: dict[tuple[str, str], list[CellState]] = {}
    for state in states:
        groups.setdefault((state.target, state.method), []).append(state)
    visible = list(groups.items())[: height - 1 if len(groups) < height else max(0, height - 2)]
    table = [["", *(STANDINGS[status].told for status in COUNTED), "so far"]]
    for (target, method), cells in visible:
        counts = Counter(cell.status for cell in cells)
        values = [cell.figure for cell in cells if cell.figure is not None]
        name, form = figure_of(method)
        mean = f"{name} {written(fmean(values), form)}" if values else ""
        label = f"{clip_left(model_name(target), LABEL)} · {one_line(method)}"
        table.append([label, *(f"{counts[status]:,}" for status in COUNTED), mean])
    rows = grid(table, width, height) if visible else []
    more = len(groups) - len(visible)
    return [*rows, [(f"… {figures.count(more, 'more model')}", "quiet")]] if more else rows


def failure_rows(states: Sequence[CellState]) -> list[Row]:
    """The newest failures, those of one reason on one row."""
    failed = [state for state in states if state.status == "failed"]
    failed.sort(key=lambda state: state.changed or LONG_AGO, reverse=True)
    rows: list[Row] = []
    for reason, cells in by_reason(failed).items():
        times = f"{len(cells):,} × " if len(cells) > 1 else ""
        rows.append([(f"{STANDINGS['failed'].sign} {times}{reason}", "error")])
    return rows


class CampaignLines:
    """A first and a last line, about 16 on the way (more where it is slow), and one for each of the
    first ten reasons for failures."""

    def __init__(
        self,
        campaign: Campaign,
        console: Console,
        gauge: Callable[[], Gauge],
        now: Callable[[], datetime],
    ) -> None:
        self._campaign, self._console, self._gauge, self._now = campaign, console, gauge, now
        self._step = max(1, ceil(sum(not state.over for state in campaign.states) / LINES))
        """Cells that end between two lines."""
        self._ended_since, self._last_line = 0, now()
        self._reasons: set[str] = set()
        self._stopped = False

    def start(self) -> None:
        self._say(f"campaign: {', '.join(complete_words(self._campaign.states))}")

    def handle(self, state: CellState) -> None:
        if not self._campaign.apply(state):
            return
        if state.status == "failed":
            self._say_reason(state)
        self._ended_since += 1
        if self._ended_since < self._step and self._now() - self._last_line < SILENCE:
            return
        self._ended_since, self._last_line = 0, self._now()
        states = self._campaign.states
        if not all(state.over for state in states):  # of the end the last line tells
            tempo = self._campaign.tempo
            words = [*time_words(tempo), *call_words(states, tempo, self._gauge())]
            self._say(figures.joined([", ".join(complete_words(states)), *words]))

    def stop(self) -> None:
        if not self._stopped:
            self._stopped = True
            seconds = figures.duration(self._campaign.tempo.elapsed_s)
            self._say(figures.joined([headline(self._campaign.states), seconds]))

    def _say_reason(self, state: CellState) -> None:
        """Why a cell failed, unless that was said of another."""
        (reason,) = by_reason([state])
        if reason not in self._reasons and len(self._reasons) < REASONS:
            self._reasons.add(reason)
            self._say(f"failed: {named(state, 40)}: {one_line(reason[:REASON])}", "error")

    def _say(self, words: str, style: str = "") -> None:
        print_line(self._console, [(f"{self._now():%H:%M:%S} ", "quiet"), (words, style)])
