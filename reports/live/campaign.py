"""A campaign while it runs: a live screen on a terminal, a few lines in a pipe."""

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from math import ceil

from rich.console import Console

from ...state.campaign import CellState
from ..page import figures
from ..page.rows import Row
from ..page.sanitise import one_line
from ..views.campaign import by_reason, complete_words, headline, named
from .campaign_frame import call_words, campaign_frame, time_words
from .display import Display, DisplayKind, NoDisplay, print_line, utc_now
from .gauge import Gauge
from .pace import Campaign
from .redrawn import Redrawn, can_redraw

FRAMES_PER_SECOND = 3
"""Each of 10,000 cells takes some 2 µs of a frame."""
LINES, SILENCE = 16, timedelta(minutes=10)
"""Progress lines in a pipe where it goes fast; time after which there is one more."""
REASONS, REASON = 10, 400
"""Different reasons for failures that get a line of their own; characters of each."""


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
    if kind == "tree" and can_redraw(console):
        return CampaignScreen(Campaign(states, now), console, gauge)
    return CampaignLines(Campaign(states, now), console, gauge, now)


class CampaignScreen(Redrawn):
    """The live screen of a campaign."""

    def __init__(self, campaign: Campaign, console: Console, gauge: Callable[[], Gauge]) -> None:
        super().__init__(console, FRAMES_PER_SECOND)
        self._campaign, self._gauge = campaign, gauge

    def handle(self, state: CellState) -> None:
        with self._lock:
            self._campaign.apply(state)

    def rows(self, width: int, height: int) -> list[Row]:
        return campaign_frame(
            self._campaign.states, self._campaign.tempo, self._gauge(), width, height
        )


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
        self._each = max(1, ceil(sum(not state.over for state in campaign.states) / LINES))
        """Cells that end between two lines."""
        self._ended, self._told = 0, now()
        self._reasons: set[str] = set()
        self._stopped = False

    def start(self) -> None:
        self._say(f"campaign: {', '.join(complete_words(self._campaign.states))}")

    def handle(self, state: CellState) -> None:
        if not self._campaign.apply(state):
            return
        if state.status == "failed":
            self._tell(state)
        self._ended += 1
        if self._ended < self._each and self._now() - self._told < SILENCE:
            return
        self._ended, self._told = 0, self._now()
        states = self._campaign.states
        if not all(each.over for each in states):  # of the end the last line tells
            tempo = self._campaign.tempo
            words = [*time_words(tempo), *call_words(states, tempo, self._gauge())]
            self._say(figures.joined([", ".join(complete_words(states)), *words]))

    def stop(self) -> None:
        if not self._stopped:
            self._stopped = True
            took = figures.duration(self._campaign.tempo.elapsed_s)
            self._say(figures.joined([headline(self._campaign.states), took]))

    def _tell(self, state: CellState) -> None:
        """Why a cell failed, unless that was said of another."""
        (reason,) = by_reason([state])
        if reason not in self._reasons and len(self._reasons) < REASONS:
            self._reasons.add(reason)
            self._say(f"failed: {named(state, 40)}: {one_line(reason[:REASON])}", "error")

    def _say(self, words: str, style: str = "") -> None:
        print_line(self._console, [(f"{self._now():%H:%M:%S} ", "quiet"), (words, style)])
