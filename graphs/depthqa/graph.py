"""DepthQA as a LangGraph state machine: open → one Send per tree of questions → finish.

A tree is played by `tree`. Trees share answers to questions that stand in several of them, the budget and the
connections; questions that stand alone are sent in batches.
"""

import asyncio
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import replace
from functools import partial
from typing import Any

import structlog
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import Send
from typing_extensions import TypedDict

from ...agents.prompt_template import override
from ...agents.prompts import DEPTHQA_PROMPTS
from ...state.channels import DrillInput, DrillOutput, Stop
from ...state.depthqa.items import Material
from ...state.depthqa.spec import DepthQASpec
from ...state.errors import BudgetSpent, UsageError
from ...state.items import depthqa_items
from ...tools.models.chat import Payer
from ..run.admission import admitted, part_cost
from ..run.deps import DrillDeps, caveats, require_names
from ..run.due import NOTHING, Done, side_by_side
from ..run.emit import emit
from ..run.lifecycle import add_nodes, begin, begun, go_on, never
from ..run.lookups import together
from ..run.record import ending, record_now
from ..run.spread import fixed
from .calls import DepthQACalls, length
from .protocol import PlannedQuestion, needed_by
from .result import result_of, stop_of
from .tree import Shared, TreeRun

BATCH = 50
"""Trees of a single question that one task plays: a task of its own each would cost more than the question."""


class DepthQAState(TypedDict):
    """All channels. What is measured is in the sink."""

    spec: dict[str, Any]
    run_id: str
    trees: list[list[int]]
    """Indices of trees, as they are sent."""
    result: dict[str, Any]


class TreeTask(TypedDict):
    """What the node of some trees is told."""

    spec: dict[str, Any]
    run_id: str
    trees: list[int]


DepthQAGraph = CompiledStateGraph[DepthQAState, None, DrillInput, DrillOutput]


def recursion_limit(spec: DepthQASpec) -> int:
    """Supersteps at most."""
    return 10


class Play:
    """What all trees of one run are played with."""

    def __init__(self, deps: DrillDeps, spec: DepthQASpec, material: Material, run_id: str) -> None:
        self.shared = Shared(deps, spec, material, run_id)
        self.due: list[list[PlannedQuestion]] = needed_by(spec, material)
        times = Counter(planned.place for due in self.due for planned in due)
        self.shared_places = frozenset(place for place, trees in times.items() if trees > 1)
        """Askings that several trees need."""
        self.locks: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self.calls = DepthQACalls(spec, material)
        every = (planned for due in self.due for planned in due)
        sequence = length(self.calls.chain(fixed(len(self.due))))
        places = side_by_side(self.calls.of(every, NOTHING), len(self.due), sequence, deps.connections)
        self.window = asyncio.Semaphore(places)


class Nodes:
    """The nodes, bound to their dependencies."""

    def __init__(self, deps: DrillDeps) -> None:
        self.deps = deps
        self._plays: dict[str, Play] = {}
        """By run: a host may have several under way."""
        self._at_work = 0
        self._spent = ""
        """Why no further tree fits the budget."""

    async def open(self, state: DepthQAState) -> dict[str, Any]:
        """Begin the run."""
        spec, run_id = DepthQASpec.model_validate(state["spec"]), state["run_id"]
        self._require_bound(spec)
        material = self._material(spec, run_id)
        self._plays[run_id] = Play(self.deps, spec, material, run_id)
        await begin(self.deps, run_id, spec, recursion_limit(spec), material=material)
        return {"trees": batches(material)}

    def _require_bound(self, spec: DepthQASpec) -> None:
        """A result must not mislabel what it measured."""
        used = override(DEPTHQA_PROMPTS, spec.prompts)
        other = [name for name, prompt in used.items() if self.deps.prompts.get(name) != prompt]
        if other:
            raise UsageError(f"The spec has another text for the prompt {other[0]!r} than the graph: bind the same.")
        require_names(spec, {"judge": self.deps.judge.name})
        if not spec.given:
            require_names(spec, {"target": self.deps.target.name})

    def _material(self, spec: DepthQASpec, run_id: str) -> Material:
        """The questions: as the journal has them, else as they were handed over. Raises UsageError without them."""
        started = self.deps.sink.run(run_id).started
        material = (started.material if started else None) or self.deps.material
        if material is None or material.digest != spec.material:
            raise UsageError(
                f"The questions of {spec.graph} are not this run's, or were not kept, and no model was called:"
                " start the run again with its graph, and remove this one."
            )
        if spec.given != (material.answers is not None):
            raise UsageError("The spec names given answers, or none, and the material says otherwise: make them agree.")
        return material

    def _playing(self, task: TreeTask) -> Play:
        run_id = task["run_id"]
        if run_id not in self._plays:  # a checkpoint lies behind `open`
            begun(self.deps, run_id)
            spec = DepthQASpec.model_validate(task["spec"])
            self._plays[run_id] = Play(self.deps, spec, self._material(spec, run_id), run_id)
        return self._plays[run_id]

    async def tree(self, task: TreeTask) -> dict[str, Any]:
        """Everything about some trees."""
        play = self._playing(task)
        spent = await together(*(self._one(play, index) for index in task["trees"]))
        if not any(spent):
            return {}
        self._cut_when_idle()
        return await never()

    async def _one(self, play: Play, index: int) -> bool:
        """One tree; whether the budget left no room for it."""
        memory = self.deps.sink.run(play.shared.run_id)
        if index in memory.parts and index not in memory.reopened:
            return False
        root = play.shared.graph.trees[index].root
        with structlog.contextvars.bound_contextvars(tree=root):
            try:
                async with play.window:
                    await self._admit(play, index)
            except BudgetSpent as spent:
                self._spent = self._spent or str(spent)
                self._cut_when_idle()
                return True
        return False

    async def _admit(self, play: Play, index: int) -> None:
        due = play.due[index]
        if self.deps.budget is not None:
            # a tree that waited for another one's step would keep what is set aside for it from those who need it, so
            # that what is shared comes first and is paid for by itself; what is quoted before what quotes it
            common = [planned for planned in due if planned.place in play.shared_places]
            for quoting in (False, True):
                wave = [planned for planned in common if bool(planned.before) == quoting]
                await together(*(self._first(play, index, planned) for planned in wave))
        await self._paid(play, due, TreeRun(play.shared, index, due).play)

    async def _first(self, play: Play, index: int, planned: PlannedQuestion) -> None:
        """One shared asking, by whichever tree comes first."""
        async with play.locks[planned.place]:
            await self._paid(play, [planned], partial(TreeRun(play.shared, index, [planned]).settle, planned))

    async def _paid(
        self, play: Play, due: Sequence[PlannedQuestion], work: Callable[[Payer | None], Awaitable[None]]
    ) -> None:
        """The work, once what is left of these askings has a place in the budget."""
        await self.deps.gate.pass_through()
        async with self._admitted(play, due) as payer:
            self._at_work += 1
            try:
                await work(payer)
            finally:
                self._at_work -= 1
                self._cut_when_idle()

    def _admitted(self, play: Play, due: Sequence[PlannedQuestion]) -> AbstractAsyncContextManager[Payer | None]:
        if self.deps.budget is None:
            return nullcontext()
        left = list(play.calls.of(due, Done(self.deps.sink, play.shared.run_id)))
        if not left:  # nothing to pay for waits for no budget
            return nullcontext()
        return admitted(self.deps.budget, partial(part_cost, self.deps, left))

    def _cut_when_idle(self) -> None:
        """Once the budget is used up, those who were admitted finish; then the run is cut off."""
        if self._spent and not self._at_work:
            self.deps.gate.cut(self._spent)

    async def finish(self, state: DepthQAState) -> dict[str, Any]:
        """The result, from what the journal holds."""
        await go_on(self.deps, state["run_id"])
        sink, run_id, spec = self.deps.sink, state["run_id"], DepthQASpec.model_validate(state["spec"])
        unknown = Stop(reason="all_asked", detail="")
        ended = ending(sink, run_id, self.deps.clock.now(), "complete", unknown, caveats(self.deps))
        record = record_now(sink, run_id, ended)
        stop = stop_of(spec, self._material(spec, run_id), depthqa_items(record.items))
        ended = ended.model_copy(update={"stop_reason": stop["reason"], "stop_detail": stop["detail"]})
        result = result_of(replace(record, finished=ended))
        await emit(self.deps, ended.model_copy(update={"cost_usd": result.cost_usd}))
        sink.forget(run_id)
        self._plays.pop(run_id, None)
        return {"result": result.model_dump(mode="json", by_alias=True)}


def batches(material: Material) -> list[list[int]]:
    """Trees as they are sent: each by itself, those of a single question together."""
    trees = material.graph.trees
    single = [index for index, tree in enumerate(trees) if len(tree.nodes) == 1]
    several = [[index] for index, tree in enumerate(trees) if len(tree.nodes) > 1]
    return [*several, *(single[start : start + BATCH] for start in range(0, len(single), BATCH))]


def build_graph(deps: DrillDeps, checkpointer: BaseCheckpointSaver[str] | None = None) -> DepthQAGraph:
    """The compiled DepthQA run over `deps.material`."""
    nodes = Nodes(deps)
    builder = StateGraph(DepthQAState, input_schema=DrillInput, output_schema=DrillOutput)
    steps: dict[str, Callable[..., Any]] = {"open": nodes.open, "tree": nodes.tree, "finish": nodes.finish}
    add_nodes(builder, deps, steps)
    builder.add_edge(START, "open")
    builder.add_conditional_edges("open", _trees, ["tree"])
    builder.add_edge("tree", "finish")
    builder.add_edge("finish", END)
    return builder.compile(checkpointer, name="depthqa")


def _trees(state: DepthQAState) -> list[Send]:
    return [Send("tree", TreeTask(spec=state["spec"], run_id=state["run_id"], trees=trees)) for trees in state["trees"]]
