"""What a provider allows, shared out among the processes of a cluster, by a plugin of dask's
scheduler.

Each process asks its endpoints within its own share, and nobody asks for leave before a call. A
process that is to give something up goes on with the calls it has under way and says when it is
down to its new share; only then does another one get what came free. The share of a process that
was lost stays out of use for as long as its calls may last.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from distributed import SchedulerPlugin

if TYPE_CHECKING:
    from distributed.scheduler import Scheduler

READY, GONE, SHARE, DOWN, REFUSED, STOP = "ready", "gone", "share", "down", "refused", "stop"
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
            for rank, worker in sorted(
                enumerate(workers), key=lambda pair: pair[1] not in before_of
            ):
                goal, before = (
                    total // len(workers) + (rank < total % len(workers)),
                    before_of.get(worker),
                )
                slots_now = before and before.slots
                spare = total - sum(most.values()) + most.get(worker, 0)
                slots = (
                    goal
                    if slots_now is not None and goal <= slots_now
                    else max(slots_now or 0, min(goal, spare))
                )
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
        handlers: dict[str, Any] = {
            READY: self._ready,
            GONE: self._leave,
            DOWN: self._down,
            REFUSED: self._refused,
        }
        scheduler.stream_handlers.update(
            {f"{self._campaign}-{op}": handle for op, handle in handlers.items()}
        )

    def remove_worker(self, scheduler: "Scheduler", worker: str, **_: Any) -> None:
        self._shares.lose(worker)
        scheduler.log_event(f"{self._campaign}-{GONE}", worker)
        for (
            task
        ) in scheduler.tasks.values():  # one that waits for its home alone would wait for ever
            if task.worker_restrictions and worker in task.worker_restrictions:
                task.worker_restrictions = set()
        scheduler.loop.call_later(self._patience_s, lambda: self._tell(self._shares.free(worker)))

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

    def _refused(self, worker: str, where: str, model: str, pause_s: float, **_: Any) -> None:
        """A worker has heard a 429: the others slow down as well."""
        for address in self._shares._live:
            if address != worker:
                self._send(address, op=REFUSED, where=where, model=model, pause_s=pause_s)

    def _tell(self, orders: Iterator[Order]) -> None:
        for order in orders:
            self._send(
                order.worker, op=SHARE, where=order.where, slots=order.slots, share=order.share
            )

    def _send(self, worker: str, op: str, **message: Any) -> None:
        if worker in self._scheduler.workers:
            self._scheduler.worker_send(worker, {"op": f"{self._campaign}-{op}", **message})
