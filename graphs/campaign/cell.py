"""One cell of a campaign: how it stands before it is played, while its run goes on, and when that
has ended."""

import time
from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import Path

from ...state.campaign import CellState, CellStatus
from ...state.events import (
    DepthClosed,
    Event,
    ItemFinished,
    PartClosed,
    ProbeJudged,
    RunFinished,
    RunResumed,
    RunStarted,
)
from ...state.spec import Spec
from ...tools.runs.folders import entry_of, with_figure
from ..method import METHODS
from ..run.execute import RunReport

NEWS_S = 1.0
"""Least time between two states of one cell that are told while it goes on."""
ENDED: dict[int, CellStatus] = {
    0: "complete",
    1: "failed",
    3: "partial",
    130: "interrupted",
}
"""Exit code of a run → the status of its cell."""
Told = Callable[[CellState], None]


class Watch:
    """A listener of one run that tells how its cell stands."""

    def __init__(self, state: CellState, spec: Spec, tell: Told) -> None:
        self.state, self._spec, self._tell = state, spec, tell
        self.spent: Callable[[], tuple[float, int]] = lambda: (0.0, 0)
        """What this session of the run has paid so far."""
        self._before = (state.usd, state.calls)
        self._closed = set[int]()
        self._changed = dict[str, object]()
        self._parts = 0.0
        self._told_s = 0.0

    def __call__(self, event: Event) -> None:
        match event:
            case RunStarted():
                self._expect(event.material or event.problems)
            case RunResumed():
                self._before = (event.spent_usd if event.spent_calls else 0.0, event.spent_calls)
            case ProbeJudged() | ItemFinished():
                self._news({})
            case DepthClosed():
                self._close(event.row.depth, event.evd)
            case PartClosed():
                self._close(event.index, None)
            case RunFinished():
                paid, told = self._paid(), event.spent_usd if event.spent_calls else event.cost_usd
                unknown = {"usd": None} if told is None and paid["calls"] else {}
                self.state = self.state.model_copy(update={**paid, **unknown})

    def lost(self, status: CellStatus, error: str, now: datetime) -> CellState:
        """The state of the cell when its run cannot go on; what was paid stays paid."""
        return self.state.model_copy(
            update={
                **self._paid(),
                "status": status,
                "error": error,
                "changed": now,
            }
        )

    def _expect(self, material: object) -> None:
        if self._spec.method != "replay":  # how many questions it has, its events do not tell
            calls = METHODS[self._spec.method].calls(self._spec, material)
            self._parts = sum(chance.mid for _, chance in calls.parts())

    def _close(self, part: int, figure: float | None) -> None:
        self._closed.add(part)
        share = self.state.share
        if self._parts:
            share = max(share, min(0.99, len(self._closed) / self._parts))
        changed = {"share": share}
        if figure is not None:
            changed["figure"] = figure
        self._news(changed)

    def _news(self, changed: Mapping[str, object]) -> None:
        """Tell them, or keep them until something may be told again."""
        self._changed.update(changed)
        if (now := time.monotonic()) - self._told_s < NEWS_S:
            return
        self._told_s = now
        self.state = self.state.model_copy(update={**self._changed, **self._paid()})
        self._tell(self.state)

    def _paid(self) -> dict[str, object]:
        """In all sessions."""
        (usd, calls), (before, earlier) = self.spent(), self._before
        return {"usd": None if before is None else before + usd, "calls": earlier + calls}


def ended(state: CellState, report: RunReport[object], now: datetime) -> CellState:
    """The state of a cell whose run has ended."""
    status = ENDED[report.exit_code]
    error = report.error or ""
    if status == "failed" and not error:
        error = (
            "the run ended without what it was to find "
            f"({str(report.stop_reason).replace('_', ' ')})"
        )
    return measured(
        state.model_copy(
            update={
                "status": status,
                "error": error,
                "changed": now,
            }
        ),
        report.folder,
    )


def measured(state: CellState, path: Path | None) -> CellState:
    """The same with what its run has found, by its folder."""
    if path is None or not path.is_dir():
        return state
    return with_figure(state, entry_of(path))
