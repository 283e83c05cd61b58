"""The cells of a campaign that one process plays: side by side, over one set of clients, cache and
sources."""

from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

from ...state.campaign import CellState, WorkerState
from ...state.errors import FathomError, UsageError
from ...state.result import SHORT
from ...state.spec import Spec
from ...tools.models.clients import Clients
from ...tools.runs.journal import Listener
from ...tools.runs.log import get_logger
from ...tools.runs.postgres import PostgresRuns
from ..outcome import outcome_of
from ..run.deps import fill_pools, pool_key
from ..run.folder import Busy, RunFolder, short_id
from ..run.launch import Launch
from ..run.options import LaunchOptions
from ..run.resources import Resources
from ..run.resume_check import Resumption, has_begun, is_over, record_in, take_up
from .cell import Told, Watch, ended, measured
from .holding import Database, held

Limit = tuple[float | None, int | None]
"""Most USD and most calls of a cell, all its attempts together; None: no limit."""


class CellRunner:
    """Plays cells, each by its state. Open it first; close it when all have ended."""

    def __init__(
        self,
        specs: Mapping[str, Spec],
        options: LaunchOptions,
        tell: Told,
        *,
        at_once: int,
        store: str | None = None,
        listeners: Sequence[Listener] = (),
    ) -> None:
        """`specs`: cell → its spec, all that may come. `tell` hears how each cell stands while it
        goes on; `listeners` hear every event. `store`: address of the database where the runs are
        kept, if not only in their folders."""
        if options.runs is None:
            raise UsageError("The cells of a campaign need a folder for their runs.")
        self._specs, self._options, self._runs = specs, options, options.runs
        self._tell, self._listeners, self._at_once = tell, tuple(listeners), at_once
        self._database = Database(store)
        self._stack = AsyncExitStack()
        self._resources: Resources | None = None
        self._launches = set[Launch[Any]]()
        self._pools = dict[object, list[Path]]()
        self._stopped = False

    async def open(self, begun: Mapping[str, str]) -> None:
        """Open what all cells share. `begun`: cell → its run, of those that were begun before;
        their aspects serve the others of their domain. Raises UsageError for all that can be
        refused."""
        specs = list(self._specs.values())
        self._resources = Resources(
            specs, self._options, self._stack, at_once=min(self._at_once, len(specs))
        )
        await self._resources.open()
        for cell, run in begun.items():
            if (key := self._pool(cell)) is not None:
                self._pools.setdefault(key, []).append(self._runs / run)

    async def aclose(self) -> None:
        await self._database.aclose()
        await self._stack.aclose()

    @property
    def clients(self) -> Clients:
        """What limits the calls of this process."""
        assert self._resources is not None  # opened
        return self._resources.clients

    @property
    def now(self) -> WorkerState:
        """What is under way; its name is for others to give."""
        clients = self._resources.clients if self._resources else None
        if clients is None:
            return WorkerState(name="")
        return WorkerState(
            name="",
            in_flight=clients.in_flight,
            queued=clients.queued,
            capacity=clients.capacity,
            refused=clients.refused,
        )

    @property
    def probes_in_flight(self) -> int:
        """Steps that have begun and are not finished."""
        return sum(launch.probes_in_flight for launch in self._launches)

    def stop(self) -> None:
        """As `Launch.stop`, for all that goes on."""
        self._stopped = True
        for launch in tuple(self._launches):
            launch.stop()

    async def play(self, state: CellState, limit: Limit = (None, None)) -> CellState:
        """Play the cell to the end of its run, which has its name, from where that was left.
        Whatever goes wrong is in the state that is returned. Raises nothing but CancelledError."""
        spec, clock = self._specs[state.cell], self._options.clock
        begun = {
            "attempts": state.attempts + 1,
            "status": "running",
            "error": "",
            "changed": clock.now(),
        }
        watch = Watch(state.model_copy(update=begun), spec, self._tell)
        self._tell(watch.state)
        try:
            return await self._played(watch, spec, self._runs / state.run, limit)
        except Busy as error:
            return watch.lost("interrupted", str(error), clock.now())
        except FathomError as error:
            return watch.lost("failed", str(error), clock.now())
        except Exception as bug:  # noqa: BLE001 - one cell's bug must not take the others with it
            get_logger().exception("unexpected error")
            said = f"Unexpected {type(bug).__name__}: {bug}. This is a fault of Fathom."
            return watch.lost("failed", said, clock.now())

    async def _played(self, watch: Watch, spec: Spec, path: Path, limit: Limit) -> CellState:
        database = await self._database.reached()
        async with held(path, spec, database, lambda: self._stopped) as folder:
            if is_over(path):
                result = outcome_of(path)
                changed: dict[str, object] = {
                    "status": "complete",
                    "changed": self._options.clock.now(),
                }
                if result is not None and result.stop_reason in SHORT:
                    changed |= {"status": "failed", "error": result.stop_detail}
                return measured(watch.state.model_copy(update=changed), path)
            await self._share_pool(watch.state.cell)
            return await self._launched(watch, spec, folder, limit, database)

    async def _launched(
        self,
        watch: Watch,
        spec: Spec,
        folder: RunFolder,
        limit: Limit,
        database: PostgresRuns | None,
    ) -> CellState:
        usd, calls = limit
        copy = database.append if database is not None else None
        options = replace(
            self._options,
            budget_usd=usd,
            max_calls=calls,
            copy=copy,
        )
        own = (record_in(folder.path) or options.record(short_id(), (folder.run_id,))).launch
        resumed = list[Resumption]()
        if has_begun(folder.path):
            resumed = [take_up(folder.path, options.record(own, (folder.run_id,)), folder)]
            self._know(resumed[0].spec, spec)
        new = [] if resumed else [spec]
        launch: Launch[Any] = Launch(
            new,
            options,
            (watch, *self._listeners),
            resumed=resumed,
            launch=own,
            shared=self._resources,
            folders=[] if resumed else [folder],
        )
        watch.spent = lambda: launch.spent
        self._launches.add(launch)
        if self._stopped:
            launch.stop()
        try:
            (report,) = await launch.run()
        finally:
            self._launches.discard(launch)
        return ended(watch.state, report, options.clock.now())

    def _know(self, begun: Spec, now: Spec) -> None:
        """A cell that was begun when it had fewer repeats beside it has the same prompts."""
        if self._resources is not None:
            self._resources.prompts.setdefault(begun.digest, self._resources.prompts[now.digest])

    async def _share_pool(self, cell: str) -> None:
        """The aspects of a domain that an earlier session has drawn from serve all its runs."""
        key, resources = self._pool(cell), self._resources
        if key is None or resources is None:
            return
        pool = self._pools.pop(key, None)
        if pool:
            prompts = resources.prompts[self._specs[cell].digest]
            await fill_pools(resources.pools, pool, prompts)

    def _pool(self, cell: str) -> object:
        spec, resources = self._specs[cell], self._resources
        if spec.method != "drill" or resources is None:
            return None
        return pool_key(spec, resources.prompts[spec.digest])
