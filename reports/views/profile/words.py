"""The figures of a profile as the screen and the picture write them: each measure as its own method
does."""

from collections.abc import Mapping

from ....state.profile import Ground, ProfileRow, Unit
from ...page import figures
from ...page.forms import span_written, written

_OF_UNIT: Mapping[Unit, str] = {
    "depths": "number",
    "share": "percent",
    "gap": "points_named",
    "score": "number",
}
_OF_MEASURE = {"acs": "score", "acs_normalised": "score", "forward": "gap", "backward": "gap"}
"""Forms of measures, and of those that are written in another way than others of their unit."""
_DECIMALS = {
    "number": (2, 1),
    "percent": (0, 100),
    "points_named": (0, 100),
    "score": (2, 1),
    "gap": (3, 1),
}
"""Decimals that a form has, of so many times the number."""
_FINEST = 9
"""Decimals below which an end lies on its limit."""


def _form(row: ProfileRow) -> str:
    return _OF_MEASURE.get(row.measure) or _OF_UNIT[row.unit]


def value(row: ProfileRow) -> str:
    """`≥4.62`, `82%`, `.92`, `.083`, `+5 points`, `3.82`."""
    return ("≥" if row.lower_limit else "") + written(row.value, _form(row))


def span(row: ProfileRow) -> str:
    """Its interval; a dash where there is none."""
    return span_written(row.ci, _form(row))


def limit(ground: Ground) -> str:
    """What the figure is beyond: `at least 80%`, `more than 0 points`. Where the limit would look
    like the end of the interval both are written as finely as tells them apart: `lower end 0.4,
    more than 0 points`."""
    row, form = ground.row, _form(ground.row)
    said = f"{ground.side} {written(ground.limit, form)}"
    upper = ground.side == "at most"
    end = ground.limit if row.ci is None else row.ci[upper]
    if written(end, form) != written(ground.limit, form):
        return said
    name = "upper end" if upper else "lower end"
    least, times = _DECIMALS[form]
    for decimals in range(least + 1, _FINEST):
        fine, of = (f"{number * times:.{decimals}f}" for number in (end, ground.limit))
        if fine != of:
            return f"{name} {fine}, {said}"
    return f"{name} on the limit"


def label(row: ProfileRow) -> str:
    """The measure in words; of an EVD with the most it can be."""
    return f"{row.label} of {row.scale[1]:g}" if row.unit == "depths" else row.label


def runs(row: ProfileRow) -> str:
    """The ids of the runs behind the row, in short."""
    return ", ".join(figures.short_id(run) for run in row.run_ids)


def started(row: ProfileRow) -> str:
    """When its run began, as `2026-11-20`."""
    return row.started.strftime("%Y-%m-%d") if row.started else "date unknown"
