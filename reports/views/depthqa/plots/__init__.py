"""The pictures of DepthQA runs, as SVG files."""

from collections.abc import Callable, Sequence
from pathlib import Path

from .....state.depthqa.result import DepthQAResult
from ....page.chart.panels import MOST_TARGETS, Runs, named
from ....page.chart.svg import make_folder
from ....page.remarks import SIMULATED
from .discrepancies import discrepancies_picture
from .min_k import min_k_picture, quartile_gaps_picture
from .scores import changes_picture, scores_picture

SCORES, DISCREPANCIES, MODES = "scores.svg", "discrepancies.svg", "modes.svg"
MIN_K, QUARTILE_GAPS = "min_k.svg", "quartile_gaps.svg"

_PICTURES: dict[str, Callable[[Path, Runs, Sequence[str]], Path | None]] = {
    SCORES: scores_picture,
    DISCREPANCIES: discrepancies_picture,
    MODES: changes_picture,
    MIN_K: min_k_picture,
    QUARTILE_GAPS: quartile_gaps_picture,
}


def save_plots(folder: Path, results: Sequence[DepthQAResult]) -> list[Path]:
    """Write what there is to draw into the folder, which is created, and return the files.

    `scores.svg`: mean score by depth. `discrepancies.svg`: forward and backward, as an average and as frequency and
    intensity. `modes.svg`: change against zero-shot, where there is any. `min_k.svg` and `quartile_gaps.svg`: Min-K% by
    depth, and the gap between D3 and D2 by its quartiles, where the endpoint gave log-probabilities. A picture without
    any figure is not made. The results are of one graph; the first twelve are drawn. Pictures of simulated results say
    so. The same input gives the same bytes. Raises UsageError when a file cannot be written.
    """
    make_folder(folder)
    runs = named(results[:MOST_TARGETS])
    notes = _notes(results, runs)
    made = [draw(folder / name, runs, notes) for name, draw in _PICTURES.items()]
    return [path for path in made if path is not None]


def _notes(results: Sequence[DepthQAResult], runs: Runs) -> list[str]:
    """What must stand in every picture."""
    notes = [SIMULATED] if any(result.simulated for result in results) else []
    if len(runs) < len(results):
        notes.append(f"The first {len(runs)} of {len(results)} targets are drawn.")
    for label, result in runs.items():
        if result.open_trees:
            done = result.graph.trees - len(result.open_trees)
            notes.append(f"{label}: {done} of {result.graph.trees} trees are finished.")
    return notes
