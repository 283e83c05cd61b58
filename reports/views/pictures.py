"""Measures over rows of answers as pictures, the same for all methods."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from textwrap import wrap
from typing import Any

from ...state.rows import AnswerRow, Estimate, Measure
from ..page.chart import Axis, chart
from ..page.forms import with_interval, written
from ..page.palette import model_marks
from ..page.picture import Picture
from ..page.remarks import SIMULATED
from .by_tag import by_measure, sides_of

MOST_RUNS = 12
"""More could not be told apart."""
FEW = 4
"""Up to so many series have their figures written beside the marks."""
SHARES = Axis("accuracy", high=1.09, values=(0.0, 0.25, 0.5, 0.75, 1.0))
"""Shares upwards, with room for a mark at the top."""
Panels = Mapping[str, Mapping[str, Mapping[Any, Estimate]]]
"""Heading, empty for a single panel → label of a model → place across → what was measured there."""


def picture(
    name: str,
    title: str,
    panels: Panels,
    results: Sequence[Any],
    words: str,
    *,
    x: Axis | None = None,
    y: Axis = SHARES,
    form: str = "percent",
    lines: Sequence[float] = (),
) -> Iterator[Picture]:
    """Points with intervals, or curves with bands over an axis of numbers; nothing without a
    figure. `results`: of all models, also those that have nothing to be drawn."""
    rows: list[dict[str, Any]] = []
    figures: dict[str, list[str]] = {}
    for heading, models in panels.items():
        for model, places in models.items():
            for place, estimate in places.items():
                if estimate.value is None:
                    continue
                figure = f"{'≥' * estimate.at_least}{written(estimate.value, form)}"
                low, high = estimate.interval or (None, estimate.value)
                row = {
                    "panel": "\n".join(wrap(heading, 60)),
                    "series": model,
                    "x": place,
                    "y": estimate.value,
                }
                if low is not None:
                    row |= {"low": low, "high": high}
                rows.append(row | {"told": figure, "edge": high})
                described = with_interval(figure, estimate.interval, form)
                place_name = str(place).replace("\n", " ")
                series = ", ".join(filter(None, [heading, model]))
                figures.setdefault(series, []).append(
                    f"{place_name} {described} of {estimate.n:,}"
                )
    if not rows:
        return
    models_drawn = dict.fromkeys(row["series"] for row in rows)
    marks = model_marks([*sides_of(results, lambda _: ()), *models_drawn])
    width, across = 480, x
    if across is None:
        across = Axis(None, [*dict.fromkeys(str(row["x"]) for row in rows)])
        figure_width = 8 * max(len(row["told"]) for row in rows)
        if len(models_drawn) > FEW:
            figure_width = 12
            for row in rows:
                row["told"] = ""
        width = max(110, figure_width * (len(models_drawn) + 1)) * len(across.names)
    columns = min(2, len(panels))
    drawing = chart(
        rows,
        across,
        y,
        {model: marks[model] for model in models_drawn},
        width=width,
        columns=columns,
        lines=lines,
    )
    target = f"Target: {next(iter(models_drawn))}." if len(models_drawn) == 1 else ""
    said = [line for line in (*_notes(results), words, target) if line]
    in_words = [f"{series}: {', '.join(parts)}." for series, parts in figures.items()]
    yield Picture(name, title, said, in_words, columns * (width + 24) + 50, drawing)


def points_of(
    name: str,
    title: str,
    results: Sequence[Any],
    rows_of: Callable[[Any], Sequence[AnswerRow]],
    measures: Sequence[Measure],
    words: str = "",
) -> Iterator[Picture]:
    """The measures of each of the first models side by side."""
    sides = sides_of(results[:MOST_RUNS], rows_of).items()
    estimates = {label: by_measure(rows, measures) for label, rows in sides}
    words = f"{words} Lines: 95% intervals.".strip()
    return picture(name, title, {"": estimates}, results, words)


def _notes(results: Sequence[Any]) -> Iterator[str]:
    """What must stand in every picture: that numbers are simulated, which runs are drawn, and which
    are not whole."""
    if any(result.simulated for result in results):
        yield SIMULATED
    if len(results) > MOST_RUNS:
        yield f"The first {MOST_RUNS} of {len(results)} runs are drawn."
    for run in results[:MOST_RUNS]:
        if run.status != "complete":
            yield f"{run.spec.target} is not finished."
