"""A campaign in front of a person: while it goes on, and what came of it."""

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from ...graphs.campaign.campaign import Campaign, Engine
from ...graphs.method import figure_of, steps_of
from ...reports.live.campaign import make_campaign_display
from ...reports.live.display import Display, Gauge, Redrawn, TreeDisplay
from ...reports.page.console import stderr_console, stdout_console
from ...reports.page.sanitise import one_line
from ...reports.views.campaign import campaign_blocks
from ...state.campaign import CellState, cell_id
from ...state.events import Event
from ...tools.runs.folders import is_run, read_events
from ...tools.runs.journal import Listener
from ..comparison import RANKED
from ..finished import FinishedRun, run_in
from ..launch import FaultTolerantDisplay, Signals, display_of, once_loaded, say
from ..request import Request, present
from ..streams import print_blocks


class CampaignDisplay:
    """`step_by_step`: as the display of a launch, by the events of its runs."""

    def __init__(self, request: Request, *, step_by_step: bool) -> None:
        self.request, self.step_by_step = request, step_by_step
        self._screen: FaultTolerantDisplay | None = None
        self._console = stderr_console()
        self._peak = 0

    @property
    def listeners(self) -> list[Listener]:
        """Those of the events in this process."""
        return [once_loaded, self._handle] if self.step_by_step else [once_loaded]

    def handle_cell(self, state: CellState) -> None:
        """A cell stands otherwise than before."""
        if not self.step_by_step:
            self._handle(state)

    def say(self, sentence: str) -> None:
        """Tell a person something while it goes on: above the screen, which has to know of it."""
        is_broken = self._screen is not None and self._screen.broken
        if self.request.display != "none" and not is_broken:
            self._console.print(one_line(sentence), soft_wrap=True)

    def _handle(self, update: Event | CellState) -> None:
        if self._screen is not None:
            self._screen.handle(update)

    def open(
        self, states: Iterable[CellState], campaign: Campaign, engine: Engine
    ) -> tuple[Signals, FaultTolerantDisplay]:
        """The display, and what Ctrl-C does."""
        request, kind = self.request, self.request.display
        unit = steps_of(request.specs[0].method).unit if self.step_by_step else "call"
        signals = Signals(campaign.stop, lambda: engine.in_flight, unit)

        def gauge() -> Gauge:
            return self._gauge(engine, signals.is_called)

        screen: Display
        if self.step_by_step:
            screen = display_of(kind, gauge)
        else:
            due = {state.cell for state in campaign.due}
            cells = [
                state.model_copy(update={"status": "waiting"}) if state.cell in due else state
                for state in states
            ]
            screen = make_campaign_display(
                kind, cells, console=self._console, gauge=gauge, figure_of=figure_of
            )
        signals.in_footer = isinstance(screen, Redrawn)
        if isinstance(screen, TreeDisplay):  # what goes on is screen whole
            for event in _history(campaign.due, request.options.runs):
                screen.handle(event)
        self._screen = FaultTolerantDisplay(screen, kind, signals.stop)
        return signals, self._screen

    def _gauge(self, engine: Engine, stopping: bool) -> Gauge:
        workers = engine.workers
        in_flight = sum(worker.in_flight for worker in workers)
        self._peak = max(self._peak, in_flight)
        return Gauge(
            in_flight,
            self._peak,
            sum(worker.queued for worker in workers),
            sum(worker.capacity for worker in workers),
            engine.in_flight if stopping else None,
            sum(worker.refused for worker in workers),
            self.request.options.budget_usd,
            self.request.options.max_calls,
        )


def _history(states: Iterable[CellState], runs: Path | None) -> Iterator[Event]:
    for state in states:
        if runs is not None and state.run and is_run(runs / state.run):
            yield from read_events(runs / state.run)


def print_cells(
    request: Request, states: Sequence[CellState], documents: list[Any] | None, *, in_full: bool
) -> bool:
    """`present` the runs of the cells. `in_full`: each run's page, as at the end of a launch; else
    a grid."""
    in_grid = not in_full and not request.as_json and documents is None
    is_read = not in_grid or request.planned.shown_with.wanted or len(states) <= RANKED
    runs = finished_cells(request, states) if is_read else []
    grid = partial(_print_grid, request, states, runs) if in_grid else None
    try:
        return present(request, runs, documents, grid)
    finally:
        for state in states if in_full else ():
            say(f"Error: {state.error}" if state.status == "failed" else None)


def _print_grid(request: Request, states: Sequence[CellState], runs: Sequence[FinishedRun]) -> None:
    from ..print_results import print_rankings  # heavy

    print_blocks(campaign_blocks(states, figure_of))
    if len(states) <= RANKED:  # the grid has the domains already
        print_rankings(stdout_console(), runs, request.planned.shown_with.policy)


def finished_cells(request: Request, states: Sequence[CellState]) -> list[FinishedRun]:
    """The runs of the cells."""
    specs = {cell_id(spec): spec for spec in request.specs}
    runs = request.options.runs
    return [_finished(state, specs[state.cell], runs) for state in states]


def _finished(state: CellState, spec: Any, runs: Path | None) -> FinishedRun:
    if runs is not None and state.run and is_run(runs / state.run):
        return run_in(runs / state.run)
    fragment = {
        "method": state.method,
        "run_id": state.run,
        "spec": spec.model_dump(mode="json"),
        "status": state.status,
        "error": state.error,
    }
    return FinishedRun(state.run, None, None, fragment)
