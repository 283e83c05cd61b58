"""A drill inside another LangGraph app: a subgraph bound to your own models or to provider strings.

async with embed(target=my_chat_model, evaluator="openai:gpt-5", facts="wikipedia", env=os.environ) as drill:
    builder.add_node("drill", drill.graph)          # channels `spec`, `run_id` in, `result` out
    state = drill.input("Cardiology", n=10, max_depth=6)
"""

import asyncio
import secrets
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import AsyncExitStack, aclosing, asynccontextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from langchain_core.language_models import BaseChatModel
from langchain_core.runnables import RunnableConfig
from langgraph.graph.state import CompiledStateGraph
from langgraph.typing import InputT, OutputT, StateT

from ...agents.prompt_template import override
from ...agents.prompts import PROMPTS
from ...sim.server import RunningWorld, start
from ...state.channels import DrillInput
from ...state.spec import DrillSpec, WorldSpec, is_simulated
from ...state.tiers import Tier
from ...tools.cache.chat import CachedChat
from ...tools.cache.facts import cached_source
from ...tools.cache.store import Store
from ...tools.facts.base import FactSource, Whole
from ...tools.facts.registry import Sources, parse_facts
from ...tools.models.as_chat import as_chat
from ...tools.models.chat import Chat
from ...tools.models.clients import Clients, Limits
from ...tools.runs.journal import Journal, Listener, MemorySink, Sink
from ..drill.graph import DrillGraph, build_graph
from ..run.argument_checks import checked, only_once, require
from ..run.deps import Clock, DrillDeps
from ..run.folder import hold

Model = str | BaseChatModel | Chat
G = TypeVar("G", bound=CompiledStateGraph[Any, None, Any, Any])


@dataclass(frozen=True, slots=True)
class EmbeddedDrill:
    """A compiled drill and what it is bound to."""

    graph: DrillGraph
    deps: DrillDeps
    clients: Clients
    """For other parts of the host that name models by provider strings; open as long as the block."""
    facts: Mapping[Tier, tuple[str, ...]]
    language: str

    def spec(self, domain: str, **options: Any) -> DrillSpec:
        """The spec of a drill with the bound models and sources; options are fields of `DrillSpec`: n, max_depth, …
        Raises UsageError for values that no spec can have."""
        require(domain=domain)
        values: dict[str, Any] = {
            "domain": domain,
            "target": self.deps.target.name,
            "evaluator": self.deps.evaluator.name,
            "judge": self.deps.judge.name,
            "facts": self.facts,
            "language": self.language,
            "as_of": self.deps.clock.now().date(),
        }
        return checked(DrillSpec, values | options)

    def input(self, domain: str, **options: Any) -> DrillInput:
        """The graph's input, with a run id of its own."""
        return DrillInput(spec=self.spec(domain, **options).model_dump(mode="json"), run_id=new_run_id())


@asynccontextmanager
async def embed(
    target: Model,
    evaluator: Model,
    judge: Model | None = None,
    *,
    facts: str | Mapping[Tier, Sequence[FactSource]] | None = None,
    env: Mapping[str, str] | None = None,
    language: str = "en",
    prompts: Mapping[str, str] | None = None,
    limits: Limits | None = None,
    world: WorldSpec | None = None,
    sink: Sink | None = None,
    listeners: Sequence[Listener] = (),
    clock: Clock | None = None,
    cache: Path | None = None,
    journal: Path | None = None,
    agents_as_nodes: bool = False,
) -> AsyncIterator[EmbeddedDrill]:
    """A drill graph for as long as the block lasts; clients and sources made here are closed at its end.

    `facts` is written as on the command line, or maps tiers to sources of your own. `env` holds keys and addresses; the
    process environment is not read. Every event also goes to LangGraph's custom stream. The texts of finished
    probes are kept in memory until the drill has its result; a host whose checkpointer outlives the process names a
    `journal`, a file that does so too (for one graph at a time), or a `sink` of its own: with it a drill that was cut
    off goes on where it was, without it such a drill is refused before anything is asked. `cache`: file of the
    persistent cache, for models named by strings and for the sources; without it nothing is cached. `agents_as_nodes`:
    each probe is a graph of its own whose nodes are the agents, for whoever streams with `subgraphs=True`; it has the
    same result, and takes some 8 ms of CPU more. Raises UsageError.
    """
    require(env=env, facts=facts, prompts=prompts, listeners=listeners, cache=cache, journal=journal)
    env, clock = env or {}, clock or Clock()
    async with AsyncExitStack() as stack:
        clients = Clients(env, limits or Limits())
        stack.push_async_callback(clients.aclose)
        models = (target, evaluator, evaluator if judge is None else judge)
        chats, store = await bind(stack, models, clients, cache, clock)
        simulated = any(is_simulated(chat.name) for chat in chats)
        plan = parse_facts(facts, env, simulated=simulated).facts if facts is None or isinstance(facts, str) else None
        needs_world = any(chat.name.startswith("sim:") for chat in chats) or "sim" in _named(plan or {})
        running: RunningWorld | None = None
        if needs_world:
            running = await start_world(stack, clients, world or WorldSpec())
        if plan is None:
            assert isinstance(facts, Mapping)  # a plan is made for everything else
            sources: dict[Tier, Sequence[FactSource]] = dict(facts)
            plan = {tier: tuple(source.name for source in own) for tier, own in facts.items()}
        else:
            sim_url = running.base_url if running else None
            made = Sources(env, sim_url=sim_url, language=language, clock=clock.now)
            stack.push_async_callback(made.aclose)
            sources = {tier: [await _ready(source, store) for source in made.for_tier(n)] for tier, n in plan.items()}
        deps = DrillDeps(
            target=chats[0],
            evaluator=chats[1],
            judge=chats[2],
            sources=sources,
            sink=await open_sink(stack, clock, sink, listeners, journal),
            prompts=override(PROMPTS, prompts or {}),
            clock=clock,
        )
        yield EmbeddedDrill(
            one_at_a_time(build_graph(deps, agents_as_nodes=agents_as_nodes)), deps, clients, plan, language
        )


class _OneAtATime(CompiledStateGraph[StateT, None, InputT, OutputT]):
    """A graph that refuses a run while it has it under way: the two would be one in its sink."""

    async def astream(self, input: Any, config: RunnableConfig | None = None, **options: Any) -> Any:
        begins = isinstance(input, Mapping) and "run_id" in input  # else it goes on behind a checkpoint
        with only_once(id(self.builder), input["run_id"]) if begins else nullcontext():
            playing: Any = super().astream(input, config, **options)
            async with aclosing(playing) as parts:  # whoever breaks off ends it
                async for part in parts:
                    yield part


def one_at_a_time(graph: G) -> G:
    """The graph, which from now on refuses a run id that it has under way."""
    graph.__class__ = _OneAtATime  # type: ignore[assignment]  # LangGraph's builder makes graphs of its own kind alone
    return graph


async def open_sink(
    stack: AsyncExitStack,
    clock: Clock,
    sink: Sink | None = None,
    listeners: Sequence[Listener] = (),
    journal: Path | None = None,
) -> Sink:
    """Where a graph's events go: a host's own sink, else a journal, else memory. Raises UsageError for a
    journal that cannot be written or is in use. Files are opened in a thread: a host's loop is not kept waiting."""
    if sink is not None:
        return sink
    if journal is None:
        return MemorySink(clock.now, listeners)
    return await asyncio.to_thread(_open_journal, stack, clock, listeners, journal)


def _open_journal(stack: AsyncExitStack, clock: Clock, listeners: Sequence[Listener], journal: Path) -> Journal:
    kept = Journal(journal, clock.now, listeners)
    stack.callback(kept.close)
    busy = f"The journal {journal} is in use by another graph or process: wait for its end, or name another file."
    stack.enter_context(hold(journal.with_name(f"{journal.name}.lock"), busy))
    kept.reload()
    return kept


def new_run_id() -> str:
    """A name for a run inside a host."""
    return f"embedded-{secrets.token_hex(4)}"


async def bind(
    stack: AsyncExitStack, models: Iterable[Model], clients: Clients, cache: Path | None, clock: Clock
) -> tuple[list[Chat], Store | None]:
    """The models as a graph is bound to them, and the persistent cache they are behind, which the stack closes; None
    without a file for it. Raises UsageError."""
    chats = [as_chat(model, clients) for model in models]
    if cache is None:
        return chats, None
    store = await Store.open(cache, now=clock.now)
    stack.push_async_callback(store.aclose)
    own = new_run_id()
    return [CachedChat(chat, store, own, set()) for chat in chats], store


async def start_world(stack: AsyncExitStack, clients: Clients, world: WorldSpec) -> RunningWorld:
    """A simulated world for the clients' `sim:` models, ended by the stack."""
    running = await start(world)
    stack.push_async_callback(running.aclose)
    clients.sim_url = running.api_url
    return running


async def _ready(source: FactSource, store: Store | None) -> FactSource:
    """The source with what it has to read beforehand read, behind the cache if there is one."""
    if isinstance(source, Whole):
        await source.prepare()
    return source if store is None else cached_source(source, store)


def _named(plan: Mapping[Tier, Sequence[str]]) -> set[str]:
    return {name for names in plan.values() for name in names}
