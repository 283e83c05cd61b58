"""What a launch amounts to, on the screen or as one document: at its end, when it goes on, and when it is shown."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rich.console import Console

from ..graphs.run import RunReport
from ..reports import figures
from ..reports.eqt import print_eqt
from ..reports.repeats import print_repeats
from ..reports.replay import cross_summary, replay_headline, summary_of
from ..reports.summary import print_results
from ..state.eqt_result import BenchmarkScore, EqtComparison, EqtResult
from ..state.replay import CrossResult, RejudgeResult, ReplayResult
from ..state.result import DrillResult
from ..state.results import Result
from ..state.spec import EqtSpec
from ..stats.crossed import cross_result
from ..stats.eqt_table import Absent, compare_eqt
from ..stats.repeats import compare_repeats, summarise_repeats
from ..tools.runs import read_outcome
from .show import print_fragment, unfinished_document


@dataclass(frozen=True, slots=True)
class Ended:
    """One run of a launch. `fragment`: what is known of one that has no result."""

    run_id: str
    result: Result | None
    folder: Path | None
    fragment: Mapping[str, Any] = field(default_factory=dict)
    on_disk: bool = False
    """Whether it was read from its folder; the others are of this very launch."""


def ended(report: RunReport[Any]) -> Ended:
    """A run that has just ended."""
    fragment = {
        "method": report.spec.method,
        "run_id": report.run_id,
        "spec": report.spec.model_dump(mode="json"),
        "status": report.status,
        "error": report.error,
    }
    return Ended(report.run_id, report.result, report.folder, fragment)


def ended_in(folder: Path) -> Ended:
    """A run by what its folder holds. Raises RunFailed when that cannot be read."""
    result = read_outcome(folder)
    return Ended(folder.name, result, folder, {} if result else unfinished_document(folder), on_disk=True)


def launch_document(runs: Sequence[Ended], benchmark: Sequence[BenchmarkScore] = ()) -> Any:
    """The result of one run, an array of several; of repeats, of several replays and of several Explain-Query-Tests,
    or those beside a benchmark, an object with what they amount to."""
    crossed = _crossed(runs)
    if crossed is not None:
        return crossed.model_dump(mode="json", by_alias=True)
    documents = [run.result.model_dump(mode="json", by_alias=True) if run.result else run.fragment for run in runs]
    side_by_side = compared(runs, benchmark) or _nothing_to_compare(runs)
    if side_by_side is not None:
        return {**side_by_side.model_dump(mode="json"), "runs": documents}
    if _is_repeated(runs):
        groups = summarise_repeats(_drills(runs))
        return {
            "method": "repeats",
            "groups": [group.model_dump(mode="json") for group in groups],
            "comparisons": [pair.model_dump(mode="json") for pair in compare_repeats(groups)],
            "runs": documents,
        }
    return documents[0] if len(documents) == 1 else documents


def print_launch(console: Console, runs: Sequence[Ended], benchmark: Sequence[BenchmarkScore] = ()) -> None:
    """Each run, in short when they are many, and what they amount to together."""
    for run in runs:
        if run.on_disk and run.result is None and run.folder is not None:
            print_fragment(console, run.folder)
    crossed = _crossed(runs)
    if crossed is not None:
        _print_crossed(console, crossed)
        return
    kept = {run.run_id: run.folder for run in runs if run.folder is not None}
    drills, tests = _drills(runs), eqt_results(runs)
    print_results(console, drills, kept)
    if tests:
        print_eqt(console, tests, kept, compared(runs, benchmark))
    for other in (run.result for run in runs if isinstance(run.result, ReplayResult | RejudgeResult)):
        console.print(summary_of(other, width=console.width, kept=kept.get(other.run_id)), crop=False)
    if _is_repeated(runs):
        groups = summarise_repeats(drills)
        print_repeats(console, groups, compare_repeats(groups))


def compared(runs: Sequence[Ended], benchmark: Sequence[BenchmarkScore] = ()) -> EqtComparison | None:
    """Several Explain-Query-Tests side by side, or one beside a benchmark; None for anything else, and without any
    result. Runs without a result are there without figures."""
    results = eqt_results(runs)
    if not results or (len(runs) < 2 and not benchmark):
        return None
    return compare_eqt(results, benchmark, [absent for run in runs if (absent := _absent(run)) is not None])


def _absent(run: Ended) -> Absent | None:
    """An Explain-Query-Test without a result; None for any other run."""
    if run.result is not None or run.fragment.get("method") != "eqt" or not run.fragment.get("spec"):
        return None
    said = (str(run.fragment.get(name) or "") for name in ("status", "error"))
    return Absent(run.run_id, EqtSpec.model_validate(run.fragment["spec"]), figures.joined(tuple(said), ": "))


def _nothing_to_compare(runs: Sequence[Ended]) -> EqtComparison | None:
    """Of several Explain-Query-Tests without any result, so that their document has the form it always has."""
    if len(runs) < 2 or any(run.fragment.get("method") != "eqt" for run in runs):
        return None
    simulated = any(EqtSpec.model_validate(run.fragment["spec"]).simulated for run in runs)
    return EqtComparison(simulated=simulated, targets=(), categories=(), cells=(), notes=("no run has a result",))


def eqt_results(runs: Sequence[Ended]) -> list[EqtResult]:
    """Those of Explain-Query-Tests."""
    return [run.result for run in runs if isinstance(run.result, EqtResult)]


def _drills(runs: Sequence[Ended]) -> list[DrillResult]:
    return [run.result for run in runs if isinstance(run.result, DrillResult)]


def _is_repeated(runs: Sequence[Ended]) -> bool:
    specs = (run.result.spec if run.result else None for run in runs)
    fragments = ((run.fragment.get("spec") or {}) for run in runs)
    return any(getattr(spec, "repeats", 1) > 1 for spec in specs) or any(f.get("repeats", 1) > 1 for f in fragments)


def _crossed(runs: Sequence[Ended]) -> CrossResult | None:
    """Several replays side by side; None for anything else."""
    replays = [run.result for run in runs if isinstance(run.result, ReplayResult)]
    return cross_result(replays, seed=replays[0].spec.source.seed) if replays and len(runs) > 1 else None


def _print_crossed(console: Console, crossed: CrossResult) -> None:
    for replay in crossed.replays:
        console.print(f"{replay.source.target}'s questions: {replay_headline(replay)}", soft_wrap=True)
    console.print()
    console.print(cross_summary(crossed, width=console.width))
