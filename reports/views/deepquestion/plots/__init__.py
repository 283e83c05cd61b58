"""The pictures of DeepQuestion runs."""

from collections.abc import Iterator, Sequence

from .....state.deepquestion.result import DeepQuestionComparison, DeepQuestionResult
from ....page.chart.picture import Picture
from ....page.chart.runs import named, notes
from ....page.figures import count
from ..labels import TEXTS_SIMULATED, texts_simulated
from .drop import drop_picture
from .judged import places_picture, wins_picture


def pictures(
    results: Sequence[DeepQuestionResult], comparison: DeepQuestionComparison | None = None
) -> Iterator[Picture]:
    """Accuracy on originals, on scenarios by load and in Q2I, by `comparison`, which is over
    `results`, where there is one, else each run over its own problems; wins, ties and losses of
    written questions by criterion; and how far the judge prefers what stands first. Without any
    figure there is no picture. The first twelve runs are drawn."""
    cells = {cell.run_id: cell for cell in comparison.cells} if comparison else {}
    runs = named(results, {run: cell.label for run, cell in cells.items()})
    unfinished = [
        f"{label}: {len(run.problems)} of {run.spec.problems} problems are finished."
        for label, run in runs.items()
        if run.open_problems
    ]
    given = [TEXTS_SIMULATED] if any(map(texts_simulated, results)) else []
    told = notes(results, runs, "runs", [*given, *unfinished])
    shown = {label: cells.get(result.run_id, result) for label, result in runs.items()}
    for found in (
        drop_picture(shown, [*told, *_over(comparison)]),
        wins_picture(runs, told),
        places_picture(runs, told),
    ):
        if found is not None:
            yield found


def _over(comparison: DeepQuestionComparison | None) -> list[str]:
    """Over which problems the accuracies are, and whether the texts were the same."""
    if comparison is None or len(comparison.cells) < 2:
        return []
    if comparison.problems is None:
        return ["Originals: each run over the problems that it has finished itself."]
    texts = "" if comparison.same_texts else " Scenarios and instructions differ between the runs."
    return [
        (
            f"Originals: the {count(comparison.problems, 'problem')} that the runs have in "
            f"common.{texts}"
        )
    ]
