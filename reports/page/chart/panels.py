"""What the pictures share: who is drawn in which panel with which mark, and dots with their intervals."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar

from ....state.deepquestion.result import DeepQuestionResult
from ....state.depthqa.items import MODES, Mode
from ....state.depthqa.result import DepthQAResult
from ....state.result import Interval
from ....state.worlds import label_of
from ...views.depthqa.drawing.text import plain
from ..figures import short_id
from ..palette import Mark, in_turn, model_marks
from . import svg
from .names import labels, sentences, wrap

if TYPE_CHECKING:
    from altair import Chart

Row = dict[str, Any]
Runs = Mapping[str, DepthQAResult]
"""Label → the run it stands for."""

T = TypeVar("T")
R = TypeVar("R", DepthQAResult, DeepQuestionResult)
Held: TypeAlias = Mapping[str, Mapping[Mode, T]]
"""Label of a target → mode → what is drawn; at least one of each."""

MOST_TARGETS = 12
"""More could not be told apart."""
_TOLD = 4
"""Up to so many in a panel have their figures written beside the marks."""
_FIGURE = 33
"""Pixels between marks, so that figures such as 3.59 beside them stay apart."""
_MARGIN = 0.6
"""Distance of the outer marks to the next place, as a share of that between marks."""
_LABEL = 76
"""Cells that the name of a target takes at most."""
MINUS = "\u2212"


@dataclass(frozen=True, slots=True)
class Panel(Generic[T]):
    """Part of a picture."""

    title: str
    series: Mapping[str, T]
    """Label, as in the legend → the figures."""


@dataclass(frozen=True, slots=True)
class Look:
    """What all panels of a picture share."""

    names: Sequence[str]
    """Labels of the series, in order."""
    marks: Mapping[str, Mark]
    """Label → its mark."""
    across: bool = False
    """Whether the legend has room on one line."""

    @property
    def told(self) -> bool:
        """Whether there is room for figures beside the marks."""
        return len(self.names) <= _TOLD

    @property
    def step(self) -> int:
        """Pixels that one place of the horizontal axis takes."""
        return self.step_for(_FIGURE)

    def step_for(self, wide: float) -> int:
        """The same where a figure beside a mark takes `wide` pixels."""
        if not self.told:
            return max(84, 12 * len(self.names) + 18)
        return max(84, round(wide * (len(self.names) + 2 * _MARGIN)))

    def legend(self, *, points: bool = True) -> Any:
        """The legend; None for a single series."""
        import altair as alt

        if len(self.names) == 1:
            return None
        symbol = alt.Undefined if points else "square"
        columns = 0 if self.across else 1
        return alt.Legend(
            orient="bottom", columns=columns, title=None, symbolOpacity=1, symbolType=symbol, columnPadding=18
        )

    def colour(self, *, points: bool = True) -> Any:
        import altair as alt

        scale = alt.Scale(domain=list(self.names), range=[self.marks[name].colour for name in self.names])
        return alt.Color(field="series", type="nominal", legend=self.legend(points=points), scale=scale)

    def shape(self) -> Any:
        import altair as alt

        scale = alt.Scale(domain=list(self.names), range=[self.marks[name].shape for name in self.names])
        return alt.Shape(field="series", type="nominal", legend=self.legend(), scale=scale)

    def offset(self) -> Any:
        import altair as alt

        return alt.XOffset(
            field="series", type="nominal", scale=alt.Scale(domain=list(self.names), paddingOuter=_MARGIN)
        )

    @property
    def written(self) -> list[str]:
        """Lines of the legend, for the width of the picture."""
        names = list(self.names) if len(self.names) > 1 else []
        return ["    ".join(f"{name}    " for name in names)] if names and self.across else names


def named(results: Sequence[R], names: Mapping[str, str] | None = None) -> dict[str, R]:
    """The runs by short names that tell them apart: those given by run id, else the target's, with the run's where two
    have the same target."""
    own = [plain((names or {}).get(result.run_id, label_of(result.spec.target))) for result in results]
    told = [
        name if own.count(name) == 1 else f"{name} ({short_id(result.run_id)})"
        for name, result in zip(own, results, strict=True)
    ]
    unique = [name if name not in told[:place] else f"{name} {place}" for place, name in enumerate(told)]
    short = labels(unique, _LABEL)
    return {short[name]: result for name, result in zip(unique, results, strict=True)}


def by_mode(held: Held[T], runs: Runs) -> tuple[list[Panel[T]], Look]:
    """A panel for each mode with the targets in it; of a single run one panel with its modes."""
    modes = _modes(held)
    if len(runs) == 1:
        ((label, own),) = held.items()
        return [Panel(label, {mode: own[mode] for mode in modes})], _modes_look(modes)
    panels = [Panel(mode, {label: own[mode] for label, own in held.items() if mode in own}) for mode in modes]
    return panels, Look(list(held), model_marks(runs))


def by_target(held: Held[T]) -> tuple[list[Panel[T]], Look]:
    """A panel for each target with its modes."""
    modes = _modes(held)
    panels = [Panel(label, {mode: own[mode] for mode in modes if mode in own}) for label, own in held.items()]
    return panels, _modes_look(modes)


def _modes_look(modes: Sequence[Mode]) -> Look:
    return Look(modes, in_turn(MODES), across=True)


def _modes(held: Held[T]) -> list[Mode]:
    return [mode for mode in MODES if any(mode in own for own in held.values())]


def only(panels: Sequence[Panel[T]], look: Look, *, headed: bool = False) -> list[str]:
    """What there is but one of, since it stands in no legend and, unless the panels are `headed`, in no heading."""
    target = panels[0].title if look.across else look.names[0]
    mode = look.names[0] if look.across else panels[0].title
    targets, modes = (len(panels), len(look.names)) if look.across else (len(look.names), len(panels))
    said = [f"Target: {target}."] if targets == 1 and not headed else []
    return [" ".join([*said, *([f"Mode: {mode}."] if modes == 1 else [])])] if said or modes == 1 else []


def ends(interval: Interval | None) -> Row:
    """The fields of a row that has an interval; none without."""
    return {} if interval is None else {"low": interval[0], "high": interval[1]}


def data(rows: Iterable[Row]) -> "Chart":
    import altair as alt

    return alt.Chart(alt.InlineData(values=tuple(rows)))


def having(field: str) -> "Chart":
    """The rows of the panel that have a value there."""
    import altair as alt

    return alt.Chart().transform_filter(f"isValid(datum.{field})")


def dots(look: Look, *, x: Any, y: Any, below: bool = False) -> list[Any]:
    """Layers of marks at `value` with a line from `low` to `high`, side by side at each `place`; `told` is written
    above, or `below`, where there is room."""
    import altair as alt

    base: Row = {"x": x, "xOffset": look.offset(), "color": look.colour()}
    start, edge = (alt.Y(field=field, type="quantitative") for field in ("low", "edge"))
    end = "low" if below else "high"
    told = (
        having("value")
        .transform_calculate(edge=f"isValid(datum.{end}) ? datum.{end} : datum.value")
        .mark_text(dy=11 if below else -10, fontSize=11, color=svg.INK)
        .encode(x=x, xOffset=look.offset(), y=edge, text=alt.Text(field="told", type="nominal"))
    )
    return [
        having("low").mark_rule(strokeWidth=1.5, opacity=0.8).encode(y=start, y2="high", **base),
        having("value").mark_point(size=55, strokeWidth=2, opacity=1).encode(y=y, shape=look.shape(), **base),
        *([told] if look.told else []),
    ]


def places(names: Sequence[str], field: str = "place", title: str | None = None) -> Any:
    """A horizontal axis of names; a name may have several lines."""
    import altair as alt

    axis = alt.Axis(
        title=title,
        labelAngle=0,
        labelExpr="split(datum.label, '\\n')",
        labelPadding=7,
        labelOverlap=False,
        ticks=False,
        grid=True,
        tickBand="extent",
    )
    scale = alt.Scale(domain=list(names), padding=0)
    return alt.X(field=field, type="nominal", scale=scale, axis=axis)


def heights(title: str | None, low: float, high: float, *, field: str = "value", **axis: Any) -> Any:
    """A vertical axis from `low` to `high`."""
    import altair as alt

    scale = alt.Scale(domain=[low, high], nice=False, zero=False)
    return alt.Y(field=field, type="quantitative", scale=scale, axis=alt.Axis(title=title, titlePadding=10, **axis))


SIGNED: Row = {"labelExpr": "(datum.value > 0 ? '+' : '') + format(datum.value, '.1f')"}
"""Labels of an axis of differences."""


def line_at(value: float, *, upright: bool = False) -> Any:
    """A dashed line across the panel, or `upright` in it."""
    import altair as alt

    at = {"x": alt.X} if upright else {"y": alt.Y}
    rule = data([{"at": value}]).mark_rule(color=svg.FAINT, strokeDash=[5, 3])
    return rule.encode(**{way: channel(field="at", type="quantitative") for way, channel in at.items()})


def panels(layers: Sequence[Any], rows: Sequence[Row], *, columns: int, width: int, height: int) -> "svg.Drawn":
    """A panel for each `panel` of the rows, with that as its heading, which may have several lines. Axes stand at the
    left and, where the rows are full, at the bottom only."""
    import altair as alt

    names = list(dict.fromkeys(row["panel"] for row in rows))
    layered = alt.layer(*layers, data=alt.InlineData(values=tuple(rows))).properties(width=width, height=height)
    header = alt.Header(
        title=None,
        labels=names != [""],
        labelExpr="split(datum.label, '\\n')",
        labelAnchor="start",
        labelColor=svg.INK,
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


def heading(title: str, width: int) -> str:
    """A title in lines that are not wider than a panel."""
    return "\n".join(wrap(title, max(16, width // 7), lines=3))


def figure(value: float | None, digits: int = 2) -> str:
    """A number as the pictures write it; a dash where there is none."""
    return "–" if value is None else f"{round(value, digits) + 0:.{digits}f}".replace("-", MINUS)


def interval(ends: Interval | None, digits: int = 2) -> str:
    """` (1.20 to 1.90)`; nothing without an interval."""
    return "" if ends is None else f" ({figure(ends[0], digits)} to {figure(ends[1], digits)})"


def words(title: str, said: Sequence[str], figures: Sequence[str], look: Look, width: float) -> svg.Words:
    """What is written around a picture `width` pixels wide: `said` under the title, `figures` only for those who
    cannot see it."""
    return svg.Words(
        title=title,
        subtitle=sentences(said, max(480, width)),
        description=" ".join([*said, *figures]),
        legend=look.written,
    )
