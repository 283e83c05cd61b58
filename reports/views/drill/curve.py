"""The survival curve in a terminal: S(d) over depth, its interval as a shade, the threshold, the tiers.

Lines are drawn with braille dots (2 × 4 per cell). Each curve also has a sign of its own at every depth, so that
curves can be told apart without colour.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from rich.cells import cell_len
from rich.console import Group, RenderableType
from rich.text import Text

from ....state.result import DepthRow, DrillResult
from ....state.spec import DrillSpec
from ....state.tiers import tier_of
from ....state.worlds import label_of
from ...page import figures
from ...page.palette import Mark, model_marks
from ...page.rows import clip
from ...page.sanitise import one_line

LEFT = 6
"""Cells left of the plot: the scale in per cent and the axis."""
MAX_STEP = 8
"""Cells between two depths at most, so that a short drill is not stretched over a wide screen."""
_DOTS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))


@dataclass(frozen=True, slots=True)
class Curve:
    """One survival curve and its name."""

    label: str
    rows: tuple[DepthRow, ...]


@dataclass
class Canvas:
    """A grid of cells; each holds a character and a style. Row 0 is the top."""

    width: int
    height: int
    cells: dict[tuple[int, int], tuple[str, str]] = field(default_factory=dict)
    dots: dict[tuple[int, int], int] = field(default_factory=dict)

    def put(self, column: int, row: int, char: str, style: str) -> None:
        """Set a cell; outside the grid nothing happens."""
        if 0 <= column < self.width and 0 <= row < self.height:
            self.cells[column, row] = (char, style)

    def dot(self, x: int, y: int, style: str) -> None:
        """Set one braille dot; x counts half cells from the left, y quarter cells from the top."""
        column, row = x // 2, y // 4
        if 0 <= column < self.width and 0 <= row < self.height:
            self.dots[column, row] = self.dots.get((column, row), 0) | _DOTS[y % 4][x % 2]
            self.cells[column, row] = (chr(0x2800 + self.dots[column, row]), style)

    def line(self, row: int) -> Text:
        """One row of the grid."""
        text = Text()
        for column in range(self.width):
            text.append(*self.cells.get((column, row), (" ", "")))
        return text


def curve_of(result: DrillResult) -> Curve:
    """The curve of a result, named after its target."""
    return Curve(label_of(result.spec.target), result.depths)


def survival_plot(
    curves: Sequence[Curve],
    *,
    width: int,
    spec: DrillSpec | None = None,
    height: int = 13,
    models: Sequence[str] = (),
) -> RenderableType:
    """S(d) of one or several drills of one domain in `width` cells; `height` rows between 0 and 100%.

    With one curve its 95% interval is shaded; several intervals on one another could not be told apart. `spec`
    gives the threshold and the passes per tier; without it neither is drawn. `models`: all that are shown together,
    here or in another plot, so that each has one colour and sign.
    """
    deepest = max((row.depth for curve in curves for row in curve.rows), default=0)
    if deepest == 0:
        return Text("no depth was closed", "dim")
    step = max(1, min(MAX_STEP, (width - LEFT - 2) // deepest))
    canvas = Canvas(min(width - LEFT, deepest * step + 2), height)
    if len(curves) == 1:
        _shade(canvas, curves[0], step)
    if spec is not None:
        _boundaries(canvas, deepest, step, spec.passes)
        _threshold(canvas, spec.threshold)
    marks = model_marks([*models, *(curve.label for curve in curves)])
    for curve in curves:
        _draw(canvas, curve, step, marks[curve.label].colour)
    for curve in curves:
        _signs(canvas, curve, step, marks[curve.label])
    shown = min(deepest, (canvas.width - 1) // step)
    rows: list[RenderableType] = [Text("Survival: share still answered correctly at each depth", "bold")]
    if spec is not None:
        rows.append(Text(" " * LEFT + _tier_line(canvas.width, deepest, step, spec.passes), "dim"))
    rows += [Text.assemble((_scale(row, height), "dim"), canvas.line(row)) for row in range(height)]
    rows.append(Text(" " * (LEFT - 1) + "└" + "─" * canvas.width, "dim"))
    rows.append(Text("depth".ljust(LEFT) + _depth_line(canvas.width, shown, step), "dim"))
    if shown < deepest:
        rows.append(Text(f"depths {shown + 1} to {deepest} do not fit into this width", "yellow"))
    return Group(*rows, _legend(curves, marks, spec, width))


def _row_of(share: float, height: int) -> int:
    return min(height - 1, max(0, round((1 - share) * (height - 1))))


def _between(points: Sequence[float], column: int, step: int) -> float | None:
    """The value of the polyline through `points` (at columns 0, step, 2·step, …) at a column; None beyond it."""
    index, rest = divmod(column, step)
    if index >= len(points) or (index == len(points) - 1 and rest):
        return None
    if not rest:
        return points[index]
    return points[index] + (points[index + 1] - points[index]) * rest / step


def _shade(canvas: Canvas, curve: Curve, step: int) -> None:
    low = [1.0, *(row.survival_ci[0] for row in curve.rows)]
    high = [1.0, *(row.survival_ci[1] for row in curve.rows)]
    for column in range(canvas.width):
        bottom, top = _between(low, column, step), _between(high, column, step)
        if bottom is not None and top is not None:
            for row in range(_row_of(top, canvas.height), _row_of(bottom, canvas.height) + 1):
                canvas.put(column, row, "░", "blue")


def _boundaries(canvas: Canvas, deepest: int, step: int, passes: int) -> None:
    for depth in range(2, deepest + 1):
        if tier_of(depth, passes)[0] is not tier_of(depth - 1, passes)[0]:
            for row in range(canvas.height):
                canvas.put(depth * step - (step + 1) // 2, row, "┊", "dim")


def _threshold(canvas: Canvas, threshold: float) -> None:
    row = _row_of(threshold, canvas.height)
    for column in range(canvas.width):
        canvas.put(column, row, "╌", "red")


def _draw(canvas: Canvas, curve: Curve, step: int, colour: str) -> None:
    canvas.dots.clear()  # a cell shared by two curves shows the later one's dots, never a mixture of both
    points = [1.0, *(row.survival for row in curve.rows)]
    fine = canvas.height * 4 - 4
    last: int | None = None
    for x in range(2 * step * (len(points) - 1) + 1):
        value = _between(points, x, 2 * step)
        if value is None:
            break
        y = round((1 - value) * fine) + 2
        for between in range(min(y, last if last is not None else y), max(y, last if last is not None else y) + 1):
            canvas.dot(x, between, colour)
        last = y


def _signs(canvas: Canvas, curve: Curve, step: int, mark: Mark) -> None:
    for index, row in enumerate(curve.rows, start=1):
        canvas.put(index * step, _row_of(row.survival, canvas.height), mark.sign, f"bold {mark.colour}")


def _scale(row: int, height: int) -> str:
    share = 1 - row / (height - 1)
    labelled = row in (0, height - 1) or row == round((height - 1) / 2)
    return f"{share * 100:>4.0f}%┤" if labelled else " " * (LEFT - 1) + "│"


def _depth_line(width: int, deepest: int, step: int) -> str:
    line = [" "] * (width + 2)
    every = -(-3 // step)  # labels of two digits and a space between them
    for depth in range(0, deepest + 1, every):
        label = str(depth)
        start = max(0, depth * step - (len(label) - 1))
        line[start : start + len(label)] = label
    return "".join(line).rstrip()


def _tier_line(width: int, deepest: int, step: int, passes: int) -> str:
    """The tiers' names over their depths, cut where a tier is narrower than its name."""
    line = ""
    depth = 1
    while depth <= deepest:
        tier = tier_of(depth, passes)[0]
        end = depth
        while end < deepest and tier_of(end + 1, passes)[0] is tier:
            end += 1
        start = max(len(line), depth * step - step // 2)
        stop = min(width, end * step + (step + 1) // 2)
        line = line.ljust(start) + clip(figures.tier_name(tier), max(0, stop - start - 1)).ljust(stop - start)
        depth = end + 1
    return line.rstrip()


def _legend(curves: Sequence[Curve], marks: Mapping[str, Mark], spec: DrillSpec | None, width: int) -> Text:
    text = Text()
    room = max(10, width // max(1, min(len(curves), 3)) - 4)
    for curve in curves:
        label = clip(one_line(curve.label), room)
        text.append(marks[curve.label].sign, f"bold {marks[curve.label].colour}")
        text.append(f" {label}   " if cell_len(label) else "   ")
    if len(curves) == 1:
        text.append("░", "blue")
        text.append(" 95% interval   ", "dim")
    if spec is not None:
        text.append("╌", "red")
        text.append(f" threshold {spec.threshold * 100:g}%", "dim")
    return text
