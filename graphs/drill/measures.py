"""What a drill measures, over rows of its answers."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from fractions import Fraction
from statistics import fmean
from typing import Any

from ...state.result import cuts_short
from ...state.rows import AnswerRow, Estimate, Measure
from ...stats.drill.repeats import mean_interval
from ...stats.drill.survival import evd_interval
from ...stats.drill.tree import Observation
from ...stats.estimates import share, values_of
from .rows import ANCHOR

BY = ("tier", "depth", "root", "level", "step", "doubtful")


def own(rows: Sequence[AnswerRow]) -> list[AnswerRow]:
    """The target's scored answers, without those of anchors."""
    return [row for row in rows if row.score is not None and not row.condition.startswith(ANCHOR)]


def evd(rows: Sequence[AnswerRow]) -> Estimate:
    """Of one drill with its interval, of several their mean."""
    runs: dict[str, list[AnswerRow]] = defaultdict(list)
    for row in own(rows):
        runs[row.run].append(row)
    drills = [_evd_of_one(run) for run in runs.values()]
    if len(drills) < 2:
        return next((drill for drill, _ in drills), Estimate(None))
    most = max(run[0].settings["max_depth"] for run in runs.values())  # type: ignore[type-var]
    values = [drill.value or 0.0 for drill, _ in drills]
    spread = fmean(error**2 for _, error in drills) ** 0.5
    low, high = mean_interval(values, float(most or 0), spread) or (None, None)
    scored, cut = sum(drill.n for drill, _ in drills), any(drill.at_least for drill, _ in drills)
    return Estimate(fmean(values), low, high, scored, len(drills), cut)


def _evd_of_one(rows: Sequence[AnswerRow]) -> tuple[Estimate, float]:
    """With its standard error."""
    settings: Mapping[str, Any] = rows[0].settings
    reason = settings["stop_reason"]
    found = evd_interval(
        [_observation(row, row.tags) for row in rows],
        settings["n"],
        Fraction(str(settings["threshold"])),
        settings["max_depth"],
        censored=reason != "threshold",
        seed=f"{settings['seed']}:{rows[0].domain}",
    )
    low, high = found.interval
    groups = len({row.group for row in rows})
    drill = Estimate(found.evd, low, high, len(rows), groups, at_least=cuts_short(reason))
    return drill, found.se or (high - low) / 4


def _observation(row: AnswerRow, tags: Mapping[str, Any]) -> Observation:
    return Observation(row.item, tags["depth"], row.group, tags["parent"], row.score == 1)


def hallucination_rate(rows: Sequence[AnswerRow]) -> Estimate:
    missed = [row for row in own(rows) if row.verdict != "right"]
    return share([((row.domain, row.group), float(row.verdict == "wrong")) for row in missed])


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
        lambda rows: share(values_of(own(rows))),
        BY,
    ),
    Measure(
        "hallucination_rate",
        "share",
        "lower",
        "Of what it does not know: the share that is answered wrongly, and not abstained from.",
        hallucination_rate,
        BY,
    ),
)
