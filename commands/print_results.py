"""What a launch amounts to, on the screen or as one document: at its end, when it goes on, and when
it is shown."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, get_args

import typer
from rich.console import Console

from ..graphs.answers import estimate
from ..graphs.method import METHODS
from ..reports.page.remarks import MANY
from ..reports.page.sanitise import one_line
from ..reports.page.terminal import rendered
from ..reports.page.view import PageOptions, launch
from ..state.benchmark import BenchmarkScore
from ..state.campaign import CellState, CellStatus, cell_of
from ..state.decision import Policy
from ..state.results import Result
from ..state.spec import SPEC
from ..tools.runs.folders import RunEntry, entry_of, with_figure
from .comparison import ONE_DOCUMENT, RANKED, ranking, ranking_blocks
from .decision import decide_runs
from .ended import FinishedRun, answers_of, ended, ended_in, kept
from .fragment import print_fragment

MORE = (
    "`fathom show RUN` shows one of these runs, `fathom compare` compares the models, and `fathom "
    "report` makes one"
    " page of all of them."
)
__all__ = ["FinishedRun", "ended", "ended_in", "launch_document", "print_launch"]


def launch_document(
    runs: Sequence[FinishedRun],
    benchmark: Sequence[BenchmarkScore] = (),
) -> Any:
    """The result of one run, an array of several; of repeats, of several replays, of several runs
    of another method and of those beside a benchmark an object with what they amount to."""
    documents = [run.document for run in runs]
    order = ranking(runs, benchmark) if len(runs) > 1 or benchmark else None
    if order is not None and (order.of in ONE_DOCUMENT or _is_repeated(runs)):
        return {
            **order.model_dump(mode="json"),
            **_home(runs),
            "runs": documents,
        }
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
        _print_table(console, runs)
    else:
        for run in runs:
            if run.on_disk and run.result is None and run.folder is not None:
                print_fragment(console, run.folder)
    if len(runs) > RANKED:
        return
    folders, done = kept(runs), [run for run in runs if run.result is not None]

    def how(result: Result) -> PageOptions:
        folder = folders.get(result.run_id)
        return PageOptions(folder, in_full=in_full, headline_again=console.is_terminal)

    for method in dict.fromkeys(run.method or "" for run in done):
        results = [run.result for run in done if run.method == method]
        for blocks in launch(METHODS[method].page, results, how, None, each=not many):
            console.print(rendered(blocks, console.width), crop=False)
            if len(results) > 1:
                console.print()
    print_rankings(console, runs, policy, benchmark)


def _print_table(console: Console, runs: Sequence[FinishedRun]) -> None:
    """A line for each run, what each domain and model comes to, and how to see more."""
    from ..reports.page.blocks import Block, Text
    from ..reports.page.listing import runs_listing
    from ..reports.views.campaign import badge, grids

    entries = {run.run_id: entry_of(run.folder) for run in runs if run.folder is not None}
    cells = [cell for run in runs if (cell := _cell(run, entries.get(run.run_id))) is not None]
    listed = runs_listing([*entries.values()])
    blocks: list[Block] = [
        Text(badge(cells)),
        listed,
        *grids(cells),
        Text([MORE], style="dim"),
    ]
    console.print(rendered(blocks, console.width), crop=False)


def _cell(run: FinishedRun, entry: RunEntry | None) -> CellState | None:
    """How the run stands; None where not even its spec is known."""
    spec = run.result.spec if run.result is not None else run.fragment.get("spec")
    if spec is None:
        return None
    cell = cell_of(SPEC.validate_python(spec))
    status = entry.status if entry is not None else run.fragment.get("status")
    cell = cell.model_copy(
        update={"run": run.run_id, "status": status if status in get_args(CellStatus) else "failed"}
    )
    return with_figure(cell, entry) if entry is not None else cell


def print_rankings(
    console: Console,
    runs: Sequence[FinishedRun],
    policy: Policy,
    benchmark: Sequence[BenchmarkScore] = (),
    *,
    cells: bool = True,
) -> None:
    """Who is ahead, of each method that was run with several targets (or, but for drills, several
    times), and last which to take. `cells`: with each model in each domain."""
    from ..reports.page.blocks import Block
    from ..reports.views.decision import decision_lines

    for method in dict.fromkeys(run.method for run in runs):
        own = [run for run in runs if run.method == method]
        targets = {run.document["spec"].get("target") for run in own if run.document.get("spec")}
        several = len(targets) > 1 or (len(own) > 1 and method in ONE_DOCUMENT)
        compared = ranking(own, benchmark) if several or benchmark else None
        blocks = list[Block]()
        if compared is not None:
            left_out: dict[str, object] = {} if cells else {"cells": ()}
            blocks += ranking_blocks(compared.model_copy(update=left_out), own, whole=False)
        decided = decide_runs(own, policy) if len(targets) > 1 or policy.must else None
        if decided is not None:
            blocks.append(decision_lines(decided.decision))
        if not blocks:
            continue
        console.print(rendered(blocks, console.width), crop=False)


def tell_graphs(runs: Sequence[FinishedRun]) -> None:
    """Say on stderr where the graphs are that these runs have built; the tables on stdout say so
    themselves."""
    from ..tools.files.depthqa.graph import GRAPH

    for run in runs:
        result = run.result
        if (
            run.folder is not None
            and result is not None
            and result.method == "depthqa_build"
            and result.graph
        ):
            typer.echo(one_line(f"The graph is {run.folder / GRAPH}."), err=True)


def _is_repeated(runs: Sequence[FinishedRun]) -> bool:
    specs = [
        run.result.spec.model_dump() if run.result else run.fragment.get("spec") or {}
        for run in runs
    ]
    return any(spec.get("repeats", 1) > 1 for spec in specs)


def _home(runs: Sequence[FinishedRun]) -> dict[str, Any]:
    """How much drilled models gain from questions of their own, of several replays."""
    replays = (answers_of(run) for run in runs if run.method == "replay")
    rows = [row for answers in replays for row in answers]
    if not rows:
        return {}
    advantage = estimate(rows, "home_advantage")[None]
    return {"home_advantage": asdict(advantage)}
