"""What a campaign has in dask's scheduler and in its workers. The scheduler's plugin shares out what
a provider allows among the processes; the workers' plays the cells.

Each process asks its endpoints within its own share, and nobody asks for leave before a call. A
process that is to give something up goes on with the calls it has under way and says when it is
down to its new share; only then does another one get what came free. The share of a process that
was lost stays out of use for as long as its calls may last.
"""

import asyncio
import os
import signal
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, NamedTuple

from distributed import SchedulerPlugin, Worker, WorkerPlugin

from ... import __version__
from ...state.campaign import CellState, News, WorkerState
from ...state.errors import FathomError, UsageError
from ...state.spec import Spec
from ...tools.cache.store import cache_path
from ...tools.env import read_env
from ...tools.garbage import look_for_garbage_rarely
from ...tools.runs.index import NAME
from ..run.options import LaunchOptions
from .runner import CellRunner, Limit

if TYPE_CHECKING:
    from distributed.scheduler import Scheduler

READY, GONE, SHARE, DOWN, STOP = "ready", "gone", "share", "down", "stop"
"""Messages between scheduler and workers, each behind the name of the campaign."""
DEATHS = 1000
"""Workers that a task may lose before dask gives it up: a cell goes on from its journal, so that it
is never at fault for long."""


class Order(NamedTuple):
    """From now on the worker may have so many calls at once there, and this share of the rate of
    each model."""

    worker: str
    where: str
    slots: int
    share: float


class Shares:
    """Who may have how many calls under way. Pure; `orders` are what is to be told."""

    def __init__(self) -> None:
        self._totals: dict[str, int] = {}
        self._live: dict[str, None] = {}
        self._told: dict[str, dict[str, Order]] = defaultdict(dict)
        """Where → worker → what it was told last."""
        self._most: dict[str, dict[str, int]] = defaultdict(dict)
        """Where → worker → what it may still have under way; those that were lost are among them.
        """

    def join(self, worker: str, totals: Mapping[str, int]) -> Iterator[Order]:
        """A worker is ready. `totals`: where → calls at once of all workers together."""
        for where, total in totals.items():
            self._totals[where] = min(total, self._totals.get(where, total))
        self._live[worker] = None
        return self.orders()

    def leave(self, worker: str) -> Iterator[Order]:
        """A worker has ended all its calls."""
        self.lose(worker)
        return self.free(worker)

    def lose(self, worker: str) -> None:
        """A worker is gone; its calls may still be under way."""
        self._live.pop(worker, None)
        for orders in self._told.values():
            orders.pop(worker, None)

    def free(self, worker: str) -> Iterator[Order]:
        """Nothing of a worker that left is under way any more."""
        if worker not in self._live:
            for most in self._most.values():
                most.pop(worker, None)
        return self.orders()

    def down(self, worker: str, where: str, slots: int) -> Iterator[Order]:
        """A worker has no more than so many calls under way there."""
        if worker in self._told[where] and self._told[where][worker].slots == slots:
            self._most[where][worker] = slots
        return self.orders()

    def orders(self) -> Iterator[Order]:
        """What is to be told now; what others have first to give up is told once they have. Of a
        rate that is nothing: those whose share becomes smaller are told before those that are new.
        """
        workers = sorted(self._live)
        for where, total in self._totals.items():
            before_of, most = self._told[where], self._most[where]
            ranked = sorted(enumerate(workers), key=lambda pair: pair[1] not in before_of)
            for rank, worker in ranked:
                before = before_of.get(worker)
                slots = total // len(workers) + (rank < total % len(workers))
                slots_now = before.slots if before else 0
                if slots > slots_now:
                    spare = total - sum(most.values()) + most.get(worker, 0)
                    slots = max(slots_now, min(slots, spare))
                if (order := Order(worker, where, slots, 1 / len(workers))) != before:
                    before_of[worker] = order
                    most[worker] = max(most.get(worker, 0), slots)
                    yield order


class SharesPlugin(SchedulerPlugin):
    """Shares out what is limited among the workers of one campaign that are ready."""

    def __init__(self, campaign: str, client: str, patience_s: float) -> None:
        """`client`: the coordinator's id. `patience_s`: how long a call of a worker that was lost
        may last."""
        self.name, self._campaign, self._patience_s = f"{campaign}-shares", campaign, patience_s
        self._client = client
        self._shares = Shares()
        self._scheduler: Any = None

    async def start(self, scheduler: "Scheduler") -> None:
        self._scheduler = scheduler
        scheduler.allowed_failures = max(scheduler.allowed_failures, DEATHS)
        handlers: dict[str, Any] = {READY: self._ready, GONE: self._leave, DOWN: self._down}
        scheduler.stream_handlers.update(
            {f"{self._campaign}-{op}": handle for op, handle in handlers.items()}
        )

    def remove_worker(self, scheduler: "Scheduler", worker: str, **_: Any) -> None:
        self._shares.lose(worker)
        scheduler.log_event(f"{self._campaign}-{GONE}", worker)
        scheduler.loop.call_later(
            self._patience_s, lambda: self._tell(self._shares.free(worker))
        )

    def remove_client(self, scheduler: "Scheduler", client: str) -> None:
        """Without a coordinator nothing goes on, so that the next one does not share the limits
        with a dead one."""
        for worker in self._shares._live if client == self._client else ():
            self._send(worker, op=STOP)

    def _ready(self, worker: str, totals: dict[str, int], **_: Any) -> None:
        self._tell(self._shares.join(worker, totals))

    def _leave(self, worker: str, **_: Any) -> None:
        self._tell(self._shares.leave(worker))

    def _down(self, worker: str, where: str, slots: int, **_: Any) -> None:
        self._tell(self._shares.down(worker, where, slots))

    def _tell(self, orders: Iterator[Order]) -> None:
        for order in orders:
            self._send(
                order.worker, op=SHARE, where=order.where, slots=order.slots, share=order.share
            )

    def _send(self, worker: str, op: str, **message: Any) -> None:
        if worker in self._scheduler.workers:
            self._scheduler.worker_send(worker, {"op": f"{self._campaign}-{op}", **message})


# the workers

AT_ONCE = 16
"""Cells side by side in one worker of an own cluster: its threads, as dask counts them."""
NEWS_S = 0.5
"""Time between two reports."""


class WithoutPages:
    """A scheduler or a worker without HTTP: its pages ask nobody who he is."""

    def start_http_server(self, *_: Any, **__: Any) -> None: ...


class ClosedWorker(WithoutPages, Worker):
    """A worker of an own cluster."""


@dataclass(frozen=True)
class Job:
    """What all workers of a campaign are told. Keys are not among it: each worker has those of its
    own environment."""

    specs: Mapping[str, Spec]
    options: LaunchOptions
    store: str | None = field(repr=False)
    begun: Mapping[str, str]
    totals: Mapping[str, int]
    """Where → calls at once, of all workers together."""
    version: str = __version__


class CellsPlugin(WorkerPlugin):
    """Plays the cells that come to its worker."""

    def __init__(self, name: str, job: Job) -> None:
        self.name, self._job = name, job
        self._runner: CellRunner | None = None
        self._refused: str | None = None
        self._temporary: TemporaryDirectory[str] | None = None
        self._news: dict[str, CellState] = {}
        self._shrinking: dict[str, int] = {}

    async def setup(self, worker: Any) -> None:
        self._worker, self._set_up = worker, asyncio.Event()
        with suppress(ValueError):  # a worker in a thread of a program's keeps the program's
            signal.signal(
                signal.SIGINT, signal.SIG_IGN
            )  # Ctrl-C is for the coordinator, which tells us
        self._reporting = asyncio.ensure_future(self._report())
        try:
            await self._open()
        except FathomError as error:
            self._refused = str(error)
        finally:
            self._set_up.set()

    async def _open(self) -> None:
        job = self._job
        if job.version != __version__:
            raise UsageError(
                f"The worker {self._worker.address} has Fathom {__version__}, not {job.version}."
            )
        env = read_env(Path.cwd(), os.environ)
        cache, runs = cache_path(env), self._runs_folder(env.get("FATHOM_RUNS", "").strip())
        options = replace(job.options, env=env, runs=runs, data=cache.parent)
        options = replace(options, cache=cache if job.options.cache is not None else None)
        runner = CellRunner(
            job.specs, options, slots=self._worker.state.nthreads, store=job.store
        )
        await runner.open(job.begun, self._hear)
        look_for_garbage_rarely()
        clients = runner.clients
        for where in job.totals:
            if where in clients.destinations:
                clients.destinations[where].allot(0)  # until the scheduler has told how much
        handlers = {SHARE: self._allot, STOP: self._abandon}
        self._worker.stream_handlers.update(
            {f"{self.name}-{op}": handle for op, handle in handlers.items()}
        )
        self._runner = runner
        self._send(READY, totals=dict(job.totals))

    def _runs_folder(self, local_runs: str) -> Path:
        """The folder for the runs. With a database it is this machine's `local_runs`, or one for the time
        being where that is not named and the coordinator's is not here. Raises UsageError where the
        coordinator's has to be."""
        job, theirs = self._job, self._job.options.runs
        assert theirs is not None  # the engine has made it
        if job.store is None and not os.access(theirs / NAME, os.W_OK):
            raise UsageError(
                f"The worker {self._worker.address} does not have the folder of the runs {theirs}: "
                "share that folder"
                " with it, or keep the runs in a database with --store."
            )
        if job.store is not None and local_runs:
            return Path(local_runs)
        if not os.access(theirs, os.W_OK):
            self._temporary = TemporaryDirectory(prefix="fathom-")
            return Path(self._temporary.name)
        return theirs

    async def teardown(self, worker: Any) -> None:
        self._reporting.cancel()
        if self._runner is not None:
            self._runner.stop()
            self._runner.stop()
            await self._runner.aclose()
            self._send(GONE)

    async def play(self, state: CellState, limit: Limit) -> CellState:
        """As `CellRunner.play`. Raises UsageError where this worker cannot take part."""
        await self._set_up.wait()
        if self._runner is None:
            raise UsageError(
                self._refused or f"The worker {self._worker.address} is not ready."
            )
        try:
            return await self._runner.play(state, limit)
        finally:
            self._news.pop(state.cell, None)

    def _abandon(self, **_: Any) -> None:
        """The coordinator is gone, and the next one may have all connections."""
        self.stop()
        self.stop()

    def stop(self) -> None:
        if self._runner is not None:
            self._runner.stop()

    def _hear(self, state: CellState) -> None:
        self._news[state.cell] = state

    async def _report(self) -> None:
        """Tell the coordinator now and then how cells stand; tell the scheduler what was given
        up."""
        while True:
            await asyncio.sleep(NEWS_S)
            news, self._news = list(self._news.values()), {}
            state = (self._runner.workers if self._runner else [WorkerState(name="")])[0]
            process = state.model_copy(update={"name": self._worker.address})
            self._worker.log_event(
                self.name, News(process=process, cells=tuple(news)).model_dump_json()
            )
            self._give_up()

    # shares

    def _send(self, op: str, **message: Any) -> None:
        self._worker.batched_send({"op": f"{self.name}-{op}", **message})

    def _allot(self, where: str, slots: int, share: float) -> None:
        assert self._runner is not None  # it has told that it is ready
        if where in self._runner.clients.destinations:
            self._runner.clients.destinations[where].allot(slots, share)
        self._shrinking[where] = slots
        self._give_up()

    def _give_up(self) -> None:
        for where, slots in tuple(self._shrinking.items()):
            destinations = self._runner.clients.destinations if self._runner else {}
            if where not in destinations or destinations[where].places.held <= slots:
                del self._shrinking[where]
                self._send(DOWN, where=where, slots=slots)
