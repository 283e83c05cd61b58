"""Repeated drills: one line per domain and target, and the depths."""

from collections.abc import Iterator, Sequence

from ....state.repeats import RepeatsResult
from ...page import figures
from ...page.blocks import Block, Column, Line, Table, Text, bulleted
from ...page.remarks import ACROSS_DOMAINS, SIMULATED, sentence
from ...page.sanitise import model_name
from ...page.usage import usage_blocks
from ..texts import CI, with_interval

LEGEND = (
    "sd: standard deviation between the repeats; the 95% interval is mean ± t·sd/√repeats; shared: passages, and "
    "opening aspects, that two repeats have in common, averaged over all pairs"
)
DEPTHS = "A: mean accuracy of the repeats that reached the depth; S: mean survival, 0 for those that had stopped"
DEPTH_COLUMNS = (
    Column("d", "depth", "count"),
    Column("tier", "tier", "tier"),
    Column("repeats", "reached", "count"),
    Column("A %", "accuracy", "whole_fine"),
    Column("S %", "survival", "whole_fine", style="bold"),
)
GROUP_COLUMNS = (
    Column("domain", "group.domain", fold=True),
    Column("target", "group.target", "model", fold=True),
    Column("", "group.simulated", "badge", style="badge", since=80),
    Column("repeats", "repeats", "count"),
    Column("mean EVD", "mean", "number", interval="group.mean_ci", style="bold"),
    Column("sd", "group.sd", "number"),
    Column("EVD of each", "each", since=140, fold=True),
    Column("passages shared", "group.shared_evidence", "percent", since=110),
    Column("aspects shared", "group.shared_roots", "percent", since=110),
    Column("cost", "group.cost_usd", "money", since=70),
)


def repeats_blocks(groups: Sequence[RepeatsResult]) -> Iterator[Block]:
    """Depths and calls of each group, and one table of all groups; nothing without a group."""
    if not groups:
        return
    for group in groups:
        title = Line(f"{model_name(group.target)} · n {group.n}", lead=f"{group.domain} · ", lead_style="bold")
        badge = [Line(SIMULATED, "badge")] if group.simulated else []
        yield Text([title, *badge, Line(headline(group), "bold")])
        if group.depths:
            yield Table("By depth, over all repeats", DEPTH_COLUMNS, group.depths, [DEPTHS])
        yield from usage_blocks(group.usage, group.cost_usd)
        yield from bulleted("Notes", [sentence(note) for note in group.notes])
    if len({group.domain for group in groups}) > 1:
        yield Text([ACROSS_DOMAINS], style="warning")
    if any(group.simulated for group in groups):
        yield Text([SIMULATED], style="badge")
    yield Table("Repeats", GROUP_COLUMNS, [_row(group) for group in groups], [LEGEND])


def headline(group: RepeatsResult) -> str:
    """`EVD 5.00 (95% CI 2.52–7.48), mean of 3 repeats, of at most 15`."""
    if group.mean is None:
        return f"no EVD: none of {figures.count(group.planned, 'repeat')} counts"
    mean = "at least " * bool(group.censored) + with_interval(group.mean, group.mean_ci, "number", CI)
    return f"EVD {mean}, mean of {figures.count(len(group.evds), 'repeat')}, of at most {group.max_depth}"


def _row(group: RepeatsResult) -> dict[str, object]:
    counted = len(group.evds)
    return {
        "group": group,
        "repeats": f"{counted}/{group.planned}" if counted < group.planned else str(counted),
        "mean": figures.evd(group.mean, censored=group.censored > 0),
        "each": ", ".join(f"{evd:.2f}" for evd in group.evds),
    }
