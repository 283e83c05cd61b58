"""DeepQuestion as a LangGraph state machine: open → the prompt optimisation of each kind, a cycle
of its own → one Send per problem → finish.

A problem is played by `problem`; problems share nothing but the prompts, the budget and the
connections.
"""

import asyncio
import operator
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from langgraph.graph import END
from langgraph.types import Send
from typing_extensions import TypedDict

from ...agents.answers.quantity import load_units
from ...state.channels import Stop
from ...state.deepquestion.result import DeepQuestionResult
from ...state.deepquestion.spec import DeepQuestionSpec
from ...state.errors import UsageError
from ...state.events import ProblemClosed
from ...state.items import deepquestion_items
from ...state.problems import Kind, Problem, ProblemSet
from ..run.deps import MethodGraph, RunDeps, Stages, compiled
from ..run.due import NOTHING, FinishedItems, all_due, side_by_side
from ..run.part_graph import PartNodes
from ..run.record import RunRecord
from ..step import Steps
from .calls import DeepQuestionCalls
from .loop import Loop, LoopTask, Refined, build_loop
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


def recursion_limit(spec: DeepQuestionSpec) -> int:
    """Supersteps at most: those of the cycle of drafts, and of everything around it."""
    return 2 * spec.rounds + 15


class Play:
    """What all problems of one run are played with."""

    def __init__(
        self, deps: RunDeps, spec: DeepQuestionSpec, problems: ProblemSet, run_id: str
    ) -> None:
        self.spec, self.problems, self.steps = spec, problems, Steps(deps, run_id, spec)
        self.calls = DeepQuestionCalls(spec, problems)
        sequence = len(self.calls.chain_of_a_problem())
        self.window = asyncio.Semaphore(
            side_by_side(self.calls.due(0, NOTHING), 1, sequence, deps.connections)
        )
        self.closed: defaultdict[int, asyncio.Event] = defaultdict(asyncio.Event)
        """Problems that have closed; they do so in order."""
        self.guides: Mapping[Kind, str] | None = None
        """Kinds that go on, with their transformation prompts; None: not looked up yet."""


class Nodes(PartNodes[Play]):
    """The nodes, bound to their dependencies."""

    def __init__(self, deps: RunDeps) -> None:
        super().__init__(deps)
        self.loop = Loop(deps, self._at)

    def prepare(self, spec: DeepQuestionSpec, run_id: str) -> Play:
        """With the problems as the journal has them, else as they were handed over. Raises
        UsageError without them."""
        started = self.deps.sink.run(run_id).started
        problems = (started.problems if started else None) or self.deps.problems
        if problems is None or problems.digest != spec.material:
            raise UsageError(
                f"The problems of {spec.benchmark} are not this run's, or were not kept, and no "
                "model was"
                " called: start the run again with its file, and remove this one."
            )
        if spec.given != (problems.transformed is not None):
            raise UsageError(
                "The spec says that scenarios and instructions are given, or that they are not, "
                "and the problems say"
                " otherwise: make them agree."
            )
        return Play(self.deps, spec, problems, run_id)

    def about(self, play: Play) -> dict[str, Any]:
        return {"problems": play.problems}

    def stop_of(self, play: Play, record: RunRecord) -> Stop:
        return stop_of(play.spec, deepquestion_items(record.items))

    def result_of(self, record: RunRecord) -> DeepQuestionResult:
        return result_of(record)

    async def open(self, state: DeepQuestionState) -> dict[str, Any]:
        """Begin the run."""
        await asyncio.to_thread(load_units)  # not within a call's time
        await self.begin(state, recursion_limit(_spec(state)))
        return {"kinds": []}

    def _at(self, run_id: str) -> tuple[Steps, Sequence[Problem]]:
        play = self.playing(run_id)
        return play.steps, play.problems.problems

    async def refine(self, state: DeepQuestionState) -> dict[str, Any]:
        """What the cycles have come to: the kinds that go on."""
        await self.deps.gate.pass_through()
        return {"kinds": sorted(self._guides(self.playing(state["run_id"])))}

    def _guides(self, play: Play) -> Mapping[Kind, str]:
        if play.guides is None:
            play.guides = guides_of(
                play.spec, deepquestion_items(self.deps.sink.items(play.steps.run_id))
            )
        return play.guides

    async def problem(self, task: ProblemTask) -> dict[str, Any]:
        """Everything about one problem."""
        run_id, index = task["run_id"], task["index"]
        play = self.playing(run_id)

        async def work() -> None:
            async with play.window:
                closed = await self._play(play, index)
            await self._close(play, closed)

        finished = await self.play_part(
            run_id, index, work, problem=play.problems.problems[index].id
        )
        if finished:
            play.closed[index].set()
        return await self.wait_unless(finished)

    async def _close(self, play: Play, closed: ProblemClosed) -> None:
        """Tell that a problem is done, once all before it are. What fails takes fewer steps than
        what goes well: if problems closed as they finish, a run that is cut off would report the
        failures first."""
        if closed.index:
            await play.closed[closed.index - 1].wait()
        await self.deps.emit(closed)

    async def _play(self, play: Play, index: int) -> ProblemClosed:
        await self.deps.gate.pass_through()
        guides = self._guides(play)
        partner = play.calls.pairs.get(index) if "q2i" in guides else None
        place = Place(play.steps, play.spec, index, play.problems.problems[index])
        async with self.paid(
            all_due(play.calls, index, FinishedItems(self.deps.sink, play.steps.run_id))
        ) as place.payer:
            return await ProblemRun(place, play.problems, guides, partner).play()


def build_graph(deps: RunDeps) -> MethodGraph:
    """The compiled DeepQuestion run over `deps.problems`."""
    nodes = Nodes(deps)
    stages: Stages = {
        "open": (nodes.open, (_cycles, ["optimise", "refine"])),
        "optimise": (build_loop(nodes.loop), "refine"),
        "refine": (nodes.refine, (_problems, ["problem", "finish"])),
        "problem": (nodes.problem, "finish"),
        "finish": (nodes.finish, END),
    }
    return compiled("deepquestion", DeepQuestionState, deps, stages)


def _cycles(state: DeepQuestionState) -> str | list[Send]:
    tasks = [
        LoopTask(run_id=state["run_id"], spec=state["spec"], kind=kind, round=0)
        for kind in _spec(state).drafted
    ]
    return [Send("optimise", task) for task in tasks] or "refine"


def _problems(state: DeepQuestionState) -> str | list[Send]:
    if not state["kinds"]:
        return "finish"
    return [
        Send("problem", ProblemTask(run_id=state["run_id"], index=index))
        for index in range(_spec(state).problems)
    ]


def _spec(state: DeepQuestionState) -> DeepQuestionSpec:
    return DeepQuestionSpec.model_validate(state["spec"])
