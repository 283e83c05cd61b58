"""Several runs of one method set against each other."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ..state.benchmark import BenchmarkScore
from ..state.comparison import Comparison
from ..state.spec import SPEC
from .finished import FinishedRun, with_result

if TYPE_CHECKING:
    from ..reports.page.blocks import Block
    from ..state.rows import AnswerRow

RANKED = 64
"""Runs up to which the models are compared wherever runs are shown; `fathom compare` compares more.
"""


def ranking(
    runs: Sequence[FinishedRun], benchmark: Sequence[BenchmarkScore] = ()
) -> Comparison | None:
    """Who is ahead, of runs of one method; None for a method whose runs are not ranked, and without
    any result. Raises RunFailed where the journal of a DepthQA run does not tell what it was about.
    """
    from ..graphs.method import METHODS
    from ..stats.comparison import compare
    from ..stats.side_by_side import Unfinished

    methods = with_result(runs)
    if len(methods) != 1:
        return None
    ((method, done),) = methods.items()
    if not METHODS[method].is_compared:
        return None
    unfinished = [
        Unfinished(
            run.run_id,
            SPEC.validate_python(run.spec),
            str(run.fragment.get("status")),
            run.ending,
        )
        for run in runs
        if run.result is None and run.spec and run.method == method
    ]
    answers = {run.run_id: run.rows for run in done}
    results = [run.result for run in done]
    return compare(method, results, answers, unfinished, benchmark, METHODS[method].ranked)


def ranking_blocks(compared: Comparison, runs: Sequence[FinishedRun]) -> "Iterator[Block]":
    """A comparison of these runs, with what its models' answers measure."""
    from ..graphs.answers import measures_of
    from ..reports.views.comparison import comparison_blocks

    by_id = {run.run_id: run for run in runs}
    sides: dict[str, list[AnswerRow]] = {}
    for model in compared.models:
        sides[model.label] = [row for run_id in model.run_ids for row in by_id[run_id].rows]
    return comparison_blocks(compared, sides, measures_of(compared.of))
