"""What a replay's journal amounts to: another model beside the drilled one, question by question;
or the answers of a drill under another judge."""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from ...state.errors import RunFailed
from ...state.records import Probe, Role, Scored, Unscored, Verdict
from ...state.replay import (
    Agreement,
    ConditionalDepth,
    Flip,
    Pair,
    PairedDepth,
    PairedRow,
    RejudgeResult,
    ReplayResult,
    ReplaySource,
)
from ...state.worlds import label_of
from ...stats.accuracy import wilson
from ...stats.agreement import kappa
from ...stats.paired import Pair as Verdicts
from ...stats.paired import paired_row, tally
from ..drill.evd import Observation
from ..drill.ruler import by_tier, checked_of
from ..drill.survival import accuracies, stopped_evd, survival, survival_interval
from ..run.record import RunRecord, assembled
from .question_set import REPLAYED, QuestionSet, question_set_of
from .rejudged import ConditionalEvd, conditional_evd
from .reliance import calibration, second_evaluator

BEYOND: tuple[Role, ...] = ("evaluator", "second_evaluator")
"""Who takes part where more is asked for than answers and verdicts."""
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
PERSON = "{target} is a person: the answers are from an exam, and a blank one abstains."
INDEPENDENT = (
    "McNemar's p takes the questions as independent; the interval of the difference allows for "
    "shared roots."
)
CONDITIONAL = (
    "The EVD is conditional on the questions that were asked: the drill followed another judge's "
    "verdicts. What grew "
    "from answers that this judge rejects is left out; below answers that only this judge accepts "
    "nothing was asked."
)
ASSUMED_WRONG = (
    "The drill counted concepts without evidence as wrong; there is no answer of theirs to judge, "
    "so they are left out "
    "here."
)


def result_of(record: RunRecord) -> ReplayResult | RejudgeResult:
    """The result of a replay, a pure function of its journal. Raises RunFailed when nothing can be
    compared."""
    material = question_set_of(record)
    return _rejudged(material) if material.spec.rejudges else _replayed(material)


def _replayed(material: QuestionSet) -> ReplayResult:
    """Another model on the questions of a drill. Raises RunFailed when no question has a verdict on
    either side."""
    spec, same_judge = material.spec, material.spec.judge == material.spec.source.judge
    pairs = [
        Pair(
            id=probe.id,
            depth=probe.depth,
            tier=probe.tier,
            root=probe.root,
            source=verdict_of(probe if same_judge else material.rejudged.get(probe.id)),
            target=verdict_of(material.new.get(probe.id)),
        )
        for probe in material.source
    ]
    whole = [pair for pair in pairs if pair.source is not None and pair.target is not None]
    if not whole:
        raise RunFailed(
            f"None of the {len(pairs)} questions has a verdict on both sides: there is "
            "nothing to compare."
        )
    depths = _grouped((pair.depth, pair) for pair in whole)
    tiers = _grouped((pair.tier, pair) for pair in whole)
    outcomes = [probe.outcome for probe in material.new.values()]
    stages = [outcome.stage for outcome in outcomes if isinstance(outcome, Unscored)]
    return ReplayResult(
        **_common(
            material,
            [*material.new.values(), *material.rejudged.values()],
            _replay_notes(material, len(pairs) - len(whole)),
        ),
        source_tally=tally(
            spec.source.target, [(pair.root, pair.source) for pair in pairs if pair.source]
        ),
        target_tally=tally(
            spec.target, [(pair.root, pair.target) for pair in pairs if pair.target]
        ),
        paired=_paired(whole),
        by_depth=tuple(
            PairedDepth(depth=depth, tier=level_pairs[0].tier, paired=_paired(level_pairs))
            for depth, level_pairs in depths.items()
        ),
        by_tier={tier: _paired(level_pairs) for tier, level_pairs in tiers.items()},
        pairs=tuple(pairs),
        unscored={stage: stages.count(stage) for stage in sorted(set(stages))},
        judges=None if same_judge else _agreement(material),
    )


def _rejudged(material: QuestionSet) -> RejudgeResult:
    """The result of judging anew. Raises RunFailed when the judge reached no verdict at all."""
    spec, source = material.spec, material.source
    same_judge = spec.judge == spec.source.judge
    judged = {probe.id: probe for probe in source} if same_judge else material.rejudged
    verdicts = {
        probe_id: _is_right(probe)
        for probe_id, probe in judged.items()
        if verdict_of(probe) is not None
    }
    if not verdicts:
        raise RunFailed(
            f"{label_of(spec.judge)} reached no verdict on any of {len(source)} answers: there "
            "is nothing to compare."
        )
    left = conditional_evd(
        [Observation(p.id, p.depth, p.root, p.parent, _is_right(p)) for p in source],
        verdicts,
        n=spec.source.n,
        threshold=spec.source.exact_threshold,
        max_depth=spec.source.max_depth,
        seed=f"{spec.seed}:{spec.domain}",
    )
    flipped = [p for p in source if verdicts.get(p.id, _is_right(p)) != _is_right(p)]
    unscored = len(source) - len(verdicts)
    further = [probe for of_kind in material.trials.values() for probe in of_kind.values()]
    probes = [*material.rejudged.values(), *further]
    second = second_evaluator(material, verdicts, left) if spec.second_evaluator else None
    return RejudgeResult(
        **_common(material, probes, _rejudge_notes(material, unscored)),
        judges=None if same_judge else _agreement(material),
        calibration=calibration(material) if spec.calibration else None,
        second_evaluator=second,
        evd=left.estimate.evd,
        evd_ci=left.estimate.interval,
        evd_note=left.estimate.note,
        censored=not left.stopped,
        depths=tuple(_depths(source, left, verdicts)),
        removed=len(left.removed),
        newly_accepted=sum(verdicts[probe.id] for probe in flipped),
        flips=tuple(_flip(probe, material.rejudged[probe.id]) for probe in flipped),
        unscored=unscored,
    )


def verdict_of(probe: Probe | None) -> Verdict | None:
    """The verdict, or None for a probe that has none (yet)."""
    return probe.verdict if probe else None


def _is_right(probe: Probe) -> bool:
    return verdict_of(probe) == "correct"


def _common(
    material: QuestionSet, probes: Sequence[Probe], method_notes: Iterable[str]
) -> dict[str, Any]:
    """The fields that both results have."""
    record, spec = material.record, material.spec
    calls = [call for probe in probes for call in probe.calls]
    texts, used = record.started.prompts, list(REPLAYED)
    used += ["question", "check"] if spec.second_evaluator else []
    return {
        "source": _source(material),
        "probes": tuple(probes),
        **assembled(
            record,
            ("target", "judge", *(role for role in BEYOND if role in spec.models)),
            calls,
            last=method_notes,
            source_run=spec.source_run,
            questions=spec.questions,
            prompts={name: texts[name] for name in used if name in texts},
        ),
    }


def _source(material: QuestionSet) -> ReplaySource:
    """The drill as its own verdicts on the replayed questions describe it."""
    spec, questions = material.spec, material.source
    levels = _grouped((probe.depth, _is_right(probe)) for probe in questions)
    shares = accuracies([(sum(level), len(level)) for level in levels.values()])
    return ReplaySource(
        run_id=spec.source_run,
        target=spec.source.target,
        judge=spec.source.judge,
        questions=len(questions),
        evd=float(stopped_evd(shares, spec.source.exact_threshold)),
        nominal=tuple(t for t, row in by_tier(checked_of(questions)).items() if row.nominal),
    )


def _grouped(pairs: Iterable[tuple[KeyT, Any]]) -> dict[KeyT, list[Any]]:
    """The values by key, in the order in which the keys first appear."""
    groups: dict[KeyT, list[Any]] = defaultdict(list)
    for key, value in pairs:
        groups[key].append(value)
    return dict(groups)


def _paired(pairs: Sequence[Pair]) -> PairedRow:
    right = "correct"
    return paired_row(
        [Verdicts(pair.root, pair.source == right, pair.target == right) for pair in pairs]
    )


def _agreement(material: QuestionSet) -> Agreement:
    """How far two judges agree, over the answers that both have judged."""
    verdicts = [(verdict_of(p), verdict_of(material.rejudged.get(p.id))) for p in material.source]
    both = [(first, second) for first, second in verdicts if first and second]
    right = [(first == "correct", second == "correct") for first, second in both]
    labels: dict[Verdict, dict[Verdict, int]] = {}
    for first, second in both:
        row = labels.setdefault(first, {})
        row[second] = row.get(second, 0) + 1
    return Agreement(
        judge=material.spec.source.judge,
        other=material.spec.judge,
        n=len(both),
        agreement=sum(first == second for first, second in right) / len(both) if both else None,
        kappa=kappa(right),
        verdicts=labels,
    )


def _depths(
    source: Sequence[Probe], left: ConditionalEvd, verdicts: Mapping[str, bool]
) -> Iterator[ConditionalDepth]:
    for depth, (correct, n) in enumerate(left.counts, start=1):
        level = [probe for probe in source if probe.depth == depth]
        rest = [probe for probe in level if probe.id not in left.removed]
        counts = left.counts[:depth]
        yield ConditionalDepth(
            depth=depth,
            tier=level[0].tier,
            asked=len(level),
            removed=len(level) - len(rest),
            unscored=sum(probe.id not in verdicts for probe in rest),
            n=n,
            correct=correct,
            accuracy=correct / n,
            accuracy_ci=wilson(correct, n),
            survival=float(survival(counts)[-1]),
            survival_ci=survival_interval(counts),
        )


def _flip(old: Probe, new: Probe) -> Flip:
    assert old.question is not None  # what counts has all three
    assert old.answer is not None
    assert isinstance(old.outcome, Scored)
    assert isinstance(new.outcome, Scored)
    return Flip(
        id=old.id,
        depth=old.depth,
        question=old.question.text,
        reference=old.question.reference,
        answer=old.answer.text,
        judge=old.outcome.verdict,
        other=new.outcome.verdict,
        reason=new.outcome.reason,
    )


def _replay_notes(material: QuestionSet, left_out: int) -> Iterator[str]:
    spec = material.spec
    names = {"source": label_of(spec.source.target), "target": label_of(spec.target)}
    yield from (HOME.format(**names), NO_EVD.format(**names), INDEPENDENT)
    if spec.answers:
        yield PERSON.format(**names)
    if left_out:
        yield f"{left_out} questions lack a verdict on one side and are left out of the comparison."
    if spec.source.missing == "wrong":
        yield ASSUMED_WRONG
    if spec.judge in (spec.target, spec.source.target):
        judge = f"The judge, {label_of(spec.judge)}, is one of the two models"
        yield f"{judge}; it may flatter its own answers."


def _rejudge_notes(material: QuestionSet, unscored: int) -> Iterator[str]:
    if material.spec.judge != material.spec.source.judge:
        yield CONDITIONAL
    if material.spec.source.missing == "wrong":
        yield ASSUMED_WRONG
    if material.spec.judge == material.spec.source.target:
        yield "The judge is the model whose answers it judges; it may flatter them."
    if unscored:
        stages = f"{unscored} answers have no verdict of this judge"
        yield f"{stages}: they count nowhere, with what grew from them."
