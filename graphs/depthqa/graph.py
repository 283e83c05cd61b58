"""DepthQA as a LangGraph state machine: open → one Send per tree of questions → finish.

A tree is played by `tree`. Trees share answers to questions that stand in several of them, the
budget and the connections; questions that stand alone are sent in batches.
"""

import asyncio
from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import chain
from typing import Any

from langgraph.graph import END
from langgraph.types import Send
from typing_extensions import TypedDict

from ...state.channels import Stop
from ...state.depthqa.result import DepthQAResult
from ...state.depthqa.spec import DepthQASpec
from ...state.errors import UsageError
from ...state.events import Marks, TreeClosed
from ...state.items import depthqa_items
from ...state.question_graph import Material
from ..run.deps import MethodGraph, RunDeps, Stages, compiled, together
from ..run.due import NOTHING, FinishedItems, PlannedCall, side_by_side
from ..run.part_graph import PartNodes
from ..run.record import RunRecord
from ..run.spread import fixed
from .asking import Asking, Score
from .calls import DepthQACalls, length
from .protocol import PlannedQuestion, needed_by, owner_of
from .result import ending_of, result_of

BATCH = 50
"""Trees of a single question that one task plays: a task of its own each would cost more than the
question."""


class DepthQAState(TypedDict):
    """All channels. What is measured is in the sink."""

    spec: dict[str, Any]
    run_id: str
    trees: list[list[int]]
    """Indices of trees, as they are sent."""
    result: dict[str, Any]


class TreeTask(TypedDict):
    """What the node of some trees is told."""

    run_id: str
    trees: list[int]


def recursion_limit(spec: DepthQASpec) -> int:
    """Supersteps at most."""
    return 10


class Play(Asking):
    """What all trees of one run are played with."""

    def __init__(self, deps: RunDeps, spec: DepthQASpec, material: Material, run_id: str) -> None:
        super().__init__(deps, spec, material, run_id)
        self.material = material
        self.due = needed_by(spec, material)
        every = [*chain.from_iterable(self.due)]
        times = Counter(planned.name for planned in every)
        self.shared = frozenset(name for name, trees in times.items() if trees > 1)
        """Askings that several trees need."""
        self.locks: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self.calls = DepthQACalls(spec, material)
        trees = len(self.due)
        sequence, calls = length(self.calls.chain(fixed(trees))), self.calls.of(every, NOTHING)
        self.window = asyncio.Semaphore(side_by_side(calls, trees, sequence, deps.connections))

    def left(self, due: Sequence[PlannedQuestion]) -> list[PlannedCall]:
        """What these questions still take."""
        return list(self.calls.of(due, FinishedItems(self.deps.sink, self.run_id)))

    def closing(self, index: int, scores: Sequence[Score]) -> TreeClosed:
        """The end of a tree. What another tree tells of is not told twice."""
        counts: dict[int, Counter[str]] = defaultdict(Counter)
        for planned, score in scores:
            if owner_of(self.graph, planned) == index:
                count = counts[self.graph.by_id[planned.node].depth]
                count["unscored" if score is None else "scored"] += 1
                count["total"] += score or 0
        names = ("scored", "unscored", "total")
        depths = {
            depth: Marks(**{name: count[name] for name in names})
            for depth, count in sorted(counts.items())
        }
        root = self.graph.trees[index].root
        return TreeClosed(run_id=self.run_id, index=index, root=root, depths=depths)


class Nodes(PartNodes[Play]):
    """The nodes, bound to their dependencies."""

    def prepare(self, spec: DepthQASpec, run_id: str) -> Play:
        """With the questions as the journal has them, else as they were handed over. Raises
        UsageError without them."""
        started = self.deps.sink.run(run_id).started
        material = (started.material if started else None) or self.deps.material
        if (
            material is None
            or material.digest != spec.material
            or spec.given != (material.answers is not None)
        ):
            raise UsageError(
                f"The questions of {spec.graph} are not this run's, or were not kept, and no model "
                "was called: start the run again with its graph, and remove this one."
            )
        return Play(self.deps, spec, material, run_id)

    def about(self, play: Play) -> dict[str, Any]:
        return {"material": play.material}

    def stop_of(self, play: Play, record: RunRecord) -> Stop:
        return ending_of(play.spec, play.material, depthqa_items(record.items))

    def result_of(self, record: RunRecord) -> DepthQAResult:
        return result_of(record)

    async def open(self, state: DepthQAState) -> dict[str, Any]:
        """Begin the run."""
        play = await self.begin(state, recursion_limit(DepthQASpec.model_validate(state["spec"])))
        return {"trees": batches(play.material)}

    async def tree(self, task: TreeTask) -> dict[str, Any]:
        """Everything about some trees."""
        play = self.playing(task["run_id"])
        return await self.wait_unless(
            *await together(*(self._one(play, index) for index in task["trees"]))
        )

    async def _one(self, play: Play, index: int) -> bool:
        async def work() -> None:
            async with play.window:
                await self._play(play, index)

        root = play.graph.trees[index].root
        return await self.play_part(play.run_id, index, work, tree=root)

    async def _play(self, play: Play, index: int) -> None:
        due = play.due[index]
        if self.deps.budget is not None:
            # a tree that waited for another one's step would keep what is set aside for it from
            # those who need it, so that what is shared comes first and is paid for by itself; what
            # is quoted before what quotes it
            common = [planned for planned in due if planned.name in play.shared]
            for quoting in (False, True):
                wave = [planned for planned in common if bool(planned.before) == quoting]
                await together(*(self._first(play, planned) for planned in wave))
        async with self.paid(play.left(due)) as payer:
            scores = await play.settle_all(due, payer)
            await self.deps.emit(play.closing(index, scores))

    async def _first(self, play: Play, planned: PlannedQuestion) -> None:
        """One shared asking, by whichever tree comes first."""
        async with play.locks[planned.name], self.paid(play.left([planned])) as payer:
            await play.settle(planned, payer)


def batches(material: Material) -> list[list[int]]:
    """Trees as they are sent: each by itself, those of a single question together."""
    trees = material.graph.trees
    single = [index for index, tree in enumerate(trees) if len(tree.nodes) == 1]
    several = [[index] for index, tree in enumerate(trees) if len(tree.nodes) > 1]
    starts = range(0, len(single), BATCH)
    bundles = [single[start : start + BATCH] for start in starts]
    return [*several, *bundles]


def build_graph(deps: RunDeps) -> MethodGraph:
    """The compiled DepthQA run over `deps.material`."""
    nodes = Nodes(deps)
    stages: Stages = {
        "open": (nodes.open, (_trees, ["tree"])),
        "tree": (nodes.tree, "finish"),
        "finish": (nodes.finish, END),
    }
    return compiled("depthqa", DepthQAState, deps, stages)


def _trees(state: DepthQAState) -> list[Send]:
    run_id = state["run_id"]
    return [Send("tree", TreeTask(run_id=run_id, trees=trees)) for trees in state["trees"]]
