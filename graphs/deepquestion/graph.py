"""DeepQuestion as a LangGraph state machine: open → the prompt optimisation of each kind (draft →
score → draft again, until a score is high enough) → one Send per problem → finish.

A problem is played by `problem`; problems share nothing but the prompts, the budget and the
connections.
"""

import asyncio
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import partial
from random import Random
from typing import Any, TypeVar

from langgraph.graph import END
from langgraph.types import Send
from typing_extensions import TypedDict

from ...agents.answers.quantity import load_units
from ...agents.questioner.transformation import draft_prompt, redraft_prompt, score_prompt
from ...agents.skill import Skill
from ...state.channels import Stop
from ...state.deepquestion.items import PromptDraft, PromptScore
from ...state.deepquestion.spec import DeepQuestionSpec
from ...state.errors import UsageError
from ...state.items import deepquestion_items
from ...state.problems import Kind, Problem, ProblemSet
from ...tools.models.budget import Cost
from ..run.deps import MethodGraph, RunDeps, Stages, compiled
from ..run.due import (
    NOTHING,
    ONCE,
    TEXT_BYTES,
    FinishedItems,
    PlannedCall,
    all_due,
    side_by_side,
    step_cost,
)
from ..run.part_graph import PartNodes
from ..run.record import RunRecord
from ..step import Step, Steps, admitted
from .calls import PROMPT, TOKENS, DeepQuestionCalls
from .problem import ProblemRun
from .prompts import guides_of
from .result import ending_of

D = TypeVar("D", bound=PromptDraft | PromptScore)


class DeepQuestionState(TypedDict):
    """All channels. What is measured is in the sink."""

    spec: dict[str, Any]
    run_id: str
    kinds: list[Kind]
    """Kinds that go on; none: nothing is asked."""
    result: dict[str, Any]


class PartTask(TypedDict, total=False):
    """What the node of a kind's prompt, or of a problem, is told. Not the spec: its prompts would
    stand in every task."""

    run_id: str
    kind: Kind
    index: int


SUPERSTEPS = 15


def recursion_limit(spec: DeepQuestionSpec) -> int:
    """Supersteps at most."""
    return SUPERSTEPS


class Play:
    """What one run is played with."""

    def __init__(
        self, deps: RunDeps, spec: DeepQuestionSpec, problems: ProblemSet, run_id: str
    ) -> None:
        self.spec, self.problems, self.steps = spec, problems, Steps(deps, run_id, spec)
        self.calls = DeepQuestionCalls(spec, problems)
        sequence = len(self.calls.chain(ONCE))
        dues = self.calls.due(0, NOTHING)
        self.window = asyncio.Semaphore(side_by_side(dues, 1, sequence, deps.connections))
        self.closed: defaultdict[int, asyncio.Event] = defaultdict(asyncio.Event)
        """Problems that have closed; they do so in order."""
        self.guides: Mapping[Kind, str] | None = None
        """Kinds that go on, with their transformation prompts; None: not looked up yet."""

    @property
    def samples(self) -> list[Problem]:
        """The problems that drafting and scoring look at, drawn by seed, in the benchmark's
        order."""
        problems = self.problems.problems
        size = min(self.spec.sample, len(problems))
        chosen = Random(f"{self.spec.seed}:sample").sample(range(len(problems)), size)
        return [problems[index] for index in sorted(chosen)]


class Nodes(PartNodes[Play]):
    """The nodes, bound to their dependencies."""

    def prepare(self, spec: DeepQuestionSpec, run_id: str) -> Play:
        """With the problems as the journal has them, else as they were handed over. Raises
        UsageError without them."""
        started = self.deps.sink.run(run_id).started
        problems = (started.problems if started else None) or self.deps.problems
        if problems is None or problems.digest != spec.material:
            raise UsageError(
                f"The problems of {spec.benchmark} are not this run's, or were not kept, and no "
                "model was called: start the run again with its file, and remove this one."
            )
        return Play(self.deps, spec, problems, run_id)

    def about(self, play: Play) -> dict[str, Any]:
        return {"problems": play.problems}

    def stop_of(self, play: Play, record: RunRecord) -> Stop:
        return ending_of(play.spec, deepquestion_items(record.items))

    async def open(self, state: DeepQuestionState) -> dict[str, Any]:
        """Begin the run."""
        await asyncio.to_thread(load_units)  # not within a call's time
        await self.begin(state, SUPERSTEPS)
        return {"kinds": []}

    def kinds(self, state: DeepQuestionState) -> str | list[Send]:
        """Those whose prompts are drafted."""
        run_id = state["run_id"]
        drafted = self.playing(run_id).spec.drafted
        tasks = [Send("optimise", PartTask(run_id=run_id, kind=kind)) for kind in drafted]
        return tasks or "refine"

    async def optimise(self, task: PartTask) -> dict[str, Any]:
        """Drafts of the prompt of one kind, each scored, until one is good enough. They are in the
        journal, so that a run that is cut off in between goes on where it was."""
        play, kind = self.playing(task["run_id"]), task["kind"]
        shown = kind, play.samples

        async def work() -> None:
            last: tuple[str, int | None, str] | None = None
            for number in range(1, 1 + play.calls.drafts):
                # after a draft that could not be read the same is asked for again
                drafting = (draft_prompt if last is None else redraft_prompt).again(number - 1)
                draft = await self._do(
                    play, PromptDraft, kind, number, drafting, *shown, *(last or ())
                )
                # one that cannot be read was a draft too
                if draft.text:
                    scoring = score_prompt, *shown, draft.text
                    score = await self._do(play, PromptScore, kind, number, *scoring)
                    last = draft.text, score.score, score.feedback
                    if score.lost or (score.score or 0) >= play.spec.threshold:
                        return
                if draft.lost:
                    return

        return await self.step_paid(work, kind=kind)

    async def _do(
        self,
        play: Play,
        item: type[D],
        kind: Kind,
        number: int,
        skill: Skill[..., Any],
        *about: Any,
    ) -> D:
        """A draft or a score, with room in the budget for it alone."""

        def need() -> Cost:
            shown_bytes = 2 * sum(len(problem.question.encode()) for problem in play.samples)
            room = shown_bytes + 6 * TEXT_BYTES
            due = PlannedCall(skill.role, skill.prompt.name, room=room, limit=TOKENS)
            return step_cost(self.deps, [due])

        def says(reply: Any) -> Mapping[str, Any]:
            return {"text": reply} if item is PromptDraft else dict(reply)

        async def make(step: Step) -> D:
            reply = await step.ask(skill, *about)
            return step.item(item, reply, says, kind=kind, round=number)

        place = "draft" if item is PromptDraft else "score"
        item_id = f"{play.steps.short_id}/{kind}@{place}{number}"
        admission = partial(admitted, self.deps.budget, need)
        return await play.steps.do(item_id, make, admission, problem=PROMPT)

    async def refine(self, state: DeepQuestionState) -> dict[str, Any]:
        """What the cycles have come to: the kinds that go on."""
        await self.deps.gate.pass_through()
        return {"kinds": sorted(self._guides(self.playing(state["run_id"])))}

    def _guides(self, play: Play) -> Mapping[Kind, str]:
        if play.guides is None:
            items = deepquestion_items(self.deps.sink.items(play.steps.run_id))
            play.guides = guides_of(play.spec, items)
        return play.guides

    async def problem(self, task: PartTask) -> dict[str, Any]:
        """Everything about one problem."""
        run_id, index = task["run_id"], task["index"]
        play = self.playing(run_id)

        async def work() -> None:
            async with play.window:
                await self.deps.gate.pass_through()
                guides = self._guides(play)
                dues = all_due(play.calls, index, FinishedItems(self.deps.sink, run_id))
                async with self.paid(dues) as payer:
                    run = ProblemRun(play.steps, play.spec, play.problems, index, payer)
                    closed = await run.play(guides, play.calls.pairs.get(index))
            # What fails takes fewer steps than what goes well: if problems closed as they finish, a
            # run that is cut off would report the failures first.
            if index:
                await play.closed[index - 1].wait()
            await self.deps.emit(closed)

        problem_id = play.problems.problems[index].id
        is_played = await self.play_part(run_id, index, work, problem=problem_id)
        if is_played:
            play.closed[index].set()
        return await self.wait_unless(is_played)


def _problems(state: DeepQuestionState) -> str | Sequence[Send]:
    if not state["kinds"]:
        return "finish"
    tasks = [
        PartTask(run_id=state["run_id"], index=index)
        for index in range(state["spec"]["problems"])
    ]
    return [Send("problem", task) for task in tasks]


def build_graph(deps: RunDeps) -> MethodGraph:
    """The compiled DeepQuestion run over `deps.problems`."""
    nodes = Nodes(deps)
    stages: Stages = {
        "open": (nodes.open, (nodes.kinds, ["optimise", "refine"])),
        "optimise": (nodes.optimise, "refine"),
        "refine": (nodes.refine, (_problems, ["problem", "finish"])),
        "problem": (nodes.problem, "finish"),
        "finish": (nodes.finish, END),
    }
    return compiled("deepquestion", DeepQuestionState, deps, stages)
