"""Explain-Query-Tests beside a benchmark."""

from collections.abc import Iterator

from ....state.eqt.result import BenchmarkCell, BenchmarkComparison, Correlation
from ....stats.eqt.benchmark import PAIRS_ALIKE
from ...page import figures
from ...page.blocks import Block, Cell, Column, Text, bulleted
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
    tested = benchmark.correlation.pearson is not None
    yield Text([sentence(PAIRS_ALIKE)] * tested, correlation_words(benchmark.correlation), "dim")
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
