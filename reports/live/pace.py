"""How far a campaign is, and how fast it goes in this session."""

from collections import deque
from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple

from ...state.campaign import CellState

RECENT_S = 30.0
"""Seconds over which calls are averaged."""


class Tempo(NamedTuple):
    """How fast a campaign goes at one moment."""

    elapsed_s: float
    """Since the session began."""
    left_s: float | None
    """Seconds it may still take; None while nothing is known of that."""
    calls_per_s: float
    """Over the last 30 seconds."""


class Campaign:
    """The newest state of every cell, in the order in which they were planned, and the progress of this session alone.

    What was cut off in an earlier session waits to be taken up. With the first state of an attempt the cell tells what
    it had come to before: that is no progress of this session.
    """

    def __init__(self, states: Iterable[CellState], began: datetime) -> None:
        self.cells = {state.cell: _waiting(state) for state in states}
        self._began = began
        self._gained = 0.0
        """Cells' worth of work done in this session."""
        self._calls = 0
        """Calls made in it."""
        self._recent: deque[tuple[datetime, int]] = deque([(began, 0)])
        """At times a second apart: how many there were."""

    def begin(self, at: datetime) -> None:
        """The session begins now."""
        self._began = at
        self._recent = deque([(at, self._calls)])

    def apply(self, state: CellState, at: datetime) -> None:
        """Take in a newer state of a cell."""
        old = self.cells.get(state.cell)
        self.cells[state.cell] = state
        if old is not None and (state.status != "running" or old.status == "running"):
            self._calls += max(0, state.calls - old.calls)
            self._gained += (1.0 if state.over else state.share) - (1.0 if old.over else old.share)
        self._note(at)

    def tempo(self, at: datetime) -> Tempo:
        """How fast it goes."""
        self._note(at)
        elapsed = max(0.0, (at - self._began).total_seconds())
        left = sum(1 - state.share for state in self.cells.values() if not state.over)
        since, before = self._recent[0]
        seconds = (at - since).total_seconds()
        return Tempo(
            elapsed_s=elapsed,
            left_s=left * elapsed / self._gained if left > 0 and self._gained > 0 and elapsed > 0 else None,
            calls_per_s=(self._calls - before) / seconds if seconds > 0 else 0.0,
        )

    def _note(self, at: datetime) -> None:
        if (at - self._recent[-1][0]).total_seconds() >= 1:
            self._recent.append((at, self._calls))
        while len(self._recent) > 1 and (at - self._recent[1][0]).total_seconds() >= RECENT_S:
            self._recent.popleft()


def _waiting(state: CellState) -> CellState:
    return state.model_copy(update={"status": "waiting"}) if state.status in ("partial", "interrupted") else state
