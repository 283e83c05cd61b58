"""A replay as a LangGraph state machine: open → one Send per question → finish.

The questions of a finished drill are put to another model, closed book, and judged; nothing is
drilled. Under another judge the old answers are judged anew too, because a comparison needs one
judge. A replay whose target is the drill's own only does that. The journal first takes in the
drill's probes: from then on it is all that the replay rests on.
"""

import asyncio
from collections.abc import Coroutine, Mapping, Sequence
from typing import Any

import structlog
from langgraph.graph import END
from langgraph.types import Send
from typing_extensions import TypedDict

from ...agents.prober.answer import answer_question
from ...state.channels import Stop
from ...state.errors import BudgetSpent, RunFailed
from ...state.events import ProbeAnswered, ProbeAsked, ProbeJudged
from ...state.records import Answer, Outcome, Probe, Unscored
from ...state.replay import RejudgeResult, ReplayResult
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
from ..run.record import RunRecord, ending, record_now, with_causes_told
from ..step import Step, admitted
from .calls import ReplayCalls
from .comparison import replay_result
from .question_set import AGAIN, check_questions, new_id, place_in, question_set_of
from .rejudge import rejudge_result, verdict_on

ALL_ASKED: StopReason = "all_asked"
"""A replay ends when its questions do."""


class ReplayState(TypedDict):
    """All channels of a replay; questions are ids of the drill's probes, which the sink holds."""

    spec: dict[str, Any]
    run_id: str
    questions: list[str]
    result: dict[str, Any]


class Asked(TypedDict):
    """What one node is told."""

    spec: dict[str, Any]
    run_id: str
    question: str


def recursion_limit(spec: ReplaySpec) -> int:
    """Supersteps a replay takes at most."""
    return 10


class Nodes:
    """The nodes, bound to their dependencies. `questions`: digest → the drill's probes, for a
    replay that begins."""

    def __init__(self, deps: RunDeps, questions: Mapping[str, Sequence[Probe]]) -> None:
        self.deps, self.questions = deps, questions

    async def open(self, state: ReplayState) -> dict[str, Any]:
        """Take the drill's probes into the journal."""
        spec, run_id = _spec(state), state["run_id"]
        self._require_bound(spec)
        source = self.questions.get(spec.questions)
        if source is None:  # a resumed run holds them already
            source = [
                p
                for p in self.deps.sink.probes(run_id)
                if not p.id.startswith(f"{run_id.rpartition('-')[2]}/")
            ]
            source.sort(key=lambda p: (p.depth, p.slot, p.round))
        check_questions(spec, source)
        await begin(self.deps, run_id, spec, recursion_limit(spec))
        for probe in source:
            await self.deps.emit(ProbeJudged(run_id=run_id, probe=probe, carried=True))
        return {"questions": [probe.id for probe in source]}

    def _require_bound(self, spec: ReplaySpec) -> None:
        """Raises UsageError unless the spec names the models that are asked."""
        bound = {"judge": self.deps.judge.name}
        require_names(spec, bound if spec.rejudges else bound | {"target": self.deps.target.name})

    async def put(self, state: Asked) -> dict[str, Any]:
        """One question to the other model, and its old answer to another judge."""
        spec, run_id = ReplaySpec.model_validate(state["spec"]), state["run_id"]
        source = self.deps.sink.get(run_id, state["question"])
        if source is None:
            raise RunFailed(
                f"The journal of {run_id} has lost the question {state['question']}: replay "
                "it again."
            )
        due = list(ReplayCalls(spec, [source]).of(source, FinishedItems(self.deps.sink, run_id)))
        await self.deps.gate.pass_through()
        with structlog.contextvars.bound_contextvars(probe=new_id(run_id, source)):
            try:
                async with (
                    admitted(self.deps.budget, lambda: step_cost(self.deps, due)) as payer,
                    self.deps.gate,
                ):
                    await together(*self._work(spec, run_id, source, payer))
                return {}
            except BudgetSpent as spent:
                self.deps.gate.cut(str(spent))
        return await wait_for_cancel()

    def _work(
        self, spec: ReplaySpec, run_id: str, source: Probe, payer: Payer | None
    ) -> list[Coroutine[Any, Any, None]]:
        """What is to be asked about one question, and stands in no journal yet."""
        new, again = new_id(run_id, source), new_id(run_id, source, again=True)
        work = []
        if not spec.rejudges and self.deps.sink.get(run_id, new) is None:
            work.append(self._ask(spec, run_id, source, new, payer))
        if spec.judge != spec.source.judge and self.deps.sink.get(run_id, again) is None:
            work.append(self._judge_again(spec, run_id, source, again, payer))
        return work

    async def _ask(
        self, spec: ReplaySpec, run_id: str, source: Probe, probe_id: str, payer: Payer | None
    ) -> None:
        assert source.question is not None  # only scored probes are replayed
        step, question = Step(self.deps, spec, probe_id, payer), source.question
        asked = ProbeAsked(
            run_id=run_id,
            probe_id=probe_id,
            depth=source.depth,
            chain=source.chain,
            question=question.text,
        )
        await self.deps.emit(asked)
        answer = await step.ask(answer_question.up_to(spec.answer_tokens), question.text)
        if isinstance(answer, Unscored):
            await self._keep(run_id, source, probe_id, None, answer, step)
            return
        text, took = answer.text, answer.latency_s
        answered = ProbeAnswered(
            run_id=run_id, probe_id=probe_id, depth=source.depth, text=text, latency_s=took
        )
        await self.deps.emit(answered)
        outcome = await verdict_on(self.deps, question, answer, step)
        await self._keep(run_id, source, probe_id, answer, outcome, step)

    async def _judge_again(
        self, spec: ReplaySpec, run_id: str, source: Probe, probe_id: str, payer: Payer | None
    ) -> None:
        assert source.question is not None  # only scored probes are replayed
        assert source.answer is not None
        step = Step(self.deps, spec, probe_id, payer)
        outcome = await verdict_on(self.deps, source.question, source.answer, step)
        await self._keep(run_id, source, probe_id, source.answer, outcome, step)

    async def _keep(
        self,
        run_id: str,
        source: Probe,
        probe_id: str,
        answer: Answer | None,
        outcome: Outcome,
        step: Step,
    ) -> None:
        parent = (
            place_in(run_id, source.parent, again=probe_id.endswith(AGAIN))
            if source.parent
            else None
        )
        probe = Probe(
            id=probe_id,
            parent=parent,
            question=source.question,
            answer=answer,
            outcome=outcome,
            calls=tuple(step.calls),
            elapsed_s=step.elapsed_s,
            **{name: getattr(source, name) for name in PLACE},
        )
        await self.deps.emit(ProbeJudged(run_id=run_id, probe=probe))

    async def finish(self, state: ReplayState) -> dict[str, Any]:
        """The result, from what the journal holds."""
        await self.deps.gate.pass_through()
        sink, run_id = self.deps.sink, state["run_id"]
        stop = Stop(reason=ALL_ASKED, detail="every question was put")
        ended = ending(sink, run_id, self.deps.clock.now(), "complete", stop, caveats(self.deps))
        record = with_causes_told(record_now(sink, run_id, ended))
        result = await asyncio.to_thread(result_of, record)
        await self.deps.emit(record.finished.model_copy(update={"cost_usd": result.cost_usd}))
        sink.forget(run_id)
        return {"result": result.model_dump(mode="json", by_alias=True)}


PLACE = ("depth", "slot", "round", "tier", "root", "chain", "concept", "origin", "spare")
"""What a replayed probe has in common with the one it was: where its question stands in the drill.
"""


def result_of(record: RunRecord) -> ReplayResult | RejudgeResult:
    """The result of a replay, a pure function of its journal. Raises RunFailed when nothing can be
    compared."""
    material = question_set_of(record)
    return rejudge_result(material) if material.spec.rejudges else replay_result(material)


def build_graph(
    deps: RunDeps, *, questions: Mapping[str, Sequence[Probe]] | None = None
) -> MethodGraph:
    """The compiled replay. `questions`: digest → the drill's probes; None: those of `deps`."""
    nodes = Nodes(deps, deps.questions if questions is None else questions)
    stages: Stages = {
        "open": (nodes.open, (_after_open, ["put"])),
        "put": (nodes.put, "finish"),
        "finish": (nodes.finish, END),
    }
    return compiled("replay", ReplayState, deps, stages)


def _after_open(state: ReplayState) -> list[Send]:
    return [
        Send("put", Asked(spec=state["spec"], run_id=state["run_id"], question=q))
        for q in state["questions"]
    ]


def _spec(state: ReplayState) -> ReplaySpec:
    return ReplaySpec.model_validate(state["spec"])
