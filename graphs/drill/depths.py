"""How deep planned drills will go, and what they will tell apart: from past drills of the target,
else by default."""

from collections.abc import Sequence
from math import ceil, comb, log, sqrt
from statistics import fmean
from typing import TYPE_CHECKING

from ...state.errors import RunFailed
from ...state.result import DrillResult
from ...state.spec import DrillSpec
from ...state.tiers import tier_of
from ...tools.runs.folders import read_result
from ..run.past import PastRun
from ..run.spread import Spread
from .evd import generator, sd_of_protocol

if TYPE_CHECKING:
    from .power import Separation

HARD, USUAL = 0.15, 0.85
"""Accuracy per depth of a target that knows next to nothing, and of a usual one: where survival
falls below the threshold with these is the shallow end, and the expected depth, of a drill without
past runs. The deep end is the deepest depth allowed."""


def deepest(spec: DrillSpec) -> int:
    """The last depth a drill can reach: its limit, or the last one whose tier has a fact source."""
    sourced = (
        depth
        for depth in range(1, spec.max_depth + 1)
        if not spec.facts.get(tier_of(depth, spec.passes)[0])
    )
    return next(sourced, spec.max_depth + 1) - 1


def depths_of(spec: DrillSpec, past: Sequence[PastRun]) -> Spread:
    """Depths the drill will ask: from past drills of the target, else the range from a target that
    knows next to nothing to the deepest depth allowed."""
    last, drills = deepest(spec), _drills_of(spec, past)
    if drills:
        depths = [drill.depth_reached for drill in drills]
        ends = (min(depths) * 0.75, fmean(depths), ceil(max(depths) * 1.35))
        return Spread(*(min(last, max(1, round(depth))) for depth in ends))
    shallow, usual = (
        int(log(spec.threshold) / log(accuracy)) + 1 for accuracy in (HARD, USUAL)
    )
    return Spread(min(shallow, last), min(usual, last), last)


def separation_of(
    specs: Sequence[DrillSpec], past: Sequence[PastRun]
) -> "tuple[Separation | None, str]":
    """What so many drills can tell apart (None where EVD cannot vary), and where the spread of the
    EVD of one drill comes from: `past runs`, or `assumed`, at the usual accuracy, for one target at
    least. Spreads of several targets and domains are pooled; of several targets each pair is tested at
    .05/pairs."""
    from .power import separation  # heavy: only where runs are planned

    first: dict[tuple[str, str], DrillSpec] = {}
    for spec in specs:
        first.setdefault((spec.target, spec.domain), spec)
    spreads = [_sd_of(spec, past) for spec in first.values()]
    sd = sqrt(fmean(sd**2 for sd, _ in spreads))
    source = "past runs" if all(seen for _, seen in spreads) else "assumed"
    pairs = max(1, comb(len({spec.target for spec in specs}), 2))
    return separation(sd, specs[0].repeats, pairs) if sd > 0 else None, source


def _sd_of(spec: DrillSpec, past: Sequence[PastRun]) -> tuple[float, bool]:
    """Spread of the EVD of one drill, and whether past runs tell it."""
    errors = [drill.evd_se for drill in _drills_of(spec, past) if drill.evd_se]
    if errors:
        return fmean(errors), True
    chances, rng = [USUAL] * deepest(spec), generator(f"{spec.seed}:power")
    return sd_of_protocol(chances, spec.n, spec.threshold, 4000, rng), False


def _drills_of(spec: DrillSpec, past: Sequence[PastRun]) -> list[DrillResult]:
    """Past drills of the same target under the same tiers, those in the same domain when there are
    any."""

    def settings(drill: DrillSpec) -> object:
        return drill.target, drill.evaluator, drill.passes

    alike = [
        run
        for run in past
        if run.spec.method == "drill" and settings(run.spec) == settings(spec)
    ]
    near = [run for run in alike if run.spec.domain == spec.domain] or alike
    results = (_result(run) for run in near)
    return [result for result in results if result is not None]


def _result(run: PastRun) -> DrillResult | None:
    try:
        return read_result(run.folder)
    except RunFailed:  # its journal could be read all the same
        return None
