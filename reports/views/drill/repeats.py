"""Repeated drills as a reader sees them: one line per domain and target, the depths, and who can be told from whom."""

from collections.abc import Sequence

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from ....state.repeats import RepeatDepth, RepeatsComparison, RepeatsResult
from ...page import figures
from ...page.remarks import ACROSS_DOMAINS, SIMULATED, listed, sentence
from ...page.rows import STYLES
from ...page.sanitise import model_name, one_line
from ...page.tables import Column, table_of
from ...page.usage import usage_table

LEGEND = (
    "sd: standard deviation between the repeats; the 95% interval is mean ± t·sd/√repeats; shared: passages, and "
    "opening aspects, that two repeats have in common, averaged over all pairs"
)


def repeats_report(
    groups: Sequence[RepeatsResult], comparisons: Sequence[RepeatsComparison] = (), *, width: int
) -> RenderableType:
    """The repeats of a launch: depths and calls of each group, one table of all groups, and the comparisons last."""
    parts: list[RenderableType] = []
    for group in groups:
        parts += [
            *_heading(group),
            *_depths(group, width),
            *_usage(group, width),
            *listed("Notes", [sentence(note) for note in group.notes]),
            "",
        ]
    if len({group.domain for group in groups}) > 1:
        parts += [Text(ACROSS_DOMAINS, STYLES["warning"]), ""]
    if any(group.simulated for group in groups):
        parts.append(Text(SIMULATED, STYLES["badge"]))
    parts += [repeats_table(groups, width=width), Text(LEGEND, "dim")]
    return Group(*parts, *_comparisons(comparisons, width))


def print_repeats(
    console: Console, groups: Sequence[RepeatsResult], comparisons: Sequence[RepeatsComparison] = ()
) -> None:
    """Print `repeats_report` in the width of the console; nothing when no repeat has a result."""
    if not groups:
        return
    console.print(repeats_report(groups, comparisons, width=console.width), crop=False)


def headline(group: RepeatsResult) -> str:
    """`EVD 5.00 (95% CI 2.52–7.48), mean of 3 repeats, of at most 15`."""
    if group.mean is None:
        return f"no EVD: none of {figures.count(group.planned, 'repeat')} counts"
    sure = f" (95% CI {figures.span(group.mean_ci)})" if group.mean_ci else ""
    least = "at least " if group.censored else ""
    repeats = figures.count(len(group.evds), "repeat")
    return f"EVD {least}{group.mean:.2f}{sure}, mean of {repeats}, of at most {group.max_depth}"


def _heading(group: RepeatsResult) -> list[RenderableType]:
    title = Text.assemble((one_line(group.domain), "bold"), f" · {model_name(group.target)} · n {group.n}")
    badge: list[RenderableType] = [Text(SIMULATED, STYLES["badge"])] if group.simulated else []
    return [title, *badge, Text(headline(group), "bold")]


def _depths(group: RepeatsResult, width: int) -> list[RenderableType]:
    if not group.depths:
        return []
    note = "A: mean accuracy of the repeats that reached the depth; S: mean survival, 0 for those that had stopped"
    table = table_of(DEPTH_COLUMNS, group.depths, width=width, title="By depth, over all repeats")
    return ["", table, Text(note, "dim")]


def _usage(group: RepeatsResult, width: int) -> list[RenderableType]:
    return ["", usage_table(group.usage, group.cost_usd, width=width)] if group.usage else []


DEPTH_COLUMNS: tuple[Column[RepeatDepth], ...] = (
    Column("d", lambda r: str(r.depth), fixed=True),
    Column("tier", lambda r: figures.tier_name(r.tier), text=True, fixed=True),
    Column("repeats", lambda r: str(r.reached)),
    Column("A %", lambda r: f"{r.accuracy * 100:.1f}"),
    Column("S %", lambda r: Text(f"{r.survival * 100:.1f}", "bold")),
)


def _target(group: RepeatsResult) -> Text:
    target = Text(model_name(group.target))
    return target.append(" SIMULATED", STYLES["badge"]) if group.simulated else target


def _mean(group: RepeatsResult) -> Text:
    return Text(figures.evd(group.mean, censored=group.censored > 0), "bold")


GROUP_COLUMNS: tuple[Column[RepeatsResult], ...] = (
    Column("domain", lambda g: one_line(g.domain), text=True),
    Column("target", _target, text=True),
    Column("repeats", lambda g: f"{len(g.evds)}/{g.planned}" if len(g.evds) < g.planned else str(len(g.evds))),
    Column("mean EVD", _mean),
    Column("95% CI", lambda g: figures.span(g.mean_ci)),
    Column("sd", lambda g: figures.number(g.sd)),
    Column("EVD of each", lambda g: ", ".join(f"{evd:.2f}" for evd in g.evds), since=130, text=True),
    Column("passages shared", lambda g: figures.percent(g.shared_evidence), since=100),
    Column("aspects shared", lambda g: figures.percent(g.shared_roots), since=100),
    Column("cost", lambda g: figures.money(g.cost_usd), since=70),
)


def repeats_table(groups: Sequence[RepeatsResult], *, width: int) -> Table:
    """One line per domain and target. `≥` marks a mean that is only a lower limit."""
    return table_of(GROUP_COLUMNS, groups, width=width, title="Repeats")


def _so(pair: RepeatsComparison) -> str:
    if pair.p is None:
        return "not tested"
    return "difference is significant" if pair.separated else "not significant"


def _remarks(pair: RepeatsComparison) -> list[str]:
    """What belongs to a pair and has no room in its line."""
    found = [one_line(pair.note)] if pair.note else []
    if pair.p is not None and not pair.separated and pair.repeats_needed is not None:
        found.append(f"detecting a difference of this size takes about {pair.repeats_needed} repeats each")
    names = f"{one_line(pair.one)} and {one_line(pair.other)}"
    return [f"· {names} ({one_line(pair.domain)}): {'; '.join(found)}."] if found else []


PAIR_COLUMNS: tuple[Column[RepeatsComparison], ...] = (
    Column("domain", lambda c: one_line(c.domain), since=100, text=True),
    Column("model A", lambda c: one_line(c.one), text=True),
    Column("model B", lambda c: one_line(c.other), text=True),
    Column("EVD A − B", lambda c: figures.difference(c.difference)),
    Column(
        "95% CI",
        lambda c: figures.difference_span(c.interval),
        since=70,
    ),
    Column("p", lambda c: figures.p_value(c.p_adjusted)),
    Column("conclusion", _so, text=True, fixed=True),
)


def comparison_table(pairs: Sequence[RepeatsComparison], *, width: int) -> Table:
    """One line per pair of targets: the difference of their means, its interval, p, and what follows from it."""
    return table_of(PAIR_COLUMNS, pairs, width=width, title="Pairwise comparison")


def _comparisons(pairs: Sequence[RepeatsComparison], width: int) -> list[RenderableType]:
    if not pairs:
        return []
    tested: dict[str, int] = {}
    for pair in pairs:
        tested[pair.domain] = tested.get(pair.domain, 0) + (pair.p is not None)
    how = "Welch's t test over the repeats" if any(tested.values()) else ""
    if max(tested.values()) > 1:
        how += "; p is adjusted by Holm for the pairs of a domain, the intervals are for each pair alone"
    remarks: list[RenderableType] = [Text(line) for pair in pairs for line in _remarks(pair)]
    return ["", comparison_table(pairs, width=width), *remarks, *([Text(how, "dim")] if how else [])]
