"""Another judge over an old run: what the drill comes to under it; and how far a judge and an
evaluator can be relied on, from what a replay has tried on the drill's own material.

The drill went on from the answers its own judge accepted, so another judge's view of it is
off-policy: what grew from an answer that the other judge rejects would not have been asked, and
what would have grown from an answer that only the other judge accepts was never asked. The EVD that
is left is conditional on the questions that were asked.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import exp, sqrt

from ...state.replay import Calibration, SecondEvaluator
from ...state.result import Interval
from ...state.tiers import LEVELS
from ...stats.accuracy import Count, wilson
from ...stats.estimates import Value, mean
from ...stats.moderated import WIDTH
from ..drill.evd import EvdEstimate, Observation, evd_interval
from ..drill.survival import below, influence
from .question_set import QuestionSet
from .trials import SAME, SECOND, SIBLING


@dataclass(frozen=True)
class ConditionalEvd:
    """What a drill comes to when only what the other judge lets stand is counted, under the drill's
    own stop rule."""

    counts: tuple[Count, ...]
    """(correct, judged) per depth 1 … D, down to the stop or the last depth with anything left."""
    removed: tuple[str, ...]
    """Probes that grew from an answer the other judge does not accept."""
    stopped: bool
    """Whether survival fell below the threshold; otherwise the EVD is a lower limit."""
    estimate: EvdEstimate


def conditional_evd(
    probes: Sequence[Observation],
    verdicts: Mapping[str, bool],
    *,
    n: int,
    threshold: Fraction,
    max_depth: int,
    seed: int | str,
) -> ConditionalEvd:
    """The conditional EVD of a drill under another judge (METHODS: another judge over an old run).

    `probes`: the counted probes, of any order, `correct` by the drill's own judge (not used here);
    `verdicts`: probe → right under the other judge. A probe without a verdict counts nowhere and,
    like one that is rejected, has no descendants: a drill continues verdicts only.
    """
    removed: list[str] = []
    judged: dict[str, Observation] = {}
    for probe in sorted(probes, key=lambda probe: probe.depth):
        parent = judged.get(probe.parent or "")
        if probe.parent is not None and not (parent and parent.correct):
            removed.append(probe.id)
        elif probe.id in verdicts:
            judged[probe.id] = probe._replace(correct=verdicts[probe.id])
    counts: list[Count] = []
    stopped = False
    while not stopped:
        level = [probe.correct for probe in judged.values() if probe.depth == len(counts) + 1]
        if not level:
            break
        counts.append((sum(level), len(level)))
        stopped = below(counts, threshold)
    counted = [probe for probe in judged.values() if probe.depth <= len(counts)]
    estimate = evd_interval(counted, n, threshold, max_depth, censored=not stopped, seed=seed)
    return ConditionalEvd(tuple(counts), tuple(removed), stopped, estimate)


def calibration(material: QuestionSet) -> Calibration:
    """Sensitivity and specificity of the judge on references in other words."""
    right = [probe.verdict for probe in material.trials[SAME].values()]
    wrong = [probe.verdict for probe in material.trials[SIBLING].values()]
    n_right = len(right) - right.count(None)
    n_wrong = len(wrong) - wrong.count(None)
    accepted = right.count("correct")
    rejected = n_wrong - wrong.count("correct")
    return Calibration(
        right=n_right,
        accepted=accepted,
        sensitivity=accepted / n_right if n_right else None,
        sensitivity_ci=wilson(accepted, n_right),
        wrong=n_wrong,
        rejected=rejected,
        specificity=rejected / n_wrong if n_wrong else None,
        specificity_ci=wilson(rejected, n_wrong),
        unscored=right.count(None) + wrong.count(None),
    )


def second_evaluator(
    material: QuestionSet, verdicts: Mapping[str, bool], left: ConditionalEvd
) -> SecondEvaluator:
    """The second evaluator beside the first over the same passages. `verdicts`: probe of the drill
    → right under this judge; `left`: what the drill comes to under it.

    EVD is taken to change as if the accuracy of each depth changed in the proportion of the two.
    Two evaluators that lie Δ apart have the variance Δ²/2; what chance alone explains of Δ² is
    taken off, the rest is added to EVD's own.
    """
    probes = material.trials[SECOND]
    source = {probe.id: probe for probe in material.source}
    faults = [probe.outcome for probe in probes.values() if probe.outcome.status == "unscored"]
    rejected = [fault.stage for fault in faults if fault.kind == "rejected"]
    shares: list[Value] = []
    first_shares: list[Value] = []
    changes: list[Value] = []
    levels: list[Value] = []
    for name, probe in probes.items():
        before = source[name]
        if probe.verdict is None or name not in verdicts:
            continue
        right, first_right = float(probe.verdict == "correct"), float(verdicts[name])
        shares.append((before.root, right))
        first_shares.append((before.root, first_right))
        changes.append((before.root, right - first_right))
        if probe.check is not None and before.check is not None:
            higher = LEVELS.index(probe.check.level) - LEVELS.index(before.check.level)
            levels.append((before.root, float(higher)))
    first = mean(first_shares).value
    change = mean(changes, -1.0, 1.0)
    level = mean(levels, -4.0, 4.0)
    moved, evd_ci = None, None
    if first and change.value is not None:
        per_share = weight_of(left.counts) / first
        moved = change.value * per_share
        if change.interval is not None:
            chance = (change.interval[1] - change.interval[0]) / WIDTH * per_share
            evd_ci = widened(left.estimate, material.spec.source.max_depth, moved, chance)
    return SecondEvaluator(
        model=material.spec.second_evaluator,
        passages=len(probes),
        refused=rejected.count("question"),
        withdrawn=rejected.count("check"),
        lost=len(faults) - len(rejected),
        n=len(changes),
        accuracy=mean(shares).value,
        first_accuracy=first,
        accuracy_difference=change.value,
        accuracy_difference_ci=change.interval,
        level_difference=level.value,
        level_difference_ci=level.interval,
        evd_difference=moved,
        evd_ci=evd_ci,
    )


def weight_of(counts: Sequence[Count]) -> float:
    """Σ_d g_d·A(d): by how much EVD changes where every accuracy changes in one proportion, to
    first order."""
    pairs = zip(influence(counts), counts, strict=True)
    return sum(weight * correct / scored for weight, (correct, scored) in pairs)


def widened(
    estimate: EvdEstimate, max_depth: int, moved: float, chance: float
) -> Interval | None:
    """The interval with the variance between evaluators added, of whom two are `moved` apart, by
    chance alone as much as a standard error of `chance`. None at a boundary, where there is no
    standard error to add to."""
    if not estimate.se or not estimate.evd:
        return None
    between = max(0.0, moved**2 - chance**2) / 2
    factor = exp(WIDTH / 2 * sqrt(estimate.se**2 + between) / estimate.evd)
    return estimate.evd / factor, min(float(max_depth), estimate.evd * factor)
