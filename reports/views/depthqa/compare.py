"""Several targets of DepthQA side by side."""

from collections.abc import Iterator, Sequence
from typing import Any, get_args

from ....state.depthqa.result import DepthQACell, DepthQAComparison, Pair
from ...page import figures
from ...page.blocks import Block, Cell, Column, Table, Text, bulleted
from ...page.remarks import SIMULATED
from ..findings import side_by_side, starred
from .figures import target_words
from .tables import LEVELS

PAIRS: tuple[Pair, ...] = get_args(Pair)
NAME = 24
"""Cells of a target's name at most."""
LEGEND = (
    "mean scores 1 … 5, higher is better · discrepancies 0 … 1, lower is better · under each "
    "number its 95% CI,"
    " clustered by tree"
)
BEST = "* best point estimate in the column (ties all marked); see the intervals for certainty"
PARTS = ("mean scores", "forward discrepancy", "backward discrepancy")


def compare(_: Sequence[Any], comparison: DepthQAComparison) -> Iterator[Block]:
    """Targets by mean scores and discrepancies, mode by mode (the paper's table 3), with the best
    marked."""
    if comparison.simulated:
        yield Text([SIMULATED], style="badge")
    for mode in dict.fromkeys(cell.numbers.mode for cell in comparison.cells):
        cells = [cell for cell in comparison.cells if cell.numbers.mode == mode]
        for part in PARTS:
            table = _table(f"Targets side by side, {mode}: {part}", part, cells)
            if len(table.columns) > 1:  # no discrepancies without edges
                yield table
    said = [LEGEND] if comparison.cells else []
    said += [BEST] if len(comparison.targets) > 1 else []
    if said:
        yield Text(said, style="dim")
    if comparison.left_out:
        trees = figures.count(comparison.left_out, "tree")
        yield Text([f"Only trees that every target has finished count; {trees} left out."])
    yield from bulleted("Notes", comparison.notes)


def _table(title: str, part: str, cells: Sequence[DepthQACell]) -> Table:
    """The levels or pairs of which any target has a figure."""
    scores = part == PARTS[0]
    digits, form, span = (2, "number", figures.span) if scores else (3, "gap", figures.gap_span)
    columns: list[tuple[str, tuple[Any, float | None]]] = []
    for level in LEVELS if scores else PAIRS:
        held = [
            round(value, digits)
            for value, _ in (_figure(cell, part, level) for cell in cells)
            if value is not None
        ]
        best = None if len(held) < 2 else max(held) if scores else min(held)
        columns += (
            [("all" if level == "overall" else level.replace(" ", ""), (level, best))]
            if held
            else []
        )

    def shown(cell: DepthQACell, column: tuple[Any, float | None]) -> Cell:
        level, best = column
        value, interval = _figure(cell, part, level)
        return starred(
            value, span(interval), best=value is not None and round(value, digits) == best
        )

    rows = [(target_words(cell.target), cell) for cell in cells]
    return side_by_side(title, Column("target", "target", room=NAME), rows, columns, shown, form)


def _figure(cell: DepthQACell, part: str, level: Any) -> tuple[float | None, Any]:
    numbers = cell.numbers
    if part == PARTS[0]:
        score = numbers.accuracy.get(level)
        return (score.mean, score.ci) if score else (None, None)
    ways = numbers.discrepancies
    row = (ways.forward if part == PARTS[1] else ways.backward).get(level)
    return (row.average, row.average_ci) if row else (None, None)
