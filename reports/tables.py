"""A finished drill's numbers as tables."""

from collections.abc import Mapping, Sequence

from rich import box
from rich.table import Table
from rich.text import Text

from ..state.result import DepthRow, DrillResult, RoleUsage, TierRow
from ..state.tiers import Tier
from . import figures
from .rows import STYLES
from .sanitise import one_line

BAR = 12
BARS_FROM = 124
"""Width from which the depth table shows bars beside its numbers."""


def plain_table(*, numeric: Sequence[str], text: Sequence[str], title: str = "") -> Table:
    """A table with `text` columns first, then right-aligned `numeric` ones."""
    table = Table(
        box=box.SIMPLE_HEAD,
        title=Text(title) if title else None,
        title_justify="left",
        title_style="bold",
        pad_edge=False,
        show_edge=False,
    )
    for name in text:
        table.add_column(Text(name), overflow="fold")
    for name in numeric:
        table.add_column(Text(name), justify="right", no_wrap=True)
    return table


def depth_table(rows: Sequence[DepthRow], *, width: int) -> Table:
    """One line per depth. Shares in per cent, intervals 95 %; bars from `BARS_FROM` cells of width."""
    bars = width >= BARS_FROM
    table = plain_table(
        title="By depth",
        text=("d", "tier"),
        numeric=(
            "asked",
            "scored",
            "✓",
            "∅",
            "?",
            "no ev.",
            "A",
            "95 %",
            *_blank(bars),
            "S",
            "95 %",
            *_blank(bars),
            "roots",
        ),
    )
    for row in rows:
        mark = "*" if row.flags else ""
        numbers = [row.asked, row.scored, row.correct, row.abstained, sum(row.unscored.values()), row.no_evidence]
        cells: list[str | Text] = [str(row.depth) + mark, f"{figures.tier_name(row.tier)} {row.tier_pass}"]
        cells += [str(number) for number in numbers]
        for value, interval, style, written in (
            (row.accuracy, row.accuracy_ci, "accuracy", figures.percent),
            (row.survival, row.survival_ci, "survival", figures.percent_fine),
        ):
            cells += [Text(written(value), "bold"), figures.percent_span(interval)]
            if bars:
                cells.append(Text(figures.bar(value, interval, BAR), STYLES[style]))
        table.add_row(*cells, f"{row.effective_roots:.1f}")
    return table


def _blank(bars: bool) -> tuple[str, ...]:
    return ("",) if bars else ()


def depth_legend(rows: Sequence[DepthRow], *, width: int) -> Text:
    """What the depth table's signs mean."""
    parts = ["✓ correct", "∅ abstained", "? unscored (never wrong)", "no ev.: concepts without evidence"]
    parts += ["A accuracy", "S survival", "roots: effective number of roots"]
    flags = sorted({flag for row in rows for flag in row.flags})
    if flags:
        parts.append(f"* {', '.join(flags)}: fewer scored probes than asked for")
    if width >= BARS_FROM:
        parts.append(figures.BAR_LEGEND)
    return Text(" · ".join(parts), "dim")


def tier_table(tiers: Mapping[Tier, TierRow]) -> Table:
    """One line per tier, all its depths together."""
    table = plain_table(title="By tier", text=("tier",), numeric=("scored", "✓", "✗", "∅", "accuracy", "95 %"))
    for tier, row in tiers.items():
        numbers = [str(number) for number in (row.scored, row.correct, row.wrong, row.abstained)]
        share, span = figures.percent(row.accuracy), figures.percent_span(row.accuracy_ci)
        table.add_row(figures.tier_name(tier), *numbers, share, span)
    return table


def usage_table(usage: Mapping[str, RoleUsage], total: float | None) -> Table:
    """Calls, tokens and cost per role; the cost of all roles last."""
    names = ("calls", "cached", "failed", "attempts", "tokens in", "tokens out", "cost")
    table = plain_table(title="Calls and cost", text=("role",), numeric=names)
    for role, row in usage.items():
        numbers = (row.calls, row.cached, row.failed, row.attempts, row.input_tokens, row.output_tokens)
        table.add_row(one_line(role), *(f"{number:,}" for number in numbers), figures.money(row.cost_usd))
    sums = [sum(column) for column in zip(*(_numbers(row) for row in usage.values()), strict=True)]
    table.add_row("all", *(f"{number:,}" for number in sums), figures.money(total), style="bold")
    return table


def _numbers(row: RoleUsage) -> tuple[int, ...]:
    return (row.calls, row.cached, row.failed, row.attempts, row.input_tokens, row.output_tokens)


def runs_table(results: Sequence[DrillResult]) -> Table:
    """Several drills, one line each, in the order given."""
    numeric = ("EVD", "95 %", "depth", "accuracy", "cost", "time")
    table = plain_table(title="All runs", text=("domain", "target", "stopped"), numeric=numeric)
    for result in results:
        evd = ("≥ " if result.censored else "") + f"{result.evd:.2f}"
        target = Text(one_line(result.spec.target))
        if result.simulated:
            target.append(" SIMULATED", STYLES["badge"])
        table.add_row(
            Text(one_line(result.spec.domain)),
            target,
            Text(stopped(result)),
            Text(evd, "bold"),
            figures.span(result.evd_ci),
            str(result.depth_reached),
            "–" if result.accuracy is None else figures.percent(result.accuracy),
            figures.money(result.cost_usd),
            figures.duration(result.wall_s),
        )
    return table


def stopped(result: DrillResult) -> str:
    """Why the drill ended, as prose."""
    words = figures.stop_words(result.stop_reason, result.spec.threshold)
    return (
        words
        if result.status == "complete"
        else figures.joined([result.status, words if words != result.status else ""], ": ")
    )
