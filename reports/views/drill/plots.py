"""The picture of drills: survival by depth with its tiers and bands, by model and repeat."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from ....state.records import NOMINAL, Tier, tier_name, tier_of
from ....state.result import DrillResult
from ....state.worlds import label_of
from ....stats.drill.ruler import anchor_survival
from ...page import figures
from ...page.chart.axes import (
    FAINT,
    PAGE,
    Axis,
    Channels,
    Row,
    Series,
    Spec,
    layer,
    nominal,
)
from ...page.chart.draw import heading
from ...page.chart.names import labels, widest
from ...page.chart.picture import Picture
from ...page.chart.runs import MOST_RUNS, named, notes, of_models
from ...page.sanitise import one_line
from ..pictures import SHARES, picture, target_of
from .tables import anchor_names, points_of, repeats_of

Runs = Mapping[str, Sequence[DrillResult]]
"""Label → the drill that its line stands for, or the repeats."""
FEW_DOMAINS = 4
"""Up to which each has a panel of full size."""


def pictures(results: Sequence[DrillResult], _: Any = None) -> Iterator[Picture]:
    """Survival over depth, a panel per domain. Twelve drills of a domain are drawn, first repeats
    before further ones."""
    closed = [result for result in results if result.depths]
    together = repeats_of(sorted(closed, key=lambda run: run.spec.repeat))
    first = [runs[0] for runs in together]
    by_domain = {
        domain: [each for each in first if each.spec.domain == domain]
        for domain in map(_domain, closed)
    }
    drawn = [each for own in by_domain.values() for each in own[:MOST_RUNS]]
    named_first = named(drawn, most=len(drawn))
    if not named_first:
        return
    of_first = {runs[0].run_id: runs for runs in together}
    lines = {label: of_first[run.run_id] for label, run in named_first.items()}
    every = labels(dict.fromkeys(map(_model, results)), 76)
    models = {label: every[_model(runs[0])] for label, runs in lines.items()}
    series = of_models([*dict.fromkeys(models.values())], [*every.values()])
    repeated = any(len(runs) > 1 for runs in lines.values())
    said = ["Repeats of a model are one line: their answers together."] if repeated else []
    said += [
        f"{label}: {run.status}, after {figures.count(len(run.depths), 'closed depth')}."
        for label, runs in lines.items()
        for run in runs
        if run.status != "complete"
    ]
    told = [*notes(first, lines, "lines", said), *target_of(series)]
    yield _survival(lines, models, series, told)


def _domain(run: DrillResult) -> str:
    return run.spec.domain


def _model(run: DrillResult) -> str:
    return one_line(label_of(run.spec.target)) or "(no name)"


def _panels(runs: Runs, width: int) -> dict[str, str]:
    """Domain → the heading of its panel; a single one needs none."""
    domains = dict.fromkeys(own[0].spec.domain for own in runs.values())
    short = labels(domains, 90)
    return {name: heading(short[name], width) if len(domains) > 1 else "" for name in domains}


def _survival(
    runs: Runs, models: Mapping[str, str], series: Series, told: Sequence[str]
) -> Picture:
    every = [run for own in runs.values() for run in own]
    deepest = max(row.depth for run in every for row in run.depths)
    many = len({run.spec.domain for run in every}) > FEW_DOMAINS
    width = 220 if many else min(PAGE - 110, max(420, 44 * deepest))
    panels, thresholds = _panels(runs, width), sorted({run.spec.threshold for run in every})
    passes = {run.spec.passes for run in every}
    in_name_only = {tier for run in every for tier in run.nominal}
    tiers = _tiers(deepest, passes.pop(), in_name_only) if len(passes) == 1 else {}
    rows: list[Row] = []
    for label, own in runs.items():
        same: Row = {
            "panel": panels[own[0].spec.domain],
            "series": models[label],
            "line": label,
            "of": label,
        }
        rows += [same | row for row in _line_rows(own)]
        if len(own) == 1:
            of = f"{label}, {anchor_names(own[0].depths)}"
            rows += [same | row | {"of": of} for row in _anchor_rows(own[0])]
    below = " and ".join(f"{value * 100:g}%" for value in thresholds)
    said = [
        *told,
        "Survival: the share of paths that are still answered correctly at each depth. Bands: 95% "
        "intervals. Dashed:"
        f" the threshold at which a drill stops, {below}. Dotted: where the next tier begins.",
        *([ANCHORS] if any(anchor_survival(run.depths) for run in every) else []),
        *([f"{NOMINAL}."] if in_name_only else []),
        *([f"Domain: {next(iter(panels))}."] if len(panels) == 1 else []),
    ]
    high = max([deepest + 0.3, *(() if many else _name_ends(tiers, deepest / width))])
    x = Axis(
        "depth", low=-0.15, high=high, values=range(0, deepest + 1, 3 if many else 1), labels=".0f"
    )
    return picture(
        "drill-survival",
        "Survival by depth",
        said,
        rows,
        (x, Axis("survival", high=SHARES.high, values=SHARES.values)),
        series,
        width=width,
        height=140 if many else 290,
        columns=3 if many else 1,
        kind="line",
        lines=thresholds,
        over=lambda at: [*_tier_layers(at, tiers, named=not many), _anchor_layer(at)],
    )


def _line_rows(runs: Sequence[DrillResult]) -> Iterator[Row]:
    """The points of a line, from the start on."""
    evd = " and ".join(
        f"{figures.evd(run.evd, censored=run.censored is not None)} ({figures.span(run.evd_ci)})"
        for run in runs
    )
    words = f"EVD {evd}, survival by depth"
    yield {"x": 0, "y": 1.0, "low": 1.0, "high": 1.0, "words": words}
    for depth, share, low, high in points_of(runs):
        words = f"{depth:g} {figures.percent(share)}"
        yield {"x": depth, "y": share, "words": words, "low": low, "high": high}


def _anchor_rows(run: DrillResult) -> Iterator[Row]:
    for depth, share in enumerate(anchor_survival(run.depths), 1):
        yield {"x": depth, "anchor": share, "words": f"{depth} {figures.percent(share)}"}


ANCHORS = "Thin: the anchors, models of known strength, on the same questions."


def _anchor_layer(at: Channels) -> Spec:
    where = {"x": at.x(), "y": at.y("anchor"), "detail": nominal("line"), "color": at.colour()}
    return layer("line", where, having="anchor", strokeWidth=0.8, strokeDash=[2, 2])


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
    rules = layer("rule", {"x": at.x()}, rows=starts, color=FAINT, strokeDash=[1, 4])
    names = [{"x": max(0, first - 0.5), "told": name} for name, (first, _) in tiers.items()]
    above = {"x": at.x(), "y": {"value": 8}, "text": nominal("told")}
    return [
        rules,
        *(
            [layer("text", above, rows=names, fill=FAINT, align="left", dx=4, lineBreak="\n")]
            if named
            else []
        ),
    ]
