"""The cells of a campaign as a grid of domains and models: names and figures where there is room,
one sign for each where there is not."""

from collections.abc import Mapping, Sequence
from statistics import fmean

from ...state.campaign import CellState, CellStatus
from ..page import figures
from ..page.forms import written
from ..page.rows import Row, cell_len, clip, clip_left, pad
from ..page.sanitise import model_name, one_line
from ..views.campaign import STANDINGS, complete_words, measure
from ..views.steps import flow

NAMED, FIGURED, SIGNED = 14, 7, 3
"""Cells of a column with the model's name and a figure, with its number and a figure, with its
number and a sign."""
WIDEST, LABEL, KEY = 24, 30, 30
"""Cells of a column, of a domain's name and of a model's name in the key, at most."""
FOREMOST: Sequence[CellStatus] = (
    "running",
    "failed",
    "interrupted",
    "partial",
    "waiting",
    "complete",
)
"""Of several repeats, the state that is shown."""
Line = tuple[str, str]
"""Method and domain."""
Cells = Mapping[str, Sequence[CellState]]
"""By target."""


def grid_rows(states: Sequence[CellState], width: int, height: int) -> list[Row]:
    """At most `height` rows: heads, then a row per domain (and method), those where something goes
    on if not all fit; what has no row or column is counted. Nothing where there is no room for a
    domain."""
    lines: dict[Line, dict[str, list[CellState]]] = {}
    for state in states:
        lines.setdefault((state.method, state.domain), {}).setdefault(state.target, []).append(
            state
        )
    targets = list(dict.fromkeys(state.target for state in states))
    labels = _labels(lines)
    label = min(LABEL, max(map(cell_len, labels.values()), default=0), max(1, width // 3))
    column = next(
        (size for size in (NAMED, FIGURED, SIGNED) if label + size * len(targets) <= width), SIGNED
    )
    column = min(WIDEST, (width - label) // max(1, len(targets))) if column == NAMED else column
    targets, left = (
        targets[: max(0, width - label) // column],
        targets[max(0, width - label) // column :],
    )
    heads = _heads(targets, label, column, width, max(1, height // 4))
    chosen = _chosen(lines, height - len(heads) - bool(left))
    if not chosen or not targets:
        return []
    rows = [_row(clip(labels[line], label), label, lines[line], targets, column) for line in chosen]
    more = [f"{figures.count(len(left), 'more model')}"] if left else []
    if len(chosen) < len(lines):
        hidden = [
            state
            for line in lines.keys() - set(chosen)
            for cells in lines[line].values()
            for state in cells
        ]
        more.append(
            f"{figures.count(len(lines) - len(chosen), 'more domain')}: "
            f"{', '.join(complete_words(hidden))}"
        )
    return [*heads, *rows, *([[(f"… {', '.join(more)}", "quiet")]] if more else [])]


def legend(states: Sequence[CellState]) -> str:
    """What the figures and the signs of the grid are."""
    held = {state.status for state in states}
    names = dict.fromkeys(measure(state.method)[0] for state in states)
    signs = [f"{sign} {word}" for status, (sign, word, *_) in STANDINGS.items() if status in held]
    limit = ["≥ at least"] if any(state.at_least for state in states) else []
    return f"{' or '.join(names)} so far: {' '.join([*limit, *signs])}"


def _labels(lines: Mapping[Line, Cells]) -> dict[Line, str]:
    several = len({method for method, _ in lines}) > 1
    return {
        line: one_line(line[1]) + (f" · {one_line(line[0])}" if several else "") for line in lines
    }


def _heads(targets: Sequence[str], label: int, column: int, width: int, height: int) -> list[Row]:
    """The models' names over their columns; where these are narrow numbers, after rows that say
    which is which."""
    names = [model_name(target) for target in targets]
    texts, key = names, list[Row]()
    if column < NAMED:
        texts = [str(number)[-(column - 1) :] for number in range(1, len(names) + 1)]
        told = flow(
            [f"{number} {clip_left(name, KEY)}" for number, name in enumerate(names, 1)], width - 2
        )
        key = [[(text, "head") for text, _ in row] for row in told[:height]]
        key = key if len(told) <= height else [*key[:-1], [*key[-1], (" …", "head")]]
    over = "".join(f" {pad(clip_left(text, column - 1), column - 1)}" for text in texts)
    return [*key, [(" " * label + over, "head")]]


def _chosen(lines: Mapping[Line, Cells], room: int) -> list[Line]:
    """The lines that have a row, in their own order; if not all fit, first where cells run, then
    where some have failed, then what is complete, and one row is left to count the others."""
    if len(lines) <= room:
        return [*lines]

    def rank(line: Line) -> int:
        held = {state.status for cells in lines[line].values() for state in cells}
        return next(
            (nth for nth, status in enumerate(("running", "failed", "complete")) if status in held),
            3,
        )

    kept = set(sorted(lines, key=rank)[: max(0, room - 1)])
    return [line for line in lines if line in kept]


def _row(name: str, label: int, own: Cells, targets: Sequence[str], column: int) -> Row:
    row: Row = [(pad(name, label), "")]
    for target in targets:
        text, style = _square(own[target], column - 1) if target in own else ("", "")
        row.append((f" {pad(text, column - 1)}", style))
    return row


def _square(cells: Sequence[CellState], room: int) -> tuple[str, str]:
    """How the repeats of a domain and model stand, and in which style: a sign, the mean of what
    they have measured so far, or how much is done while there is nothing, and how many are
    complete."""
    held = {state.status for state in cells}
    status = next(each for each in FOREMOST if each in held)
    sign, _, style, _ = STANDINGS[status]
    if room < FIGURED - 1:
        return sign, style
    values = [state.figure for state in cells if state.figure is not None]
    if status == "complete" and values and any(state.at_least for state in cells):
        sign = "≥"
    said = written(fmean(values), measure(cells[0].method)[1]) if values else ""
    if not values and status == "running":
        said = f"{100 * fmean(state.share for state in cells):.0f}%"
    complete = sum(state.status == "complete" for state in cells)
    count = f" {complete}/{len(cells)}" if complete < len(cells) > 1 and room > FIGURED + 4 else ""
    return clip(f"{sign}{said}{count}", room), style
