"""One way to draw: rows with a place and a value become marks with their intervals, in panels side
by side."""

from collections.abc import Sequence

from .axes import Axis, Channels, Row, Series, Spec, nominal
from .layers import LAYERS, Kind, line_at
from .names import wrap


def chart(
    rows: Sequence[Row],
    x: Axis,
    y: Axis,
    series: Series,
    *,
    kind: Kind = "dot",
    width: int,
    height: int,
    columns: int = 1,
    lines: Sequence[float] = (),
) -> Spec:
    """A panel for each `panel` of the rows, with that as its heading, which may have several lines.

    `width`, `height`: of a panel, in pixels; `columns`: panels side by side. `lines`: values at
    which a dashed line runs through the panels.
    """
    at = Channels(x, y, series, width)
    dashed = [line_at(value) for value in lines]
    layers = [*dashed, *LAYERS[kind](at)]
    # behind a sign: Vega keeps panels in an object of JavaScript, which has a `constructor` of its
    # own
    panels = {name: f"|{name}" for name in dict.fromkeys(row["panel"] for row in rows)}
    header = {
        "title": None,
        "labels": [*panels] != [""],
        "labelExpr": "split(slice(datum.label, 1), '\\n')",
        "labelAnchor": "start",
        "labelFontSize": 12,
        "labelFontWeight": "bold",
        "labelLimit": 0,
        "labelLineHeight": 14,
        "labelPadding": 8,
    }
    drawn: Spec = {
        "data": {"values": [row | {"panel": panels[row["panel"]]} for row in rows]},
        "facet": nominal("panel")
        | {
            "sort": [*panels.values()],
            "title": None,
            "header": header,
        },
        "columns": columns,
        "spacing": 24,
        "spec": {
            "layer": layers,
            "width": width,
            "height": height,
        },
    }
    # at the foot of a column that ends early a common axis would stand apart
    return drawn | ({"resolve": {"axis": {"x": "independent"}}} if len(panels) % columns else {})


def heading(title: str, width: int) -> str:
    """A title in lines that are not wider than a panel."""
    return "\n".join(wrap(title, max(16, width // 7), lines=3))


def interval(ends: tuple[float, float] | None, low: str = "low", high: str = "high") -> Row:
    """The fields of a row that has an interval; none without."""
    if ends is None:
        return {}
    return {low: ends[0], high: ends[1]}


def across(ends: tuple[float, float] | None) -> Row:
    """The same of an interval from left to right."""
    return interval(ends, "left", "right")
