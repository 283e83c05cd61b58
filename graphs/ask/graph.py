"""Own questions as a LangGraph state machine: open → one Send per question → finish."""

from typing import Any, NamedTuple

from langgraph.graph import END
from langgraph.types import Send
from typing_extensions import TypedDict

from ...agents.prober.answer import answer_question
from ...agents.questioner.question import QuestionReading, check_question, same_answer
from ...agents.questioner.question_text import same_in_code
from ...state.ask.spec import AskedQuestion, OwnQuestion
from ...state.channels import Stop
from ...state.records import Answer, Evidence, Outcome, Question, Scored, Unscored
from ...state.spec import AskSpec
from ...state.text import digest
from ...state.tiers import Tier
from ..run.deps import MethodGraph, RunDeps, Stages, compiled, together
from ..run.due import FinishedItems, all_due
from ..run.part_graph import PartNodes
from ..run.record import RunRecord
from ..step import Step, Steps
from .calls import AskCalls, item_id
from .result import ending_of

STEPS = 5
OWN = "own"
"""Source of a passage that came with its question."""


class AskState(TypedDict, total=False):
    """All channels. What is measured is in the sink."""

    spec: dict[str, Any]
    run_id: str
    part: int
    """Place of the node's question."""
    result: dict[str, Any]


class Play(NamedTuple):
    """What all questions of a run are put with."""

    spec: AskSpec
    steps: Steps


def recursion_limit(spec: AskSpec) -> int:
    """Supersteps at most."""
    return STEPS


class Nodes(PartNodes[Play]):
    """The nodes, bound to their dependencies."""

    def prepare(self, spec: AskSpec, run_id: str) -> Play:
        return Play(spec, Steps(self.deps, run_id, spec))

    def stop_of(self, play: Play, record: RunRecord) -> Stop:
        return ending_of(play.spec, record)

    async def open(self, state: AskState) -> dict[str, Any]:
        """Begin the run."""
        await self.begin(state, STEPS)
        return {}

    async def question(self, state: AskState) -> dict[str, Any]:
        """Everything about one question."""
        run_id, part = state["run_id"], state["part"]
        spec, steps = self.playing(run_id)
        due = all_due(AskCalls(spec), part, FinishedItems(self.deps.sink, run_id))

        async def ask(step: Step) -> AskedQuestion:
            return await self._ask(step, spec, spec.questions[part])

        async def work() -> None:
            name = item_id(steps.short_id, part)
            await steps.do(name, ask, lambda: self.paid(due), concept=part)

        return await self.wait_unless(await self.play_part(run_id, part, work))

    async def _ask(self, step: Step, spec: AskSpec, question: OwnQuestion) -> AskedQuestion:
        """The answer and its verdict; beside the answering the check, and last what makes the
        reference look wrong."""
        answer, reading = await together(
            step.ask(answer_question.up_to(spec.answer_tokens), question.text),
            self._read(step, spec, question),
        )
        verdict = await step.judge(question.text, question.answer, answer)
        is_answered = isinstance(answer, Answer)
        return step.item(
            AskedQuestion,
            verdict,
            lambda scored: {"verdict": scored},
            answer=answer if is_answered else None,
            check=reading and reading.record,
            passage_says=await self._other_answer(step, question, reading),
            another_answer=bool(reading and reading.another_answer),
            peer=await self._peer(step, spec, question, answer, verdict) if is_answered else "",
        )

    async def _read(
        self, step: Step, spec: AskSpec, question: OwnQuestion
    ) -> QuestionReading | None:
        """The check of a question with its passage; None where there is none, or its call failed:
        then nothing is known against the reference."""
        if not (spec.verify_questions and question.passage):
            return None
        evidence = Evidence(
            text=question.passage,
            title="",
            url=question.source,
            source=OWN,
            tier=question.level or Tier.COMMON,
            retrieved_at=self.deps.clock.now(),
            digest=digest(question.passage),
        )
        record = Question(
            text=question.text, reference=question.answer, quote="", evidence=evidence
        )
        subjects = [question.topic] if question.topic else []
        reading = await step.ask(check_question, record, (), spec.name, subjects)
        return reading if isinstance(reading, QuestionReading) else None

    async def _other_answer(
        self, step: Step, question: OwnQuestion, reading: QuestionReading | None
    ) -> str:
        """What the passage says, where that is another answer than the reference."""
        says = reading.answer.strip() if reading is not None and reading.answerable else ""
        if not says or same_in_code(question.text, question.answer, says):
            return ""
        is_same = await step.ask(same_answer, question.text, question.answer, says)
        return says if is_same is False else ""

    async def _peer(
        self, step: Step, spec: AskSpec, question: OwnQuestion, answer: Answer, verdict: Outcome
    ) -> str:
        """What the evaluator says closed book, where the target's wrong answer says the same, and
        the reference something else."""
        if not (spec.has_peer and isinstance(verdict, Scored) and verdict.verdict == "wrong"):
            return ""
        asking = answer_question.by("evaluator", "check").up_to(spec.answer_tokens)
        peer = await step.ask(asking, question.text)
        if isinstance(peer, Unscored) or peer.refusal:
            return ""
        if await step.ask(same_answer, question.text, peer.text, answer.text) is not True:
            return ""
        is_reference = await step.ask(same_answer, question.text, question.answer, peer.text)
        return peer.text if is_reference is False else ""


def build_graph(deps: RunDeps) -> MethodGraph:
    """The compiled graph of own questions."""
    nodes = Nodes(deps)
    stages: Stages = {
        "open": (nodes.open, (_questions, ["question"])),
        "question": (nodes.question, "finish"),
        "finish": (nodes.finish, END),
    }
    return compiled("ask", AskState, deps, stages)


def _questions(state: AskState) -> list[Send]:
    count = len(state["spec"]["questions"])
    return [Send("question", {**state, "part": part}) for part in range(count)]
