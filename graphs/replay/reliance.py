"""How far a judge and an evaluator can be relied on, from what a replay has tried on a drill's own
material."""

from collections.abc import Mapping, Sequence
from math import exp, sqrt
from statistics import fmean

from ...state.records import Probe
from ...state.replay import Calibration, SecondEvaluator
from ...state.result import Interval
from ...state.tiers import LEVELS
from ...stats.accuracy import Count
from ...stats.consistency import mean_interval_clustered
from ...stats.moderated import WIDTH
from ..drill.evd import EvdEstimate
from ..drill.survival import influence
from .judges import calibration_of
from .question_set import QuestionSet
from .rejudged import ConditionalEvd
from .trials import SAME, SECOND, SIBLING


def calibration(material: QuestionSet) -> Calibration:
    """Sensitivity and specificity of the judge on references in other words."""
    right, wrong = ([*material.trials[end].values()] for end in (SAME, SIBLING))
    passed, failed = ([p.verdict for p in tried if p.verdict] for tried in (right, wrong))
    lost = len(right) + len(wrong) - len(passed) - len(failed)
    rejected = len(failed) - failed.count("correct")
    return calibration_of(len(passed), passed.count("correct"), len(failed), rejected, lost)


def second_evaluator(
    material: QuestionSet, verdicts: Mapping[str, bool], left: ConditionalEvd
) -> SecondEvaluator:
    """The second evaluator beside the first over the same passages. `verdicts`: probe of the drill
    → right under this judge; `left`: what the drill comes to under it.

    EVD is taken to change as if the accuracy of each depth changed in the proportion of the two.
    Two evaluators that lie Δ apart have the variance Δ²/2; what chance alone explains of Δ² is
    taken off, the rest is added to EVD's own.
    """
    tried = material.trials[SECOND]
    source = {probe.id: probe for probe in material.source}
    stages = [p.outcome.stage for p in tried.values() if p.outcome.status == "unscored"]
    kinds = [p.outcome.kind for p in tried.values() if p.outcome.status == "unscored"]
    rejected = [stage for stage, kind in zip(stages, kinds, strict=True) if kind == "rejected"]
    pairs = [
        (source[name].root, verdicts[name], probe.verdict == "correct")
        for name, probe in tried.items()
        if probe.verdict is not None and name in verdicts
    ]
    second = fmean(new for *_, new in pairs) if pairs else None
    first = fmean(old for _, old, _ in pairs) if pairs else None
    changes = [(root, float(new) - old) for root, old, new in pairs]
    levels = [
        (source[name].root, float(level_of(probe) - level_of(source[name])))
        for name, probe in tried.items()
        if probe.verdict is not None and probe.check and source[name].check
    ]
    apart_ci = mean_interval_clustered(changes, -1, 1) if changes else None
    moved, evd_ci = None, None
    if second is not None and first:
        per_share = weight_of(left.counts) / first
        moved = (second - first) * per_share
        if apart_ci is not None:
            chance = (apart_ci[1] - apart_ci[0]) / WIDTH * per_share
            evd_ci = widened(left.estimate, material.spec.source.max_depth, moved, chance)
    return SecondEvaluator(
        model=material.spec.second_evaluator,
        passages=len(tried),
        refused=rejected.count("question"),
        withdrawn=rejected.count("check"),
        lost=len(stages) - len(rejected),
        n=len(pairs),
        accuracy=second,
        first_accuracy=first,
        accuracy_difference=fmean(value for _, value in changes) if changes else None,
        accuracy_difference_ci=apart_ci,
        level_difference=fmean(value for _, value in levels) if levels else None,
        level_difference_ci=mean_interval_clustered(levels, -4, 4) if levels else None,
        evd_difference=moved,
        evd_ci=evd_ci,
    )


def level_of(probe: Probe) -> int:
    assert probe.check is not None  # asked of checked ones only
    return LEVELS.index(probe.check.level)


def weight_of(counts: Sequence[Count]) -> float:
    """Σ_d g_d·A(d): by how much EVD changes where every accuracy changes in one proportion, to
    first order."""
    weights = influence(counts)
    return sum(g * c / n for g, (c, n) in zip(weights, counts, strict=True))


def widened(estimate: EvdEstimate, max_depth: int, moved: float, chance: float) -> Interval | None:
    """The interval with the variance between evaluators added, of whom two are `moved` apart, by
    chance alone as much as a standard error of `chance`. None at a boundary, where there is no
    standard error to add to."""
    if not estimate.se or not estimate.evd:
        return None
    between = max(0.0, moved**2 - chance**2) / 2
    factor = exp(WIDTH / 2 * sqrt(estimate.se**2 + between) / estimate.evd)
    return estimate.evd / factor, min(float(max_depth), estimate.evd * factor)
