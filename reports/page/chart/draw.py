"""One way to draw: rows with a place and a value become marks with their intervals, in panels side
by side."""

from collections.abc import Callable, Mapping, Sequence
from typing import Literal

from .axes import FAINT, Axis, Channels, Row, Series, Spec, layer, nominal, quantitative
from .names import wrap

Kind = Literal["dot", "line"]


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
    spec: Spec = {
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
    return spec | ({"resolve": {"axis": {"x": "independent"}}} if len(panels) % columns else {})


def heading(title: str, width: int) -> str:
    """A title in lines that are not wider than a panel."""
    return "\n".join(wrap(title, max(16, width // 7), lines=3))


def interval(ends: tuple[float, float] | None) -> Row:
    """The fields of a row that has an interval; none without."""
    return {} if ends is None else {"low": ends[0], "high": ends[1]}


def line_at(value: float) -> Spec:
    return layer(
        "rule", {"y": quantitative("at")}, rows=[{"at": value}], color=FAINT, strokeDash=[5, 3]
    )


def _dots(at: Channels) -> list[Spec]:
    base = at.at | {"color": at.colour()}
    line: Spec = {"strokeWidth": 1.5, "opacity": 0.8}
    return [
        layer("rule", base | {"y": at.y("low"), "y2": {"field": "high"}}, having="low", **line),
        layer("point", base | {"shape": at.shape()}, having="y", size=55, strokeWidth=2, opacity=1),
        *([_figures(at)] if at.series.told else []),
    ]


def _figures(at: Channels) -> Spec:
    """The figures, above the marks."""
    edge = {"calculate": "isValid(datum.high) ? datum.high : datum.y", "as": "edge"}
    base = at.at | {"y": quantitative("edge"), "text": nominal("told")}
    return layer("text", base, having="told", more=[edge], dy=-10)


def _lines(at: Channels) -> list[Spec]:
    """Marks joined in the order of `x` where their `line` is the same, over its band from `low` to
    `high`."""
    shared: Spec = {"x": at.x(), "detail": nominal("line")}
    band = shared | {"y": at.y("low"), "y2": {"field": "high"}}
    line_base = shared | {"y": at.y(), "color": at.colour()}
    bands = [  # in colours of their own: an area would fill the marks in the legend
        layer(
            "area",
            band,
            having="low",
            more=[{"filter": {"field": "series", "equal": name}}],
            opacity=0.14,
            line=False,
            fill=mark.colour,
        )
        for name, mark in at.series.marks.items()
    ]
    return [
        *bands,
        layer("line", line_base, having="y", strokeWidth=1.8),
        layer(
            "point",
            line_base | {"shape": at.shape()},
            having="y",
            size=45,
            strokeWidth=2,
            opacity=1,
        ),
    ]


LAYERS: Mapping[str, Callable[[Channels], list[Spec]]] = {"dot": _dots, "line": _lines}
