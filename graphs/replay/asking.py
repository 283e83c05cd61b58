"""What a replay asks beside its questions: restatements of references, and questions of a second
evaluator."""

from collections.abc import Sequence
from typing import Any

from ...agents.paraphraser.restatement import hardly_restated, restate
from ...agents.prober.answer import answer_question
from ...agents.questioner.question import check_question, write_question
from ...agents.twice import write_twice
from ...state.records import Answer, Probe, Question, Rejected, Unscored
from ...state.spec import ReplaySpec
from ..step import Step


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
    step: Step, spec: ReplaySpec, source: Probe, line: Sequence[tuple[str, str]]
) -> dict[str, Any]:
    """The second evaluator's question from the passage of a probe, read by the evaluator, answered
    by the target and judged, as fields of a probe. `line`: what was asked before it, with what is
    right."""
    assert source.question is not None  # only scored probes are judged
    reply = await step.ask(
        write_question.by("second_evaluator", "question"),
        spec.domain,
        source.concept,
        [source.question.evidence],
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
