"""What a replay measures, over rows of its answers."""

from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from math import sqrt
from statistics import fmean

from ...state.rows import AnswerRow, Estimate, Measure, Tag
from ...stats.abstention import abstention_measures
from ...stats.confidence import confidence_measures
from ...stats.correction import share_measures
from ...stats.estimates import share, values_of
from ...stats.moderated import Mean, mean_of
from ...stats.paired import Pair, paired_row
from .rows import DRILLED

BY = ("source_run", "depth", "tier", "root")


def own_answers(rows: Sequence[AnswerRow]) -> list[AnswerRow]:
    """The scored answers of the model that was asked."""
    return [row for row in rows if row.score is not None and row.condition != DRILLED]


def _difference(rows: Sequence[AnswerRow]) -> Estimate:
    answers: dict[Hashable, list[AnswerRow]] = defaultdict(list)
    for row in sorted(rows, key=lambda row: row.condition != DRILLED):
        if row.score is not None:
            answers[row.run, row.item].append(row)
    both = [both_rows for both_rows in answers.values() if len(both_rows) == 2]
    if not both:
        return Estimate(None)
    result = paired_row([Pair(new.group, old.score == 1, new.score == 1) for old, new in both])
    low, high = result.difference_ci or (None, None)
    return Estimate(result.difference, low, high, result.n, len({new.group for _, new in both}))


def home_advantage(rows: Sequence[AnswerRow]) -> Estimate:
    """Mean over the drills of the own share right less the mean of the others', over the questions
    on which all have a verdict; with an interval by t on the sums over roots."""
    drills: dict[Tag, dict[tuple[str, str], dict[str, float]]] = defaultdict(
        lambda: defaultdict(dict)
    )
    for row in rows:
        if row.score is not None:
            model = DRILLED if row.condition == DRILLED else row.model
            answers = drills[row.tag("source_run")][row.item, row.group]
            answers.setdefault(model, row.score)
    gains = [values for values in map(_gains, drills.values()) if values]
    if not gains:
        return Estimate(None)
    value = fmean(fmean(gain for _, gain in values) for values in gains)
    low, high = None, None
    means = [mean for mean in map(_by_root, gains) if mean is not None]
    if len(means) == len(gains):
        low, high = mean_of(means).interval()
        low, high = max(-1.0, low), min(1.0, high)
    roots = sum(len({root for root, _ in values}) for values in gains)
    return Estimate(value, low, high, sum(map(len, gains)), roots)


def _gains(answers: Mapping[tuple[str, str], Mapping[str, float]]) -> list[tuple[str, float]]:
    """(root, own minus the mean of the others) of each question with everybody's verdict."""
    models = {model for scores in answers.values() for model in scores} - {DRILLED}
    return [
        (root, scores[DRILLED] - fmean(scores[model] for model in models))
        for (_, root), scores in answers.items()
        if models and {DRILLED, *models} <= scores.keys()
    ]


def _by_root(values: Sequence[tuple[str, float]]) -> Mean | None:
    """Of (root, value), V = K/(K−1)·Σ_roots[Σ(x − m)]²/n² at K − 1 degrees of freedom; None where
    there is no scatter to see."""
    mean, sums = fmean(value for _, value in values), defaultdict[str, float](float)
    for root, value in values:
        sums[root] += value - mean
    roots, squares = len(sums), sum(total**2 for total in sums.values())
    if roots < 2 or squares < 1e-12:
        return None
    return Mean(mean, sqrt(roots / (roots - 1) * squares) / len(values), roots - 1)


MEASURES = (
    Measure(
        "accuracy",
        "share",
        "higher",
        "Share of the drill's questions that are answered rightly.",
        lambda rows: share(values_of(own_answers(rows))),
        BY,
    ),
    Measure(
        "difference",
        "share",
        "higher",
        "By how much that exceeds the share of the model that was drilled.",
        _difference,
        BY,
    ),
    Measure(
        "home_advantage",
        "share",
        "lower",
        "By how much the drilled model exceeds the mean of the others on its own questions.",
        home_advantage,
        ("source_run",),
    ),
    *abstention_measures(own_answers, BY),
    *confidence_measures(own_answers),
    *share_measures(own_answers, BY),
)
