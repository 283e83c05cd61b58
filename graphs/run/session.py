"""Launches of one program over one set of clients, one cache and one budget, however many there
are and whenever they begin."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Iterable, Mapping, Sequence
from contextlib import AsyncExitStack, aclosing, asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ...state.errors import UsageError
from ...state.events import Event
from ...state.spec import Spec
from ...tools.facts.base import Facts
from ...tools.models.budget import Amount, Budget, Cost, Reservation
from ...tools.models.chat import Chat, ChatReply, ChatRequest
from ...tools.models.clients import Clients, Limits
from ...tools.models.model import BoundModel
from ...tools.runs.journal import Listener
from .execute import RunReport
from .launch import Launch, as_list, events_of
from .options import LaunchOptions, require
from .resources import Resources
from .resume_check import take_up

SIDE_BY_SIDE = 64
"""Runs at once for which connections are reckoned."""


class Session:
    """What is open as long as the block of `session` lasts."""

    def __init__(self, options: LaunchOptions, resources: Resources) -> None:
        self.options = options
        self._resources = resources
        self._opening = asyncio.Lock()
        self._closed = False
        self._under_way = dict[Launch[Any], asyncio.Event]()

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
        launch = _SessionLaunch(self, listed, self.options, listeners, shared=self._resources)
        await self._take(listed)
        return launch

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
        listed: Any = [*folders] if isinstance(folders, Iterable) else folders
        require(folders=listed)
        resumptions = []
        try:
            for folder in listed:
                resumptions.append(take_up(folder, None))  # noqa: PERF401 - those before one that is refused are released
            await self._take([resumption.spec for resumption in resumptions])
            launch = _SessionLaunch(
                self,
                [],
                self.options,
                resumed=resumptions,
                launch=resumptions[0].launch.launch,
                shared=self._resources,
            )
            return await launch.run()
        finally:
            for resumption in resumptions:
                resumption.folder.release()

    async def facts(self, spec: Spec) -> Facts:
        """The sources of a drill by tier, opened and behind the cache. Raises UsageError."""
        await self._take([spec])
        return self._resources.by_tier(spec)

    def model(self, name: str) -> Chat:
        """A model for calls of one's own, behind the cache and under the budget of the session.
        Raises UsageError; a call raises BudgetSpent where it no longer fits."""
        self.require_open()
        resources = self._resources
        client, run_id = resources.clients.get(name), self.options.new_id()
        bound = BoundModel(client, resources.prices, store=resources.store, run_id=run_id)
        return bound if resources.budget is None else _PaidModel(bound, resources.budget)

    def require_open(self) -> None:
        """Raises UsageError once the block has been left."""
        if self._closed:
            raise UsageError("The session is over: use it within its `async with` block.")

    async def go_through(
        self, launch: Launch[Any], work: Awaitable[list[RunReport[Any]]]
    ) -> list[RunReport[Any]]:
        """Do the work of a launch, which the end of the session interrupts."""
        over = self._under_way[launch] = asyncio.Event()
        try:
            return await work
        finally:
            del self._under_way[launch]
            over.set()

    async def close(self) -> None:
        """Interrupt what is under way, and wait until it is kept."""
        self._closed = True
        endings = [over.wait() for over in self._under_way.values()]
        for launch in self._under_way:
            launch.stop()
        await asyncio.gather(*endings)

    async def _take(self, specs: Sequence[Spec]) -> None:
        self.require_open()
        async with self._opening:
            self._resources.admit(specs)
            await self._resources.supply(specs)


class _SessionLaunch(Launch[Any]):
    """A launch that ends with its session."""

    def __init__(self, session: Session, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self._host = session

    async def run(self) -> list[RunReport[Any]]:
        self._host.require_open()
        return await self._host.go_through(self, super().run())


class _Slot:
    """A slot of the budget for one call. Implements Payer."""

    def __init__(self, budget: Budget) -> None:
        self._budget = budget
        self._reservation: Reservation | None = None

    async def hold(self, worst_usd: float | None) -> float:
        self._reservation = await self._budget.admit(Cost(Amount(worst_usd, 1)))
        try:
            return await self._reservation.hold(worst_usd)
        except BaseException:
            self._reservation.close()
            raise

    def settle(self, held_usd: float, cost_usd: float | None, calls: int = 1) -> None:
        if self._reservation is not None:
            self._reservation.settle(held_usd, cost_usd, calls)
            self._reservation.close()


@dataclass(frozen=True, slots=True)
class _PaidModel:
    """A model of which each call needs its place in the budget. Implements Chat."""

    inner: BoundModel
    budget: Budget

    @property
    def name(self) -> str:
        return self.inner.name

    async def complete(self, request: ChatRequest) -> ChatReply:
        return await self.inner.complete(replace(request, payer=_Slot(self.budget)))


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
    require(budget=budget, max_calls=max_calls, max_connections=max_connections, prices=prices)
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
        opened_session = Session(options, resources)
        try:
            yield opened_session
        finally:  # before the world and the sources, which were opened later than the session
            await opened_session.close()
