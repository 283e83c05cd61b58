"""Several targets' answers to one graph of questions side by side."""

from collections import Counter
from collections.abc import Mapping, Sequence

from ...state.depthqa.items import MODES, Material, QuestionGraph
from ...state.depthqa.result import DepthQACell, DepthQAComparison, DepthQAResult, ModeNumbers
from ...state.spec import DepthQASpec
from ...state.worlds import label_of
from .figures import numbers_of

_ASKED_ALIKE = ("judge", "judge_temperature", "judge_top_p", "judge_tokens", "answer_tokens", "prompts", "world")
"""Fields of a spec on which its figures depend, besides target, graph, modes and seed."""
DIFFERENT_GRAPHS = (
    "the runs are not about the same questions: each one's figures are over a graph of its own, so that none is the"
    " best"
)
NOTHING_SHARED = "no tree was finished by all targets: each one's figures are over trees of its own"


def compare(results: Sequence[DepthQAResult], graphs: Mapping[str, QuestionGraph]) -> DepthQAComparison:
    """One cell per mode and target that was asked that way, mode-major, over the trees that all have finished.

    `graphs`: run id → the graph it was about. Graphs are the same when their questions, references and edges are; given
    answers may differ. Where they are not, and where no finished tree is common, each run's figures are its own, with a
    note. A run without any finished tree leaves the others' trees as they are; a run that is given twice counts once.
    Raises ValueError without any result.
    """
    if not results:
        raise ValueError("a comparison needs at least one result")
    runs = list({result.run_id: result for result in results}.values())
    labels = _labels([(run.run_id, run.spec) for run in runs])
    done = [finished(run, graphs[run.run_id]) for run in runs]
    alike = len({Material(graph=graphs[run.run_id]).digest for run in runs}) == 1
    common, left_out = _common(done) if alike else (None, 0)
    numbers = [_numbers(run, graphs[run.run_id], own, common) for run, own in zip(runs, done, strict=True)]
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
            *(
                f"run {run} is given more than once and counts once"
                for run, times in Counter(result.run_id for result in results).items()
                if times > 1
            ),
            *(_no_figures(label, run) for label, run, own in zip(labels, runs, done, strict=True) if not own),
            *([] if alike else [DIFFERENT_GRAPHS]),
            *([NOTHING_SHARED] if alike and any(done) and common is None else []),
            *_partly(common, left_out),
            *_caveats([run.spec for run, own in zip(runs, done, strict=True) if own]),
        ),
    )


def finished(result: DepthQAResult, graph: QuestionGraph) -> frozenset[int]:
    """Indices of the trees that count in a result."""
    return frozenset(index for index, tree in enumerate(graph.trees) if tree.root not in result.open_trees)


def _common(done: Sequence[frozenset[int]]) -> tuple[frozenset[int] | None, int]:
    """The trees that every run with any has finished, None where there are none; how many only some have."""
    held = [own for own in done if own]
    common = frozenset[int]().union(*held).intersection(*held)
    return (common, len(frozenset().union(*held)) - len(common)) if common else (None, 0)


def _numbers(
    run: DepthQAResult, graph: QuestionGraph, own: frozenset[int], common: frozenset[int] | None
) -> tuple[ModeNumbers, ...]:
    if common is None or common == own:
        return run.modes
    return numbers_of(run.spec, graph, run.answers, common)


def _labels(runs: Sequence[tuple[str, DepthQASpec]]) -> list[str]:
    """Each run under its target's name; those of one target are told apart by judge and seed, as far as these differ
    among them, and by run id where that is not enough."""
    found = []
    for _, spec in runs:
        marks = [_marks(other) for _, other in runs if other.target == spec.target]
        tags = [mark for place, mark in enumerate(_marks(spec)) if any(own[place] != mark for own in marks)]
        found.append(f"{label_of(spec.target)} ({', '.join(tags)})" if tags else label_of(spec.target))
    times = Counter(found)
    return [f"{label} [{run}]" if times[label] > 1 else label for label, (run, _) in zip(found, runs, strict=True)]


def _marks(spec: DepthQASpec) -> tuple[str, str]:
    return f"judge {label_of(spec.judge)}", f"seed {spec.seed}"


def _no_figures(label: str, run: DepthQAResult) -> str:
    why = f"{run.status}: {run.stop_detail or run.stop_reason}".removeprefix("interrupted: ").rstrip(".")
    return f"{label} has no finished tree and so no figures ({why})"


def _partly(common: frozenset[int] | None, left_out: int) -> list[str]:
    if common is None or not left_out:
        return []
    number = f"the {len(common):,} trees" if len(common) > 1 else "the only tree"
    more = f"{left_out:,} that only some have finished {'are' if left_out > 1 else 'is'} left out"
    return [f"all figures are over {number} that all targets with any finished tree have finished; {more}"]


def _caveats(specs: Sequence[DepthQASpec]) -> list[str]:
    """What keeps the targets' figures from meaning the same."""
    differing = [name for name in _ASKED_ALIKE if any(getattr(s, name) != getattr(specs[0], name) for s in specs)]
    return [f"the targets were not asked and judged alike: their specs differ in {', '.join(differing)}"] * bool(
        differing
    )
