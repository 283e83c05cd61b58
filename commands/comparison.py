"""Several runs of one method side by side."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..reports.page import figures
from ..state.comparison import Comparison as Ranking
from ..state.deepquestion.result import DeepQuestionComparison, DeepQuestionResult
from ..state.depthqa.result import DepthQAComparison, DepthQAResult
from ..state.eqt.result import BenchmarkScore
from ..state.spec import SPEC
from .ended import Ended, answers_of, graphs_of, results_of

Comparison = DepthQAComparison | DeepQuestionComparison
NOTHING = "no run has a result"
RANKED = 64
"""Runs up to which the models are compared wherever runs are shown; `fathom compare` compares more.
"""


def compared(
    runs: Sequence[Ended],
    benchmark: Sequence[BenchmarkScore] = (),
) -> Comparison | Ranking | None:
    """Several runs of one of these methods side by side, or an Explain-Query-Test beside a
    benchmark; None for anything else, and without any result. Raises RunFailed where the journal of
    a DepthQA run does not tell what it was about."""
    if len(runs) < 2 and not benchmark:
        return None
    done = next((run for run in runs if run.result is not None), None)
    put = _SIDE_BY_SIDE.get(done.method or "") if done is not None else None
    return put(runs, benchmark) if put is not None else None


def ranking(runs: Sequence[Ended], benchmark: Sequence[BenchmarkScore] = ()) -> Ranking | None:
    """Who is ahead, of runs of one method; None for a method whose runs are not ranked, and without
    any result. Raises RunFailed where the journal of a DepthQA run does not tell what it was about.
    """
    done = [run for run in runs if run.result is not None]
    methods = {run.method or "" for run in done}
    if len(methods) != 1:
        return None
    (method,) = methods
    from ..stats.comparison import METHODS, compare
    from ..stats.side_by_side import Unfinished

    if method not in METHODS:
        return None
    unfinished = [
        Unfinished(
            run.run_id,
            SPEC.validate_python(run.fragment["spec"]),
            str(run.fragment.get("status")),
            _why(run),
        )
        for run in _absent(runs)
        if run.method == method
    ]
    answers = {run.result.run_id: answers_of(run) for run in done if run.result is not None}
    return compare(method, [run.result for run in done], answers, unfinished, benchmark)


def drawn_with(method: str, results: Sequence[Any]) -> Comparison | None:
    """The comparison by which pictures of several runs of DeepQuestion are drawn."""
    if method != "deepquestion" or len(results) < 2:
        return None
    from ..stats.deepquestion.table import compare_deepquestion

    return compare_deepquestion(results)


def nothing_to_compare(runs: Sequence[Ended]) -> Comparison | None:
    """The same for several runs without any result, so that their document has the form it always
    has; None for other methods."""
    methods = {run.method for run in runs}
    if len(runs) < 2 or len(methods) > 1 or any(run.result is not None for run in runs):
        return None
    (method,) = methods
    made = _NOTHING.get(method or "")
    specs = [SPEC.validate_python(run.fragment["spec"]) for run in runs] if made is not None else []
    return made(any(spec.simulated for spec in specs)) if made is not None else None


def _depthqas(runs: Sequence[Ended], benchmark: Sequence[BenchmarkScore]) -> DepthQAComparison:
    from ..stats.depthqa.table import compare

    made = compare(
        results_of(runs, DepthQAResult), graphs_of([run for run in runs if run.result is not None])
    )
    return made.model_copy(update={"notes": (*made.notes, *_missing(runs))})


def _deepquestions(
    runs: Sequence[Ended],
    benchmark: Sequence[BenchmarkScore],
) -> DeepQuestionComparison:
    from ..stats.deepquestion.table import compare_deepquestion

    made = compare_deepquestion(results_of(runs, DeepQuestionResult))
    return made.model_copy(update={"notes": (*made.notes, *_missing(runs))})


def _missing(runs: Sequence[Ended]) -> list[str]:
    """A note for each run without a result."""
    return [
        f"{run.fragment['spec']['target']} has no result ({_why(run).rstrip('.')})"
        for run in _absent(runs)
    ]


def _absent(runs: Sequence[Ended]) -> list[Ended]:
    """Runs without a result of which it is known what they were to find out."""
    return [run for run in runs if run.result is None and run.fragment.get("spec")]


def _why(run: Ended) -> str:
    return figures.joined(
        tuple(str(run.fragment.get(name) or "") for name in ("status", "error")), ": "
    )


_SIDE_BY_SIDE: Mapping[
    str, Callable[[Sequence[Ended], Sequence[BenchmarkScore]], Comparison | Ranking | None]
] = {
    "eqt": ranking,
    "depthqa": _depthqas,
    "deepquestion": _deepquestions,
}
_NOTHING: Mapping[str, Callable[[bool], Comparison]] = {
    "depthqa": lambda sim: DepthQAComparison(simulated=sim, targets=(), cells=(), notes=(NOTHING,)),
    "deepquestion": lambda sim: DeepQuestionComparison(
        simulated=sim, cells=(), problems=None, same_texts=False, notes=(NOTHING,)
    ),
}
COMPARED = frozenset(_SIDE_BY_SIDE)
"""The methods whose runs of one launch are set side by side."""
