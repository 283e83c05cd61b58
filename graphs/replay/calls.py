"""What a replay asks: per question the target's answer and its verdict, and under another judge a
verdict on the old answer."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...state.records import Role
from ...state.spec import ReplaySpec
from ..drill.calls import further_due
from ..run.due import LIMIT, ONCE, TEXT_BYTES, CallStage, FinishedItems, PlannedCall
from ..run.spread import Spread
from .question_set import place_in, probe_ids
from .trials import FURTHER, SAME, SECOND, trials_of

SECOND_CALLS: tuple[tuple[Role, str], ...] = (
    ("second_evaluator", "question"),
    ("evaluator", "check"),
    ("target", "answer"),
)
"""Before the judge's, whoever that is."""


class ReplayCalls:
    """What one replay asks. Its parts are the drill's probes that are put again. `material`: these,
    or by the digest of each set."""

    def __init__(self, spec: ReplaySpec, material: Any = ()) -> None:
        by_digest = (
            material if isinstance(material, Mapping) else {spec.questions: material or ()}
        )
        self.spec, self.probes = spec, by_digest[spec.questions]
        self.trials = trials_of(spec, self.probes)
        self._second = {probe.id for probe in self.trials.passages}

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
                yield PlannedCall(
                    "target", "answer", room=question, limit=self.spec.answer_tokens
                )
            answer = old_answer if rejudged else TEXT_BYTES
            yield PlannedCall("judge", "verdict", room=judged + answer, limit=LIMIT)
            if not rejudged:
                yield from further_due(self.spec)
        about = (
            self.spec.evaluator,
            self.spec.second_evaluator,
            self.spec.source_run,
            source.id,
        )
        tried = PlannedCall("judge", "verdict", room=3 * TEXT_BYTES, limit=LIMIT)
        left = [end for end in FURTHER if place_in(done.run_id, source.id, end) not in finished]
        if source.id in self.trials.siblings:
            if SAME in left:
                yield PlannedCall(
                    "evaluator", "restatement", room=judged, shared=(*about, SAME)
                )
            yield from [tried for end in left if end != SECOND]
        if source.id in self._second and SECOND in left:
            for role, purpose in SECOND_CALLS:
                shared = (*about, purpose)
                yield PlannedCall(
                    role, purpose, room=2 * TEXT_BYTES, limit=LIMIT, shared=shared
                )
            yield tried

    def chain(self, parts: Spread) -> list[CallStage]:
        spec = self.spec
        stages = [
            (self.trials.siblings, CallStage("evaluator", "restatement")),
            (self._second, CallStage("second_evaluator", "question")),
            (self._second or not spec.rejudges, CallStage("target", "answer")),
            (True, CallStage("judge", "verdict")),
            (spec.confidence and not spec.rejudges, CallStage("target", "confidence")),
        ]
        return [stage for is_asked, stage in stages if is_asked]
