"""The live screen of a campaign, fitted to the terminal. Pure: states, a tempo and a gauge give rows."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

from ...state.campaign import CellState, CellStatus
from ..page import figures
from ..page.rows import Row, between, clip, fit, row_width
from ..views.campaign import STANDINGS, by_reason, measure, named, spent
from ..views.steps import flow
from .gauge import Gauge, footer_row
from .grid import grid_rows
from .pace import Tempo
from .screen import progress_bar

BAR, ROOMY = 24, 20
"""Cells of the bar at most; height from which parts are kept apart by an empty row."""
FAILURES, NAME = 6, 24
"""Rows of failures at most; cells of each name in them at most."""
SHORT: Sequence[CellStatus] = ("failed", "interrupted", "partial")
"""States of cells that are over and did not come to their end."""


def campaign_frame(states: Sequence[CellState], tempo: Tempo, gauge: Gauge, width: int, height: int) -> list[Row]:
    """The screen in at most `height` rows of at most `width` cells."""
    going = not all(state.over for state in states)
    if gauge.stopping is not None:
        gauge = replace(gauge, stopping=sum(state.status == "running" for state in states))
    foot = [_legend(states, width), footer_row(gauge, width, unit="cell", going=going, more="Ctrl-C to stop")]
    foot = foot[-max(1, height // 3) :]
    if not states:
        return [fit([("waiting for the first cell", "quiet")], width), *foot][:height]
    room = height - len(foot)
    blank: list[Row] = [[("", "")]] if height >= ROOMY else []
    top = [_bar(states, width), *flow(pace_words(states, tempo, gauge), width)][:room]
    failures = failure_rows(states, width, min(FAILURES, room // 5))
    grid = grid_rows(states, width, room - len(top) - len(failures) - len(blank) * (1 + bool(failures)))
    rows = [*top, *blank, *grid, *(blank if failures else []), *failures]
    return [*rows[:room], *foot][-height:]


def pace_words(states: Sequence[CellState], tempo: Tempo, gauge: Gauge) -> list[str]:
    """How long it has taken and may still take, what it has cost, and how fast calls are made."""
    left = "" if tempo.left_s is None else f"about {figures.roughly(tempo.left_s)} left"
    rate = f"{tempo.calls_per_s:,.0f}" if tempo.calls_per_s >= 10 else f"{tempo.calls_per_s:.1f}"
    words = [
        figures.duration(tempo.elapsed_s),
        left,
        spent(states),
        figures.count(sum(state.calls for state in states), "call"),
        f"{rate} calls/s",
        f"429s: {gauge.refused:,}" if gauge.refused else "",
    ]
    return [*filter(None, words)]


def finished_words(states: Sequence[CellState]) -> list[str]:
    """`231 of 240 cells finished (6 failed)`, `9 running`."""
    counts = Counter(state.status for state in states)
    over = sum(state.over for state in states)
    short = [f"{counts[status]:,} {STANDINGS[status].told}" for status in SHORT if counts[status]]
    done = f"{over:,} of {figures.count(len(states), 'cell')} finished"
    running = [f"{counts['running']:,} running"] if counts["running"] else []
    return [done + (f" ({', '.join(short)})" if short else ""), *running]


def _bar(states: Sequence[CellState], width: int) -> Row:
    share = sum(1.0 if state.over else state.share for state in states) / len(states)
    percent = f" {int(100 * share):>3}%  "
    words = finished_words(states)
    badge: Row = [(" SIMULATED ", "badge")] if any(state.simulated for state in states) and width >= 60 else []
    room = width - row_width(badge) - 1 - len(percent) - 4
    while len(words) > 1 and len(", ".join(words)) > room:
        words.pop()
    said = ", ".join(words)
    row = [*progress_bar(share, max(4, min(BAR, 4 + room - len(said)))), (percent, "title"), (said, "")]
    return between(row, badge, width) if badge else fit(row, width)


def failure_rows(states: Sequence[CellState], width: int, height: int) -> list[Row]:
    """The newest failures in at most `height` rows, those of one reason on one."""
    failed = [state for state in states if state.status == "failed"]
    failed.sort(key=lambda state: state.changed or datetime.min.replace(tzinfo=UTC), reverse=True)
    rows: list[Row] = []
    for reason, cells in [*by_reason(failed).items()][: max(0, height)]:
        sign, _, style, _ = STANDINGS["failed"]
        times = f"{len(cells):,} × " if len(cells) > 1 else ""
        who = clip(f"{'last ' if times else ''}{named(cells[0], NAME)}", width // 3)
        rows.append(between([(f"{sign} {times}", style), (clip(reason, width), style)], [(who, "quiet")], width))
    return rows


def _legend(states: Sequence[CellState], width: int) -> Row:
    held = {state.status for state in states}
    signs = [f"{sign} {word}" for status, (sign, word, *_) in STANDINGS.items() if status in held]
    limit = ["≥ at least"] if any(state.at_least for state in states) else []
    names = dict.fromkeys(measure(method)[0] for method in dict.fromkeys(state.method for state in states))
    times = Counter((state.method, state.domain, state.target) for state in states)
    repeats = max(times.values(), default=1)
    parts = [f"{' or '.join(names)} so far:", *signs, *limit, f"1/{repeats} repeats complete" if repeats > 1 else ""]
    roomy = figures.joined(parts, "  ")
    return fit([(roomy if len(roomy) <= width else figures.joined(parts, " "), "quiet")], width)
