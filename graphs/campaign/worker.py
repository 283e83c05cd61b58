"""A campaign on dask: a worker's side."""

import asyncio
import os
import signal
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from distributed import Worker, WorkerPlugin

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
from .shares import DOWN, GONE, READY, REFUSED, SHARE, STOP

AT_ONCE = 16
"""Cells side by side in one worker of an own cluster: its threads, as dask counts them."""
NEWS_S = 0.5
"""Time between two reports."""


class WithoutPages:
    """A scheduler or a worker without HTTP: its pages ask nobody who he is."""

    def start_http_server(self, *_: Any, **__: Any) -> None: ...


class ClosedWorker(WithoutPages, Worker):
    """A worker of an own cluster."""


class Refused(Exception):
    """A worker cannot take part: its address, and why, in a sentence."""


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
            job.specs, options, at_once=self._worker.state.nthreads, store=job.store
        )
        await runner.open(job.begun, self._hear)
        look_for_garbage_rarely()
        clients = runner.clients
        for where in job.totals:
            clients.allot(where, 0)  # until the scheduler has told how much
        clients.on_refused = self._tell_refused
        handlers = {
            SHARE: self._allot,
            REFUSED: self._hear_refused,
            STOP: self._abandon,
        }
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
        """As `CellRunner.play`. Raises Refused."""
        await self._set_up.wait()
        if self._runner is None:
            raise Refused(self._worker.address, self._refused or "the worker is not ready")
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
            rss_mb = round(self._worker.monitor.get_process_memory() / 1e6, 1)
            process = state.model_copy(update={"name": self._worker.address, "rss_mb": rss_mb})
            self._worker.log_event(
                self.name, News(process=process, cells=tuple(news)).model_dump_json()
            )
            self._give_up()

    # shares

    def _send(self, op: str, **message: Any) -> None:
        self._worker.batched_send({"op": f"{self.name}-{op}", **message})

    def _allot(self, where: str, slots: int, share: float) -> None:
        assert self._runner is not None  # it has told that it is ready
        self._runner.clients.allot(where, slots, share)
        self._shrinking[where] = slots
        self._give_up()

    def _give_up(self) -> None:
        for where, slots in tuple(self._shrinking.items()):
            if self._runner is not None and self._runner.clients.under_way(where) <= slots:
                del self._shrinking[where]
                self._send(DOWN, where=where, slots=slots)

    def _tell_refused(self, where: str, model: str, pause_s: float) -> None:
        self._send(REFUSED, where=where, model=model, pause_s=pause_s)

    def _hear_refused(self, where: str, model: str, pause_s: float) -> None:
        assert self._runner is not None  # it has told that it is ready
        self._runner.clients.refused_elsewhere(where, model, pause_s)
