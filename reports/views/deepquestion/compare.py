"""Several DeepQuestion runs side by side: targets on the same problems, or ways of prompting (the ablation)."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ....state.deepquestion.items import KINDS, LOADS, Load
from ....state.deepquestion.result import DeepQuestionCell, DeepQuestionComparison, Drop, LoadRow, Share
from ...page import figures
from ...page.blocks import Block, Cell, Column, Table, Text, bulleted
from ...page.remarks import SIMULATED
from ..findings import side_by_side
from .labels import FEW, KIND_NAMES, MCNEMAR, OTHER_TASK, TEXTS, WIDE, share_words, span

NAME = 30
"""Cells of a run's name at most."""
NOT_ALIKE = (
    "The runs were not all asked the same scenarios and instructions: a difference between them may come from the texts"
    " and not from the targets."
)
COMMON = "over the {} that the runs have in common"
OWN = "each run over problems of its own"
PASSED = "n: problems with a mark; Q2S and Q2I are over those whose texts passed their checks"
THERE = "under the interval originals → Q2S: accuracy in % over the n problems with both"
SEVERAL_DROPS = "; several drops are tested, and no p is corrected for that"
GIVEN = "texts given"
"""What stands in a cell in place of a prompt where scenarios and instructions were given."""
RUN = Column("", "run", room=NAME)
WRITTEN_COLUMNS = (
    RUN,
    Column("", "kind"),
    Column("prompt", "prompt", fold=True),
    Column("passed", "passed", "of", since=50),
    Column("% (95% CI)", "share", "number"),
)


def compare(_: Sequence[Any], comparison: DeepQuestionComparison) -> Iterator[Block]:
    """Accuracies, drops and distances of all runs, and where their scenarios and instructions come from."""
    if comparison.simulated:
        yield Text([SIMULATED], style="badge")
    if comparison.cells:
        yield _accuracy(comparison)
        yield from _changes(comparison.cells)
        yield from _written(comparison.cells)
        if not comparison.same_texts:
            yield Text([NOT_ALIKE])
    yield from bulleted("Notes", comparison.notes)


def _rows(cell: DeepQuestionCell) -> dict[Load, LoadRow]:
    return {row.load: row for row in cell.q2s}


def _loads(cells: Sequence[DeepQuestionCell]) -> list[Load]:
    return [load for load in LOADS if any(load in _rows(cell) for cell in cells)]


def _differing(cells: Sequence[DeepQuestionCell]) -> bool:
    """Whether the figures are not all over the same number of problems, so that each needs its own."""
    shares = [each for cell in cells for each in (cell.original, cell.q2i, *(row.accuracy for row in cell.q2s)) if each]
    return len({share.n for share in shares}) > 1


def _accuracy(comparison: DeepQuestionComparison) -> Table:
    """Shares in per cent, each over its interval."""
    cells, told = comparison.cells, _differing(comparison.cells)
    found: dict[str, Callable[[DeepQuestionCell], Share | None]] = {"original": lambda cell: cell.original}
    for load in _loads(cells):
        found[f"Q2S\n{load}"] = lambda cell, load=load: row.accuracy if (row := _rows(cell).get(load)) else None  # type: ignore[misc]
    if any(cell.q2i for cell in cells):
        found["Q2I"] = lambda cell: cell.q2i
    return side_by_side(
        "Runs side by side",
        RUN,
        [(cell.label, cell) for cell in cells],
        [*found.items()],
        lambda cell, of: _share(of(cell), told=told),
        "whole",
        _accuracy_legend(comparison),
    )


def _share(share: Share | None, *, told: bool) -> Cell | None:
    """`told`: with the number of problems."""
    if share is None:
        return None
    return Cell(share.share, "bold", more=[span(share.share, share.ci), *([f"n {share.n:,}"] if told else [])])


def _accuracy_legend(comparison: DeepQuestionComparison) -> list[str]:
    cells = comparison.cells
    over = COMMON.format(figures.count(comparison.problems, "problem")) if comparison.problems else OWN
    differing = _differing(cells)
    said = [f"accuracy in %, under it its 95% interval; {'originals ' * differing}{over}"]
    said += [PASSED] if differing else []
    said += ["Q2S none, some, many: how many distractors the scenarios hold"] if _loads(cells) else []
    return said + ([WIDE] if any(0 < cell.original.n < FEW for cell in cells) else [])


def _changes(cells: Sequence[DeepQuestionCell]) -> Iterator[Block]:
    """Drops and distances in points, each over its interval, with McNemar's p."""
    loads, distances = _loads(cells), any(cell.distance is not None for cell in cells)
    if not loads and not distances:
        return
    columns, told = [RUN], _differing(cells)
    rows: list[dict[str, Any]] = [{"run": cell.label, "distance": _distance(cell)} for cell in cells]
    for load in loads:
        columns += [Column(f"Q2S\n{load}", load, "points"), Column("\np", f"p_{load}", "p")]
        for row, cell in zip(rows, cells, strict=True):
            drop = held.drop if (held := _rows(cell).get(load)) else None
            row[load] = _drop(drop, told=told) if drop else None
            row[f"p_{load}"] = drop.mcnemar_p if drop else None
    columns += [Column("Q2I\ndistance", "distance", "points")] if distances else []
    title = "Drop from the originals" if loads else "Distance from the originals"
    yield Table(title, columns, rows, _change_legend(cells), wide=True)


def _drop(drop: Drop, *, told: bool) -> Cell:
    """`told`: with both accuracies over the same problems, and how many these are."""
    there = f"{figures.whole(drop.original)} → {figures.whole(drop.transformed)}"
    over = [there, f"n {drop.n:,}"] if told else []
    return Cell(drop.drop, "bold", more=[figures.points_span(drop.ci), *over])


def _distance(cell: DeepQuestionCell) -> Cell:
    return Cell(cell.distance, "bold", more=[figures.points_span(cell.distance_ci)])


def _change_legend(cells: Sequence[DeepQuestionCell]) -> list[str]:
    said = []
    if _loads(cells):
        said.append("drop: original minus Q2S in points, over problems with both; positive: scenarios are harder")
        said += [THERE] if _differing(cells) else []
        tests = sum(row.drop is not None for cell in cells for row in cell.q2s)
        said.append(f"{MCNEMAR}{SEVERAL_DROPS if tests > 1 else ''}")
    return said + ([OTHER_TASK] if any(cell.distance is not None for cell in cells) else [])


def _written(cells: Sequence[DeepQuestionCell]) -> Iterator[Block]:
    """The prompts of each run, and what passed of what was written by them; nothing where all texts were given."""
    if all(prompt == GIVEN for cell in cells for prompt in cell.prompts.values()):
        return
    rows = []
    for cell in cells:
        kinds = [kind for kind in KINDS if kind in cell.prompts or kind in cell.written]
        for place, kind in enumerate(kinds):
            passed = cell.written.get(kind)
            share = share_words(passed).replace("%", "") if passed else None
            row: dict[str, Any] = {"run": cell.label if place == 0 else None, "kind": KIND_NAMES[kind], "share": share}
            rows.append(row | {"prompt": cell.prompts.get(kind, figures.NONE), "passed": _of(passed)})
    legend = f"passed: {TEXTS['q2s']}s and {TEXTS['q2i']}s that passed every check, of those that were to be written"
    if rows:
        yield Table("How scenarios and instructions were written", WRITTEN_COLUMNS, rows, [legend])


def _of(passed: Share | None) -> tuple[int, int] | None:
    return (passed.count, passed.n) if passed and passed.n else None
