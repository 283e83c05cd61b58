"""The marks of a chart, kind by kind."""

from collections.abc import Callable, Mapping
from typing import Literal

from .axes import FAINT, Channels, Spec, layer, nominal, quantitative

Kind = Literal["dot", "line"]


def line_at(value: float) -> Spec:
    return layer(
        "rule", {"y": quantitative("at")}, rows=[{"at": value}], color=FAINT, strokeDash=[5, 3]
    )


def _dots(at: Channels) -> list[Spec]:
    same = at.at | {"color": at.colour()}
    line: Spec = {"strokeWidth": 1.5, "opacity": 0.8}
    return [
        layer("rule", same | {"y": at.y("low"), "y2": {"field": "high"}}, having="low", **line),
        layer("rule", same | {"x": at.x("left"), "x2": {"field": "right"}}, having="left", **line),
        layer("point", same | {"shape": at.shape()}, having="y", size=55, strokeWidth=2, opacity=1),
        *([_told(at)] if at.series.told else []),
    ]


def _told(at: Channels) -> Spec:
    """The figures, above the marks."""
    edge = {"calculate": "isValid(datum.high) ? datum.high : datum.y", "as": "edge"}
    same = at.at | {"y": quantitative("edge"), "text": nominal("told")}
    return layer("text", same, having="told", more=[edge], dy=-10)


def _lines(at: Channels) -> list[Spec]:
    """Marks joined in the order of `x` where their `line` is the same, over its band from `low` to
    `high`."""
    same: Spec = {"x": at.x(), "detail": nominal("line")}
    band = same | {"y": at.y("low"), "y2": {"field": "high"}}
    base = same | {"y": at.y(), "color": at.colour()}
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
        layer("line", base, having="y", strokeWidth=1.8),
        layer("point", base | {"shape": at.shape()}, having="y", size=45, strokeWidth=2, opacity=1),
    ]


LAYERS: Mapping[str, Callable[[Channels], list[Spec]]] = {"dot": _dots, "line": _lines}
