"""How far a judge errs, by what people say of a sample of its verdicts, and what a share comes to
without that error (METHODS: Numbers for the drill, imperfect judge).

An answer that was drawn with probability p stands for 1/p answers. Those that stand beside the
sample (probability 0), and those of which people cannot say whether they are right, take no part.
"""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from math import sqrt
from statistics import fmean
from typing import TYPE_CHECKING, NamedTuple

from ..state.review import JudgeError, JudgeErrors, Rate
from ..state.rows import AnswerRow, Estimate, Measure
from .abstention import Counted
from .accuracy import wilson
from .moderated import ALPHA
from .ranking import holm
from .review import DIFFER

if TYPE_CHECKING:  # heavy: only where something is drawn
    import numpy as np
    from numpy.typing import NDArray

LEAST_LABELS = 50
"""Labels below which nothing is corrected."""
LEAST_OF_KIND = 10
"""Right answers, and answers that are not right, among them at least."""
ENOUGH_OF_KIND = 60
"""The same from which a group of tiers has an error of its own; below it is pooled with the
others."""
LEAST_INFORMED = 0.2
"""Sensitivity + specificity − 1 below which nothing is corrected: the judge nearly guesses."""
LOWER, UPPER = "common and textbook", "professional and deeper"
PERMUTATIONS = 2_000
JUDGED = ("right", "wrong", "abstained")
"""What people say of answers that take part."""


class Mark(NamedTuple):
    """An answer that people have judged."""

    model: str
    group: str
    """Of tiers; empty where there are none."""
    right: bool
    """According to people."""
    judged: bool
    """Whether the judge calls it right."""
    weight: float

    @property
    def agrees(self) -> bool:
        return self.right == self.judged


def tier_group(tier: object) -> str:
    """The group of tiers that may have an error of its own."""
    if tier is None:
        return ""
    return LOWER if tier in ("common", "textbook") else UPPER


def sample_of(rows: Iterable[AnswerRow]) -> list[AnswerRow]:
    """The scored answers of the sample that people have seen."""
    return [row for row in rows if row.score is not None and row.tags.get("review_probability")]


def weight_of(row: AnswerRow) -> float:
    return 1 / float(row.tags["review_probability"] or 1)


def marks_of(rows: Iterable[AnswerRow]) -> list[Mark]:
    """What people and the judge say of the answers of the sample."""
    marks = []
    for row in sample_of(rows):
        human = row.tags["human"]
        if human in JUDGED:
            group = tier_group(row.tags.get("tier"))
            is_right, judged = human == "right", row.verdict == "right"
            marks.append(Mark(row.model, group, is_right, judged, weight_of(row)))
    return marks


def rate(
    hits: Sequence[float], misses: Sequence[float], half_hit: float, half_miss: float
) -> Rate:
    """A share from the weights of what counts as a hit and of what does not.

    Its variance is that of a ratio of weighted sums, with half an observation more of either kind
    (of these weights), so that none is ever sure; Beta has this variance. With equal weights it is
    Jeffreys' Beta(hits + ½, misses + ½)."""
    answers, total = (
        sum(hits) + sum(misses),
        sum(hits) + sum(misses) + (half_hit + half_miss) / 2,
    )
    share = (sum(hits) + half_hit / 2) / total
    hit_squares = sum(weight**2 for weight in hits) + half_hit**2 / 2
    miss_squares = sum(weight**2 for weight in misses) + half_miss**2 / 2
    variance = ((1 - share) ** 2 * hit_squares + share**2 * miss_squares) / total**2
    size = share * (1 - share) / variance
    return Rate(
        value=sum(hits) / answers if answers else share,
        hits=share * size,
        misses=(1 - share) * size,
        labels=len(hits) + len(misses),
        answers=answers,
    )


def _error(marks: Sequence[Mark]) -> JudgeError:
    weights: dict[tuple[bool, bool], list[float]] = defaultdict(list)
    for mark in marks:
        weights[mark.right, mark.judged].append(mark.weight)
    # a verdict that is missing among the labels weighs as that verdict's labels do
    accepted = _mean(weights[True, True] + weights[False, True])
    rejected = _mean(weights[True, False] + weights[False, False])
    return JudgeError(
        rate(weights[True, True], weights[True, False], accepted, rejected),
        rate(weights[False, False], weights[False, True], rejected, accepted),
    )


def _mean(weights: Sequence[float]) -> float:
    return fmean(weights) if weights else 1.0


def judge_error(rows: Sequence[AnswerRow]) -> JudgeError:
    """What the labels of these rows say, over all tiers."""
    return _error(marks_of(rows))


def errors_of(rows: Sequence[AnswerRow]) -> JudgeErrors:
    """The judge's error, by group of tiers where each has labels enough."""
    if rows and rows[0].judge is not None:
        return rows[0].judge
    return _errors(marks_of(rows))


def _errors(marks: Sequence[Mark]) -> dict[str, JudgeError]:
    by_group: dict[str, list[Mark]] = defaultdict(list)
    for mark in marks:
        by_group[mark.group].append(mark)
    errors = {"": _error(marks)}
    of_groups = {group: _error(part) for group, part in by_group.items() if group}
    if all(min(error.labels) >= ENOUGH_OF_KIND for error in of_groups.values()):
        errors |= of_groups
    return errors


def with_labels(errors: JudgeErrors, times: float) -> JudgeErrors:
    """The same errors, with so many times the labels, as far as there are answers."""

    def surer(share: Rate) -> Rate:
        more = min(times, max(1.0, share.answers / (share.hits + share.misses)))
        return replace(share, hits=share.hits * more, misses=share.misses * more)

    return {
        group: JudgeError(surer(error.sensitivity), surer(error.specificity))
        for group, error in errors.items()
    }


def refusal(errors: JudgeErrors) -> str:
    """Why nothing can be corrected by these errors; empty where it can."""
    labels = errors[""].labels
    if sum(labels) < LEAST_LABELS or min(labels) < LEAST_OF_KIND:
        return (
            f"{sum(labels)} labels, of which {min(labels)} are of the rarer kind, are too few: "
            f"{LEAST_LABELS} are needed, with {LEAST_OF_KIND} right answers and {LEAST_OF_KIND} that "
            "are not"
        )
    least = min(error.informed for error in errors.values())
    if least < LEAST_INFORMED:
        return f"the judge agrees with people hardly more than by chance (se + sp − 1 is {least:.2f})"
    return ""


def estimate_of(share: Rate) -> Estimate:
    """The share with its interval; nothing without labels."""
    from scipy.special import betaincinv

    if not share.labels:
        return Estimate(None)
    low, high = (float(betaincinv(share.hits, share.misses, p)) for p in (0.025, 0.975))
    return Estimate(share.value, min(low, share.value), max(high, share.value), share.labels)


def faulty(rows: Iterable[AnswerRow]) -> tuple[Rate, Rate]:
    """The share of questions that people find a fault with, and the share of the answers to these
    that the judge calls right."""
    sound, right, wrong = list[float](), list[float](), list[float]()
    for row in sample_of(rows):
        soundness = row.tags["question_sound"]
        if soundness == "sound":
            sound.append(weight_of(row))
        elif soundness not in (None, DIFFER):
            (right if row.verdict == "right" else wrong).append(weight_of(row))
    half = _mean([*sound, *right, *wrong])
    return rate([*right, *wrong], sound, half, half), rate(right, wrong, half, half)


# several models


class SharedErrors(NamedTuple):
    """What the labels of several models say of their judge."""

    by_model: Mapping[str, JudgeErrors]
    unequal: Sequence[str]
    """`sensitivity`, `specificity`: where it is another one for one model than for another."""
    p: Mapping[str, float]
    """Of the two tests, adjusted by Holm."""


def shared_errors(sides: Mapping[str, Sequence[AnswerRow]]) -> SharedErrors:
    """What each model's own labels say, where they are enough. Else the labels of all models
    together, but for what the judge does to one model other than to another."""
    marks = {label: marks_of(rows) for label, rows in sides.items()}
    everything = [mark for part in marks.values() for mark in part]
    tests = {}
    for kind, is_right in (("sensitivity", True), ("specificity", False)):
        p = equality([[m for m in part if m.right is is_right] for part in marks.values()])
        if p is not None:
            tests[kind] = p
    adjusted = dict(zip(tests, holm([*tests.values()]), strict=True))
    unequal = [kind for kind, p in adjusted.items() if p < ALPHA]
    shared = _errors(everything)
    by_model: dict[str, JudgeErrors] = {}
    for label, part in marks.items():
        by_model[label] = _errors(part)
        if refusal(by_model[label]):
            rates = {kind: getattr(_error(part), kind) for kind in unequal}
            by_model[label] = {
                group: replace(error, **rates) for group, error in shared.items()
            }
    return SharedErrors(by_model, unequal, adjusted)


def with_shared_errors(
    sides: Mapping[str, Sequence[AnswerRow]],
) -> Mapping[str, Sequence[AnswerRow]]:
    """The rows of each model, with what the labels of all of them say of the judge."""
    if not any(sample_of(rows) for rows in sides.values()):
        return sides
    errors = shared_errors(sides).by_model
    return {
        label: [replace(row, judge=errors[label]) for row in rows]
        for label, rows in sides.items()
    }


def equality(models: Sequence[Sequence[Mark]]) -> float | None:
    """p of the judge agreeing with people equally often for all models, over answers of one kind:
    Σ (rate − mean)²/variance among permutations of the answers over the models. None with fewer
    than two models that have labels enough."""
    import numpy as np

    parts = [[*part] for part in models if len(part) >= LEAST_OF_KIND]
    if len(parts) < 2:
        return None
    marks = [mark for part in parts for mark in part]
    hits, weights = (
        np.array([getattr(m, name) for m in marks], float) for name in ("agrees", "weight")
    )
    rng = np.random.default_rng(len(marks))
    order = rng.permuted(np.tile(np.arange(len(marks)), (PERMUTATIONS, 1)), axis=1)
    order[0] = np.arange(len(marks))
    half, start, columns = weights.mean(), 0, []
    for part in parts:
        places = order[:, start : start + len(part)]
        columns.append(_rate_and_variance(hits[places], weights[places], half))
        start += len(part)
    shares, variances = (np.stack(column) for column in zip(*columns, strict=True))
    mean = (shares / variances).sum(axis=0) / (1 / variances).sum(axis=0)
    spread = ((shares - mean) ** 2 / variances).sum(axis=0)
    return float((spread >= spread[0] * (1 - 1e-9)).mean())


def _rate_and_variance(
    hits: "NDArray[np.float64]", weights: "NDArray[np.float64]", half: float
) -> "tuple[NDArray[np.float64], NDArray[np.float64]]":
    """As `rate` has them, of each row."""
    sums = [(weights * kind).sum(axis=1) + half / 2 for kind in (hits, 1 - hits)]
    squares = [(weights**2 * kind).sum(axis=1) + half**2 / 2 for kind in (hits, 1 - hits)]
    share = sums[0] / (sums[0] + sums[1])
    variance = (1 - share) ** 2 * squares[0] + share**2 * squares[1]
    return share, variance / (sums[0] + sums[1]) ** 2


# shares of answers that do not lead to each other


class Labelled(NamedTuple):
    """An answer of the sample."""

    cluster: Hashable
    truth: float
    judged: float
    weight: float = 1.0


def ppi_mean(
    labelled: Sequence[Labelled],
    judged: Sequence[tuple[Hashable, float]],
    *,
    apart: bool = True,
) -> tuple[float, float]:
    """(value, standard error) of the mean truth by PPI++ (Angelopoulos, Bates and Zrnic 2023): λ
    times the mean verdict over `judged`, and over the labelled the mean of truth − λ·verdict, with
    the λ of least variance.

    `judged`: (cluster, verdict) of the answers without a label or, not `apart`, of all. What one
    cluster brings to both means is added before it is squared. Raises ValueError with fewer than two
    of either."""
    from numpy import cov, var

    if min(len(labelled), len(judged)) < 2:
        raise ValueError("two labelled answers and two verdicts are needed at least")
    verdicts = [verdict for _, verdict in judged]
    of_labelled = [answer.judged for answer in labelled]
    weights = [answer.weight for answer in labelled]
    spread = float(var([*verdicts, *of_labelled] if apart else verdicts, ddof=1))
    more = len(labelled) / len(judged) if apart else 0.0
    slope = 0.0
    if spread:
        truths = [answer.truth for answer in labelled]
        together = float(cov(truths, of_labelled, ddof=0, aweights=weights)[0, 1])
        slope = min(1.0, max(0.0, together / (spread * (1 + more))))
    mean_verdict, whole = fmean(verdicts), sum(weights)
    rests = [answer.truth - slope * answer.judged for answer in labelled]
    rest = sum(w * value for w, value in zip(weights, rests, strict=True)) / whole
    parts: dict[Hashable, float] = defaultdict(float)
    scale = _small_sample(answer.cluster for answer in labelled)
    for answer, value in zip(labelled, rests, strict=True):
        parts[answer.cluster] += scale * answer.weight * (value - rest) / whole
    scale = _small_sample(cluster for cluster, _ in judged)
    for cluster, verdict in judged:
        parts[cluster] += scale * slope * (verdict - mean_verdict) / len(judged)
    return slope * mean_verdict + rest, sqrt(sum(part**2 for part in parts.values()))


def _small_sample(clusters: Iterable[Hashable]) -> float:
    number = len({*clusters})
    return sqrt(number / (number - 1)) if number > 1 else 1.0


def corrected_share(rows: Sequence[AnswerRow]) -> Estimate:
    """The share of answers that are right according to people; nothing with too few labels."""
    scored = [row for row in rows if row.score is not None]
    labelled = [
        Labelled(
            (row.domain, row.group),
            float(row.tags["human"] == "right"),
            _judged(row),
            weight_of(row),
        )
        for row in sample_of(scored)
        if row.tags["human"] in JUDGED
    ]
    if len(labelled) < LEAST_LABELS:
        return Estimate(None)
    judged = [((row.domain, row.group), _judged(row)) for row in scored]
    value, error = ppi_mean(labelled, judged, apart=False)
    value = min(1.0, max(0.0, value))
    size = value * (1 - value) / error**2 if error and 0 < value < 1 else float(len(labelled))
    groups = len({cluster for cluster, _ in judged})
    return Estimate(value, *wilson(value * size, size), len(labelled), groups)


def _judged(row: AnswerRow) -> float:
    return float(row.verdict == "right")


# measures of any method


def review_measures(counted: Counted, by: tuple[str, ...]) -> tuple[Measure, ...]:
    """What people say of the judge and of the questions; `by`: what they may be told apart by."""
    return (
        Measure(
            "judge_sensitivity",
            "share",
            "higher",
            "Of answers that people call right, the share that the judge calls right.",
            lambda rows: estimate_of(judge_error(counted(rows)).sensitivity),
            by,
        ),
        Measure(
            "judge_specificity",
            "share",
            "higher",
            "Of answers that people call wrong, the share that the judge calls wrong.",
            lambda rows: estimate_of(judge_error(counted(rows)).specificity),
            by,
        ),
        Measure(
            "faulty_questions",
            "share",
            "lower",
            "Share of the questions that people find a fault with.",
            lambda rows: estimate_of(faulty(counted(rows))[0]),
            by,
        ),
    )


def share_measures(counted: Counted, by: tuple[str, ...]) -> tuple[Measure, ...]:
    """The same of methods whose questions do not lead to each other, with their share right."""
    corrected = Measure(
        "corrected_accuracy",
        "share",
        "higher",
        "Share of answers that are right, corrected for the judge's errors (PPI++).",
        lambda rows: corrected_share(counted(rows)),
        by,
    )
    return (corrected, *review_measures(counted, by))
