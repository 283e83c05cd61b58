"""What a replay's journal amounts to: another model beside the drilled one, question by question;
or the answers of a drill under another judge."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

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
from ...state.spec import ReplaySpec
from ...state.tiers import Tier
from ...state.worlds import label_of
from ...stats.accuracy import wilson
from ...stats.paired import Pair as Verdicts
from ...stats.paired import paired_row, tally
from ..drill import ruler
from ..drill.evd import Observation
from ..drill.survival import accuracies, stopped_evd, survival, survival_interval
from ..run.record import RunRecord, assembled
from .judges import agreement
from .question_set import REPLAYED, QuestionSet, question_set_of
from .rejudged import ConditionalEvd, calibration, conditional_evd, second_evaluator
from .trials import FURTHER

BEYOND: tuple[Role, ...] = ("evaluator", "second_evaluator")
"""Who takes part where more is asked for than answers and verdicts."""
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
    old = {probe.id: probe for probe in material.source} if same_judge else material.rejudged
    pairs = [
        Pair(
            id=probe.id,
            depth=probe.depth,
            tier=probe.tier,
            root=probe.root,
            source=verdict_of(old.get(probe.id)),
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
    by_depth, by_tier = defaultdict[int, list[Pair]](list), defaultdict[Tier, list[Pair]](list)
    for pair in whole:
        by_depth[pair.depth].append(pair)
        by_tier[pair.tier].append(pair)
    outcomes = [probe.outcome for probe in material.new.values()]
    stages = Counter(outcome.stage for outcome in outcomes if isinstance(outcome, Unscored))
    old_verdicts = [(pair.root, pair.source) for pair in pairs if pair.source]
    new_verdicts = [(pair.root, pair.target) for pair in pairs if pair.target]
    return ReplayResult(
        **_common(
            material,
            [*material.new.values(), *material.rejudged.values()],
            _replay_notes(material, len(pairs) - len(whole)),
        ),
        source_tally=tally(spec.source.target, old_verdicts),
        target_tally=tally(spec.target, new_verdicts),
        paired=_paired(whole),
        by_depth=tuple(
            PairedDepth(depth=depth, tier=level[0].tier, paired=_paired(level))
            for depth, level in by_depth.items()
        ),
        by_tier={tier: _paired(of_tier) for tier, of_tier in by_tier.items()},
        pairs=tuple(pairs),
        unscored=dict(sorted(stages.items())),
        judges=_agreement(material),
    )


def _rejudged(material: QuestionSet) -> RejudgeResult:
    """The result of judging anew. Raises RunFailed when the judge reached no verdict at all."""
    spec, source = material.spec, material.source
    same_judge = spec.judge == spec.source.judge
    judged = {probe.id: probe for probe in source} if same_judge else material.rejudged
    verdicts = {name: _is_right(probe) for name, probe in judged.items() if probe.verdict}
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
    further = [probe for end in FURTHER for probe in material.trials[end].values()]
    probes = [*material.rejudged.values(), *further]
    second = second_evaluator(material, verdicts, left) if spec.second_evaluator else None
    return RejudgeResult(
        **_common(material, probes, _rejudge_notes(material, unscored)),
        judges=_agreement(material),
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
    return probe.verdict == "correct"


def _common(
    material: QuestionSet, probes: Sequence[Probe], method_notes: Iterable[str]
) -> dict[str, Any]:
    """The fields that both results have. The drill is as its own verdicts on the replayed questions
    describe it."""
    record, spec, questions = material.record, material.spec, material.source
    levels = defaultdict[int, list[bool]](list)
    for probe in questions:
        levels[probe.depth].append(_is_right(probe))
    shares = accuracies([(sum(level), len(level)) for level in levels.values()])
    source = ReplaySource(
        run_id=spec.source_run,
        target=spec.source.target,
        judge=spec.source.judge,
        questions=len(questions),
        evd=float(stopped_evd(shares, spec.source.exact_threshold)),
        nominal=tuple(
            t for t, row in ruler.by_tier(ruler.checked_of(questions)).items() if row.nominal
        ),
    )
    used = [*REPLAYED, *(["question", "check"] if spec.second_evaluator else [])]
    texts = record.started.prompts
    return {
        "source": source,
        "probes": tuple(probes),
        **assembled(
            record,
            ("target", "judge", *(role for role in BEYOND if role in spec.models)),
            [call for probe in probes for call in probe.calls],
            last=method_notes,
            source_run=spec.source_run,
            questions=spec.questions,
            prompts={name: texts[name] for name in used if name in texts},
        ),
    }


def _paired(pairs: Sequence[Pair]) -> PairedRow:
    right = "correct"
    return paired_row(
        [Verdicts(pair.root, pair.source == right, pair.target == right) for pair in pairs]
    )


def _agreement(material: QuestionSet) -> Agreement | None:
    """How far two judges agree, over the answers that both have judged; None of a single judge."""
    spec = material.spec
    if spec.judge == spec.source.judge:
        return None
    first = {probe.id: probe for probe in material.source if probe.verdict}
    second = {name: probe for name, probe in material.rejudged.items() if probe.verdict}
    labels = defaultdict[Any, Counter[Any]](Counter)
    for name, probe in first.items():
        if name in second:
            labels[probe.verdict][second[name].verdict] += 1
    return Agreement(
        judge=spec.source.judge,
        other=spec.judge,
        verdicts={label: dict(others) for label, others in labels.items()},
        **agreement(
            {name: _is_right(probe) for name, probe in first.items()},
            {name: _is_right(probe) for name, probe in second.items()},
        ),
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
    assert old.question is not None  # what counts has all of them
    assert old.answer is not None
    assert old.verdict is not None
    assert isinstance(new.outcome, Scored)
    return Flip(
        id=old.id,
        depth=old.depth,
        question=old.question.text,
        reference=old.question.reference,
        answer=old.answer.text,
        judge=old.verdict,
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
    yield from _judging_notes(spec)


def _rejudge_notes(material: QuestionSet, unscored: int) -> Iterator[str]:
    if material.spec.judge != material.spec.source.judge:
        yield CONDITIONAL
    yield from _judging_notes(material.spec)
    if unscored:
        stages = f"{unscored} answers have no verdict of this judge"
        yield f"{stages}: they count nowhere, with what grew from them."


def _judging_notes(spec: ReplaySpec) -> Iterator[str]:
    if spec.source.missing == "wrong":
        yield ASSUMED_WRONG
    if spec.judge in (spec.target, spec.source.target):
        yield f"The judge, {label_of(spec.judge)}, judges its own answers; it may flatter them."
