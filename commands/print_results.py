"""What a launch amounts to, on the screen or as one document: at its end, when it goes on, and when
it is shown."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from typing import Any

from rich.console import Console

from ..graphs.answers import estimate, measures_of
from ..graphs.method import METHODS, figure_of
from ..graphs.outcome import entry_of
from ..reports.page.blocks import Block, Text
from ..reports.page.listing import runs_listing
from ..reports.page.remarks import FEW
from ..reports.page.terminal import rendered
from ..reports.page.view import PageOptions, page
from ..reports.views.comparison import comparison_blocks
from ..reports.views.corrected import review_blocks
from ..reports.views.decision import decision_lines
from ..reports.views.unfinished import unfinished
from ..state.benchmark import BenchmarkScore
from ..state.decision import Policy
from ..tools.runs.folders import is_running
from .comparison import RANKED, ranking
from .decision import decide_runs
from .finished import FinishedRun, progress_in, with_result

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
    policy: Policy = Policy(),  # noqa: B008  # frozen
) -> None:
    """Each run, as a line of a table when they are many, and what they amount to together."""
    if len(runs) > FEW:
        entries = [entry_of(run.folder) for run in runs if run.folder is not None]
        _print(console, [runs_listing(entries, figure_of), Text([MORE], style="dim")])
    else:
        for run in runs:
            if run.result is not None or run.on_disk:
                _print(console, run_blocks(run, PageOptions(run.folder)))
    if len(runs) > RANKED:
        return
    for method, of_method in with_result(runs).items():
        compare = METHODS[method].page.compare
        if compare is not None and len(of_method) > 1:
            _print(console, compare([run.result for run in of_method]))
    print_rankings(console, runs, policy, benchmark)


def run_blocks(run: FinishedRun, options: PageOptions) -> Iterator[Block]:
    """All of a run with what people say of it; of one without a result what there is so far. Raises
    RunFailed where its journal is damaged."""
    if run.result is not None:
        yield from page(METHODS[run.result.method].page, run.result, options)
        if run.is_reviewed:
            yield from review_blocks(run.rows, measures_of(run.result.method))
    elif run.folder is not None:
        progress, running = progress_in(run.folder), is_running(run.folder)
        yield from unfinished(progress, kept=options.kept, running=running)


def _print(console: Console, blocks: Iterable[Block]) -> None:
    console.print(rendered(blocks, console.width), crop=False)


def print_rankings(
    console: Console,
    runs: Sequence[FinishedRun],
    policy: Policy,
    benchmark: Sequence[BenchmarkScore] = (),
) -> None:
    """Who is ahead, of each method that was run with several targets (or, but for drills, several
    times), and last which to take; `fathom compare` has what was measured besides."""
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
            _print(console, blocks)


def _home(runs: Sequence[FinishedRun]) -> dict[str, Any]:
    """How much drilled models gain from questions of their own, of several replays."""
    rows = [row for run in with_result(runs).get("replay", ()) for row in run.rows]
    return {"home_advantage": asdict(estimate(rows, "home_advantage")[None])} if rows else {}
