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


def _form(row: ProfileRow) -> str:
    return _OF_MEASURE.get(row.measure) or _OF_UNIT[row.unit]


def value(row: ProfileRow) -> str:
    """`≥4.62`, `82%`, `.92`, `.083`, `+5 points`, `3.82`."""
    return ("≥" if row.lower_limit else "") + written(row.value, _form(row))


def span(row: ProfileRow) -> str:
    """Its interval; a dash where there is none."""
    return span_written(row.ci, _form(row))


def limit(ground: Ground) -> str:
    """What the figure is beyond: `at least 80%`, `more than 0 points`."""
    return f"{ground.side} {written(ground.limit, _form(ground.row))}"


def label(row: ProfileRow) -> str:
    """The measure in words; of an EVD with the most it can be."""
    return f"{row.label} of {row.scale[1]:g}" if row.unit == "depths" else row.label


def runs(row: ProfileRow) -> str:
    """The ids of the runs behind the row, in short."""
    return ", ".join(figures.short_id(run) for run in row.run_ids)


def started(row: ProfileRow) -> str:
    """When its run began, as `2026-11-20`."""
    return row.started.strftime("%Y-%m-%d") if row.started else "date unknown"
