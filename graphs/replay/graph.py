"""A replay as a LangGraph state machine: open → one Send per question → finish.

The questions of a finished drill are put to another model, closed book, and judged; nothing is
drilled. Under another judge the old answers are judged anew too, because a comparison needs one
judge. A replay whose target is the drill's own only does that. The journal first takes in the
drill's probes: from then on it is all that the replay rests on.
"""

import asyncio
from typing import Any

import structlog
from langgraph.graph import END
from langgraph.types import Send
from typing_extensions import TypedDict

from ...agents.judge.verdict import judge
from ...agents.prober.answer import answer_question
from ...state.channels import Stop
from ...state.errors import BudgetSpent, RunFailed
from ...state.events import ProbeAnswered, ProbeAsked, ProbeJudged
from ...state.records import Answer, Outcome, Probe, Scored, Unscored
from ...state.result import StopReason
from ...state.spec import ReplaySpec
from ...tools.models.chat import Payer
from ..run.deps import (
    MethodGraph,
    RunDeps,
    Stages,
    begin,
    caveats,
    compiled,
    require_names,
    together,
    wait_for_cancel,
)
from ..run.due import FinishedItems, step_cost
from ..run.record import ending, record_now, with_causes_told
from ..step import Step, admitted
from .calls import ReplayCalls
from .question_set import check_questions, place_in, probe_ids, source_probes
from .result import result_of

ALL_ASKED: StopReason = "all_asked"
"""A replay ends when its questions do."""
PLACE = ("depth", "slot", "round", "tier", "root", "chain", "concept", "origin", "spare")
"""What a replayed probe has in common with the one it was: where its question stands in the drill.
"""


class ReplayState(TypedDict):
    """All channels of a replay; questions are ids of the drill's probes, which the sink holds."""

    spec: dict[str, Any]
    run_id: str
    questions: list[str]
    result: dict[str, Any]


class QuestionState(TypedDict):
    """What one node reads."""

    spec: dict[str, Any]
    run_id: str
    question: str


def recursion_limit(spec: ReplaySpec) -> int:
    """Supersteps a replay takes at most."""
    return 10


class Nodes:
    """The nodes, bound to their dependencies."""

    def __init__(self, deps: RunDeps) -> None:
        self.deps = deps

    async def open(self, state: ReplayState) -> dict[str, Any]:
        """Take the drill's probes into the journal; a resumed run has them there already."""
        spec, run_id = ReplaySpec.model_validate(state["spec"]), state["run_id"]
        bound = {role: self.deps.bound(role).name for role in spec.models}
        require_names(spec, bound)
        source = self.deps.questions.get(spec.questions)
        if source is None:
            source = source_probes(self.deps.sink.probes(run_id), run_id)
        check_questions(spec, source)
        await begin(self.deps, run_id, spec, recursion_limit(spec))
        for probe in source:
            await self.deps.emit(ProbeJudged(run_id=run_id, probe=probe, carried=True))
        return {"questions": [probe.id for probe in source]}

    async def put(self, state: QuestionState) -> dict[str, Any]:
        """One question to the other model, and its old answer to another judge."""
        spec, run_id = ReplaySpec.model_validate(state["spec"]), state["run_id"]
        deps, source = self.deps, self.deps.sink.get(run_id, state["question"])
        if source is None:
            raise RunFailed(
                f"The journal of {run_id} has lost the question {state['question']}: replay "
                "it again."
            )
        due = list(ReplayCalls(spec, [source]).due(0, FinishedItems(deps.sink, run_id)))
        await deps.gate.pass_through()
        with structlog.contextvars.bound_contextvars(probe=place_in(run_id, source.id)):
            try:
                async with admitted(deps.budget, lambda: step_cost(deps, due)) as payer, deps.gate:
                    probes = [
                        self._probe(spec, run_id, source, probe_id, payer, rejudged=rejudged)
                        for probe_id, rejudged in probe_ids(spec, run_id, source).items()
                        if deps.sink.get(run_id, probe_id) is None
                    ]
                    await together(*probes)
                return {}
            except BudgetSpent as spent:
                deps.gate.cut(str(spent))
        return await wait_for_cancel()

    async def _probe(
        self,
        spec: ReplaySpec,
        run_id: str,
        source: Probe,
        probe_id: str,
        payer: Payer | None,
        *,
        rejudged: bool,
    ) -> None:
        """An answer with its verdict: the other model's, or (`rejudged`) the old one under this
        judge."""
        step = Step(self.deps, spec, probe_id, payer)
        answer = source.answer if rejudged else await self._ask(step, spec, run_id, source)
        assert answer is not None  # only scored probes are replayed
        parent = source.parent and place_in(run_id, source.parent, rejudged=rejudged)
        probe = Probe(
            id=probe_id,
            parent=parent,
            question=source.question,
            outcome=await self._judge(step, source, answer),
            answer=answer if isinstance(answer, Answer) else None,
            calls=tuple(step.calls),
            elapsed_s=step.elapsed_s,
            **{name: getattr(source, name) for name in PLACE},
        )
        await self.deps.emit(ProbeJudged(run_id=run_id, probe=probe))

    async def _ask(
        self, step: Step, spec: ReplaySpec, run_id: str, source: Probe
    ) -> Answer | Unscored:
        assert source.question is not None  # only scored probes are replayed
        text, emit = source.question.text, self.deps.emit
        place: dict[str, Any] = {"run_id": run_id, "probe_id": place_in(run_id, source.id)}
        place["depth"] = source.depth
        await emit(ProbeAsked(**place, chain=source.chain, question=text))
        answer = await step.ask(answer_question.up_to(spec.answer_tokens), text)
        if isinstance(answer, Answer):
            await emit(ProbeAnswered(**place, text=answer.text, latency_s=answer.latency_s))
        return answer

    async def _judge(self, step: Step, source: Probe, answer: Answer | Unscored) -> Outcome:
        """A refusal the endpoint reports is abstaining, as in drills; an answer that is lost has
        no verdict."""
        assert source.question is not None
        if isinstance(answer, Unscored):
            return answer
        if answer.refusal:
            reason, name = "the model refused to answer", self.deps.judge.name
            return Scored(verdict="abstained", reason=reason, judge=name)
        return await step.ask(judge, source.question.text, source.question.reference, answer.text)

    async def finish(self, state: ReplayState) -> dict[str, Any]:
        """The result, from what the journal holds."""
        await self.deps.gate.pass_through()
        sink, run_id = self.deps.sink, state["run_id"]
        stop = Stop(reason=ALL_ASKED, detail="every question was put")
        end = ending(sink, run_id, self.deps.clock.now(), "complete", stop, caveats(self.deps))
        record = with_causes_told(record_now(sink, run_id, end))
        result = await asyncio.to_thread(result_of, record)
        await self.deps.emit(record.finished.model_copy(update={"cost_usd": result.cost_usd}))
        sink.forget(run_id)
        return {"result": result.model_dump(mode="json", by_alias=True)}


def build_graph(deps: RunDeps) -> MethodGraph:
    """The compiled replay of the questions that `deps` holds."""
    nodes = Nodes(deps)
    stages: Stages = {
        "open": (nodes.open, (_after_open, ["put"])),
        "put": (nodes.put, "finish"),
        "finish": (nodes.finish, END),
    }
    return compiled("replay", ReplayState, deps, stages)


def _after_open(state: ReplayState) -> list[Send]:
    return [
        Send("put", QuestionState(spec=state["spec"], run_id=state["run_id"], question=question))
        for question in state["questions"]
    ]
