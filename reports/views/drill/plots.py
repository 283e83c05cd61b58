"""The pictures of drills: survival by depth with its tiers and bands, by model and repeat; and accuracy by tier."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ....state.result import DrillResult
from ....state.tiers import TIERS
from ....state.worlds import label_of
from ...page import figures
from ...page.chart.axes import FAINT, PAGE, TOLD, Axis, Channels, Row, Series, data, step, text
from ...page.chart.draw import heading, interval
from ...page.chart.names import labels, widest
from ...page.chart.picture import Picture
from ...page.chart.runs import named, notes, of_models
from ...page.sanitise import one_line
from ..pictures import SHARES, picture, target_of
from .tables import tiers_of

Runs = Mapping[str, DrillResult]
"""Label → the drill it stands for."""


def pictures(results: Sequence[DrillResult], _: Any = None) -> Iterator[Picture]:
    """Survival over depth, a panel per domain; and where a tier has a scored probe, accuracy by tier. The first twelve
    drills are drawn."""
    runs = named([result for result in results if result.depths])
    if not runs:
        return
    every = labels(dict.fromkeys(map(_model, results)), 76)
    models = {label: every[_model(run)] for label, run in runs.items()}
    series = of_models([*dict.fromkeys(models.values())], [*every.values()])
    repeated = any(result.spec.repeats > 1 for result in results)
    said = ["Repeats of a model share its colour and mark."] if repeated else []
    said += [
        f"{label}: {run.status}, after {figures.count(len(run.depths), 'closed depth')}."
        for label, run in runs.items()
        if run.status != "complete"
    ]
    told = [*notes(results, runs, "drills", said), *target_of(series)]
    yield _survival(runs, models, series, told)
    if any(run.by_tier for run in runs.values()):
        yield _tiers(runs, models, series, told)


def _model(run: DrillResult) -> str:
    return one_line(label_of(run.spec.target)) or "(no name)"


def _panels(runs: Runs, width: int) -> dict[str, str]:
    """Domain → the heading of its panel; a single one needs none."""
    domains = dict.fromkeys(run.spec.domain for run in runs.values())
    short = labels(domains, 90)
    return {name: heading(short[name], width) if len(domains) > 1 else "" for name in domains}


def _survival(runs: Runs, models: Mapping[str, str], series: Series, told: Sequence[str]) -> Picture:
    deepest = max(row.depth for run in runs.values() for row in run.depths)
    width = min(PAGE - 110, max(420, 44 * deepest))
    panels, thresholds = _panels(runs, width), sorted({run.spec.threshold for run in runs.values()})
    passes = {run.spec.passes for run in runs.values()}
    tiers = tiers_of(deepest, passes.pop()) if len(passes) == 1 else {}
    rows: list[Row] = []
    for label, run in runs.items():
        same: Row = {"panel": panels[run.spec.domain], "series": models[label], "line": label, "of": label}
        evd = f"EVD {figures.evd(run.evd, censored=run.censored is not None)} ({figures.span(run.evd_ci)})"
        rows.append(same | {"x": 0, "y": 1.0, "low": 1.0, "high": 1.0, "words": f"{evd}, survival by depth"})
        for row in run.depths:
            at = {"x": row.depth, "y": row.survival, "words": f"{row.depth} {figures.percent(row.survival)}"}
            rows.append(same | at | interval(row.survival_ci))
    below = " and ".join(f"{value * 100:g}%" for value in thresholds)
    said = [
        *told,
        "Survival: the share of paths that are still answered correctly at each depth. Bands: 95% intervals. Dashed:"
        f" the threshold at which a drill stops, {below}. Dotted: where the next tier begins.",
        *([f"Domain: {next(iter(panels))}."] if len(panels) == 1 else []),
    ]
    high = max([deepest + 0.3, *(first - 0.5 + widest([name]) * deepest / width for name, (first, _) in tiers.items())])
    x = Axis("depth", low=-0.15, high=high, values=range(deepest + 1), labels=".0f")
    return picture(
        "drill-survival",
        "Survival by depth",
        said,
        rows,
        (x, Axis("survival", high=SHARES.high, values=SHARES.values)),
        series,
        width=width,
        height=290,
        kind="line",
        lines=thresholds,
        over=lambda at: _tier_layers(at, tiers),
    )


def _tier_layers(at: Channels, tiers: Mapping[str, tuple[int, int]]) -> list[Any]:
    """Where tiers begin, and their names above."""
    import altair as alt

    ends = data([{"x": first - 0.5} for first, _ in list(tiers.values())[1:]])
    names = [{"x": max(0, first - 0.5), "told": name} for name, (first, _) in tiers.items()]
    return [
        ends.mark_rule(color=FAINT, strokeDash=[1, 4]).encode(x=at.x()),
        data(names).mark_text(fill=FAINT, align="left", dx=4).encode(x=at.x(), y=alt.value(8), text=text("told")),
    ]


def _tiers(runs: Runs, models: Mapping[str, str], series: Series, told: Sequence[str]) -> Picture:
    names = {tier: figures.tier_name(tier) for tier in TIERS if any(tier in run.by_tier for run in runs.values())}
    width = max(360, step(len(runs)) * len(names))
    panels = _panels(runs, width)
    rows: list[Row] = [
        {"panel": panels[run.spec.domain], "series": models[label], "slot": label, "of": label, "x": names[tier]}
        | {"y": row.accuracy, **interval(row.accuracy_ci)}
        | {"words": f"{names[tier]} {figures.percent(row.accuracy)} of {row.scored}"}
        | ({"told": figures.percent(row.accuracy)} if len(runs) <= TOLD else {})
        for label, run in runs.items()
        for tier, row in run.by_tier.items()
    ]
    what = "Share of the scored answers that are right, over all depths of a tier. Lines: 95% intervals (Wilson)."
    axes, size = (Axis(names=[*names.values()]), SHARES), {"width": width, "height": 260}
    return picture("drill-tiers", "Accuracy by tier", [*told, what], rows, axes, series, slots=[*runs], **size)
