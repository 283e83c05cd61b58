"""A chart of falling shares in a terminal: lines of braille dots (2 × 4 per cell), and at every
step of a curve a sign of its own, so that curves can be told apart without colour."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from rich.console import RenderableType
from rich.text import Text

from .blocks import Chart, Curve
from .rows import clip
from .sanitise import one_line

LEFT = 6
"""Cells left of the plot: the scale in per cent and the axis."""
MAX_STEP = 8
"""Cells between two steps at most, so that a short line is not stretched over a wide screen."""
_DOTS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))


@dataclass
class Canvas:
    """A grid of cells; each holds a character and a style. Row 0 is the top, at a share of 1."""

    width: int
    height: int
    cells: dict[tuple[int, int], tuple[str, str]] = field(default_factory=dict)

    def put(self, column: int, row: int, char: str, style: str) -> None:
        """Set a cell; outside the grid nothing happens."""
        if 0 <= column < self.width and 0 <= row < self.height:
            self.cells[column, row] = (char, style)

    def row_of(self, share: float) -> int:
        return min(self.height - 1, max(0, round((1 - share) * (self.height - 1))))

    def line(self, row: int) -> Text:
        """One row of the grid."""
        text = Text()
        for column in range(self.width):
            text.append(*self.cells.get((column, row), (" ", "")))
        return text


def curves(chart: Chart, width: int) -> Iterator[RenderableType]:
    """The chart in `width` cells. With one curve its interval is shaded; several on one another
    could not be told apart."""
    deepest = max((round(point[0]) for curve in chart.curves for point in curve.points), default=0)
    if not deepest:
        return
    step = max(1, min(MAX_STEP, (width - LEFT - 2) // deepest))
    canvas = Canvas(min(width - LEFT, deepest * step + 2), chart.height)
    _ground(canvas, chart, step)
    for curve in chart.curves:
        _draw(canvas, curve, step)
    for curve in chart.curves:
        for x, share, _, _ in curve.points:
            canvas.put(round(x) * step, canvas.row_of(share), curve.sign, f"bold {curve.colour}")
    yield Text(one_line(chart.title), "bold")
    if chart.parts:
        yield Text(" " * LEFT + _parts_line(chart, canvas.width, step), "dim")
    for row in range(chart.height):
        yield Text.assemble((_scale(row, chart.height), "dim"), canvas.line(row))
    shown = min(deepest, (canvas.width - 1) // step)
    yield Text(" " * (LEFT - 1) + "└" + "─" * canvas.width, "dim")
    yield Text(chart.across.ljust(LEFT) + _steps_line(canvas.width, shown, step), "dim")
    if shown < deepest:
        yield Text(f"{chart.across}s {shown + 1} to {deepest} do not fit into this width", "yellow")
    yield _legend(chart, width)


def _ground(canvas: Canvas, chart: Chart, step: int) -> None:
    """What lies under the curves: the interval of a single one, the ends of parts, the
    threshold."""
    if len(chart.curves) == 1:
        points = chart.curves[0].points
        low, high = [1.0, *(point[2] for point in points)], [1.0, *(point[3] for point in points)]
        for column in range(canvas.width):
            bottom, top = _between(low, column, step), _between(high, column, step)
            for row in (
                range(canvas.row_of(top), canvas.row_of(bottom) + 1)
                if bottom is not None and top
                else ()
            ):
                canvas.put(column, row, "░", "blue")
    for first, _ in list(chart.parts.values())[1:]:
        for row in range(canvas.height):
            canvas.put(first * step - (step + 1) // 2, row, "┊", "dim")
    if chart.threshold is not None:
        for column in range(canvas.width):
            canvas.put(column, canvas.row_of(chart.threshold), "╌", "red")


def _between(points: Sequence[float], column: int, step: int) -> float | None:
    """The value of the line through `points` (at columns 0, step, 2·step, …) at a column; None
    beyond it."""
    index, rest = divmod(column, step)
    if index >= len(points) or (index == len(points) - 1 and rest):
        return None
    return (
        points[index] + (points[index + 1] - points[index]) * rest / step if rest else points[index]
    )


def _draw(canvas: Canvas, curve: Curve, step: int) -> None:
    """A cell shared by two curves shows the later one's dots, never a mixture of both."""
    points = [1.0, *(point[1] for point in curve.points)]
    fine = canvas.height * 4 - 4
    dots: dict[tuple[int, int], int] = {}
    last: int | None = None
    for x in range(2 * step * (len(points) - 1) + 1):
        y = round((1 - (_between(points, x, 2 * step) or 0.0)) * fine) + 2
        start = y if last is None else last
        for at in range(min(y, start), max(y, start) + 1):
            cell = x // 2, at // 4
            dots[cell] = dots.get(cell, 0) | _DOTS[at % 4][x % 2]
            canvas.put(*cell, chr(0x2800 + dots[cell]), curve.colour)
        last = y


def _scale(row: int, height: int) -> str:
    labelled = row in (0, height - 1) or row == round((height - 1) / 2)
    return f"{(1 - row / (height - 1)) * 100:>4.0f}%┤" if labelled else " " * (LEFT - 1) + "│"


def _steps_line(width: int, deepest: int, step: int) -> str:
    line = [" "] * (width + 2)
    every = -(-3 // step)  # labels of two digits and a space between them
    for depth in range(0, deepest + 1, every):
        label = str(depth)
        start = max(0, depth * step - (len(label) - 1))
        line[start : start + len(label)] = label
    return "".join(line).rstrip()


def _parts_line(chart: Chart, width: int, step: int) -> str:
    """The names of parts over their steps, cut where a part is narrower than its name."""
    line = ""
    for name, (first, last) in chart.parts.items():
        start = max(len(line), first * step - step // 2)
        stop = min(width, last * step + (step + 1) // 2)
        line = line.ljust(start) + clip(name, max(0, stop - start - 1)).ljust(stop - start)
    return line.rstrip()


def _legend(chart: Chart, width: int) -> Text:
    text = Text()
    room = max(10, width // max(1, min(len(chart.curves), 3)) - 4)
    for curve in chart.curves:
        text.append(curve.sign, f"bold {curve.colour}").append(
            f" {clip(one_line(curve.name), room)}   "
        )
    if len(chart.curves) == 1:
        text.append("░", "blue").append(" 95% interval   ", "dim")
    if chart.threshold is not None:
        text.append("╌", "red").append(f" threshold {chart.threshold * 100:g}%", "dim")
    return text
