"""The picture of Explain-Query-Tests: accuracy against answer consistency."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ....state.eqt.result import EqtResult
from ....stats.side_by_side import labels_of, marks_of, with_short_id
from ...page import figures
from ...page.chart.axes import Axis
from ...page.chart.draw import across, interval
from ...page.chart.names import labels
from ...page.chart.picture import Picture
from ...page.chart.runs import notes, of_models
from ..pictures import QUARTERS, picture, target_of

NOWHERE = -0.25
"""Where a mark without an ACS stands on that axis."""
_HALVES = "datum.value < 0 ? 'none' : datum.value * 4 % 2 ? '' : format(datum.value, '{}')"
_SIDE = 360
"""Of the picture, in pixels."""


def pictures(results: Sequence[EqtResult], _: Any) -> Iterator[Picture]:
    """A mark for each run that has an accuracy."""
    named = [(result.run_id, result.spec) for result in results]
    names = labels_of(named, lambda spec: marks_of(spec, {"source", "as_of"}), with_short_id)
    shown = labels(names, 75)
    runs = {shown[label]: result for label, result in zip(names, results, strict=True)}
    drawn = {name: run for name, run in runs.items() if run.numbers.all.accuracy is not None}
    if not drawn:
        return
    series = of_models([*drawn], [*shown.values()])
    rows = []
    for name, run in drawn.items():
        accuracy, acs = run.numbers.all, run.numbers.consistency
        rows.append(
            {"panel": "", "series": name, "y": accuracy.accuracy, "words": _in_words(run)}
            | {"x": NOWHERE if acs.acs is None else acs.acs}
            | across(acs.acs_ci)
            | interval(accuracy.wider)
        )
    without_acs = any(run.numbers.consistency.acs is None for run in drawn.values())
    said = [
        *_notes(runs),
        *target_of(series),
        "y: accuracy (exact match of the option set). x: ACS (1 = same answer every time). Lines: "
        "95% intervals.",
    ]
    said += (
        ["Marks at “none” have no ACS: no question has two readable answers."]
        if without_acs
        else []
    )
    x_low, ticks = (-0.35, (NOWHERE, *QUARTERS)) if without_acs else (-0.04, QUARTERS)
    x = Axis("ACS", low=x_low, high=1.04, values=ticks, labels=_HALVES.format(".1f"))
    y = Axis("accuracy", low=-0.04, high=1.04, values=QUARTERS, labels=_HALVES.format(".0%"))
    title = "Accuracy against answer consistency"
    yield picture("eqt-accuracy-acs", title, said, rows, (x, y), series, width=_SIDE, height=_SIDE)


def _notes(runs: Mapping[str, EqtResult]) -> list[str]:
    said = []
    for name, result in runs.items():
        if result.open_concepts:
            done, every = len(result.concepts), len(result.concepts) + len(result.open_concepts)
            said.append(f"{name}: {done} of {every} concepts are finished.")
    results = list(runs.values())
    return notes(results, {str(n): n for n in range(len(results) + 1)}, "", said)


def _in_words(run: EqtResult) -> str:
    numbers = run.numbers
    acs = "none" if numbers.consistency.acs is None else figures.score(numbers.consistency.acs)
    return f"accuracy {figures.percent(numbers.all.accuracy)}, ACS {acs}"
