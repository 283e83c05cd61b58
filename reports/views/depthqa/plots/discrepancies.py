"""Forward and backward discrepancies: the average by depth pair, and the frequency and intensity that make it up."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import ceil
from pathlib import Path
from typing import Any, Literal, get_args

from .....state.depthqa.items import Mode
from .....state.depthqa.result import DepthQAResult, Discrepancies, DiscrepancyRow, Pair
from ....page.chart import svg
from ....page.chart.panels import (
    Look,
    Row,
    Runs,
    by_mode,
    data,
    dots,
    ends,
    figure,
    having,
    heading,
    heights,
    interval,
    only,
    panels,
    places,
    words,
)

Direction = Literal["forward", "backward"]
WAYS: tuple[Direction, ...] = get_args(Direction)
PAIRS: tuple[Pair, ...] = get_args(Pair)
_PLANE = 170
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


@dataclass(frozen=True, slots=True)
class _Tops:
    """The upper ends of the axes, the same in all panels."""

    average: float
    intensity: float


def discrepancies_picture(path: Path, runs: Runs, notes: Sequence[str]) -> Path | None:
    """Draw them into the file; None, and no file, where no question counts. Raises UsageError when it cannot be
    written."""
    import altair as alt

    held = {label: found for label, result in runs.items() if (found := _found(result))}
    if not held:
        return None
    shown, look = by_mode(held, runs)
    rows = [row for own in held.values() for found in own.values() for row in _every(found)]
    tops = _Tops(
        average=_top([value for r in rows for value in (r.average, *(r.average_ci or ()))]),
        intensity=_top([value for r in rows for value in (r.intensity, *(r.intensity_ci or ()))]),
    )
    never = any(row.average is not None and row.intensity is None for row in rows)
    said = [
        *notes,
        *only(shown, look),
        "Forward: a question scores lower than those that lead to it. Backward: lower than those it leads to. Only "
        "questions whose neighbours' mean score is at least 4 of 5 count. Discrepancies are shares of the 4 points "
        "between best and worst score. Above: their average, which is frequency (share of questions with any) times "
        "intensity (mean of those), shown below; grey curves: equal average (value at the right end). "
        'Lines: 95% intervals, clustered by tree. Panels without eligible questions, and "overall" panels with a '
        "single pair, are omitted.",
        *(["Marks at intensity 0: no discrepancy found, so no intensity."] if never else []),
    ]
    strips = [
        [_Mark(name, strip, pair, _rows(found, way).get(pair)) for name, found in each.series.items() for pair in PAIRS]
        for each in shown
        for way in WAYS
        for strip in [way if len(shown) == 1 else f"{each.title}, {way}"]
    ]
    parts = []
    for pairs, same in groupby(strips, _telling):  # strips of the same pairs are one grid, and their axes are one
        marks = [mark for strip in same for mark in strip if mark.pair in pairs]
        if pairs:
            parts += [
                _averages(marks, look, tops.average, pairs),
                _planes(marks, look, tops.intensity, max(2, len(pairs))),
            ]
    width = max(2 * _average_width(look) + 90, 3 * (_PLANE + 24) + 80)
    figures = [f"{label}, {mode}: {_in_words(found)}." for label, own in held.items() for mode, found in own.items()]
    about = words("Discrepancies between depths", said, figures, look, width)
    picture = alt.concat(*parts, columns=1, spacing=24).resolve_scale(xOffset="independent")
    return svg.saved(path, picture, about)


def _found(result: DepthQAResult) -> dict[Mode, Discrepancies]:
    return {n.mode: n.discrepancies for n in result.modes if any(row.eligible for row in _every(n.discrepancies))}


def _telling(marks: Sequence[_Mark]) -> tuple[Pair, ...]:
    """The pairs of which any question counts; both together only where they are two."""
    counted = {mark.pair for mark in marks if mark.row is not None and mark.row.eligible}
    single = len(counted - {"overall"}) == 1
    return tuple(pair for pair in PAIRS if pair in counted and not (single and pair == "overall"))


def _every(found: Discrepancies) -> Iterable[DiscrepancyRow]:
    return [*found.forward.values(), *found.backward.values()]


def _rows(found: Discrepancies, way: Direction) -> Mapping[Pair, DiscrepancyRow]:
    return found.forward if way == "forward" else found.backward


def _top(values: Iterable[float | None]) -> float:
    """The end of an axis that holds all values: the next tenth, with room above."""
    return min(1.1, max(0.2, ceil(max((v for v in values if v is not None), default=0.0) * 10 + 1 - _ROUNDING) / 10))


def _average_width(look: Look, pairs: int = len(PAIRS)) -> int:
    return max(_PLANE, look.step * pairs)


def _averages(marks: Sequence[_Mark], look: Look, top: float, pairs: Sequence[Pair]) -> "svg.Drawn":
    """The averages, a panel for each mode and direction."""
    rows = [_head(mark, "average") | _average(mark) for mark in marks]
    layers = dots(look, x=places(pairs), y=heights("average", 0, top, format=".1f"))
    return panels(layers, rows, columns=2, width=_average_width(look, len(pairs)), height=_PLANE)


def _planes(marks: Sequence[_Mark], look: Look, top: float, columns: int) -> "svg.Drawn":
    """Frequency and intensity, a panel for each mode, direction and pair: `columns` side by side."""
    import altair as alt

    rows = [_head(mark, mark.pair) | _point(mark) for mark in marks]
    share = alt.Axis(values=[0, 0.5, 1], format=".0%", title="frequency")
    x = alt.X(field="x", type="quantitative", scale=alt.Scale(domain=[0, 1]), axis=share)
    y = heights("intensity", 0, top, field="y", format=".1f")
    left, low = alt.X(field="left", type="quantitative"), alt.Y(field="low", type="quantitative")
    line: Row = {"strokeWidth": 1.2, "opacity": 0.6}
    base: Row = {"color": look.colour()}
    layers = [
        *_curves(top),
        having("left").mark_rule(**line).encode(y=y, x=left, x2="right", **base),
        having("low").mark_rule(**line).encode(x=x, y=low, y2="high", **base),
        having("y").mark_point(size=60, strokeWidth=2, opacity=1).encode(x=x, y=y, shape=look.shape(), **base),
    ]
    return panels(layers, rows, columns=columns, width=_PLANE, height=_PLANE)


def _head(mark: _Mark, name: str) -> Row:
    return {"panel": f"{heading(mark.strip, _PLANE)}\n{name}", "series": mark.series}


def _average(mark: _Mark) -> Row:
    row = mark.row
    if row is None or row.average is None:
        return {}
    return {"place": mark.pair, "value": row.average, "told": figure(row.average), **ends(row.average_ci)}


def _point(mark: _Mark) -> Row:
    row = mark.row
    if row is None or row.frequency is None:
        return {}
    across = {} if row.frequency_ci is None else {"left": row.frequency_ci[0], "right": row.frequency_ci[1]}
    return {"x": row.frequency, "y": row.intensity or 0.0, **across, **ends(row.intensity_ci)}


def _curves(top: float) -> list[Any]:
    """Where the average is the same, with the average at the right end."""
    import altair as alt

    levels: list[float] = []
    for level in _CURVES:
        if level < top and all(abs(level - other) / top * _PLANE >= 12 for other in (0.0, *levels)):
            levels.append(level)
    highest = 0.99 * top  # the width of a line that ends at the edge would make the panel larger than those beside it
    # computed where it is drawn: a thousand points in the chart would be copied and checked many times
    points = alt.Chart(alt.sequence(0, len(levels) * _POINTS, as_="n")).transform_calculate(
        curve=f"{levels}[floor(datum.n / {_POINTS})]",
        x=f"pow(datum.curve / {highest}, 1 - datum.n % {_POINTS} / {_POINTS - 1})",
        y="datum.curve / datum.x",
    )
    x = alt.X(field="x", type="quantitative")
    y = alt.Y(field="y", type="quantitative")
    at_end = [{"x": 1, "y": level, "told": f"{level:g}"} for level in levels]
    return [
        points.mark_line(color="#b0b0b0", strokeWidth=1).encode(
            x=x, y=y, detail=alt.Detail(field="curve", type="nominal"), order=alt.Order(field="n", type="quantitative")
        ),
        data(at_end)
        .mark_text(align="left", dx=8, fontSize=11, color=svg.FAINT)
        .encode(x=x, y=y, text=alt.Text(field="told", type="nominal")),
    ]


def _in_words(found: Discrepancies) -> str:
    return "; ".join(f"{way} {pair} {_row_in_words(row)}" for way in WAYS for pair, row in _rows(found, way).items())


def _row_in_words(row: DiscrepancyRow) -> str:
    if row.average is None:
        return "none counts"
    return (
        f"average {figure(row.average, 3)}{interval(row.average_ci, 3)}, frequency {figure(row.frequency, 3)}"
        f"{interval(row.frequency_ci, 3)}, intensity {figure(row.intensity, 3)}{interval(row.intensity_ci, 3)} "
        f"over {row.eligible}"
    )
