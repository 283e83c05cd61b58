"""A question that counts, put to models of known strength as well: how hard it is, told by answers
and not by whoever wrote it."""

from ...agents.judge.verdict import judge
from ...agents.prober.answer import answer_question
from ...state.records import (
    ANCHORS,
    AnchorAnswer,
    Outcome,
    Question,
    Role,
    Scored,
    Unscored,
)
from ...state.spec import DrillSpec
from ..run.deps import together
from ..step import Step


async def ask_anchors(step: Step, spec: DrillSpec, question: Question) -> tuple[AnchorAnswer, ...]:
    """Each anchor's closed-book answer with its verdict, in the order of the spec."""
    roles = zip(ANCHORS, spec.anchors, strict=False)
    return tuple(
        await together(*(_ask(step, spec, role, model, question) for role, model in roles))
    )


async def _ask(
    step: Step, spec: DrillSpec, role: Role, model: str, question: Question
) -> AnchorAnswer:
    skill = answer_question.up_to(spec.answer_tokens).by(role, "answer")
    answer = await step.ask(skill, question.text)
    if isinstance(answer, Unscored):
        return AnchorAnswer(model=model, outcome=answer)
    outcome: Outcome
    if answer.refusal:
        outcome = Scored(verdict="abstained", reason="the model refused to answer")
    else:
        outcome = await step.ask(judge, question.text, question.reference, answer.text)
    return AnchorAnswer(model=model, text=answer.text, outcome=outcome)
