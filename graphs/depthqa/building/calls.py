"""What building a DepthQA graph asks, per source question: its depth and its reference answer where
those are wanting; its deconstruction, that of the up to `width` questions it rests on, and so up to
`width` squared questions of depth 1; a rewording for each that yes or no would answer; what fills
gaps; and ratings of relations where that is asked for.

How many questions one is taken apart into is the evaluator's to say: of the 91 questions of depth 3
of the published dataset with `width` 4 there are 359 of depth 2 and 1,121 of depth 1 (DepthQA,
table 1), so next to all that may be.
"""

from collections.abc import Iterator, Sequence

from ....agents.questioner.deconstruction import TOKENS_EACH
from ....state.depthqa.build import Deconstructed
from ....state.spec import DepthQABuildSpec
from ...run.due import LIMIT, ONCE, TEXT_BYTES, CallStage, FinishedItems, PlannedCall
from ...run.spread import Spread, fixed, total

FILLED = 0.95
"""Share of `width` that is expected to be used."""
KEPT = Spread(0.0, 0.7, 1.0)
"""Share of questions that are of depth 3, where that is judged first."""
GAPS = Spread(0.0, 0.05, 0.5)
"""Share of the questions of depth 2 and 3 that lose a predecessor, and are given another."""
YES_NO = Spread(0.0, 0.022, 0.3)
"""Calls per question written for those that yes or no would answer, reworded once or twice."""


class BuildCalls:
    """What one build asks. Its parts are the source questions."""

    def __init__(self, spec: DepthQABuildSpec, material: object = None) -> None:
        self.spec = spec
        self._width = Spread(0.0, max(1.0, FILLED * spec.width), spec.width)
        """Questions that one is taken apart into."""

    def parts(self, past: Sequence[object] = ()) -> list[tuple[int, Spread]]:
        return [(part, ONCE) for part in range(len(self.spec.questions))]

    def due(self, part: int, done: FinishedItems) -> Iterator[PlannedCall]:
        spec, source, run = self.spec, self.spec.questions[part], done.short_id
        length = float(len(source.question) + len(source.reference))
        is_classified = not spec.classify or done.has(f"{run}/{source.id}@depth")
        share = ONCE if is_classified else KEPT
        if not is_classified:
            yield self._due("classification", ONCE, length)
        if not source.reference.strip() and not done.has(f"{run}/{source.id}@reference"):
            yield self._due(
                "reference_answer", share, len(source.question) + len(source.key_points)
            )
        if any(name.startswith(f"{run}/settle-") for name in done.memory.item_ids):
            return
        parts = done.item(f"{run}/{source.id}@parts")
        subs = share.times(self._width)
        if isinstance(parts, Deconstructed):
            subs = fixed(float(len(parts.questions)))
        else:
            yield self._due("deconstruction", share, length)
        yield self._due("deconstruction", subs)
        questions = total([share, subs, subs.times(self._width)])
        yield self._due("open_question", questions.times(YES_NO))
        related = share.plus(subs)
        yield self._due("augmentation", related.times(GAPS))
        yield self._due("deconstruction", share.times(GAPS).times(self._width))
        if spec.check:
            yield self._due("relation", Spread(0.0, *related[1:]))

    def _due(self, purpose: str, number: Spread, length: float = 0.0) -> PlannedCall:
        tokens = LIMIT + TOKENS_EACH * self.spec.width
        return PlannedCall(
            "evaluator",
            purpose,
            number,
            room=4 * TEXT_BYTES,
            limit=tokens,
            known=length,
        )

    def chain(self, parts: Spread) -> list[CallStage]:
        """Rewordings and deconstructions down to depth 1, a gap and what fills it, a relation; all
        questions beside one another. At the low end nothing is reworded and there is no gap; at the
        expected one there is one of each."""
        spec = self.spec
        is_bare = any(not source.reference.strip() for source in spec.questions)
        return [
            *([CallStage("evaluator", "classification")] if spec.classify else []),
            *([CallStage("evaluator", "reference_answer")] if is_bare else []),
            CallStage("evaluator", "open_question", Spread(0, 1, 4)),
            CallStage("evaluator", "deconstruction", Spread(2, 3, 3)),
            CallStage("evaluator", "augmentation", Spread(0, 1, 1)),
            *([CallStage("evaluator", "relation")] if spec.check else []),
        ]
