"""Charts as Vega-Lite has them: rows with a place and a value become marks with their intervals, in
panels side by side."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from .palette import Mark

Spec: TypeAlias = dict[str, Any]
FAINT = {"expr": "faint"}
"""The colour of what is no figure, which the ground of the picture decides (`picture.Ground`)."""
LEGEND = {
    "orient": "bottom",
    "title": None,
    "columns": 1,
    "symbolOpacity": 1,
}
HEADER = {
    "title": None,
    "labelExpr": "split(slice(datum.label, 1), '\\n')",
    "labelAnchor": "start",
    "labelFontSize": 12,
    "labelFontWeight": "bold",
    "labelLimit": 0,
    "labelLineHeight": 14,
    "labelPadding": 8,
}


@dataclass(frozen=True, slots=True)
class Axis:
    """One side of a panel: places with names, or values from `low` to `high`."""

    title: str | None = None
    names: Sequence[str] = ()
    low: float = 0.0
    high: float = 1.0
    values: Sequence[float] = ()
    """Where there are ticks; none: wherever they fit."""
    labels: str = ".0%"
    """Format of the labels."""

    def channel(self) -> Spec:
        """How the fields of rows stand on it."""
        if self.names:
            axis: Spec = {
                "labelAngle": 0,
                "labelExpr": "split(datum.label, '\\n')",
                "ticks": False,
                "grid": True,
                "tickBand": "extent",
            }
            scale: Spec = {"domain": [*self.names], "padding": 0}
            kind = "nominal"
        else:
            axis = {"format": self.labels, "titlePadding": 10}
            if self.values:
                axis["values"] = [*self.values]
            scale = {"domain": [self.low, self.high], "nice": False, "zero": False}
            kind = "quantitative"
        axis["title"] = self.title
        return {"type": kind, "axis": axis, "scale": scale}


def chart(
    rows: Sequence[Mapping[str, Any]],
    x: Axis,
    y: Axis,
    marks: Mapping[str, Mark],
    *,
    width: int,
    columns: int,
    lines: Sequence[float] = (),
) -> Spec:
    """A panel for each `panel` of the rows; where places have names points with intervals stand
    beside each other, else curves with bands.

    Of a row `x` and `y` say where its mark stands, `low` and `high` its interval, `told` and `edge`
    which figure stands beside it and where. `marks`: of each `series`. `lines`: values at which a
    dashed line runs through the panels.
    """
    across = {"field": "x", **x.channel()}
    upwards = {"field": "y", **y.channel()}
    span = {"x": across, "y": upwards | {"field": "low"}, "y2": {"field": "high"}}
    colour = _of_series(marks, [mark.colour for mark in marks.values()])
    shape = _of_series(marks, [mark.shape for mark in marks.values()])
    place = {"x": across, "y": upwards, "color": colour}
    layers = [
        _layer(
            {"type": "rule", "color": FAINT, "strokeDash": [5, 3]},
            {"y": {"field": "at", "type": "quantitative"}},
            data={"values": [{"at": value} for value in lines]},
        )
    ]
    if x.names:
        scale = {"domain": [*marks], "paddingOuter": 0.6}
        offset = {"xOffset": {"field": "series", "type": "nominal", "scale": scale}}
        place |= offset
        rule = {"type": "rule", "strokeWidth": 1.5, "opacity": 0.8}
        layers.append(_layer(rule, span | offset | {"color": colour}))
        figure = {"text": {"field": "told", "type": "nominal"}}
        above_mark = {"y": {"field": "edge", "type": "quantitative"}}
        layers.append(
            _layer({"type": "text", "dy": -10}, {"x": across} | offset | above_mark | figure)
        )
    else:
        for (
            name,
            mark,
        ) in marks.items():  # filled on its own: by a scale the legend would be, too
            band = {"type": "area", "opacity": 0.14, "fill": mark.colour}
            alone = {"filter": {"field": "series", "equal": name}}
            layers.append(_layer(band, span, transform=[alone]))
        layers.append(_layer({"type": "line", "strokeWidth": 1.8}, place))
    point = {"type": "point", "size": 50, "strokeWidth": 2, "opacity": 1}
    layers.append(_layer(point, place | {"shape": shape}))
    # behind a sign: Vega keeps panels in an object of JavaScript, which has a `constructor`
    panels = {row["panel"]: f"|{row['panel']}" for row in rows}
    header = HEADER | {"labels": [*panels] != [""]}
    return {
        "data": {"values": [{**row, "panel": panels[row["panel"]]} for row in rows]},
        "facet": {
            "field": "panel",
            "type": "nominal",
            "sort": [*panels.values()],
            "title": None,
            "header": header,
        },
        "columns": columns,
        "spacing": 24,
        "spec": {"layer": layers, "width": width, "height": 280},
        "resolve": {"axis": {"x": "independent"}},
    }


def _layer(mark: Spec, encoding: Spec, **data: Any) -> Spec:
    return {"mark": mark, "encoding": encoding, **data}


def _of_series(marks: Mapping[str, Mark], looks: Sequence[str]) -> Spec:
    scale = {"domain": [*marks], "range": looks}
    return {
        "field": "series",
        "type": "nominal",
        "scale": scale,
        "legend": LEGEND if len(marks) > 1 else None,
    }
