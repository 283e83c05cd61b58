"""The cells of a campaign as a grid of domains and models that fits any screen: figures where there is room for them,
one sign for each where there is not."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from statistics import fmean

from ...state.campaign import CellState, CellStatus
from ..page import figures
from ..page.folding import folded
from ..page.forms import written
from ..page.rows import Row, cell_len, clip, fit, pad
from ..page.sanitise import model_name, one_line
from ..views.campaign import STANDINGS, measure
from ..views.steps import flow

SIZES = (10, 6, 4, 1)
"""Cells of a figure with the number of repeats, of a figure, of a short one, of a sign."""
FIGURE = 6
LABEL, READABLE, NAME = 12, 24, 60
"""Cells of a domain's name at least, where there is room; before the numbers of repeats have any; and at most."""
KEY, HEAD = 30, 12
"""Cells of a model's name in the key, and of a line of it over its column, at most."""
FOREMOST: Sequence[CellStatus] = ("running", "failed", "interrupted", "partial", "waiting", "complete")
"""Of several repeats, the state that is shown."""
Line = tuple[str, str]
"""Method and domain."""
_PROVIDER = re.compile(r"^\w+:(?=[^/])")


@dataclass(frozen=True, slots=True)
class Layout:
    """How the grid is laid out in a width."""

    targets: tuple[str, ...]
    """Those that have a column."""
    size: int
    """Cells that are written in a column at most."""
    column: int
    """Cells of a column, with the gap before it."""
    label: int
    """Cells of the first column."""


def grid_rows(states: Sequence[CellState], width: int, height: int) -> list[Row]:
    """At most `height` rows: heads, then a row per domain (and method), those where something goes on if not all fit;
    what has no row or column is counted. Nothing where there is no room for a domain."""
    lines = _lines(states)
    targets = tuple(dict.fromkeys(state.target for state in states))
    several = len({method for method, _ in lines}) > 1
    longest = max((cell_len(_label(line, several, NAME)) for line in lines), default=0)
    repeats = max((len(cells) for own in lines.values() for cells in own.values()), default=1)
    layout = lay_out(targets, longest, repeats, width)
    heads = [*head_rows(layout, width, max(1, height // 4))]
    chosen = _chosen(lines, height - len(heads))
    if not chosen:
        return []
    more = [*_more(lines, chosen, len(targets) - len(layout.targets))]
    rows = [_row(_label(line, several, layout.label), lines[line], layout, measure(line[0])[1]) for line in chosen]
    return [*heads, *rows, *([fit([(figures.joined(more, ", "), "quiet")], width)] if more else [])][:height]


def _lines(states: Sequence[CellState]) -> dict[Line, dict[str, list[CellState]]]:
    found: dict[Line, dict[str, list[CellState]]] = {}
    for state in states:
        found.setdefault((state.method, state.domain), {}).setdefault(state.target, []).append(state)
    return found


@lru_cache(maxsize=4096)
def _label(line: Line, several: bool, room: int) -> str:
    """The domain, and of several methods which: where there is no room, it is the domain that is cut."""
    method = f" · {one_line(line[0])}" if several else ""
    return clip(one_line(line[1]), max(1, room - cell_len(method))) + method


@lru_cache(maxsize=8)
def lay_out(targets: tuple[str, ...], label: int, repeats: int, width: int) -> Layout:
    """The largest columns for which there is room beside the domains' names, which get what is left."""

    def beside(name: int) -> int:
        return max(1, (width - name) // max(1, len(targets)))

    least = min(label, max(width // 8, min(LABEL, width // 2)))
    room, readable, wider = beside(least), beside(max(least, min(label, READABLE))), beside(min(label, width // 3))
    fitting = [size for size in SIZES[repeats < 2 :] if size + 1 <= (readable if size > FIGURE else room)]
    size = fitting[0] if fitting else 1
    column = min(room, 3) if size == 1 else max(size + 1, min(wider, 1 + HEAD))
    shown = targets[: max(1, (width - least) // column)]
    return Layout(shown, size, column, min(label, width - len(shown) * column))


# heads


@lru_cache(maxsize=8)
def head_rows(layout: Layout, width: int, height: int) -> tuple[Row, ...]:
    """The models' names over their columns, folded; where that does not tell them apart their numbers, after rows that
    say which is which."""
    names, room = _names(layout.targets), layout.column - 1
    heads = [folded(clip(name, 3 * room), room)[: min(3, height)] for name in names] if room >= FIGURE else []
    if heads and len(set(map(tuple, heads))) == len(heads):
        tall = max(map(len, heads))
        return tuple(_head_row([head[row] if row < len(head) else "" for head in heads], layout) for row in range(tall))
    numbers = [str(place)[-max(1, room) :] for place in range(1, len(names) + 1)]
    key = flow([f"{place} {clip(name, KEY)}" for place, name in enumerate(names, 1)], width)
    kept: list[Row] = [[(text, "head") for text, _ in row] for row in key[:height]]
    if len(kept) < len(key):
        kept[-1] = [(clip(f"{kept[-1][0][0]} · {key[height][0][0]}", width), "head")]
    return (*kept, _head_row(numbers, layout))


def _names(targets: Sequence[str]) -> list[str]:
    """What the models are called: without their providers, if that tells them apart."""
    names = [clip(model_name(target), 10 * KEY) for target in targets]
    short = [_PROVIDER.sub("", name) for name in names]
    return short if len(set(short)) == len(short) else names


def _head_row(texts: Sequence[str], layout: Layout) -> Row:
    return [(" " * layout.label + "".join(_in_column(text, layout) for text in texts), "head")]


def _in_column(text: str, layout: Layout) -> str:
    gap = layout.column > 1
    return " " * gap + pad(text, layout.column - gap)


# rows


def _chosen(lines: Mapping[Line, Mapping[str, Sequence[CellState]]], room: int) -> list[Line]:
    """The lines that have a row, in their own order: if not all fit, first where cells run, then where some failed,
    then what is finished. One row is left to count the others."""
    if len(lines) <= room:
        return [*lines]
    ranked = sorted(lines, key=lambda line: _rank({cell.status for own in lines[line].values() for cell in own}))
    kept = set(ranked[: max(0, room - 1)])
    return [line for line in lines if line in kept]


def _rank(held: set[CellStatus]) -> int:
    return next((place for place, status in enumerate(("running", "failed", "complete")) if status in held), 3)


def _more(lines: Mapping[Line, Mapping[str, Sequence[CellState]]], chosen: Sequence[Line], models: int) -> list[str]:
    hidden = [cell for line in lines.keys() - set(chosen) for own in lines[line].values() for cell in own]
    said = []
    if hidden:
        over = sum(cell.over for cell in hidden)
        failed = sum(cell.status == "failed" for cell in hidden)
        one = "more domain" if len({method for method, _ in lines}) == 1 else "more row"
        number = figures.count(len(lines) - len(chosen), one)
        said = [f"… {number}: {over:,} of {len(hidden):,} cells finished"]
        said += [f"{failed:,} failed"] if failed else []
    return [*said, *([f"… {figures.count(models, 'more model')}"] if models > 0 else [])]


def _row(label: str, own: Mapping[str, Sequence[CellState]], layout: Layout, form: str) -> Row:
    row: Row = [(pad(label, layout.label), "")]
    for target in layout.targets:
        cells = own.get(target)
        text, style = square(cells, layout.size, form) if cells else ("", "")
        row.append((_in_column(text, layout), style))
    return row


def square(cells: Sequence[CellState], size: int, form: str) -> tuple[str, str]:
    """How the repeats of a domain and model stand, in at most `size` cells, and in which style: a sign, the mean of
    what they have measured so far, or how much is done while there is nothing, and how many are complete."""
    status = cells[0].status
    if len(cells) > 1:
        held = {cell.status for cell in cells}
        status = next(each for each in FOREMOST if each in held)
    sign, _, style, _ = STANDINGS[status]
    complete = sum(cell.status == "complete" for cell in cells)
    if size == 1 or (status == "waiting" and not complete):
        return sign, style
    values = [cell.figure for cell in cells if cell.figure is not None]
    if status == "complete" and values and any(cell.at_least for cell in cells):
        sign = "≥"
    said = sign + (_figure(fmean(values), form, min(size, FIGURE) - 1) if values else "")
    if not values and status == "running":
        room = min(size, FIGURE) - 2
        done = int(room * fmean(cell.share for cell in cells))
        said += "█" * done + "░" * (room - done)
    count = f" {complete}/{len(cells)}"
    if complete < len(cells) > 1 and len(said) + len(count) <= size:
        said += count
    return said, style


def _figure(value: float, form: str, room: int) -> str:
    """The figure with as many decimals as there is room for."""
    text = written(value, form)
    if len(text) <= room:
        return text
    if form == "percent":
        return "<1%" if 0 < value < 0.01 else figures.whole(value)[:room]
    return next((short for digits in (1, 0) if len(short := figures.number(value, digits)) <= room), "")
