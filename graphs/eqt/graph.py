"""Explain-Query-Test as a LangGraph state machine: open → one Send per concept → sample → one Send per attribution →
finish. A concept is played by `concept`; concepts share nothing but the budget and the connections.
"""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import structlog
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import Send
from typing_extensions import TypedDict

from ...agents.prompt_template import override
from ...agents.prompts import EQT_PROMPTS
from ...state.channels import DrillInput, DrillOutput, Stop
from ...state.errors import BudgetSpent, UsageError
from ...state.items import eqt_items
from ...state.spec import EqtSpec
from ..run.admission import admitted, part_cost, step_cost
from ..run.deps import DrillDeps, caveats, require_names
from ..run.due import NOTHING, ONCE, Done, all_due, side_by_side
from ..run.emit import emit
from ..run.lifecycle import add_nodes, begin, go_on, never
from ..run.record import ending, record_now
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
    """What the node of one concept is told: the spec with this one concept, and its place in the run's list."""

    spec: dict[str, Any]
    run_id: str
    index: int


class AnswerTask(TypedDict):
    """What the node of one attribution is told."""

    spec: dict[str, Any]
    run_id: str
    answer: str


EqtGraph = CompiledStateGraph[EqtState, None, DrillInput, DrillOutput]


def recursion_limit(spec: EqtSpec) -> int:
    """Supersteps at most."""
    return 10


class Nodes:
    """The nodes, bound to their dependencies; for one run at a time."""

    def __init__(self, deps: DrillDeps) -> None:
        self.deps = deps
        self._window: asyncio.Semaphore | None = None
        self._at_work = 0
        self._spent = ""
        """Why no further concept fits the budget."""

    async def open(self, state: EqtState) -> dict[str, Any]:
        """Begin the run."""
        spec = _spec(state)
        self._require_bound(spec)
        self._places(spec)
        await begin(self.deps, state["run_id"], spec, recursion_limit(spec))
        return {"answers": []}

    def _require_bound(self, spec: EqtSpec) -> None:
        """A result must not mislabel what it measured."""
        used = override(EQT_PROMPTS, spec.prompts)
        other = [name for name, prompt in used.items() if self.deps.prompts.get(name) != prompt]
        if other:
            raise UsageError(f"The spec has another text for the prompt {other[0]!r} than the graph: bind the same.")
        bound = {"target": self.deps.target.name, "examiner": self.deps.evaluator.name}
        require_names(spec, bound | ({"judge": self.deps.judge.name} if spec.needs_judge else {}))

    async def concept(self, state: ConceptTask) -> dict[str, Any]:
        """Everything about one concept."""
        run_id, index = state["run_id"], state["index"]
        memory = self.deps.sink.run(run_id)
        if index in memory.parts and index not in memory.reopened:
            return {}
        spec = EqtSpec.model_validate(state["spec"])
        with structlog.contextvars.bound_contextvars(concept=concept_id(run_id, index)):
            try:
                async with self._places(spec):
                    await self._play(spec, run_id, index)
                return {}
            except BudgetSpent as spent:
                self._spent = self._spent or str(spent)
        self._cut_when_idle()
        return await never()

    def _places(self, spec: EqtSpec) -> asyncio.Semaphore:
        if self._window is None:  # a host's checkpoint lies behind `open`
            calls = EqtCalls(spec)
            sequence = len(calls.chain_of_a_concept())
            self._window = asyncio.Semaphore(
                side_by_side(all_due(calls, 0, NOTHING), 1, sequence, self.deps.connections)
            )
        return self._window

    async def _play(self, spec: EqtSpec, run_id: str, index: int) -> None:
        await go_on(self.deps, run_id)
        left = all_due(EqtCalls(spec), index, Done(self.deps.sink, run_id))
        budget = self.deps.budget if left else None  # nothing to pay for waits for no budget
        async with admitted(budget, lambda: part_cost(self.deps, left)) as payer:
            self._at_work += 1
            try:
                await ConceptRun(self.deps, spec, run_id, index, payer).play()
            finally:
                self._at_work -= 1
                self._cut_when_idle()

    def _cut_when_idle(self) -> None:
        """Once the budget is used up, those who were admitted finish; then the run is cut off."""
        if self._spent and not self._at_work:
            self.deps.gate.cut(self._spent)

    async def sample(self, state: EqtState) -> dict[str, Any]:
        """Draw the wrong answers whose cause is asked for."""
        await go_on(self.deps, state["run_id"])
        spec, sink, run_id = _spec(state), self.deps.sink, state["run_id"]
        if not spec.attribute:
            return {"answers": []}
        return {"answers": sample_of(spec, eqt_items(sink.items(run_id)), sink.run(run_id).parts)}

    async def attribute(self, state: AnswerTask) -> dict[str, Any]:
        """What one wrong answer comes from."""
        spec, answer = EqtSpec.model_validate(state["spec"]), state["answer"]
        await go_on(self.deps, state["run_id"])
        with structlog.contextvars.bound_contextvars(answer=answer):
            try:
                due = [replace(EqtCalls(spec).attribution(NOTHING), number=ONCE)]
                async with admitted(self.deps.budget, lambda: step_cost(self.deps, due)) as payer:
                    await attribute(self.deps, spec, state["run_id"], answer, payer)
                return {}
            except BudgetSpent as spent:
                self.deps.gate.cut(str(spent))
        return await never()

    async def finish(self, state: EqtState) -> dict[str, Any]:
        """The result, from what the journal holds."""
        await go_on(self.deps, state["run_id"])
        sink, run_id = self.deps.sink, state["run_id"]
        unknown = Stop(reason="all_asked", detail="")
        ended = ending(sink, run_id, self.deps.clock.now(), "complete", unknown, caveats(self.deps))
        record = record_now(sink, run_id, ended)  # the journal is read once: a large run's takes seconds
        stop = stop_of(_spec(state), eqt_items(record.items))
        ended = ended.model_copy(update={"stop_reason": stop["reason"], "stop_detail": stop["detail"]})
        result = result_of(replace(record, finished=ended))
        await emit(self.deps, ended.model_copy(update={"cost_usd": result.cost_usd}))
        sink.forget(run_id)
        return {"result": result.model_dump(mode="json", by_alias=True)}


def build_graph(deps: DrillDeps, checkpointer: BaseCheckpointSaver[str] | None = None) -> EqtGraph:
    """The compiled Explain-Query-Test; its examiner is `deps.evaluator`."""
    nodes = Nodes(deps)
    builder = StateGraph(EqtState, input_schema=DrillInput, output_schema=DrillOutput)
    steps: dict[str, Callable[..., Any]] = {
        "open": nodes.open,
        "concept": nodes.concept,
        "sample": nodes.sample,
        "attribute": nodes.attribute,
        "finish": nodes.finish,
    }
    add_nodes(builder, deps, steps)
    builder.add_edge(START, "open")
    builder.add_conditional_edges("open", _concepts, ["concept"])
    builder.add_edge("concept", "sample")
    builder.add_conditional_edges("sample", _answers, ["attribute", "finish"])
    builder.add_edge("attribute", "finish")
    builder.add_edge("finish", END)
    return builder.compile(checkpointer, name="eqt")


def _concepts(state: EqtState) -> list[Send]:
    own = [{**state["spec"], "concepts": [concept]} for concept in state["spec"]["concepts"]]
    tasks = [ConceptTask(spec=spec, run_id=state["run_id"], index=index) for index, spec in enumerate(own)]
    return [Send("concept", task) for task in tasks]


def _answers(state: EqtState) -> str | list[Send]:
    tasks = [AnswerTask(spec=state["spec"], run_id=state["run_id"], answer=answer) for answer in state["answers"]]
    return [Send("attribute", task) for task in tasks] or "finish"


def _spec(state: EqtState) -> EqtSpec:
    return EqtSpec.model_validate(state["spec"])
