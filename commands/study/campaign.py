"""A study as a campaign: each of its cells is asked once, however often the study is run; what a
person sees while it goes on, and what came of it."""

import asyncio
import math
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from functools import partial
from importlib.util import find_spec
from pathlib import Path

from ...graphs.campaign.campaign import Campaign, Engine
from ...graphs.campaign.runner import CellRunner, Limit, bring
from ...graphs.drill.paired import looks_until
from ...graphs.method import figure_of, steps_of
from ...reports.live.campaign import make_campaign_display
from ...reports.live.display import Display, DisplayKind, Gauge, Redrawn, TreeDisplay
from ...reports.page import figures
from ...reports.page.console import stderr_console, stdout_console
from ...reports.views.campaign import campaign_blocks, complete_words
from ...state.campaign import CellState, cell_id
from ...state.decision import DECIDED
from ...state.errors import UsageError, install
from ...state.events import Event
from ...tools.runs.folders import is_run, read_events
from ...tools.runs.index import open_index
from ...tools.runs.journal import Listener
from ..comparison import RANKED
from ..decision import Decided, require_decided
from ..environment import runs_dir, store_of
from ..finished import FinishedRun, run_in
from ..launch import (
    WORST_FIRST,
    FaultTolerantDisplay,
    Signals,
    attended,
    display_of,
    once_loaded,
    say,
)
from ..plan.command import plan_request
from ..request import Request, present
from ..streams import print_blocks
from .standing import as_of, next_steps

FEW = 8
"""Cells up to which one process suffices, and each run is shown step by step and page by page."""
CODES = {"complete": 0, "failed": 1, "partial": 3}
"""Status of a cell → exit code; of the others 130."""


@dataclass(frozen=True, slots=True)
class CampaignOptions:
    """How a campaign is to be run. `study`: its file."""

    study: Path | None = None
    engine: str | None = None
    store: str | None = None
    retry_failed: bool = False


def looked(request: Request) -> int:
    """A launch that goes on until it is decided, as the campaign that it is: the same words find
    its cells again on any later day."""
    runs = runs_dir(request.options.runs)
    if request.specs[0].as_of == datetime.now(UTC).date():  # no other day was named
        name = request.dated(date.min).specs[0].digest
        request = request.dated(as_of(Path(name), runs, None, keep=True))
    return campaigned(request, CampaignOptions(engine="local", retry_failed=True))


def campaigned(request: Request, how: CampaignOptions) -> int:
    """Play what is due of a method's cells and print what came of all; returns the exit code."""
    campaign = str(how.study or request.specs[0].digest)
    request = replace(request, options=replace(request.options, campaign=campaign))
    most, ending, codes = request.options.until_decided, "", set[int]()
    if most is None:
        states = asyncio.run(_play_cells(request, how))
    else:
        request, states, ending, codes = _look_by_look(request, how, most)
    is_written = print_cells(request, states, in_full=len(states) <= FEW)
    runs = request.options.runs
    words = f" --engine {how.engine}" if how.engine else ""
    if how.store not in (None, store_of(None)):
        words += " --store ADDRESS"  # it may hold a password
    if how.study is not None:
        compared = len(states) <= RANKED
        for sentence in next_steps(states, how.study, runs, words=words, compared=compared):
            say(sentence)
    say(ending or None)
    codes |= {CODES.get(state.status, 130) for state in states}
    code = next(code for code in WORST_FIRST if code in codes)
    complete = [state for state in states if state.status == "complete"]
    missing = sum(runs is not None and not is_run(runs / state.run) for state in complete)
    if missing:
        say(
            f"{figures.count(missing, 'finished run')} cannot be found in {runs}: removed, or on "
            "the machine of a worker. Several machines need --store postgresql://…, or one folder "
            "that all share."
        )
    if missing or not is_written:
        code = code or 1
    return code


def _look_by_look(
    request: Request, how: CampaignOptions, most: int
) -> tuple[Request, list[CellState], str, set[int]]:
    """Repeat what is not settled, look by look, until it is decided or all repeats are spent: the
    cells, how it ended, and the decision's exit code, if all cells came to their end."""
    repeats = dict.fromkeys((spec.target for spec in request.specs), 0)
    if len(repeats) < 2 and not request.planned.shown_with.policy.must:
        raise UsageError(
            "--until-decided chooses among models: name a second --target, or state in the `decide:` "
            "block of a study what the one must keep to."
        )
    open_targets, looks = {*repeats}, looks_until(most)
    for look, number in enumerate(looks, 1):
        repeats |= dict.fromkeys(open_targets, number)
        specs = [spec for spec in request.specs if spec.repeat <= repeats[spec.target]]
        due = request.of(specs)
        states = asyncio.run(_play_cells(due, how))
        if any(state.status != "complete" for state in states):
            ending = "Not all repeats came to their end: run the same again to go on."
            return due, states, ending, set()
        runs = finished_cells(due, states)
        decided = require_decided(runs, due.planned.shown_with.policy)
        open_targets = decided.open_targets
        if not open_targets or number == most:
            break
        say(f"Not decided after {number} repeats: on to {looks[look]}.")
    usd = [state.usd for state in states]
    cost = figures.money(None if None in usd else sum(paid or 0.0 for paid in usd))
    calls = figures.count(sum(state.calls for state in states), "call")
    came, why = _ending(decided)
    ending = (
        f"{came} at look {look} of {len(looks)}, after {number} of at most {most} repeats "
        f"({cost}, {calls}){why}."
    )
    return due, states, ending, {decided.decision.exit_code}


def _ending(decided: Decided) -> tuple[str, str]:
    """How the looks ended, and why where no model is taken."""
    verdict = decided.decision.verdict
    if verdict == "fails_condition":
        return "Decided", ": no model can be taken"
    if verdict in DECIDED:
        return "Decided", ""
    return "Not decided", "" if decided.open_targets else ": more of them would not decide it"


async def _play_cells(request: Request, how: CampaignOptions) -> list[CellState]:
    options = request.options
    specs = {cell_id(spec): spec for spec in request.specs}
    display = CampaignDisplay(request, len(specs) <= FEW)
    campaign = Campaign(
        specs,
        partial(open_index, options.runs, how.store),
        limit=(options.budget_usd, options.max_calls),
        need=_need(request),
        retry_failed=how.retry_failed,
        tell=display.handle_cell,
    )
    try:
        states = list((await campaign.read()).values())
        if campaign.due:
            engine = _engine(request, how, len(campaign.due), display)
            signals, screen = display.open(states, campaign, engine)
            states = await attended(
                lambda: campaign.run(engine), screen, signals, request.display
            )
        else:
            say(f"Nothing to run: {', '.join(complete_words(states))}.")
        if how.store is not None and options.runs is not None:
            await bring(states, options.runs, how.store)
        return states
    finally:
        await campaign.aclose()


def _need(request: Request) -> Limit:
    """What the plan says of a cell at most; nothing where there is no limit, or no plan."""
    options, cells = request.options, len(request.specs)
    if options.budget_usd is None and options.max_calls is None:
        return None, None
    plan = plan_request(request)
    usd = plan.usd.high / cells if plan.usd else None
    return usd, math.ceil(plan.calls.high / cells)


def _engine(
    request: Request, how: CampaignOptions, due: int, display: "CampaignDisplay"
) -> Engine:
    specs = {cell_id(spec): spec for spec in request.specs}
    kind, address = chosen_engine(how.engine, due, request.display)
    if kind == "local":
        return CellRunner(specs, request.options, store=how.store, listeners=display.listeners)
    # dask reads it when it is loaded, here and in its processes; what happens is told by the cells
    os.environ.setdefault("DASK_LOGGING__DISTRIBUTED", "critical")
    from ...graphs.campaign.cluster import ClusterEngine  # heavy, and an extra

    display.step_by_step = False
    return ClusterEngine(
        specs, request.options, address=address, processes=cores(), store=how.store
    )


def chosen_engine(
    engine: str | None, cells: int, display: DisplayKind | None
) -> tuple[str, str | None]:
    """`local`, or `dask` with the address of a scheduler, if one was given. Raises UsageError."""
    name, _, address = (engine or "").partition(":")
    if name not in ("", "local", "dask") or (address and name != "dask"):
        raise UsageError(
            f"--engine cannot be {engine!r}: give local, dask or dask:ADDRESS "
            "(dask:tcp://HOST:8786)."
        )
    has_dask = find_spec("distributed") is not None
    if name == "dask" and not has_dask:
        raise UsageError(f"--engine dask needs the extra: {install('dask')}.")
    if name == "dask" and display == "events":
        raise UsageError(
            "--display events shows the steps of runs in this process: choose --engine local "
            "for it."
        )
    if name == "" and cells > FEW and display != "events" and cores() > 1:
        if has_dask:
            return "dask", None
        say(
            f"One process for {cells} cells. For one on each of {cores()} cores: {install('dask')}."
        )
    return name or "local", address or None


def cores() -> int:
    """Those that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


# in front of a person


@dataclass
class CampaignDisplay:
    """`step_by_step`: as the display of a launch, by the events of its runs."""

    request: Request
    step_by_step: bool
    _screen: FaultTolerantDisplay | None = None
    _peak: int = 0

    @property
    def listeners(self) -> list[Listener]:
        """Those of the events in this process."""
        return [once_loaded, self._handle] if self.step_by_step else [once_loaded]

    def handle_cell(self, state: CellState) -> None:
        """A cell stands otherwise than before."""
        if not self.step_by_step:
            self._handle(state)

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
            screen = make_campaign_display(kind, cells, console=stderr_console(), gauge=gauge)
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


def print_cells(request: Request, states: Sequence[CellState], *, in_full: bool) -> bool:
    """`present` the runs of the cells. `in_full`: each run's page, as at the end of a launch; else
    a grid."""
    in_grid = not in_full and not request.as_json
    is_read = not in_grid or request.planned.shown_with.wanted or len(states) <= RANKED
    runs = finished_cells(request, states) if is_read else []
    grid = partial(_print_grid, request, states, runs) if in_grid else None
    try:
        return present(request, runs, grid)
    finally:
        for state in states if in_full else ():
            say(f"Error: {state.error}" if state.status == "failed" else None)


def _print_grid(
    request: Request, states: Sequence[CellState], runs: Sequence[FinishedRun]
) -> None:
    from ..print_results import print_rankings  # heavy

    print_blocks(campaign_blocks(states, figure_of))
    if len(states) <= RANKED:  # the grid has the domains already
        print_rankings(stdout_console(), runs, request.planned.shown_with.policy)


def finished_cells(request: Request, states: Sequence[CellState]) -> list[FinishedRun]:
    """The runs of the cells."""
    specs = {cell_id(spec): spec for spec in request.specs}
    folder, finished = request.options.runs, list[FinishedRun]()
    for state in states:
        if folder is not None and state.run and is_run(folder / state.run):
            finished.append(run_in(folder / state.run))
            continue
        fragment = {
            "method": state.method,
            "run_id": state.run,
            "spec": specs[state.cell].model_dump(mode="json"),
            "status": state.status,
            "error": state.error,
        }
        finished.append(FinishedRun(state.run, None, None, fragment))
    return finished
