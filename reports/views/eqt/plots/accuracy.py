"""Accuracy against answer consistency, a panel per category."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .....state.eqt.result import EqtCell, EqtComparison
from ....page.chart import svg
from ....page.chart.names import (
    ALL,
    MOST_CATEGORIES,
    category_labels,
    category_order,
    labels,
    left_out,
    sentences,
    wrap,
)
from ....page.chart.panels import Look, Row, data, ends, having
from ....page.figures import percent, score
from ....page.palette import model_marks

_SIDES = {1: 360, 2: 260, 3: 220, 4: 180, 5: 160}
"""Of a panel in pixels, by the number of columns."""
_NOWHERE = -0.25
"""Where a mark without an ACS stands on that axis."""


@dataclass(frozen=True, slots=True)
class _Layout:
    """What all panels share."""

    targets: Mapping[str, str]
    """Target → its label."""
    look: Look
    categories: Mapping[str, str]
    """Category → its label, in the order of the panels."""
    columns: int
    side: int
    """Of a panel, in pixels."""
    lacking: bool
    """Whether any mark has no ACS."""


def accuracy_picture(path: Path, comparison: EqtComparison, notes: Sequence[str]) -> Path:
    """Draw it into the file. Raises UsageError when that cannot be written."""
    import altair as alt

    cells = _by_category(comparison)
    every = category_order(comparison.categories, cells)
    drawn = category_labels(every[:MOST_CATEGORIES], 90)
    columns = _columns(len(drawn))
    targets = labels(comparison.targets, (60, 75, 90)[min(columns, 3) - 1])
    layout = _Layout(
        targets=targets,
        look=Look(list(targets.values()), model_marks(targets.values())),
        categories=drawn,
        columns=columns,
        side=_SIDES[columns],
        lacking=any(cell.acs is None and cell.accuracy is not None for cell in comparison.cells),
    )
    said = [*notes, *_reading(layout), *left_out(every, drawn)]
    charts = [_panel(cells[category], layout, place) for place, category in enumerate(drawn)]
    whole = alt.concat(*charts, columns=columns, spacing=16).resolve_scale(color="shared", shape="shared")
    words = svg.Words(
        title="Accuracy against answer consistency",
        subtitle=sentences(said, columns * (layout.side + 24) + 40),
        description=" ".join([*said, *_figures(comparison)]),
        legend=layout.look.written,
    )
    return svg.saved(path, whole, words)


def _by_category(comparison: EqtComparison) -> dict[str, list[EqtCell]]:
    """Category → its cells. Over all concepts is left out beside a single category that has the same figures."""
    found: dict[str, list[EqtCell]] = {}
    for cell in comparison.cells:
        found.setdefault(cell.category, []).append(cell)
    if len(found) == 2 and len({tuple((c.target, c.accuracy, c.acs) for c in cells) for cells in found.values()}) == 1:
        found.pop(ALL, None)
    return found


def _columns(panels: int) -> int:
    return 2 if panels == 4 else min(panels, 3) if panels <= 6 else 4 if panels <= 12 else 5


def _reading(layout: _Layout) -> list[str]:
    said = ["y: accuracy (exact match of the option set). x: ACS (1 = same answer every time). Lines: 95% intervals."]
    if layout.lacking:
        said.append("Marks at “none” have no ACS: no question has two readable answers.")
    return [*layout.targets.values(), *said] if len(layout.targets) == 1 else said


def _figures(comparison: EqtComparison) -> list[str]:
    """The figures over all concepts, in words."""
    return [f"{cell.target}: {_in_words(cell)} over all concepts." for cell in comparison.cells if cell.category == ALL]


def _panel(cells: Sequence[EqtCell], layout: _Layout, place: int) -> "svg.Drawn":
    import altair as alt

    rows = [_row(cell, layout) for cell in cells if cell.accuracy is not None]
    x = _axis(alt.X, "acs", layout, shown=place + layout.columns >= len(layout.categories))
    y = _axis(alt.Y, "accuracy", layout, shown=place % layout.columns == 0)
    low, left = alt.Y(field="low", type="quantitative"), alt.X(field="left", type="quantitative")
    line: Row = {"strokeWidth": 1.5, "opacity": 0.7}
    colour = layout.look.colour()
    layers = [
        having("low").mark_rule(**line).encode(x=x, y=low, y2="high", color=colour),
        having("left").mark_rule(**line).encode(y=y, x=left, x2="right", color=colour),
        having("accuracy")
        .mark_point(size=70, strokeWidth=2, opacity=1)
        .encode(x=x, y=y, color=colour, shape=layout.look.shape()),
    ]
    if not rows:
        layers.append(data([{}]).mark_text(text="no answers", color=svg.FAINT, x=layout.side / 2, y=layout.side / 2))
    return alt.layer(*layers, data=alt.InlineData(values=rows)).properties(
        width=layout.side, height=layout.side, title=_heading(cells, layout)
    )


def _row(cell: EqtCell, layout: _Layout) -> Row:
    row: Row = {"series": layout.targets[cell.target], "accuracy": cell.accuracy, **ends(cell.ci)}
    if cell.acs is None:
        return row | {"acs": _NOWHERE}
    across = {} if cell.acs_ci is None else {"left": cell.acs_ci[0], "right": cell.acs_ci[1]}
    return row | {"acs": cell.acs, **across}


def _axis(channel: Any, field: str, layout: _Layout, *, shown: bool) -> Any:
    """The scale of a side of a panel; its ticks have labels where `shown`."""
    import altair as alt

    lacking = field == "acs" and layout.lacking
    axis = alt.Axis(
        values=[*([_NOWHERE] if lacking else []), 0, 0.25, 0.5, 0.75, 1],
        labelExpr=f"datum.value < 0 ? 'none' : datum.value * 4 % 2 ? '' : format(datum.value, '{_FORMATS[field]}')",
        labels=shown,
        title=_TITLES[field] if shown else None,
        labelOverlap=False,
        tickCount=9,  # fewer than there are values would thin them out
    )
    return channel(
        field=field,
        type="quantitative",
        axis=axis,
        scale=alt.Scale(domain=[-0.35 if lacking else -0.04, 1.04], nice=False),
    )


_FORMATS = {"acs": ".1f", "accuracy": ".0%"}
_TITLES = {"acs": "ACS", "accuracy": "accuracy"}


def _heading(cells: Sequence[EqtCell], layout: _Layout) -> Any:
    import altair as alt

    name = wrap(layout.categories[cells[0].category], layout.side // 8, lines=2)
    missing = sum(cell.accuracy is None for cell in cells)
    below = f"{missing} of {len(cells)} without answers" if 0 < missing < len(cells) else ""
    if len(cells) == 1 and not missing:
        below = _in_words(cells[0])
    return alt.TitleParams(text=name, subtitle=below or alt.Undefined, fontSize=12, offset=5, lineHeight=14)


def _in_words(cell: EqtCell) -> str:
    accuracy = "none" if cell.accuracy is None else percent(cell.accuracy)
    return f"accuracy {accuracy}, ACS {'none' if cell.acs is None else score(cell.acs)}"
