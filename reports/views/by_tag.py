"""Measures over rows of answers as tables and figures: one reader for all methods."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from typing import Any

from ...state.rows import AnswerRow, Estimate, Measure, Tag
from ...state.tiers import tier_name
from ...stats.side_by_side import labels_of
from ..page.blocks import Column, Figure, Figures, Table
from ..page.forms import with_interval, written
from ..page.plain import IN_BRACKETS
from ..page.sanitise import one_line

FORMS = {
    "depths": "number",
    "share": "percent",
    "score": "score",
    "index": "index",
}
"""Unit of a measure → how a figure of it is written."""
SHORT = ("acs", "evd", "q2i", "q2s")
ALL = "all"
REPEATED = ("seed", "repeat", "repeats", "source", "as_of")
"""Fields of a spec in which repeats of a model may differ."""
_FIELDS = frozenset(field.name for field in fields(AnswerRow))
Sides = Mapping[str, Sequence[AnswerRow]]
"""Label of a model → its rows."""


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
    names = labels_of([result.spec for result in results], REPEATED)
    sides: dict[str, list[AnswerRow]] = defaultdict(list)
    for name, result in zip(names, results, strict=True):
        sides[one_line(name) or "(no name)"] += rows_of(result)
    return dict(sides)


def by_part(rows: Sequence[AnswerRow], measure: Measure, tag: str) -> dict[Tag, Estimate]:
    """A measure for each value of a tag that has any."""
    estimates = {value: measure.of(part) for value, part in parts_of(rows, tag).items()}
    return {
        value: estimate for value, estimate in estimates.items() if estimate.value is not None
    }


def by_measure(rows: Sequence[AnswerRow], measures: Sequence[Measure]) -> dict[str, Estimate]:
    """Each measure that has a value, by its name as it is shown."""
    estimates = {head_of(measure): measure.of(rows) for measure in measures}
    return {
        head: estimate for head, estimate in estimates.items() if estimate.value is not None
    }


def figure_of(measure: Measure, estimate: Estimate) -> str:
    """`≥3.10 (2.20–4.00)`; empty without a value."""
    if estimate.value is None:
        return ""
    form = FORMS[measure.unit]
    figure = f"{'≥' * estimate.at_least}{written(estimate.value, form)}"
    return with_interval(figure, estimate.interval, form)


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
    overall = {measure.name: measure.of(rows) for measure in measures}
    shown = [measure for measure in measures if overall[measure.name].value is not None]
    lines: list[tuple[str, Mapping[str, Estimate]]] = []
    for value, part in parts_of(rows, tag).items():
        of_part = {measure.name: measure.of(part) for measure in shown}
        if any(estimate.value is not None for estimate in of_part.values()):
            lines.append((name(value), of_part))
    several = len(lines) != 1
    if 0 < weakest < len(lines):
        title = f"{title}: the weakest {weakest} of {len(lines):,}"
        first = shown[0]
        sign = 1 if first.better == "higher" else -1
        lines = [line for line in lines if line[1][first.name].value is not None]
        lines.sort(key=lambda line: sign * (line[1][first.name].value or 0.0))
        lines = lines[:weakest]
    if several:
        lines.append((ALL, overall))
    columns = [Column((head or tag) if several else "", "part")]
    if shown:
        columns.append(Column("answers", "answers", "count"))
    for measure in shown:
        legend = f"{head_of(measure)}: {measure.says.rstrip('.')}"
        columns.append(Column(head_of(measure), measure.name, "number", legend))
    cells = []
    for part_name, estimates in lines:
        figures = {
            measure.name: figure_of(measure, estimates[measure.name]) for measure in shown
        }
        answers = estimates[shown[0].name].n if shown else 0
        cells.append({"part": part_name, "answers": answers, **figures})
    return Table(title, columns, cells, [IN_BRACKETS, *notes])


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


def side_by_side(
    title: str,
    sides: Sides,
    measures: Sequence[Measure],
    tag: str = "",
    *,
    notes: Sequence[str] = (),
) -> Table:
    """Under each measure a line per value of the tag and one over all, a column per model; without
    a tag a line per measure."""
    parts = {label: parts_of(rows, tag) for label, rows in sides.items()}
    values = dict.fromkeys(value for of_model in parts.values() for value in of_model)
    lines: list[Any] = []
    for measure in measures:
        groups: dict[str, Sides] = {}
        for value in values if tag in measure.by else ():
            groups[str(value)] = {label: parts[label].get(value, []) for label in sides}
        groups[ALL if tag else head_of(measure)] = sides
        measured_lines = []
        for part, of_model in groups.items():
            figures = [figure_of(measure, measure.of(rows)) for rows in of_model.values()]
            if any(figures):
                places = {str(place): figure for place, figure in enumerate(figures)}
                measured_lines.append({"part": part, **places})
        if measured_lines and tag:
            lines.append(head_of(measure))
        lines += measured_lines
    columns = [Column(tag or "measure", "part")]
    columns += [Column(label, str(place), "number") for place, label in enumerate(sides)]
    return Table(title, columns, lines, [IN_BRACKETS, *notes])


def measured(
    rows: Sequence[AnswerRow], measures: Sequence[Measure], title: str = ""
) -> Figures:
    """A line per measure that has a value: value, interval, and over how many answers."""
    lines = []
    for measure in measures:
        estimate = measure.of(rows)
        if estimate.value is not None:
            label = f"{head_of(measure)} (n {estimate.n:,})"
            lines.append(Figure(label, figure_of(measure, estimate), "number"))
    return Figures(lines, title)
