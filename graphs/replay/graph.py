"""A replay as a LangGraph state machine: open → one Send per question → finish.

The questions of a finished drill are put to another model, closed book, and judged; nothing is
drilled. Under another judge the old answers are judged anew too, because a comparison needs one
judge. A replay whose target is the drill's own only does that. The journal first takes in the
drill's probes: from then on it is all that the replay rests on.
"""

from collections.abc import Sequence
from typing import Any

from langgraph.graph import END
from langgraph.types import Send
from typing_extensions import TypedDict

from ...agents.paraphraser.restatement import hardly_restated, restate
from ...agents.prober.answer import answer_question
from ...agents.questioner.question import check_question, write_question
from ...agents.twice import write_twice
from ...state.channels import Stop
from ...state.errors import RunFailed
from ...state.events import ProbeAnswered, ProbeAsked, ProbeJudged
from ...state.records import Answer, Outcome, Probe, Question, Rejected, Scored, Unscored
from ...state.spec import ReplaySpec
from ...tools.models.chat import Payer
from ..drill.further import ask_further
from ..run.deps import MethodGraph, RunDeps, Stages, compiled, together
from ..run.due import FinishedItems, step_cost
from ..run.part_graph import PartNodes
from ..run.record import RunRecord
from ..step import Step, admitted
from .calls import ReplayCalls
from .question_set import (
    AGAIN,
    check_questions,
    line_of,
    place_in,
    place_of,
    probe_ids,
    source_probes,
)
from .trials import SAME, SECOND, SIBLING

STEPS = 10
"""Supersteps a replay takes at most."""
PLACE = ("depth", "slot", "round", "tier", "root", "chain", "concept", "origin", "spare")
"""What a replayed probe has in common with the one it was: where its question stands in the drill.
"""


class ReplayState(TypedDict, total=False):
    """All channels of a replay; questions are ids of the drill's probes, which the sink holds."""

    spec: dict[str, Any]
    run_id: str
    questions: list[str]
    question: str
    """The one that a node puts."""
    result: dict[str, Any]


def recursion_limit(spec: ReplaySpec) -> int:
    """Supersteps a replay takes at most."""
    return STEPS


class Nodes(PartNodes[ReplayCalls]):
    """The nodes, bound to their dependencies; a run is played with what it asks."""

    def prepare(self, spec: ReplaySpec, run_id: str) -> ReplayCalls:
        """The drill's probes; a resumed run has them in its journal."""
        source = self.deps.questions.get(spec.questions)
        if source is None:
            source = source_probes(self.deps.sink.probes(run_id), run_id)
        check_questions(spec, source)
        return ReplayCalls(spec, source)

    def stop_of(self, play: ReplayCalls, record: RunRecord) -> Stop:
        return Stop(reason="all_asked", detail="every question was put")

    async def open(self, state: ReplayState) -> dict[str, Any]:
        """Take the drill's probes into the journal."""
        source = (await self.begin(state, STEPS)).probes
        for probe in source:
            judged = ProbeJudged(run_id=state["run_id"], probe=probe, carried=True)
            await self.deps.emit(judged)
        return {"questions": [probe.id for probe in source]}

    async def put(self, state: ReplayState) -> dict[str, Any]:
        """One question to the other model, and its old answer to another judge; with what its
        reference and its passage tell of the judge and the evaluator."""
        run_id, deps = state["run_id"], self.deps
        source = deps.sink.get(run_id, state["question"])
        if source is None:
            raise RunFailed(
                f"The journal of {run_id} has lost the question {state['question']}: replay "
                "it again."
            )
        play = self.playing(run_id)
        part = [probe.id for probe in play.probes].index(source.id)
        due = list(play.due(part, FinishedItems(deps.sink, run_id)))

        async def work() -> None:
            async with admitted(deps.budget, lambda: step_cost(deps, due)) as payer, deps.gate:
                asking = Asking(deps, play, run_id, source, payer)
                probes = [
                    asking.probe(probe_id, rejudged=rejudged)
                    for probe_id, rejudged in probe_ids(play.spec, run_id, source).items()
                    if deps.sink.get(run_id, probe_id) is None
                ]
                if source.id in play.trials.siblings:
                    probes.append(asking.calibrate(play.trials.siblings[source.id]))
                if source in play.trials.passages:
                    probes.append(asking.second())
                await together(*probes)

        await deps.gate.pass_through()
        return await self.step_paid(work, probe=place_in(run_id, source.id))


class Asking:
    """What is asked about one question of the drill."""

    def __init__(
        self, deps: RunDeps, play: ReplayCalls, run_id: str, source: Probe, payer: Payer | None
    ) -> None:
        assert source.question is not None  # only scored probes are replayed
        self.deps, self.play, self.spec, self.run_id = deps, play, play.spec, run_id
        self.source, self.question, self.payer = source, source.question, payer

    def step(self, probe_id: str) -> Step:
        return Step(self.deps, self.spec, probe_id, self.payer)

    async def keep(self, step: Step, source: Probe, **fields: Any) -> None:
        """Journal what came of a step, at the place of the probe whose question it is about."""
        probe = Probe(
            id=step.id,
            calls=tuple(step.calls),
            elapsed_s=step.elapsed_s,
            **{name: getattr(source, name) for name in PLACE},
            **{"parent": None, **fields},
        )
        await self.deps.emit(ProbeJudged(run_id=self.run_id, probe=probe))

    async def probe(self, probe_id: str, *, rejudged: bool) -> None:
        """An answer with its verdict: the other model's, or (`rejudged`) the old one under this
        judge."""
        step, question, parent = self.step(probe_id), self.question, self.source.parent
        answer = self.source.answer if rejudged else await self._answer(step)
        assert answer is not None  # only scored probes are replayed
        outcome = await step.judge(question.text, question.reference, answer)
        further = dict[str, Any]()
        asks_further = self.spec.asks_further and not rejudged
        if asks_further and isinstance(answer, Answer) and isinstance(outcome, Scored):
            further = await ask_further(step, self.spec, question, answer, outcome)
        await self.keep(
            step,
            self.source,
            parent=parent and place_in(self.run_id, parent, AGAIN if rejudged else ""),
            question=question,
            outcome=outcome,
            answer=answer if isinstance(answer, Answer) else None,
            **further,
        )

    async def _answer(self, step: Step) -> Answer | Unscored:
        """The other model's answer, or the one that a person gave."""
        source, text, emit = self.source, self.question.text, self.deps.emit
        if self.spec.answers:
            return Answer(text=self.spec.answers[place_of(source)], finish="given")
        place = {"run_id": self.run_id, "probe_id": step.id}
        await emit(ProbeAsked(**place, depth=source.depth, chain=source.chain, question=text))
        answer = await step.ask(answer_question.up_to(self.spec.answer_tokens), text)
        if isinstance(answer, Answer):
            latency_s = answer.latency_s
            await emit(
                ProbeAnswered(
                    **place, depth=source.depth, text=answer.text, latency_s=latency_s
                )
            )
        return answer

    async def calibrate(self, sibling: Probe) -> None:
        """The reference in other words, put to the judge as an answer to its own question and to a
        sibling's, as real answers are."""
        restatement: Answer | Outcome | None = None
        for end, probe in ((SAME, self.source), (SIBLING, sibling)):
            probe_id, question = place_in(self.run_id, self.source.id, end), probe.question
            assert question is not None  # only scored probes are judged
            before = self.deps.sink.get(self.run_id, probe_id)
            if before is not None:
                restatement = before.answer or before.outcome
                continue
            step = self.step(probe_id)
            restatement = restatement or await restated(step, question)
            outcome = await step.judge(question.text, question.reference, restatement)
            answer = restatement if isinstance(restatement, Answer) else None
            await self.keep(step, probe, question=question, answer=answer, outcome=outcome)

    async def second(self) -> None:
        """What comes of the second evaluator's question on the passage."""
        probe_id = place_in(self.run_id, self.source.id, SECOND)
        if self.deps.sink.get(self.run_id, probe_id) is None:
            step, line = self.step(probe_id), line_of(self.play.probes, self.source)
            fields = await ask_second(step, self.spec, self.source, self.question, line)
            await self.keep(step, self.source, **fields)


async def restated(step: Step, question: Question) -> Answer | Unscored:
    """The reference in other words, as an answer."""

    async def write(last: Rejected | None) -> str | Unscored:
        return await step.ask(restate, question.text, question.reference, last)

    async def check(text: str) -> str | None:
        return hardly_restated(question.reference, text)

    draft = await write_twice(write, check)
    if draft.sound is not None:
        return Answer(text=draft.sound, finish="stop")
    if draft.failure is not None:
        return draft.failure
    reason = draft.rejected[-1].reason
    return Unscored(stage="paraphrase", kind="rejected", message=f"the restatement: {reason}")


async def ask_second(
    step: Step,
    spec: ReplaySpec,
    source: Probe,
    first: Question,
    line: Sequence[tuple[str, str]],
) -> dict[str, Any]:
    """The second evaluator's question from the passage of a probe, read by the evaluator, answered
    by the target and judged, as fields of a probe. `first`: the drill's own; `line`: what was asked
    before it, with what is right."""
    reply = await step.ask(
        write_question.by("second_evaluator", "question"),
        spec.domain,
        source.concept,
        [first.evidence],
        source.chain[:-1],
        [reference for _, reference in line],
    )
    if isinstance(reply, Unscored):
        return {"outcome": reply}
    question = reply.question
    if question is None:
        reason = reply.rejected[-1].reason
        refused = Unscored(stage="question", kind="rejected", message=reason)
        return {"outcome": refused, "rejected": reply.rejected}
    fields: dict[str, Any] = {"question": question}
    reading = await step.ask(check_question, question, line, spec.domain, source.chain)
    if isinstance(reading, Unscored):
        return fields | {"outcome": reading}
    fields["check"] = reading.record
    nominal = source.tier in spec.nominal
    fault = reading.withdrawn(source.tier, nominal=nominal, follow_up=bool(line))
    if fault is not None:
        withdrawn = Unscored(stage="check", kind="rejected", message=fault)
        return fields | {"outcome": withdrawn}
    answer = await step.ask(answer_question.up_to(spec.answer_tokens), question.text)
    if isinstance(answer, Answer):
        fields["answer"] = answer
    outcome = await step.judge(question.text, question.reference, answer)
    return fields | {"outcome": outcome}


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
        Send("put", ReplayState(run_id=state["run_id"], question=question))
        for question in state["questions"]
    ]
