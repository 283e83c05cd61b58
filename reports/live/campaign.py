"""A campaign while it runs: a live screen on a terminal, a few lines in a pipe."""

from collections.abc import Callable, Sequence
from datetime import datetime
from math import ceil
from typing import Protocol

from rich.console import Console

from ...state.campaign import CellState
from ..page import figures
from ..page.rows import Row
from ..page.sanitise import one_line
from ..views.campaign import by_reason, headline, named
from .campaign_frame import campaign_frame, finished_words, pace_words
from .display import DisplayKind, NoDisplay, print_line, utc_now
from .gauge import Gauge
from .pace import Campaign
from .redrawn import Redrawn

FRAMES_PER_SECOND, MANY = 3, 3000
"""Frames a second; cells from which there is one only, because each takes some 5 µs of a frame."""
LINES = 16
"""Progress lines in a pipe."""
REASONS, REASON = 10, 400
"""Different reasons for failures that get a line of their own; characters of each."""


class CampaignDisplay(Protocol):
    """Shows a campaign while it goes on."""

    def start(self) -> None: ...

    def handle(self, state: CellState) -> None:
        """Take in the newest state of a cell, in place of the one before."""

    def stop(self) -> None: ...


def make_campaign_display(
    kind: DisplayKind,
    states: Sequence[CellState],
    *,
    console: Console,
    gauge: Callable[[], Gauge],
    now: Callable[[], datetime] = utc_now,
) -> CampaignDisplay:
    """A display of that kind. `states`: of all cells, as they stand before this session; `console`: on stderr.

    `tree` is the screen on a terminal that can be redrawn, and lines elsewhere. A campaign has no stream of events of
    its own: with `events` there are lines too.
    """
    if kind == "none":
        return NoDisplay()
    if kind == "tree" and console.is_terminal and not console.is_dumb_terminal:
        return CampaignScreen(states, console, gauge, now)
    return CampaignLines(states, console, gauge, now)


class CampaignScreen(Redrawn):
    """The live screen of a campaign."""

    def __init__(
        self,
        states: Sequence[CellState],
        console: Console,
        gauge: Callable[[], Gauge],
        now: Callable[[], datetime] = utc_now,
    ) -> None:
        super().__init__(console, FRAMES_PER_SECOND if len(states) < MANY else 1)
        self._gauge = gauge
        self._now = now
        self._campaign = Campaign(states, now())

    def start(self) -> None:
        with self._lock:
            self._campaign.begin(self._now())
        super().start()

    def handle(self, state: CellState) -> None:
        with self._lock:
            self._campaign.apply(state, self._now())

    def rows(self, width: int, height: int) -> list[Row]:
        tempo = self._campaign.tempo(self._now())
        return campaign_frame([*self._campaign.cells.values()], tempo, self._gauge(), width, height)


class CampaignLines:
    """A first and a last line, about 16 on the way, and one for each of the first ten reasons for failures."""

    def __init__(
        self,
        states: Sequence[CellState],
        console: Console,
        gauge: Callable[[], Gauge],
        now: Callable[[], datetime] = utc_now,
    ) -> None:
        self._console = console
        self._gauge = gauge
        self._now = now
        self._campaign = Campaign(states, now())
        self._each = max(1, ceil(sum(not state.over for state in self._campaign.cells.values()) / LINES))
        """Cells that end between two lines."""
        self._ended = 0
        self._reasons: set[str] = set()
        self._stopped = False

    def start(self) -> None:
        at = self._now()
        self._campaign.begin(at)
        states = [*self._campaign.cells.values()]
        self._say(at, f"campaign: {finished_words(states)[0]}")

    def handle(self, state: CellState) -> None:
        at = self._now()
        before = self._campaign.cells.get(state.cell)
        self._campaign.apply(state, at)
        if not state.over or (before is not None and before.over):
            return
        if state.status == "failed":
            self._tell(state, at)
        self._ended += 1
        if self._ended % self._each:
            return
        states = [*self._campaign.cells.values()]
        if not all(each.over for each in states):  # of the end the last line tells
            _, *others = pace_words(states, self._campaign.tempo(at), self._gauge())
            self._say(at, figures.joined([finished_words(states)[0], *reversed(others)]))

    def stop(self) -> None:
        if self._stopped:
            return
        self._stopped = True
        at = self._now()
        took = figures.duration(self._campaign.tempo(at).elapsed_s)
        self._say(at, figures.joined([headline([*self._campaign.cells.values()]), took]))

    def _tell(self, state: CellState, at: datetime) -> None:
        """Why a cell failed, unless that was said of another; that no more is said, once."""
        (reason,) = by_reason([state])
        if reason in self._reasons or len(self._reasons) > REASONS:
            return
        self._reasons.add(reason)
        if len(self._reasons) > REASONS:
            self._say(at, "further reasons for failures are not listed here", "error")
        else:
            self._say(at, f"failed: {named(state, 40)}: {one_line(reason[:REASON])}", "error")

    def _say(self, at: datetime, words: str, style: str = "") -> None:
        print_line(self._console, [(f"{at:%H:%M:%S} ", "quiet"), (words, style)])
