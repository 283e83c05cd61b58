"""A drill's numbers: survival by depth, the depths, the tiers, and several drills side by side."""

from collections.abc import Sequence

from ....state.records import tier_of
from ....state.result import DepthRow, DrillResult
from ....state.spec import DrillSpec
from ....state.worlds import label_of
from ...page import figures
from ...page.blocks import Chart, Column, Curve, Table
from ...page.palette import model_marks

SURVIVAL = "Survival: share still answered correctly at each depth"
BARS_FROM = 130
"""Width from which the depth table shows bars beside its numbers."""
NAMED = 8
"""Concepts without evidence that are named below the table; all of them stand in the result."""
Drawn = tuple[str, Sequence[DepthRow]]
"""The model, and its depths."""


def curves_of(drawn: Sequence[Drawn], spec: DrillSpec | None, models: Sequence[str] = ()) -> Chart:
    """Survival over depth. `spec` gives the threshold and the passes per tier; without it neither
    is drawn. `models`: all that are shown together, here or in another chart, so that each has one
    colour and sign."""
    named = [(label_of(model), rows) for model, rows in drawn]
    marks = model_marks([*map(label_of, models), *(name for name, _ in named)])
    deepest = max((row.depth for _, rows in drawn for row in rows), default=0)
    curves = [
        Curve(
            name,
            marks[name].colour,
            marks[name].sign,
            [(r.depth, r.survival, *r.survival_ci) for r in rows],
        )
        for name, rows in named
    ]
    return Chart(
        SURVIVAL,
        curves,
        "depth",
        tiers_of(deepest, spec.passes) if spec else {},
        spec.threshold if spec else None,
    )


def tiers_of(deepest: int, passes: int) -> dict[str, tuple[int, int]]:
    """Tier → its first and last depth."""
    found: dict[str, tuple[int, int]] = {}
    for depth in range(1, deepest + 1):
        name = figures.tier_name(tier_of(depth, passes)[0])
        found[name] = (found.get(name, (depth, depth))[0], depth)
    return found


def survival(results: Sequence[DrillResult], models: Sequence[str] = ()) -> Chart:
    """The curves of results of one domain."""
    return curves_of(
        [(result.spec.target, result.depths) for result in results], results[0].spec, models
    )


DEPTH_COLUMNS = (
    Column("d", "d"),
    Column("tier", "tier"),
    Column("asked", "row.asked", "count", since=78),
    Column("scored", "row.scored", "count"),
    Column("✓", "row.correct", "count", "✓ correct"),
    Column("∅", "row.abstained", "count", "∅ abstained"),
    Column(
        "?", "row.unscored", "sum", "? unscored, including probes never asked; not counted as wrong"
    ),
    Column("no ev.", "row.no_evidence", "count", "no ev.: concepts without evidence", since=78),
    Column(
        "A %",
        "row.accuracy",
        "whole",
        "A: accuracy, CI: confidence interval",
        "row.accuracy_ci",
        58,
        style="bold",
    ),
    Column("", "row.accuracy", "bar", interval="row.accuracy_ci", since=BARS_FROM),
    Column("S %", "row.survival", "whole_fine", "S: survival", "row.survival_ci", 58, style="bold"),
    Column(
        "",
        "row.survival",
        "bar",
        figures.BAR_LEGEND,
        "row.survival_ci",
        since=BARS_FROM,
        style="survival",
    ),
    Column(
        "roots",
        "row.effective_roots",
        "tenths",
        "roots: effective number of independent starting topics",
        since=78,
    ),
)
"""S has a decimal because whether it fell below the threshold must be readable."""


def depth_table(rows: Sequence[DepthRow], said: Sequence[str] = ()) -> Table:
    """One line per depth, with what was lost and set aside."""
    short = any("short" in row.flags for row in rows)
    lost: dict[str, int] = {}
    for row in rows:
        for stage, number in row.unscored.items():
            lost[stage] = lost.get(stage, 0) + number
    stages = f"unscored by stage: {figures.stages(lost)}" if any(lost.values()) else ""
    notes = ["* fewer scored probes than planned" if short else "", stages, *_set_aside(rows)]
    made = [
        {
            "d": f"{row.depth}{'*' if row.flags else ''}",
            "tier": f"{figures.tier_name(row.tier)} {row.tier_pass}",
            "row": row,
        }
        for row in rows
    ]
    return Table("By depth", DEPTH_COLUMNS, made, [*filter(None, [figures.joined(notes)]), *said])


def _set_aside(rows: Sequence[DepthRow]) -> list[str]:
    refused, rejected = sum(row.refused for row in rows), sum(row.rejected for row in rows)
    withdrawn = sum(row.withdrawn for row in rows)
    parts = [figures.count(refused, "passage") + " refused"] if refused else []
    parts += [figures.count(rejected, "question") + " rejected"] if rejected else []
    parts += [f"{withdrawn} of these withdrawn after being asked"] if withdrawn else []
    names = list(dict.fromkeys(name for row in rows for name in row.without_evidence))
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return [*parts, *([f"without evidence: {', '.join(names[:NAMED])}{more}"] if names else [])]


TIER_COLUMNS = (
    Column("tier", "tier", "tier"),
    Column("scored", "row.scored", "count"),
    Column("✓", "row.correct", "count"),
    Column("✗", "row.wrong", "count"),
    Column("∅", "row.abstained", "count"),
    Column("accuracy", "row.accuracy", "percent", interval="row.accuracy_ci"),
)
