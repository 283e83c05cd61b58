"""What every method's graph has in common inside another app: what a host hands over with it, and
what is opened."""

import asyncio
import secrets
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Generic, TypedDict, cast

from typing_extensions import TypeVar

from ...agents.skill import override
from ...state.channels import DrillInput
from ...state.errors import UsageError
from ...state.results import RESULTS, with_material
from ...state.spec import WorldSpec
from ...state.worlds import RunSpec
from ...tools.models.as_chat import Model, as_chat
from ...tools.models.chat import Chat
from ...tools.models.clients import Clients, Limits
from ...tools.models.model import BoundModel
from ...tools.runs.journal import Journal, Listener, MemorySink, Sink
from ..method import METHODS
from ..run.checks import checked
from ..run.deps import Clock, MethodGraph, RunDeps
from ..run.folder import hold
from ..run.options import LaunchOptions
from ..run.resources import Resources, deps_roles

S = TypeVar("S", bound=RunSpec)
R = TypeVar("R", default=Any)
"""The kind of result the method has."""


class HostOptions(TypedDict, total=False):
    """What a host may hand over with a graph, besides models."""

    material: Any
    """Of a drill its fact sources, as on the command line, or your own by tier; of DepthQA the
    question graph; of DeepQuestion the problems; of a DepthQA build what tells which questions are
    alike: `lexical`, an embeddings model, or LangChain embeddings of your own."""
    env: Mapping[str, str] | None
    """Keys and addresses; the process environment is not read."""
    prompts: Mapping[str, str] | None
    """Name → text, in place of the method's own; they become part of the spec."""
    limits: Limits | None
    world: WorldSpec | None
    """That of `sim:` models, which is started here."""
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
    language: str
    """Of a drill: that of its questions and sources."""
    agents_as_nodes: bool
    """Of a drill: each probe is a graph of its own whose nodes are the agents, for whoever streams
    with `subgraphs=True`; it has the same result, and takes some 8 ms of CPU more."""


OF_DRILL = {"language", "agents_as_nodes"}
"""Options that only a drill has."""


class Opened:
    """What is open as long as a host's block lasts."""

    def __init__(self, host: HostOptions, resources: Resources) -> None:
        self.host, self.resources = host, resources
        self.chats: Mapping[str, Chat] = {}
        """The models as the graph is bound to them, by role."""
        self.world: WorldSpec | None = None
        """That of the simulated world that was started, if one was."""

    async def chat(self, model: Model) -> Chat:
        """The model behind the cache; for a simulated one its world is started."""
        chat = as_chat(model, self.resources.clients)
        if chat.name.startswith("sim:"):
            await self.open_world()
        if self.host.get("cache") is None:
            return chat
        return BoundModel(chat, store=self.resources.store, run_id=new_run_id())

    async def open_world(self) -> None:
        """Start the simulated world, unless it is there."""
        self.world = self.host.get("world") or WorldSpec()
        await self.resources.start_world(self.world)


@dataclass(frozen=True, slots=True)
class Embedded(Generic[R]):
    """A compiled graph (channels `spec`, `run_id` in, `result` out), and what it is bound to. Each
    method says in a class of its own who takes part, what its graph is bound to besides models, and
    what its spec is made of."""

    graph: MethodGraph
    deps: RunDeps
    clients: Clients
    """For other parts of the host that name models by provider strings; open as long as the block.
    """
    world: WorldSpec | None
    """The simulated world that was started for `sim:` models; part of the spec too."""
    bound: Mapping[str, Any]
    """Fields of a spec that no option may change."""

    method: ClassVar[str]
    roles: ClassVar[Mapping[str, str]]
    """Role → who stands in where it has no model; empty: nobody."""

    @classmethod
    async def bind(cls, parts: Opened) -> tuple[dict[str, Any], dict[str, Any]]:
        """What the graph is bound to besides models: fields of its `RunDeps`, and of every spec.
        Raises UsageError for a material that cannot be used."""
        if parts.host.get("material") is not None:
            raise UsageError(
                f"The graph of {cls.method} is bound to models alone: leave material out."
            )
        return {}, {}

    @classmethod
    def cast(cls, models: Mapping[str, Model]) -> dict[str, Model]:
        """Role → the model that is asked. Raises UsageError for a role that nobody plays."""
        players = dict[str, Model]()
        for role in cls.roles:
            ranked = [models.get(name) for name in stand_ins(cls.roles, role)]
            player = next((model for model in ranked if model is not None), None)
            if player is None:
                raise UsageError(
                    f"The graph of {cls.method} needs a model for the role {role}."
                )
            players[role] = player
        return players

    @classmethod
    def build(cls, deps: RunDeps, host: HostOptions) -> MethodGraph:
        graph: MethodGraph = METHODS[cls.method].build_graph(deps)
        return graph

    def spec(self, *about: Any, **options: Any) -> RunSpec:
        """The spec of a run with what is bound; options are fields of the method's spec. Raises
        UsageError for values that no spec can have, and for options that are settled when the graph
        is bound."""
        raise NotImplementedError

    def input(self, *about: Any, **options: Any) -> DrillInput:
        """The graph's input, with a run id of its own; all else as for `spec`."""
        spec = self.spec(*about, **options)
        return DrillInput(spec=spec.model_dump(mode="json"), run_id=new_run_id())

    def result(self, state: Mapping[str, Any]) -> R:
        """The result in the graph's output."""
        output = state["result"]
        result = RESULTS[output["method"]].model_validate(output)
        return cast("R", with_material(result, self.deps.material))

    def _checked(self, kind: type[S], options: Mapping[str, Any], **defaults: Any) -> S:
        """`defaults`: what an option may change."""
        fixed = next((name for name in self.bound if name in options), None)
        if fixed is not None or (self.world and options.get("world", self.world) != self.world):
            raise UsageError(
                "What is bound with the graph cannot be an option of a spec "
                f"({fixed or 'world'}): bind it."
            )
        return checked(kind, {"world": self.world, **defaults, **options, **self.bound})


E = TypeVar("E", bound=Embedded[Any])


@asynccontextmanager
async def bound_graph(
    kind: type[E], models: Mapping[str, Model], host: HostOptions
) -> AsyncIterator[E]:
    """The graph of a method, and what it is bound to; what is opened here is closed at the end of
    the block. Raises UsageError."""
    _require_known(kind, models, host)
    prompts = dict(host.get("prompts") or {})
    texts = override(METHODS[kind.method].prompts, prompts)  # refused before anything is opened
    options = LaunchOptions(
        env=host.get("env") or {},
        limits=host.get("limits") or Limits(),
        clock=host.get("clock") or Clock(),
        cache=host.get("cache"),
    )
    async with AsyncExitStack() as stack:
        resources = Resources((), options, stack, at_once=1)
        await resources.open()
        parts = Opened(host, resources)
        parts.chats = {role: await parts.chat(m) for role, m in kind.cast(models).items()}
        own_deps, own_fields = await kind.bind(parts)
        deps = RunDeps(
            **{"sources": {}} | deps_roles(parts.chats) | own_deps,
            sink=await open_sink(stack, options.clock, host),
            prompts=texts,
            clock=options.clock,
            connections=resources.clients.capacity,
        )
        fields = {role: deps.bound(role).name for role in kind.roles}
        graph = kind.build(deps, host)
        yield kind(
            graph,
            deps,
            resources.clients,
            parts.world,
            {"prompts": prompts, **fields, **own_fields},
        )


def _require_known(
    kind: type[Embedded[Any]], models: Mapping[str, Model], host: HostOptions
) -> None:
    """Raises UsageError for an option, or a role, that the method does not have."""
    options = HostOptions.__annotations__.keys() - (
        OF_DRILL if kind.method != "drill" else set()
    )
    unknown = sorted(host.keys() - options) or sorted(models.keys() - kind.roles.keys())
    if unknown:
        raise UsageError(
            f"A graph of {kind.method} cannot be bound to {unknown[0]!r}: leave it out."
        )


def stand_ins(roles: Mapping[str, str], role: str) -> Iterator[str]:
    """The role, and who stands in for it, in order."""
    while role:
        yield role
        role = roles.get(role, "")


async def open_sink(stack: AsyncExitStack, clock: Clock, host: HostOptions) -> Sink:
    """Where a graph's events go: a journal, else memory. Raises UsageError for a journal that cannot
    be written or is in use. Files are opened in a thread: a host's loop is not kept waiting."""
    path, listeners = host.get("journal"), host.get("listeners", ())
    if path is None:
        return MemorySink(clock.now, listeners)
    return await asyncio.to_thread(_open_journal, stack, clock, listeners, path)


def _open_journal(
    stack: AsyncExitStack, clock: Clock, listeners: Sequence[Listener], path: Path
) -> Journal:
    journal = Journal(path, clock.now, listeners)
    stack.callback(journal.close)
    busy = (
        f"The journal {path} is in use by another graph or process: wait for its end, or name "
        "another file."
    )
    stack.enter_context(hold(path.with_name(f"{path.name}.lock"), busy))
    journal.reload()
    return journal


def new_run_id() -> str:
    """A name for a run inside a host."""
    return f"embedded-{secrets.token_hex(4)}"
