"""A campaign on dask: its tasks are cells, played by the plugin of the worker they come to."""

import asyncio
import logging
import signal
import sys
from collections import Counter, defaultdict
from collections.abc import Coroutine, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, contextmanager, suppress
from dataclasses import dataclass, field, replace
from multiprocessing import forkserver, resource_tracker
from tempfile import TemporaryDirectory
from typing import Any

import dask
from distributed import (
    Client,
    KilledWorker,
    Nanny,
    Scheduler,
    Security,
    SpecCluster,
    get_worker,
)
from distributed.client import FutureCancelledError
from distributed.comm.addressing import get_address_host_port
from distributed.utils import get_mp_context

from ...state.campaign import CellState, News, WorkerState
from ...state.errors import RunFailed, UsageError
from ...state.spec import Spec
from ..run.folder import short_id
from ..run.options import LaunchOptions
from ..run.resources import Resources
from .plugins import (
    AT_ONCE,
    GONE,
    CellsPlugin,
    ClosedWorker,
    Job,
    SharesPlugin,
    WithoutPages,
)
from .runner import Limit, Tell

CONNECT_S = 10
WORKERS_S = 60
SPARE = 4
"""Cells that wait at each worker, so that one of a domain it knows is there when another has ended.
"""


async def _play(name: str, state: CellState, limit: Limit) -> CellState:
    """The task. A worker that has just come may hear of it before it has its plugin."""
    plugins: Any = get_worker().plugins
    while name not in plugins:  # noqa: ASYNC110 - dask tells nobody
        await asyncio.sleep(0.1)
    after: CellState = await plugins[name].play(state, limit)
    return after


def _stop(name: str, dask_worker: Any) -> None:
    if name in dask_worker.plugins:
        dask_worker.plugins[name].stop()


@contextmanager
def _scheduler_is_there() -> Iterator[None]:
    """Raises RunFailed where it is not."""
    try:
        yield
    except (OSError, FutureCancelledError) as error:
        raise RunFailed(
            "The dask scheduler is gone, and its workers with it: nothing that was finished is "
            "lost. Start them again,"
            " then run the same command once more."
        ) from error


@dataclass
class ClusterEngine:
    """Plays cells on the workers of a cluster: at this address, or one of its own with a process
    per core."""

    specs: Mapping[str, Spec]
    options: LaunchOptions
    address: str | None = None
    processes: int = 2
    store: str | None = None
    _name: str = field(default_factory=lambda: f"fathom-{short_id()}")
    _stack: AsyncExitStack = field(default_factory=AsyncExitStack)
    _client: Any = None
    _workers: dict[str, WorkerState] = field(default_factory=dict)
    _threads: dict[str, int] = field(default_factory=dict)
    _tell: Tell = lambda _: None
    _homes: dict[str, str] = field(default_factory=dict)
    """Cell under way → its worker."""
    _played: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    """Domain → worker → cells that it was given."""
    _tasks: set[asyncio.Task[Any]] = field(default_factory=set)

    @property
    def slots(self) -> int:
        return sum(self._threads.values()) + SPARE * len(self._threads)

    @property
    def workers(self) -> Sequence[WorkerState]:
        return list(self._workers.values())

    @property
    def in_flight(self) -> int:
        return sum(worker.in_flight for worker in self.workers)

    async def open(self, begun: Mapping[str, str], tell: Tell) -> None:
        self._tell = tell
        logging.getLogger("distributed.client").setLevel(
            logging.CRITICAL
        )  # what happens is told by the cells
        async with (
            AsyncExitStack() as checked
        ):  # what can be refused is refused here, before anything is started
            resources = Resources(
                list(self.specs.values()), self.options, checked, at_once=AT_ONCE
            )
            destinations = resources.clients.destinations.items()
            totals = {where: there.connections for where, there in destinations}
        job = Job(self.specs, self._everywhere(), self.store, dict(begun), totals)
        self._client = await self._connected(min([self.processes, *totals.values()]))
        with _scheduler_is_there():
            await self._have_workers()
            self._client.subscribe_topic(self._name, self._hear)
            self._client.subscribe_topic(f"{self._name}-{GONE}", self._lose)
            patience_s = self.options.limits.timeout_s
            await self._client.register_plugin(
                SharesPlugin(self._name, self._client.id, patience_s)
            )
            await self._client.register_plugin(CellsPlugin(self._name, job), name=self._name)
            await self._look()

    def _everywhere(self) -> LaunchOptions:
        """The options as workers in other folders have them, without keys."""
        runs = self.options.runs
        assert runs is not None  # a campaign has its folder
        runs.mkdir(parents=True, exist_ok=True)
        return replace(self.options, env={}, runs=runs.absolute())

    async def _connected(self, processes: int) -> Any:
        scheduler: Any = self.address
        if scheduler is None:
            scheduler = await own_cluster(self._stack, processes)
        try:
            if self.address is not None:
                get_address_host_port(self.address)
            client: Any = await Client(  # type: ignore[no-untyped-call]
                scheduler, asynchronous=True, timeout=CONNECT_S, set_as_default=False
            )
        except (OSError, ValueError) as error:  # nobody there, or no address
            raise UsageError(
                f"No dask scheduler answers at {self.address}: start one with `dask scheduler`, "
                "or give its address"
                " (tcp://HOST:8786)."
            ) from error
        self._stack.push_async_callback(client.close)
        return client

    async def _have_workers(self) -> None:
        """Wait for the first one. Raises UsageError when none comes."""
        try:
            await self._client.wait_for_workers(1, timeout=WORKERS_S)
        except TimeoutError:
            raise UsageError(
                f"No worker has come to the dask scheduler within {WORKERS_S} s: start one with"
                f" `dask worker {self._client.scheduler.address}`, on as many machines as you like."
            ) from None

    async def _look(self) -> None:
        """Which workers there are."""
        info = await self._client.scheduler.identity()
        workers = info["workers"].items()
        self._threads = {address: worker["nthreads"] for address, worker in workers}
        for name in self._workers.keys() - self._threads.keys():
            del self._workers[name]

    def _hear(self, event: tuple[float, str]) -> None:
        news = News.model_validate_json(event[1])
        new = news.process.name not in self._workers
        self._workers[news.process.name] = news.process
        for state in news.cells:
            self._tell(state)
        if new:
            self._aside(self._look())

    def _lose(self, event: tuple[float, str]) -> None:
        self._threads.pop(event[1], None)
        self._workers.pop(event[1], None)

    async def play(self, state: CellState, limit: Limit) -> CellState:
        key = f"{state.cell}-{state.attempts}-{self._name}"
        home, near = self._home(state), dict[str, Any]()
        if home is not None:
            near = {"workers": [home], "allow_other_workers": True}
            self._homes[state.cell] = home
            self._played[state.domain][home] += 1
        future = self._client.submit(
            _play, self._name, state, limit, key=key, pure=False, **near
        )
        try:
            with _scheduler_is_there():
                return await future  # type: ignore[no-any-return]
        except KilledWorker as error:
            return state.model_copy(
                update={"status": "interrupted", "error": f"its workers died ({error})"}
            )
        finally:
            self._homes.pop(state.cell, None)
            with suppress(Exception):
                future.release()

    def _home(self, state: CellState) -> str | None:
        """The worker that has played most cells of the domain, which share aspects and first
        questions: these are asked once where one process plays them. Where it has enough to do, the
        one that has the fewest for its threads."""
        load, before = Counter(self._homes.values()), self._played[state.domain]
        free = [
            worker
            for worker, threads in self._threads.items()
            if load[worker] < threads + 2 * SPARE
        ]
        rank = {
            worker: (-before[worker], load[worker] / self._threads[worker]) for worker in free
        }
        return min(free, key=rank.__getitem__, default=None)

    def stop(self) -> None:
        if self._client is not None:
            self._aside(self._client.run(_stop, self._name))

    def _aside(self, work: Coroutine[Any, Any, Any]) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def aclose(self) -> None:
        if self._client is not None and self._client.status == "running":
            with suppress(Exception):
                await self._client.unregister_worker_plugin(self._name)
                await self._client.unregister_scheduler_plugin(f"{self._name}-shares")
        with suppress(Exception):
            await self._stack.aclose()


# a process per core of this machine, closed to everybody else who uses it

HERE = "127.0.0.1"
LEAN = {
    "distributed.worker.profile.enabled": False,
    "distributed.admin.tick.interval": "1s",
    "distributed.admin.system-monitor.disk": False,
    "distributed.scheduler.work-stealing": False,
}
"""An own cluster does without what looks at its workers up to a hundred times a second, and is
given each cell where it is best played."""
FORKED = (
    {"distributed.worker.multiprocessing-method": "forkserver"}
    if sys.platform == "linux"
    else {}
)
LOADED = [
    "distributed.nanny",
    "fathom.graphs.campaign.plugins",
    "fathom.tools.models.endpoint",
    "fathom.tools.facts.mediawiki",
    "fathom.tools.facts.tavily",
]


class ClosedScheduler(WithoutPages, Scheduler):
    """The scheduler of an own cluster."""


def _load_once() -> None:
    """Have the workers of an own cluster forked from a process that has loaded what they need,
    once."""
    get_mp_context().set_forkserver_preload(LOADED)  # type: ignore[no-untyped-call]
    resource_tracker.ensure_running()  # which would unblock what is blocked here
    # Ctrl-C is for the coordinator, which tells the workers
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        forkserver.ensure_running()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


async def own_cluster(stack: AsyncExitStack, processes: int) -> Any:
    """One that answers nobody else on this machine: each end shows the other a certificate of this
    session, which is nowhere but in its processes. Raises RunFailed when a worker does not come up.
    """
    # workers import from their folder: in one that all users share another's code could be put
    # there
    folder = stack.enter_context(
        TemporaryDirectory(prefix="fathom-", ignore_cleanup_errors=True)
    )
    stack.enter_context(dask.config.set({**LEAN, **FORKED, "temporary-directory": folder}))
    if FORKED:
        _load_once()
    security = Security.temporary()  # type: ignore[no-untyped-call]
    shared = {"host": HERE, "protocol": "tls://", "security": security}
    worker = {
        "cls": Nanny,
        "options": {
            **shared,
            "nthreads": AT_ONCE,
            "memory_limit": 0,  # none is watched: cells keep nothing with dask
            "worker_class": ClosedWorker,
            "dashboard": False,
        },
    }
    cluster = SpecCluster(  # type: ignore[no-untyped-call]
        workers=dict.fromkeys(range(processes), worker),
        scheduler={
            "cls": ClosedScheduler,
            "options": {**shared, "port": 0, "dashboard": False},
        },
        security=security,
        asynchronous=True,
        silence_logs=logging.CRITICAL,
    )
    try:
        return await stack.enter_async_context(cluster)
    except (OSError, RuntimeError) as error:
        raise RunFailed(
            f"A worker ended while the cluster started ({str(error) or type(error).__name__}): "
            "nothing was asked."
            " Run the same command once more, or with --engine local."
        ) from error
