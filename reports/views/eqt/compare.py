"""Several targets of an Explain-Query-Test side by side, by category, and beside a benchmark."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

from rich.cells import cell_len
from rich.console import Group, RenderableType
from rich.text import Text

from ....state.eqt.result import BenchmarkCell, BenchmarkComparison, Correlation, EqtCell, EqtComparison
from ....stats.eqt.table import PAIRS_ALIKE, has_own_exams, has_p_values
from ...page import figures
from ...page.folding import folded
from ...page.remarks import SIMULATED, listed, sentence
from ...page.rows import STYLES, clip
from ...page.sanitise import model_name, one_line
from ...page.tables import ROOMY, Column, table_of
from .tables import ALL, FEW_CLUSTERS, WIDE, underline

CATEGORY = 24
"""Cells of the column of categories at most; on a narrow screen a third of it."""
ROOM, LABEL = 11, 20
"""Cells of a target's column: for its numbers at least, and for its name at most."""
SPAN_ROWS = ("95% acc.", "95% ACS")
SCORES, DROPS = "acc.   ACS", "bench  −EQT"
"""What stands over the two numbers of a cell."""
DROPS_LEGEND = (
    "bench: the benchmark's score in % · −EQT: that score minus the accuracy here, in points (negative: EQT is higher)"
)

Cell = Callable[[str, str], str | Text]
"""What stands under a target in the row of a category."""


def comparison_report(comparison: EqtComparison, *, width: int) -> RenderableType:
    """The table of categories and targets, what a benchmark says of them, and notes; `width` cells wide."""
    legend = _legend(comparison)
    parts: list[RenderableType] = [Text(SIMULATED, STYLES["badge"])] if comparison.simulated else []
    parts += [*_scores(comparison, width)[0 if parts else 1 :], Text(legend, "dim")]
    if comparison.benchmark is not None:
        parts += _beside(comparison, comparison.benchmark, width)
    notes = [note for note in comparison.notes if note != PAIRS_ALIKE]  # which stands beside the p-values
    return Group(*parts, *listed("Notes", notes))


def _legend(comparison: EqtComparison) -> str:
    """What the figures are, over what, and what a star says."""
    legend = "accuracy in %, and ACS"
    if comparison.concepts:
        legend += f", over {figures.count(comparison.concepts, 'concept')}"
        legend += " that all have finished" if comparison.left_out else ""
    if any(cell.accuracy is None for cell in comparison.cells):
        legend += " · – no scored answer, which is not a wrong one"
    if any(cell.best_accuracy or cell.best_acs for cell in comparison.cells):
        legend += " · * best point estimate in the row (ties all marked)"
        legend += (
            "; indicative only, because each model was examined on its own questions"
            if has_own_exams(comparison)
            else ""
        )
    if comparison.concepts is not None and comparison.concepts < FEW_CLUSTERS:
        legend += f" · {WIDE}"
    return legend


def _scores(comparison: EqtComparison, width: int) -> list[RenderableType]:
    cells = {(cell.target, cell.category): cell for cell in comparison.cells}

    def shown(target: str, row: str) -> str | Text:
        cell = cells.get((target, ALL if row in SPAN_ROWS else row))
        if cell is None:
            return "–"
        return _ends(cell, row) if row in SPAN_ROWS else score_cell(cell)

    rows = [*comparison.categories, ALL, *SPAN_ROWS]
    title = "Accuracy and ACS"
    if comparison.left_out:
        concepts = comparison.concepts or 0
        title += f" over {concepts:,} of {concepts + comparison.left_out:,} concepts"
    return _blocks(title, rows, comparison.targets, shown, width, SCORES, rule=len(rows) - 4)


def score_cell(cell: EqtCell) -> Text:
    """`  71*  .92 ` under `SCORES`: what is best is bold and starred."""
    text = Text()
    for value, best, size in (
        (figures.whole(cell.accuracy), cell.best_accuracy, 4),
        (figures.score(cell.acs), cell.best_acs, 5),
    ):
        text.append(f"{value:>{size}}", "bold" if best else "").append("*" if best else " ", "bold")
    return text


def _ends(cell: EqtCell, row: str) -> str:
    if row == SPAN_ROWS[0]:
        return "–" if cell.accuracy is None else figures.percent_span(cell.ci)
    return "–" if cell.acs is None else figures.score_span(cell.acs_ci)


def _blocks(
    title: str, rows: Sequence[str], targets: Sequence[str], cell: Cell, width: int, head: str = "", *, rule: int = -1
) -> list[RenderableType]:
    """A table with a column per target, cut into several below each other where they are too many for the screen.

    `head`: what stands below each target's name. `rule`: the row below which there is a line.
    """
    gap = 2 if width >= ROOMY else 1
    names = [one_line(row) for row in rows]
    first = min(max(cell_len(name) for name in names), CATEGORY, width // 3)
    fitting = max(1, (width - first) // (ROOM + gap))
    parts: list[RenderableType] = []
    for number, block in enumerate(_dealt(targets, fitting)):
        label = max(ROOM, min(LABEL, (width - first) // len(block) - gap))
        columns: list[Column[str]] = [Column("category", partial(_name, first), text=True, fixed=True)]
        for target in block:  # flush left: blanks at the end of a cell are part of its layout
            name = "\n".join([*folded(model_name(target), label), *([head] if head else [])])
            columns.append(Column(name, partial(cell, target), text=True, fixed=True))
        table = table_of(columns, rows, width=width, title=title if number == 0 else f"{title} (continued)")
        underline(table, rule)
        parts += ["", table]
    return parts


def _name(room: int, row: str) -> Text:
    return Text(clip(one_line(row), room), "bold" if row == ALL else "dim" if row in SPAN_ROWS else "")


def _dealt(targets: Sequence[str], most: int) -> Iterator[Sequence[str]]:
    """Blocks of at most `most` targets, as even as can be."""
    blocks = -(-len(targets) // most)
    size = -(-len(targets) // blocks)
    return (targets[start : start + size] for start in range(0, len(targets), size))


def _beside(comparison: EqtComparison, benchmark: BenchmarkComparison, width: int) -> list[RenderableType]:
    """The drop per category, how the two go together, and where both rank the targets alike."""
    cells = {(cell.target, cell.category): cell for cell in benchmark.cells}
    held = {cell.category for cell in benchmark.cells}
    rows = [name for name in (*comparison.categories, ALL) if name in held]
    targets = [target for target in comparison.targets if any(cell.target == target for cell in benchmark.cells)]
    parts: list[RenderableType] = []
    if rows and targets:
        rule = len(rows) - 2 if ALL in held else -1
        parts += _blocks("Benchmark against EQT", rows, targets, partial(_drop, cells), width, DROPS, rule=rule)
        parts.append(Text(DROPS_LEGEND, "dim"))
    parts += ["", Text(correlation_words(benchmark.correlation), "bold")]
    parts += [Text(sentence(PAIRS_ALIKE), "dim")] if has_p_values(benchmark.correlation) else []
    return [*parts, *_ranks(benchmark, cells, rows, targets, width), *listed("Benchmark", benchmark.notes)]


def _drop(cells: Mapping[tuple[str, str], BenchmarkCell], target: str, row: str) -> str:
    cell = cells.get((target, row))
    return "–" if cell is None else f"{figures.whole(cell.benchmark):>5}{figures.points(cell.drop):>6}"


def _ranks(
    benchmark: BenchmarkComparison,
    cells: Mapping[tuple[str, str], BenchmarkCell],
    rows: Sequence[str],
    targets: Sequence[str],
    width: int,
) -> list[RenderableType]:
    """The rank-match map over the categories in which every target has both numbers."""
    whole = [row for row in rows if row != ALL and all((target, row) in cells for target in targets)]
    if not benchmark.ranked or not whole:
        return []

    def shown(target: str, row: str) -> str | Text:
        if row == ALL:
            return f"{benchmark.matches.get(target, 0)} of {benchmark.ranked}"
        return rank_cell(cells[target, row])

    table = _blocks("Ranks by EQT and by benchmark", [*whole, ALL], targets, shown, width, rule=len(whole) - 1)
    return [*table, Text("✓ the same rank · rank by EQT accuracy/by benchmark where they differ; 1 is best", "dim")]


def rank_cell(cell: BenchmarkCell) -> Text:
    """`✓ 1`, or `· 3/1` where the two ranks differ."""
    if cell.match:
        return Text(f"✓ {cell.rank:g}", STYLES["correct"])
    return Text(f"· {cell.rank:g}/{cell.benchmark_rank:g}")


def correlation_words(row: Correlation) -> str:
    """`Pearson r .36 (p .003), Spearman ρ .41 (p .001), Kendall τ .29 (p .002), n 70`."""
    parts = [
        _coefficient("Pearson r", row.pearson, row.pearson_p),
        _coefficient("Spearman ρ", row.spearman, row.spearman_p),
        _coefficient("Kendall τ", row.kendall, row.kendall_p),
    ]
    return ", ".join([*parts, f"n {row.n}"])


def _coefficient(name: str, value: float | None, p: float | None) -> str:
    return f"{name} {figures.score(value)}" + ("" if value is None else f" (p {figures.p_value(p)})")
