"""What is measured of the ruler itself: whether a tier's questions are at its level, whether follow-ups
go deeper, and how hard the questions are to models of known strength. The check says it of each
question, blind to its tier."""

from collections.abc import Container, Mapping, Sequence
from fractions import Fraction
from statistics import fmean
from typing import Any

from ...state.records import Probe, QuestionCheck, Step
from ...state.result import (
    DepthRow,
    Ruler,
    RulerRow,
    RulerShare,
    StopReason,
    TierRulerRow,
)
from ...state.spec import DrillSpec
from ...state.tiers import LEVELS, TIERS, Tier
from ...stats.accuracy import Count, wilson
from ...stats.consistency import mean_interval_clustered
from .summary import counted
from .survival import accuracies, evd, stopped_evd

Checked = tuple[Probe, QuestionCheck]
Mark = tuple[str, int]
"""Of a question: its root, and what is counted of it."""
_HALVINGS = 60


def ruler_of(
    rows: Sequence[DepthRow],
    probes: Sequence[Probe],
    spec: DrillSpec,
    stop_reason: StopReason,
) -> Ruler | None:
    """The ruler over the probes that count; None where none was checked and no anchor was asked."""
    checked, anchors = checked_of(counted(rows, probes)), anchor_counts(rows)
    if not checked and not anchors:
        return None
    measured = float(evd([(row.correct, row.scored) for row in rows]))
    last = spec.max_depth if stop_reason == "threshold" else len(rows)
    threshold = spec.exact_threshold
    by_depth = {
        row.depth: [pair for pair in checked if pair[0].depth == row.depth] for row in rows
    }
    return Ruler(
        by_depth={depth: RulerRow(**_figures(pairs)) for depth, pairs in by_depth.items()},
        by_tier=by_tier(checked, spec.nominal),
        overall=RulerRow(**_figures(checked)),
        evd_without_doubtful=_without_doubtful(rows, by_depth),
        constant_accuracy=constant_accuracy(measured, threshold, last),
        anchors_evd=float(stopped_evd(accuracies(anchors), threshold)) if anchors else None,
    )


def checked_of(probes: Sequence[Probe]) -> list[Checked]:
    """The probes of which the check is known, with what it says."""
    return [(probe, probe.check) for probe in probes if probe.check is not None]


def by_tier(
    checked: Sequence[Checked], nominal: Container[Tier] = ()
) -> dict[Tier, TierRulerRow]:
    """The tiers that were checked. `nominal`: those that their sources do not tell apart."""
    rows: dict[Tier, TierRulerRow] = {}
    for tier in dict.fromkeys(probe.tier for probe, _ in checked):
        figures = _figures([pair for pair in checked if pair[0].tier == tier])
        in_name_only = tier in nominal or figures["at_level"].below_half
        rows[tier] = TierRulerRow(**figures, nominal=in_name_only)
    return rows


def _figures(checked: Sequence[Checked]) -> dict[str, Any]:
    """The fields of a `RulerRow`."""
    levels, distances, steps = list[Mark](), list[Mark](), list[tuple[str, Step]]()
    for probe, check in checked:
        level = LEVELS.index(check.level)
        levels.append((probe.root, level + 1))
        distances.append((probe.root, level - TIERS.index(probe.tier)))
        if check.step is not None:
            steps.append((probe.root, check.step))
    return {
        "checked": len(checked),
        "at_level": _share([(root, distance == 0) for root, distance in distances]),
        "harder": _share([(root, distance > 0) for root, distance in distances]),
        "easier": _share([(root, distance < 0) for root, distance in distances]),
        "mean_level": fmean(level for _, level in levels) if levels else None,
        "mean_level_ci": mean_interval_clustered(levels, 1, len(LEVELS)),
        "deeper": _share([(root, step == "deeper") for root, step in steps]),
        "level": _share([(root, step == "level") for root, step in steps]),
        "doubtful": sum(check.doubtful for _, check in checked),
    }


def _share(marks: Sequence[Mark]) -> RulerShare:
    """Of questions by their roots, those that are marked."""
    count, n = sum(mark for _, mark in marks), len(marks)
    return RulerShare(
        count=count,
        n=n,
        share=count / n if n else None,
        ci=wilson(count, n),
        ci_clustered=mean_interval_clustered(marks),
    )


def _without_doubtful(
    rows: Sequence[DepthRow], checked: Mapping[int, Sequence[Checked]]
) -> float | None:
    """The run stopped where it did: its depths stay, with fewer probes each."""
    counts: list[Count] = []
    for row in rows:
        doubtful = [probe.outcome for probe, check in checked[row.depth] if check.doubtful]
        right = sum(outcome.status == "scored" and outcome.correct for outcome in doubtful)
        counts.append((row.correct - right, row.scored - len(doubtful)))
    return float(evd(counts)) if all(n for _, n in counts) else None


def constant_accuracy(measured: float, threshold: Fraction, last: int) -> float:
    """The accuracy p whose EVD, the same p at every depth, is the one measured: p + p² + … to the
    first power below `threshold`, that included, and no further than depth `last`.

    The sum grows with p, by a jump where one more depth is reached: a value within a jump has the p
    at which it happens.
    """
    low, high = 0.0, 1.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if stopped_evd([Fraction(middle)] * last, threshold) < measured:
            low = middle
        else:
            high = middle
    return high if measured > 0 else 0.0


def anchor_counts(rows: Sequence[DepthRow]) -> list[Count]:
    """(correct, scored) of all anchors together, per depth from 1 on, as long as they were asked."""
    counts: list[Count] = []
    for row in rows:
        scored = sum(n for _, n in row.anchors.values())
        if not scored:
            break
        counts.append((sum(c for c, _ in row.anchors.values()), scored))
    return counts
