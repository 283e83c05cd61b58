"""A drill's numbers: survival by depth, the depths, the tiers, and several drills side by side."""

from collections.abc import Collection, Mapping, Sequence

from ....graphs.answers import measures_of, rows_of
from ....graphs.drill.measures import survival_of
from ....graphs.drill.rows import ANCHOR
from ....state.records import NOMINAL, tier_name
from ....state.result import DepthRow, DrillResult
from ....state.rows import AnswerRow
from ....state.worlds import label_of
from ....stats.drill.ruler import anchor_counts
from ...page import figures
from ...page.blocks import Chart, Column, Curve, Table
from ...page.palette import model_marks
from ..by_tag import by_tag, sides_of

SURVIVAL = "Survival: share still answered correctly at each depth"
NAMED = 8
"""Concepts without evidence that are named below the table; all of them stand in the result."""
Points = Sequence[tuple[float, float, float, float]]
"""(depth, survival, low, high)."""


def curves_of(
    drawn: Mapping[str, Points], threshold: float | None, models: Sequence[str] = ()
) -> Chart:
    """Survival over depth, of each label. `models`: all that are shown together, here or in another
    chart, so that each has one colour and sign."""
    marks = model_marks([*map(label_of, models), *drawn])
    curves = [
        Curve(label, marks[label].colour, marks[label].sign, points)
        for label, points in drawn.items()
    ]
    return Chart(SURVIVAL, curves, "depth", threshold)


def survival(results: Sequence[DrillResult], models: Sequence[str] = ()) -> Chart:
    """The curves of results of one domain, a single one of all repeats of a model, and of the
    anchors on their questions."""
    drawn: dict[str, Points] = {}
    for label, rows in sides_of(results, rows_of).items():
        for name, anchors in ((label, False), (f"{anchors_of(rows)} ({label})", True)):
            left = survival_of(rows, anchors=anchors)
            if left:
                drawn[name] = [
                    (depth, share.value or 0.0, share.low or 0.0, share.high or 0.0)
                    for depth, share in left.items()
                ]
    return curves_of(drawn, results[0].spec.threshold, models)


def anchors_of(rows: Sequence[AnswerRow]) -> str:
    """`anchor sim:expert`, or several."""
    asked = [row.condition.removeprefix(ANCHOR) for row in rows if row.condition.startswith(ANCHOR)]
    return anchor_names(asked)


def anchor_names(models: Sequence[str]) -> str:
    names = dict.fromkeys(map(label_of, models))
    return f"{'anchors' if len(names) > 1 else 'anchor'} {', '.join(names)}"


DEPTH_COLUMNS = (
    Column("d", "d"),
    Column("tier", "tier"),
    Column("asked", "row.asked", "count", since=90),
    Column("scored", "row.scored", "count"),
    Column("✓", "row.correct", "count", "✓ correct"),
    Column("∅", "row.abstained", "count", "∅ abstained"),
    Column(
        "?", "row.unscored", "sum", "? unscored, including probes never asked; not counted as wrong"
    ),
    Column("no ev.", "row.no_evidence", "count", "no ev.: concepts without evidence", since=90),
    Column(
        "A %",
        "row.accuracy",
        "whole",
        "A: accuracy, CI: confidence interval",
        "row.accuracy_ci",
        70,
        style="bold",
    ),
    Column("S %", "row.survival", "whole_fine", "S: survival", "row.survival_ci", 70, style="bold"),
    Column(
        "roots",
        "row.effective_roots",
        "tenths",
        "roots: effective number of independent starting topics",
        since=90,
    ),
)
"""S has a decimal because whether it fell below the threshold must be readable."""


def depth_table(
    rows: Sequence[DepthRow], said: Sequence[str] = (), nominal: Collection[str] = ()
) -> Table:
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
            "tier": f"{tier_name(row.tier, nominal=row.tier in nominal)} {row.tier_pass}",
            "row": row,
        }
        for row in rows
    ]
    columns, anchors = [*DEPTH_COLUMNS], anchor_counts(rows)
    if anchors:
        names = anchor_names([name for row in rows for name in row.anchors])
        legend = f"anchors: % right of {names} on the same questions"
        columns.append(Column("anchors", "anchors", "whole", legend, since=112))
        for line, (correct, scored) in zip(made, anchors, strict=False):
            line["anchors"] = correct / scored
    in_name_only = [NOMINAL] if any(row.tier in nominal for row in rows) else []
    said = [*filter(None, [figures.joined(notes)]), *said, *in_name_only]
    return Table("By depth", columns, made, said)


def _set_aside(rows: Sequence[DepthRow]) -> list[str]:
    refused, rejected = sum(row.refused for row in rows), sum(row.rejected for row in rows)
    withdrawn = sum(row.withdrawn for row in rows)
    parts = [figures.count(refused, "passage") + " refused"] if refused else []
    parts += [figures.count(rejected, "question") + " rejected"] if rejected else []
    parts += [f"{withdrawn} of these withdrawn after being asked"] if withdrawn else []
    names = list(dict.fromkeys(name for row in rows for name in row.without_evidence))
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    parts += [f"without evidence: {', '.join(names[:NAMED])}{more}"] if names else []
    near = {name: titles[0] for row in rows for name, titles in row.not_found.items()}
    if near:
        named = [f"{name} (nearest: {title})" for name, title in list(near.items())[:NAMED]]
        more = f" and {len(near) - NAMED} more" if len(near) > NAMED else ""
        parts.append(f"not found under this name: {', '.join(named)}{more}")
    return parts


def by_tier(
    title: str, rows: Sequence[AnswerRow], names: Sequence[str], notes: Sequence[str] = ()
) -> Table:
    """These measures of a method by tier, and over all."""
    nominal = {row.tag("tier") for row in rows if row.tag("nominal")}
    measures = [measure for measure in measures_of(rows[0].method) if measure.name in names]
    return by_tag(
        title,
        rows,
        measures,
        "tier",
        notes=notes,
        name=lambda tier: tier_name(str(tier), nominal=tier in nominal),
    )
