"""Profiles as one picture: every measure of every model as a mark with its interval."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import floor
from pathlib import Path
from typing import Any

from ....state.profile import ProfileDocument, ProfileRow, Unit
from ....stats.profile.figures import PARTS
from ...page.chart import svg
from ...page.chart.names import cut, labels, sentences, widest
from ...page.chart.panels import MOST_TARGETS, Look, Row, data, ends, having, line_at
from ...page.palette import model_marks
from ...page.remarks import SIMULATED
from ...page.sanitise import one_line
from ..depthqa.figures import target_words
from . import words

_WIDTH, _STEP, _LEAST = 440, 15, 24
"""Of a panel, of a mark and of a line at least, in pixels."""
_LABEL = 80
_HEADS: Mapping[Unit, str] = {
    "share": "Accuracy (higher is better)",
    "gap": "Gaps (lower is better)",
    "score": "Mean score, 1 to 5 (higher is better)",
    "depths": "Expected Valid Depth (higher is better)",
}
"""Panels, from the top."""
_TENTHS = [tenths / 10 for tenths in range(-10, 11, 2)]
_AXES: Mapping[Unit, Row] = {
    "share": {"values": _TENTHS, "format": ".0%"},
    "gap": {"values": _TENTHS, "format": ".0%"},
    "score": {"values": [1, 2, 3, 4, 5], "format": ".0f"},
    "depths": {"tickMinStep": 1, "format": ".0f"},
}

PARTLY = "SIMULATED: the numbers of {} come from the simulated world and measure no real model."


@dataclass(frozen=True, slots=True)
class _Mark:
    """A row of a profile and its place in the picture."""

    model: str
    place: str
    row: ProfileRow


def save_profile_plot(path: Path, document: ProfileDocument) -> Path:
    """Draw the profiles into the file: a panel for shares, one for gaps, one for mean scores, one for EVDs, as far as
    there are any. Of more than twelve models the first are drawn. Raises UsageError when it cannot be written."""
    import altair as alt

    drawn = document.profiles[:MOST_TARGETS]
    names = labels([target_words(profile.model) for profile in drawn], _LABEL)
    rows = [(target_words(profile.model), row) for profile in drawn for row in profile.rows]
    rows.sort(key=lambda each: list(PARTS).index(each[1].method))
    marks = [_Mark(names[model], place, row) for (model, row), place in zip(rows, _places(rows), strict=True)]
    look = Look(list(names.values()), model_marks(names.values()))
    room = widest(mark.place for mark in marks), widest(_figure(mark.row) for mark in marks)
    charts = [_panel([mark for mark in marks if mark.row.unit == unit], unit, look, room) for unit in _HEADS]
    shown = [chart for chart in charts if chart is not None]
    whole = alt.concat(*shown, columns=1, spacing=26).resolve_scale(color="shared", shape="shared")
    said = _said(document, marks, look)
    told = svg.Words(
        title=f"Profile: {cut(document.domain, 60)}" if document.domain else "Profile",
        subtitle=sentences(said, _WIDTH + 240),
        description=" ".join([*said, *(_in_words(mark) for mark in marks)]),
        legend=look.written,
    )
    return svg.saved(path, whole, told)


def _places(rows: Sequence[tuple[str, ProfileRow]]) -> list[str]:
    """What stands beside each row's mark: the measure, with the domain and the run as far as it takes to tell the rows
    of a model apart."""
    several = {method for method in PARTS if len({row.domain for _, row in rows if row.method == method}) > 1}
    named = [words.label(row) + (f" · {cut(row.domain, 30)}" if row.method in several else "") for _, row in rows]
    times = Counter((model, name) for (model, _), name in zip(rows, named, strict=True))
    return [
        f"{name} · {words.runs(row)}" if times[model, name] > 1 else name
        for (model, row), name in zip(rows, named, strict=True)
    ]


def _panel(marks: Sequence[_Mark], unit: Unit, look: Look, room: tuple[int, int]) -> Any:
    """The marks of one unit; None without any. `room`: pixels that the names left and the figures right take."""
    import altair as alt

    if not marks:
        return None
    names = list(dict.fromkeys(mark.place for mark in marks))
    y = alt.Y(
        field="place",
        type="nominal",
        scale=alt.Scale(domain=names, padding=0),
        axis=alt.Axis(
            title=None, ticks=False, grid=True, tickBand="extent", labelPadding=8, labelOverlap=False, minExtent=room[0]
        ),
    )
    offset = alt.YOffset(field="series", type="nominal", scale=alt.Scale(domain=list(look.names), paddingOuter=0.5))
    axis = alt.Axis(title=None, labelFlush=False, **_AXES[unit])
    reach = alt.Scale(domain=list(_reach(marks, unit)), nice=False, zero=False)
    same: Row = {"y": y, "yOffset": offset, "color": look.colour()}
    x, low = (alt.X(field=field, type="quantitative", scale=reach, axis=axis) for field in ("value", "low"))
    layers = [
        having("low").mark_rule(strokeWidth=1.5, opacity=0.8).encode(x=low, x2="high", **same),
        alt.Chart().mark_point(size=55, strokeWidth=2, opacity=1).encode(x=x, shape=look.shape(), **same),
        alt.Chart()
        .mark_text(align="left", fontSize=11, dx=10)
        .encode(x=alt.value(_WIDTH), text=alt.Text(field="told", type="nominal"), y=y, yOffset=offset),
        # in the ground's colour: the picture is as wide as a viewer with a wide font needs it
        data([{}]).mark_point(size=1, color="white").encode(x=alt.value(_WIDTH + 10 + room[1]), y=alt.value(0)),
    ]
    if unit == "gap" and reach.domain[0] < 0:
        layers.insert(0, line_at(0, upright=True))
    height = max(_LEAST, _STEP * len(look.names) + 8) * len(names)
    heading = alt.TitleParams(text=_HEADS[unit], anchor="start", frame="group", fontSize=12, offset=6)
    values = alt.InlineData(values=[_row(mark) for mark in marks])
    return alt.layer(*layers, data=values).properties(width=_WIDTH, height=height, title=heading)


def _row(mark: _Mark) -> Row:
    row = mark.row
    return {"series": mark.model, "place": mark.place, "value": row.value, "told": _figure(row), **ends(row.ci)}


def _reach(marks: Sequence[_Mark], unit: Unit) -> tuple[float, float]:
    """The range of the axis: what the measures can be, of gaps only as far below 0 as is needed."""
    if unit != "gap":
        scales = [mark.row.scale for mark in marks]
        return min(low for low, _ in scales), max(high for _, high in scales)
    least = min(min((mark.row.value, *(mark.row.ci or ()))) for mark in marks)
    return min(0.0, floor(least * 10) / 10), 1.0


def _figure(row: ProfileRow) -> str:
    return words.value(row) + (f" ({words.span(row)})" if row.ci is not None else "")


def _said(document: ProfileDocument, marks: Sequence[_Mark], look: Look) -> list[str]:
    said = _simulated(marks)
    said += [f"Model: {look.names[0]}."] if len(look.names) == 1 else []
    if len(look.names) < len(document.profiles):
        said.append(f"The first {len(look.names)} of {len(document.profiles)} models are drawn.")
    return [*said, " ".join(["Lines: 95% intervals.", *_sources([mark.row for mark in marks])])]


def _simulated(marks: Sequence[_Mark]) -> list[str]:
    """What is simulated: everything that is drawn, or the models named, with the runs where others of it are not."""
    if all(mark.row.simulated for mark in marks):
        return [SIMULATED]
    named = []
    for model in dict.fromkeys(mark.model for mark in marks if mark.row.simulated):
        own = [mark.row for mark in marks if mark.model == model]
        runs = ", ".join(dict.fromkeys(words.runs(row) for row in own if row.simulated))
        named.append(model if all(row.simulated for row in own) else f"{model} in {runs}")
    return [PARTLY.format("; ".join(named))] if named else []


def _sources(rows: Sequence[ProfileRow]) -> list[str]:
    """What each method was about, what is not complete, and in what runs of one method differ."""
    said = []
    for method, part in PARTS.items():
        own = [row for row in rows if row.method == method]
        if own:
            about = "; ".join(dict.fromkeys(one_line(row.domain) for row in own))
            more = dict.fromkeys(f"{words.runs(row)} is {row.status}" for row in own if row.status != "complete")
            more |= dict.fromkeys(f"{words.runs(row)} has {one_line(row.setting)}" for row in own if row.setting)
            said.append(". ".join([f"{part.name[0].upper()}{part.name[1:]}: {about}", *more]) + ".")
    return said


def _in_words(mark: _Mark) -> str:
    return f"{mark.model}: {mark.place} {_figure(mark.row)}."
