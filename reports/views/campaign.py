"""A campaign as a page: how its cells stand, what they have measured by domain and model, and why
some failed."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from ...state.campaign import CellState, CellStatus
from ...stats.campaign import Pooled, pooled
from ..page import figures
from ..page.blocks import Block, Cell, Column, Line, Table, Text
from ..page.forms import span_written, written
from ..page.remarks import ACROSS_DOMAINS, SIMULATED
from ..page.rows import clip
from ..page.sanitise import model_name, one_line
from .findings import side_by_side

DOMAIN, MODEL = 24, 13
"""Cells of a line of a domain's or a model's name."""
LONGEST = 120
"""Cells of a name at most."""
SHOWN = 10
"""Failures, and different reasons for them, that are told one by one."""


class Standing(NamedTuple):
    """How a state is shown."""

    sign: str
    word: str
    style: str
    told: str
    """The word where it is said of a number of cells."""


STANDINGS: Mapping[CellStatus, Standing] = {
    "complete": Standing("✓", "complete", "correct", "complete"),
    "failed": Standing("!", "failed", "error", "failed"),
    "interrupted": Standing("‖", "interrupted", "warning", "interrupted"),
    "partial": Standing("½", "no budget", "unscored", "out of budget"),
    "running": Standing("▸", "running", "survival", "running"),
    "waiting": Standing("·", "waiting", "quiet", "waiting"),
}
MEASURES: Mapping[str, tuple[str, str]] = {
    "drill": ("EVD", "number"),
    "replay": ("EVD", "number"),
    "depthqa": ("mean score", "number"),
}
"""Method → what its figure is, and how it is written; see `measure`."""


def measure(method: str) -> tuple[str, str]:
    """What the figure of a method is, and the form in which it is written."""
    return MEASURES.get(method, ("accuracy", "percent"))


def campaign_blocks(states: Sequence[CellState]) -> Iterator[Block]:
    """The headline, a table of domains and models for each method, and the failures. Nothing
    without a cell."""
    if not states:
        return
    yield Text([*badge(states), Line(headline(states), "bold")], "Campaign")
    yield from grids(states)
    failed = [state for state in states if state.status == "failed"]
    if failed:
        yield Text([*_failures(failed)], "Failures")


def grids(states: Sequence[CellState]) -> Iterator[Table]:
    """A table of domains and models for each method."""
    for method in dict.fromkeys(state.method for state in states):
        yield _grid(method, [state for state in states if state.method == method])


def complete_words(states: Sequence[CellState]) -> list[str]:
    """`225 of 240 cells complete`, `9 running`, `6 failed`."""
    counts = Counter(state.status for state in states)
    others: Sequence[CellStatus] = ("running", "failed", "interrupted", "partial")
    done = f"{counts['complete']:,} of {figures.count(len(states), 'cell')} complete"
    return [done, *(f"{counts[each]:,} {STANDINGS[each].told}" for each in others if counts[each])]


def headline(states: Sequence[CellState]) -> str:
    """`240 cells: 231 complete, 6 failed, 3 interrupted · 128,400 calls · USD 12.40`."""
    counts = Counter(state.status for state in states)
    told = ", ".join(
        f"{counts[status]:,} {STANDINGS[status].told}" for status in STANDINGS if counts[status]
    )
    calls = figures.count(sum(state.calls for state in states), "call")
    return figures.joined([f"{figures.count(len(states), 'cell')}: {told}", calls, spent(states)])


def spent(states: Iterable[CellState]) -> str:
    """What all cells have cost; where some have no known price, that it is at least so much."""
    costs = [state.usd for state in states]
    known = [usd for usd in costs if usd is not None]
    if len(known) == len(costs):
        return figures.money(sum(known))
    unknown = f"cost unknown in {figures.count(len(costs) - len(known), 'cell')}"
    return f"at least {figures.money(sum(known))} ({unknown})" if sum(known) else unknown


def by_reason(failed: Iterable[CellState]) -> dict[str, list[CellState]]:
    """The failed cells by the sentence that says why, harmless, in the order given."""
    found: dict[str, list[CellState]] = {}
    for state in failed:
        found.setdefault(one_line(state.error) or "no reason is known", []).append(state)
    return found


def named(state: CellState, room: int = LONGEST) -> str:
    """`Physics · gpt-5 · seed 7`. `room`: cells of each name at most."""
    seed = "" if state.seed is None else f"seed {state.seed}"
    return figures.joined(
        [clip(one_line(state.domain), room), clip(model_name(state.target), room), seed]
    )


def badge(states: Sequence[CellState]) -> list[Line]:
    """That all of them, or some, are simulated."""
    simulated = sum(state.simulated for state in states)
    if not simulated:
        return []
    some = (
        f"SIMULATED: {simulated:,} of {len(states):,} cells ran in the simulated world and "
        "measure no real model."
    )
    return [Line(SIMULATED if simulated == len(states) else some, "badge")]


# the table of domains and models


def _grid(method: str, states: Sequence[CellState]) -> Table:
    groups: dict[tuple[str, str], list[CellState]] = {}
    for state in states:
        groups.setdefault((state.domain, state.target), []).append(state)
    found = {place: pooled(cells) for place, cells in groups.items()}
    (name, form), domains = measure(method), list(dict.fromkeys(domain for domain, _ in groups))

    def shown(domain: str, target: str) -> Cell:
        own = found.get((domain, target))
        return Cell("") if own is None else _cell(own, form)

    return side_by_side(
        f"{name} by domain and model ({method})",
        Column("domain", "domain", room=DOMAIN),
        [(clip(one_line(domain), LONGEST), domain) for domain in domains],
        [
            (clip(model_name(target), LONGEST), target)
            for target in dict.fromkeys(target for _, target in groups)
        ],
        shown,
        form,
        _legend(found.values(), name, len(domains)),
        room=MODEL,
    )


def _cell(own: Pooled, form: str) -> Cell:
    """A figure over its interval, or over its standard error, and how many repeats count; or how
    the cells stand."""
    if own.figure is None:
        return _standing(own.cells)
    error = f"±{written(own.error, form)}" if own.interval is None and own.error is not None else ""
    equal = own.counted > 1 and own.error is None
    more = ["all equal" if equal else error or span_written(own.interval, form)]
    if own.counted < len(own.cells):
        more.append(f"{own.counted} of {len(own.cells)}")
    return Cell(f"{'≥' * own.at_least}{written(own.figure, form)}", more=more)


def _standing(cells: Sequence[CellState]) -> Cell:
    """`running 45%`; of several repeats how many stand how, a line each."""
    counts = Counter(cell.status for cell in cells)
    told = []
    for status in ("running", *STANDINGS):
        number = counts.pop(status, 0)
        if number:
            words = (
                f"{number} {STANDINGS[status].word}" if len(cells) > 1 else STANDINGS[status].word
            )
            share = sum(cell.share for cell in cells if cell.status == status) / number
            words += f" {int(100 * share)}%" if status == "running" else ""
            told.append(
                (words if status != "complete" else f"{words}, no figure", STANDINGS[status].style)
            )
    (first, style), *rest = told
    return Cell(first, style, more=[words for words, _ in rest])


def _legend(found: Iterable[Pooled], name: str, domains: int) -> list[str]:
    """What the lines under a figure are, as far as they occur, and what to bear in mind."""
    held = [own for own in found if own.figure is not None]
    several = any(len(own.cells) > 1 for own in held)
    said = []
    if any(own.counted == 1 for own in held):
        said.append(
            f"under {'the figure of one run' if several else 'each figure'} its 95% interval"
        )
    if any(own.counted > 2 for own in held):
        said.append(
            "mean of three or more repeats: 95% interval of the mean (mean ± t·sd/√repeats)"
        )
    if any(own.counted == 2 for own in held):
        said.append("mean of two repeats: ± its standard error (two are too few for an interval)")
    if any(own.counted > 1 and own.error is None for own in held):
        said.append(
            "all equal: repeats that came out the same, which says nothing of how sure the "
            "figure is"
        )
    if any(own.counted < len(own.cells) for own in held):
        said.append("2 of 3: repeats that count, of those planned; only complete ones do")
    if any(own.at_least for own in held):
        said.append("≥: a lower limit")
    more = [ACROSS_DOMAINS] if held and name == "EVD" and domains > 1 else []
    return [*([" · ".join(said)] if said else []), *more]


# why cells failed


def _failures(failed: Sequence[CellState]) -> Iterator[Line]:
    """Each reason with its cells below it, what is most frequent first; each has its share of the
    lines there are."""
    reasons = sorted(by_reason(failed).items(), key=lambda each: -len(each[1]))
    most = max(1, SHOWN // len(reasons))
    for reason, cells in reasons[:SHOWN]:
        yield Line(
            reason, lead=f"{figures.count(len(cells), 'cell')}: ", lead_style="error", lines=4
        )
        for cell in cells[:most]:
            run = f"run {one_line(cell.run)}" if cell.run else "not begun"
            yield Line(figures.joined([named(cell, 40), run]), "dim", indent=4)
        if len(cells) > most:
            yield Line(f"and {len(cells) - most:,} more", "dim", indent=4)
    if len(reasons) > SHOWN:
        left = sum(len(cells) for _, cells in reasons[SHOWN:])
        yield Line(
            (
                f"and {figures.count(left, 'cell')} for "
                f"{figures.count(len(reasons) - SHOWN, 'other reason')}"
            ),
            "dim",
        )
