"""DepthQA as a LangGraph state machine: open → one Send per tree of questions → finish.

A tree is played by `tree`. Trees share answers to questions that stand in several of them, the
budget and the connections.
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
from .asking import Asking
from .calls import DepthQACalls, length
from .protocol import SCORE, PlannedQuestion, needed_by
from .result import ending_of, result_of


class DepthQAState(TypedDict, total=False):
    """All channels. What is measured is in the sink."""

    spec: dict[str, Any]
    run_id: str
    trees: int
    tree: int
    """Index of the node's."""
    result: dict[str, Any]


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

    def closing(self, index: int) -> TreeClosed:
        """The end of a tree, by what belongs to it and to no earlier one."""
        counts: dict[int, Counter[str]] = defaultdict(
            lambda: Counter(scored=0, unscored=0, total=0)
        )
        for planned in self.calls.trees[index]:
            if planned.scored:
                rating: Any = self.deps.sink.item(self.run_id, f"{self.id_of(planned)}{SCORE}")
                score = rating.score if rating is not None else None
                count = counts[self.graph.by_id[planned.node].depth]
                count["unscored" if score is None else "scored"] += 1
                count["total"] += score or 0
        depths = {depth: Marks(**counts[depth]) for depth in sorted(counts)}
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
        return {"trees": len(play.due)}

    async def tree(self, state: DepthQAState) -> dict[str, Any]:
        """Everything about one tree."""
        run_id, index = state["run_id"], state["tree"]
        play = self.playing(run_id)

        async def work() -> None:
            async with play.window:
                await self._play(play, index)

        root = play.graph.trees[index].root
        return await self.wait_unless(await self.play_part(run_id, index, work, tree=root))

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
            await together(*(play.settle(planned, payer) for planned in due))
            await self.deps.emit(play.closing(index))

    async def _first(self, play: Play, planned: PlannedQuestion) -> None:
        """One shared asking, by whichever tree comes first."""
        async with play.locks[planned.name], self.paid(play.left([planned])) as payer:
            await play.settle(planned, payer)


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
    return [Send("tree", {"run_id": run_id, "tree": tree}) for tree in range(state["trees"])]
