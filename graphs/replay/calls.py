"""What a replay asks: per question the target's answer and its verdict, and under another judge a
verdict on the old answer."""

from collections.abc import Iterator, Sequence

from ...state.records import Probe
from ...state.spec import ReplaySpec
from ..run.due import LIMIT, ONCE, TEXT_BYTES, CallStage, FinishedItems, PlannedCall
from ..run.spread import Spread
from .question_set import new_id


class ReplayCalls:
    """What one replay asks. Its parts are the drill's probes that are put again."""

    def __init__(self, spec: ReplaySpec, material: Sequence[Probe]) -> None:
        self.spec, self.probes = spec, material

    def parts(self, past: Sequence[object] = ()) -> list[tuple[int, Spread]]:
        return [(part, ONCE) for part in range(len(self.probes))]

    def due(self, part: int, done: FinishedItems) -> Iterator[PlannedCall]:
        yield from self.of(self.probes[part], done)

    def of(self, source: Probe, done: FinishedItems) -> Iterator[PlannedCall]:
        """What is due of one question."""
        assert source.question is not None  # only scored probes are replayed
        spec, made, question = self.spec, set(done.memory.probe_ids), source.question
        asked = len(question.text.encode())
        told = asked + len(question.reference.encode())
        if not spec.rejudges and new_id(done.run_id, source) not in made:
            yield PlannedCall("target", "answer", room=asked, limit=spec.answer_tokens)
            yield PlannedCall("judge", "verdict", room=told + TEXT_BYTES, limit=LIMIT)
        if spec.judge != spec.source.judge and new_id(done.run_id, source, again=True) not in made:
            said = len(source.answer.text.encode()) if source.answer else 0
            yield PlannedCall("judge", "verdict", room=told + said, limit=LIMIT)

    def chain(self, parts: Spread) -> list[CallStage]:
        answer = [] if self.spec.rejudges else [CallStage("target", "answer")]
        return [*answer, CallStage("judge", "verdict")]
