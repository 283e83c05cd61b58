"""Building a DepthQA graph as a LangGraph state machine: open → one Send per source question → sift → one Send per gap
→ settle → one Send per relation (when they are rated) → finish."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Any

import structlog
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import Send
from typing_extensions import TypedDict

from ....agents.prompt_template import override
from ....agents.prompts import DEPTHQA_BUILD_PROMPTS
from ....state.channels import DrillInput, DrillOutput, Stop
from ....state.depthqa.spec import DepthQABuildSpec
from ....state.errors import BudgetSpent, UsageError
from ....state.items import build_items
from ...run.deps import DrillDeps, caveats, require_names
from ...run.emit import emit
from ...run.lifecycle import add_nodes, begin, begun, go_on, never
from ...run.record import ending, record_now
from .result import result_of, stop_of
from .run import Build


class BuildState(TypedDict):
    """All channels. What was written is in the sink."""

    spec: dict[str, Any]
    run_id: str
    gaps: list[str]
    """Questions that have lost a predecessor."""
    relations: list[str]
    """Questions whose relation to their predecessors is rated."""
    result: dict[str, Any]


class BuildTask(TypedDict):
    """What the task of one question is told. Not the spec: with all its questions in every task, checkpoints would grow
    with their square."""

    run_id: str
    node: str


BuildGraph = CompiledStateGraph[BuildState, None, DrillInput, DrillOutput]


def recursion_limit(spec: DepthQABuildSpec) -> int:
    """Supersteps at most."""
    return 15


class Nodes:
    """The nodes, bound to their dependencies."""

    def __init__(self, deps: DrillDeps) -> None:
        self.deps = deps
        self._builds: dict[str, Build] = {}
        """By run: a host may have several under way."""

    async def open(self, state: BuildState) -> dict[str, Any]:
        """Begin the run."""
        spec, run_id = DepthQABuildSpec.model_validate(state["spec"]), state["run_id"]
        used = override(DEPTHQA_BUILD_PROMPTS, spec.prompts)
        other = [name for name, prompt in used.items() if self.deps.prompts.get(name) != prompt]
        if other:
            raise UsageError(f"The spec has another text for the prompt {other[0]!r} than the graph: bind the same.")
        require_names(spec, {"evaluator": self.deps.evaluator.name, "similarity": self.deps.similarity.name})
        self._builds[run_id] = Build(self.deps, spec, run_id)
        await begin(self.deps, run_id, spec, recursion_limit(spec))
        return {}

    def _at(self, run_id: str) -> Build:
        if run_id not in self._builds:  # a checkpoint lies behind `open`
            spec = begun(self.deps, run_id).spec
            assert isinstance(spec, DepthQABuildSpec)  # a run has one method
            self._builds[run_id] = Build(self.deps, spec, run_id)
        return self._builds[run_id]

    async def deconstruct(self, told: BuildTask) -> dict[str, Any]:
        """One source question, down to depth 1."""
        build = self._at(told["run_id"])
        return await self._paid(told["node"], build.source(build.tree_of(told["node"])))

    async def sift(self, state: BuildState) -> dict[str, Any]:
        """What is alike becomes one."""
        await self.deps.gate.pass_through()
        return {"gaps": sorted((await self._at(state["run_id"]).sift()).gaps)}

    async def fill(self, told: BuildTask) -> dict[str, Any]:
        """One gap."""
        return await self._paid(told["node"], self._at(told["run_id"]).fill(told["node"]))

    async def settle(self, state: BuildState) -> dict[str, Any]:
        """What was written to fill gaps must not be there already."""
        await self.deps.gate.pass_through()
        build = self._at(state["run_id"])
        last = await build.settle()
        return {"relations": [node.id for node in last.nodes if node.predecessors] if build.spec.check else []}

    async def relate(self, told: BuildTask) -> dict[str, Any]:
        """One question and its predecessors."""
        return await self._paid(told["node"], self._at(told["run_id"]).relate(told["node"]))

    async def finish(self, state: BuildState) -> dict[str, Any]:
        """The result, from what the journal holds."""
        await go_on(self.deps, state["run_id"])
        sink, run_id = self.deps.sink, state["run_id"]
        unknown = Stop(reason="all_asked", detail="")
        ended = ending(sink, run_id, self.deps.clock.now(), "complete", unknown, caveats(self.deps))
        record = record_now(sink, run_id, ended)
        stop = stop_of(self._at(run_id).spec, build_items(record.items))
        ended = ended.model_copy(update={"stop_reason": stop["reason"], "stop_detail": stop["detail"]})
        result = result_of(replace(record, finished=ended))
        await emit(self.deps, ended.model_copy(update={"cost_usd": result.cost_usd}))
        sink.forget(run_id)
        self._builds.pop(run_id, None)
        return {"result": result.model_dump(mode="json", by_alias=True)}

    async def _paid(self, node: str, work: Awaitable[None]) -> dict[str, Any]:
        """The work; where the budget leaves no room for it, the run is cut off."""
        with structlog.contextvars.bound_contextvars(node=node):
            try:
                await work
                return {}
            except BudgetSpent as spent:
                self.deps.gate.cut(str(spent))
        return await never()


def build_graph(deps: DrillDeps, checkpointer: BaseCheckpointSaver[str] | None = None) -> BuildGraph:
    """The compiled builder."""
    nodes = Nodes(deps)
    builder = StateGraph(BuildState, input_schema=DrillInput, output_schema=DrillOutput)
    steps: dict[str, Callable[..., Any]] = {
        "open": nodes.open,
        "deconstruct": nodes.deconstruct,
        "sift": nodes.sift,
        "fill": nodes.fill,
        "settle": nodes.settle,
        "relate": nodes.relate,
        "finish": nodes.finish,
    }
    add_nodes(builder, deps, steps)
    builder.add_edge(START, "open")
    builder.add_conditional_edges("open", _sources, ["deconstruct"])
    builder.add_edge("deconstruct", "sift")
    builder.add_conditional_edges("sift", _gaps, ["fill", "settle"])
    builder.add_edge("fill", "settle")
    builder.add_conditional_edges("settle", _relations, ["relate", "finish"])
    builder.add_edge("relate", "finish")
    builder.add_edge("finish", END)
    return builder.compile(checkpointer, name="depthqa_build")


def _sources(state: BuildState) -> list[Send]:
    return _sends("deconstruct", state, [source["id"] for source in state["spec"]["questions"]])


def _gaps(state: BuildState) -> str | list[Send]:
    return _sends("fill", state, state["gaps"]) or "settle"


def _relations(state: BuildState) -> str | list[Send]:
    return _sends("relate", state, state["relations"]) or "finish"


def _sends(task: str, state: BuildState, nodes: Sequence[str]) -> list[Send]:
    return [Send(task, BuildTask(run_id=state["run_id"], node=node)) for node in nodes]
