"""Forward and backward discrepancies: the average by depth pair, and the frequency and intensity that make it up."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import ceil
from typing import Any, Literal, get_args

from .....state.depthqa.result import DepthQAResult, Discrepancies, DiscrepancyRow, Pair
from ....page.chart.axes import FAINT, Axis, Channels, Row, Series, data, text
from ....page.chart.draw import Drawn, across, below_each_other, chart, heading, interval
from ....page.chart.picture import Picture
from ....page.chart.runs import by_mode, only
from ....page.figures import number, span_words
from .scores import Runs

Direction = Literal["forward", "backward"]
WAYS: tuple[Direction, ...] = get_args(Direction)
PAIRS: tuple[Pair, ...] = get_args(Pair)
DISCREPANCIES = "discrepancies"
PLANE = 170
"""Side of a panel of frequency and intensity, and height of all, in pixels."""
_CURVES = (0.02, 0.05, 0.1, 0.2, 0.3, 0.5)
"""Averages that have a curve."""
_POINTS = 24
"""Of a curve."""
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class _Mark:
    """A row of figures and where it stands."""

    series: str
    strip: str
    """The mode, where there are several, and the direction."""
    pair: Pair
    row: DiscrepancyRow | None
    """None also where no question counts."""

    def head(self, name: str) -> Row:
        return {"panel": f"{heading(self.strip, PLANE)}\n{name}", "series": self.series}


def discrepancies_picture(runs: Runs, told: Sequence[str]) -> Picture | None:
    """None where no question counts."""
    held = {label: found for label, result in runs.items() if (found := _found(result))}
    if not held:
        return None
    shown, series = by_mode(held, [*runs])
    every = [row for own in held.values() for found in own.values() for row in _every(found)]
    never = any(row.average is not None and row.intensity is None for row in every)
    said = [
        *told,
        *only(shown, series),
        "Forward: a question scores lower than those that lead to it. Backward: lower than those it leads to. Only "
        "questions whose neighbours' mean score is at least 4 of 5 count. Discrepancies are shares of the 4 points "
        "between best and worst score. Above: their average, which is frequency (share of questions with any) times "
        "intensity (mean of those), shown below; grey curves: equal average (value at the right end). "
        'Lines: 95% intervals, clustered by tree. Panels without eligible questions, and "overall" panels with a '
        "single pair, are omitted.",
        *(["Marks at intensity 0: no discrepancy found, so no intensity."] if never else []),
    ]
    strips = [
        [_Mark(name, strip, pair, _rows(found, way).get(pair)) for name, found in each.held.items() for pair in PAIRS]
        for each in shown
        for way in WAYS
        for strip in [way if len(shown) == 1 else f"{each.title}, {way}"]
    ]
    tops = _top(every, "average"), _top(every, "intensity")
    words = [f"{label}, {mode}: {_in_words(found)}." for label, own in held.items() for mode, found in own.items()]
    width = max(_average_width(series) + 90, 3 * (PLANE + 24) + 80)
    draw = lambda: _draw(strips, series, tops)  # noqa: E731  # drawn when it is saved
    return Picture(DISCREPANCIES, "Discrepancies between depths", said, words, width, draw, series.legend)


def _draw(strips: Sequence[Sequence[_Mark]], series: Series, tops: tuple[float, float]) -> Drawn:
    """Strips of the same pairs are one grid, and their axes are one."""
    parts: list[Drawn] = []
    for pairs, same in groupby(strips, _telling):
        marks = [mark for strip in same for mark in strip if mark.pair in pairs]
        if pairs:
            parts += [_averages(marks, series, tops[0], pairs), _planes(marks, series, tops[1], max(2, len(pairs)))]
    return below_each_other(parts, xOffset="independent")


def _averages(marks: Sequence[_Mark], series: Series, top: float, pairs: Sequence[Pair]) -> Drawn:
    """The averages, a panel for each mode and direction."""
    rows: list[Row] = [mark.head("average") | _average(mark) for mark in marks]
    width = _average_width(series, len(pairs))
    y = Axis("average", high=top, labels=".1f")
    return chart(rows, Axis(names=pairs), y, series, width=width, height=PLANE, columns=1 if width > 330 else 2)


def _average(mark: _Mark) -> Row:
    row = mark.row
    if row is None or row.average is None:
        return {}
    return {"x": mark.pair, "y": row.average, "told": number(row.average), **interval(row.average_ci)}


def _planes(marks: Sequence[_Mark], series: Series, top: float, columns: int) -> Drawn:
    """Frequency and intensity, a panel for each mode, direction and pair: `columns` side by side."""
    rows: list[Row] = [mark.head(mark.pair) | _point(mark) for mark in marks]
    x = Axis("frequency", values=(0.0, 0.5, 1.0))
    y = Axis("intensity", high=top, labels=".1f")
    return chart(rows, x, y, series, width=PLANE, height=PLANE, columns=columns, under=_curves)


def _point(mark: _Mark) -> Row:
    row = mark.row
    if row is None or row.frequency is None:
        return {}
    ends = across(row.frequency_ci) | interval(row.intensity_ci)
    return {"x": row.frequency, "y": row.intensity or 0.0} | ends


def _curves(at: Channels) -> list[Any]:
    """Where the average is the same, with the average at the right end."""
    import altair as alt

    top, levels = at.y_axis.high, list[float]()
    for level in _CURVES:
        if level < top and all(abs(level - other) / top * PLANE >= 12 for other in (0.0, *levels)):
            levels.append(level)
    highest = 0.99 * top  # the width of a line that ends at the edge would make the panel larger than those beside it
    # computed where it is drawn: a thousand points in the chart would be copied and checked many times
    points = alt.Chart(alt.sequence(0, len(levels) * _POINTS, as_="n")).transform_calculate(
        curve=f"{levels}[floor(datum.n / {_POINTS})]",
        x=f"pow(datum.curve / {highest}, 1 - datum.n % {_POINTS} / {_POINTS - 1})",
        y="datum.curve / datum.x",
    )
    ends = [{"x": 1, "y": level, "told": f"{level:g}"} for level in levels]
    lines = points.mark_line(color="#b0b0b0", strokeWidth=1)
    return [
        lines.encode(detail=alt.Detail(field="curve", type="nominal"), **at.at),
        data(ends).mark_text(fill=FAINT, align="left", dx=8).encode(text=text("told"), **at.at),
    ]


def _found(result: DepthQAResult) -> dict[str, Discrepancies]:
    return {n.mode: n.discrepancies for n in result.modes if any(row.eligible for row in _every(n.discrepancies))}


def _telling(marks: Sequence[_Mark]) -> tuple[Pair, ...]:
    """The pairs of which any question counts; both together only where they are two."""
    counted = {mark.pair for mark in marks if mark.row is not None and mark.row.eligible}
    single = len(counted - {"overall"}) == 1
    return tuple(pair for pair in PAIRS if pair in counted and not (single and pair == "overall"))


def _every(found: Discrepancies) -> list[DiscrepancyRow]:
    return [*found.forward.values(), *found.backward.values()]


def _rows(found: Discrepancies, way: Direction) -> Mapping[Pair, DiscrepancyRow]:
    return found.forward if way == "forward" else found.backward


def _top(rows: Iterable[DiscrepancyRow], field: str) -> float:
    """The end of an axis that holds all values: the next tenth, with room above."""
    values = [v for row in rows for v in (getattr(row, field), *(getattr(row, f"{field}_ci") or ())) if v is not None]
    return min(1.1, max(0.2, ceil(max(values, default=0.0) * 10 + 1 - _ROUNDING) / 10))


def _average_width(series: Series, pairs: int = len(PAIRS)) -> int:
    return max(PLANE, series.step() * pairs)


def _in_words(found: Discrepancies) -> str:
    return "; ".join(f"{way} {pair} {_row_in_words(row)}" for way in WAYS for pair, row in _rows(found, way).items())


def _row_in_words(row: DiscrepancyRow) -> str:
    if row.average is None:
        return "none counts"
    said = [
        f"{name} {number(getattr(row, name), 3)}{span_words(getattr(row, f'{name}_ci'), 3)}"
        for name in ("average", "frequency", "intensity")
    ]
    return f"{', '.join(said)} over {row.eligible}"
