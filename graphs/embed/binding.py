"""What every method's graph has in common inside another app: what a host hands over with it, and
what is opened."""

import asyncio
import secrets
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import AsyncExitStack, aclosing, asynccontextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypedDict, cast

from langchain_core.runnables import RunnableConfig
from langgraph.graph.state import CompiledStateGraph
from typing_extensions import TypeVar

from ...agents.prompts import PROMPTS_OF
from ...agents.skill import override
from ...sim.server import RunningWorld, start
from ...state.channels import DrillInput, DrillOutput
from ...state.errors import UsageError
from ...state.results import RESULTS, with_material
from ...state.spec import WorldSpec
from ...state.worlds import RunSpec
from ...tools.cache.store import Store
from ...tools.models.as_chat import Model, as_chat
from ...tools.models.bound import BoundModel
from ...tools.models.chat import Chat
from ...tools.models.clients import Clients, Limits
from ...tools.runs.journal import Journal, Listener, MemorySink, Sink
from ..run.deps import Clock, MethodGraph, RunDeps
from ..run.folder import hold
from ..run.options import checked, only_once, require

S = TypeVar("S", bound=RunSpec)
R = TypeVar("R", default=Any)
"""The kind of result the method has."""


class HostOptions(TypedDict, total=False):
    """What a host may hand over with a graph of any method."""

    env: Mapping[str, str] | None
    """Keys and addresses; the process environment is not read."""
    prompts: Mapping[str, str] | None
    """Name → text, in place of the method's own; they become part of the spec."""
    limits: Limits | None
    world: WorldSpec | None
    """That of `sim:` models, which is started here."""
    sink: Sink | None
    """A sink of the host's own."""
    listeners: Sequence[Listener]
    """Called with every event; each also goes to LangGraph's custom stream."""
    clock: Clock | None
    cache: Path | None
    """File of the persistent cache, for models named by strings and for fact sources; without it
    nothing is cached."""
    journal: Path | None
    """Finished steps are kept in memory until the run has its result. A host whose checkpointer
    outlives the process names a file that does so too (for one graph at a time): with it a run that
    was cut off goes on where it was, without it such a run is refused before anything is asked."""


@dataclass(frozen=True, slots=True)
class Embedded(Generic[R]):
    """A compiled graph (channels `spec`, `run_id` in, `result` out), and what it is bound to."""

    graph: MethodGraph
    deps: RunDeps
    clients: Clients
    """For other parts of the host that name models by provider strings; open as long as the block.
    """
    prompts: Mapping[str, str]
    """The prompts that were overridden; they are part of the spec."""
    world: WorldSpec | None
    """The simulated world that was started for `sim:` models; part of the spec too."""

    def spec(self, *material: Any, **options: Any) -> RunSpec:
        """The spec of a run with what is bound; options are fields of the method's spec. Raises
        UsageError for values that no spec can have, and for options that are settled when the graph
        is bound."""
        raise NotImplementedError

    def input(self, *material: Any, **options: Any) -> DrillInput:
        """The graph's input, with a run id of its own; all else as for `spec`."""
        return DrillInput(
            spec=self.spec(*material, **options).model_dump(mode="json"), run_id=new_run_id()
        )

    def drop_finished(self) -> int:
        """Take the runs that have ended out of the journal, once the host has kept their results;
        the bytes that this frees. While none of its runs goes on."""
        sink = self.deps.sink
        return sink.drop_finished() if isinstance(sink, Journal) else 0

    def result(self, state: Mapping[str, Any]) -> R:
        """The result in the graph's output."""
        told = state["result"]
        held = RESULTS[told["method"]].model_validate(told)
        return cast("R", with_material(held, self.deps.material))

    def _checked(
        self,
        kind: type[S],
        options: Mapping[str, Any],
        bound: Mapping[str, Any],
        asked: Mapping[str, Any],
    ) -> S:
        """`bound`: what no option may change; `asked`: what an option may."""
        own: dict[str, Any] = {"prompts": dict(self.prompts), **bound}
        settled = next((name for name in own if name in options), None)
        if settled is not None or (self.world and options.get("world", self.world) != self.world):
            raise UsageError(
                "What is bound with the graph cannot be an option of a spec "
                f"({settled or 'world'}): bind it."
            )
        return checked(
            kind,
            {
                "world": self.world,
                **asked,
                **options,
                **own,
            },
        )


@dataclass(frozen=True, slots=True)
class Opened:
    """What is open as long as a host's block lasts."""

    method: str
    chats: Sequence[Chat]
    """The models as the graph is bound to them, in the order they were named."""
    clients: Clients
    running: RunningWorld | None
    """The world that was started, which is that of `world`."""
    world: WorldSpec | None
    store: Store | None
    sink: Sink
    clock: Clock
    prompts: Mapping[str, str]
    stack: AsyncExitStack
    """Closes what is opened later."""

    def deps(self, target: Chat, evaluator: Chat, judge: Chat, **own: Any) -> RunDeps:
        """The dependencies of the graph; `own`: what only this method has."""
        return RunDeps(
            **{"sources": {}} | own,
            target=target,
            evaluator=evaluator,
            judge=judge,
            sink=self.sink,
            prompts=override(PROMPTS_OF[self.method], self.prompts),
            clock=self.clock,
            connections=self.clients.capacity,
        )


@asynccontextmanager
async def opened(
    method: str, models: Iterable[Model], host: HostOptions, *, simulated: bool = False
) -> AsyncIterator[Opened]:
    """What a graph is bound to; clients made here are closed at the end of the block. A world is
    started for `sim:` models, or because something else is `simulated`. Raises UsageError."""
    unknown = sorted(host.keys() - HostOptions.__annotations__)
    if unknown:
        raise UsageError(f"A graph of {method} cannot be bound to {unknown[0]!r}: leave it out.")
    env, cache, listeners = host.get("env"), host.get("cache"), host.get("listeners", ())
    clock, prompts, journal = host.get("clock") or Clock(), host.get("prompts"), host.get("journal")
    require(
        env=env,
        prompts=prompts,
        listeners=listeners,
        cache=cache,
        journal=journal,
    )
    override(PROMPTS_OF[method], prompts or {})  # refused before anything is opened
    async with AsyncExitStack() as stack:
        clients = Clients(env or {}, host.get("limits") or Limits())
        stack.push_async_callback(clients.aclose)
        chats, store = [as_chat(model, clients) for model in models], None
        if cache is not None:
            store = await Store.open(cache, now=clock.now)
            stack.push_async_callback(store.aclose)
            chats = [BoundModel(chat, store=store, run_id=new_run_id()) for chat in chats]
        running: RunningWorld | None = None
        world: WorldSpec | None = None
        if simulated or any(chat.name.startswith("sim:") for chat in chats):
            world = host.get("world") or WorldSpec()
            running = await start(world)
            stack.push_async_callback(running.aclose)
            clients.sim_url = running.api_url
        sink = await open_sink(stack, clock, host.get("sink"), listeners, journal)
        yield Opened(
            method, chats, clients, running, world, store, sink, clock, dict(prompts or {}), stack
        )


class OneAtATime(CompiledStateGraph[Any, None, DrillInput, DrillOutput]):
    """A graph that refuses a run while it has it under way: the two would be one in its sink."""

    async def astream(
        self, input: Any, config: RunnableConfig | None = None, **options: Any
    ) -> Any:
        begins = (
            isinstance(input, Mapping) and "run_id" in input
        )  # else it goes on behind a checkpoint
        with only_once(id(self.builder), input["run_id"]) if begins else nullcontext():
            playing: Any = super().astream(input, config, **options)
            async with aclosing(playing) as parts:  # whoever breaks off ends it
                async for part in parts:
                    yield part


def one_at_a_time(graph: MethodGraph) -> MethodGraph:
    """The graph, which from now on refuses a run id that it has under way."""
    graph.__class__ = OneAtATime  # LangGraph's builder makes graphs of its own kind alone
    return graph


async def open_sink(
    stack: AsyncExitStack,
    clock: Clock,
    sink: Sink | None = None,
    listeners: Sequence[Listener] = (),
    journal: Path | None = None,
) -> Sink:
    """Where a graph's events go: a host's own sink, else a journal, else memory. Raises UsageError
    for a journal that cannot be written or is in use. Files are opened in a thread: a host's loop
    is not kept waiting."""
    if sink is not None:
        return sink
    if journal is None:
        return MemorySink(clock.now, listeners)
    return await asyncio.to_thread(_open_journal, stack, clock, listeners, journal)


def _open_journal(
    stack: AsyncExitStack, clock: Clock, listeners: Sequence[Listener], journal: Path
) -> Journal:
    kept = Journal(journal, clock.now, listeners)
    stack.callback(kept.close)
    busy = (
        f"The journal {journal} is in use by another graph or process: wait for its end, or name "
        "another file."
    )
    stack.enter_context(hold(journal.with_name(f"{journal.name}.lock"), busy))
    kept.reload()
    return kept


def new_run_id() -> str:
    """A name for a run inside a host."""
    return f"embedded-{secrets.token_hex(4)}"
