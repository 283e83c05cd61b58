"""The runner: several drills at once over one set of clients, from specs to results."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..agents.prompting import override
from ..agents.prompts import PROMPTS
from ..sim.personas import PERSONAS
from ..sim.server import RunningWorld, Timing, start
from ..state.errors import UsageError
from ..state.events import Event
from ..state.spec import DrillSpec, WorldSpec
from ..tools.facts.registry import Sources
from ..tools.journal import Journal, Listener, MemorySink
from ..tools.log import RunLog
from ..tools.models.address import parse_model
from ..tools.models.clients import Clients, Limits
from ..tools.warm import warm_up
from .deps import Clock, DrillDeps, Gate
from .folder import RunFolder, run_name, short_id
from .one import OneRun, RunReport

__all__ = ["GRACE_S", "Launch", "LaunchOptions", "RunReport", "check_persona", "stream"]

GRACE_S = 5.0
"""How long an interrupted launch waits for the probes in flight."""


@dataclass(frozen=True, slots=True)
class LaunchOptions:
    """What shapes a launch but not its results."""

    env: Mapping[str, str] = field(default_factory=dict)
    runs: Path | None = None
    """Folder for the run folders; None keeps everything in memory."""
    limits: Limits = field(default_factory=Limits)
    timing: Timing = field(default_factory=Timing)
    """Latency of a simulated world that the launch starts itself."""
    clock: Clock = field(default_factory=Clock)
    new_id: Callable[[], str] = short_id
    max_concurrency: int | None = None
    """LangGraph's own limit on probes at once; None: all of a round."""


class Launch:
    """Several drills over one set of clients. `run` once; `stop` from a signal handler, a second time to hurry."""

    def __init__(self, specs: Sequence[DrillSpec], options: LaunchOptions, listeners: Sequence[Listener] = ()) -> None:
        self.specs, self.options = list(specs), options
        self._listeners = tuple(listeners)
        self._gates: list[Gate] = []
        self._stopping, self._hurry = asyncio.Event(), asyncio.Event()
        self._clients: Clients | None = None

    @property
    def clients(self) -> Clients | None:
        """The clients while the launch runs: how many calls are in flight."""
        return self._clients

    @property
    def probes_in_flight(self) -> int:
        """Probes (and openings) that have begun and are not finished."""
        return sum(gate.inside for gate in self._gates)

    def stop(self) -> None:
        """Let no further probe begin and give those in flight five seconds; called again: stop at once."""
        if self._stopping.is_set():
            self._hurry.set()
        self._stopping.set()

    async def run(self) -> list[RunReport]:
        """All runs, in the order of the specs. Raises UsageError before anything is asked."""
        async with AsyncExitStack() as stack:
            work = await self._prepare(stack)
            return await self._supervise([asyncio.ensure_future(w) for w in work])

    async def _prepare(self, stack: AsyncExitStack) -> list[Coroutine[Any, Any, RunReport]]:
        """Everything that can be refused, in the order of its cost; then one coroutine per run."""
        prompts = [override(PROMPTS, spec.prompts) for spec in self.specs]
        clients = self._clients = Clients(self.options.env, self.options.limits)
        stack.push_async_callback(clients.aclose)
        models = [[clients.get(name) for name in (s.target, s.evaluator, s.judge)] for s in self.specs]
        self._check_world()
        with self._folders() as folders:
            await warm_up()
            world = await self._start_world(stack)
            clients.sim_url = world.api_url if world else None
            sources = {language: self._sources(stack, language, world) for language in {s.language for s in self.specs}}
            found = [{t: sources[s.language].for_tier(names) for t, names in s.facts.items()} for s in self.specs]
        work = []
        for spec, folder, roles, by_tier, texts in zip(self.specs, folders, models, found, prompts, strict=True):
            sink = self._sink(stack, folder)
            gate = Gate()
            self._gates.append(gate)
            target, evaluator, judge = roles
            deps = DrillDeps(target, evaluator, judge, by_tier, sink, texts, self.options.clock, gate, stream=False)
            run_id = folder.run_id if folder else run_name(spec, self.options.clock.now(), self.options.new_id())
            run = OneRun(run_id, spec, deps, folder, self._stopping, self.options.max_concurrency)
            work.append(run.run())
        return work

    @contextmanager
    def _folders(self) -> Iterator[list[RunFolder | None]]:
        """The run folders, taken away again when one of them or what follows is refused."""
        runs, made = self.options.runs, list[RunFolder | None]()
        try:
            for spec in self.specs:
                folder = RunFolder(runs, spec, self.options.clock.now(), self.options.new_id) if runs else None
                made.append(folder)
            yield made
        except UsageError:
            for folder in made:
                if folder:
                    folder.remove()
            raise

    def _sink(self, stack: AsyncExitStack, folder: RunFolder | None) -> MemorySink:
        if folder is None:
            return MemorySink(self.options.clock.now, self._listeners)
        journal = Journal(folder.events, self.options.clock.now, self._listeners)
        log = RunLog(folder.log, folder.run_id)
        log.attach()
        stack.callback(log.detach)
        stack.callback(journal.close)
        return journal

    def _sources(self, stack: AsyncExitStack, language: str, world: RunningWorld | None) -> Sources:
        sources = Sources(
            self.options.env,
            sim_url=world.base_url if world else None,
            language=language,
            clock=self.options.clock.now,
            max_connections=self.options.limits.connections(),
            time_limit_s=min(30.0, self.options.limits.timeout_s),
        )
        stack.push_async_callback(sources.aclose)
        return sources

    def _check_world(self) -> None:
        for spec in self.specs:
            for name in (spec.target, spec.evaluator, spec.judge):
                check_persona(name)
        if len({spec.world for spec in self.specs if spec.world}) > 1:
            raise UsageError("All runs of one launch share one simulated world; start the others on their own.")

    async def _start_world(self, stack: AsyncExitStack) -> RunningWorld | None:
        if not any(_needs_world(spec) for spec in self.specs):
            return None
        chosen = next((spec.world for spec in self.specs if spec.world), WorldSpec())
        world = await start(chosen, self.options.timing)
        stack.push_async_callback(world.aclose)
        return world

    async def _supervise(self, tasks: list[asyncio.Task[RunReport]]) -> list[RunReport]:
        """Wait for all runs; when told to stop, give the probes in flight their grace and cancel the rest."""
        everything = asyncio.gather(*tasks)  # no report is lost: a run keeps its own troubles
        stopping = asyncio.ensure_future(self._stopping.wait())
        try:
            await _first(everything, stopping)
            if not everything.done():
                await self._let_finish(everything)
                for task in tasks:
                    task.cancel()
            return await everything
        finally:
            stopping.cancel()
            for task in tasks:
                task.cancel()
            await asyncio.gather(everything, *tasks, return_exceptions=True)

    async def _let_finish(self, everything: "asyncio.Future[list[RunReport]]") -> None:
        for gate in self._gates:
            gate.close()
        empty = asyncio.ensure_future(_all_empty(self._gates))
        hurry = asyncio.ensure_future(self._hurry.wait())
        try:
            await _first(everything, empty, hurry, timeout_s=GRACE_S)
        finally:
            empty.cancel()
            hurry.cancel()


async def _first(*futures: "asyncio.Future[Any]", timeout_s: float | None = None) -> None:
    """Returns when one of them is done, or the time is up."""
    await asyncio.wait(set(futures), timeout=timeout_s, return_when=asyncio.FIRST_COMPLETED)


async def _all_empty(gates: Sequence[Gate]) -> None:
    for gate in gates:
        await gate.wait_empty()


def check_persona(name: str) -> None:
    """Raises UsageError when a simulated model is neither a persona nor the evaluator."""
    address = parse_model(name)
    known = [*PERSONAS, "evaluator"]
    if address.provider == "sim" and address.model not in known:
        raise UsageError(f"The simulated world has no model {address.model!r}; it has {', '.join(known)}.")


def _needs_world(spec: DrillSpec) -> bool:
    models = (spec.target, spec.evaluator, spec.judge)
    sources = {source for names in spec.facts.values() for source in names}
    return any(name.startswith("sim:") for name in models) or "sim" in sources


async def stream(specs: DrillSpec | Sequence[DrillSpec], options: LaunchOptions | None = None) -> AsyncIterator[Event]:
    """The events of one or several drills as they happen; ends when all have ended, raises UsageError at once.

    Leaving the iteration early cancels the runs.
    """
    queue: asyncio.Queue[Event | None] = asyncio.Queue()
    launch = Launch([specs] if isinstance(specs, DrillSpec) else specs, options or LaunchOptions(), [queue.put_nowait])
    task = asyncio.ensure_future(launch.run())
    task.add_done_callback(lambda _: queue.put_nowait(None))
    try:
        while (event := await queue.get()) is not None:
            yield event
        await task
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
