"""What a method's graph is bound to when it is built, never taken from the run's context, which may
be a host's; the aspects that the runs of a launch share, and look-ups side by side."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial, wraps
from pathlib import Path
from typing import Any, NoReturn

from langchain_core.runnables.config import RunnableConfig, var_child_runnable_config
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.config import get_config
from langgraph.graph import START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import Send

from ... import __version__
from ...agents.skill import Prompt
from ...state.channels import DrillInput, DrillOutput, Stop
from ...state.errors import FathomError, RunFailed, UsageError
from ...state.events import FORMAT, Event, Notice, Opened, RunResumed, RunStarted
from ...state.problems import ProblemSet
from ...state.question_graph import Material
from ...state.records import Probe
from ...state.result import Population
from ...state.spec import DrillSpec, Spec
from ...state.tiers import TIERS, Tier
from ...tools.facts.base import FactSource, Whole
from ...tools.flight import SingleFlight
from ...tools.models.budget import Budget
from ...tools.models.chat import Chat
from ...tools.models.pricing import PriceList
from ...tools.runs.folders import read_events
from ...tools.runs.journal import Journal, MemorySink, Sink
from ...tools.runs.log import get_logger
from ...tools.similarity import LexicalSimilarity, Similarity
from ..method import prompts_of
from .record import ending, environment


@dataclass(frozen=True, slots=True)
class Pool:
    """The aspects of a domain, and per call how many were asked for, given and new."""

    aspects: tuple[str, ...]
    account: str = ""
    population: Population = "free"


Pools = SingleFlight[tuple[str, ...], Pool]
"""Aspects by domain, evaluator and everything else that decides them: named once for all runs of a
launch."""


def utc_now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class Clock:
    """The only clock of a run: wall time for records, monotonic seconds for durations."""

    now: Callable[[], datetime] = utc_now
    seconds: Callable[[], float] = time.monotonic


class Gate:
    """Lets probes in until it is closed; those inside may finish, later ones wait to be
    cancelled."""

    def __init__(self) -> None:
        self._closed = False
        self.inside = 0
        """How many are inside."""
        self._empty = asyncio.Event()
        self._cut = asyncio.Event()
        self.reason = ""
        """Why the gate was cut; empty when it was not."""

    def close(self) -> None:
        self._closed = True
        if self.inside == 0:
            self._empty.set()

    def cut(self, reason: str) -> None:
        """Close the gate because the run cannot go on as it is; those inside may finish."""
        self.reason = self.reason or reason
        self.close()
        self._cut.set()

    async def wait_cut(self) -> None:
        """Returns when the gate was cut and nobody is inside."""
        await self._cut.wait()
        await self._empty.wait()

    async def wait_empty(self) -> None:
        """Returns when the gate is closed and nobody is inside."""
        await self._empty.wait()

    async def pass_through(self) -> None:
        """Returns at once while the gate is open; never when it is closed (the runner cancels who
        waits here)."""
        if self._closed:
            await asyncio.Event().wait()

    async def __aenter__(self) -> None:
        await self.pass_through()
        self.inside += 1

    async def __aexit__(self, *exc: object) -> None:
        self.inside -= 1
        if self._closed and self.inside == 0:
            self._empty.set()


def require_bound(deps: "RunDeps", spec: Spec) -> None:
    """Raises UsageError unless the spec names what the graph is bound to: a result must not mislabel
    what it measured."""
    for name, prompt in prompts_of(spec).items():
        if deps.prompts.get(name) != prompt:
            raise UsageError(
                f"The spec has another text for the prompt {name!r} than the graph: bind the same."
            )
    measure = deps.similarity.name
    named = {**spec.models, "similarity": getattr(spec, "similarity", measure)}
    for role, name in named.items():
        bound = measure if role == "similarity" else deps.bound(role).name
        if name != bound:
            raise UsageError(
                f"The spec's {role} is {name!r} but the graph is bound to {bound!r}; name the same."
            )
    facts: Mapping[Tier, Sequence[str]] = getattr(spec, "facts", {})
    unserved = [tier.value for tier in facts if not deps.sources.get(tier)]
    if unserved:
        raise UsageError(
            f"The spec names fact sources for {', '.join(unserved)}, but the graph is bound "
            "to none there."
        )


@dataclass(frozen=True, slots=True)
class RunDeps:
    """Models, sources, sink and clock of one run. An EQT's examiner is bound as `evaluator`, and it
    has no sources."""

    target: Chat
    evaluator: Chat
    judge: Chat
    sources: Mapping[Tier, Sequence[FactSource]]
    sink: Sink
    prompts: Mapping[str, Prompt]
    clock: Clock = field(default_factory=Clock)
    gate: Gate = field(default_factory=Gate)
    budget: Budget | None = None
    """The budget of the launch; None: there is none."""
    questions: Mapping[str, Sequence[Probe]] = field(default_factory=dict)
    """For replays: digest of the questions → the probes of the drill they come from."""
    anchors: Mapping[str, Chat] = field(default_factory=dict)
    """Role → model of known strength that a drill's questions are put to as well."""
    generator: Chat | None = None
    """Who drafts prompts and writes from problems; None: nobody, or the evaluator."""
    material: Material | None = None
    """What a run over a question graph that begins asks about."""
    problems: ProblemSet | None = None
    """Problems that a run which begins asks about."""
    similarity: Similarity = field(default_factory=LexicalSimilarity)
    """What tells which questions are alike, for building a question graph."""
    prices: PriceList = field(default_factory=PriceList)
    """What calls cost, for the budget."""
    connections: int = 200
    """Calls that may be in flight at once; how many concepts of an EQT are worked on side by side
    follows from it."""
    pools: Pools = field(default_factory=lambda: SingleFlight(keep=1000))
    remarks: Callable[[], Sequence[str]] = tuple
    """What went wrong beside the run without touching its numbers, in sentences for the result's
    notes."""
    notices: Sequence[str] = ()
    """What the user should know when the run begins, such as files of a folder that were passed
    over."""
    stream: bool = True
    """Also write each event to LangGraph's custom stream, for hosts."""

    async def emit(self, event: Event) -> None:
        """Returns when the event is safe in the sink. A host sees it as a custom event, as JSON,
        with number and time."""
        numbered = await self.sink.emit(event)
        if self.stream:
            from langgraph.config import get_stream_writer  # heavy: options are read without it

            get_stream_writer()((numbered or event).model_dump(mode="json"))

    def bound(self, role: str) -> Chat:
        """The model in a role."""
        by_role = {
            "target": self.target,
            "judge": self.judge,
            "generator": self.generator,
        }
        by_role |= self.anchors
        return by_role.get(role) or self.evaluator


def caveats(deps: RunDeps) -> tuple[str, ...]:
    """What a model's client could not send as asked, such as a seed, and what else is to be said of
    the run."""
    chats = {
        chat.name: chat
        for chat in (
            deps.target,
            deps.generator or deps.evaluator,
            deps.evaluator,
            deps.judge,
            *deps.anchors.values(),
        )
    }
    sentences = [
        f"{name}: {caveat}."
        for name, chat in chats.items()
        for caveat in getattr(chat, "caveats", ())
    ]
    return (*sentences, *deps.remarks())


async def fingerprints(sources: Mapping[Tier, Sequence[FactSource]]) -> dict[str, str]:
    """Source → digest of its content, for those that can be read whole. Raises SourceFailed."""
    by_name = {source.name: source for of_tier in sources.values() for source in of_tier}
    return {
        name: await source.fingerprint()
        for name, source in sorted(by_name.items())
        if isinstance(source, Whole)
    }


PoolKey = tuple[str, ...]


def pool_key(spec: DrillSpec) -> PoolKey:
    """Everything that decides a pool."""
    return (
        spec.domain,
        spec.language,
        spec.evaluator,
        str(pool_seed(spec)),
        str(spec.pool),
        *spec.facts.get(TIERS[0], ()),
        prompts_of(spec)["aspects"].digest,
    )


def pool_seed(spec: DrillSpec) -> int:
    """The seed a pool is named with: all repeats share it."""
    return spec.seed if spec.pool_seed is None else spec.pool_seed


async def fill_pools(pools: Pools, journals: Iterable[Path]) -> None:
    """Take over the pools that earlier sessions drew from: runs that have not begun share them with
    those that have."""
    for folder in journals:
        spec: DrillSpec | None = None
        for event in read_events(folder):
            if isinstance(event, RunStarted):
                spec = event.spec if event.spec.method == "drill" else None
            if isinstance(event, Opened) and spec is not None and not spec.topics:
                pool = Pool(event.aspects, population=event.population)
                await pools.get(pool_key(spec), partial(_ready_pool, pool))
                break


async def _ready_pool(pool: Pool) -> Pool:
    return pool


async def together(*work: Awaitable[Any]) -> list[Any]:
    """Results in the order given; when one raises, the others are cancelled and awaited before it
    is raised."""
    tasks = [asyncio.ensure_future(w) for w in work]
    try:
        return list(await asyncio.gather(*tasks))
    except BaseException:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        raise


Node = Callable[..., Any]
After = str | tuple[Callable[[Any], str | Sequence[Send]], list[str]]
"""What follows a stage: another one, or whatever a function of the state says of those named."""
Stages = Mapping[str, tuple[Any, After]]
"""By name in a graph: what a stage does, and what follows it."""
CHECKPOINTER = "__pregel_checkpointer"
"""Where LangGraph's config has the checkpointer that a subgraph inherits."""
WITHOUT_JOURNAL = (
    "The host's checkpointer outlives this process, and what is measured does not: cut off, this "
    "run could not be"
    " resumed. Give embed a `journal`, a file that is kept as long."
)
MethodGraph = CompiledStateGraph[Any, None, DrillInput, DrillOutput]


async def begin(
    deps: RunDeps,
    run_id: str,
    spec: Spec,
    steps: int,
    sources: Mapping[str, str] | None = None,
    material: Material | None = None,
    problems: ProblemSet | None = None,
) -> None:
    """Tell that the run begins, and what the user should know of it; or that it goes on, where its
    host begins it again after a process that was killed: what its journal holds is not paid for
    twice. `steps`: supersteps it may take at most; `sources`: source → fingerprint. Raises
    UsageError when a host's recursion_limit does not permit them."""
    allowed = get_config().get("recursion_limit", steps)
    if allowed < steps:
        raise UsageError(
            f"This run may take {steps} steps of its graph, and the host's recursion_limit permits "
            f"{allowed}: give a"
            f" config with recursion_limit={steps} or more, so that it is not cut off when much is "
            "paid for."
        )
    started = RunStarted(
        run_id=run_id,
        spec=spec,
        spec_digest=spec.digest,
        version=__version__,
        simulated=spec.simulated,
        prompts={name: prompt.digest for name, prompt in sorted(prompts_of(spec).items())},
        sources=dict(sources or {}),
        environment=environment(),
        material=material,
        problems=problems,
        format=FORMAT,
    )
    await deps.emit(_gone_on(deps, started) or started)
    for notice in deps.notices:
        await deps.emit(Notice(run_id=run_id, level="info", message=notice))
    saver = get_config().get("configurable", {}).get(CHECKPOINTER)
    if type(deps.sink) is MemorySink and saver is not None and type(saver) is not InMemorySaver:
        get_logger().warning("nothing to resume from", advice=WITHOUT_JOURNAL)
        await deps.emit(Notice(run_id=run_id, level="warning", message=WITHOUT_JOURNAL))


def _gone_on(deps: RunDeps, started: RunStarted) -> RunResumed | None:
    """What to tell of a run that its host begins again and that its journal knows; None when it
    begins from nothing, because the journal has none such or what would be measured has changed.
    What was lost before it failed is done again."""
    memory = deps.sink.run(started.run_id)
    before, failed = (
        memory.started,
        memory.finished is not None and memory.finished.status == "failed",
    )
    is_announced = (
        bool(memory.resumed) and memory.resumed[-1].seq == memory.seq
    )  # the runner has just said so
    is_unchanged = all(
        getattr(before, name, None) == getattr(started, name)
        for name in ("spec", "version", "prompts", "sources")
    )
    if before is None or is_announced or not is_unchanged or not isinstance(deps.sink, Journal):
        return None
    return RunResumed(
        run_id=started.run_id,
        spec=started.spec,
        version=__version__,
        probes=len(memory.probe_ids) + len(memory.item_ids),
        reopened=len(memory.closed) + 1 if failed else None,
    )


def last_begin(deps: RunDeps, run_id: str) -> RunStarted | RunResumed:
    """What the run was told when it began, or last went on. Raises RunFailed when it began
    elsewhere and nothing here remembers it: its result could not be made."""
    memory = deps.sink.run(run_id)
    if memory.started is None:
        raise RunFailed(
            f"The run {run_id} began in a process whose memory is gone, so that its result could "
            "not be made: give"
            " embed a `journal` that outlives the process (for a LangGraph server set "
            "FATHOM_JOURNAL to a folder), and"
            " begin anew."
        )
    return memory.resumed[-1] if memory.resumed else memory.started


async def wait_while_stopping(deps: RunDeps, run_id: str) -> None:
    """Returns when the run may take a further step. Raises RunFailed as `begun` does."""
    last_begin(deps, run_id)
    await deps.gate.pass_through()


def compiled(name: str, state: Any, deps: RunDeps, stages: Stages) -> MethodGraph:
    """A method's graph, which begins at the first of its stages, without a checkpointer of its own:
    a host brings one. Where it is a host's, a failure is told before it is raised; the runner,
    which streams to nobody, tells it itself."""
    builder = StateGraph(state, input_schema=DrillInput, output_schema=DrillOutput)
    builder.add_edge(START, next(iter(stages)))
    for stage, (node, after) in stages.items():
        if not isinstance(node, CompiledStateGraph):
            node = reporting_failure(deps, node) if deps.stream else detached_from_context(node)
        builder.add_node(stage, node)
        if isinstance(after, str):
            builder.add_edge(stage, after)
        else:
            builder.add_conditional_edges(stage, *after)
    return builder.compile(name=name)


def detached_from_context(node: Node) -> Node:
    """A node of the runner's, which lets go of all in LangGraph's context but the callbacks:
    connections, timers and tasks keep the context they began in, and through it they would keep the
    run's whole state as long as they last."""

    @wraps(node)
    async def detached(state: Any) -> Any:
        var_child_runnable_config.set(RunnableConfig(callbacks=get_config().get("callbacks")))
        return await node(state)

    del (
        detached.__wrapped__
    )  # else LangGraph looks for graphs in the code of the node, anew for every run
    return detached


def reporting_failure(deps: RunDeps, node: Node) -> Node:
    @wraps(node)
    async def reporting(state: Any) -> Any:
        try:
            return await node(state)
        except FathomError as failure:
            try:
                await _tell(deps, state["run_id"], str(failure))
            except FathomError as fault:  # such as a journal that cannot be written
                get_logger().error(
                    "the end of the run could not be journalled", fault=str(fault)
                )
            raise

    return reporting


async def _tell(deps: RunDeps, run_id: str, reason: str) -> None:
    memory = deps.sink.run(run_id)
    is_over = (
        memory.finished is not None and memory.finished.seq == memory.seq
    )  # by another node that failed
    if memory.started is None or is_over:
        return
    await deps.emit(Notice(run_id=run_id, level="error", message=reason))
    stop = Stop(reason="failed", detail=reason)
    await deps.emit(ending(deps.sink, run_id, deps.clock.now(), "failed", stop, caveats(deps)))


async def wait_for_cancel() -> NoReturn:
    """Waits for the runner to cancel it."""
    await asyncio.Event().wait()
    raise AssertionError("nobody sets this event")
