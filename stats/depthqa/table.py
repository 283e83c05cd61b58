"""Several targets' answers to one graph of questions side by side."""

from collections.abc import Mapping, Sequence, Set

from ...state.depthqa.items import MODES, Material, QuestionGraph
from ...state.depthqa.result import DepthQACell, DepthQAComparison, DepthQAResult, ModeNumbers
from ...state.spec import DepthQASpec
from ...state.worlds import label_of
from ..side_by_side import (
    ending,
    given_twice,
    in_common,
    labels_of,
    partly,
    unlike,
    without_figures,
)
from .figures import numbers_of

_ASKED_ALIKE = (
    "judge",
    "judge_temperature",
    "judge_top_p",
    "judge_tokens",
    "answer_tokens",
    "prompts",
    "world",
)
"""Fields of a spec on which its figures depend, besides target, graph, modes and seed."""
DIFFERENT_GRAPHS = (
    "the runs are not about the same questions: each one's figures are over a graph of its own, so "
    "that none is the"
    " best"
)
UNLIKE = "the targets were not asked and judged alike"
NOTHING_SHARED = "no tree was finished by all targets: each one's figures are over trees of its own"


def compare(
    results: Sequence[DepthQAResult], graphs: Mapping[str, QuestionGraph]
) -> DepthQAComparison:
    """One cell per mode and target that was asked that way, mode-major, over the trees that all
    have finished.

    `graphs`: run id → the graph it was about. Graphs are the same when their questions, references
    and edges are; given answers may differ. Where they are not, and where no finished tree is
    common, each run's figures are its own, with a note. A run without any finished tree leaves the
    others' trees as they are; a run that is given twice counts once. Raises ValueError without any
    result.
    """
    if not results:
        raise ValueError("a comparison needs at least one result")
    runs = list({result.run_id: result for result in results}.values())
    labels = labels_of([(run.run_id, run.spec) for run in runs], _marks)
    done = [finished(run, graphs[run.run_id]) for run in runs]
    alike = len({Material(graph=graphs[run.run_id]).digest for run in runs}) == 1
    common, left_out = in_common(done) if alike else (None, 0)
    numbers = [
        _numbers(run, graphs[run.run_id], own, common) for run, own in zip(runs, done, strict=True)
    ]
    return DepthQAComparison(
        simulated=any(run.simulated for run in runs),
        targets=tuple(labels),
        cells=tuple(
            DepthQACell(target=label, run_id=run.run_id, numbers=each)
            for mode in MODES
            for label, run, own in zip(labels, runs, numbers, strict=True)
            for each in own
            if each.mode == mode
        ),
        left_out=left_out,
        notes=(
            *given_twice(results),
            *(
                without_figures(label, "tree", ending(run))
                for label, run, own in zip(labels, runs, done, strict=True)
                if not own
            ),
            *([] if alike else [DIFFERENT_GRAPHS]),
            *([NOTHING_SHARED] if alike and any(done) and common is None else []),
            *partly(common, left_out, "tree", "target"),
            *unlike(
                [run.spec for run, own in zip(runs, done, strict=True) if own], _ASKED_ALIKE, UNLIKE
            ),
        ),
    )


def finished(result: DepthQAResult, graph: QuestionGraph) -> frozenset[int]:
    """Indices of the trees that count in a result."""
    return frozenset(
        index for index, tree in enumerate(graph.trees) if tree.root not in result.open_trees
    )


def _numbers(
    run: DepthQAResult, graph: QuestionGraph, own: frozenset[int], common: Set[int] | None
) -> tuple[ModeNumbers, ...]:
    if common is None or common == own:
        return run.modes
    return numbers_of(run.spec, graph, run.answers, common)


def _marks(spec: DepthQASpec) -> tuple[str, str]:
    return f"judge {label_of(spec.judge)}", f"seed {spec.seed}"
