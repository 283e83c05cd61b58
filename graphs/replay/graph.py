"""A replay as a LangGraph state machine: open → one Send per question → finish.

The questions of a finished drill are put to another model, closed book, and judged; nothing is
drilled. Under another judge the old answers are judged anew too, because a comparison needs one
judge. A replay whose target is the drill's own only does that. The journal first takes in the
drill's probes: from then on it is all that the replay rests on.
"""

from typing import Any

from langgraph.graph import END
from langgraph.types import Send
from typing_extensions import TypedDict

from ...agents.prober.answer import answer_question
from ...state.channels import Stop
from ...state.errors import RunFailed
from ...state.events import ProbeAnswered, ProbeAsked, ProbeJudged
from ...state.records import Answer, Outcome, Probe, Scored, Unscored
from ...state.spec import ReplaySpec
from ...tools.models.chat import Payer
from ..drill.further import ask_further
from ..run.deps import MethodGraph, RunDeps, Stages, compiled, together
from ..run.due import FinishedItems, step_cost
from ..run.part_graph import PartNodes
from ..run.record import RunRecord
from ..step import Step, admitted
from .asking import ask_second, restated
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

    async def put(self, state: QuestionState) -> dict[str, Any]:
        """One question to the other model, and its old answer to another judge; with what its
        reference and its passage tell of the judge and the evaluator."""
        spec, run_id = ReplaySpec.model_validate(state["spec"]), state["run_id"]
        deps, source = self.deps, self.deps.sink.get(run_id, state["question"])
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
                probes = [
                    self._probe(spec, run_id, source, probe_id, payer, rejudged=rejudged)
                    for probe_id, rejudged in probe_ids(spec, run_id, source).items()
                    if deps.sink.get(run_id, probe_id) is None
                ]
                if source.id in play.trials.siblings:
                    probes.append(self._calibrate(play, run_id, source, payer))
                if source in play.trials.passages:
                    probes.append(self._second(play, run_id, source, payer))
                await together(*probes)

        await deps.gate.pass_through()
        return await self.step_paid(work, probe=place_in(run_id, source.id))

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
        step, question = Step(self.deps, spec, probe_id, payer), source.question
        answer = source.answer if rejudged else await self._ask(step, spec, run_id, source)
        assert answer is not None  # only scored probes are replayed
        assert question is not None
        outcome = await step.judge(question.text, question.reference, answer)
        further = dict[str, Any]()
        asks_further = spec.asks_further and not rejudged
        if asks_further and isinstance(answer, Answer) and isinstance(outcome, Scored):
            further = await ask_further(step, spec, question, answer, outcome)
        parent = source.parent and place_in(run_id, source.parent, AGAIN if rejudged else "")
        probe = Probe(
            id=probe_id,
            parent=parent,
            question=question,
            outcome=outcome,
            answer=answer if isinstance(answer, Answer) else None,
            calls=tuple(step.calls),
            elapsed_s=step.elapsed_s,
            **{name: getattr(source, name) for name in PLACE},
            **further,
        )
        await self.deps.emit(ProbeJudged(run_id=run_id, probe=probe))

    async def _ask(
        self, step: Step, spec: ReplaySpec, run_id: str, source: Probe
    ) -> Answer | Unscored:
        assert source.question is not None  # only scored probes are replayed
        text, emit = source.question.text, self.deps.emit
        if spec.answers:
            return Answer(text=spec.answers[place_of(source)], finish="given")
        place: dict[str, Any] = {"run_id": run_id, "probe_id": place_in(run_id, source.id)}
        place["depth"] = source.depth
        await emit(ProbeAsked(**place, chain=source.chain, question=text))
        answer = await step.ask(answer_question.up_to(spec.answer_tokens), text)
        if isinstance(answer, Answer):
            await emit(ProbeAnswered(**place, text=answer.text, latency_s=answer.latency_s))
        return answer

    async def _calibrate(
        self, play: ReplayCalls, run_id: str, source: Probe, payer: Payer | None
    ) -> None:
        """The reference in other words, put to the judge as an answer to its own question and to a
        sibling's, as real answers are."""
        restatement: Answer | Outcome | None = None
        for end, probe in ((SAME, source), (SIBLING, play.trials.siblings[source.id])):
            probe_id = place_in(run_id, source.id, end)
            before = self.deps.sink.get(run_id, probe_id)
            question = probe.question
            assert question is not None  # only scored probes are judged
            if before is not None:
                restatement = before.answer or before.outcome
                continue
            step = Step(self.deps, play.spec, probe_id, payer)
            restatement = restatement or await restated(step, question)
            outcome = await step.judge(question.text, question.reference, restatement)
            answer = restatement if isinstance(restatement, Answer) else None
            await self._keep(run_id, step, probe, question=question, answer=answer, outcome=outcome)

    async def _second(
        self, play: ReplayCalls, run_id: str, source: Probe, payer: Payer | None
    ) -> None:
        """What comes of the second evaluator's question on the passage."""
        probe_id = place_in(run_id, source.id, SECOND)
        if self.deps.sink.get(run_id, probe_id) is None:
            step = Step(self.deps, play.spec, probe_id, payer)
            fields = await ask_second(step, play.spec, source, line_of(play.probes, source))
            await self._keep(run_id, step, source, **fields)

    async def _keep(self, run_id: str, step: Step, source: Probe, **fields: Any) -> None:
        """Journal what came of a reference or of a passage, at the place of the probe whose
        question it is about."""
        probe = Probe(
            id=step.id,
            parent=None,
            calls=tuple(step.calls),
            elapsed_s=step.elapsed_s,
            **{name: getattr(source, name) for name in PLACE},
            **fields,
        )
        await self.deps.emit(ProbeJudged(run_id=run_id, probe=probe))


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
