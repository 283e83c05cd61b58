"""Repeated drills: one line per domain and target."""

from collections.abc import Iterator, Sequence

from ....state.repeats import RepeatsResult
from ...page import figures
from ...page.blocks import Block, Column, Table, Text, bulleted
from ...page.remarks import ACROSS_DOMAINS, SIMULATED, sentence
from ...page.sanitise import model_name

LEGEND = (
    "sd: standard deviation between the repeats; the 95% interval weighs it with the spread that the "
    "drills imply themselves; shared: passages, and "
    "opening aspects, that two repeats have in common, averaged over all pairs"
)
COLUMNS = (
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
    """One table of all groups, and what is to be known of each; nothing without a group."""
    if not groups:
        return
    if len({group.domain for group in groups}) > 1:
        yield Text([ACROSS_DOMAINS], style="warning")
    if any(group.simulated for group in groups):
        yield Text([SIMULATED], style="badge")
    yield Table("Repeats", COLUMNS, [_row(group) for group in groups], [LEGEND])
    told = [
        f"{group.domain}, {model_name(group.target)}: {note}"
        for group in groups
        for note in group.notes
    ]
    yield from bulleted("Notes on the repeats", [sentence(note) for note in told])


def _row(group: RepeatsResult) -> dict[str, object]:
    counted = len(group.evds)
    return {
        "group": group,
        "repeats": f"{counted}/{group.planned}" if counted < group.planned else str(counted),
        "mean": figures.evd(group.mean, censored=group.censored > 0),
        "each": ", ".join(f"{evd:.2f}" for evd in group.evds),
    }
