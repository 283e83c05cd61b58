"""The cells of a campaign that one process plays: side by side, over one set of clients, cache and
sources. A run is for one process at a time: by its folder's lock on one machine, by the database's
across machines."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from ...state.campaign import CellState, CellStatus, WorkerState
from ...state.errors import FathomError, UsageError
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
from ...state.result import SHORT
from ...state.spec import Spec
from ...tools.models.clients import Clients
from ...tools.runs.folders import is_run
from ...tools.runs.journal import Listener
from ...tools.runs.log import get_logger
from ...tools.runs.postgres import PostgresRuns
from ..method import METHODS
from ..outcome import entry_of, outcome_of
from ..run.deps import fill_pools, pool_key
from ..run.execute import RunReport
from ..run.folder import Busy, RunFolder, short_id
from ..run.launch import Launch
from ..run.options import LaunchOptions
from ..run.resources import Resources
from ..run.resume_check import has_begun, is_over, record_in, take_up

AT_ONCE = 32
"""Cells side by side in one process: enough to keep its connections busy, few enough for its
memory."""
RECONNECT_S = (0, 1, 2, 4, 8, 15, 30)
"""Waits before each try to reach the database."""
BUSY_S = 0.5
"""Time between two looks at a run that another process holds."""
PATIENCE_S = 150.0
"""Longest wait for it: a process that is only thought dead lets go when its calls have timed out.
"""
RETURNED = ("launch.json", "result.json")
"""Files of a run that go to the database when it has ended."""
STATUS: Mapping[int, CellStatus] = {
    0: "complete",
    1: "failed",
    3: "partial",
    130: "interrupted",
}
"""Exit code of a run → the status of its cell."""
Limit = tuple[float | None, int | None]
"""Most USD and most calls of a cell, all its attempts together; None: no limit."""
Tell = Callable[[CellState], None]


@dataclass
class Watch:
    """A listener of one run that tells how its cell stands."""

    state: CellState
    spec: Spec
    tell: Tell
    spent: Callable[[], tuple[float, int]] = lambda: (0.0, 0)
    """What this session of the run has paid so far."""
    _closed: set[int] = field(default_factory=set)
    _parts: float = 0.0

    def __post_init__(self) -> None:
        self._earlier = (self.state.usd, self.state.calls)

    def __call__(self, event: Event) -> None:
        match event:
            case RunStarted():
                self._expect(event.material or event.problems)
            case RunResumed():
                self._earlier = (
                    event.spent_usd if event.spent_calls else 0.0,
                    event.spent_calls,
                )
            case ProbeJudged() | ItemFinished():
                self._news()
            case DepthClosed():
                self._news(share=self._share(event.row.depth), figure=event.evd)
            case PartClosed():
                self._news(share=self._share(event.index))
            case RunFinished():
                paid, usd = (
                    self._paid(),
                    event.spent_usd if event.spent_calls else event.cost_usd,
                )
                unknown = {"usd": None} if usd is None and paid["calls"] else {}
                self.state = self.state.model_copy(update={**paid, **unknown})

    def broken_off(self, status: CellStatus, error: str, at: datetime) -> CellState:
        """The state of the cell when its run cannot go on; what was paid stays paid."""
        return _changed(self.state, status, error, at, **self._paid())

    def _expect(self, material: object) -> None:
        if self.spec.method != "replay":  # how many questions it has, its events do not tell
            calls = METHODS[self.spec.method].calls(self.spec, material)
            self._parts = sum(chance.mid for _, chance in calls.parts())

    def _share(self, part: int) -> float:
        """How much of the run is done, now that this part has closed."""
        self._closed.add(part)
        done = len(self._closed) / self._parts if self._parts else 0.0
        return max(self.state.share, min(0.99, done))

    def _news(self, **changed: object) -> None:
        self.state = self.state.model_copy(update={**changed, **self._paid()})
        self.tell(self.state)

    def _paid(self) -> dict[str, Any]:
        """In all sessions."""
        (usd, calls), (usd_before, calls_before) = self.spent(), self._earlier
        return {
            "usd": None if usd_before is None else usd_before + usd,
            "calls": calls_before + calls,
        }


def _changed(
    state: CellState, status: CellStatus, error: str, at: datetime, **fields: object
) -> CellState:
    return state.model_copy(update={"status": status, "error": error, "changed": at, **fields})


def _finished(state: CellState, report: RunReport[Any], at: datetime) -> CellState:
    """The state of a cell whose run has ended, with what it has measured."""
    status, error = STATUS[report.exit_code], report.error or ""
    if status == "failed" and not error:
        reason = str(report.stop_reason).replace("_", " ")
        error = f"the run ended without what it was to find ({reason})"
    return _measured(_changed(state, status, error, at), report.folder)


def _measured(state: CellState, path: Path | None) -> CellState:
    """The state of a cell with what its run has measured."""
    if path is None or not path.is_dir():
        return state
    entry = entry_of(path)
    measured = {
        "figure": entry.main and entry.main.value,
        "interval": entry.main and entry.main.interval,
        "at_least": entry.censored,
        "share": 1.0 if state.status == "complete" else state.share,
    }
    return state.model_copy(update=measured)


@dataclass
class CellRunner:
    """Plays cells, each by its state. Open it first; close it when all have ended. Implements
    Engine."""

    specs: Mapping[str, Spec]
    """Cell → its spec, all that may come."""
    options: LaunchOptions
    slots: int = AT_ONCE
    store: str | None = None
    """Address of the database where the runs are kept, if not only in their folders."""
    listeners: Sequence[Listener] = ()
    """They hear every event."""
    _tell: Tell = lambda _: None
    _stack: AsyncExitStack = field(default_factory=AsyncExitStack)
    _resources: Resources | None = None
    _pools: dict[object, list[Path]] = field(default_factory=dict)
    _stopped: bool = False

    def __post_init__(self) -> None:
        if self.options.runs is None:
            raise UsageError("The cells of a campaign need a folder for their runs.")
        self._runs = self.options.runs
        self._database = Database(self.store)

    async def open(self, begun: Mapping[str, str], tell: Tell) -> None:
        """Open what all cells share. `begun`: cell → its run, of those that were begun before;
        their aspects serve the others of their domain. `tell` hears how each cell stands while it
        goes on. Raises UsageError for all that can be refused."""
        self._tell = tell
        specs = list(self.specs.values())
        self._resources = Resources(
            specs, self.options, self._stack, at_once=min(self.slots, len(specs))
        )
        await self._resources.open()
        for cell, run in begun.items():
            self._pools.setdefault(self._pool(cell), []).append(self._runs / run)

    async def aclose(self) -> None:
        await self._database.aclose()
        await self._stack.aclose()

    @property
    def _shared(self) -> Resources:
        assert self._resources is not None  # opened
        return self._resources

    @property
    def clients(self) -> Clients:
        """What limits the calls of this process."""
        return self._shared.clients

    @property
    def workers(self) -> Sequence[WorkerState]:
        """What this process has under way; its name is for others to give."""
        if self._resources is None:
            return []
        names = ("in_flight", "queued", "capacity", "refused")
        return [WorkerState(name="", **{name: getattr(self.clients, name) for name in names})]

    @property
    def in_flight(self) -> int:
        """Steps that have begun and are not finished."""
        launches = self._resources.launches if self._resources else ()
        return sum(launch.probes_in_flight for launch in launches)

    def stop(self) -> None:
        """As `Launch.stop`, for all that goes on."""
        self._stopped = True
        for launch in tuple(self._resources.launches if self._resources else ()):
            launch.stop()

    async def play(self, state: CellState, limit: Limit = (None, None)) -> CellState:
        """Play the cell to the end of its run, which has its name, from where that was left.
        Whatever goes wrong is in the state that is returned. Raises nothing but CancelledError."""
        spec, clock = self.specs[state.cell], self.options.clock
        running = _changed(state, "running", "", clock.now(), attempts=state.attempts + 1)
        watch = Watch(running, spec, self._tell)
        self._tell(watch.state)
        try:
            return await self._play(watch, spec, self._runs / state.run, limit)
        except Busy as error:
            return watch.broken_off("interrupted", str(error), clock.now())
        except FathomError as error:
            return watch.broken_off("failed", str(error), clock.now())
        except Exception as bug:  # noqa: BLE001 - one cell's bug must not take the others with it
            get_logger().exception("unexpected error")
            words = f"Unexpected {type(bug).__name__}: {bug}. This is a fault of Fathom."
            return watch.broken_off("failed", words, clock.now())

    async def _play(self, watch: Watch, spec: Spec, path: Path, limit: Limit) -> CellState:
        database = await self._database.reached()
        async with _exclusively(path, spec, database, lambda: self._stopped) as folder:
            if is_over(path):
                result, at = outcome_of(path), self.options.clock.now()
                if result is not None and result.stop_reason in SHORT:
                    state = _changed(watch.state, "failed", result.stop_detail, at)
                else:
                    state = _changed(watch.state, "complete", "", at)
                return _measured(state, path)
            await self._share_pool(watch.state.cell)
            options = replace(
                self.options,
                budget_usd=limit[0],
                max_calls=limit[1],
                copy=database.append if database is not None else None,
            )
            return await self._launch(watch, spec, folder, options)

    async def _launch(
        self, watch: Watch, spec: Spec, folder: RunFolder, options: LaunchOptions
    ) -> CellState:
        record = record_in(folder.path) or options.record(short_id(), (folder.run_id,))
        runs: dict[str, Any] = {"specs": [spec], "folders": [folder], "launch": record.launch}
        if has_begun(folder.path):
            resumption = take_up(folder.path, record, folder)
            # one that was begun when it had fewer repeats beside it has another spec
            self._shared.admit([resumption.spec])
            runs = {"specs": [], "resumed": [resumption]}
        launch: Launch[Any] = Launch(
            options=options, listeners=(watch, *self.listeners), shared=self._shared, **runs
        )
        watch.spent = lambda: launch.spent
        if self._stopped:
            launch.stop()
        (report,) = await launch.run()
        return _finished(watch.state, report, options.clock.now())

    async def _share_pool(self, cell: str) -> None:
        """The aspects of a domain that an earlier session has drawn from serve all its runs."""
        journals = self._pools.pop(self._pool(cell), [])
        await fill_pools(self._shared.pools, journals)

    def _pool(self, cell: str) -> object:
        spec = self.specs[cell]
        return pool_key(spec) if spec.method == "drill" else None


# a run for one process at a time


@dataclass
class Database:
    """The database of a campaign, if it has one; reached anew where its connection was lost."""

    address: str | None
    _one_at_a_time: asyncio.Lock = field(default_factory=asyncio.Lock)
    _runs: PostgresRuns | None = None

    async def reached(self) -> PostgresRuns | None:
        """None without one. Raises UsageError when it stays away."""
        if self.address is None:
            return None
        async with self._one_at_a_time:
            for wait_s in RECONNECT_S:
                if self._runs is not None and not self._runs.broken:
                    return self._runs
                await asyncio.sleep(wait_s)
                with suppress(UsageError):
                    self._runs = await PostgresRuns.open(self.address)
            if self._runs is None or self._runs.broken:
                self._runs = await PostgresRuns.open(self.address)
            return self._runs

    async def aclose(self) -> None:
        if self._runs is not None:
            await self._runs.aclose()


async def bring(states: Iterable[CellState], runs: Path, address: str) -> None:
    """Copy the runs that have ended from the database, as far as they are not here. Raises
    UsageError and RunFailed when it cannot be used."""
    database = Database(address)
    try:
        for state in states:
            path = runs / state.run
            if not (state.run and state.over) or (
                is_run(path) and entry_of(path).status == state.status
            ):
                continue
            if (source := await database.reached()) is not None:
                path.mkdir(parents=True, exist_ok=True)
                await source.fetch(state.run, path)
    finally:
        await database.aclose()


@asynccontextmanager
async def _exclusively(
    path: Path, spec: Spec, database: PostgresRuns | None, stopped: Callable[[], bool]
) -> AsyncIterator[RunFolder]:
    """The run's folder, once nobody else has it; with a database as that has it, and what comes of
    it goes there.

    Raises Busy when another process holds the run all the time, or this one is `stopped`, UsageError
    when the folder cannot be written, and RunFailed when the database is lost.
    """
    try:
        folder = await _once_free(path, spec, database, stopped)
        try:
            # what the folder holds of the run is only a copy
            if database is not None and not await database.fetch(path.name, path):
                await database.keep(
                    path.name, "spec.json", spec.model_dump_json(indent=2) + "\n"
                )
            yield folder
            for name in RETURNED:
                if database is not None and (path / name).is_file():
                    text = (path / name).read_text(encoding="utf-8")
                    await database.keep(path.name, name, text)
        finally:
            folder.release()
    finally:
        if database is not None and not database.broken:
            await database.release(path.name)


async def _once_free(
    path: Path, spec: Spec, database: PostgresRuns | None, stopped: Callable[[], bool]
) -> RunFolder:
    """The run's folder, which is asked for until nobody else has it."""
    tries = int(PATIENCE_S / BUSY_S)
    while True:
        try:
            if database is not None and not await database.hold(path.name):
                raise Busy(
                    f"The run {path.name} is being worked on by another process: wait for it, or "
                    "stop it first."
                )
            return RunFolder.at(path, spec)
        except Busy:
            tries -= 1
            if stopped() or tries < 0:
                raise
            await asyncio.sleep(BUSY_S)
