"""What asking own questions takes: per question an answer and a verdict; where references are
verified, a check with the passage, and for what the target gets wrong the evaluator's own answer."""

from collections.abc import Iterator, Sequence

from ...state.spec import AskSpec
from ..run.due import LIMIT, ONCE, TEXT_BYTES, CallStage, FinishedItems, PlannedCall
from ..run.spread import Spread

SOMETIMES = Spread(0.0, 0.3, 1.0)
"""Of what is asked about a wrong answer, or where the check's words differ from the reference."""


def item_id(short_id: str, part: int) -> str:
    """The step of a question."""
    return f"{short_id}/q{part + 1:03d}"


class AskCalls:
    """What one run asks. Its parts are the questions."""

    def __init__(self, spec: AskSpec, material: object = None) -> None:
        self.spec = spec

    def parts(self, past: Sequence[object] = ()) -> list[tuple[int, Spread]]:
        return [(part, ONCE) for part in range(len(self.spec.questions))]

    def due(self, part: int, done: FinishedItems) -> Iterator[PlannedCall]:
        spec, question = self.spec, self.spec.questions[part]
        if done.has(item_id(done.short_id, part)):
            return
        length, limit = len(question.text.encode()), spec.answer_tokens
        judged = length + len(question.answer.encode()) + TEXT_BYTES
        checked = length + len(question.passage.encode()) + TEXT_BYTES
        key = (question.text, question.passage, spec.evaluator, spec.seed)
        yield PlannedCall("target", "answer", room=length, limit=limit)
        yield PlannedCall("judge", "verdict", room=judged, limit=LIMIT)
        if spec.verify_questions and question.passage:
            yield PlannedCall("evaluator", "check", room=checked, shared=("check", *key))
        if spec.verify_questions:
            yield PlannedCall("evaluator", "same", SOMETIMES.times(3), room=judged)
        if spec.has_peer:
            shared = ("answer", *key)
            yield PlannedCall("evaluator", "answer", SOMETIMES, length, limit, shared=shared)

    def chain(self, parts: Spread) -> list[CallStage]:
        return [CallStage("target", "answer"), CallStage("judge", "verdict")]
