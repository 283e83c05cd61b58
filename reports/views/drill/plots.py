"""The pictures of drills: survival by depth with its tiers and bands, by model and repeat; and accuracy by tier."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from ....state.result import DrillResult
from ....state.tiers import TIERS
from ....state.worlds import label_of
from ...page import figures
from ...page.chart.axes import FAINT, PAGE, TOLD, Axis, Channels, Row, Series, data, step, text
from ...page.chart.draw import Drawn, chart, heading, interval
from ...page.chart.names import labels
from ...page.chart.picture import Picture
from ...page.chart.runs import named, notes, of_models
from ...page.sanitise import one_line
from .tables import tiers_of

SURVIVAL, TIERS_PICTURE = "drill-survival", "drill-tiers"
QUARTERS = (0.0, 0.25, 0.5, 0.75, 1.0)
Named = dict[str, DrillResult]


def pictures(results: Sequence[DrillResult], _: Any = None) -> Iterator[Picture]:
    """Survival over depth, a panel per domain; and where a tier has a scored probe, accuracy by tier. The first twelve
    drills are drawn."""
    runs = named([result for result in results if result.depths])
    if not runs:
        return
    every = labels(dict.fromkeys(map(_model, results)), 76)
    models = {label: every[_model(run)] for label, run in runs.items()}
    series = of_models([*dict.fromkeys(models.values())], [*every.values()])
    told = notes(results, runs, "drills", [*_repeated(results), *_unfinished(runs)])
    yield _survival(runs, models, series, told)
    if any(run.by_tier for run in runs.values()):
        yield _tiers(runs, models, series, told)


def _repeated(results: Sequence[DrillResult]) -> list[str]:
    most = max((result.spec.repeats for result in results), default=1)
    return ["Repeats of a model share its colour and mark."] if most > 1 else []


def _unfinished(runs: Named) -> list[str]:
    return [
        f"{label}: {run.status}, after {figures.count(len(run.depths), 'closed depth')}."
        for label, run in runs.items()
        if run.status != "complete"
    ]


def _model(run: DrillResult) -> str:
    return one_line(label_of(run.spec.target)) or "(no name)"


def _panels(runs: Named, width: int) -> dict[str, str]:
    """Domain → the heading of its panel."""
    domains = dict.fromkeys(run.spec.domain for run in runs.values())
    short = labels(domains, 90)
    return {name: heading(short[name], width) if len(domains) > 1 else "" for name in domains}


def _survival(runs: Named, models: Mapping[str, str], series: Series, told: Sequence[str]) -> Picture:
    deepest = max(row.depth for run in runs.values() for row in run.depths)
    width = min(PAGE - 110, max(420, 44 * deepest))
    panels = _panels(runs, width)
    rows: list[Row] = []
    for label, run in runs.items():
        same: Row = {"panel": panels[run.spec.domain], "series": models[label], "line": label}
        rows.append(same | {"x": 0, "y": 1.0, "low": 1.0, "high": 1.0})
        rows += [same | {"x": row.depth, "y": row.survival} | interval(row.survival_ci) for row in run.depths]
    thresholds = sorted({run.spec.threshold for run in runs.values()})
    passes = {run.spec.passes for run in runs.values()}
    x = Axis("depth", low=-0.15, high=deepest + 0.3, values=range(deepest + 1), labels=".0f")
    y = Axis("survival", low=0, high=1.09, values=QUARTERS)
    below = " and ".join(f"{value * 100:g}%" for value in thresholds)
    said = [
        *told,
        *([f"Target: {series.names[0]}."] if len(series.names) == 1 else []),
        "Survival: the share of paths that are still answered correctly at each depth. Bands: 95% intervals. Dashed:"
        f" the threshold at which a drill stops, {below}. Dotted: where the next tier begins.",
        *([f"Domain: {next(iter(panels))}."] if len(panels) == 1 else []),
    ]

    def draw() -> Drawn:
        tiers = tiers_of(deepest, next(iter(passes))) if len(passes) == 1 else {}
        over = partial(_tier_layers, tiers=tiers)
        return chart(rows, x, y, series, kind="line", width=width, height=290, lines=thresholds, over=over)

    return Picture(
        SURVIVAL, "Survival by depth", said, [*map(_in_words, runs, runs.values())], width + 80, draw, series.legend
    )


def _tier_layers(at: Channels, tiers: dict[str, tuple[int, int]]) -> list[Any]:
    """Where tiers begin, and their names above."""
    import altair as alt

    ends = data([{"x": first - 0.5} for first, _ in list(tiers.values())[1:]])
    names = [{"x": (first + last) / 2, "told": name} for name, (first, last) in tiers.items()]
    return [
        ends.mark_rule(color=FAINT, strokeDash=[1, 4]).encode(x=at.x()),
        data(names).mark_text(fill=FAINT).encode(x=at.x(), y=alt.value(8), text=text("told")),
    ]


def _in_words(label: str, run: DrillResult) -> str:
    evd = f"EVD {figures.evd(run.evd, censored=run.censored is not None)} ({figures.span(run.evd_ci)})"
    shares = ", ".join(f"{row.depth} {figures.percent(row.survival)}" for row in run.depths)
    return f"{label} in {run.spec.domain}: {evd}, survival by depth {shares}."


def _tiers(runs: Named, models: Mapping[str, str], series: Series, told: Sequence[str]) -> Picture:
    present = [tier for tier in TIERS if any(tier in run.by_tier for run in runs.values())]
    names = {tier: figures.tier_name(tier) for tier in present}
    width = max(360, step(len(runs)) * len(present))
    panels = _panels(runs, width)
    rows: list[Row] = [
        {"panel": panels[run.spec.domain], "series": models[label], "slot": label, "x": names[tier]}
        | {"y": row.accuracy, **interval(row.accuracy_ci)}
        | ({"told": figures.percent(row.accuracy)} if len(runs) <= TOLD else {})
        for label, run in runs.items()
        for tier, row in run.by_tier.items()
    ]
    said = [
        *told,
        *([f"Target: {series.names[0]}."] if len(series.names) == 1 else []),
        "Share of the scored answers that are right, over all depths of a tier. Lines: 95% intervals (Wilson).",
    ]
    words = [
        f"{label}: "
        + ", ".join(f"{names[t]} {figures.percent(r.accuracy)} of {r.scored}" for t, r in run.by_tier.items())
        + "."
        for label, run in runs.items()
    ]
    return Picture(
        TIERS_PICTURE,
        "Accuracy by tier",
        said,
        words,
        width + 60,
        lambda: chart(
            rows,
            Axis(names=[*names.values()]),
            Axis("accuracy", low=0, high=1.09, values=QUARTERS),
            series,
            width=width,
            height=260,
            slots=[*runs],
        ),
        series.legend,
    )
