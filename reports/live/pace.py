"""How far a campaign is, and how fast it goes in this session."""

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import NamedTuple

from ...state.campaign import CellState


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
        old = self._cells.get(state.cell, state)
        self._cells[state.cell] = state
        if state.status != "running" or old.status == "running":
            self._calls += max(0, state.calls - old.calls)
            self._gained += _left(old) - _left(state)
        return state.over and not old.over

    @property
    def tempo(self) -> Tempo:
        """How fast it goes."""
        elapsed, left = (
            (self._now() - self._began).total_seconds(),
            sum(map(_left, self._cells.values())),
        )
        known = left > 0 and self._gained > 0 and elapsed > 0
        return Tempo(
            elapsed_s=elapsed,
            left_s=left * elapsed / self._gained if known else None,
            calls_per_minute=60 * self._calls / elapsed if elapsed > 0 else 0.0,
        )


def share_of(states: Sequence[CellState]) -> float:
    """How much of the cells is done, 0 … 1; a failed one counts for what it came to."""
    return sum(1.0 if state.status == "complete" else state.share for state in states) / max(
        1, len(states)
    )


def _left(state: CellState) -> float:
    """How much of the cell this session has still to do."""
    return 0.0 if state.over else 1 - state.share
