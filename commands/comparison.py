"""Several runs of one method set against each other."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ..reports.page import figures
from ..state.benchmark import BenchmarkScore
from ..state.comparison import Comparison
from ..state.spec import SPEC
from .ended import FinishedRun, answers_of

if TYPE_CHECKING:
    from ..reports.page.blocks import Block
    from ..state.rows import AnswerRow

RANKED = 64
"""Runs up to which the models are compared wherever runs are shown; `fathom compare` compares more.
"""
ONE_DOCUMENT = frozenset({"eqt", "depthqa", "deepquestion", "replay"})
"""The methods whose runs of one launch are one document, with their comparison."""


def ranking(
    runs: Sequence[FinishedRun], benchmark: Sequence[BenchmarkScore] = ()
) -> Comparison | None:
    """Who is ahead, of runs of one method; None for a method whose runs are not ranked, and without
    any result. Raises RunFailed where the journal of a DepthQA run does not tell what it was about.
    """
    done = [run for run in runs if run.result is not None]
    methods = {run.method or "" for run in done}
    if len(methods) != 1:
        return None
    (method,) = methods
    from ..graphs.drill.comparison import compare_drills
    from ..graphs.method import METHODS
    from ..stats.comparison import compare
    from ..stats.side_by_side import Unfinished

    if not METHODS[method].is_compared:
        return None
    unfinished = [
        Unfinished(
            run.run_id,
            SPEC.validate_python(run.fragment["spec"]),
            str(run.fragment.get("status")),
            _why(run),
        )
        for run in runs
        if run.result is None and run.fragment.get("spec") and run.method == method
    ]
    answers = {run.result.run_id: answers_of(run) for run in done if run.result is not None}
    results = [run.result for run in done]
    ranked = compare_drills if method == "drill" else None
    return compare(method, results, answers, unfinished, benchmark, ranked)


def ranking_blocks(
    compared: Comparison, runs: Sequence[FinishedRun], *, whole: bool = True
) -> "Iterator[Block]":
    """A comparison of these runs, with what its models' answers measure; without `whole` only by
    their tag, and of drills nothing of it."""
    from ..graphs.answers import measures_of
    from ..reports.views.comparison import comparison_blocks

    by_id = {run.result.run_id: run for run in runs if run.result is not None}
    sides: dict[str, list[AnswerRow]] = {}
    for model in compared.models if whole or compared.of != "drill" else ():
        own = [by_id[run_id] for run_id in model.run_ids]
        sides[model.label] = [row for run in own for row in answers_of(run)]
    return comparison_blocks(compared, sides, measures_of(compared.of), whole=whole)


def _why(run: FinishedRun) -> str:
    return figures.joined(
        tuple(str(run.fragment.get(name) or "") for name in ("status", "error")), ": "
    )
