"""DeepQuestion as a LangGraph state machine: open → the prompt optimisation of each kind, a cycle of its own → one Send
per problem → finish.

A problem is played by `problem`; problems share nothing but the prompts, the budget and the connections.
"""

import asyncio
import operator
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Any

import structlog
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import Send
from typing_extensions import TypedDict

from ...agents.answers.final.answer import answer_kind
from ...agents.answers.numbers.measures import load_units
from ...agents.prompt_template import override
from ...agents.prompts import DEEPQUESTION_PROMPTS
from ...state.channels import DrillInput, DrillOutput, Stop
from ...state.deepquestion.items import Kind, Problem, ProblemSet
from ...state.deepquestion.spec import DeepQuestionSpec
from ...state.errors import BudgetSpent, UsageError
from ...state.events import ProblemClosed
from ...state.items import deepquestion_items
from ..run.admission import admitted
from ..run.deps import DrillDeps, caveats, require_names
from ..run.emit import emit
from ..run.lifecycle import add_nodes, begin, begun, go_on, never
from ..run.record import ending, record_now
from ..step import Steps
from .creating import baseline_pairs
from .loop import Loop, LoopTask, Refined, build_loop
from .need import left_of, problem_need, side_by_side
from .problem import ProblemRun
from .result import guides_of, result_of, stop_of
from .solving import Place


class DeepQuestionState(TypedDict):
    """All channels. What is measured is in the sink."""

    spec: dict[str, Any]
    run_id: str
    refined: Annotated[list[Refined], operator.add]
    """Kinds whose prompt optimisation has ended."""
    kinds: list[Kind]
    """Kinds that go on; none: nothing is asked."""
    result: dict[str, Any]


class ProblemTask(TypedDict):
    """What the node of one problem is told. Not the spec: its prompts would stand in every task."""

    run_id: str
    index: int


DeepQuestionGraph = CompiledStateGraph[DeepQuestionState, None, DrillInput, DrillOutput]


def recursion_limit(spec: DeepQuestionSpec) -> int:
    """Supersteps at most: those of the cycle of drafts, and of everything around it."""
    return 2 * spec.rounds + 15


@dataclass(slots=True)
class Play:
    """What all problems of one run are played with."""

    spec: DeepQuestionSpec
    steps: Steps
    problems: ProblemSet
    pairs: Mapping[int, int]
    """Baseline pairs."""
    window: asyncio.Semaphore
    closed: defaultdict[int, asyncio.Event] = field(default_factory=lambda: defaultdict(asyncio.Event))
    """Problems that have closed; they do so in order."""
    guides: Mapping[Kind, str] | None = None
    """Kinds that go on, with their transformation prompts; None: not looked up yet."""


class Nodes:
    """The nodes, bound to their dependencies."""

    def __init__(self, deps: DrillDeps) -> None:
        self.deps = deps
        self.loop = Loop(deps, self._at)
        self._plays: dict[str, Play] = {}
        """By run: a host may have several under way."""
        self._at_work = 0
        self._spent = ""
        """Why no further problem fits the budget."""

    async def open(self, state: DeepQuestionState) -> dict[str, Any]:
        """Begin the run."""
        spec, run_id = _spec(state), state["run_id"]
        self._require_bound(spec)
        self._plays.pop(run_id, None)  # of an earlier run that a host has broken off
        play = self._play_of(spec, run_id)
        await asyncio.to_thread(load_units)  # not within a call's time
        await begin(self.deps, run_id, spec, recursion_limit(spec), problems=play.problems)
        return {"kinds": []}

    def _require_bound(self, spec: DeepQuestionSpec) -> None:
        """A result must not mislabel what it measured."""
        used = override(DEEPQUESTION_PROMPTS, spec.prompts)
        other = [name for name, prompt in used.items() if self.deps.prompts.get(name) != prompt]
        if other:
            raise UsageError(f"The spec has another text for the prompt {other[0]!r} than the graph: bind the same.")
        bound = {role: getattr(self.deps, role).name for role in ("target", "evaluator", "judge")}
        if not spec.given:
            bound["generator"] = (self.deps.generator or self.deps.evaluator).name
        require_names(spec, bound)

    def _playing(self, run_id: str) -> Play:
        """The run's play, also where a checkpoint lies behind `open`."""
        if run_id in self._plays:
            return self._plays[run_id]
        spec = begun(self.deps, run_id).spec
        assert isinstance(spec, DeepQuestionSpec)  # a run has one method
        return self._play_of(spec, run_id)

    def _at(self, run_id: str) -> tuple[Steps, Sequence[Problem]]:
        play = self._playing(run_id)
        return play.steps, play.problems.problems

    def _play_of(self, spec: DeepQuestionSpec, run_id: str) -> Play:
        if run_id not in self._plays:
            problems, steps = self._problems(spec, run_id), Steps(self.deps, run_id, spec)
            pairs = baseline_pairs(spec, problems) if "q2i" in spec.kinds else {}
            window = asyncio.Semaphore(side_by_side(spec, self.deps.connections))
            self._plays[run_id] = Play(spec, steps, problems, pairs, window)
        return self._plays[run_id]

    def _problems(self, spec: DeepQuestionSpec, run_id: str) -> ProblemSet:
        """The problems: as the journal has them, else as they were handed over. Raises UsageError without them."""
        started = self.deps.sink.run(run_id).started
        problems = (started.problems if started else None) or self.deps.problems
        if problems is None or problems.digest != spec.material:
            raise UsageError(
                f"The problems of {spec.benchmark} are not this run's, or were not kept, and no model was"
                " called: start the run again with its file, and remove this one."
            )
        if spec.given != (problems.transformed is not None):
            raise UsageError(
                "The spec says that scenarios and instructions are given, or that they are not, and the problems say"
                " otherwise: make them agree."
            )
        return problems

    async def refine(self, state: DeepQuestionState) -> dict[str, Any]:
        """What the cycles have come to: the kinds that go on."""
        await self.deps.gate.pass_through()
        return {"kinds": sorted(self._guides(self._playing(state["run_id"])))}

    def _guides(self, play: Play) -> Mapping[Kind, str]:
        if play.guides is None:
            play.guides = guides_of(play.spec, deepquestion_items(self.deps.sink.items(play.steps.run_id)))
        return play.guides

    async def problem(self, task: ProblemTask) -> dict[str, Any]:
        """Everything about one problem."""
        run_id, index = task["run_id"], task["index"]
        memory, play = self.deps.sink.run(run_id), self._playing(run_id)
        if index in memory.parts and index not in memory.reopened:
            play.closed[index].set()
            return {}
        with structlog.contextvars.bound_contextvars(problem=play.problems.problems[index].id):
            try:
                async with play.window:
                    closed = await self._play(play, index)
                await self._close(play, closed)
                return {}
            except BudgetSpent as spent:
                self._spent = self._spent or str(spent)
        self._cut_when_idle()
        return await never()

    async def _close(self, play: Play, closed: ProblemClosed) -> None:
        """Tell that a problem is done, once all before it are. What fails takes fewer steps than what goes well: if
        problems closed as they finish, a run that is cut off would report the failures first."""
        if closed.index:
            await play.closed[closed.index - 1].wait()
        await emit(self.deps, closed)
        play.closed[closed.index].set()

    async def _play(self, play: Play, index: int) -> ProblemClosed:
        await self.deps.gate.pass_through()
        problem, guides = play.problems.problems[index], self._guides(play)
        other = play.pairs.get(index) if "q2i" in guides else None
        place = Place(play.steps, play.spec, index, problem)
        words, budget = answer_kind(problem) == "text", self.deps.budget
        left = left_of(place, words=words, baseline=other is not None) if budget is not None else {}
        budget = budget if left else None  # nothing to pay for waits for no budget
        async with admitted(budget, lambda: problem_need(place, left)) as place.payer:
            self._at_work += 1
            try:
                return await ProblemRun(place, play.problems, guides, other).play()
            finally:
                self._at_work -= 1
                self._cut_when_idle()

    def _cut_when_idle(self) -> None:
        """Once the budget is used up, those who were admitted finish; then the run is cut off."""
        if self._spent and not self._at_work:
            self.deps.gate.cut(self._spent)

    async def finish(self, state: DeepQuestionState) -> dict[str, Any]:
        """The result, from what the journal holds."""
        await go_on(self.deps, state["run_id"])
        sink, run_id, spec = self.deps.sink, state["run_id"], _spec(state)
        unknown = Stop(reason="all_asked", detail="")
        ended = ending(sink, run_id, self.deps.clock.now(), "complete", unknown, caveats(self.deps))
        record = record_now(sink, run_id, ended)
        stop = stop_of(spec, deepquestion_items(record.items))
        ended = ended.model_copy(update={"stop_reason": stop["reason"], "stop_detail": stop["detail"]})
        result = result_of(replace(record, finished=ended))
        await emit(self.deps, ended.model_copy(update={"cost_usd": result.cost_usd}))
        sink.forget(run_id)
        self._plays.pop(run_id, None)
        return {"result": result.model_dump(mode="json", by_alias=True)}


def build_graph(deps: DrillDeps, checkpointer: BaseCheckpointSaver[str] | None = None) -> DeepQuestionGraph:
    """The compiled DeepQuestion run over `deps.problems`."""
    nodes = Nodes(deps)
    builder = StateGraph(DeepQuestionState, input_schema=DrillInput, output_schema=DrillOutput)
    steps: dict[str, Callable[..., Any]] = {
        "open": nodes.open,
        "refine": nodes.refine,
        "problem": nodes.problem,
        "finish": nodes.finish,
    }
    add_nodes(builder, deps, steps)
    builder.add_node("optimise", build_loop(nodes.loop))
    builder.add_edge(START, "open")
    builder.add_conditional_edges("open", _cycles, ["optimise", "refine"])
    builder.add_edge("optimise", "refine")
    builder.add_conditional_edges("refine", _problems, ["problem", "finish"])
    builder.add_edge("problem", "finish")
    builder.add_edge("finish", END)
    return builder.compile(checkpointer, name="deepquestion")


def _cycles(state: DeepQuestionState) -> str | list[Send]:
    tasks = [LoopTask(run_id=state["run_id"], spec=state["spec"], kind=kind, round=0) for kind in _spec(state).drafted]
    return [Send("optimise", task) for task in tasks] or "refine"


def _problems(state: DeepQuestionState) -> str | list[Send]:
    if not state["kinds"]:
        return "finish"
    return [Send("problem", ProblemTask(run_id=state["run_id"], index=index)) for index in range(_spec(state).problems)]


def _spec(state: DeepQuestionState) -> DeepQuestionSpec:
    return DeepQuestionSpec.model_validate(state["spec"])
