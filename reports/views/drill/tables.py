"""A drill's numbers as tables: by depth, by tier, calls and cost, several drills side by side."""

from collections.abc import Mapping, Sequence

from rich.table import Table
from rich.text import Text

from ....state.result import DepthRow, DrillResult, TierRow
from ....state.tiers import Tier
from ...page import figures
from ...page.rows import STYLES
from ...page.sanitise import model_name, one_line
from ...page.tables import Column, table_of

BAR = 12
BARS_FROM = 122
"""Width from which the depth table shows bars beside its numbers."""


def _bar(row: DepthRow, *, survival: bool) -> Text:
    if survival:
        return Text(figures.bar(row.survival, row.survival_ci, BAR), STYLES["survival"])
    return Text(figures.bar(row.accuracy, row.accuracy_ci, BAR), STYLES["accuracy"])


DEPTH_COLUMNS: tuple[Column[DepthRow], ...] = (
    Column("d", lambda r: f"{r.depth}{'*' if r.flags else ''}", text=True, fixed=True),
    Column("tier", lambda r: f"{figures.tier_name(r.tier)} {r.tier_pass}", text=True, fixed=True),
    Column("asked", lambda r: str(r.asked), since=78),
    Column("scored", lambda r: str(r.scored)),
    Column("✓", lambda r: str(r.correct)),
    Column("∅", lambda r: str(r.abstained)),
    Column("?", lambda r: str(sum(r.unscored.values()))),
    Column("no ev.", lambda r: str(r.no_evidence), since=78),
    Column("A %", lambda r: Text(figures.whole(r.accuracy), "bold")),
    Column("95% CI", lambda r: figures.percent_span(r.accuracy_ci), since=58),
    Column("", lambda r: _bar(r, survival=False), since=BARS_FROM, text=True, fixed=True),
    Column("S %", lambda r: Text(f"{r.survival * 100:.1f}", "bold")),
    Column("95% CI", lambda r: figures.percent_span(r.survival_ci), since=58),
    Column("", lambda r: _bar(r, survival=True), since=BARS_FROM, text=True, fixed=True),
    Column("roots", lambda r: f"{r.effective_roots:.1f}", since=78),
)
"""S has a decimal because whether it fell below the threshold must be readable."""


def depth_table(rows: Sequence[DepthRow], *, width: int) -> Table:
    """One line per depth. Shares in per cent, intervals 95%."""
    return table_of(DEPTH_COLUMNS, rows, width=width, title="By depth")


def depth_legend(rows: Sequence[DepthRow], *, width: int) -> Text:
    """What the signs in the depth table mean, and at which stages probes were lost."""
    parts = [
        "✓ correct",
        "∅ abstained",
        "? unscored, including probes never asked; not counted as wrong",
        "no ev.: concepts without evidence",
    ]
    parts += ["A: accuracy", "S: survival", "roots: effective number of independent starting topics"]
    if any("short" in row.flags for row in rows):
        parts.append("* fewer scored probes than planned")
    if width >= BARS_FROM:
        parts.append(figures.BAR_LEGEND)
    lost: dict[str, int] = {}
    for row in rows:
        for stage, number in row.unscored.items():
            lost[stage] = lost.get(stage, 0) + number
    if any(lost.values()):
        parts.append(f"unscored by stage: {figures.stages(lost)}")
    parts += _set_aside(rows)
    return Text(" · ".join(parts), "dim")


NAMED = 8
"""Concepts without evidence that are named below the table; all of them stand in the result."""


def _set_aside(rows: Sequence[DepthRow]) -> list[str]:
    refused, rejected = sum(row.refused for row in rows), sum(row.rejected for row in rows)
    withdrawn = sum(row.withdrawn for row in rows)
    parts = [figures.count(refused, "passage") + " refused"] if refused else []
    parts += [figures.count(rejected, "question") + " rejected"] if rejected else []
    parts += [f"{withdrawn} of these withdrawn after being asked"] if withdrawn else []
    names = list(dict.fromkeys(one_line(name) for row in rows for name in row.without_evidence))
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return [*parts, *([f"without evidence: {', '.join(names[:NAMED])}{more}"] if names else [])]


TIER_COLUMNS: tuple[Column[tuple[Tier, TierRow]], ...] = (
    Column("tier", lambda r: figures.tier_name(r[0]), text=True, fixed=True),
    Column("scored", lambda r: str(r[1].scored)),
    Column("✓", lambda r: str(r[1].correct)),
    Column("✗", lambda r: str(r[1].wrong)),
    Column("∅", lambda r: str(r[1].abstained)),
    Column("accuracy", lambda r: figures.percent(r[1].accuracy)),
    Column("95% CI", lambda r: figures.percent_span(r[1].accuracy_ci)),
)


def tier_table(tiers: Mapping[Tier, TierRow], *, width: int) -> Table:
    """One line per tier, all its depths together."""
    return table_of(TIER_COLUMNS, list(tiers.items()), width=width, title="By tier")


def _target(result: DrillResult) -> Text:
    target = Text(model_name(result.spec.target))
    return target.append(" SIMULATED", STYLES["badge"]) if result.simulated else target


def _ended(result: DrillResult) -> str:
    words = figures.stop_words(result.stop_reason, result.spec.threshold)
    return words if result.status in ("complete", words) else f"{result.status}: {words}"


RUN_COLUMNS: tuple[Column[DrillResult], ...] = (
    Column("domain", lambda r: one_line(r.spec.domain), text=True),
    Column("target", _target, text=True),
    Column("EVD", lambda r: Text(figures.evd(r.evd, censored=r.censored is not None), "bold")),
    Column("95% CI", lambda r: figures.span(r.evd_ci)),
    Column("depth", lambda r: str(r.depth_reached)),
    Column("accuracy", lambda r: "–" if r.accuracy is None else figures.percent(r.accuracy), since=90),
    Column("cost", lambda r: figures.money(r.cost_usd), since=70),
    Column("time", lambda r: figures.duration(r.wall_s), since=70),
    Column("ended", _ended, since=110, text=True),
)


def runs_table(results: Sequence[DrillResult], *, width: int) -> Table:
    """Several drills, one line each, in the order given. `≥` marks an EVD that is only a lower limit."""
    return table_of(RUN_COLUMNS, results, width=width, title="All runs")
