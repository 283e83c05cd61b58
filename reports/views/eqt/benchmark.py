"""Explain-Query-Tests beside a benchmark."""

from collections.abc import Iterator

from ....state.eqt.result import BenchmarkCell, BenchmarkComparison, Correlation
from ....stats.eqt.benchmark import PAIRS_ALIKE
from ...page import figures
from ...page.blocks import Block, Cell, Column, Figure, Figures, Text, bulleted
from ...page.remarks import sentence
from ...page.sanitise import model_name
from ..findings import side_by_side

ALL = "all"
CATEGORY = 24
"""Cells of a category's name at most."""
LABEL = 20
"""Cells of a target's name at most."""
DROPS_LEGEND = (
    "the benchmark's score in %; in brackets that score minus the accuracy here, in points "
    "(negative: EQT higher)"
)


def benchmark_blocks(benchmark: BenchmarkComparison) -> Iterator[Block]:
    """The drop per category, how the two go together, and how often both rank the targets alike."""
    cells = {(cell.target, cell.category): cell for cell in benchmark.cells}
    rows = dict.fromkeys(cell.category for cell in benchmark.cells)
    targets = dict.fromkeys(cell.target for cell in benchmark.cells)
    if cells:
        yield side_by_side(
            "Benchmark against EQT",
            Column("category", "category", room=CATEGORY),
            [(Cell(name, "bold") if name == ALL else name, name) for name in rows],
            [(model_name(target), target) for target in targets],
            lambda name, target: _drop(cells[target, name]) if (target, name) in cells else None,
            "number",
            [DROPS_LEGEND],
            len(rows) - 2 if ALL in rows else -1,
            LABEL,
        )
    yield Figures(_coefficients(benchmark.correlation))
    yield Text([sentence(PAIRS_ALIKE)], style="dim")
    if benchmark.ranked:
        alike = [
            Figure(model_name(target), (number, benchmark.ranked), "of")
            for target, number in benchmark.matches.items()
        ]
        yield Figures(alike, "Categories with the same rank in both")
    yield from bulleted("Benchmark", benchmark.notes)


def _drop(cell: BenchmarkCell) -> str:
    return f"{figures.whole(cell.benchmark)} ({figures.points(cell.drop)})"


def _coefficients(row: Correlation) -> list[Figure]:
    coefficients = {
        "Pearson r": (row.pearson, row.pearson_p),
        "Spearman ρ": (row.spearman, row.spearman_p),
        "Kendall τ": (row.kendall, row.kendall_p),
    }
    return [
        Figure(f"{name} (n {row.n})", value, "score", f"p {figures.p_value(p)}")
        for name, (value, p) in coefficients.items()
    ]
