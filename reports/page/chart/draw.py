"""One way to draw: rows with a place and a value become marks with their intervals, in panels side by side."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from ..palette import Mark
from .names import widest, wrap

if TYPE_CHECKING:
    from altair import Chart, ConcatChart, FacetChart, LayerChart

    Drawn: TypeAlias = ConcatChart | FacetChart | LayerChart
else:
    Drawn = Any

Row = dict[str, Any]
"""`x` and `y`: where the mark stands. `low` and `high`, `left` and `right`: its interval upwards, and across. `told`:
the figure beside it. `series` and `panel`: what it belongs to."""
Kind = Literal["dot", "line", "box", "bar", "cell"]

PAGE = 830
"""Pixels that a page gives a picture: wider ones are shrunk, and their text with them."""
TOLD = 4
"""Up to so many series have their figures written beside the marks."""
FIGURE = 33
"""Pixels between marks, so that figures such as 3.59 beside them stay apart."""
SIGN = 8
"""Width of a sign of a figure, with what keeps them apart."""
MARGIN = 0.6
"""Distance of the outer marks to the next place, as a share of that between marks."""
BESIDE = 12
"""Pixels from a panel to the figures at its right."""
INK, FAINT, GROUND = ({"expr": name} for name in ("ink", "faint", "ground"))
"""Colours that the ground of the picture decides (`picture.Ground`)."""
ON = "#1a1a1a"
"""Of text on areas, which are light on any ground."""
PLUS = "(datum.value > 0 ? '+' : '') + format(datum.value, '.1f')"
"""Labels of an axis of differences."""


def step(number: int, figure: float = FIGURE) -> int:
    """Pixels that so many marks side by side take, where a figure beside one takes `figure`."""
    return max(84, round(figure * (number + 2 * MARGIN)) if number <= TOLD else 12 * number + 18)


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
    room: float = 0
    """Pixels that the labels at the left take at least."""
    bare: bool = False
    """Whether there are no lines between places."""
    apart: float = 0.0
    """Between places, as a share of one."""
    top: int = 0
    """Lines of the names, where they stand at the top."""


Layers: TypeAlias = Callable[["Channels"], list[Any]]
"""Further layers of a chart."""


@dataclass(frozen=True, slots=True)
class Series:
    """What the marks of a picture stand for, and how each looks."""

    marks: Mapping[str, Mark]
    """Name, as in the legend → its mark; those that are drawn, in order."""
    across: bool = False
    """Whether the legend has room on one line."""
    filled: bool = False
    """Whether they are drawn as areas."""

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
        names = self.names if len(self.names) > 1 else []
        return ["    ".join(f"{name}    " for name in names)] if names and self.across else names


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
    below: bool = False,
    under: Layers | None = None,
    over: Layers | None = None,
    slots: Sequence[str] = (),
) -> "Drawn":
    """A panel for each `panel` of the rows, with that as its heading, which may have several lines.

    `width`, `height`: of a panel, in pixels; `columns`: panels side by side. `lines`: values at which a dashed line
    runs through the panels. `below`: whether figures stand below their marks. `under`, `over`: further layers. `slots`:
    places within a place for rows that say theirs by `slot`; else each series has one.
    """
    import altair as alt

    at = Channels(x, y, series, width, slots, below, kind)
    dashed = [_line_at(value, upright=bool(y.names)) for value in lines]
    extra = [own(at) if own is not None else [] for own in (under, over)]
    layers = [*extra[0], *dashed, *_LAYERS[kind](at), _noted(width, height), *extra[1]]
    names = list(dict.fromkeys(row["panel"] for row in rows))
    layered = alt.layer(*layers, data=alt.InlineData(values=tuple(rows))).properties(width=width, height=height)
    header = alt.Header(
        title=None,
        labels=names != [""],
        labelExpr="split(datum.label, '\\n')",
        labelAnchor="start",
        labelFontSize=12,
        labelFontWeight="bold",
        labelLimit=0,
        labelLineHeight=14,
        labelPadding=8,
    )
    facet = alt.Facet(field="panel", type="nominal", sort=names, title=None, header=header)
    drawn = layered.facet(facet=facet, columns=columns, spacing=24)
    # at the foot of a column that ends early a common axis would stand apart
    return drawn.resolve_axis(x="independent") if len(names) % columns else drawn


def below_each_other(parts: Sequence["Drawn"], spacing: int = 24, **shared: str) -> "Drawn":
    """Several charts as one."""
    import altair as alt

    drawn: Drawn = alt.concat(*parts, columns=1, spacing=spacing).resolve_scale(**shared)  # type: ignore[arg-type]
    return drawn


@dataclass(frozen=True, slots=True)
class Channels:
    """Where the fields of a row stand, the same in all layers of a chart."""

    x_axis: Axis
    y_axis: Axis
    series: Series
    width: int
    slots: Sequence[str]
    below: bool
    kind: Kind

    def x(self, field: str = "x") -> Any:
        import altair as alt

        return alt.X(field=field, **_scale(self.x_axis, alt))

    def y(self, field: str = "y") -> Any:
        import altair as alt

        return alt.Y(field=field, **_scale(self.y_axis, alt))

    def place(self, field: str = "") -> Row:
        """Beside the others of its place."""
        import altair as alt

        if not (self.x_axis.names or self.y_axis.names):
            return {}
        name, channel = ("xOffset", alt.XOffset) if self.x_axis.names else ("yOffset", alt.YOffset)
        outer = MARGIN if self.x_axis.names else 0.3 + 0.2 * (len(self.series.names) > 2)
        scale = alt.Scale(domain=[*(self.slots or self.series.names)], paddingOuter=outer)
        return {name: channel(field=field or ("slot" if self.slots else "series"), type="nominal", scale=scale)}

    def colour(self, channel: Any = None) -> Any:
        import altair as alt

        scale = alt.Scale(domain=self.series.names, range=[mark.colour for mark in self.series.marks.values()])
        return (channel or alt.Color)(field="series", type="nominal", legend=self._legend(), scale=scale)

    def shape(self) -> Any:
        import altair as alt

        scale = alt.Scale(domain=self.series.names, range=[mark.shape for mark in self.series.marks.values()])
        return alt.Shape(field="series", type="nominal", legend=self._legend(), scale=scale)

    def _legend(self) -> Any:
        """None for a single series."""
        import altair as alt

        if len(self.series.names) == 1:
            return None
        symbol = "square" if self.series.filled else alt.Undefined
        columns = 0 if self.series.across else 1
        padding = 18 if self.series.across else 8
        hollow: Row = {"symbolFillColor": "transparent"} if self.kind == "line" else {}
        return alt.Legend(
            orient="bottom",
            columns=columns,
            title=None,
            symbolOpacity=1,
            symbolType=symbol,
            columnPadding=padding,
            **hollow,
        )

    @property
    def at(self) -> Row:
        return {"x": self.x(), "y": self.y(), **self.place()}


def _scale(axis: Axis, alt: Any) -> Row:
    if not axis.names:
        ticks: Row = {"values": [*axis.values], "tickCount": 9} if axis.values else {"labelOverlap": True}
        written = {"labelExpr": axis.labels} if "datum" in axis.labels else {"format": axis.labels}
        shown = alt.Axis(title=axis.title, titlePadding=10, **{"labelOverlap": False, **ticks}, **written)
        scale = alt.Scale(domain=[axis.low, axis.high], nice=False, zero=False)
        return {"type": "quantitative", "scale": scale, "axis": shown}
    top: Row = {"orient": "top", "labelBaseline": "top", "labelLineHeight": 14} if axis.top else {}
    shown = alt.Axis(
        title=axis.title,
        labelAngle=0,
        labelExpr="split(datum.label, '\\n')",
        labelPadding=14 * axis.top + 2 if axis.top else 7,
        labelOverlap=False,
        ticks=False,
        domain=not axis.top,
        grid=not axis.bare,
        tickBand="extent",
        minExtent=axis.room or alt.Undefined,
        **top,
    )
    gaps = {"paddingInner": axis.apart, "paddingOuter": 0.6 * axis.apart}
    return {"type": "nominal", "scale": alt.Scale(domain=[*axis.names], **gaps), "axis": shown}


def data(rows: Sequence[Row]) -> "Chart":
    import altair as alt

    return alt.Chart(alt.InlineData(values=tuple(rows)))


def having(field: str) -> "Chart":
    """The rows of the panel that have a value there."""
    import altair as alt

    return alt.Chart().transform_filter(f"isValid(datum.{field})")


def text(field: str) -> Any:
    import altair as alt

    return alt.Text(field=field, type="nominal")


def _line_at(value: float, *, upright: bool) -> Any:
    import altair as alt

    at = {"x": alt.X} if upright else {"y": alt.Y}
    rule = data([{"at": value}]).mark_rule(color=FAINT, strokeDash=[5, 3])
    return rule.encode(**{way: channel(field="at", type="quantitative") for way, channel in at.items()})


def _noted(width: int, height: int) -> Any:
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

    base: Row = {"x": at.x(), "color": at.colour(), "detail": alt.Detail(field="line", type="nominal")}
    return [
        having("low").mark_area(opacity=0.14, line=False).encode(y=at.y("low"), y2="high", **base),
        having("y").mark_line(strokeWidth=1.8).encode(y=at.y(), **base),
        having("y").mark_point(size=45, strokeWidth=2, opacity=1).encode(y=at.y(), shape=at.shape(), **base),
    ]


def _boxes(at: Channels) -> list[Any]:
    """The middle half, the median and the ends of a distribution, with the mean and its interval, in a slot of their
    own where there are `slots`."""
    import altair as alt

    size = (8 if at.slots else 11) if len(at.series.names) > 1 else 22
    base: Row = {"x": at.x(), **at.place("series")}
    mean: Row = {"x": at.x(), **at.place("beside" if at.slots else "series")}
    colour = at.colour()
    return [
        having("minimum").mark_rule(strokeWidth=1).encode(y=at.y("minimum"), y2="maximum", color=colour, **base),
        having("q1")
        .mark_bar(size=size, fillOpacity=1, strokeWidth=1.2, fill=GROUND)
        .encode(y=at.y("q1"), y2="q3", stroke=at.colour(alt.Stroke), **base),
        having("median").mark_tick(size=size, thickness=2.5, opacity=1).encode(y=at.y("median"), color=colour, **base),
        having("low").mark_rule(strokeWidth=1.5, color=INK).encode(y=at.y("low"), y2="high", **mean),
        having("mean")
        .mark_point(filled=True, size=28, opacity=1, strokeWidth=0.8, color=INK, stroke=GROUND)
        .encode(y=at.y("mean"), **mean),
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


_LAYERS: Mapping[str, Callable[["Channels"], list[Any]]] = {
    "dot": _dots,
    "line": _lines,
    "box": _boxes,
    "bar": _bars,
    "cell": _cells,
}


def heading(title: str, width: int) -> str:
    """A title in lines that are not wider than a panel."""
    return "\n".join(wrap(title, max(16, width // 7), lines=3))


def interval(ends: tuple[float, float] | None, low: str = "low", high: str = "high") -> Row:
    """The fields of a row that has an interval; none without."""
    return {} if ends is None else {low: ends[0], high: ends[1]}


def across(ends: tuple[float, float] | None) -> Row:
    """The same of an interval from left to right."""
    return interval(ends, "left", "right")


def room_of(names: Sequence[str]) -> int:
    """Pixels that names below each other take at the left of a panel."""
    return widest(line for name in names for line in name.split("\n"))
