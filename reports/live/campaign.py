"""A campaign while it runs: a live screen on a terminal, a few lines in a pipe."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from rich.console import Console, RenderableType

from ...state.campaign import CellState
from ..page import figures
from ..page.rows import Fitted, line_of
from ..views.campaign import by_reason, complete_words, headline, named, spent
from .display import (
    Display,
    DisplayKind,
    NoDisplay,
    Redrawn,
    can_redraw,
    print_line,
    utc_now,
)
from .screen import Gauge, footer, progress_line

SILENCE = timedelta(minutes=1)
"""Time between two lines in a pipe."""
REASON = 400
"""Characters of the reason for a failure."""
FAILURES = 4
LONG_AGO = datetime.min.replace(tzinfo=UTC)


class Campaign:
    """The newest state of every cell, in the order in which they were planned, and the progress of
    this session alone, which begins now.

    With the first state of an attempt a cell tells what it had come to before: that is no progress
    of this session.
    """

    def __init__(
        self,
        states: Iterable[CellState],
        gauge: Callable[[], Gauge],
        now: Callable[[], datetime],
    ) -> None:
        self._cells = {state.cell: state for state in states}
        self._gained = 0.0
        """Cells' worth of work done in this session."""
        self.now, self._began = now, now()
        self._gauge = gauge

    @property
    def states(self) -> list[CellState]:
        return [*self._cells.values()]

    @property
    def gauge(self) -> Gauge:
        """What it says once the campaign was told to stop is of cells."""
        gauge = self._gauge()
        if gauge.stopping is None:
            return gauge
        return replace(gauge, stopping=sum(state.status == "running" for state in self.states))

    def apply(self, state: CellState) -> bool:
        """Take in a newer state of a cell; whether the cell is now over and was not before."""
        before = self._cells.get(state.cell, state)
        self._cells[state.cell] = state
        if state.status != "running" or before.status == "running":
            self._gained += _left(before) - _left(state)
        return state.over and not before.over

    def words(self) -> list[str]:
        """How many cells are complete, how long it has taken and may still take, and what it has
        cost, of what it may."""
        gauge, states = self.gauge, self.states
        elapsed_s = (self.now() - self._began).total_seconds()
        left = sum(map(_left, states))
        left_s = left * elapsed_s / self._gained if self._gained > 0 else 0.0
        budget = (
            f" of {figures.money(gauge.budget_usd)}" if gauge.budget_usd is not None else ""
        )
        most = f" of {gauge.max_calls:,}" if gauge.max_calls is not None else ""
        refused = figures.count(gauge.refused, "time")
        return [
            complete_words(states)[0],
            f"{figures.roughly(elapsed_s)} elapsed",
            f"about {figures.roughly(left_s)} left" if left_s > 0 else "",
            spent(states) + budget,
            f"{sum(state.calls for state in states):,}{most} calls",
            f"rate limit hit {refused}" if gauge.refused else "",
        ]


def _left(state: CellState) -> float:
    """How much of the cell this session has still to do."""
    return 0.0 if state.over else 1 - state.share


def make_campaign_display(
    kind: DisplayKind,
    states: Sequence[CellState],
    *,
    console: Console,
    gauge: Callable[[], Gauge],
    now: Callable[[], datetime] = utc_now,
) -> Display:
    """A display of that kind. `states`: of all cells, those waiting that this session is to play;
    `console`: on stderr.

    `tree` is the screen on a terminal that can be redrawn, and lines elsewhere. A campaign has no
    stream of events of its own: with `events` there are lines too.
    """
    if kind == "none":
        return NoDisplay()
    campaign = Campaign(states, gauge, now)
    if kind == "tree" and can_redraw(console):
        return CampaignScreen(campaign, console)
    return CampaignLines(campaign, console)


class CampaignScreen(Redrawn):
    """The live screen of a campaign."""

    def __init__(self, campaign: Campaign, console: Console) -> None:
        super().__init__(console)
        self._campaign = campaign

    def handle(self, state: CellState) -> None:
        with self._lock:
            self._campaign.apply(state)

    def frame(self, height: int) -> Fitted:
        return campaign_frame(self._campaign, height)


def campaign_frame(campaign: Campaign, height: int) -> Fitted:
    """The screen in at most `height` lines: how far it is, what it has cost, the newest
    failures. `fathom status` has the cells by domain and model."""
    states = campaign.states
    shares = [1.0 if state.status == "complete" else state.share for state in states]
    complete, elapsed, left, *costs = campaign.words()
    body: list[RenderableType] = [
        progress_line(sum(shares) / max(1, len(states)), [complete, elapsed, left]),
        line_of((figures.joined(costs), "")),
        line_of((", ".join(complete_words(states)[1:]), "")),
        *_failures(states),
    ]
    if any(state.simulated for state in states):
        body.insert(0, line_of((" SIMULATED ", "badge")))
    return Fitted(body, [footer(campaign.gauge, "cell")], height)


def _failures(states: Sequence[CellState]) -> Iterator[RenderableType]:
    """The newest failures, those of one reason on one line."""
    failed = [state for state in states if state.status == "failed"]
    failed.sort(key=lambda state: state.changed or LONG_AGO, reverse=True)
    for reason, cells in [*by_reason(failed).items()][:FAILURES]:
        times = f"{len(cells):,} × " if len(cells) > 1 else ""
        yield line_of((f"! {times}{reason}", "error"))


class CampaignLines:
    """A first and a last line, one a minute on the way, and one for each reason for failures."""

    def __init__(self, campaign: Campaign, console: Console) -> None:
        self._campaign, self._console = campaign, console
        self._last_line = campaign.now()
        self._reasons: set[str] = set()
        self._stopped = False

    def start(self) -> None:
        self._say(f"campaign: {', '.join(complete_words(self._campaign.states))}")

    def handle(self, state: CellState) -> None:
        if not self._campaign.apply(state):
            return
        if state.status == "failed":
            (reason,) = by_reason([state])
            if reason not in self._reasons:
                self._reasons.add(reason)
                self._say(f"failed: {named(state, 40)}: {reason[:REASON]}", "error")
        if self._campaign.now() - self._last_line >= SILENCE:
            self._last_line = self._campaign.now()
            self._say(figures.joined(self._campaign.words()))

    def stop(self) -> None:
        if not self._stopped:
            self._stopped = True
            self._say(headline(self._campaign.states))

    def _say(self, words: str, style: str = "") -> None:
        time = f"{self._campaign.now():%H:%M:%S} "
        print_line(self._console, line_of((time, "quiet"), (words, style)))
