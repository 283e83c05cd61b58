"""The picture of Explain-Query-Tests: accuracy, and how consistent answers are."""

from collections.abc import Iterator, Sequence
from typing import Any

from ....graphs.answers import measures_of, rows_of
from ....state.eqt.result import EqtResult
from ...page.chart.axes import Axis
from ...page.chart.picture import Picture
from ...page.remarks import SIMULATED
from ..by_tag import by_measure, points, sides_of
from ..pictures import SHARES

NAMES = ("accuracy", "originals", "paraphrased", "open_book", "acs")


def pictures(results: Sequence[EqtResult], _: Any) -> Iterator[Picture]:
    """What was measured of each model, side by side."""
    shown = [measure for measure in measures_of("eqt") if measure.name in NAMES]
    sides = {label: by_measure(rows, shown) for label, rows in sides_of(results, rows_of).items()}
    said = [SIMULATED] if any(run.simulated for run in results) else []
    said += [
        f"{run.spec.target}: {len(run.concepts)} of {len(run.spec.concepts)} concepts are finished."
        for run in results
        if run.open_concepts
    ]
    said.append(
        "Shares of right answers, and ACS (1 = the same answer every time). Lines: 95% intervals."
    )
    upwards = Axis("share, score", high=SHARES.high, values=SHARES.values)
    drawn = points(
        "eqt", "Accuracy and answer consistency", {"": sides}, said=said, upwards=upwards
    )
    if drawn is not None:
        yield drawn
