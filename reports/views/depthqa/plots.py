"""The picture of DepthQA runs: mean scores by depth."""

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

from ....graphs.answers import measures_of, rows_of
from ....state.depthqa.result import DepthQAResult
from ....state.rows import AnswerRow, Estimate
from ...page.chart.axes import Axis
from ...page.chart.picture import Picture
from ...page.chart.runs import MOST_RUNS, notes
from ..by_tag import by_part, parts_of, points, sides_of

SCORES = Axis(
    "mean score",
    low=1,
    high=5.35,
    values=(1, 2, 3, 4, 5),
    labels=".0f",
)
SAID = (
    "Factual correctness by rubric: 1 largely wrong, 5 wholly right. Mean over the distinct "
    "questions of a depth. Lines: 95% intervals, clustered by tree; none where fewer than two "
    "trees have scores."
)


def pictures(results: Sequence[DepthQAResult], _: Any = None) -> Iterator[Picture]:
    """Mean score by depth, a panel for each way of asking; nothing without any score. The results
    are of one graph; the first twelve are drawn."""
    drawn = results[:MOST_RUNS]
    unfinished = [
        f"{run.spec.target}: {run.graph.trees - len(run.open_trees)} of {run.graph.trees} trees are "
        "finished."
        for run in drawn
        if run.open_trees
    ]
    said = [*notes(results, {run.run_id: run for run in drawn}, "targets", unfinished), SAID]
    sides = {label: parts_of(rows, "mode") for label, rows in sides_of(drawn, rows_of).items()}
    panels = {}
    for mode in chain.from_iterable(sides.values()):
        own = {label: _by_level(asked.get(mode, [])) for label, asked in sides.items()}
        panels[str(mode)] = own
    picture = points(
        "scores",
        "Mean score by depth",
        panels,
        said=said,
        across="depth",
        upwards=SCORES,
        form="number",
        columns=min(2, len(panels)),
    )
    if picture is not None:
        yield picture


def _by_level(rows: Sequence[AnswerRow]) -> dict[str, Estimate]:
    """`D1` … and `all` → the mean score."""
    score = measures_of("depthqa")[0]
    by_depth = by_part(rows, score, "depth")
    levels = {f"D{depth}": estimate for depth, estimate in by_depth.items()}
    return levels | ({"all": score.of(rows)} if levels else {})
