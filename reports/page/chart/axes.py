"""What a chart is drawn from: rows, axes, series, and where the fields of a row stand."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from ..palette import Mark

Spec: TypeAlias = dict[str, Any]
"""A part of a chart as Vega-Lite writes it."""
Row = dict[str, Any]
"""`x` and `y`: where the mark stands. `low` and `high`: its interval. `told`: the figure
beside it. `series` and `panel`: what it belongs to."""

TOLD = 4
"""Up to so many series have their figures written beside the marks."""
FIGURE = 33
"""Pixels between marks, so that figures such as 3.59 beside them stay apart."""
SIGN = 8
"""Width of a sign of a figure, with what keeps them apart."""
MARGIN = 0.6
"""Distance of the outer marks to the next place, as a share of that between marks."""
FAINT = {"expr": "faint"}
"""The colour of what is no figure, which the ground of the picture decides (`picture.Ground`)."""


def step(number: int, figure: float = FIGURE) -> int:
    """Pixels that so many marks side by side take, where a figure beside one takes `figure`."""
    if number > TOLD:
        return max(84, 12 * number + 18)
    return max(84, round(figure * (number + 2 * MARGIN)))


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
    """Format of the labels, or an expression of `datum.value`."""


@dataclass(frozen=True, slots=True)
class Series:
    """What the marks of a picture stand for, and how each looks."""

    marks: Mapping[str, Mark]
    """Name, as in the legend → its mark; those that are drawn, in order."""

    @property
    def names(self) -> list[str]:
        return list(self.marks)

    @property
    def told(self) -> bool:
        """Whether there is room for figures beside the marks."""
        return len(self.marks) <= TOLD

    def step(self, figure: float = FIGURE) -> int:
        """Pixels that one place of an axis takes, where a figure beside a mark takes `figure`."""
        return step(len(self.marks), figure)

    @property
    def legend(self) -> list[str]:
        """Its lines, for the width of the picture."""
        return self.names if len(self.names) > 1 else []


@dataclass(frozen=True, slots=True)
class Channels:
    """Where the fields of a row stand, the same in all layers of a chart."""

    x_axis: Axis
    y_axis: Axis
    series: Series
    width: int

    def x(self, field: str = "x") -> Spec:
        return {"field": field, **_scale(self.x_axis)}

    def y(self, field: str = "y") -> Spec:
        return {"field": field, **_scale(self.y_axis)}

    def place(self) -> Spec:
        """Beside the others of its place."""
        if not self.x_axis.names:
            return {}
        scale = {"domain": self.series.names, "paddingOuter": MARGIN}
        return {"xOffset": nominal("series") | {"scale": scale}}

    def colour(self) -> Spec:
        return self._of_series([mark.colour for mark in self.series.marks.values()])

    def shape(self) -> Spec:
        return self._of_series([mark.shape for mark in self.series.marks.values()])

    def _of_series(self, looks: Sequence[str]) -> Spec:
        scale = {"domain": self.series.names, "range": looks}
        return nominal("series") | {"legend": self._legend(), "scale": scale}

    def _legend(self) -> Spec | None:
        """None for a single series."""
        if len(self.series.names) == 1:
            return None
        return {
            "orient": "bottom",
            "title": None,
            "columns": 1,
            "columnPadding": 8,
            "symbolOpacity": 1,
        }

    @property
    def at(self) -> Spec:
        return {"x": self.x(), "y": self.y(), **self.place()}


def _scale(axis: Axis) -> Spec:
    if not axis.names:
        ticks: Spec = {
            "values": [*axis.values],
            "tickCount": 9,
            "labelOverlap": False,
        }
        labels = {"labelExpr": axis.labels} if "datum" in axis.labels else {"format": axis.labels}
        axis_spec = {
            "title": axis.title,
            "titlePadding": 10,
            **labels,
            **(ticks if axis.values else {"labelOverlap": True}),
        }
        scale: Spec = {
            "domain": [axis.low, axis.high],
            "nice": False,
            "zero": False,
        }
        return {
            "type": "quantitative",
            "scale": scale,
            "axis": axis_spec,
        }
    axis_spec = {
        "title": axis.title,
        "labelAngle": 0,
        "labelExpr": "split(datum.label, '\\n')",
        "labelPadding": 7,
        "labelOverlap": False,
        "ticks": False,
        "domain": True,
        "grid": True,
        "tickBand": "extent",
    }
    scale = {
        "domain": [*axis.names],
        "paddingInner": 0,
        "paddingOuter": 0,
    }
    return {
        "type": "nominal",
        "scale": scale,
        "axis": axis_spec,
    }


def layer(
    mark: str,
    encoding: Spec,
    *,
    having: str = "",
    rows: Sequence[Row] | None = None,
    more: Sequence[Spec] = (),
    **looks: Any,
) -> Spec:
    """Marks of `rows`, else of those of the panel; `having`: of those that have a value there.
    `more`: further transforms; `looks`: of the marks."""
    data: Spec = {} if rows is None else {"data": {"values": [*rows]}}
    transform = [*([{"filter": f"isValid(datum.{having})"}] if having else []), *more]
    return data | {
        "transform": transform,
        "mark": {"type": mark, **looks},
        "encoding": encoding,
    }


def nominal(field: str) -> Spec:
    return {"field": field, "type": "nominal"}


def quantitative(field: str) -> Spec:
    return {"field": field, "type": "quantitative"}
