"""What a launch amounts to, on the screen or as one document: at its end, when it goes on, and when it is shown."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import typer
from rich.console import Console

from ..reports.page.sanitise import one_line
from ..reports.views.deepquestion.summary import print_deepquestion
from ..reports.views.depthqa.compare import agreement_table
from ..reports.views.depthqa.summary import print_depthqa
from ..reports.views.drill.repeats import print_repeats
from ..reports.views.drill.summary import print_results
from ..reports.views.eqt.summary import print_eqt
from ..reports.views.replay.summary import cross_summary, replay_headline
from ..reports.views.whole import summary_of
from ..state.deepquestion.result import DeepQuestionComparison, DeepQuestionResult
from ..state.depthqa.build import DepthQABuildResult
from ..state.depthqa.result import Agreement, DepthQAComparison, DepthQAResult, HumanScore
from ..state.eqt.result import BenchmarkScore, EqtComparison, EqtResult
from ..state.replay import CrossResult, RejudgeResult, ReplayResult
from ..state.result import DrillResult
from ..stats.depthqa.agreement import agreement, judged
from ..stats.drill.repeats import compare_repeats, summarise_repeats
from ..stats.replay.crossed import cross_result
from ..tools.files.depthqa.graph import GRAPH
from .comparison import compared, nothing_to_compare
from .ended import Ended, ended, ended_in, kept, material_in, results_of
from .fragment import print_fragment

_ONE_BY_ONE = ReplayResult | RejudgeResult | DepthQABuildResult
"""Results that each stand for themselves."""
__all__ = ["Ended", "compared", "ended", "ended_in", "launch_document", "print_launch"]


def launch_document(
    runs: Sequence[Ended], benchmark: Sequence[BenchmarkScore] = (), human: Sequence[HumanScore] = ()
) -> Any:
    """The result of one run, an array of several; of repeats, of several replays, of several runs of another method
    and of those beside a benchmark an object with what they amount to. `human`: scores that people gave to
    the answers of a DepthQA run; it has their agreement then."""
    crossed = _crossed(runs)
    if crossed is not None:
        return crossed.model_dump(mode="json", by_alias=True)
    documents = [run.document for run in runs]
    side_by_side = compared(runs, benchmark) or nothing_to_compare(runs)
    if side_by_side is not None:
        return {**side_by_side.model_dump(mode="json"), "runs": documents}
    if _is_repeated(runs):
        groups = summarise_repeats(results_of(runs, DrillResult))
        return {
            "method": "repeats",
            "groups": [group.model_dump(mode="json") for group in groups],
            "comparisons": [pair.model_dump(mode="json") for pair in compare_repeats(groups)],
            "runs": documents,
        }
    if len(documents) > 1:
        return documents
    agreed = _agreement(runs[0], human)
    return documents[0] | ({"agreement": agreed.model_dump(mode="json")} if agreed is not None else {})


def print_launch(
    console: Console,
    runs: Sequence[Ended],
    benchmark: Sequence[BenchmarkScore] = (),
    human: Sequence[HumanScore] = (),
    *,
    reference_metrics: bool = False,
) -> None:
    """Each run, in short when they are many, and what they amount to together. `reference_metrics`: of DepthQA runs
    also the figures by the published code's rules."""
    for run in runs:
        if run.on_disk and run.result is None and run.folder is not None:
            print_fragment(console, run.folder)
    crossed = _crossed(runs)
    if crossed is not None:
        _print_crossed(console, crossed)
        return
    folders, together = kept(runs), compared(runs, benchmark)
    drills, tests, asked = results_of(runs, DrillResult), results_of(runs, EqtResult), results_of(runs, DepthQAResult)
    print_results(console, drills, folders)
    if tests:
        print_eqt(console, tests, folders, together if isinstance(together, EqtComparison) else None)
    if asked:
        shown_with = together if isinstance(together, DepthQAComparison) else None
        print_depthqa(console, asked, folders, shown_with, reference_metrics=reference_metrics)
        print_agreement(console, asked[0], folders.get(asked[0].run_id), human)
    questioned = results_of(runs, DeepQuestionResult)
    if questioned:
        print_deepquestion(
            console, questioned, folders, together if isinstance(together, DeepQuestionComparison) else None
        )
    for other in (run.result for run in runs if isinstance(run.result, _ONE_BY_ONE)):
        console.print(summary_of(other, width=console.width, kept=folders.get(other.run_id)), crop=False)
    if _is_repeated(runs):
        groups = summarise_repeats(drills)
        print_repeats(console, groups, compare_repeats(groups))


def tell_graphs(runs: Sequence[Ended]) -> None:
    """Say on stderr where the graphs are that these runs have built; the tables on stdout say so themselves."""
    for run in runs:
        result = run.result
        if run.folder is not None and result is not None and result.method == "depthqa_build" and result.graph:
            typer.echo(one_line(f"The graph is {run.folder / GRAPH}."), err=True)


def _agreement(run: Ended, human: Sequence[HumanScore]) -> Agreement | None:
    """How far people and judge agree on the answers of the run; None without their scores, or without a result."""
    result = run.result
    return _agreed(result, run.folder, human) if human and result is not None and result.method == "depthqa" else None


def _agreed(result: DepthQAResult, folder: Path | None, human: Sequence[HumanScore]) -> Agreement:
    return agreement(result.spec.judge, human, judged(material_in(folder).graph, result.answers))


def print_agreement(console: Console, result: DepthQAResult, folder: Path | None, human: Sequence[HumanScore]) -> None:
    """How far people and judge agree on the answers of a run; nothing without people's scores."""
    if human:
        console.print()
        console.print(agreement_table(_agreed(result, folder, human), width=console.width), crop=False)


def _is_repeated(runs: Sequence[Ended]) -> bool:
    specs = (run.result.spec if run.result else None for run in runs)
    fragments = ((run.fragment.get("spec") or {}) for run in runs)
    return any(getattr(spec, "repeats", 1) > 1 for spec in specs) or any(f.get("repeats", 1) > 1 for f in fragments)


def _crossed(runs: Sequence[Ended]) -> CrossResult | None:
    """Several replays side by side; None for anything else."""
    replays = results_of(runs, ReplayResult)
    return cross_result(replays, seed=replays[0].spec.source.seed) if replays and len(runs) > 1 else None


def _print_crossed(console: Console, crossed: CrossResult) -> None:
    for replay in crossed.replays:
        console.print(f"{replay.source.target}'s questions: {replay_headline(replay)}", soft_wrap=True)
    console.print()
    console.print(cross_summary(crossed, width=console.width))
