"""The picture of drills: survival by depth with its tiers and bands, by model."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from ....graphs.answers import rows_of
from ....graphs.drill.measures import survival_of
from ....state.records import NOMINAL, Tier, tier_name, tier_of
from ....state.result import DrillResult
from ....state.rows import Estimate
from ...page import figures
from ...page.chart.axes import FAINT, PAGE, Axis, Channels, Series, Spec, layer, nominal
from ...page.chart.draw import heading
from ...page.chart.names import labels, widest
from ...page.chart.picture import Picture
from ...page.chart.runs import MOST_RUNS, notes
from ...page.palette import in_turn, model_marks
from ..by_tag import Places, curve, sides_of
from ..pictures import SHARES
from .tables import anchors_of

FEW_DOMAINS = 4
"""Up to which each has a panel of full size."""
START = {0: Estimate(1.0, 1.0, 1.0)}
SAID = (
    "Survival: the share of paths that are still answered correctly at each depth. Bands: 95% "
    "intervals. Dashed: the threshold at which a drill stops. Dotted: where the next tier begins."
)


def pictures(results: Sequence[DrillResult], _: Any = None) -> Iterator[Picture]:
    """Survival over depth, a panel per domain; of each domain the first twelve models."""
    closed = [result for result in results if result.depths]
    if not closed:
        return
    by_domain = {
        domain: _lines([drill for drill in closed if drill.spec.domain == domain])
        for domain in dict.fromkeys(drill.spec.domain for drill in closed)
    }
    deepest, many = max(drill.depth_reached for drill in closed), len(by_domain) > FEW_DOMAINS
    width = 220 if many else min(PAGE - 110, max(420, 44 * deepest))
    short = labels(by_domain, 90)
    panels = {
        heading(short[domain], width) if len(by_domain) > 1 else "": lines
        for domain, lines in by_domain.items()
    }
    passes = {drill.spec.passes for drill in closed}
    in_name_only = {tier for drill in closed for tier in drill.nominal}
    tiers = _tiers(deepest, passes.pop(), in_name_only) if len(passes) == 1 else {}
    cut = [
        f"{drill.spec.target} in {drill.spec.domain}: {drill.status}, after "
        f"{figures.count(len(drill.depths), 'closed depth')}."
        for drill in closed
        if drill.status != "complete"
    ]
    high = max([deepest + 0.3, *(() if many else _name_ends(tiers, deepest / width))])
    ticks = range(0, deepest + 1, 3 if many else 1)
    drawn = curve(
        "drill-survival",
        "Survival by depth",
        panels,
        Axis("depth", low=-0.15, high=high, values=ticks, labels=".0f"),
        series=_series(results, by_domain.values()),
        said=[*notes(closed, {drill.run_id: drill for drill in closed}, "drills", cut), SAID]
        + ([f"{NOMINAL}."] if in_name_only else []),
        upwards=Axis("survival", high=SHARES.high, values=SHARES.values),
        width=width,
        height=140 if many else 290,
        columns=3 if many else 1,
        lines=sorted({drill.spec.threshold for drill in closed}),
        over=lambda at: _tier_layers(at, tiers, named=not many),
    )
    if drawn is not None:
        yield drawn


def _series(results: Sequence[DrillResult], domains: Collection[Mapping[str, Places]]) -> Series:
    """Models with the marks that they have among all results, and the anchors."""
    known = dict.fromkeys(label for lines in domains for label in lines)
    names = labels(known, 76)
    marks = model_marks(sides_of(results, lambda _: ()))
    others = [name for label, name in names.items() if label not in marks]
    models = {name: marks[label] for label, name in names.items() if label in marks}
    return Series(models | in_turn(others))


def _lines(drills: Sequence[DrillResult]) -> dict[str, Places]:
    """Label → survival by depth, of models and of the anchors on their questions."""
    lines: dict[str, Places] = {}
    for label, rows in [*sides_of(drills, rows_of).items()][:MOST_RUNS]:
        lines[label] = START | survival_of(rows)
        if anchors := survival_of(rows, anchors=True):
            lines[f"{anchors_of(rows)}, as {label}"] = START | anchors
    return lines


def _tiers(deepest: int, passes: int, named: Collection[Tier]) -> dict[str, tuple[int, int]]:
    """Tier → its first and last depth."""
    found: dict[str, tuple[int, int]] = {}
    for depth in range(1, deepest + 1):
        tier = tier_of(depth, passes)[0]
        name = tier_name(tier, nominal=tier in named).replace(" (", "\n(")
        found[name] = (found.get(name, (depth, depth))[0], depth)
    return found


def _name_ends(tiers: Mapping[str, tuple[int, int]], depths_per_pixel: float) -> Iterator[float]:
    """The depths up to which the names of tiers reach."""
    for name, (first, _) in tiers.items():
        yield first - 0.5 + widest(name.split("\n")) * depths_per_pixel


def _tier_layers(at: Channels, tiers: Mapping[str, tuple[int, int]], *, named: bool) -> list[Spec]:
    """Where tiers begin, and their names above."""
    starts = [{"x": first - 0.5} for first, _ in list(tiers.values())[1:]]
    rules = layer(
        "rule",
        {"x": at.x()},
        rows=starts,
        color=FAINT,
        strokeDash=[1, 4],
    )
    if not named:
        return [rules]
    names = [{"x": max(0, first - 0.5), "told": name} for name, (first, _) in tiers.items()]
    above = {
        "x": at.x(),
        "y": {"value": 8},
        "text": nominal("told"),
    }
    text = layer(
        "text",
        above,
        rows=names,
        fill=FAINT,
        align="left",
        dx=4,
        lineBreak="\n",
    )
    return [rules, text]
