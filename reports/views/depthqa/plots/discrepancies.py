"""Forward and backward discrepancies: the average by depth pair, and the frequency and intensity
that make it up."""

from collections.abc import Iterable, Sequence
from math import ceil
from typing import Literal, get_args

from .....state.depthqa.result import DepthQAResult, Discrepancies, DiscrepancyRow, Pair
from ....page.chart.axes import FAINT, Axis, Channels, Row, Spec, layer, nominal
from ....page.chart.draw import across, below_each_other, chart, heading, interval
from ....page.chart.picture import Picture
from ....page.chart.runs import by_mode, only
from ....page.figures import number, span_words
from ...pictures import in_words
from .scores import Runs, present

WAYS: tuple[Literal["forward", "backward"], ...] = ("forward", "backward")
PAIRS: tuple[Pair, ...] = get_args(Pair)
PLANE = 170
"""Side of a panel of frequency and intensity, and height of all, in pixels."""
_CURVES = (0.02, 0.05, 0.1, 0.2, 0.3, 0.5)
"""Averages that have a curve."""
_POINTS = 24
"""Of a curve."""


def discrepancies_picture(runs: Runs, told: Sequence[str]) -> Picture | None:
    """None where no question counts."""
    held = present(runs, _found)
    if not held:
        return None
    shown, series = by_mode(held, [*runs])
    every = [row for own in held.values() for found in own.values() for row in _every(found)]
    counted = {pair for own in held.values() for found in own.values() for pair in _counted(found)}
    pairs = [
        pair for pair in PAIRS if pair in counted and not (pair == "overall" and len(counted) == 2)
    ]
    marks = [
        (
            (way if len(shown) == 1 else f"{each.title}, {way}"),
            name,
            pair,
            getattr(found, way).get(pair),
        )
        for each in shown
        for way in WAYS
        for name, found in each.held.items()
        for pair in pairs
    ]
    averages = [row for mark in marks for row in _average(*mark)]
    planes = [row for mark in marks for row in _point(*mark)]
    said = [
        *told,
        *only(shown, series),
        "Forward: a question scores lower than those that lead to it. Backward: lower than those "
        "it leads to. Only "
        "questions whose neighbours' mean score is at least 4 of 5 count. Discrepancies are shares "
        "of the 4 points "
        "between best and worst score. Above: their average, which is frequency (share of "
        "questions with any) times "
        "intensity (mean of those), shown below; grey curves: equal average (value at the right "
        "end). "
        "Lines: 95% intervals, clustered by tree.",
    ]
    if any(row.average is not None and row.intensity is None for row in every):
        said.append("Marks at intensity 0: no discrepancy found, so no intensity.")
    if any("y" not in row for row in planes):
        said.append("Where a mark is missing, no question counts.")
    wide = max(PLANE, series.step() * len(pairs))
    y = Axis("average", high=_top(every, "average"), labels=".1f")
    columns = 1 if wide > 330 else 2
    above = chart(averages, Axis(names=pairs), y, series, width=wide, height=PLANE, columns=columns)
    x, y = (
        Axis("frequency", values=(0.0, 0.5, 1.0)),
        Axis("intensity", high=_top(every, "intensity"), labels=".1f"),
    )
    size: Row = {"width": PLANE, "height": PLANE, "columns": max(2, len(pairs))}
    drawn = below_each_other(
        [above, chart(planes, x, y, series, under=_curves, **size)], xOffset="independent"
    )
    width = max(wide + 90, 3 * (PLANE + 24) + 80)
    title = "Discrepancies between depths"
    return Picture("discrepancies", title, said, in_words(averages), width, drawn, series.legend)


def _found(result: DepthQAResult) -> dict[str, Discrepancies]:
    return {each.mode: each.discrepancies for each in result.modes if _counted(each.discrepancies)}


def _every(found: Discrepancies) -> list[DiscrepancyRow]:
    return [*found.forward.values(), *found.backward.values()]


def _counted(found: Discrepancies) -> set[Pair]:
    """The pairs of which any question counts."""
    return {
        pair for way in (found.forward, found.backward) for pair, row in way.items() if row.eligible
    }


def _average(strip: str, series: str, pair: Pair, row: DiscrepancyRow | None) -> list[Row]:
    at: Row = {"panel": f"{heading(strip, PLANE)}\naverage", "series": series}
    if row is None or row.average is None:
        return [at | ({} if row is None else {"words": f"{pair} none counts"})]
    said = [
        f"{name} {number(getattr(row, name), 3)}{span_words(getattr(row, f'{name}_ci'), 3)}"
        for name in ("average", "frequency", "intensity")
    ]
    words = f"{pair} {', '.join(said)} over {row.eligible}"
    return [
        at
        | {
            "x": pair,
            "y": row.average,
            "told": number(row.average),
            "words": words,
            **interval(row.average_ci),
        }
    ]


def _point(strip: str, series: str, pair: Pair, row: DiscrepancyRow | None) -> list[Row]:
    at: Row = {"panel": f"{heading(strip, PLANE)}\n{pair}", "series": series}
    if row is None or row.frequency is None:
        return [at]
    ends = across(row.frequency_ci) | interval(row.intensity_ci)
    return [at | {"x": row.frequency, "y": row.intensity or 0.0} | ends]


def _curves(at: Channels) -> list[Spec]:
    """Where the average is the same, with the average at the right end."""
    top, levels = at.y_axis.high, list[float]()
    for level in _CURVES:
        if level < top and all(abs(level - other) / top * PLANE >= 12 for other in (0.0, *levels)):
            levels.append(level)
    highest = (
        0.99 * top
    )  # the width of a line that ends at the edge would make the panel larger than those beside it
    # computed where it is drawn
    curve = {"curve": f"{levels}[floor(datum.n / {_POINTS})]"}
    curve["x"] = f"pow(datum.curve / {highest}, 1 - datum.n % {_POINTS} / {_POINTS - 1})"
    curve["y"] = "datum.curve / datum.x"
    points = [{"calculate": said, "as": name} for name, said in curve.items()]
    lines = layer(
        "line", at.at | {"detail": nominal("curve")}, more=points, color="#b0b0b0", strokeWidth=1
    )
    numbers = {"sequence": {"start": 0, "stop": len(levels) * _POINTS, "as": "n"}}
    ends = [{"x": 1, "y": level, "told": f"{level:g}"} for level in levels]
    return [
        {"data": numbers, **lines},
        layer("text", at.at | {"text": nominal("told")}, rows=ends, fill=FAINT, align="left", dx=8),
    ]


def _top(rows: Iterable[DiscrepancyRow], field: str) -> float:
    """The end of an axis that holds all values: the next tenth, with room above."""
    values = [
        v
        for row in rows
        for v in (getattr(row, field), *(getattr(row, f"{field}_ci") or ()))
        if v is not None
    ]
    return min(1.1, max(0.2, ceil(round(max(values, default=0.0) * 10, 6) + 1) / 10))
