"""A campaign as a page: how its cells stand, what they have measured by domain and model, and why
some failed."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from ...state.campaign import CellState, CellStatus
from ...stats.campaign import Pooled, pooled
from ..page import figures
from ..page.blocks import Block, Column, Line, Table, Text
from ..page.forms import with_interval, written
from ..page.listing import FigureOf
from ..page.remarks import ACROSS_DOMAINS, SIMULATED
from ..page.rows import clip
from ..page.sanitise import model_name, one_line
from .findings import more_of

LONGEST = 120
"""Cells of a name at most."""
SHOWN = 10
"""Reasons for failures that are told one by one."""
CELLS = 3
"""Cells of each that are named."""
REASON = 400
"""Characters of a reason."""


UNFINISHED: Mapping[CellStatus, str] = {
    "running": "running",
    "failed": "failed",
    "interrupted": "interrupted",
    "partial": "out of budget",
}
"""Status of a cell that is begun and not complete → its word."""


def campaign_blocks(states: Sequence[CellState], figure_of: FigureOf) -> Iterator[Block]:
    """The headline, a table of domains and models for each method, and the failures. Nothing
    without a cell."""
    if not states:
        return
    simulated = any(state.simulated for state in states)
    badge = [Line(SIMULATED, "badge")] if simulated else []
    yield Text([*badge, Line(headline(states), "bold")], "Campaign")
    for method in dict.fromkeys(state.method for state in states):
        of_method = [state for state in states if state.method == method]
        yield _grid(method, of_method, figure_of(method))
    failed = [state for state in states if state.status == "failed"]
    if failed:
        yield Text([*_failures(failed)], "Failures")


def complete_words(states: Sequence[CellState]) -> list[str]:
    """`225 of 240 cells complete`, `9 running`, `6 failed`."""
    counts = Counter(state.status for state in states)
    words = [f"{counts['complete']:,} of {figures.count(len(states), 'cell')} complete"]
    for status, word in UNFINISHED.items():
        if counts[status]:
            words.append(f"{counts[status]:,} {word}")
    return words


def headline(states: Sequence[CellState]) -> str:
    """`231 of 240 cells complete, 6 failed · 128,400 calls · USD 12.40`."""
    calls = figures.count(sum(state.calls for state in states), "call")
    return figures.joined([", ".join(complete_words(states)), calls, spent(states)])


def spent(states: Iterable[CellState]) -> str:
    """What all cells have cost; where some have no known price, that it is at least so much."""
    costs = [state.usd for state in states]
    known_costs = [usd for usd in costs if usd is not None]
    if len(known_costs) == len(costs):
        return figures.money(sum(known_costs))
    unknown = f"cost unknown in {figures.count(len(costs) - len(known_costs), 'cell')}"
    return (
        f"at least {figures.money(sum(known_costs))} ({unknown})"
        if sum(known_costs)
        else unknown
    )


def by_reason(failed: Iterable[CellState]) -> dict[str, list[CellState]]:
    """The failed cells by the sentence that says why, harmless, in the order given."""
    reasons: dict[str, list[CellState]] = {}
    for state in failed:
        reasons.setdefault(one_line(state.error) or "no reason is known", []).append(state)
    return reasons


def named(state: CellState, room: int = LONGEST) -> str:
    """`Physics · gpt-5 · seed 7`. `room`: cells of each name at most."""
    seed = "" if state.seed is None else f"seed {state.seed}"
    return figures.joined(
        [clip(one_line(state.domain), room), clip(model_name(state.target), room), seed]
    )


# the table of domains and models


def _grid(method: str, states: Sequence[CellState], figure: tuple[str, str]) -> Table:
    name, form = figure
    targets = [*dict.fromkeys(state.target for state in states)]
    groups: dict[tuple[str, str], list[CellState]] = {}
    for state in states:
        groups.setdefault((state.domain, state.target), []).append(state)
    rows: dict[str, dict[str, Any]] = {}
    for (domain, target), cells in groups.items():
        row = rows.setdefault(domain, {"domain": clip(one_line(domain), LONGEST)})
        row[str(targets.index(target))] = _cell(pooled(cells), form)
    columns = [Column("domain", "domain")]
    for place, target in enumerate(targets):
        columns.append(Column(clip(model_name(target), LONGEST), str(place), form))
        for row in rows.values():
            row.setdefault(str(place), "")
    across = [ACROSS_DOMAINS] if name == "EVD" and len(rows) > 1 else []
    title = f"{name} by domain and model ({method})"
    return Table(title, columns, [*rows.values()], [LEGEND, *across])


LEGEND = "in brackets: the 95% interval · *: not all repeats count · ≥: a lower limit"


def _cell(own: Pooled, form: str) -> str:
    """A figure with its interval; or how the cells stand."""
    if own.figure is None:
        counts = Counter(UNFINISHED.get(cell.status, cell.status) for cell in own.cells)
        return ", ".join(f"{number} {word}" for word, number in counts.items())
    missing = "*" if own.counted < len(own.cells) else ""
    figure = f"{'≥' * own.at_least}{written(own.figure, form)}{missing}"
    return with_interval(figure, own.interval, form)


def _failures(failed: Sequence[CellState]) -> Iterator[str | Line]:
    """Each reason with its first cells, what is most frequent first."""
    reasons = sorted(by_reason(failed).items(), key=lambda reason: -len(reason[1]))
    for reason, cells in reasons[:SHOWN]:
        count = f"{figures.count(len(cells), 'cell')}: "
        yield Line(clip(reason, REASON), lead=count, lead_style="error")
        for cell in cells[:CELLS]:
            run = f"run {one_line(cell.run)}" if cell.run else "not begun"
            yield Line(figures.joined([named(cell, 40), run]), "dim", indent=4)
    yield from more_of(reasons, SHOWN)
