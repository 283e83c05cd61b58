"""Launches of one program over one set of clients, one cache and one budget, however many there
are and whenever they begin."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Iterable, Mapping, Sequence
from contextlib import AsyncExitStack, ExitStack, aclosing, asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ...state.errors import UsageError
from ...state.events import Event
from ...state.spec import Spec
from ...tools.facts.base import Facts
from ...tools.models.budget import Amount, Budget, Cost
from ...tools.models.chat import Chat, ChatReply, ChatRequest
from ...tools.models.clients import Clients, Limits
from ...tools.models.model import BoundModel
from ...tools.models.pricing import PriceList
from ...tools.runs.journal import Listener
from ..step import admitted
from .execute import RunReport
from .launch import Launch, as_list, events_of
from .options import LaunchOptions
from .resources import Resources
from .resume_check import Resumption, take_up

SIDE_BY_SIDE = 64
"""Runs at once for which connections are reckoned."""


class Session:
    """What is open as long as the block of `session` lasts."""

    def __init__(self, options: LaunchOptions, resources: Resources) -> None:
        self.options = options
        self._resources = resources
        self._opening = asyncio.Lock()

    @property
    def clients(self) -> Clients:
        """The models' clients: how many calls are in flight."""
        return self._resources.clients

    @property
    def spent(self) -> tuple[float, int]:
        """Dollars, as far as prices are known, and calls, of a session with a budget; else 0."""
        budget = self._resources.budget
        return (budget.spent_usd, budget.spent_calls) if budget is not None else (0.0, 0)

    def admit(self, specs: Sequence[Spec]) -> None:
        """Take specs in before any is run. Raises UsageError for what is refused without touching
        anything, such as a model without its key."""
        self._resources.admit(specs)

    async def launch(
        self, specs: Spec | Sequence[Spec], listeners: Sequence[Listener] = ()
    ) -> Launch[Any]:
        """A launch that has not begun, for whoever wants to stop it: `run` it once. Raises
        UsageError."""
        listed = as_list(specs)
        await self._take(listed)
        return Launch(listed, self.options, listeners, shared=self._resources)

    async def run(
        self, specs: Spec | Sequence[Spec], listeners: Sequence[Listener] = ()
    ) -> list[RunReport[Any]]:
        """Run them side by side to their ends; the reports are in the order of the specs. May be
        called while others run. Raises UsageError before anything is asked."""
        return await (await self.launch(specs, listeners)).run()

    async def stream(self, specs: Spec | Sequence[Spec]) -> AsyncGenerator[Event, None]:
        """The same as events as they happen; leaving the iteration early cancels the runs."""
        launch = await self.launch(specs)
        async with aclosing(events_of(launch)) as events:
            async for event in events:
                yield event

    async def resume(self, folders: Iterable[Path]) -> list[RunReport[Any]]:
        """Go on with runs of one launch that were cut short. Raises UsageError where one cannot be
        resumed."""
        resumed = list[Resumption]()
        with ExitStack() as held_folders:
            for folder in folders:
                resumed.append(take_up(folder))
                held_folders.callback(resumed[-1].folder.release)
            await self._take([resumption.spec for resumption in resumed])
            launch: Launch[Any] = Launch(
                [], self.options, resumed=resumed, shared=self._resources
            )
            return await launch.run()

    async def facts(self, spec: Spec) -> Facts:
        """The sources of a drill by tier, opened and behind the cache. Raises UsageError."""
        await self._take([spec])
        return self._resources.by_tier(spec)

    def model(self, name: str) -> Chat:
        """A model for calls of one's own, behind the cache and under the budget of the session.
        Raises UsageError; a call raises BudgetSpent where it no longer fits."""
        resources = self._resources
        resources.require_open()
        client, run_id = resources.clients.get(name), self.options.new_id()
        bound = BoundModel(client, resources.prices, store=resources.store, run_id=run_id)
        return (
            bound
            if resources.budget is None
            else _PaidModel(bound, resources.prices, resources.budget)
        )

    async def _take(self, specs: Sequence[Spec]) -> None:
        self._resources.require_open()
        async with self._opening:
            self._resources.admit(specs)
            await self._resources.supply(specs)


@dataclass(frozen=True, slots=True)
class _PaidModel:
    """A model of which each call needs its place in the budget. Implements Chat."""

    inner: BoundModel
    prices: PriceList
    budget: Budget

    @property
    def name(self) -> str:
        return self.inner.name

    async def complete(self, request: ChatRequest) -> ChatReply:
        worst = Amount(self.prices.worst_usd(self.name, request), 1)
        async with admitted(self.budget, lambda: Cost(worst)) as payer:
            return await self.inner.complete(replace(request, payer=payer))


@asynccontextmanager
async def session(
    env: Mapping[str, str] | None = None,
    *,
    cache: Path | None = None,
    budget: float | None = None,
    max_calls: int | None = None,
    max_connections: int | None = None,
    runs: Path | None = None,
    prices: Sequence[str] = (),
) -> AsyncIterator[Session]:
    """A session for as long as the block lasts. `env`: keys and addresses, of which the process
    environment is not read; `cache`: file of the persistent cache; `budget` (USD) and `max_calls`:
    of all runs together; `max_connections`: calls at once per endpoint, of all runs together;
    `runs`: folder of the run folders, without which nothing is kept; `prices`: as `--price`. Raises
    UsageError."""
    limits = {"budget": budget, "max_calls": max_calls, "max_connections": max_connections}
    for name, limit in limits.items():
        if limit is not None and not limit > 0:
            raise UsageError(f"{name} cannot be {limit}: it must be above 0.")
    options = LaunchOptions(
        env=env or {},
        runs=runs,
        limits=Limits(max_connections=max_connections),
        cache=cache,
        budget_usd=budget,
        max_calls=max_calls,
        prices=tuple(prices),
    )
    async with AsyncExitStack() as stack:
        resources = Resources((), options, stack, at_once=SIDE_BY_SIDE)
        await resources.open()
        if budget is not None or max_calls is not None:
            resources.budget = Budget(budget, max_calls)
        try:
            yield Session(options, resources)
        finally:  # before the world and the sources, which were opened later than the session
            await resources.interrupt()
