"""Several DeepQuestion runs side by side: targets on the same problems, or ways of prompting (the
ablation)."""

from collections.abc import Iterator, Sequence
from typing import Any

from ....state.deepquestion.items import LOADS, Load
from ....state.deepquestion.result import (
    DeepQuestionCell,
    DeepQuestionComparison,
    Drop,
    LoadRow,
)
from ...page import figures
from ...page.blocks import Block, Cell, Column, Table, Text, bulleted
from ...page.remarks import SIMULATED
from ..findings import side_by_side
from .labels import FEW, MCNEMAR, OTHER_TASK, WIDE, span

NOT_ALIKE = (
    "The runs were not all asked the same scenarios and instructions: a difference between them "
    "may come from the texts"
    " and not from the targets."
)
PASSED = "n: problems with a mark; Q2S and Q2I are over those whose texts passed their checks"
LOADS_SAID = "Q2S none, some, many: how many distractors the scenarios hold"
DROP = "drop: original minus Q2S in points, over problems with both; positive: scenarios are harder"
THERE = "under the interval originals → Q2S: accuracy in % over the n problems with both"
SEVERAL_DROPS = "; several drops are tested, and no p is corrected for that"
RUN = Column("", "run", room=30)
Place = Load | str
"""`original`, `q2i`, or a load of Q2S."""


def compare(_: Sequence[Any], comparison: DeepQuestionComparison) -> Iterator[Block]:
    """Accuracies, drops and distances of all runs."""
    if comparison.simulated:
        yield Text([SIMULATED], style="badge")
    if comparison.cells:
        loads = [load for load in LOADS if any(_row(cell, load) for cell in comparison.cells)]
        yield _accuracy(comparison, loads)
        yield from _changes(comparison.cells, loads)
        if not comparison.same_texts:
            yield Text([NOT_ALIKE])
    yield from bulleted("Notes", comparison.notes)


def _row(cell: DeepQuestionCell, load: Place) -> LoadRow | None:
    return next((row for row in cell.q2s if row.load == load), None)


def _accuracy(comparison: DeepQuestionComparison, loads: Sequence[Load]) -> Table:
    """Shares in per cent, each over its interval and the problems it is over."""
    cells = comparison.cells
    columns: list[tuple[str, Place]] = [
        ("original", "original"),
        *((f"Q2S\n{load}", load) for load in loads),
    ]
    columns += [("Q2I", "q2i")] if any(cell.q2i for cell in cells) else []
    common = figures.count(comparison.problems or 0, "problem")
    over = (
        f"over the {common} that the runs have in common"
        if comparison.problems
        else "each run over its own"
    )
    said = [
        f"accuracy in %, under it its 95% interval; originals {over}",
        PASSED,
        *([LOADS_SAID] if loads else []),
    ]
    said += [WIDE] if any(0 < cell.original.n < FEW for cell in cells) else []
    rows = [(cell.label, cell) for cell in cells]
    return side_by_side("Runs side by side", RUN, rows, columns, _share, "whole", said)


def _share(cell: DeepQuestionCell, place: Place) -> Cell | None:
    row = _row(cell, place)
    share = {"original": cell.original, "q2i": cell.q2i}.get(place, row.accuracy if row else None)
    return (
        None
        if share is None
        else Cell(share.share, "bold", more=[span(share.share, share.ci), f"n {share.n:,}"])
    )


def _changes(cells: Sequence[DeepQuestionCell], loads: Sequence[Load]) -> Iterator[Block]:
    """Drops and distances in points, each over its interval, with McNemar's p."""
    distances, tests = any(cell.distance is not None for cell in cells), 0
    columns, said = [RUN], [DROP, THERE] if loads else []
    rows: list[dict[str, Any]] = [
        {"run": cell.label, "distance": _distance(cell)} for cell in cells
    ]
    for load in loads:
        columns += [Column(f"Q2S\n{load}", load, "points"), Column("\np", f"p_{load}", "p")]
        for row, cell in zip(rows, cells, strict=True):
            drop = held.drop if (held := _row(cell, load)) else None
            tests += drop is not None
            row |= {
                load: _drop(drop) if drop else None,
                f"p_{load}": drop.mcnemar_p if drop else None,
            }
    columns += [Column("Q2I\ndistance", "distance", "points")] if distances else []
    said += [f"{MCNEMAR}{SEVERAL_DROPS if tests > 1 else ''}"] if loads else []
    said += [OTHER_TASK] if distances else []
    if loads or distances:
        title = "Drop from the originals" if loads else "Distance from the originals"
        yield Table(title, columns, rows, said, wide=True)


def _drop(drop: Drop) -> Cell:
    there = f"{figures.whole(drop.original)} → {figures.whole(drop.transformed)}"
    return Cell(drop.drop, "bold", more=[figures.points_span(drop.ci), there, f"n {drop.n:,}"])


def _distance(cell: DeepQuestionCell) -> Cell:
    return Cell(cell.distance, "bold", more=[figures.points_span(cell.distance_ci)])
