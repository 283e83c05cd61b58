"""A drill's numbers: survival by depth, the depths, the tiers, and several drills side by side."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

from ....state.records import NOMINAL, tier_name
from ....state.result import DepthRow, DrillResult, Ruler
from ....state.spec import DrillSpec
from ....state.worlds import label_of
from ....stats.drill.ruler import anchor_counts, anchor_survival
from ....stats.drill.survival import survival as product_survival
from ....stats.drill.survival import survival_interval
from ...page import figures
from ...page.blocks import Chart, Column, Curve, Table
from ...page.palette import model_marks

SURVIVAL = "Survival: share still answered correctly at each depth"
NAMED = 8
"""Concepts without evidence that are named below the table; all of them stand in the result."""
OF_REPEATS = {"seed", "repeat", "repeats", "pool_seed", "as_of"}
"""Fields of a spec in which repeats differ."""
Drawn = tuple[str, Sequence[DepthRow]]
"""The model, and its depths."""


def curves_of(drawn: Sequence[Drawn], spec: DrillSpec | None, models: Sequence[str] = ()) -> Chart:
    """Survival over depth, of each drill and of the anchors on its questions. `spec` gives the
    threshold. `models`: all that are shown together, here or in another chart, so that each has one
    colour and sign."""
    named = [(label_of(model), rows) for model, rows in drawn]
    marks = model_marks([*map(label_of, models), *(name for name, _ in named)])
    curves = [*_anchor_curves(drawn)]
    curves += [
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
        spec.threshold if spec else None,
    )


def _anchor_curves(drawn: Sequence[Drawn]) -> Iterable[Curve]:
    for model, rows in drawn:
        counts = anchor_counts(rows)
        points = [
            (depth, share, *survival_interval(counts[:depth]))
            for depth, share in enumerate(anchor_survival(rows), 1)
        ]
        whose = f" ({label_of(model)})" if len(drawn) > 1 else ""
        if points:
            yield Curve(f"{anchor_names(rows)}{whose}", "white", "·", points)


def anchor_names(rows: Sequence[DepthRow]) -> str:
    """`anchor sim:expert`, or several."""
    names = dict.fromkeys(label_of(name) for row in rows for name in row.anchors)
    return f"{'anchors' if len(names) > 1 else 'anchor'} {', '.join(names)}"


def survival(results: Sequence[DrillResult], models: Sequence[str] = ()) -> Chart:
    """The curves of results of one domain, a single one of all repeats of a model."""
    together = [runs for runs in repeats_of(results) if runs[0].depths]
    chart = curves_of(
        [(runs[0].spec.target, runs[0].depths) for runs in together], results[0].spec, models
    )
    own = iter(together)
    anchors = len(chart.curves) - len(together)
    curves = [replace(curve, points=points_of(next(own))) for curve in chart.curves[anchors:]]
    return replace(chart, curves=[*chart.curves[:anchors], *curves])


def repeats_of(runs: Sequence[DrillResult]) -> list[list[DrillResult]]:
    """The drills of one model and domain that differ in nothing but seed and day, together."""
    groups: dict[str, list[DrillResult]] = {}
    for run in runs:
        alike = run.spec.model_dump_json(exclude=OF_REPEATS)
        key = next(
            name
            for name in (f"{alike}{number}" for number in range(len(runs)))
            if all(other.spec.seed != run.spec.seed for other in groups.get(name, ()))
        )
        groups.setdefault(key, []).append(run)
    return [*groups.values()]


def points_of(runs: Sequence[DrillResult]) -> list[tuple[float, float, float, float]]:
    """(depth, survival, low, high) over the answers of all these drills together."""
    rows = [row for run in runs for row in run.depths]
    counts = [
        (
            sum(row.correct for row in rows if row.depth == depth),
            sum(row.scored for row in rows if row.depth == depth),
        )
        for depth in range(1, max((row.depth for row in rows), default=0) + 1)
    ]
    return [
        (depth, float(share), *survival_interval(counts[:depth]))
        for depth, share in enumerate(product_survival(counts), 1)
    ]


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
    Column("S %", "row.survival", "whole_fine", "S: survival", "row.survival_ci", 58, style="bold"),
    Column(
        "roots",
        "row.effective_roots",
        "tenths",
        "roots: effective number of independent starting topics",
        since=78,
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
    named = any(row.tier in nominal for row in rows)
    more = 10 * named + 9 * bool(anchors)
    if more:
        columns = [_moved(column, more) for column in columns]
    if anchors:
        legend = f"anchors: % right of {anchor_names(rows)} on the same questions"
        column = Column("anchors", "anchors", "whole", legend, since=56 + more)
        columns.insert(ANCHORS_AT, column)
        for line, (correct, scored) in zip(made, anchors, strict=False):
            line["anchors"] = correct / scored
    said = [*filter(None, [figures.joined(notes)]), *said, *([NOMINAL] if named else [])]
    return Table("By depth", columns, made, said)


def _moved(column: Column, more: int) -> Column:
    """The column, shown where there is room for so many cells more."""
    since = max(column.since, 90) + more if column.since else 0
    return replace(column, since=since, apart=column.apart and column.apart + more)


ANCHORS_AT = 10
"""Behind the target's accuracy."""


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


TIER_COLUMNS = (
    Column("tier", "tier"),
    Column("scored", "row.scored", "count"),
    Column("✓", "row.correct", "count"),
    Column("✗", "row.wrong", "count"),
    Column("∅", "row.abstained", "count"),
    Column("accuracy", "row.accuracy", "percent", interval="row.accuracy_ci"),
)

RULER_COLUMNS = (
    Column("tier", "tier"),
    Column("at its level", "row.at_level.part", "part", interval="row.at_level.interval", apart=96),
    Column("easier", "row.easier.share", "percent", since=70),
    Column("harder", "row.harder.share", "percent", since=70),
    Column(
        "mean level", "row.mean_level", "tenths", "mean level: 1 common … 5 cutting edge", since=78
    ),
    Column("deeper", "row.deeper.part", "part", interval="row.deeper.interval", apart=96),
)


def ruler_table(ruler: Ruler, nominal: Collection[str]) -> Table:
    """What the evaluator's check, which is not told the tier, says of the questions."""
    lines = [
        {"tier": tier_name(tier, nominal=tier in nominal), "row": row}
        for tier, row in ruler.by_tier.items()
    ]
    lines.append({"tier": "all", "row": ruler.overall})
    return Table("Questions against their tier", RULER_COLUMNS, lines, [READ])


READ = (
    "The evaluator reads each question without its tier: who would mostly know the answer, and "
    "does it go deeper than the question before?"
)
