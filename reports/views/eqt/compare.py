"""Several targets of an Explain-Query-Test side by side, by category, and beside a benchmark."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from ....state.eqt.result import (
    BenchmarkCell,
    BenchmarkComparison,
    Correlation,
    EqtCell,
    EqtComparison,
)
from ....stats.eqt.table import PAIRS_ALIKE, has_own_exams, has_p_values
from ...page import figures
from ...page.blocks import Block, Cell, Column, Table, Text, bulleted
from ...page.remarks import SIMULATED, sentence
from ...page.sanitise import model_name
from ..findings import side_by_side, starred
from .tables import ALL, CATEGORY, FEW_CLUSTERS, WIDE

LABEL = 20
"""Cells of a target's name at most."""
DROPS_LEGEND = (
    "the benchmark's score in %; in brackets that score minus the accuracy here, in points "
    "(negative: EQT higher)"
)
By = Mapping[tuple[str, str], Any]
"""(target, category) → its cell."""


def compare(_: Sequence[Any], comparison: EqtComparison) -> Iterator[Block]:
    """Categories and targets, what a benchmark says of them, and notes."""
    if comparison.simulated:
        yield Text([SIMULATED], style="badge")
    over = ""
    if comparison.left_out:
        concepts = comparison.concepts or 0
        over = f" over {concepts:,} of {concepts + comparison.left_out:,} concepts"
    cells = {(cell.target, cell.category): cell for cell in comparison.cells}
    rows = [*comparison.categories, ALL]
    yield _table(f"Accuracy in %{over}", rows, comparison.targets, cells, "whole", _accuracy)
    yield _table(f"ACS{over}", rows, comparison.targets, cells, "score", _acs, _legend(comparison))
    if comparison.benchmark is not None:
        yield from _beside(comparison, comparison.benchmark)
    yield from bulleted(
        "Notes", [note for note in comparison.notes if note != PAIRS_ALIKE]
    )  # said with the p-values


def _table(
    title: str,
    rows: Sequence[str],
    targets: Sequence[str],
    cells: By,
    form: str,
    shown: Callable[[Any], Any],
    *said: str,
) -> Table:
    """A column per target; the last row is of all."""
    return side_by_side(
        title,
        Column("category", "category", room=CATEGORY),
        [(Cell(name, "bold") if name == ALL else name, name) for name in rows],
        [(model_name(target), target) for target in targets],
        lambda name, target: shown(cells[target, name]) if (target, name) in cells else None,
        form,
        said,
        len(rows) - 2 if ALL in rows else -1,
        LABEL,
    )


def _accuracy(cell: EqtCell) -> Cell:
    more = (
        (figures.percent_span(cell.ci),)
        if cell.category == ALL and cell.accuracy is not None
        else ()
    )
    return starred(cell.accuracy, *more, best=cell.best_accuracy)


def _acs(cell: EqtCell) -> Cell:
    more = (
        (figures.score_span(cell.acs_ci),) if cell.category == ALL and cell.acs is not None else ()
    )
    return starred(cell.acs, *more, best=cell.best_acs)


def _legend(comparison: EqtComparison) -> str:
    """Over what the figures are, and what a star says."""
    over = ""
    if comparison.concepts:
        over = f"over {figures.count(comparison.concepts, 'concept')}"
        over += " that all have finished" if comparison.left_out else ""
    parts = [over, "under the figures of all their 95% intervals"]
    if any(cell.accuracy is None for cell in comparison.cells):
        parts.append("– no scored answer, which is not a wrong one")
    if any(cell.best_accuracy or cell.best_acs for cell in comparison.cells):
        own = "; indicative only, because each model was examined on its own questions"
        parts.append(
            f"* best point estimate in the row (ties all marked){own * has_own_exams(comparison)}"
        )
    if comparison.concepts is not None and comparison.concepts < FEW_CLUSTERS:
        parts.append(WIDE)
    return figures.joined(parts)


def _beside(comparison: EqtComparison, benchmark: BenchmarkComparison) -> Iterator[Block]:
    """The drop per category, how the two go together, and how often both rank the targets alike."""
    cells = {(cell.target, cell.category): cell for cell in benchmark.cells}
    held = {cell.category for cell in benchmark.cells}
    rows = [name for name in (*comparison.categories, ALL) if name in held]
    targets = [
        target
        for target in comparison.targets
        if any(cell.target == target for cell in benchmark.cells)
    ]
    if rows and targets:
        yield _table("Benchmark against EQT", rows, targets, cells, "number", _drop, DROPS_LEGEND)
    alike = [sentence(PAIRS_ALIKE)] if has_p_values(benchmark.correlation) else []
    yield Text([*alike], correlation_words(benchmark.correlation), "dim")
    if benchmark.ranked:
        alike = [
            f"{model_name(target)} {number} of {benchmark.ranked}"
            for target, number in benchmark.matches.items()
        ]
        yield Text([f"Categories with the same rank in both: {', '.join(alike)}."])
    yield from bulleted("Benchmark", benchmark.notes)


def _drop(cell: BenchmarkCell) -> str:
    return f"{figures.whole(cell.benchmark)} ({figures.points(cell.drop)})"


def correlation_words(row: Correlation) -> str:
    """`Pearson r .36 (p .003), Spearman ρ .41 (p .001), Kendall τ .29 (p .002), n 70`."""
    parts = [
        _coefficient("Pearson r", row.pearson, row.pearson_p),
        _coefficient("Spearman ρ", row.spearman, row.spearman_p),
        _coefficient("Kendall τ", row.kendall, row.kendall_p),
    ]
    return ", ".join([*parts, f"n {row.n}"])


def _coefficient(name: str, value: float | None, p: float | None) -> str:
    return f"{name} {figures.score(value)}" + (
        "" if value is None else f" (p {figures.p_value(p)})"
    )
