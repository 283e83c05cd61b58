"""How far a model's stated confidence can be relied on, over answers with a verdict; 95% intervals
allow for answers that stand or fall together (METHODS: Numbers for the drill, clusters)."""

from collections import defaultdict
from collections.abc import Callable, Hashable, Sequence
from math import sqrt
from statistics import fmean
from typing import NamedTuple

from ..state.rows import AnswerRow, Estimate, Measure
from .abstention import Counted
from .consistency import t_quantile
from .estimates import mean

BINS = 5
"""Of equal width, for the calibration error."""


class Stated(NamedTuple):
    """An answer whose target was asked how likely it is right."""

    group: Hashable
    """That it stands or falls with."""
    confidence: float
    """0 … 1."""
    right: bool


Answers = Sequence[Stated]


def brier(answers: Answers) -> Estimate:
    """Mean of (stated − right)², right being 1 or 0."""
    return mean([(group, (stated - right) ** 2) for group, stated, right in answers])


def calibration_error(answers: Answers) -> float:
    """Σ_bins n_b/n·|mean stated − share right|. Above 0 by chance alone, the more so the fewer."""
    bins: dict[int, list[float]] = defaultdict(list)
    for _, stated, right in answers:
        bins[min(BINS - 1, int(stated * BINS))].append(stated - right)
    return sum(abs(sum(gaps)) for gaps in bins.values()) / len(answers)


def _rights(answers: Answers) -> list[float]:
    """Whether each is right, the most confident first; equally confident ones count as all of
    them do on average, because nothing orders them."""
    blocks: dict[float, list[bool]] = defaultdict(list)
    for _, stated, right in answers:
        blocks[stated].append(right)
    rights: list[float] = []
    for stated in sorted(blocks, reverse=True):
        rights += [fmean(blocks[stated])] * len(blocks[stated])
    return rights


def risk_area(answers: Answers) -> float:
    """Mean over k = 1 … n of the share wrong among the k most confident answers."""
    wrong, risks = 0.0, list[float]()
    for kept_answers, right in enumerate(_rights(answers), 1):
        wrong += 1 - right
        risks.append(wrong / kept_answers)
    return fmean(risks)


def confident_half(answers: Answers) -> float:
    """Share right among the more confident half."""
    rights = _rights(answers)
    return fmean(rights[: (len(rights) + 1) // 2])


def jackknifed(
    answers: Answers, figure: Callable[[Answers], float] = calibration_error
) -> Estimate:
    """The figure with an interval by leaving out one group after the other: V = (K−1)/K·Σ(θ₋ₖ −
    mean θ₋)², t at K − 1 degrees of freedom, within 0 … 1; None with fewer than two groups or
    where nothing scatters."""
    if not answers:
        return Estimate(None)
    value = figure(answers)
    groups = dict.fromkeys(answer.group for answer in answers)
    count = len(groups)
    variance = 0.0
    if count > 1:
        left_out = [
            figure([answer for answer in answers if answer.group != group]) for group in groups
        ]
        middle = fmean(left_out)
        variance = (count - 1) / count * sum((theta - middle) ** 2 for theta in left_out)
    if variance < 1e-12:
        return Estimate(value, n=len(answers), groups=count)
    half = t_quantile(count - 1) * sqrt(variance)
    return Estimate(value, max(0.0, value - half), min(1.0, value + half), len(answers), count)


def confidence_measures(counted: Counted) -> tuple[Measure, ...]:
    """What stated confidence is worth, over a method's own answers that were asked for it."""

    def stated(rows: Sequence[AnswerRow]) -> list[Stated]:
        return [
            Stated((row.domain, row.group), float(row.tags["confidence"] or 0), row.score == 1)
            for row in counted(rows)
            if row.tags.get("confidence") is not None
        ]

    return (
        Measure(
            "brier",
            "score",
            "lower",
            "Mean squared distance of the stated confidence from right (1) or wrong (0).",
            lambda rows: brier(stated(rows)),
            ("tier",),
        ),
        Measure(
            "calibration_error",
            "share",
            "lower",
            "By how much the stated confidence misses the share that is right, over five bins.",
            lambda rows: jackknifed(stated(rows)),
            ("tier",),
        ),
        Measure(
            "risk_area",
            "score",
            "lower",
            "Mean share wrong when only the most confident answers are kept, over all shares kept.",
            lambda rows: jackknifed(stated(rows), risk_area),
            ("tier",),
        ),
        Measure(
            "confident_half",
            "share",
            "higher",
            "Share right when the more confident half of the answers is kept.",
            lambda rows: jackknifed(stated(rows), confident_half),
            ("tier",),
        ),
    )
