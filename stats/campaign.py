"""What the repeats of each domain and target of a campaign come to together."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf
from statistics import fmean

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
    at_least: bool
    """Whether one of them is only a lower limit, and so the mean."""


def pooled(cells: Sequence[CellState]) -> Pooled:
    """The cells of one method, domain and target (at least one) as one figure."""
    low, high = BOUNDS.get(cells[0].method, (0.0, 1.0))
    high = cells[0].highest or high
    values, repeats = list[float](), list[tuple[float, Interval]]()
    at_least = False
    for cell in cells:
        if cell.status == "complete" and cell.figure is not None:
            values.append(cell.figure)
            at_least |= cell.at_least
            if cell.interval is not None:
                repeats.append((cell.figure, cell.interval))
    has_intervals = repeats and len(repeats) == len(values)
    return Pooled(
        cells=tuple(cells),
        counted=len(values),
        figure=fmean(values) if values else None,
        interval=mean_of_repeats([repeats], low, high) if has_intervals else None,
        at_least=at_least,
    )
