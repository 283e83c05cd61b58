"""The pictures of drills: survival by depth with its tiers and bands, by model and repeat; accuracy
by tier; EVD by domain and model; and what an EVD cost."""

from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean
from typing import Any

from ....state.result import DrillResult
from ....state.tiers import TIERS
from ....state.worlds import label_of
from ....stats.drill.summary import price_of_answers
from ...page import figures
from ...page.chart.axes import (
    FAINT,
    PAGE,
    TOLD,
    Axis,
    Channels,
    Row,
    Series,
    Spec,
    layer,
    nominal,
    step,
)
from ...page.chart.draw import heading, interval, room_of
from ...page.chart.names import labels, widest, wrap
from ...page.chart.picture import Picture
from ...page.chart.runs import MOST_RUNS, named, notes, of_models
from ...page.palette import SHADES, in_turn
from ...page.remarks import ACROSS_DOMAINS
from ...page.sanitise import one_line
from ..pictures import SHARES, picture, target_of
from .tables import tiers_of

Runs = Mapping[str, DrillResult]
"""Label → the drill it stands for."""
FEW_DOMAINS = 4
"""Up to which each has a panel of full size."""
HEAT = Series(
    in_turn([figures.tier_name(tier) for tier in TIERS], SHADES), across=True, filled=True
)


def pictures(results: Sequence[DrillResult], _: Any = None) -> Iterator[Picture]:
    """Of several domains and models EVD in each; survival over depth, a panel per domain; where a
    tier has a scored probe, accuracy by tier; of several drills EVD by cost. Twelve drills of a
    domain are drawn, first repeats before further ones; EVD in each domain is of all."""
    closed = [result for result in results if result.depths]
    by_domain = {
        domain: [each for each in closed if each.spec.domain == domain]
        for domain in map(_domain, closed)
    }
    drawn = [
        each
        for own in by_domain.values()
        for each in sorted(own, key=lambda run: run.spec.repeat)[:MOST_RUNS]
    ]
    runs = named(drawn, most=len(drawn))
    if not runs:
        return
    every = labels(dict.fromkeys(map(_model, results)), 76)
    models = {label: every[_model(run)] for label, run in runs.items()}
    series = of_models([*dict.fromkeys(models.values())], [*every.values()])
    repeated = len({(run.spec.domain, models[label]) for label, run in runs.items()}) < len(runs)
    said = ["Repeats of a model share its colour and mark."] if repeated else []
    said += [
        f"{label}: {run.status}, after {figures.count(len(run.depths), 'closed depth')}."
        for label, run in runs.items()
        if run.status != "complete"
    ]
    told = [*notes(results, runs, "drills", said), *target_of(series)]
    if len(by_domain) > 1 and len(series.names) > 1:
        yield heat_map(closed, every, notes(closed, {run.run_id: run for run in closed}, "drills"))
    yield _survival(runs, models, series, told)
    if any(run.by_tier for run in runs.values()):
        yield _tiers(runs, models, series, told)
    if len(runs) > 1:
        yield evd_by_cost(runs, models, series, told)


def _domain(run: DrillResult) -> str:
    return run.spec.domain


def _model(run: DrillResult) -> str:
    return one_line(label_of(run.spec.target)) or "(no name)"


def _panels(runs: Runs, width: int) -> dict[str, str]:
    """Domain → the heading of its panel; a single one needs none."""
    domains = dict.fromkeys(run.spec.domain for run in runs.values())
    short = labels(domains, 90)
    return {name: heading(short[name], width) if len(domains) > 1 else "" for name in domains}


def _survival(
    runs: Runs, models: Mapping[str, str], series: Series, told: Sequence[str]
) -> Picture:
    deepest = max(row.depth for run in runs.values() for row in run.depths)
    many = len({run.spec.domain for run in runs.values()}) > FEW_DOMAINS
    width = 220 if many else min(PAGE - 110, max(420, 44 * deepest))
    panels, thresholds = _panels(runs, width), sorted({run.spec.threshold for run in runs.values()})
    passes = {run.spec.passes for run in runs.values()}
    tiers = tiers_of(deepest, passes.pop()) if len(passes) == 1 else {}
    rows: list[Row] = []
    for label, run in runs.items():
        same: Row = {
            "panel": panels[run.spec.domain],
            "series": models[label],
            "line": label,
            "of": label,
        }
        evd = (
            f"EVD {figures.evd(run.evd, censored=run.censored is not None)} "
            f"({figures.span(run.evd_ci)})"
        )
        rows.append(
            same | {"x": 0, "y": 1.0, "low": 1.0, "high": 1.0, "words": f"{evd}, survival by depth"}
        )
        for row in run.depths:
            at = {
                "x": row.depth,
                "y": row.survival,
                "words": f"{row.depth} {figures.percent(row.survival)}",
            }
            rows.append(same | at | interval(row.survival_ci))
    below = " and ".join(f"{value * 100:g}%" for value in thresholds)
    said = [
        *told,
        "Survival: the share of paths that are still answered correctly at each depth. Bands: 95% "
        "intervals. Dashed:"
        f" the threshold at which a drill stops, {below}. Dotted: where the next tier begins.",
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
        over=lambda at: _tier_layers(at, tiers, named=not many),
    )


def _name_ends(tiers: Mapping[str, tuple[int, int]], depths_per_pixel: float) -> Iterator[float]:
    """The depths up to which the names of tiers reach."""
    for name, (first, _) in tiers.items():
        yield first - 0.5 + widest([name]) * depths_per_pixel


def _tier_layers(at: Channels, tiers: Mapping[str, tuple[int, int]], *, named: bool) -> list[Spec]:
    """Where tiers begin, and their names above."""
    starts = [{"x": first - 0.5} for first, _ in list(tiers.values())[1:]]
    rules = layer("rule", {"x": at.x()}, rows=starts, color=FAINT, strokeDash=[1, 4])
    names = [{"x": max(0, first - 0.5), "told": name} for name, (first, _) in tiers.items()]
    above = {"x": at.x(), "y": {"value": 8}, "text": nominal("told")}
    return [
        rules,
        *([layer("text", above, rows=names, fill=FAINT, align="left", dx=4)] if named else []),
    ]


def _tiers(runs: Runs, models: Mapping[str, str], series: Series, told: Sequence[str]) -> Picture:
    names = {
        tier: figures.tier_name(tier)
        for tier in TIERS
        if any(tier in run.by_tier for run in runs.values())
    }
    cells = [(run.spec.domain, models[label]) for label, run in runs.items()]
    slots = models if len(set(cells)) == len(cells) else {label: label for label in runs}
    places = list(dict.fromkeys(slots.values()))
    many = len({domain for domain, _ in cells}) > FEW_DOMAINS
    width = 220 if many else max(360, step(len(places)) * len(names))
    panels = _panels(runs, width)
    heads = {
        tier: f"{name[:5]}." if many and len(name) > 6 else name for tier, name in names.items()
    }
    rows: list[Row] = [
        {
            "panel": panels[run.spec.domain],
            "series": models[label],
            "slot": slots[label],
            "of": label,
            "x": heads[tier],
        }
        | {"y": row.accuracy, **interval(row.accuracy_ci)}
        | {"words": f"{names[tier]} {figures.percent(row.accuracy)} of {row.scored}"}
        | ({"told": figures.percent(row.accuracy)} if len(places) <= TOLD and not many else {})
        for label, run in runs.items()
        for tier, row in run.by_tier.items()
    ]
    what = (
        "Share of the scored answers that are right, over all depths of a tier. Lines: 95% "
        "intervals (Wilson)."
    )
    what += f" Tiers: {', '.join(names.values())}." if many else ""
    axes = Axis(names=[*heads.values()]), SHARES
    size = (
        {"width": width, "height": 140, "columns": 3} if many else {"width": width, "height": 260}
    )
    return picture(
        "drill-tiers", "Accuracy by tier", [*told, what], rows, axes, series, slots=places, **size
    )


def heat_map(
    runs: Sequence[DrillResult], models: Mapping[str, str], told: Sequence[str]
) -> Picture:
    """EVD in each domain by model, coloured by the tier in which it lies; of repeats their mean."""
    found: dict[tuple[str, str], list[DrillResult]] = {}
    for run in runs:
        found.setdefault((run.spec.domain, models[_model(run)]), []).append(run)
    domains = labels(dict.fromkeys(domain for domain, _ in found), 60)
    heads = {
        name: "\n".join(wrap(name, 16, lines=2))
        for name in dict.fromkeys(name for _, name in found)
    }
    rows: list[Row] = []
    for domain, name in domains.items():
        for model, head in heads.items():
            own = found.get((domain, model), [])
            evd = fmean(run.evd for run in own) if own else None
            at_least = any(run.censored for run in own)
            said = figures.evd(evd, censored=at_least)
            row: Row = {
                "panel": "",
                "x": head,
                "y": name,
                "told": said,
                "of": name,
                "words": f"{model} {said}",
            }
            rows.append(
                row | ({"series": _tier_at(evd, own[0].spec.passes)} if evd is not None else {})
            )
    marks = {
        name: HEAT.marks[name]
        for name in HEAT.names
        if any(row.get("series") == name for row in rows)
    }
    axes = (
        Axis(
            names=[*heads.values()],
            top=max(head.count("\n") for head in heads.values()) + 1,
            bare=True,
        ),
        Axis(names=[*domains.values()], room=room_of([*domains.values()]), bare=True),
    )
    what = (
        "Expected Valid Depth. Colour: the tier in which it lies, the darker the deeper. ≥: a "
        "lower limit."
    )
    return picture(
        "drill-domains",
        "EVD by domain and model",
        [*told, what, ACROSS_DOMAINS],
        rows,
        axes,
        Series(marks, across=True, filled=True),
        kind="cell",
        width=max(320, 110 * len(heads)),
        height=26 * len(domains),
    )


def _tier_at(evd: float, passes: int) -> str:
    return figures.tier_name(TIERS[min(int(evd / passes), len(TIERS) - 1)])


def evd_by_cost(
    runs: Runs, models: Mapping[str, str], series: Series, told: Sequence[str]
) -> Picture:
    """EVD of each drill by what 100 answers of the target cost, in USD where that is known and not
    nothing, else in tokens. What questions and verdicts cost is the examiner's, whatever is
    examined."""
    prices = {label: price_of_answers([run]) for label, run in runs.items()}
    paid = all(price.usd_per_100 for price in prices.values())
    cost = {}
    for label, price in prices.items():
        cost[label] = (price.usd_per_100 if paid else price.tokens_per_100 / 1000) or 0.0
    unit = "cost of 100 answers in USD" if paid else "tokens of 100 answers, in thousands"
    why = [] if paid else ["Tokens stand for the cost: nothing was paid, or a price is unknown."]
    rows: list[Row] = [
        {"panel": "", "series": models[label], "of": label, "x": cost[label], "y": run.evd}
        | interval(run.evd_ci)
        | {
            "words": (
                f"EVD {figures.evd(run.evd, censored=bool(run.censored))} at {unit} "
                f"{cost[label]:,.4g}"
            )
        }
        for label, run in runs.items()
    ]
    high = max(run.evd_ci[1] if run.evd_ci else run.evd for run in runs.values())
    said = [*told, f"Each mark is a drill: its EVD with the 95% interval, by {unit}.", *why]
    axes = (
        Axis(unit, low=0, high=1.08 * max(cost.values()) or 1.0, labels=",~f"),
        Axis("EVD", low=0, high=1.05 * high or 1.0, labels=",~f"),
    )
    return picture("drill-cost", "EVD by cost", said, rows, axes, series, width=520, height=260)
