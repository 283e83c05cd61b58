"""Where a target's rank in the Explain-Query-Test is its rank in the benchmark: category by target."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from .....state.eqt.result import BenchmarkCell, BenchmarkComparison
from ....page.chart import svg
from ....page.chart.names import (
    MOST_CATEGORIES,
    category_labels,
    category_order,
    labels,
    left_out,
    sentences,
    widest,
    wrap,
)

_FILLS = {"same rank": "#9ecae1", "another rank": "#fdd0a2", "not ranked": "#f0f0f0"}
_COLUMN, _ROW, _LINE = 120, 26, 14
"""Width and height of a cell, and of a line above the columns, in pixels."""
_LEAST = 320
"""Of all columns together, in pixels."""


def can_rank(benchmark: BenchmarkComparison) -> bool:
    """Whether there is anything to show: two targets that the benchmark knows, and a category that both have."""
    return len(benchmark.matches) > 1 and any(_ranked(cells, benchmark) for cells in _by_category(benchmark).values())


def ranks_picture(path: Path, benchmark: BenchmarkComparison, categories: Sequence[str], notes: Sequence[str]) -> Path:
    """Draw it into the file; only where `can_rank`. Raises UsageError when it cannot be written."""
    by_category = _by_category(benchmark)
    every = category_order(categories, by_category)
    drawn = category_labels(every[:MOST_CATEGORIES], 34)
    columns = _columns(benchmark)
    rows = [
        {"target": columns[target], "category": label} | _cell(target, by_category[category], benchmark)
        for category, label in drawn.items()
        for target in columns
    ]
    said = [
        *notes,
        "In each cell: the rank by EQT accuracy, then the rank in the benchmark; = where they are the same, ≠ where "
        "they differ. 1 is the best; ties share the mean of their ranks.",
        *(["–: not ranked, since not every target has both numbers."] if any(r["ranks"] == "–" for r in rows) else []),
        *left_out(every, drawn),
    ]
    width = max(_COLUMN * len(columns), _LEAST)
    words = svg.Words(
        title="Ranks in EQT and in the benchmark",
        subtitle=sentences(said, width + widest(drawn.values())),
        description=" ".join([*said, *_in_words(benchmark)]),
    )
    chart = _map(rows, list(columns.values()), list(drawn.values())).properties(width=width, height=_ROW * len(drawn))
    return svg.saved(path, chart, words)


def _columns(benchmark: BenchmarkComparison) -> dict[str, str]:
    """Target → the head of its column, of as many lines as every other."""
    count = f" of {benchmark.ranked} same" if benchmark.ranked else ""
    heads = {
        target: [*wrap(label, 16), *([f"{benchmark.matches[target]}{count}"] if count else [])]
        for target, label in labels(benchmark.matches, 76).items()
    }
    lines = max(map(len, heads.values()))
    return {target: "\n".join([*[""] * (lines - len(head)), *head]) for target, head in heads.items()}


def _map(rows: list[dict[str, str]], columns: list[str], categories: list[str]) -> "svg.Drawn":
    import altair as alt

    height = _LINE * (columns[0].count("\n") + 1)
    heads = alt.Axis(
        orient="top",
        labelAngle=0,
        labelBaseline="top",
        labelLineHeight=_LINE,
        labelPadding=height + 2,
        labelExpr="split(datum.label, '\\n')",
        **_BARE,
    )
    x = alt.X(field="target", type="nominal", scale=alt.Scale(domain=columns, padding=0), axis=heads)
    y = alt.Y(
        field="category",
        type="nominal",
        scale=alt.Scale(domain=categories, padding=0),
        axis=alt.Axis(labelPadding=6, minExtent=widest(categories), **_BARE),
    )
    kinds = [kind for kind in _FILLS if any(row["kind"] == kind for row in rows)]
    fill = alt.Color(
        field="kind",
        type="nominal",
        scale=alt.Scale(domain=kinds, range=[_FILLS[kind] for kind in kinds]),
        legend=alt.Legend(orient="bottom", title=None, symbolStrokeColor=svg.FAINT, columnPadding=24),
    )
    base = alt.Chart(alt.InlineData(values=tuple(rows))).encode(x=x, y=y)
    return alt.layer(
        base.mark_rect(stroke="white", strokeWidth=2).encode(color=fill),
        base.mark_text(fontSize=12, color=svg.INK).encode(text=alt.Text(field="ranks", type="nominal")),
    )


_BARE: dict[str, Any] = {"title": None, "domain": False, "ticks": False, "labelOverlap": False}


def _by_category(benchmark: BenchmarkComparison) -> dict[str, dict[str, BenchmarkCell]]:
    found: dict[str, dict[str, BenchmarkCell]] = {}
    for cell in benchmark.cells:
        found.setdefault(cell.category, {})[cell.target] = cell
    return found


def _ranked(cells: Mapping[str, BenchmarkCell], benchmark: BenchmarkComparison) -> bool:
    """Whether the ranks of a category are over all targets that the benchmark knows."""
    return all(target in cells for target in benchmark.matches)


def _cell(target: str, cells: Mapping[str, BenchmarkCell], benchmark: BenchmarkComparison) -> dict[str, str]:
    if not _ranked(cells, benchmark):
        return {"kind": "not ranked", "ranks": "–"}
    cell = cells[target]
    kind, sign = ("same rank", "=") if cell.match else ("another rank", "≠")
    return {"kind": kind, "ranks": f"{cell.rank:g} {sign} {cell.benchmark_rank:g}"}


def _in_words(benchmark: BenchmarkComparison) -> list[str]:
    return [
        f"{target}: the same rank in {count} of {benchmark.ranked} categories."
        for target, count in benchmark.matches.items()
    ]
