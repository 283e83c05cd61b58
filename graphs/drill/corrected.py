"""A drill without the error of its judge, or without its faulty questions (METHODS: Numbers for the
drill, imperfect judge).

Either way the share right at depth d is A = (q − shift)/scale of the share q that the judge calls
right: with sensitivity se and specificity sp the shift is 1 − sp and the scale se + sp − 1; without
the share φ of questions with a fault, of whose answers the share r is called right, φ·r and 1 − φ. A
is not clipped at its depth: S = A(1)·…·A(d) is, and the stop rule holds of it.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from math import exp, inf, sqrt
from statistics import fmean
from typing import Any, NamedTuple

import numpy as np

from ...state.result import DrillResult, cuts_short
from ...state.review import JudgeErrors, Rate
from ...state.rows import AnswerRow, Estimate
from ...stats.accuracy import Count
from ...stats.correction import LEAST_LABELS, errors_of, faulty, refusal, tier_group
from ...stats.estimates import share, values_of
from ...stats.moderated import implied, moderated
from .evd import (
    Floats,
    Observation,
    counts_of,
    expected_accuracies,
    generator,
    resampled_accuracy,
    root_parts,
    sum_to_stop,
)
from .paired import LEAST_LEFT, Scatter, with_judge
from .rows import observation, target_answers
from .survival import influence_of, smoothed

RUNS = 2000
_Z = 1.959963984540054
_LEAST = 0.01
"""Scale that a draw of the judge's errors has at least."""


@dataclass(frozen=True, slots=True)
class Line:
    """By depth, how A follows from q."""

    shift: Floats
    scale: Floats
    shifts: Floats
    """The same as the labels allow them, [draws, depths]."""
    scales: Floats
    overlap: float
    """See `JudgeError.overlap`."""

    def survival(self, shares: Floats) -> Floats:
        """Of [runs, depths], by the best estimate."""
        depths = shares.shape[1]
        return _survival((shares - self.shift[:depths]) / self.scale[:depths])

    def drawn_survival(self, shares: Floats) -> Floats:
        """Of [depths] or [draws, depths], by each of the draws."""
        depths = shares.shape[-1]
        return _survival((shares - self.shifts[:, :depths]) / self.scales[:, :depths])


def _survival(accuracy: Floats) -> Floats:
    survival: Floats = np.clip(np.cumprod(accuracy, axis=1), 0.0, 1.0)
    return survival


class CorrectedDrill(NamedTuple):
    """What a drill comes to."""

    evd: float
    """Where it was too short, gone on with at the accuracy of its last three depths."""
    variance: float
    """Were the judge's error known."""
    by_judge: Floats
    """EVD under errors of the judge as the labels allow them."""
    overlap: float
    highest: float
    """97.5% quantile of EVD, all together."""
    cut: bool
    """Whether it ended before the corrected S fell below the threshold."""


def judge_line(errors: JudgeErrors, tiers: Sequence[object]) -> Line:
    """Rogan and Gladen's, for depths of these tiers."""
    by_depth = [errors.get(tier_group(tier)) or errors[""] for tier in tiers]
    pairs = [
        (_draws(error.sensitivity, "sensitivity"), _draws(error.specificity, "specificity"))
        for error in by_depth
    ]
    return Line(
        shift=np.array([1 - error.specificity.value for error in by_depth]),
        scale=np.array([error.informed for error in by_depth]),
        shifts=np.stack([1 - specificity for _, specificity in pairs], axis=1),
        scales=np.stack([np.maximum(_LEAST, se + sp - 1) for se, sp in pairs], axis=1),
        overlap=errors[""].overlap,
    )


def faulty_line(rows: Sequence[AnswerRow], depths: int) -> Line:
    """Without the questions that people find a fault with."""
    share, right = faulty(rows)
    ones = np.ones((RUNS, depths))
    shares, rights = _draws(share, "faulty")[:, None], _draws(right, "right")[:, None]
    return Line(
        ones[0] * share.value * right.value,
        ones[0] * (1 - share.value),
        ones * shares * rights,
        ones * np.maximum(_LEAST, 1 - shares),
        overlap=0.0,
    )


@lru_cache(maxsize=64)  # every depth of every drill asks for the same few
def _draws(rate: Rate, kind: str) -> Floats:
    """The same rate has the same draws, whatever is corrected by it."""
    draws: Floats = generator(f"{kind}:{rate}").beta(rate.hits, rate.misses, RUNS)
    return draws


class DrillRun(NamedTuple):
    """A drill, as it is corrected."""

    observations: Sequence[Observation]
    tiers: Sequence[object]
    """Of the depths 1 … max_depth; below the last one asked its tier."""
    n: int
    threshold: Fraction
    max_depth: int
    censored: bool
    """Whether it stopped for another reason than S < threshold."""
    seed: str


def drill_of(rows: Sequence[AnswerRow]) -> DrillRun:
    """One drill, by its scored answers."""
    tiers = {int(row.tags["depth"] or 0): row.tags.get("tier") for row in rows}
    settings: Mapping[str, Any] = rows[0].settings
    deepest, most = max(tiers), settings["max_depth"]
    return DrillRun(
        [observation(row) for row in rows],
        [tiers[min(depth, deepest)] for depth in range(1, most + 1)],
        settings["n"],
        Fraction(str(settings["threshold"])),
        most,
        settings["stop_reason"] != "threshold",
        f"{settings['seed']}:{rows[0].domain}",
    )


def corrected_drill(drill: DrillRun, line: Line) -> CorrectedDrill:
    """One drill, down to where the corrected S falls below its threshold. See `evd_interval`."""
    counts, limit = counts_of(drill.observations), float(drill.threshold)
    depths, last = len(counts), len(counts) if drill.censored else drill.max_depth
    scatter = corrected_scatter(drill, drill.threshold, last, line)
    rng = generator(f"{drill.seed}:corrected")
    longer = expected_accuracies(counts, last)
    fresh = rng.binomial(drill.n, longer, size=(RUNS, last)) / drill.n
    tree = resampled_accuracy(drill.observations, depths, RUNS, rng)
    is_cut = last > depths and is_too_short(drill, line)
    variances = [scatter.v_proto, float(sum_to_stop(line.survival(tree), limit).var())]
    if is_cut:
        # what it would have come to further down is as unsure as the depths that tell it
        ends = [_gone_on(shares, last) for shares in (fresh[:, :depths], tree)]
        beyond = [float(sum_to_stop(line.survival(end), limit).var()) for end in ends]
        variances = [*map(max, variances, beyond)]
    roots = len(scatter.parts)
    squares = sum(part**2 for part in scatter.parts.values())
    clustered = roots / (roots - 1) * squares if roots > 1 else 0.0
    variances[0] *= max(1.0, clustered / scatter.v_g)
    return CorrectedDrill(
        evd=float(sum_to_stop(line.survival(_to_end(counts, last)[None]), limit)[0]),
        variance=max(variances),
        by_judge=np.asarray(scatter.by_judge),
        overlap=line.overlap,
        highest=float(np.quantile(sum_to_stop(line.drawn_survival(fresh), limit), 0.975)),
        cut=is_cut,
    )


def _gone_on(shares: Floats, last: int) -> Floats:
    """Shares by depth, and those of their last three depths together down to depth `last`."""
    mean = shares[:, -3:].mean(axis=1, keepdims=True)
    return np.hstack([shares, np.repeat(mean, last - shares.shape[1], axis=1)])


def is_too_short(drill: DrillRun, line: Line) -> bool:
    """Whether the corrected S is nowhere below the threshold."""
    survival = line.survival(_shares(counts_of(drill.observations))[None])
    return bool((survival >= float(drill.threshold)).all())


def corrected_scatter(drill: DrillRun, threshold: Fraction, last: int, line: Line) -> Scatter:
    """The same for a comparison, down to depth `last`; see `paired.scatter`."""
    counts = counts_of([o for o in drill.observations if o.depth <= last])
    limit = float(threshold)
    survival = line.survival(_shares(counts)[None])[0]
    ends = [place for place, left in enumerate(survival, 1) if left < limit]
    counts = counts[: ends[0] if ends else None]
    depths, shares = len(counts), _shares(counts)
    accuracy = (shares - line.shift[:depths]) / line.scale[:depths]
    influences = influence_of(accuracy.tolist(), [1.0, *survival[: depths - 1].tolist()])
    weights = [g / scale for g, scale in zip(influences, line.scale.tolist(), strict=False)]
    chances, longer = smoothed(counts), expected_accuracies(counts, last)
    fresh = (
        generator(f"{drill.seed}:pair").binomial(drill.n, longer, size=(RUNS, last)) / drill.n
    )
    observed = [o for o in drill.observations if o.depth <= depths]
    per_depth = zip(weights, chances, counts, strict=True)
    survivals = line.drawn_survival(_to_end(counts, last))
    return Scatter(
        evd=float(survival[:depths].sum()),
        parts=root_parts(observed, counts, weights, chances),
        v_g=sum(w * w * a * (1 - a) / scored for w, a, (_, scored) in per_depth),
        v_proto=float(sum_to_stop(line.survival(fresh), limit).var()),
        by_judge=sum_to_stop(survivals, limit),
        overlap=line.overlap,
    )


def _to_end(counts: Sequence[Count], last: int) -> Floats:
    """Shares by depth; beyond the depths asked that of the last three."""
    return np.array([*_shares(counts), *expected_accuracies(counts, last)[len(counts) :]])


def _shares(counts: Sequence[Count]) -> Floats:
    return np.array([correct / scored for correct, scored in counts])


def mean_of_drills(domains: Sequence[Sequence[CorrectedDrill]], most: float) -> Estimate:
    """The mean over domains of the mean over each one's drills, of a single drill with an interval
    on the logarithmic scale, as EVD has it; of several by the moderated t. The judge's error is one
    and the same in all of them."""
    drills = [drill for repeats in domains for drill in repeats]
    value = fmean(fmean(drill.evd for drill in repeats) for repeats in domains)
    if not value:
        return Estimate(0.0, 0.0, fmean(drill.highest for drill in drills))
    mean = moderated(
        [[(drill.evd, max(1e-12, drill.variance)) for drill in of] for of in domains],
        at_least_own=True,
    )
    draws = [[drill.by_judge for drill in repeats] for repeats in domains]
    mean = with_judge(mean, draws, drills[0].overlap)
    low, high = mean.interval()
    if len(drills) == 1:
        stretch = exp(_Z * mean.se / value)
        low, high = value / stretch, value * stretch
    cut = any(drill.cut for drill in drills)
    return Estimate(value, max(0.0, low), min(most, high), extrapolated=cut)


# over rows


def corrected_evd(rows: Sequence[AnswerRow]) -> Estimate:
    """EVD had people judged every answer; nothing where labels are too few."""
    errors = errors_of(rows)
    if refusal(errors):
        return Estimate(None)
    return _mean_over(rows, lambda tiers: judge_line(errors, tiers))


def evd_without_faulty(rows: Sequence[AnswerRow]) -> Estimate:
    """EVD by the judge, over the questions that people find sound."""
    of_all, _ = faulty(rows)
    if of_all.labels < LEAST_LABELS:
        return Estimate(None)
    return _mean_over(rows, lambda tiers: faulty_line(rows, len(tiers)))


def corrected_accuracy(rows: Sequence[AnswerRow]) -> Estimate:
    """A by the errors of the judge at these answers' tiers, within 0 … 1."""
    errors, scored = errors_of(rows), target_answers(rows)
    judged = share(values_of(scored))
    if refusal(errors) or judged.value is None or judged.interval is None:
        return Estimate(None)
    line = judge_line(errors, [row.tags.get("tier") for row in scored])
    shift, scale = float(line.shift.mean()), float(line.scale.mean())
    value = min(1.0, max(0.0, (judged.value - shift) / scale))
    draws = (judged.value - line.shifts.mean(axis=1)) / line.scales.mean(axis=1)
    spread = implied(judged.interval) / scale**2
    judge = (1 - 2 * line.overlap) * float(draws.var())
    half = _Z * sqrt(max(LEAST_LEFT * spread, spread + judge))
    low, high = max(0.0, value - half), min(1.0, value + half)
    return Estimate(value, low, high, judged.n, judged.groups)


def _mean_over(
    rows: Sequence[AnswerRow], line_of: Callable[[Sequence[object]], Line]
) -> Estimate:
    """Of one drill with its interval; of several the mean over domains of the mean over each one's
    drills."""
    runs: dict[tuple[str, str], list[AnswerRow]] = defaultdict(list)
    scored = target_answers(rows)
    for row in scored:
        runs[row.domain, row.run].append(row)
    domains: dict[str, list[CorrectedDrill]] = defaultdict(list)
    for (domain, _), answers in runs.items():
        drill = drill_of(answers)
        domains[domain].append(corrected_drill(drill, line_of(drill.tiers)))
    if not domains:
        return Estimate(None)
    most = max(float(row.settings["max_depth"] or 0) for row in scored)
    estimate = mean_of_drills([*domains.values()], most)
    cut = any(cuts_short(str(row.settings["stop_reason"])) for row in scored)
    groups = len(runs) if len(runs) > 1 else len({row.group for row in scored})
    return replace(estimate, n=len(scored), groups=groups, at_least=cut)


# for a comparison


class Corrected:
    """What a comparison reads of drills without the judge's errors; see `comparison.Reading`.
    `rows`: run id → its answers."""

    def __init__(self, rows: Mapping[str, Sequence[AnswerRow]]) -> None:
        self._rows = {run_id: target_answers(answers) for run_id, answers in rows.items()}

    def _read(self, run: DrillResult) -> tuple[DrillRun, Line]:
        rows = self._rows[run.run_id]
        drill = drill_of(rows)
        return drill, judge_line(errors_of(rows), drill.tiers)

    def figures(self, drills: Sequence[Sequence[DrillResult]], most: float) -> dict[str, Any]:
        corrected = [
            [corrected_drill(*self._read(run)) for run in repeats] for repeats in drills
        ]
        estimate = mean_of_drills(corrected, most)
        censored = any(run.censored for repeats in drills for run in repeats)
        return {
            "estimate": estimate.value,
            "interval": estimate.interval,
            "at_least": estimate.at_least or censored,
        }

    def scatter(self, run: DrillResult, last: float, threshold: Fraction) -> Scatter:
        drill, line = self._read(run)
        return corrected_scatter(drill, threshold, int(last), line)

    def last_depth(self, run: DrillResult) -> float:
        """A drill that was too short counts as one that was allowed no further."""
        stopped = run.stop_reason == "threshold" and not is_too_short(*self._read(run))
        return inf if stopped else run.depth_reached
