"""The prompt optimisation as a LangGraph cycle: draft → score → draft again, until a score is high
enough.

A graph of its own, that stands in DeepQuestion's as one node. It remembers rounds and scores only;
the texts are in the journal, so that a run that is cut off inside the cycle goes on where it was.
"""

import operator
from collections.abc import Awaitable, Callable, Sequence
from random import Random
from typing import Annotated, Any, Literal

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from typing_extensions import TypedDict

from ...agents.questioner.transformation import draft_prompt, redraft_prompt, score_prompt
from ...agents.skill import Skill
from ...state.deepquestion.items import PromptDraft, PromptScore
from ...state.deepquestion.spec import DeepQuestionSpec
from ...state.errors import BudgetSpent
from ...state.problems import Kind, Problem
from ...tools.models.budget import Cost
from ..run.deps import RunDeps, reporting_failure, wait_for_cancel
from ..run.due import TEXT_BYTES, PlannedCall, step_cost
from ..step import I, Step, Steps, admitted

TOKENS = 3000
"""Limit of a draft or a score."""
PROMPT = -1
"""The part of the run that these steps belong to: no problem."""


class Refined(TypedDict):
    """How the cycle of one kind ended; the texts are in the journal."""

    kind: Kind
    rounds: int


class LoopTask(TypedDict):
    """What the cycle of one kind is told."""

    run_id: str
    spec: dict[str, Any]
    kind: Kind
    round: int


class LoopState(LoopTask):
    """All channels of the cycle."""

    drafted: bool
    """Whether the last draft could be read."""
    refined: Annotated[list[Refined], operator.add]


class LoopOutput(TypedDict):
    """What the cycle hands to the graph it stands in."""

    refined: Annotated[list[Refined], operator.add]


LoopGraph = CompiledStateGraph[LoopState, None, LoopTask, LoopOutput]


def samples_of(spec: DeepQuestionSpec, problems: Sequence[Problem]) -> list[Problem]:
    """The problems that drafting and scoring look at, drawn by seed, in the benchmark's order."""
    chosen = Random(f"{spec.seed}:sample").sample(
        range(len(problems)), min(spec.sample, len(problems))
    )
    return [problems[index] for index in sorted(chosen)]


def draft_id(steps: Steps, kind: Kind, number: int) -> str:
    return f"{steps.short_id}/{kind}@draft{number}"


def score_id(steps: Steps, kind: Kind, number: int) -> str:
    return f"{steps.short_id}/{kind}@score{number}"


class Loop:
    """The nodes of the cycle, bound to what a run has."""

    def __init__(self, deps: RunDeps, at: Callable[[str], tuple[Steps, Sequence[Problem]]]) -> None:
        """`at`: a run's steps and problems, also where a host goes on behind a checkpoint."""
        self.deps, self._at = deps, at

    async def draft(self, state: LoopState) -> dict[str, Any]:
        """The next draft, with what the last one lacked at hand."""
        (steps, problems), spec, kind = self._at(state["run_id"]), _spec(state), state["kind"]
        number, samples = state.get("round", 0) + 1, samples_of(spec, problems)

        async def make(step: Step) -> PromptDraft:
            last = self._last(state["run_id"], kind, number)
            earlier = number - 1  # after a draft that could not be read the same is asked for again
            if last is None:
                text = await step.ask(draft_prompt.again(earlier), kind, samples)
            else:
                text = await step.ask(redraft_prompt.again(earlier), kind, samples, *last)
            return step.item(
                PromptDraft, text, lambda text: {"text": text}, kind=kind, round=number
            )

        item = await self._paid(draft_id(steps, kind, number), make, redraft_prompt, steps, samples)
        # one that the infrastructure took is asked for when the run is resumed; one that cannot be
        # read was a draft too
        failed = item.fault is not None
        stop = item.lost or (failed and goes_on(spec, number, None) == "stop")
        return {
            "round": number,
            "drafted": not failed,
            **self._over(state, number, stop=stop),
        }

    async def score(self, state: LoopState) -> dict[str, Any]:
        """The evaluator's score of the last draft."""
        steps, problems = self._at(state["run_id"])
        spec, kind, number = _spec(state), state["kind"], state["round"]
        samples = samples_of(spec, problems)

        async def make(step: Step) -> PromptScore:
            draft = self.deps.sink.item(state["run_id"], draft_id(steps, kind, number))
            assert isinstance(draft, PromptDraft)
            reply = await step.ask(score_prompt, kind, samples, draft.text)
            return step.item(PromptScore, reply, dict, kind=kind, round=number)

        place = score_id(steps, kind, number)
        item = await self._paid(place, make, score_prompt, steps, samples)
        stop = item.lost or goes_on(spec, number, item.score) == "stop"
        return self._over(state, number, stop=stop)

    def _over(self, state: LoopState, number: int, *, stop: bool) -> dict[str, Any]:
        if not stop:
            return {}
        refined = Refined(kind=state["kind"], rounds=number)
        return {"refined": [refined]}

    async def _paid(
        self,
        item_id: str,
        make: Callable[[Step], Awaitable[I]],
        skill: Skill[Any, Any],
        steps: Steps,
        samples: Sequence[Problem],
    ) -> I:
        def need() -> Cost:
            shown_bytes = 2 * sum(len(problem.question.encode()) for problem in samples)
            return step_cost(
                self.deps,
                [
                    PlannedCall(
                        skill.role,
                        skill.prompt.name,
                        room=shown_bytes + 6 * TEXT_BYTES,
                        limit=TOKENS,
                    )
                ],
            )

        try:
            return await steps.do(
                item_id, make, lambda: admitted(self.deps.budget, need), problem=PROMPT
            )
        except BudgetSpent as spent:
            self.deps.gate.cut(str(spent))
        return await wait_for_cancel()

    def _last(self, run_id: str, kind: Kind, number: int) -> tuple[str, int | None, str] | None:
        """The last draft that could be read, its score, and what it lacked; None where there is
        none."""
        (steps, _), sink = self._at(run_id), self.deps.sink
        for earlier in range(number - 1, 0, -1):
            draft = sink.item(run_id, draft_id(steps, kind, earlier))
            score = sink.item(run_id, score_id(steps, kind, earlier))
            if isinstance(draft, PromptDraft) and draft.text and isinstance(score, PromptScore):
                return draft.text, score.score, score.feedback
        return None


def goes_on(spec: DeepQuestionSpec, number: int, score: int | None) -> Literal["draft", "stop"]:
    """Whether another draft is asked for: not from the threshold on, nor after the last round, nor
    in a single pass."""
    if spec.single_pass or number >= spec.rounds:
        return "stop"
    reached = score is not None and score >= spec.threshold
    return "stop" if reached else "draft"


def _after_draft(state: LoopState) -> str:
    if state["refined"]:
        return END
    return "score" if state["drafted"] else "draft"


def _after_score(state: LoopState) -> str:
    return END if state["refined"] else "draft"


def _spec(state: LoopState) -> DeepQuestionSpec:
    return DeepQuestionSpec.model_validate(state["spec"])


def build_loop(loop: Loop) -> LoopGraph:
    """The compiled cycle; it keeps its checkpoints where the graph does that it stands in."""
    builder = StateGraph(LoopState, input_schema=LoopTask, output_schema=LoopOutput)
    for name, node in (("draft", loop.draft), ("score", loop.score)):
        builder.add_node(name, reporting_failure(loop.deps, node) if loop.deps.stream else node)
    builder.add_edge(START, "draft")
    builder.add_conditional_edges("draft", _after_draft, ["draft", "score", END])
    builder.add_conditional_edges("score", _after_score, ["draft", END])
    return builder.compile(name="optimise")
