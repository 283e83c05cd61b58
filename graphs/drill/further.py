"""What is asked once an answer has a verdict: how sure the target is of it, what is wrong with it,
and what models of known strength say. Nothing of it reaches whoever asks, answers or judges."""

from typing import Any

from ...agents.judge.error import classify_error
from ...agents.prober.answer import answer_question
from ...agents.prober.confidence import state_confidence
from ...state.records import (
    ANCHORS,
    AnchorAnswer,
    Answer,
    AnswerError,
    Question,
    Role,
    Scored,
    Unscored,
)
from ...state.spec import DrillSpec, ReplaySpec
from ..run.deps import together
from ..step import Step


async def ask_further(
    step: Step,
    spec: DrillSpec | ReplaySpec,
    question: Question,
    answer: Answer,
    verdict: Scored,
) -> dict[str, Any]:
    """Fields of the probe. An answer that commits to nothing has no chance of being right to be
    stated, and needs nobody to say that it was refused; what a call that failed would have said is
    not there."""
    about = (step, spec, question, answer, verdict)
    confidence, error = await together(_confidence(*about), _error(*about))
    further = {"confidence": confidence, "error": error}
    if spec.method == "drill" and spec.anchors:
        further["anchors"] = await _ask_anchors(step, spec, question)
    return further


async def _confidence(
    step: Step,
    spec: DrillSpec | ReplaySpec,
    question: Question,
    answer: Answer,
    verdict: Scored,
) -> float | None:
    if not spec.confidence or verdict.verdict == "abstained":
        return None
    stated = await step.ask(state_confidence, question.text, answer.text)
    return None if isinstance(stated, Unscored) else stated


async def _error(
    step: Step,
    spec: DrillSpec | ReplaySpec,
    question: Question,
    answer: Answer,
    verdict: Scored,
) -> AnswerError | None:
    if not spec.classify_errors or verdict.correct:
        return None
    if verdict.verdict == "abstained":
        return AnswerError(kind="refused")
    error = await step.ask(classify_error, question.text, question.reference, answer.text)
    return None if isinstance(error, Unscored) else error


async def _ask_anchors(
    step: Step, spec: DrillSpec, question: Question
) -> tuple[AnchorAnswer, ...]:
    """Each anchor's closed-book answer with its verdict, in the order of the spec."""
    roles = zip(ANCHORS, spec.anchors, strict=False)
    return tuple(
        await together(
            *(_ask_anchor(step, spec, role, model, question) for role, model in roles)
        )
    )


async def _ask_anchor(
    step: Step, spec: DrillSpec, role: Role, model: str, question: Question
) -> AnchorAnswer:
    skill = answer_question.up_to(spec.answer_tokens).by(role, "answer")
    answer = await step.ask(skill, question.text)
    if isinstance(answer, Unscored):
        return AnchorAnswer(model=model, outcome=answer)
    outcome = await step.judge(question.text, question.reference, answer)
    return AnchorAnswer(model=model, text=answer.text, outcome=outcome)
