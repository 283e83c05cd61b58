"""The sheet of a decision, from the runs that it was made from."""

from collections.abc import Iterator, Sequence
from typing import Any

from ..graphs.answers import measures_of
from ..graphs.method import METHODS
from ..reports.document.report import Section
from ..reports.views.sheet import Effort, sheet_sections
from ..state.rows import AnswerRow
from ..state.worlds import label_of
from ..stats.comparison import APART
from .decision import Decided
from .finished import FinishedRun


def sections_of(
    decided: Decided, runs: Sequence[FinishedRun], *, drawn: bool = True
) -> "Iterator[Section]":
    """Its parts. `runs`: all that were given, those without a result among them; `drawn`: with the
    picture."""
    counted = [
        run
        for counted_runs in decided.runs.values()
        for run in counted_runs
        if run.result is not None
    ]
    ids = {run.run_id for run in counted}
    left_out = [run.spec.get("target", "unknown") for run in runs if run.run_id not in ids]
    results: list[Any] = [run.result for run in counted]
    costs = [result.cost_usd for result in results]
    effort = Effort(
        len(results),
        sum(result.wall_s for result in results),
        None if None in costs else sum(costs),
        [label_of(str(target)) for target in left_out],
        sorted({str(result.provenance.get("fathom", "")) for result in results} - {""}),
    )
    rows = {label: _compared(counted_runs) for label, counted_runs in decided.runs.items()}
    method = decided.compared.of
    draw = METHODS[method].page.pictures if drawn and results else None
    picture = next(iter(draw(results)), None) if draw else None
    return sheet_sections(
        decided.decision, decided.compared, rows, measures_of(method), effort, picture
    )


def _compared(runs: Sequence[FinishedRun]) -> list[AnswerRow]:
    """The target's answers in the task that models are compared by; one to a question that stands
    at several places counts once."""
    answers: dict[object, AnswerRow] = {}
    for row in (row for run in runs for row in run.rows):
        if row.condition not in APART and not row.condition.startswith("anchor "):
            answer_id = row.tags.get("answer_id") or row.item
            answers.setdefault((row.run, row.condition, answer_id), row)
    return [*answers.values()]
