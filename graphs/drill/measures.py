"""What a drill measures, over rows of its answers."""

from collections import defaultdict
from collections.abc import Callable, Hashable, Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from statistics import fmean
from typing import Any

from ...state.result import Interval, cuts_short
from ...state.rows import ANCHOR, AnswerRow, Estimate, Measure, RowVerdict
from ...stats.abstention import abstention_measures, first_bluff
from ...stats.accuracy import Count
from ...stats.confidence import confidence_measures
from ...stats.correction import review_measures, sample_of
from ...stats.estimates import share, values_of
from ...stats.moderated import mean_of_repeats
from .evd import evd_interval
from .rows import observation, target_answers
from .survival import accuracies, stopped_evd, survival, survival_interval
from .survival import evd as survival_sum

BY = ("tier", "depth", "root", "level", "step", "doubtful")


def evd(rows: Sequence[AnswerRow]) -> Estimate:
    """Of one drill with its interval; of several the mean over domains of the mean over each one's
    drills."""
    runs: dict[str, list[AnswerRow]] = defaultdict(list)
    for row in target_answers(rows):
        runs[row.run].append(row)
    drills = [(run[0], _evd_of_one(run)) for run in runs.values()]
    if len(drills) < 2:
        return next((drill for _, drill in drills), Estimate(None))
    domains: dict[str, list[tuple[float, Interval]]] = defaultdict(list)
    for row, drill in drills:
        interval = drill.interval or (0.0, 0.0)
        domains[row.domain].append((drill.value or 0.0, interval))
    most = max(float(row.settings["max_depth"] or 0) for row, _ in drills)
    low, high = mean_of_repeats([*domains.values()], 0.0, most)
    value = fmean(fmean(evd for evd, _ in repeats) for repeats in domains.values())
    scored = sum(drill.n for _, drill in drills)
    cut = any(drill.at_least for _, drill in drills)
    return Estimate(value, low, high, scored, len(drills), cut)


def _evd_of_one(rows: Sequence[AnswerRow]) -> Estimate:
    settings: Mapping[str, Any] = rows[0].settings
    reason = settings["stop_reason"]
    estimate = evd_interval(
        [observation(row) for row in rows],
        settings["n"],
        Fraction(str(settings["threshold"])),
        settings["max_depth"],
        censored=reason != "threshold",
        seed=f"{settings['seed']}:{rows[0].domain}",
    )
    groups = len({row.group for row in rows})
    return Estimate(estimate.evd, *estimate.interval, len(rows), groups, cuts_short(reason))


def _counts(rows: Sequence[AnswerRow]) -> list[Count]:
    """(correct, scored) by depth."""
    depths: dict[Any, list[float]] = defaultdict(list)
    for row in rows:
        depths[row.tags["depth"]].append(row.score or 0.0)
    return [(round(sum(depths[depth])), len(depths[depth])) for depth in sorted(depths)]


def survival_of(rows: Sequence[AnswerRow]) -> dict[int, Estimate]:
    """Survival by depth over the answers of all these drills together."""
    counts = _counts(target_answers(rows))
    return {
        depth: Estimate(float(left), *survival_interval(counts[:depth]), n=counts[depth - 1][1])
        for depth, left in enumerate(survival(counts), 1)
    }


def _of_anchors(rows: Sequence[AnswerRow]) -> list[AnswerRow]:
    return [row for row in rows if row.score is not None and row.condition.startswith(ANCHOR)]


def _evd_without_doubtful(rows: Sequence[AnswerRow]) -> Estimate:
    """The run stopped where it did: its depths stay, with fewer answers each."""
    scored = target_answers(rows)
    if all(row.tags.get("doubtful") is None for row in scored):
        return Estimate(None)  # no question was checked
    counts = _counts([row for row in scored if not row.tags.get("doubtful")])
    if len(counts) < len(_counts(scored)) or not counts:
        return Estimate(None)
    return Estimate(float(survival_sum(counts)), n=sum(n for _, n in counts))


def _evd_of_anchors(rows: Sequence[AnswerRow]) -> Estimate:
    answers = _of_anchors(rows)
    if not answers:
        return Estimate(None)
    threshold = Fraction(str(answers[0].settings["threshold"]))
    return Estimate(float(stopped_evd(accuracies(_counts(answers)), threshold)), n=len(answers))


def _first_bluffing_depth(rows: Sequence[AnswerRow]) -> Estimate:
    answers: dict[Any, list[tuple[Hashable, RowVerdict]]] = defaultdict(list)
    most = 0
    for row in target_answers(rows):
        answers[row.tags["depth"]].append(((row.domain, row.group), row.verdict))
        most = max(most, int(row.settings["max_depth"] or 0))
    return first_bluff(answers, most)


def _corrected(name: str) -> Callable[[Sequence[AnswerRow]], Estimate]:
    def figure(rows: Sequence[AnswerRow]) -> Estimate:
        if not (sample_of(rows) or (rows and rows[0].judge)):
            return Estimate(None)
        from . import corrected  # heavy

        estimate: Estimate = getattr(corrected, name)(rows)
        return estimate

    return figure


def _share_of_checked(
    tag: str, holds: Callable[[Mapping[str, Any]], bool]
) -> Callable[[Sequence[AnswerRow]], Estimate]:
    return lambda rows: share(
        [
            ((row.domain, row.group), float(holds(row.tags)))
            for row in target_answers(rows)
            if row.tags.get(tag) is not None
        ]
    )


def _shared_passages(rows: Sequence[AnswerRow]) -> Estimate:
    """Mean over all pairs of repeats of |A ∩ B|/min(|A|, |B|): a drill that stopped early would
    otherwise hide that all of it lies in a longer one."""
    runs: dict[tuple[str, str], dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for row in target_answers(rows):
        if passage := row.texts.get("passage"):
            runs[row.model, row.domain][row.run].add(passage)
    shares = list[float]()
    for repeats in runs.values():
        pairs = combinations(repeats.values(), 2)
        shares += [len(a & b) / min(len(a), len(b)) for a, b in pairs]
    return Estimate(fmean(shares), n=len(shares)) if shares else Estimate(None)


MEASURES = (
    Measure(
        "evd",
        "depths",
        "higher",
        "How many questions in a row, each deeper than the one before, are answered.",
        evd,
    ),
    Measure(
        "accuracy",
        "share",
        "higher",
        "Share of answers that are right.",
        lambda rows: share(values_of(target_answers(rows))),
        BY,
    ),
    *abstention_measures(target_answers, BY),
    *confidence_measures(target_answers),
    Measure(
        "first_bluffing_depth",
        "depths",
        "higher",
        "The first depth at which more than a fifth of the answers are wrong and not abstained.",
        _first_bluffing_depth,
    ),
    Measure(
        "evd_without_doubtful",
        "depths",
        "higher",
        "EVD without the questions whose passage is outdated or disputed.",
        _evd_without_doubtful,
    ),
    Measure(
        "corrected_evd",
        "depths",
        "higher",
        "EVD corrected for the judge's errors, by what people say of a sample of its verdicts.",
        _corrected("corrected_evd"),
    ),
    Measure(
        "corrected_accuracy",
        "share",
        "higher",
        "Share of answers that are right, corrected in the same way.",
        _corrected("corrected_accuracy"),
        ("tier", "depth"),
    ),
    *review_measures(target_answers, BY),
    Measure(
        "evd_without_faulty",
        "depths",
        "higher",
        "EVD without the share of questions that people find a fault with.",
        _corrected("evd_without_faulty"),
    ),
    Measure(
        "anchors_evd",
        "depths",
        "lower",
        "EVD of the models of known strength on the same questions.",
        _evd_of_anchors,
    ),
    Measure(
        "at_level",
        "share",
        "higher",
        "Share of the questions that are at the level of their tier.",
        _share_of_checked("level", lambda tags: tags["level"] == tags["tier"]),
        ("tier", "depth"),
    ),
    Measure(
        "deeper",
        "share",
        "higher",
        "Share of the follow-up questions that go deeper than the one before.",
        _share_of_checked("step", lambda tags: tags["step"] == "deeper"),
        ("tier", "depth"),
    ),
    Measure(
        "shared_passages",
        "share",
        "lower",
        "Share of passages that two repeats have in common.",
        _shared_passages,
    ),
)
