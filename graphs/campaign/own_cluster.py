"""A cluster of a campaign's own: a process per core of this machine, closed to everybody else who
uses it."""

import logging
import signal
import sys
from contextlib import AsyncExitStack
from multiprocessing import forkserver, resource_tracker
from tempfile import TemporaryDirectory
from typing import Any

import dask
from distributed import Nanny, Scheduler, Security, SpecCluster
from distributed.utils import get_mp_context

from ...state.errors import RunFailed
from .worker import AT_ONCE, ClosedWorker, WithoutPages

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
    {"distributed.worker.multiprocessing-method": "forkserver"} if sys.platform == "linux" else {}
)
LOADED = [
    "distributed.nanny",
    "fathom.graphs.campaign.worker",
    "fathom.tools.models.transport",
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
    folder = stack.enter_context(TemporaryDirectory(prefix="fathom-", ignore_cleanup_errors=True))
    stack.enter_context(
        dask.config.set(
            {
                **LEAN,
                **FORKED,
                "temporary-directory": folder,
            }
        )
    )
    if FORKED:
        _load_once()
    security = Security.temporary()  # type: ignore[no-untyped-call]
    shared = {
        "host": HERE,
        "protocol": "tls://",
        "security": security,
    }
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
        scheduler={"cls": ClosedScheduler, "options": {**shared, "port": 0, "dashboard": False}},
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
