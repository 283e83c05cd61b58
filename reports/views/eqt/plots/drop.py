"""Benchmark scores and Explain-Query-Test accuracy side by side, a panel per target."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .....state.eqt.result import BenchmarkCell, BenchmarkComparison
from ....page.chart import svg
from ....page.chart.names import (
    ALL,
    MOST_CATEGORIES,
    category_labels,
    category_order,
    labels,
    left_out,
    sentences,
    widest,
    wrap,
)
from ....page.chart.panels import data
from ....page.figures import percent
from ....page.palette import OTHERS

_FILLS = {"benchmark": "#c8c8c8", "EQT": OTHERS[0]}
_WIDTHS = {1: 360, 2: 300, 3: 220}
"""Of a panel in pixels, by the number of columns."""
_ROW = 28
"""Height of a category in pixels."""


@dataclass(frozen=True, slots=True)
class _Layout:
    """What all panels share."""

    targets: Mapping[str, str]
    """Target → its label."""
    categories: Mapping[str, str]
    """Category → its label, from the top."""
    columns: int
    width: int


def drop_picture(path: Path, benchmark: BenchmarkComparison, categories: Sequence[str], notes: Sequence[str]) -> Path:
    """Draw it into the file; needs a cell at least. Raises UsageError when it cannot be written."""
    import altair as alt

    by_target: dict[str, list[BenchmarkCell]] = {}
    for cell in benchmark.cells:
        by_target.setdefault(cell.target, []).append(cell)
    every = category_order(categories, [cell.category for cell in benchmark.cells])
    drawn = category_labels(every[:MOST_CATEGORIES], 34)
    columns = 2 if len(by_target) == 4 else min(len(by_target), 3)
    layout = _Layout(labels(by_target, 3 * _WIDTHS[columns] // 8), drawn, columns, _WIDTHS[columns])
    said = [
        *notes,
        "Drop: the benchmark's score minus the EQT accuracy, in percentage points (pp); below 0 where EQT is higher.",
        *left_out(every, drawn),
    ]
    panels = [_panel(cells, layout, place) for place, cells in enumerate(by_target.values())]
    words = svg.Words(
        title="Accuracy in the benchmark and in EQT",
        subtitle=sentences(said, columns * (layout.width + 60) + 60),
        description=" ".join([*said, *(_in_words(cell) for cell in benchmark.cells if cell.category == ALL)]),
    )
    return svg.saved(path, alt.concat(*panels, columns=columns, spacing=20), words)


def _in_words(cell: BenchmarkCell) -> str:
    return f"{cell.target}: benchmark {percent(cell.benchmark)}, EQT {percent(cell.accuracy)} over all concepts."


def _panel(cells: Sequence[BenchmarkCell], layout: _Layout, place: int) -> "svg.Drawn":
    import altair as alt

    known = {cell.category: cell for cell in cells}
    bars = [
        {"category": label, "kind": kind, "share": share}
        for category, label in layout.categories.items()
        if category in known
        for kind, share in zip(_FILLS, (known[category].benchmark, known[category].accuracy), strict=True)
    ]
    drops = [
        {"category": label, "drop": points(known[category].drop) if category in known else "–"}
        for category, label in layout.categories.items()
    ]
    y = _categories(layout, shown=place % layout.columns == 0)
    words: dict[str, Any] = {"align": "left", "x": layout.width + 7, "color": svg.INK}
    layers = [
        data(bars)
        .mark_bar(stroke=svg.FAINT, strokeWidth=0.5)
        .encode(
            x=_shares(shown=place + layout.columns >= len(layout.targets)),
            y=y,
            yOffset=alt.YOffset(field="kind", type="nominal", sort=list(_FILLS)),
            color=alt.Color(
                field="kind",
                type="nominal",
                scale=alt.Scale(domain=list(_FILLS), range=list(_FILLS.values())),
                legend=alt.Legend(orient="bottom", title=None),
            ),
        ),
        data(drops).mark_text(**words).encode(y=y, text=alt.Text(field="drop", type="nominal")),
        data([{}]).mark_text(text="drop, pp", **words, y=-8),
    ]
    name = wrap(layout.targets[cells[0].target], layout.width // 8, lines=3)
    return alt.layer(*layers).properties(
        width=layout.width,
        height=_ROW * len(layout.categories),
        title=alt.TitleParams(text=name, fontSize=12, offset=6, lineHeight=14),
    )


def points(share: float) -> str:
    """A share of 1 as percentage points, with one decimal."""
    return f"{round(share * 100, 1) + 0:.1f}".replace("-", "−")


def _categories(layout: _Layout, *, shown: bool) -> Any:
    import altair as alt

    return alt.Y(
        field="category",
        type="nominal",
        scale=alt.Scale(domain=list(layout.categories.values()), paddingInner=0.25, paddingOuter=0.15),
        axis=alt.Axis(
            labels=shown,
            title=None,
            ticks=False,
            labelPadding=6,
            labelOverlap=False,
            minExtent=widest(layout.categories.values()) if shown else 0,
        ),
    )


def _shares(*, shown: bool) -> Any:
    import altair as alt

    return alt.X(
        field="share",
        type="quantitative",
        scale=alt.Scale(domain=[0, 1], nice=False),
        axis=alt.Axis(values=[0, 0.25, 0.5, 0.75, 1], format=".0%", labels=shown, title=None),
    )
