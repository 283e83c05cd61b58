"""What a drill asks: the aspects of its domain; then per slot of a depth one question, one answer,
one check of the question and one verdict, whether two answers are one where the check's words
differ, and, where another depth follows, the concepts of the answer. Questions that are rejected
and probes that are replaced make these a little more than one each. How many depths there are, only
the answers tell."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import ceil

from ...agents.explainer.explain import CONCEPT_TOKENS
from ...agents.explainer.titles import TITLE_TOKENS
from ...agents.factfinder.find import HEADINGS, NEAREST
from ...state.channels import ProbeTask
from ...state.records import ANCHORS
from ...state.spec import DrillSpec, ReplaySpec, is_simulated
from ...state.tiers import TIERS
from ...tools.models.budget import Amount, Cost
from ..run.deps import RunDeps, pool_seed
from ..run.due import (
    LIMIT,
    ONCE,
    TEXT_BYTES,
    CallStage,
    FinishedItems,
    PlannedCall,
    step_cost,
    worst,
)
from ..run.past import PastRun
from ..run.spread import Spread
from .depths import deepest, depths_of
from .scheduler import MORE, OF_FIRST, OF_NEXT

OFTEN = {
    "question": Spread(0.9, 1.2, 2.0),
    "check": Spread(0.9, 1.1, 1.6),
    "answer": Spread(0.9, 1.1, 1.6),
    "verdict": Spread(0.9, 1.1, 1.6),
    "concepts": Spread(0.9, 1.1, 1.6),
    "same": Spread(0.0, 0.3, 1.2),
    "confidence": Spread(0.7, 1.0, 1.4),
    "error": Spread(0.0, 0.4, 1.0),
}
"""Calls per slot; without evidence there is none."""
SIMULATED = dict.fromkeys(OFTEN, Spread(0.9, 1.0, 1.3)) | {
    "same": Spread(0.0, 0.0, 1.0),
    "confidence": OFTEN["confidence"],
    "error": OFTEN["error"],
}
"""Likewise of a simulated evaluator, which rejects next to nothing and answers a check in the
passage's own words."""
NAMES, _TITLE_BYTES = 12, 60
"""Names that one call asks about at most, and bytes of a title, seldom more."""
IN_TURN, ROUNDS = Spread(1.0, 1.4, 3.0), Spread(1.0, 1.1, 2.5)
"""Per depth: questions that follow each other in the slowest slot, and rounds."""


class DrillCalls:
    """What one drill asks. Its parts: the opening (0), then the depths."""

    def __init__(self, spec: DrillSpec, material: object = None) -> None:
        self.spec = spec

    def parts(self, past: Sequence[PastRun] = ()) -> list[tuple[int, Spread]]:
        """A drill stops at the first depth that its answers do not carry."""
        depths = depths_of(self.spec, past)
        often = [(depth, _reached(depth, depths)) for depth in range(1, ceil(depths.high) + 1)]
        return [(0, ONCE), *often]

    def due(self, part: int, done: FinishedItems) -> Iterator[PlannedCall]:
        spec, memory = self.spec, done.memory
        if part == 0:
            if memory.opened is None and not spec.topics:
                yield opening_due(spec)
            return
        made = sum(
            probe_id.startswith(f"{done.short_id}/d{part:02d}.")
            for probe_id in memory.probe_ids
        )
        slots = 0 if part in memory.closed else max(0, spec.n - made)
        often = SIMULATED if is_simulated(spec.evaluator) else OFTEN
        beginning = (
            spec.model_copy(
                update={
                    "target": "",
                    "judge": "",
                    "answer_tokens": 16,
                    "anchors": (),
                }
            ).digest
            if part == 1
            else ""
        )
        for due in (
            due for step in probe_due(spec, follows=part < deepest(spec)) for due in step
        ):
            name = due.purpose
            early = part == 1 and due.role == "evaluator" and name != "concepts"
            yield replace(
                due,
                number=often[name].times(slots),
                shared=(beginning, name) if early else None,
            )

    def chain(self, parts: Spread) -> list[CallStage]:
        """Per depth question → answer (the check beside it), once more where one is withdrawn →
        concepts → look-up (the verdicts beside them)."""
        depths = Spread(*(number - 1 for number in parts))
        questions, rounds = depths.times(IN_TURN), depths.times(ROUNDS)
        return [
            CallStage("evaluator", "aspects"),
            CallStage(None, "look_up", rounds.plus(ONCE)),
            CallStage("evaluator", "question", questions),
            CallStage("target", "answer", questions),
            CallStage("evaluator", "concepts", rounds),
            *([CallStage("target", "confidence", depths)] if self.spec.confidence else []),
        ]


def _reached(depth: int, depths: Spread) -> Spread:
    often = (min(1.0, max(0.0, last - depth + 1)) for last in depths)
    return Spread(*often)


def opening_due(spec: DrillSpec) -> PlannedCall:
    """Naming the aspects: all runs of a launch share them."""
    own = (spec.domain, spec.evaluator, spec.language, spec.pool, pool_seed(spec))
    pool = ("aspects", *own, spec.facts.get(TIERS[0]))
    expected = 1.0 if is_simulated(spec.evaluator) else 1.3
    number = Spread(1.0, expected, 3.0)
    limit = LIMIT + 24 * spec.pool
    return PlannedCall("evaluator", "aspects", number, limit=limit, shared=pool)


def probe_due(
    spec: DrillSpec,
    passages: Sequence[int] = (TEXT_BYTES,),
    concepts: int = 2 + MORE,
    *,
    follows: bool = True,
) -> tuple[list[PlannedCall], list[PlannedCall], list[PlannedCall]]:
    """The three steps of a probe: question; answer beside the check; verdicts beside concepts where
    a depth follows. `passages`: bytes with each passage; `concepts`: how many are asked for."""
    first = [PlannedCall("evaluator", "question", room=sum(passages))]
    second = [PlannedCall("target", "answer", limit=spec.answer_tokens)]
    third = [PlannedCall("judge", "verdict", room=3 * TEXT_BYTES)]
    if spec.verify_questions:
        second.append(PlannedCall("evaluator", "check", room=max(passages)))
        third.append(PlannedCall("evaluator", "same"))
    if follows:
        tokens = LIMIT + CONCEPT_TOKENS * concepts
        third.append(PlannedCall("evaluator", "concepts", room=3 * TEXT_BYTES, limit=tokens))
    anchors = dict(zip(ANCHORS, spec.anchors, strict=False))
    third += [PlannedCall(role, "answer", limit=spec.answer_tokens) for role in anchors]
    third += [PlannedCall("judge", "verdict", room=3 * TEXT_BYTES) for _ in anchors]
    return first, second, [*third, *further_due(spec)]


def further_due(spec: DrillSpec | ReplaySpec) -> Iterator[PlannedCall]:
    """What is asked of an answer once it has a verdict."""
    if spec.confidence:
        yield PlannedCall("target", "confidence", room=3 * TEXT_BYTES)
    if spec.classify_errors:
        yield PlannedCall("judge", "error", room=3 * TEXT_BYTES)


def opening_cost(deps: RunDeps, spec: DrillSpec, titles: Sequence[str]) -> Cost:
    """For naming the aspects, or choosing them among titles: once, and once more for what was
    missing."""
    room = len("\n".join(titles).encode())
    due = replace(opening_due(spec), number=ONCE, room=room)
    return step_cost(deps, [due])


def titles_cost(deps: RunDeps) -> Cost:
    """For asking what names mean that were not found on a path."""
    room = (NEAREST * NAMES + HEADINGS) * _TITLE_BYTES
    limit = LIMIT + TITLE_TOKENS * NAMES
    return step_cost(deps, [PlannedCall("evaluator", "titles", room=room, limit=limit)])


def slot_cost(deps: RunDeps, spec: DrillSpec, task: ProbeTask) -> Cost:
    """For one probe. Its steps follow each other, and each costs far less than its worst: in USD
    the base is the dearest of the three, the extra the other two. Calls do not cost less than
    expected: all of them are set aside, and as many have to be free for a second question."""
    every = (passage for candidate in task["candidates"] for passage in candidate["passages"])
    sizes = sorted(
        (len(passage["text"].encode()) + TEXT_BYTES for passage in every),
        reverse=True,
    )
    passages = sizes[: OF_FIRST + OF_NEXT]
    steps = [
        worst(deps, dues)
        for dues in probe_due(spec, passages, task["k"] + MORE, follows=task["k"] > 0)
    ]
    once = sum(steps, start=Amount())
    if once.usd is None:
        return Cost(once, once)
    dearest = max(step.usd or 0.0 for step in steps)
    return Cost(Amount(dearest, once.calls), Amount(once.usd - dearest, once.calls))
