"""Explain-Query-Test as a LangGraph state machine: open → one Send per concept → sample → one Send
per attribution → finish. A concept is played by `concept`; concepts share nothing but the budget
and the connections.
"""

import asyncio
from dataclasses import replace
from typing import Any

from langgraph.graph import END
from langgraph.types import Send
from typing_extensions import TypedDict

from ...state.channels import Stop
from ...state.eqt.result import EqtResult
from ...state.items import eqt_items
from ...state.spec import EqtSpec
from ..run.deps import MethodGraph, RunDeps, Stages, compiled, wait_while_stopping
from ..run.due import NOTHING, ONCE, FinishedItems, all_due, side_by_side, step_cost
from ..run.part_graph import PartNodes
from ..run.record import RunRecord
from ..step import admitted
from .attribution import attribute, sample_of
from .calls import EqtCalls
from .concept import ConceptRun, concept_id
from .result import result_of, stop_of


class EqtState(TypedDict):
    """All channels. What is measured is in the sink."""

    spec: dict[str, Any]
    run_id: str
    answers: list[str]
    """Ids of the wrong answers whose cause is asked for."""
    result: dict[str, Any]


class ConceptTask(TypedDict):
    """What the node of one concept is told: the spec with this one concept, and its place in the
    run's list."""

    spec: dict[str, Any]
    run_id: str
    index: int


class AnswerTask(TypedDict):
    """What the node of one attribution is told."""

    spec: dict[str, Any]
    run_id: str
    answer: str


def recursion_limit(spec: EqtSpec) -> int:
    """Supersteps at most."""
    return 10


class Play:
    """What all concepts of one run are played with."""

    def __init__(self, deps: RunDeps, spec: EqtSpec) -> None:
        self.spec, calls = spec, EqtCalls(spec)
        sequence = len(calls.chain_of_a_concept())
        self.window = asyncio.Semaphore(
            side_by_side(calls.due(0, NOTHING), 1, sequence, deps.connections)
        )


class Nodes(PartNodes[Play]):
    """The nodes, bound to their dependencies."""

    def prepare(self, spec: EqtSpec, run_id: str) -> Play:
        return Play(self.deps, spec)

    def stop_of(self, play: Play, record: RunRecord) -> Stop:
        return stop_of(play.spec, eqt_items(record.items))

    def result_of(self, record: RunRecord) -> EqtResult:
        return result_of(record)

    async def open(self, state: EqtState) -> dict[str, Any]:
        """Begin the run."""
        spec = EqtSpec.model_validate(state["spec"])
        await self.begin(state, recursion_limit(spec))
        return {"answers": []}

    async def concept(self, state: ConceptTask) -> dict[str, Any]:
        """Everything about one concept."""
        run_id, index = state["run_id"], state["index"]
        play = self.playing(run_id)

        async def work() -> None:
            spec = EqtSpec.model_validate(state["spec"])
            async with play.window:
                left = all_due(EqtCalls(spec), index, FinishedItems(self.deps.sink, run_id))
                async with self.paid(left) as payer:
                    await ConceptRun(self.deps, spec, run_id, index, payer).play()

        return await self.wait_unless(
            await self.play_part(run_id, index, work, concept=concept_id(run_id, index))
        )

    async def sample(self, state: EqtState) -> dict[str, Any]:
        """Draw the wrong answers whose cause is asked for."""
        await wait_while_stopping(self.deps, state["run_id"])
        spec, sink, run_id = self.playing(state["run_id"]).spec, self.deps.sink, state["run_id"]
        if not spec.attribute:
            return {"answers": []}
        return {"answers": sample_of(spec, eqt_items(sink.items(run_id)), sink.run(run_id).parts)}

    async def attribute(self, state: AnswerTask) -> dict[str, Any]:
        """What one wrong answer comes from."""
        spec, answer = EqtSpec.model_validate(state["spec"]), state["answer"]
        await wait_while_stopping(self.deps, state["run_id"])

        async def work() -> None:
            due = [replace(EqtCalls(spec).attribution(NOTHING), number=ONCE)]
            async with admitted(self.deps.budget, lambda: step_cost(self.deps, due)) as payer:
                await attribute(self.deps, spec, state["run_id"], answer, payer)

        return await self.step_paid(work, answer=answer)


def build_graph(deps: RunDeps) -> MethodGraph:
    """The compiled Explain-Query-Test; its examiner is `deps.evaluator`."""
    nodes = Nodes(deps)
    stages: Stages = {
        "open": (nodes.open, (_concepts, ["concept"])),
        "concept": (nodes.concept, "sample"),
        "sample": (nodes.sample, (_answers, ["attribute", "finish"])),
        "attribute": (nodes.attribute, "finish"),
        "finish": (nodes.finish, END),
    }
    return compiled("eqt", EqtState, deps, stages)


def _concepts(state: EqtState) -> list[Send]:
    own = [{**state["spec"], "concepts": [concept]} for concept in state["spec"]["concepts"]]
    tasks = [
        ConceptTask(
            spec=spec,
            run_id=state["run_id"],
            index=index,
        )
        for index, spec in enumerate(own)
    ]
    return [Send("concept", task) for task in tasks]


def _answers(state: EqtState) -> str | list[Send]:
    tasks = [
        AnswerTask(
            spec=state["spec"],
            run_id=state["run_id"],
            answer=answer,
        )
        for answer in state["answers"]
    ]
    return [Send("attribute", task) for task in tasks] or "finish"
