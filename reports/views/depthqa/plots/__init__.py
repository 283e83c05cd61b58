"""The pictures of DepthQA runs."""

from collections.abc import Iterator, Sequence
from typing import Any

from .....state.depthqa.result import DepthQAResult
from ....page.chart.picture import Picture
from ....page.chart.runs import named, notes
from .discrepancies import discrepancies_picture
from .min_k import min_k_picture, quartile_gaps_picture
from .scores import changes_picture, scores_picture

_PICTURES = (
    scores_picture,
    discrepancies_picture,
    changes_picture,
    min_k_picture,
    quartile_gaps_picture,
)


def pictures(results: Sequence[DepthQAResult], _: Any = None) -> Iterator[Picture]:
    """Mean score by depth; discrepancies as an average and as frequency and intensity; the change
    against zero-shot; Min-K% by depth, and the gap between D3 and D2 by its quartiles. Without any
    figure there is no picture. The results are of one graph; the first twelve are drawn."""
    runs = named(results)
    unfinished = [
        f"{label}: {run.graph.trees - len(run.open_trees)} of {run.graph.trees} trees are finished."
        for label, run in runs.items()
        if run.open_trees
    ]
    told = notes(results, runs, "targets", unfinished)
    for draw in _PICTURES:
        found = draw(runs, told)
        if found is not None:
            yield found
