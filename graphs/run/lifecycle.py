"""How a run of any method begins, goes on and fails inside its graph: what its events say of
that."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import Any, NoReturn

from langchain_core.runnables.config import RunnableConfig, var_child_runnable_config
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.config import get_config
from langgraph.graph import START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import Send

from ... import __version__
from ...state.channels import DrillInput, DrillOutput, Stop
from ...state.deepquestion.items import ProblemSet
from ...state.depthqa.items import Material
from ...state.errors import FathomError, RunFailed, UsageError
from ...state.events import FORMAT, Notice, RunResumed, RunStarted
from ...state.spec import Spec
from ...tools.runs.journal import Journal, MemorySink
from ...tools.runs.log import get_logger
from .deps import DrillDeps, caveats
from .record import ending, environment

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
    deps: DrillDeps,
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
        prompts={name: prompt.digest for name, prompt in sorted(deps.prompts.items())},
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


def _gone_on(deps: DrillDeps, now: RunStarted) -> RunResumed | None:
    """What to tell of a run that its host begins again and that its journal knows; None when it
    begins from nothing, because the journal has none such or what would be measured has changed.
    What was lost before it failed is done again."""
    memory = deps.sink.run(now.run_id)
    before, failed = (
        memory.started,
        memory.finished is not None and memory.finished.status == "failed",
    )
    told = (
        bool(memory.resumed) and memory.resumed[-1].seq == memory.seq
    )  # the runner has just said so
    same = all(
        getattr(before, name, None) == getattr(now, name)
        for name in ("spec", "version", "prompts", "sources")
    )
    if before is None or told or not same or not isinstance(deps.sink, Journal):
        return None
    return RunResumed(
        run_id=now.run_id,
        spec=now.spec,
        version=__version__,
        probes=len(memory.probe_ids) + len(memory.item_ids),
        reopened=len(memory.closed) + 1 if failed else None,
    )


def begun(deps: DrillDeps, run_id: str) -> RunStarted | RunResumed:
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


async def go_on(deps: DrillDeps, run_id: str) -> None:
    """Returns when the run may take a further step. Raises RunFailed as `begun` does."""
    begun(deps, run_id)
    await deps.gate.pass_through()


def compiled(name: str, state: Any, deps: DrillDeps, stages: Stages) -> MethodGraph:
    """A method's graph, which begins at the first of its stages, without a checkpointer of its own:
    a host brings one. Where it is a host's, a failure is told before it is raised; the runner,
    which streams to nobody, tells it itself."""
    builder = StateGraph(state, input_schema=DrillInput, output_schema=DrillOutput)
    builder.add_edge(START, next(iter(stages)))
    for stage, (node, after) in stages.items():
        if not isinstance(node, CompiledStateGraph):
            node = telling(deps, node) if deps.stream else apart(node)
        builder.add_node(stage, node)
        if isinstance(after, str):
            builder.add_edge(stage, after)
        else:
            builder.add_conditional_edges(stage, *after)
    return builder.compile(name=name)


def apart(node: Node) -> Node:
    """A node of the runner's, which lets go of all in LangGraph's context but the callbacks:
    connections, timers and tasks keep the context they began in, and through it they would keep the
    run's whole state as long as they last."""

    @wraps(node)
    async def played(state: Any) -> Any:
        var_child_runnable_config.set(RunnableConfig(callbacks=get_config().get("callbacks")))
        return await node(state)

    del (
        played.__wrapped__
    )  # else LangGraph looks for graphs in the code of the node, anew for every run
    return played


def telling(deps: DrillDeps, node: Node) -> Node:
    @wraps(node)
    async def told(state: Any) -> Any:
        try:
            return await node(state)
        except FathomError as failure:
            try:
                await _tell(deps, state["run_id"], str(failure))
            except FathomError as fault:  # such as a journal that cannot be written
                get_logger().error("the end of the run could not be journalled", fault=str(fault))
            raise

    return told


async def _tell(deps: DrillDeps, run_id: str, reason: str) -> None:
    memory = deps.sink.run(run_id)
    ended = (
        memory.finished is not None and memory.finished.seq == memory.seq
    )  # by another node that failed
    if memory.started is None or ended:
        return
    await deps.emit(Notice(run_id=run_id, level="error", message=reason))
    stop = Stop(reason="failed", detail=reason)
    await deps.emit(ending(deps.sink, run_id, deps.clock.now(), "failed", stop, caveats(deps)))


async def never() -> NoReturn:
    """Waits for the runner to cancel it."""
    await asyncio.Event().wait()
    raise AssertionError("nobody sets this event")
