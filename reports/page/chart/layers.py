"""The marks of a chart, kind by kind."""

from collections.abc import Callable, Mapping
from typing import Any, Literal

from .axes import BESIDE, FAINT, GROUND, INK, ON, Channels, Row, data, having, text

Kind = Literal["dot", "line", "box", "bar", "cell"]


def line_at(value: float, *, upright: bool) -> Any:
    import altair as alt

    at = {"x": alt.X} if upright else {"y": alt.Y}
    rule = data([{"at": value}]).mark_rule(color=FAINT, strokeDash=[5, 3])
    return rule.encode(**{way: channel(field="at", type="quantitative") for way, channel in at.items()})


def noted(width: int, height: int) -> Any:
    """What a panel says in place of marks."""
    return having("note").mark_text(fill=FAINT, x=width / 2, y=height / 2).encode(text=text("note"))


def _dots(at: Channels) -> list[Any]:
    colour = at.colour()
    line: Row = {"strokeWidth": 1.5, "opacity": 0.8}
    return [
        having("low").mark_rule(**line).encode(**at.at | {"y": at.y("low")}, y2="high", color=colour),
        having("left").mark_rule(**line).encode(**at.at | {"x": at.x("left")}, x2="right", color=colour),
        having("y").mark_point(size=55, strokeWidth=2, opacity=1).encode(**at.at, color=colour, shape=at.shape()),
        *([_told(at)] if at.series.told or at.y_axis.names else []),
    ]


def _told(at: Channels) -> Any:
    """The figures: above the marks or below them; where places are below each other, at the right of the panel."""
    import altair as alt

    if at.y_axis.names:
        beside = having("told").mark_text(align="left", dx=BESIDE)
        return beside.encode(x=alt.value(at.width), y=at.y(), text=text("told"), **at.place())
    end = "low" if at.below else "high"
    return (
        having("told")
        .transform_calculate(edge=f"isValid(datum.{end}) ? datum.{end} : datum.y")
        .mark_text(dy=11 if at.below else -10)
        .encode(**at.at | {"y": alt.Y(field="edge", type="quantitative")}, text=text("told"))
    )


def _lines(at: Channels) -> list[Any]:
    """Marks joined in the order of `x` where their `line` is the same, over its band from `low` to `high`."""
    import altair as alt

    same: Row = {"x": at.x(), "detail": alt.Detail(field="line", type="nominal")}
    base = same | {"color": at.colour()}
    bands = [  # in colours of their own: an area would fill the marks in the legend
        having("low")
        .transform_filter(alt.FieldEqualPredicate(field="series", equal=name))
        .mark_area(opacity=0.14, line=False, fill=mark.colour)
        .encode(y=at.y("low"), y2="high", **same)
        for name, mark in at.series.marks.items()
    ]
    return [
        *bands,
        having("y").mark_line(strokeWidth=1.8).encode(y=at.y(), **base),
        having("y").mark_point(size=45, strokeWidth=2, opacity=1).encode(y=at.y(), shape=at.shape(), **base),
    ]


def _boxes(at: Channels) -> list[Any]:
    """The middle half, the median and the ends of a distribution, with the mean and its interval."""

    size = 11 if len(at.series.names) > 1 else 22
    base: Row = {"x": at.x(), **at.place()}
    colour = at.colour()
    return [
        having("minimum").mark_rule(strokeWidth=1).encode(y=at.y("minimum"), y2="maximum", color=colour, **base),
        having("q1").mark_bar(size=size).encode(y=at.y("q1"), y2="q3", color=colour, **base),
        having("median").mark_tick(size=size, thickness=2.5, opacity=1, color=GROUND).encode(y=at.y("median"), **base),
        having("low").mark_rule(strokeWidth=1.5, color=INK).encode(y=at.y("low"), y2="high", **base),
        having("mean")
        .mark_point(filled=True, size=28, opacity=1, strokeWidth=0.8, color=INK, stroke=GROUND)
        .encode(y=at.y("mean"), **base),
    ]


def _bars(at: Channels) -> list[Any]:
    """From `left` to `right`, with `number` within; beside each other where the series are not stacked."""
    import altair as alt

    slot = at.place() if at.slots else {}
    same: Row = {"y": at.y(), **slot}
    end = (
        having("left")
        .mark_bar(stroke=GROUND, strokeWidth=0.5)
        .encode(x=at.x("left"), x2="right", color=at.colour(), **same)
    )
    number = having("number").mark_text(fill=ON).encode(x=at.x("middle"), text=text("number"), **same)
    told = having("told").mark_text(align="left", dx=BESIDE)
    return [end, number, told.encode(x=alt.value(at.width), y=at.y(), text=text("told"))]


def _cells(at: Channels) -> list[Any]:
    same: Row = {"x": at.x(), "y": at.y()}
    return [
        having("series").mark_rect(stroke=GROUND, strokeWidth=2).encode(color=at.colour(), **same),
        having("told").mark_text(fontSize=12, fill=ON).encode(text=text("told"), **same),
    ]


LAYERS: Mapping[str, Callable[["Channels"], list[Any]]] = {
    "dot": _dots,
    "line": _lines,
    "box": _boxes,
    "bar": _bars,
    "cell": _cells,
}
