"""Several runs of one method set against each other."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

from ..reports.page.remarks import sentence
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
    from ..reports.views.corrected import judge_words
    from ..stats.comparison import compare
    from ..stats.correction import refusal, sample_of, shared_errors, with_shared_errors
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
    ranked = METHODS[method].ranked
    compared = compare(method, results, answers, unfinished, benchmark, ranked)
    sides = {
        model.label: [row for run_id in model.run_ids for row in answers.get(run_id, ())]
        for model in compared.models
    }
    if not any(map(sample_of, sides.values())):
        return compared
    errors = shared_errors(sides)
    judge = judge_words(sides, errors)
    reason = next(filter(None, map(refusal, errors.by_model.values())), "")
    if ranked is None or reason:
        why = f"; not corrected for the judge's errors: {reason}" if reason else ""
        return compared.model_copy(update={"notes": (*compared.notes, f"{judge}{why}")})
    reviewed: dict[str, list[AnswerRow]] = defaultdict(list)
    for rows in with_shared_errors(sides).values():
        for row in rows:
            reviewed[row.run].append(row)
    correcting = partial(ranked, reviewed=reviewed)
    corrected = compare(method, results, answers, unfinished, ranked=correcting)
    update = {"corrected": corrected.model_copy(update={"judge": sentence(judge)})}
    return compared.model_copy(update=update)


def ranking_blocks(compared: Comparison, runs: Sequence[FinishedRun]) -> "Iterator[Block]":
    """A comparison of these runs, with what its models' answers measure."""
    from ..graphs.answers import measures_of
    from ..reports.views.comparison import comparison_blocks
    from ..stats.correction import with_shared_errors

    by_id = {run.run_id: run for run in runs}
    sides: dict[str, list[AnswerRow]] = {}
    for model in compared.models:
        sides[model.label] = [row for run_id in model.run_ids for row in by_id[run_id].rows]
    return comparison_blocks(compared, with_shared_errors(sides), measures_of(compared.of))
