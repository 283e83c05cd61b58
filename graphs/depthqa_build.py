"""Building a DepthQA graph as a LangGraph state machine: open → one Send per source question → sift → one Send per gap
→ settle → one Send per relation (when they are rated) → finish."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import structlog
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import Send
from typing_extensions import TypedDict

from ..agents.prompting import override
from ..agents.prompts import DEPTHQA_BUILD_PROMPTS
from ..state.channels import DrillInput, DrillOutput, Stop
from ..state.depthqa import QuestionNode
from ..state.depthqa_build import Sifted
from ..state.depthqa_spec import DepthQABuildSpec
from ..state.errors import BudgetSpent, UsageError
from ..state.items import build_items
from .beginning import begin
from .deps import DrillDeps, caveats, require_names
from .depthqa_build_result import first_sieve, result_of, second_sieve, stop_of
from .depthqa_build_tree import Deconstruction
from .depthqa_draft import Draft, Reader, filled
from .depthqa_sift import Alike, Sieve, open_gaps
from .emit import emit
from .history import ending, record_now
from .nodes import never
from .step import Step


class BuildState(TypedDict):
    """All channels. What was written is in the sink."""

    spec: dict[str, Any]
    run_id: str
    result: dict[str, Any]


class BuildHand(TypedDict):
    """What the node of one question is told: its place in the spec's list, or its id in the graph."""

    spec: dict[str, Any]
    run_id: str
    tree: int
    node: str


BuildGraph = CompiledStateGraph[BuildState, None, DrillInput, DrillOutput]


def recursion_limit(spec: DepthQABuildSpec) -> int:
    """Supersteps at most."""
    return 15


class Nodes:
    """The nodes, bound to their dependencies."""

    def __init__(self, deps: DrillDeps) -> None:
        self.deps = deps
        self._steps: dict[str, Deconstruction] = {}
        """By run: a host may have several under way."""

    async def open(self, state: BuildState) -> dict[str, Any]:
        """Begin the run."""
        spec = _spec(state)
        used = override(DEPTHQA_BUILD_PROMPTS, spec.prompts)
        other = [name for name, prompt in used.items() if self.deps.prompts.get(name) != prompt]
        if other:
            raise UsageError(f"The spec has another text for the prompt {other[0]!r} than the graph: bind the same.")
        require_names(spec, {"evaluator": self.deps.evaluator.name, "similarity": self.deps.similarity.name})
        self._steps.pop(state["run_id"], None)
        await begin(self.deps, state["run_id"], spec)
        return {}

    def _at(self, state: BuildState | BuildHand) -> Deconstruction:
        run_id = state["run_id"]
        if run_id not in self._steps:
            self._steps[run_id] = Deconstruction(self.deps, _spec(state), run_id)
        return self._steps[run_id]

    async def deconstruct(self, hand: BuildHand) -> dict[str, Any]:
        """One source question, down to depth 1."""
        steps = self._at(hand)
        return await self._paid(hand["node"], lambda: steps.source(hand["tree"]))

    async def sift(self, state: BuildState) -> dict[str, Any]:
        """What is alike becomes one."""
        await self.deps.gate.pass_through()
        steps = self._at(state)
        draft = Reader(steps.spec, build_items(self.deps.sink.items(state["run_id"]))).read()

        async def make(step: Step) -> Sifted:
            sieve = Sieve(await self._alike(draft, ()))
            sieve.take(draft.nodes)
            return _sifted(step, sieve, draft, settled=False)

        await steps.do(f"{steps.short_id}/{first_sieve(draft)}", make, tree=0)
        return {}

    async def fill(self, hand: BuildHand) -> dict[str, Any]:
        """One gap."""
        steps, first = self._at(hand), self._first(hand)
        node = next(each for each in first.nodes if each.id == hand["node"])
        kept = [each.question for each in first.nodes if each.id in node.predecessors]
        lost = [gone.question for gone in first.removed if gone.node.rpartition(".")[0] == node.id]
        count = first.gaps[node.id]
        return await self._paid(node.id, lambda: steps.gap(node, hand["tree"], kept, lost, count))

    async def settle(self, state: BuildState) -> dict[str, Any]:
        """What was written to fill gaps must not be there already."""
        await self.deps.gate.pass_through()
        steps, first = self._at(state), self._first(state)
        draft = filled(steps.spec, first.nodes, build_items(self.deps.sink.items(state["run_id"])))

        async def make(step: Step) -> Sifted:
            sieve = Sieve(await self._alike(draft, first.nodes), first.nodes)
            sieve.take(draft.nodes)
            return _sifted(step, sieve, draft, settled=True, before=first.gaps)

        await steps.do(f"{steps.short_id}/{second_sieve(first, draft)}", make, tree=0)
        return {}

    async def relate(self, hand: BuildHand) -> dict[str, Any]:
        """One question and its predecessors."""
        steps = self._at(hand)
        nodes = {node.id: node for node in self._last(hand).nodes}
        node = nodes[hand["node"]]
        below = [nodes[each] for each in node.predecessors]
        return await self._paid(node.id, lambda: steps.relation(node, below, hand["tree"]))

    async def finish(self, state: BuildState) -> dict[str, Any]:
        """The result, from what the journal holds."""
        await self.deps.gate.pass_through()
        sink, run_id = self.deps.sink, state["run_id"]
        unknown = Stop(reason="all_asked", detail="")
        ended = ending(sink, run_id, self.deps.clock.now(), "complete", unknown, caveats(self.deps))
        record = record_now(sink, run_id, ended)
        stop = stop_of(_spec(state), build_items(record.items))
        ended = ended.model_copy(update={"stop_reason": stop["reason"], "stop_detail": stop["detail"]})
        result = result_of(replace(record, finished=ended))
        await emit(self.deps, ended.model_copy(update={"cost_usd": result.cost_usd}))
        sink.forget(run_id)
        self._steps.pop(state["run_id"], None)
        return {"result": result.model_dump(mode="json", by_alias=True)}

    async def _paid(self, node: str, work: Callable[[], Any]) -> dict[str, Any]:
        """The work; where the budget leaves no room for it, the run is cut off."""
        with structlog.contextvars.bound_contextvars(node=node):
            try:
                await work()
                return {}
            except BudgetSpent as spent:
                self.deps.gate.cut(str(spent))
        return await never()

    async def _alike(self, draft: Draft, fixed: Sequence[QuestionNode]) -> Alike:
        texts = {node.id: node.question for node in fixed} | {node.id: node.question for node in draft.nodes}
        places = {node_id: place for place, node_id in enumerate(texts)}
        likeness = await self.deps.similarity.of(list(texts.values()))
        return lambda one, other: float(likeness[places[one]][places[other]])

    def _first(self, state: BuildState | BuildHand) -> Sifted:
        """What was sifted before gaps were filled."""
        steps = self._at(state)
        draft = Reader(steps.spec, build_items(self.deps.sink.items(steps.run_id))).read()
        return self._sieve(steps, first_sieve(draft))

    def _last(self, state: BuildState | BuildHand) -> Sifted:
        steps, first = self._at(state), self._first(state)
        draft = filled(steps.spec, first.nodes, build_items(self.deps.sink.items(steps.run_id)))
        return self._sieve(steps, second_sieve(first, draft))

    def _sieve(self, steps: Deconstruction, place: str) -> Sifted:
        item = self.deps.sink.item(steps.run_id, f"{steps.short_id}/{place}")
        assert isinstance(item, Sifted)  # the node before has put it there
        return item

    def after_sift(self, state: BuildState) -> str | list[Send]:
        """One task per gap."""
        first = self._first(state)
        return self._hands("fill", state, first.gaps) or "settle"

    def after_settle(self, state: BuildState) -> str | list[Send]:
        """One task per relation, where they are rated."""
        if not _spec(state).check:
            return "finish"
        return (
            self._hands("relate", state, [node.id for node in self._last(state).nodes if node.predecessors]) or "finish"
        )

    def _hands(self, name: str, state: BuildState, nodes: Mapping[str, int] | Sequence[str]) -> list[Send]:
        sources = {source.id: place for place, source in enumerate(_spec(state).questions)}
        hand = BuildHand(spec=state["spec"], run_id=state["run_id"], tree=0, node="")
        return [Send(name, {**hand, "tree": _tree_of(node, sources), "node": node}) for node in nodes]


def _tree_of(node: str, sources: Mapping[str, int]) -> int:
    """The source question that a node was written for: its id begins with that one's."""
    while node not in sources:
        node = node.rpartition(".")[0]
    return sources[node]


def _sifted(
    step: Step, sieve: Sieve, draft: Draft, *, settled: bool, before: Mapping[str, int] | None = None
) -> Sifted:
    nodes = sieve.nodes()
    kept = {node.id: node for node in nodes}
    gaps = open_gaps(sieve.gaps, kept)
    if before is not None:
        found = {name: sum(1 for each in draft.nodes if each.parent == name) for name in before}
        rejected = {name: sieve.gaps[name] for name in before}
        gaps = {n: left for n, gap in before.items() if (left := gap - found[n] + rejected[n]) > 0 and n in kept}
    return Sifted(**step.fields(), settled=settled, nodes=nodes, removed=(*draft.removed, *sieve.removed), gaps=gaps)


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
    for name, node in steps.items():
        builder.add_node(name, node)
    builder.add_edge(START, "open")
    builder.add_conditional_edges("open", _sources, ["deconstruct"])
    builder.add_edge("deconstruct", "sift")
    builder.add_conditional_edges("sift", nodes.after_sift, ["fill", "settle"])
    builder.add_edge("fill", "settle")
    builder.add_conditional_edges("settle", nodes.after_settle, ["relate", "finish"])
    builder.add_edge("relate", "finish")
    builder.add_edge("finish", END)
    return builder.compile(checkpointer, name="depthqa_build")


def _sources(state: BuildState) -> list[Send]:
    hand = BuildHand(spec=state["spec"], run_id=state["run_id"], tree=0, node="")
    sources = _spec(state).questions
    return [Send("deconstruct", {**hand, "tree": tree, "node": source.id}) for tree, source in enumerate(sources)]


def _spec(state: BuildState | BuildHand) -> DepthQABuildSpec:
    return DepthQABuildSpec.model_validate(state["spec"])
