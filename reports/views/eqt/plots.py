"""The picture of Explain-Query-Tests: accuracy against answer consistency."""

from collections.abc import Iterator, Sequence

from ....state.eqt.result import EqtCell, EqtComparison, EqtResult
from ....state.worlds import label_of
from ...page import figures
from ...page.chart.axes import Axis
from ...page.chart.draw import across, interval
from ...page.chart.names import labels
from ...page.chart.picture import Picture
from ...page.chart.runs import notes, of_models
from ..pictures import QUARTERS, picture, target_of
from .tables import ALL

NOWHERE = -0.25
"""Where a mark without an ACS stands on that axis."""
_HALVES = "datum.value < 0 ? 'none' : datum.value * 4 % 2 ? '' : format(datum.value, '{}')"
_SIDE = 360
"""Of the picture, in pixels."""


def pictures(results: Sequence[EqtResult], comparison: EqtComparison) -> Iterator[Picture]:
    """A mark for each target that has an accuracy. `comparison` is over `results`."""
    cells = [cell for cell in comparison.cells if cell.category == ALL]
    drawn = [cell for cell in cells if cell.accuracy is not None]
    if not drawn:
        return
    targets = labels(comparison.targets, 75)
    series = of_models([targets[cell.target] for cell in drawn], [*targets.values()])
    rows = [
        {"panel": "", "series": targets[cell.target], "y": cell.accuracy, "words": _in_words(cell)}
        | {"x": NOWHERE if cell.acs is None else cell.acs}
        | across(cell.acs_ci)
        | interval(cell.ci)
        for cell in drawn
    ]
    lacking = any(cell.acs is None for cell in drawn)
    said = [
        *_notes(results, comparison),
        *target_of(series),
        "y: accuracy (exact match of the option set). x: ACS (1 = same answer every time). Lines: "
        "95% intervals.",
    ]
    said += (
        ["Marks at “none” have no ACS: no question has two readable answers."] if lacking else []
    )
    x_low, ticks = (-0.35, (NOWHERE, *QUARTERS)) if lacking else (-0.04, QUARTERS)
    x = Axis("ACS", low=x_low, high=1.04, values=ticks, labels=_HALVES.format(".1f"))
    y = Axis("accuracy", low=-0.04, high=1.04, values=QUARTERS, labels=_HALVES.format(".0%"))
    title = "Accuracy against answer consistency"
    yield picture("eqt-accuracy-acs", title, said, rows, (x, y), series, width=_SIDE, height=_SIDE)


def _notes(results: Sequence[EqtResult], comparison: EqtComparison) -> list[str]:
    targets = {cell.run_id: cell.target for cell in comparison.cells}
    said = []
    if comparison.left_out and comparison.concepts:
        every = comparison.concepts + comparison.left_out
        said.append(
            f"Over {comparison.concepts} of {every} concepts: those that all targets have finished."
        )
    for result in results:
        if result.open_concepts:
            done, every = len(result.concepts), len(result.concepts) + len(result.open_concepts)
            name = targets.get(result.run_id, label_of(result.spec.target))
            said.append(f"{name}: {done} of {every} concepts are finished.")
    return notes([*results, comparison], {str(n): n for n in range(len(results) + 1)}, "", said)


def _in_words(cell: EqtCell) -> str:
    acs = "none" if cell.acs is None else figures.score(cell.acs)
    return f"accuracy {figures.percent(cell.accuracy)}, ACS {acs}"
