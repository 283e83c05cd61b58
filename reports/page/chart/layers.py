"""The marks of a chart, kind by kind."""

from collections.abc import Callable, Mapping
from typing import Literal

from .axes import BESIDE, FAINT, GROUND, INK, ON, Channels, Spec, layer, nominal, quantitative

Kind = Literal["dot", "line", "box", "bar", "cell"]


def line_at(value: float, *, upright: bool) -> Spec:
    at = {"x" if upright else "y": quantitative("at")}
    return layer("rule", at, rows=[{"at": value}], color=FAINT, strokeDash=[5, 3])


def noted(width: int, height: int) -> Spec:
    """What a panel says in place of marks."""
    return layer(
        "text", {"text": nominal("note")}, having="note", fill=FAINT, x=width / 2, y=height / 2
    )


def _dots(at: Channels) -> list[Spec]:
    same = at.at | {"color": at.colour()}
    line: Spec = {"strokeWidth": 1.5, "opacity": 0.8}
    return [
        layer("rule", same | {"y": at.y("low"), "y2": {"field": "high"}}, having="low", **line),
        layer("rule", same | {"x": at.x("left"), "x2": {"field": "right"}}, having="left", **line),
        layer("point", same | {"shape": at.shape()}, having="y", size=55, strokeWidth=2, opacity=1),
        *([_told(at)] if at.series.told or at.y_axis.names else []),
    ]


def _told(at: Channels) -> Spec:
    """The figures: above the marks or below them; where places are below each other, at the right
    of the panel."""
    if at.y_axis.names:
        return _told_beside(at, at.place())
    end = "low" if at.below else "high"
    edge = {"calculate": f"isValid(datum.{end}) ? datum.{end} : datum.y", "as": "edge"}
    same = at.at | {"y": quantitative("edge"), "text": nominal("told")}
    return layer("text", same, having="told", more=[edge], dy=11 if at.below else -10)


def _told_beside(at: Channels, place: Spec) -> Spec:
    """The figures at the right of the panel."""
    same = {"x": {"value": at.width}, "y": at.y(), "text": nominal("told"), **place}
    return layer("text", same, having="told", align="left", dx=BESIDE)


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


def _boxes(at: Channels) -> list[Spec]:
    """The middle half, the median and the ends of a distribution, with the mean and its
    interval."""
    size = 11 if len(at.series.names) > 1 else 22
    base: Spec = {"x": at.x(), **at.place()}
    coloured = base | {"color": at.colour()}

    def span(low: str, high: str) -> Spec:
        return {"y": at.y(low), "y2": {"field": high}}

    return [
        layer("rule", coloured | span("minimum", "maximum"), having="minimum", strokeWidth=1),
        layer("bar", coloured | span("q1", "q3"), having="q1", size=size),
        layer(
            "tick",
            base | {"y": at.y("median")},
            having="median",
            size=size,
            thickness=2.5,
            opacity=1,
            color=GROUND,
        ),
        layer("rule", base | span("low", "high"), having="low", strokeWidth=1.5, color=INK),
        layer(
            "point",
            base | {"y": at.y("mean")},
            having="mean",
            filled=True,
            size=28,
            opacity=1,
            strokeWidth=0.8,
            color=INK,
            stroke=GROUND,
        ),
    ]


def _bars(at: Channels) -> list[Spec]:
    """From `left` to `right`, with `number` within; beside each other where the series are not
    stacked."""
    same: Spec = {"y": at.y(), **(at.place() if at.slots else {})}
    ends = {"x": at.x("left"), "x2": {"field": "right"}, "color": at.colour()}
    number = {"x": at.x("middle"), "text": nominal("number")}
    return [
        layer("bar", same | ends, having="left", stroke=GROUND, strokeWidth=0.5),
        layer("text", same | number, having="number", fill=ON),
        _told_beside(at, {}),
    ]


def _cells(at: Channels) -> list[Spec]:
    same: Spec = {"x": at.x(), "y": at.y()}
    return [
        layer("rect", same | {"color": at.colour()}, having="series", stroke=GROUND, strokeWidth=2),
        layer("text", same | {"text": nominal("told")}, having="told", fontSize=12, fill=ON),
    ]


LAYERS: Mapping[str, Callable[[Channels], list[Spec]]] = {
    "dot": _dots,
    "line": _lines,
    "box": _boxes,
    "bar": _bars,
    "cell": _cells,
}
