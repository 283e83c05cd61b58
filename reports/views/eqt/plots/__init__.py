"""The pictures of an Explain-Query-Test, as SVG files."""

from collections.abc import Sequence
from pathlib import Path

from .....state.eqt.result import EqtComparison, EqtResult
from .....state.worlds import label_of
from ....page.chart.svg import make_folder
from ....page.remarks import SIMULATED
from .accuracy import accuracy_picture
from .drop import drop_picture
from .ranks import can_rank, ranks_picture

ACCURACY, DROP, RANKS = "eqt-accuracy-acs.svg", "eqt-benchmark-drop.svg", "eqt-rank-match.svg"


def save_plots(folder: Path, results: Sequence[EqtResult], comparison: EqtComparison) -> list[Path]:
    """Write what there is to draw into the folder, which is created, and return the files.

    `eqt-accuracy-acs.svg` always; `eqt-benchmark-drop.svg` when the benchmark has scores for any target, and
    `eqt-rank-match.svg` when it has those of two or more in one category. `comparison` is over `results`. Pictures
    of simulated results say so. The same input gives the same bytes. Raises UsageError when a file cannot be written.
    """
    make_folder(folder)
    notes = _notes(results, comparison)
    made = [accuracy_picture(folder / ACCURACY, comparison, notes)]
    benchmark = comparison.benchmark
    if benchmark is not None and benchmark.cells:
        made.append(drop_picture(folder / DROP, benchmark, comparison.categories, notes))
        if can_rank(benchmark):
            made.append(ranks_picture(folder / RANKS, benchmark, comparison.categories, notes))
    return made


def _notes(results: Sequence[EqtResult], comparison: EqtComparison) -> list[str]:
    """What must stand in every picture."""
    notes = [SIMULATED] if comparison.simulated or any(result.simulated for result in results) else []
    if comparison.left_out and comparison.concepts:
        every = comparison.concepts + comparison.left_out
        notes.append(f"Over {comparison.concepts} of {every} concepts: those that all targets have finished.")
    targets = {cell.run_id: cell.target for cell in comparison.cells}
    for result in results:
        if result.open_concepts:
            done, every = len(result.concepts), len(result.concepts) + len(result.open_concepts)
            notes.append(
                f"{targets.get(result.run_id, label_of(result.spec.target))}: {done} of {every} concepts are finished."
            )
    return notes
