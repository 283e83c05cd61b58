"""The figures of a profile as the screen and the picture write them: each measure as its own method does."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ....state.profile import Ground, ProfileRow, Unit
from ....state.result import Interval
from ...page import figures


@dataclass(frozen=True, slots=True)
class _Form:
    """How a measure is written."""

    value: Callable[[float], str]
    span: Callable[[Interval], str]
    decimals: int
    """That `value` has, of the number times `times`."""
    times: int = 1


def _points(share: float) -> str:
    return f"{figures.points(share)} points"


_OF_UNIT: Mapping[Unit, _Form] = {
    "depths": _Form(figures.number, figures.span, 2),
    "share": _Form(figures.percent, figures.percent_span, 0, 100),
    "gap": _Form(_points, figures.points_span, 0, 100),
    "score": _Form(figures.number, figures.span, 2),
}
_SCORE, _DISCREPANCY = _Form(figures.score, figures.score_span, 2), _Form(figures.gap, figures.gap_span, 3)
_OF_MEASURE: Mapping[str, _Form] = {
    "acs": _SCORE,
    "acs_normalised": _SCORE,
    "forward": _DISCREPANCY,
    "backward": _DISCREPANCY,
}
"""Measures that are written in another way than others of their unit."""


def _form(row: ProfileRow) -> _Form:
    return _OF_MEASURE.get(row.measure) or _OF_UNIT[row.unit]


def value(row: ProfileRow) -> str:
    """`≥4.62`, `82%`, `.92`, `.083`, `+5 points`, `3.82`."""
    return ("≥" if row.lower_limit else "") + _form(row).value(row.value)


def limit(ground: Ground) -> str:
    """What the figure is beyond: `at least 80%`, `more than 0 points`. Where the limit would look like the end of the
    interval both are written as finely as tells them apart: `lower end 0.4, more than 0 points`."""
    row, form = ground.row, _form(ground.row)
    said = f"{ground.side} {form.value(ground.limit)}"
    upper = ground.side == "at most"
    end = ground.limit if row.ci is None else row.ci[upper]
    if form.value(end) != form.value(ground.limit):
        return said
    name = "upper end" if upper else "lower end"
    for decimals in range(form.decimals + 1, _FINEST):
        fine, of = (f"{number * form.times:.{decimals}f}" for number in (end, ground.limit))
        if fine != of:
            return f"{name} {fine}, {said}"
    return f"{name} on the limit"


_FINEST = 9
"""Decimals below which an end lies on its limit."""


def span(row: ProfileRow) -> str:
    """Its interval; a dash where there is none."""
    return "–" if row.ci is None else _form(row).span(row.ci)


def label(row: ProfileRow) -> str:
    """The measure in words; of an EVD with the most it can be."""
    return f"{row.label} of at most {row.scale[1]:g}" if row.unit == "depths" else row.label


def runs(row: ProfileRow) -> str:
    """The ids of the runs behind the row, in short."""
    return ", ".join(figures.short_id(run) for run in row.run_ids)


def started(row: ProfileRow) -> str:
    """When its run began, as `2026-11-20`."""
    return row.started.strftime("%Y-%m-%d") if row.started else "date unknown"
