"""Profiles as one picture: every measure of every model as a mark with its interval."""

from collections import Counter
from collections.abc import Mapping, Sequence
from math import floor

from ....state.profile import ProfileDocument, ProfileRow, Unit
from ....stats.profile.figures import PARTS
from ...page.chart.axes import BESIDE, PAGE, Axis, Row, Series, Spec, layer
from ...page.chart.draw import across, below_each_other, chart, room_of
from ...page.chart.names import cut, labels, widest
from ...page.chart.picture import Picture
from ...page.chart.runs import MOST_RUNS, of_models
from ...page.remarks import SIMULATED
from ..depthqa.figures import target_words
from ..pictures import in_words
from . import words

LEAST = 240
"""Of a panel at least, in pixels."""
_TENTHS = [tenths / 10 for tenths in range(-10, 11, 2)]
_PANELS: Mapping[Unit, tuple[str, Sequence[float], str]] = {
    "share": ("Accuracy (higher is better)", _TENTHS, ".0%"),
    "gap": ("Gaps (lower is better)", _TENTHS, ".0%"),
    "score": ("Mean score, 1 to 5 (higher is better)", (1, 2, 3, 4, 5), ".0f"),
    "depths": ("Expected Valid Depth (higher is better)", (), ".0f"),
}
"""Unit → heading, ticks and labels of its panel, from the top."""
PARTLY = "SIMULATED: the numbers of {} come from the simulated world and measure no real model."


def profile_picture(document: ProfileDocument) -> Picture:
    """A panel for shares, one for gaps, one for mean scores, one for EVDs, as far as there are any.
    Of more than twelve models the first are drawn."""
    shown = document.profiles[:MOST_RUNS]
    names = labels([target_words(profile.model) for profile in shown], 80)
    held = [(names[target_words(profile.model)], row) for profile in shown for row in profile.rows]
    held.sort(key=lambda each: list(PARTS).index(each[1].method))
    rows = [
        _mark(model, place, row) for (model, row), place in zip(held, _places(held), strict=True)
    ]
    series = of_models([*names.values()])
    room = room_of([row["y"] for row in rows]), widest(row["told"] for row in rows)
    width = max(LEAST, min(440, PAGE - 60 - sum(room)))
    parts = []
    for unit, (title, _, _) in _PANELS.items():
        own = [row for row in rows if row["panel"] == title]
        if own:
            scales = [row.scale for _, row in held if row.unit == unit]
            parts.append(_panel(own, unit, scales, series, room, width))
    drawn = below_each_other(parts, color="shared", shape="shared")
    title = f"Profile: {cut(document.domain, 60)}" if document.domain else "Profile"
    said = _said(document, held, series)
    return Picture("profile", title, said, in_words(rows), width + sum(room), drawn, series.legend)


def _places(rows: Sequence[tuple[str, ProfileRow]]) -> list[str]:
    """What stands beside each row's mark: the measure, with the domain and the run as far as it
    takes to tell the rows of a model apart."""
    several = {
        method
        for method in PARTS
        if len({row.domain for _, row in rows if row.method == method}) > 1
    }
    named = [
        words.label(row) + (f" · {cut(row.domain, 30)}" if row.method in several else "")
        for _, row in rows
    ]
    times = Counter((model, name) for (model, _), name in zip(rows, named, strict=True))
    return [
        f"{name} · {words.runs(row)}" if times[model, name] > 1 else name
        for (model, row), name in zip(rows, named, strict=True)
    ]


def _mark(model: str, place: str, row: ProfileRow) -> Row:
    told = words.value(row) + (f" ({words.span(row)})" if row.ci is not None else "")
    at: Row = {
        "panel": _PANELS[row.unit][0],
        "series": model,
        "of": model,
        "x": row.value,
        "y": place,
    }
    return at | {"told": told, "words": f"{place} {told}", **across(row.ci)}


def _panel(
    rows: Sequence[Row],
    unit: Unit,
    scales: Sequence[tuple[float, float]],
    series: Series,
    room: tuple[int, int],
    width: int,
) -> Spec:
    """The marks of one unit. `scales`: what the measures can be; `room`: pixels that the names left
    and the figures right take."""
    _, values, written = _PANELS[unit]
    names = list(dict.fromkeys(row["y"] for row in rows))
    low, high = min(least for least, _ in scales), max(most for _, most in scales)
    if unit == "gap":  # only as far below 0 as is needed
        least: list[float] = [row[end] for row in rows for end in ("x", "left") if end in row]
        low, high = floor(min(0.0, *least) * 10) / 10, 1.0
    # in the ground's colour: the picture is as wide as a viewer with a wide font needs it
    wide = {"x": {"value": width + BESIDE + room[1]}, "y": {"value": 0}}
    edge = layer("point", wide, rows=[{}], size=1, opacity=0)
    shown = values or [*range(round(low), round(high) + 1, max(1, round((high - low) / 8)))]
    x = Axis(
        low=low,
        high=high,
        values=[value for value in shown if low <= value <= high],
        labels=written,
    )
    height = max(24, 15 * len(series.names) + 8) * len(names)
    zero = (0.0,) if unit == "gap" and low < 0 else ()
    y = Axis(names=names, room=room[0])
    return chart(rows, x, y, series, width=width, height=height, lines=zero, over=lambda _: [edge])


def _said(
    document: ProfileDocument, held: Sequence[tuple[str, ProfileRow]], series: Series
) -> list[str]:
    said = _simulated(held)
    said += [f"Model: {series.names[0]}."] if len(series.names) == 1 else []
    if len(series.names) < len(document.profiles):
        said.append(f"The first {len(series.names)} of {len(document.profiles)} models are drawn.")
    return [*said, " ".join(["Lines: 95% intervals.", *_sources([row for _, row in held])])]


def _simulated(held: Sequence[tuple[str, ProfileRow]]) -> list[str]:
    """What is simulated: everything that is drawn, or the models named, with the runs where others
    of it are not."""
    if all(row.simulated for _, row in held):
        return [SIMULATED]
    named = []
    for model in dict.fromkeys(model for model, row in held if row.simulated):
        own = [row for name, row in held if name == model]
        runs = ", ".join(dict.fromkeys(words.runs(row) for row in own if row.simulated))
        named.append(model if all(row.simulated for row in own) else f"{model} in {runs}")
    return [PARTLY.format("; ".join(named))] if named else []


def _sources(rows: Sequence[ProfileRow]) -> list[str]:
    """What each method was about, what is not complete, and in what runs of one method differ."""
    said = []
    for method, part in PARTS.items():
        own = [row for row in rows if row.method == method]
        if own:
            about = "; ".join(dict.fromkeys(row.domain for row in own))
            more = dict.fromkeys(
                f"{words.runs(row)} is {row.status}" for row in own if row.status != "complete"
            )
            more |= dict.fromkeys(
                f"{words.runs(row)} has {row.setting}" for row in own if row.setting
            )
            said.append(". ".join([f"{part.name[0].upper()}{part.name[1:]}: {about}", *more]) + ".")
    return said
