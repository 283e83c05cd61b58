"""The pictures of DeepQuestion runs, as SVG files."""

from collections.abc import Sequence
from pathlib import Path

from .....state.deepquestion.result import DeepQuestionComparison, DeepQuestionResult
from ....page.chart.panels import MOST_TARGETS, named
from ....page.chart.svg import make_folder
from ....page.figures import count
from ....page.remarks import SIMULATED
from ..reused_texts import TEXTS_SIMULATED, texts_simulated
from .drop import drop_picture, measured
from .judged import places_picture, wins_picture

DROP, WINS, PLACES = "drop.svg", "win_rates.svg", "places.svg"


def save_plots(
    folder: Path, results: Sequence[DeepQuestionResult], comparison: DeepQuestionComparison | None = None
) -> list[Path]:
    """Write what there is to draw into the folder, which is created, and return the files.

    `drop.svg`: accuracy on originals, on scenarios by load and in Q2I; by `comparison`, which is over `results`, where
    there is one, else each run over its own problems. `win_rates.svg`: wins, ties and losses of written questions by
    criterion. `places.svg`: how far the judge prefers what stands first. A picture without any figure is not made. The
    first twelve runs are drawn. Pictures of simulated results say so. The same input gives the same bytes. Raises
    UsageError when a file cannot be written.
    """
    make_folder(folder)
    cells = {cell.run_id: cell for cell in comparison.cells} if comparison else {}
    names = {run: cell.label for run, cell in cells.items()}
    runs = named(results[:MOST_TARGETS], names)
    notes = _notes(results, runs)
    shown = {label: measured(cells.get(result.run_id, result)) for label, result in runs.items()}
    over = _over(comparison)
    made = [drop_picture(folder / DROP, shown, [*notes, *over])]
    made += [draw(folder / name, runs, notes) for name, draw in ((WINS, wins_picture), (PLACES, places_picture))]
    return [path for path in made if path is not None]


def _notes(results: Sequence[DeepQuestionResult], runs: dict[str, DeepQuestionResult]) -> list[str]:
    """What must stand in every picture."""
    notes = [SIMULATED] if any(result.simulated for result in results) else []
    notes += [TEXTS_SIMULATED] if any(map(texts_simulated, results)) else []
    if len(runs) < len(results):
        notes.append(f"The first {len(runs)} of {len(results)} runs are drawn.")
    for label, result in runs.items():
        if result.open_problems:
            notes.append(f"{label}: {len(result.problems)} of {result.spec.problems} problems are finished.")
    return notes


def _over(comparison: DeepQuestionComparison | None) -> list[str]:
    """Over which problems the accuracies are, and whether the texts were the same."""
    if comparison is None or len(comparison.cells) < 2:
        return []
    if comparison.problems is None:
        return ["Originals: each run over the problems that it has finished itself."]
    texts = "" if comparison.same_texts else " Scenarios and instructions differ between the runs."
    return [f"Originals: the {count(comparison.problems, 'problem')} that the runs have in common.{texts}"]
