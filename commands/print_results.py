"""What a launch amounts to, on the screen or as one document: at its end, when it goes on, and when
it is shown."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console

from ..graphs.answers import estimate, measures_of
from ..graphs.method import METHODS, figure_of
from ..graphs.outcome import entry_of
from ..reports.page.remarks import MANY
from ..reports.page.terminal import rendered
from ..reports.page.view import PageOptions, launch
from ..reports.views.corrected import review_blocks
from ..state.benchmark import BenchmarkScore
from ..state.decision import Policy
from ..state.results import Result
from ..tools.runs.folders import is_running
from .comparison import RANKED, ranking
from .decision import decide_runs
from .finished import FinishedRun, progress_in, with_result

if TYPE_CHECKING:
    from ..reports.page.blocks import Block

MORE = (
    "`fathom show RUN` shows one of these runs, `fathom compare` compares the models, and `fathom "
    "report` makes one"
    " page of all of them."
)


def launch_document(
    runs: Sequence[FinishedRun],
    benchmark: Sequence[BenchmarkScore] = (),
) -> Any:
    """The result of one run, an array of several drills; of repeats, of several runs of another
    method and of those beside a benchmark an object with what they amount to."""
    documents = [run.document for run in runs]
    order = ranking(runs, benchmark) if len(runs) > 1 or benchmark else None
    repeated = any(run.spec.get("repeats", 1) > 1 for run in runs)
    if order is not None and (order.of != "drill" or repeated):
        return {**order.model_dump(mode="json"), **_home(runs), "runs": documents}
    return documents if len(documents) > 1 else documents[0]


def print_launch(
    console: Console,
    runs: Sequence[FinishedRun],
    benchmark: Sequence[BenchmarkScore] = (),
    *,
    in_full: bool = False,
    policy: Policy = Policy(),  # noqa: B008  # frozen
) -> None:
    """Each run, in short when they are several and as a line of a table when they are many, and
    what they amount to together. `in_full`: a single run as `fathom show` prints it."""
    many = len(runs) > MANY
    if many:
        from ..reports.page.blocks import Text
        from ..reports.page.listing import runs_listing

        entries = [entry_of(run.folder) for run in runs if run.folder is not None]
        listed = runs_listing(entries, figure_of)
        console.print(rendered([listed, Text([MORE], style="dim")], console.width), crop=False)
    for run in runs if not many else ():
        if run.on_disk and run.result is None and run.folder is not None:
            console.print(rendered(fragment_blocks(run.folder), console.width), crop=False)
    if len(runs) > RANKED:
        return
    folders = {run.run_id: run.folder for run in runs}

    def options(result: Result) -> PageOptions:
        folder = folders.get(result.run_id)
        return PageOptions(folder, in_full=in_full, headline_again=console.is_terminal)

    for method, of_method in with_result(runs).items():
        results = [run.result for run in of_method]
        for page in launch(METHODS[method].page, results, options, None, each=not many):
            console.print(rendered(page, console.width), crop=False)
            if len(results) > 1:
                console.print()
        if len(of_method) == 1 and of_method[0].is_reviewed:
            reviewed = review_blocks(of_method[0].rows, measures_of(method))
            console.print(rendered(reviewed, console.width), crop=False)
    print_rankings(console, runs, policy, benchmark)


def fragment_blocks(folder: Path, *, kept: bool = True) -> "Iterator[Block]":
    """What there is of a run without a result. `kept`: whether it is said where it lies."""
    from ..reports.views.unfinished import unfinished

    place, progress = folder if kept else None, progress_in(folder)
    return unfinished(progress, kept=place, running=is_running(folder))


def print_rankings(
    console: Console,
    runs: Sequence[FinishedRun],
    policy: Policy,
    benchmark: Sequence[BenchmarkScore] = (),
) -> None:
    """Who is ahead, of each method that was run with several targets (or, but for drills, several
    times), and last which to take; `fathom compare` has what was measured besides."""
    from ..reports.views.comparison import comparison_blocks
    from ..reports.views.decision import decision_lines

    for method in dict.fromkeys(run.method for run in runs):
        of_method = [run for run in runs if run.method == method]
        targets = {run.spec["target"] for run in of_method if "target" in run.spec}
        several = len(targets) > 1 or (len(of_method) > 1 and method != "drill")
        compared = ranking(of_method, benchmark) if several or benchmark else None
        blocks: list[Block] = []
        if compared is not None:
            blocks += comparison_blocks(compared)
        decided = decide_runs(of_method, policy) if len(targets) > 1 or policy.must else None
        if decided is not None:
            blocks.append(decision_lines(decided.decision))
        if blocks:
            console.print(rendered(blocks, console.width), crop=False)


def _home(runs: Sequence[FinishedRun]) -> dict[str, Any]:
    """How much drilled models gain from questions of their own, of several replays."""
    rows = [row for run in with_result(runs).get("replay", ()) for row in run.rows]
    return {"home_advantage": asdict(estimate(rows, "home_advantage")[None])} if rows else {}
