"""Models beside a benchmark."""

from collections.abc import Iterator
from typing import Any

from ...state.benchmark import BenchmarkComparison
from ...stats.benchmark import ALL, PAIRS_ALIKE
from ..page import figures
from ..page.blocks import Block, Cell, Column, Figure, Figures, Table, Text, bulleted
from ..page.remarks import sentence
from ..page.sanitise import model_name

DROPS = (
    "the benchmark's score in %; in brackets that score minus the accuracy here, in points "
    "(negative: EQT higher)"
)


def benchmark_blocks(benchmark: BenchmarkComparison) -> Iterator[Block]:
    """The drop per category, how the two go together, and how often both rank the targets alike."""
    targets = [*dict.fromkeys(cell.target for cell in benchmark.cells)]
    rows: dict[str, dict[str, Any]] = {}
    for cell in benchmark.cells:
        name = Cell(ALL, "bold") if cell.category == ALL else cell.category
        drop = f"{figures.whole(cell.benchmark)} ({figures.points(cell.drop)})"
        row = rows.setdefault(cell.category, {"category": name})
        row[str(targets.index(cell.target))] = drop
    if rows:
        columns = [Column("category", "category")]
        for place, target in enumerate(targets):
            columns.append(Column(model_name(target), str(place), "number"))
        yield Table("Benchmark against EQT", columns, [*rows.values()], [DROPS])
    fit = benchmark.correlation
    coefficients = {
        "Pearson r": (fit.pearson, fit.pearson_p),
        "Spearman ρ": (fit.spearman, fit.spearman_p),
        "Kendall τ": (fit.kendall, fit.kendall_p),
    }
    lines = [
        Figure(f"{name} (n {fit.n})", value, "score", f"p {figures.p_value(p)}")
        for name, (value, p) in coefficients.items()
    ]
    yield Figures(lines)
    yield Text([sentence(PAIRS_ALIKE)], style="dim")
    if benchmark.ranked:
        matches = [
            Figure(model_name(target), (number, benchmark.ranked), "of")
            for target, number in benchmark.matches.items()
        ]
        yield Figures(matches, "Categories with the same rank in both")
    yield from bulleted("Benchmark", benchmark.notes)
