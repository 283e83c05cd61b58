"""Repeated drills: one line per domain and target, the depths, and who can be told from whom."""

from collections import Counter
from collections.abc import Iterator, Sequence

from ....state.repeats import RepeatsComparison, RepeatsResult
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
PAIR_COLUMNS = (
    Column("domain", "pair.domain", since=100, fold=True),
    Column("model A", "pair.one", fold=True),
    Column("model B", "pair.other", fold=True),
    Column("EVD A − B", "pair.difference", "difference", interval="pair.interval", apart=70),
    Column("p", "pair.p_adjusted", "p"),
    Column("conclusion", "so"),
)


def repeats_blocks(groups: Sequence[RepeatsResult], pairs: Sequence[RepeatsComparison] = ()) -> Iterator[Block]:
    """Depths and calls of each group, one table of all groups, and the comparisons last; nothing without a group."""
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
    if pairs:
        rows = [{"pair": pair, "so": _so(pair)} for pair in pairs]
        yield Table("Pairwise comparison", PAIR_COLUMNS, rows, _how(pairs))
        remarks = [line for pair in pairs for line in _remarks(pair)]
        if remarks:
            yield Text(remarks)


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


def _so(pair: RepeatsComparison) -> str:
    if pair.p is None:
        return "not tested"
    return "difference is significant" if pair.separated else "not significant"


def _remarks(pair: RepeatsComparison) -> list[str]:
    """What belongs to a pair and has no room in its line."""
    found = [pair.note] if pair.note else []
    if pair.p is not None and not pair.separated and pair.repeats_needed is not None:
        found.append(f"detecting a difference of this size takes about {pair.repeats_needed} repeats each")
    return [f"· {pair.one} and {pair.other} ({pair.domain}): {'; '.join(found)}."] if found else []


def _how(pairs: Sequence[RepeatsComparison]) -> list[str]:
    tested = Counter(pair.domain for pair in pairs if pair.p is not None)
    how = "Welch's t test over the repeats" if tested else ""
    if max(tested.values(), default=0) > 1:
        how += "; p is adjusted by Holm for the pairs of a domain, the intervals are for each pair alone"
    return [how] if how else []
