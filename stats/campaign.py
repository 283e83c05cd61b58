"""What the repeats of each domain and target of a campaign come to together."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import inf, sqrt
from statistics import fmean, stdev

from ..state.campaign import CellState
from ..state.result import Interval
from .moderated import mean_of_repeats

BOUNDS: Mapping[str, Interval] = {
    "drill": (0.0, inf),
    "replay": (0.0, inf),
    "depthqa": (1.0, 5.0),
}
"""Method → between what its figure lies; of all others it is a share."""


@dataclass(frozen=True, slots=True)
class Pooled:
    """All cells of one method, domain and target: they differ in their seed."""

    cells: tuple[CellState, ...]
    counted: int
    """Cells that are complete and have a figure; no other is in the numbers below."""
    figure: float | None
    """Their mean, in the unit of the method."""
    interval: Interval | None
    """95%: of one cell its own, of more by the moderated t within the bounds of the figure; None
    where a cell has none."""
    error: float | None
    """Standard error of the mean, s/√R, of two and more that differ."""
    at_least: bool
    """Whether one of them is only a lower limit, and so the mean."""


def pooled(cells: Iterable[CellState]) -> Pooled:
    """The cells of one method, domain and target (at least one) as one figure."""
    held = tuple(cells)
    counting = [cell for cell in held if cell.status == "complete" and cell.figure is not None]
    values = [cell.figure for cell in counting if cell.figure is not None]
    low, high = BOUNDS.get(held[0].method, (0.0, 1.0))
    high = held[0].highest or high
    differ = len(set(values)) > 1
    repeats = [
        (cell.figure, cell.interval)
        for cell in counting
        if cell.figure is not None and cell.interval is not None
    ]
    interval = None
    if repeats and len(repeats) == len(values):
        interval = mean_of_repeats([repeats], low, high)
    return Pooled(
        cells=held,
        counted=len(values),
        figure=fmean(values) if values else None,
        interval=interval,
        error=stdev(values) / sqrt(len(values)) if differ else None,
        at_least=any(cell.at_least for cell in counting),
    )
