"""Models beside a benchmark."""

from collections.abc import Iterator

from ...state.benchmark import BenchmarkComparison
from ...stats.benchmark import ALL, PAIRS_ALIKE
from ..page import figures
from ..page.blocks import Block, Cell, Column, Figure, Figures, Text, bulleted
from ..page.remarks import sentence
from ..page.sanitise import model_name
from .findings import side_by_side

CATEGORY = 24
"""Cells of a category's name at most."""
LABEL = 20
"""Cells of a target's name at most."""
DROPS = (
    "the benchmark's score in %; in brackets that score minus the accuracy here, in points "
    "(negative: EQT higher)"
)


def benchmark_blocks(benchmark: BenchmarkComparison) -> Iterator[Block]:
    """The drop per category, how the two go together, and how often both rank the targets alike."""
    drops = {
        (cell.target, cell.category): (
            f"{figures.whole(cell.benchmark)} ({figures.points(cell.drop)})"
        )
        for cell in benchmark.cells
    }
    categories = dict.fromkeys(cell.category for cell in benchmark.cells)
    targets = dict.fromkeys(cell.target for cell in benchmark.cells)
    if drops:
        yield side_by_side(
            "Benchmark against EQT",
            Column("category", "category", room=CATEGORY),
            [(Cell(name, "bold") if name == ALL else name, name) for name in categories],
            [(model_name(target), target) for target in targets],
            lambda category, target: drops.get((target, category)),
            "number",
            [DROPS],
            room=LABEL,
        )
    row = benchmark.correlation
    coefficients = {
        "Pearson r": (row.pearson, row.pearson_p),
        "Spearman ρ": (row.spearman, row.spearman_p),
        "Kendall τ": (row.kendall, row.kendall_p),
    }
    lines = [
        Figure(f"{name} (n {row.n})", value, "score", f"p {figures.p_value(p)}")
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
