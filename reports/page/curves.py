"""A chart of falling shares in a terminal: at every step of a curve a sign of its own, so that curves
can be told apart without colour."""

from collections.abc import Iterator

from rich.console import RenderableType
from rich.text import Text

from .blocks import Chart
from .sanitise import one_line

LEFT = 6
"""Cells left of the plot: the scale in per cent and the axis."""
HEIGHT = 13
"""Rows of the plot."""
MAX_STEP = 8
"""Cells between two steps at most, so that a short line is not stretched over a wide screen."""


def curves(chart: Chart, width: int) -> Iterator[RenderableType]:
    """The chart in `width` cells."""
    deepest = max((round(point[0]) for curve in chart.curves for point in curve.points), default=0)
    if not deepest:
        return
    step = max(1, min(MAX_STEP, (width - LEFT - 2) // deepest))
    cells = min(width - LEFT, deepest * step + 2)
    rows = [[(" ", "")] * cells for _ in range(HEIGHT)]
    if chart.threshold is not None:
        rows[_row(chart.threshold)] = [("╌", "red")] * cells
    for curve in chart.curves:
        for x, share, _, _ in curve.points:
            if round(x) * step < cells:
                rows[_row(share)][round(x) * step] = (curve.sign, f"bold {curve.colour}")
    yield Text(one_line(chart.title), "bold")
    for number, row in enumerate(rows):
        yield Text.assemble((_scale(number), "dim"), *row)
    labelled = min(deepest, (cells - 1) // step)
    yield Text(" " * (LEFT - 1) + "└" + "─" * cells, "dim")
    yield Text(chart.across.ljust(LEFT) + _steps_line(cells, labelled, step), "dim")
    yield _legend(chart)


def _row(share: float) -> int:
    """The row of a share, 0 at the top, where it is 1."""
    return min(HEIGHT - 1, max(0, round((1 - share) * (HEIGHT - 1))))


def _scale(row: int) -> str:
    labelled = row in (0, HEIGHT - 1) or row == round((HEIGHT - 1) / 2)
    return f"{(1 - row / (HEIGHT - 1)) * 100:>4.0f}%┤" if labelled else " " * (LEFT - 1) + "│"


def _steps_line(width: int, deepest: int, step: int) -> str:
    line = [" "] * (width + 2)
    distance = -(-3 // step)  # labels of two digits and a space between them
    for depth in range(0, deepest + 1, distance):
        label = str(depth)
        start = max(0, depth * step - (len(label) - 1))
        line[start : start + len(label)] = label
    return "".join(line).rstrip()


def _legend(chart: Chart) -> Text:
    text = Text()
    for curve in chart.curves:
        text.append(curve.sign, f"bold {curve.colour}").append(f" {one_line(curve.name)}   ")
    if chart.threshold is not None:
        text.append("╌", "red").append(f" threshold {chart.threshold * 100:g}%", "dim")
    return text
