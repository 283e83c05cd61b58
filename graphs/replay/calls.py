"""What a replay asks: per question the target's answer and its verdict, and under another judge a
verdict on the old answer."""

from collections.abc import Iterator, Sequence

from ...state.records import Probe
from ...state.spec import ReplaySpec
from ..drill.calls import further_due
from ..run.due import LIMIT, ONCE, TEXT_BYTES, CallStage, FinishedItems, PlannedCall
from ..run.spread import Spread
from .question_set import probe_ids


class ReplayCalls:
    """What one replay asks. Its parts are the drill's probes that are put again."""

    def __init__(self, spec: ReplaySpec, material: Sequence[Probe]) -> None:
        self.spec, self.probes = spec, material

    def parts(self, past: Sequence[object] = ()) -> list[tuple[int, Spread]]:
        return [(part, ONCE) for part in range(len(self.probes))]

    def due(self, part: int, done: FinishedItems) -> Iterator[PlannedCall]:
        source, finished = self.probes[part], set(done.memory.probe_ids)
        assert source.question is not None  # only scored probes are replayed
        question = len(source.question.text.encode())
        judged = question + len(source.question.reference.encode())
        old_answer = len(source.answer.text.encode()) if source.answer else 0
        for probe_id, rejudged in probe_ids(self.spec, done.run_id, source).items():
            if probe_id in finished:
                continue
            if not rejudged and not self.spec.answers:
                yield PlannedCall("target", "answer", room=question, limit=self.spec.answer_tokens)
            answer = old_answer if rejudged else TEXT_BYTES
            yield PlannedCall("judge", "verdict", room=judged + answer, limit=LIMIT)
            if not rejudged:
                yield from further_due(self.spec)

    def chain(self, parts: Spread) -> list[CallStage]:
        answer = [] if self.spec.rejudges else [CallStage("target", "answer")]
        further = [CallStage("target", "confidence")] if self.spec.confidence else []
        return [*answer, CallStage("judge", "verdict"), *further]
