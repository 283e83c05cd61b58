"""Measures over rows of answers as tables, figures and charts: one reader for all methods."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields
from textwrap import wrap
from typing import Any

from ...state.rows import AnswerRow, Estimate, Measure, Tag
from ...state.tiers import tier_name
from ...stats.side_by_side import labels_of, marks_of
from ..page.blocks import Cell, Column, Figure, Figures, Table
from ..page.chart.axes import SIGN, Axis, Row, Series
from ..page.chart.draw import interval
from ..page.chart.names import labels
from ..page.chart.picture import Picture
from ..page.chart.runs import MOST_RUNS, notes, of_models
from ..page.forms import span_written, written
from ..page.sanitise import one_line
from .pictures import SHARES, picture, target_of

FORMS = {
    "depths": "number",
    "share": "percent",
    "score": "score",
    "index": "index",
}
"""Unit of a measure → how a figure of it is written."""
SHORT = ("acs", "evd", "q2i", "q2s")
ALL = "all"
COLUMN = 20
"""Cells that a measure takes with its interval beside it; where there is less room for all of them
that stands under it."""
HEAD = 14
"""Cells of a line of a measure's name above its column."""
NAME = 28
"""Cells of a line in the first column at most."""
REPEATED = ("seed", "repeat", "repeats", "source", "as_of")
"""Fields of a spec in which repeats of a model may differ."""
_FIELDS = frozenset(field.name for field in fields(AnswerRow))
Sides = Mapping[str, Sequence[AnswerRow]]
"""Label of a model → its rows."""
Places = Mapping[Any, Estimate]
"""Place on the axis across → what was measured there."""
Panels = Mapping[str, Mapping[str, Places]]
"""Heading, empty for a single panel → label of a series → its figures."""


def head_of(measure: Measure) -> str:
    words = measure.name.split("_")
    return " ".join(word.upper() if word in SHORT else word for word in words)


def parts_of(rows: Sequence[AnswerRow], tag: str) -> dict[Tag, list[AnswerRow]]:
    """The rows by a tag, a setting or a field of theirs, without those that have none; numbers in
    order."""
    parts: dict[Any, list[AnswerRow]] = defaultdict(list)
    for row in rows:
        value = getattr(row, tag) if tag in _FIELDS else row.tag(tag)
        if value is not None and value != "":
            parts[value].append(row)
    numbers = all(isinstance(value, int | float) for value in parts)
    return dict(sorted(parts.items())) if numbers else dict(parts)


def sides_of(
    results: Sequence[Any], rows_of: Callable[[Any], Sequence[AnswerRow]]
) -> dict[str, list[AnswerRow]]:
    """Runs by target, repeats together; what else tells runs of one target apart stands beside its
    name. `rows_of`: those of a run."""
    specs = [(result.run_id, result.spec) for result in results]
    names = labels_of(specs, lambda spec: marks_of(spec, REPEATED), lambda label, _: label)
    sides: dict[str, list[AnswerRow]] = defaultdict(list)
    for name, result in zip(names, results, strict=True):
        sides[one_line(name)] += rows_of(result)
    return dict(sides)


def by_part(rows: Sequence[AnswerRow], measure: Measure, tag: str) -> dict[Tag, Estimate]:
    """A measure for each value of a tag that has any."""
    estimates = {value: measure.of(part) for value, part in parts_of(rows, tag).items()}
    return {value: estimate for value, estimate in estimates.items() if estimate.value is not None}


def by_measure(rows: Sequence[AnswerRow], measures: Sequence[Measure]) -> dict[str, Estimate]:
    """Each measure that has a value, by its name as it is shown."""
    estimates = {head_of(measure): measure.of(rows) for measure in measures}
    return {head: estimate for head, estimate in estimates.items() if estimate.value is not None}


# tables

Line = tuple[str, Mapping[str, Estimate]]
"""A line's name, and by a measure's name what was measured."""


def by_tag(
    title: str,
    rows: Sequence[AnswerRow],
    measures: Sequence[Measure],
    tag: str,
    *,
    notes: Sequence[str] = (),
    name: Callable[[Tag], str] = str,
    head: str = "",
    weakest: int = 0,
) -> Table:
    """A line per value of the tag and one over all, a column per measure that has a value.

    `name`: of a value; `head`: of their column, where it is not the tag. `weakest`: of more values
    than so many only those are shown that come last by the first measure."""
    overall = by_measure(rows, measures)
    shown = [measure for measure in measures if head_of(measure) in overall]
    lines: list[Line] = []
    for value, part in parts_of(rows, tag).items():
        figures = {measure.name: measure.of(part) for measure in shown}
        if any(each.value is not None for each in figures.values()):
            lines.append((name(value), figures))
    is_single = len(lines) == 1
    if 0 < weakest < len(lines):
        title = f"{title}: the weakest {weakest} of {len(lines):,}"
        lines = _weakest(lines, shown[0])[:weakest]
    if not is_single:
        lines.append((ALL, {measure.name: overall[head_of(measure)] for measure in shown}))
    of_parts = (head or tag) if len(lines) > 1 else ""
    columns = [Column(of_parts, "part", fold=True, room=NAME)]
    if shown:
        columns.append(Column("answers", f"{shown[0].name}.n", "count", since=60))
    since = NAME + COLUMN * len(shown)
    columns += [_column(measure, since) for measure in shown]
    made = [{"part": part, **_cells(shown, figures)} for part, figures in lines]
    return Table(title, columns, made, notes, wide=True)


def by_tier(
    title: str,
    rows: Sequence[AnswerRow],
    measures: Sequence[Measure],
    notes: Sequence[str] = (),
) -> Table:
    """These measures by tier, and over all."""
    nominal = {row.tag("tier") for row in rows if row.tag("nominal")}

    def name(tier: Tag) -> str:
        return tier_name(str(tier), nominal=tier in nominal)

    return by_tag(title, rows, measures, "tier", notes=notes, name=name)


def _weakest(lines: Sequence[Line], measure: Measure) -> list[Line]:
    """The lines with a value, the weakest first."""
    sign = 1 if measure.better == "higher" else -1
    valued = [line for line in lines if line[1][measure.name].value is not None]
    return sorted(valued, key=lambda line: sign * (line[1][measure.name].value or 0.0))


def _column(measure: Measure, since: int) -> Column:
    key, form = measure.name, FORMS[measure.unit]
    legend = f"{head_of(measure)}: {measure.says.rstrip('.')}"
    head = "\n".join(wrap(head_of(measure), HEAD))
    return Column(head, f"{key}.value", form, legend, f"{key}.interval", since, under=True)


def _cells(
    measures: Sequence[Measure], figures: Mapping[str, Estimate]
) -> dict[str, dict[str, Any]]:
    cells = {}
    for measure in measures:
        estimate = figures[measure.name]
        value = _figure(measure, estimate) if estimate.at_least else estimate.value
        cells[measure.name] = {
            "value": value,
            "interval": estimate.interval,
            "n": estimate.n,
        }
    return cells


def _figure(measure: Measure, estimate: Estimate) -> str:
    return f"{'≥' * estimate.at_least}{written(estimate.value, FORMS[measure.unit])}"


def side_by_side(
    title: str,
    sides: Sides,
    measures: Sequence[Measure],
    tag: str = "",
    *,
    notes: Sequence[str] = (),
    name: Callable[[Tag], str] = str,
) -> Table:
    """Under each measure a line per value of the tag and one over all, a column per model; without
    a tag a line per measure."""
    parts = {label: parts_of(rows, tag) for label, rows in sides.items()}
    values = dict.fromkeys(value for of_model in parts.values() for value in of_model)
    lines: list[Any] = []
    for measure in measures:
        of_values: list[tuple[str, Sides]] = []
        for value in values if tag in measure.by else ():
            of_value = {label: of_model.get(value, []) for label, of_model in parts.items()}
            of_values.append((name(value), of_value))
        if len(of_values) != 1:
            of_values.append((ALL if tag else head_of(measure), sides))
        with_cells = [
            {"part": part, **_cells_beside(measure, of_model)} for part, of_model in of_values
        ]
        measured_lines = [line for line in with_cells if len(line) > 1]
        if measured_lines and tag:
            lines.append(head_of(measure))
        lines += measured_lines
    columns = [
        Column(label, str(position), "number", room=COLUMN) for position, label in enumerate(sides)
    ]
    first = Column(tag or "measure", "part", fold=True, room=NAME)
    return Table(title, [first, *columns], lines, [UNDER, *notes], wide=True)


UNDER = "under each figure its 95% interval"


def _cells_beside(measure: Measure, sides: Sides) -> dict[str, Cell]:
    """Place of a model → figure over its interval, of those that have one."""
    cells = {}
    for position, rows in enumerate(sides.values()):
        estimate = measure.of(rows)
        if estimate.value is not None:
            span = span_written(estimate.interval, FORMS[measure.unit])
            cells[str(position)] = Cell(_figure(measure, estimate), more=[span])
    return cells


def measured(rows: Sequence[AnswerRow], measures: Sequence[Measure], title: str = "") -> Figures:
    """A line per measure that has a value: value, interval, and over how many answers."""
    lines = []
    for measure in measures:
        estimate = measure.of(rows)
        if estimate.value is not None:
            label = f"{head_of(measure)} (n {estimate.n:,})"
            value, form = _figure(measure, estimate), FORMS[measure.unit]
            lines.append(Figure(label, value, form, estimate.interval))
    return Figures(lines, title)


# charts


def points(
    name: str,
    title: str,
    panels: Panels,
    *,
    said: Sequence[str] = (),
    across: str | None = None,
    upwards: Axis = SHARES,
    form: str = "percent",
    series: Series | None = None,
    height: int = 280,
    **layout: Any,
) -> Picture | None:
    """Points with intervals, a place beside the other; None without any. `series`: of what is no
    model; `layout`: as of `picture`."""
    places = dict.fromkeys(
        str(position)
        for sides in panels.values()
        for estimates in sides.values()
        for position in estimates
    )
    if not places:
        return None
    of_series = series or of_models(_labels(panels))
    rows = _rows(panels, of_series, form, text=True)
    longest = max(len(str(row["told"])) for row in rows)
    axes = Axis(across, [*places]), upwards
    width = max(110, of_series.step(SIGN * longest)) * len(places)
    words = [*said, *target_of(of_series)]
    more = {"width": width, "height": height, **layout}
    return picture(name, title, words, rows, axes, of_series, **more)


def curve(
    name: str,
    title: str,
    panels: Panels,
    across: Axis,
    *,
    said: Sequence[str] = (),
    upwards: Axis = SHARES,
    form: str = "percent",
    series: Series | None = None,
    width: int = 480,
    height: int = 280,
    **layout: Any,
) -> Picture | None:
    """Curves with bands over a line of numbers; None without any. See `points`."""
    of_series = series or of_models(_labels(panels))
    rows = _rows(panels, of_series, form, text=False)
    if not rows:
        return None
    words, axes = [*said, *target_of(of_series)], (across, upwards)
    size = {"width": width, "height": height}
    return picture(
        name,
        title,
        words,
        rows,
        axes,
        of_series,
        kind="line",
        **size,
        **layout,
    )


def _labels(panels: Panels) -> list[str]:
    """Names of all series as they are drawn."""
    return [*_short(panels).values()]


def _short(panels: Panels) -> dict[str, str]:
    return labels(dict.fromkeys(label for sides in panels.values() for label in sides), 76)


def _rows(panels: Panels, series: Series, form: str, *, text: bool) -> list[Row]:
    """A row per figure. `text`: whether places are names, with the figures written beside them."""
    rows = []
    short = _short(panels)
    for panel, sides in panels.items():
        for label, places in sides.items():
            fields = {
                "panel": panel,
                "series": short[label],
                "line": short[label],
            }
            rows += [
                fields | _row(position, estimate, form, text=text)
                for position, estimate in places.items()
            ]
    return rows


def _row(position: Any, estimate: Estimate, form: str, *, text: bool) -> Row:
    figure = f"{'≥' * estimate.at_least}{written(estimate.value, form)}"
    span = f" ({span_written(estimate.interval, form)})" if estimate.interval else ""
    place_name = str(position).replace("\n", " ")
    row = {
        "x": str(position) if text else position,
        "y": estimate.value,
        "words": f"{place_name} {figure}{span} over {estimate.n:,}",
    }
    return row | interval(estimate.interval) | ({"told": figure} if text else {})


def points_of(
    name: str,
    title: str,
    results: Sequence[Any],
    rows_of: Callable[[Any], Sequence[AnswerRow]],
    measures: Sequence[Measure],
    words: str = "",
) -> Iterator[Picture]:
    """The measures of each of the first models side by side; nothing where there is no figure."""
    sides = sides_of(results[:MOST_RUNS], rows_of).items()
    estimates = {label: by_measure(rows, measures) for label, rows in sides}
    said = [*notes(results), f"{words} Lines: 95% intervals.".strip()]
    picture = points(name, title, {"": estimates}, said=said)
    yield from [picture] if picture is not None else []
