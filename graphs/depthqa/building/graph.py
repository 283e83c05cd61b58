"""Building a DepthQA graph as a LangGraph state machine: open → one Send per source question → sift
→ one Send per gap → settle → one Send per relation (when they are rated) → finish."""

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Any

from langgraph.graph import END
from langgraph.types import Send
from typing_extensions import TypedDict

from ....state.channels import Stop
from ....state.depthqa.build import DepthQABuildResult
from ....state.depthqa.spec import DepthQABuildSpec
from ....state.items import build_items
from ...run.deps import MethodGraph, RunDeps, Stages, compiled
from ...run.part_graph import PartNodes
from ...run.record import RunRecord
from .build import Build
from .result import ending_of, result_of


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
    """What the task of one question is told. Not the spec: with all its questions in every task,
    checkpoints would grow with their square."""

    run_id: str
    node: str


def recursion_limit(spec: DepthQABuildSpec) -> int:
    """Supersteps at most."""
    return 15


class Nodes(PartNodes[Build]):
    """The nodes, bound to their dependencies."""

    def prepare(self, spec: DepthQABuildSpec, run_id: str) -> Build:
        return Build(self.deps, spec, run_id)

    def stop_of(self, play: Build, record: RunRecord) -> Stop:
        return ending_of(play.spec, build_items(record.items))

    def result_of(self, record: RunRecord) -> DepthQABuildResult:
        return result_of(record)

    async def open(self, state: BuildState) -> dict[str, Any]:
        """Begin the run."""
        await self.begin(state, recursion_limit(DepthQABuildSpec.model_validate(state["spec"])))
        return {}

    async def sift(self, state: BuildState) -> dict[str, Any]:
        """What is alike becomes one."""
        await self.deps.gate.pass_through()
        sifted = await self.playing(state["run_id"]).first()
        return {"gaps": sorted(sifted.gaps)}

    async def settle(self, state: BuildState) -> dict[str, Any]:
        """What was written to fill gaps must not be there already."""
        await self.deps.gate.pass_through()
        build = self.playing(state["run_id"])
        nodes = (await build.second()).nodes
        related = [node.id for node in nodes if node.predecessors]
        return {"relations": related if build.spec.check else []}

    async def deconstruct(self, task: BuildTask) -> dict[str, Any]:
        """One source question, down to depth 1."""
        return await self._work(task, Build.source)

    async def fill(self, task: BuildTask) -> dict[str, Any]:
        """One gap."""
        return await self._work(task, Build.fill)

    async def relate(self, task: BuildTask) -> dict[str, Any]:
        """One question and its predecessors."""
        return await self._work(task, Build.relate)

    async def _work(
        self, task: BuildTask, step: Callable[[Build, str], Awaitable[None]]
    ) -> dict[str, Any]:
        work = partial(step, self.playing(task["run_id"]), task["node"])
        return await self.step_paid(work, node=task["node"])


def build_graph(deps: RunDeps) -> MethodGraph:
    """The compiled builder."""
    nodes = Nodes(deps)
    stages: Stages = {
        "open": (nodes.open, (_sources, ["deconstruct"])),
        "deconstruct": (nodes.deconstruct, "sift"),
        "sift": (nodes.sift, (_gaps, ["fill", "settle"])),
        "fill": (nodes.fill, "settle"),
        "settle": (nodes.settle, (_relations, ["relate", "finish"])),
        "relate": (nodes.relate, "finish"),
        "finish": (nodes.finish, END),
    }
    return compiled("depthqa_build", BuildState, deps, stages)


def _sources(state: BuildState) -> list[Send]:
    return _sends("deconstruct", state, [source["id"] for source in state["spec"]["questions"]])


def _gaps(state: BuildState) -> str | list[Send]:
    return _sends("fill", state, state["gaps"]) or "settle"


def _relations(state: BuildState) -> str | list[Send]:
    return _sends("relate", state, state["relations"]) or "finish"


def _sends(task: str, state: BuildState, nodes: Sequence[str]) -> list[Send]:
    return [Send(task, BuildTask(run_id=state["run_id"], node=node)) for node in nodes]
