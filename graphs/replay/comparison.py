"""What a replay found: another model beside the drilled one, question by question."""

from collections import defaultdict
from collections.abc import Callable, Hashable, Sequence
from typing import TypeVar

from ...state.errors import RunFailed
from ...state.records import Probe, Unscored
from ...state.replay import Pair, PairedDepth, ReplayResult
from ...state.worlds import label_of
from ...stats.paired import Pair as Verdicts
from ...stats.paired import paired_row, tally
from ..run.record import envelope
from .question_set import QuestionSet, provenance, simulated, source_of
from .rejudge import ASSUMED_WRONG, agreement, verdict_of

KeyT = TypeVar("KeyT", bound=Hashable)

HOME = (
    "The questions were drilled from the answers of {source}, whose own words led to them from "
    "depth 2 on: they favour "
    "it (home advantage). A cross-examination with drills of both models shows by how much."
)
NO_EVD = (
    "No Expected Valid Depth of {target} is claimed: nothing was drilled with it; these are the "
    "questions of {source}."
)
INDEPENDENT = (
    "McNemar's p takes the questions as independent; the interval of the difference allows for "
    "shared roots."
)


def replay_result(material: QuestionSet) -> ReplayResult:
    """Another model on the questions of a drill. Raises RunFailed when no question has a verdict on
    either side."""
    record, spec = material.record, material.spec
    pairs = [_pair(material, probe) for probe in material.source]
    whole = [pair for pair in pairs if pair.source is not None and pair.target is not None]
    if not whole:
        raise RunFailed(
            f"None of the {len(pairs)} questions has a verdict on both sides: there is "
            "nothing to compare."
        )
    new = [material.new[probe.id] for probe in material.source if probe.id in material.new]
    again = [material.again[probe.id] for probe in material.source if probe.id in material.again]
    old = [
        (verdict_of(probe), pair.source) for probe, pair in zip(material.source, pairs, strict=True)
    ]
    calls = [call for probe in (*new, *again) for call in probe.calls]
    unscored = [probe.outcome.stage for probe in new if isinstance(probe.outcome, Unscored)]
    return ReplayResult(
        **envelope(record, calls, simulated=simulated(record)),
        source=source_of(spec, material.source),
        source_tally=tally(
            spec.source.target, [(p.root, p.source) for p in pairs if p.source is not None]
        ),
        target_tally=tally(
            spec.target, [(p.root, p.target) for p in pairs if p.target is not None]
        ),
        paired=paired_row(_verdicts(whole)),
        by_depth=tuple(
            PairedDepth(
                depth=depth,
                tier=own[0].tier,
                paired=paired_row(_verdicts(own)),
            )
            for depth, own in _groups(whole, lambda pair: pair.depth)
        ),
        by_tier={
            tier: paired_row(_verdicts(own)) for tier, own in _groups(whole, lambda pair: pair.tier)
        },
        pairs=tuple(pairs),
        unscored={stage: unscored.count(stage) for stage in sorted(set(unscored))},
        judges=agreement(spec.source.judge, spec.judge, old)
        if spec.judge != spec.source.judge
        else None,
        probes=(*new, *again),
        notes=_notes(material, len(pairs) - len(whole)),
        provenance=provenance(record, spec, [*new, *again]),
    )


def _pair(material: QuestionSet, probe: Probe) -> Pair:
    same_judge = material.spec.judge == material.spec.source.judge
    return Pair(
        id=probe.id,
        depth=probe.depth,
        tier=probe.tier,
        root=probe.root,
        source=verdict_of(probe if same_judge else material.again.get(probe.id)),
        target=verdict_of(material.new.get(probe.id)),
    )


def _verdicts(pairs: Sequence[Pair]) -> list[Verdicts]:
    return [
        Verdicts(pair.root, pair.source == "correct", pair.target == "correct") for pair in pairs
    ]


def _groups(pairs: Sequence[Pair], key: Callable[[Pair], KeyT]) -> list[tuple[KeyT, list[Pair]]]:
    """The pairs by key, in the order in which the keys first appear."""
    held: dict[KeyT, list[Pair]] = defaultdict(list)
    for pair in pairs:
        held[key(pair)].append(pair)
    return list(held.items())


def _notes(material: QuestionSet, left_out: int) -> tuple[str, ...]:
    spec = material.spec
    names = {"source": label_of(spec.source.target), "target": label_of(spec.target)}
    notes = [*material.remarks, HOME.format(**names), NO_EVD.format(**names), INDEPENDENT]
    if left_out:
        notes.append(
            f"{left_out} questions lack a verdict on one side and are left out of the comparison."
        )
    if spec.source.missing == "wrong":
        notes.append(ASSUMED_WRONG)
    if spec.judge in (spec.target, spec.source.target):
        notes.append(
            f"The judge, {label_of(spec.judge)}, is one of the two models; it may flatter its "
            "own answers."
        )
    return (*notes, *material.record.finished.caveats)
