"""`fathom show RUN`: what a run found, or what there is of it so far."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..state.errors import UsageError
from ..tools.runs.folders import read_outcome
from .environment import RunsDir, runs_dir
from .fragment import unfinished_document
from .freeze import Force
from .options.shown import Benchmark, Export, Human, Plots, ReferenceMetrics, SavePrompts
from .run_names import named_folders
from .streams import print_json

if TYPE_CHECKING:
    from .show_options import ShownWith, ShowOptions

BUNDLE = "show shows run folders: see its result with fathom replay {}"
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document instead of tables.")]


def show_command(
    run: Annotated[
        list[str],
        typer.Argument(
            metavar="RUN",
            help="A run's folder, its name, a part of its id, `last`, or the id of a launch of several; several runs"
            " of one method are shown side by side.",
        ),
    ],
    path: Annotated[
        str | None,
        typer.Option(
            "--path",
            metavar="ID",
            help="Show the path to this probe, question by question; of an Explain-Query-Test this part (c003.q2), of a"
            " DepthQA run this question (1_d3, 1_d3@multi-turn), of a build what became of it, of a DeepQuestion run"
            " this problem or prompt (p007, p007@some, q2s@draft2).",
        ),
    ] = None,
    prompts: Annotated[
        bool, typer.Option("--prompts", help="With --path, where a run works in steps: also the prompts as sent.")
    ] = False,
    wrong: Annotated[
        bool,
        typer.Option("--wrong", help="Show the wrong answers with what was asked, the shallowest first."),
    ] = False,
    limit: Annotated[
        int | None, typer.Option("--limit", metavar="N", min=1, help="With --wrong: how many. [default: 10]")
    ] = None,
    benchmark: Benchmark = None,
    plots: Plots = None,
    human: Human = None,
    reference_metrics: ReferenceMetrics = False,
    export: Export = None,
    save_prompts: SavePrompts = None,
    force: Force = False,
    as_json: AsJson = False,
    runs: RunsDir = None,
) -> None:
    """Show a run: its result, or what there is so far; with --path, one line of questioning in full; with --wrong, the
    wrong answers.

    For a launch: what it printed at its end, with the table of all its runs or the figures of its repeats. --benchmark
    is for Explain-Query-Tests, --human and --reference-metrics for DepthQA runs, --export and --save-prompts for
    DeepQuestion runs, and --plots for all of them.
    """
    from .deepquestion.files import Files
    from .show_options import ShowOptions

    files = Files(export, save_prompts)
    options_shown = ShowOptions(benchmark, plots, human, reference_metrics, files)
    _require_together(path, prompts, options_shown)
    _require_wrong(wrong, limit, path, options_shown)
    folders = named_folders(run, runs_dir(runs), BUNDLE)
    if len(folders) > 1 and (wrong or path is not None):
        what = f"{run[0]} is a launch of {len(folders)} runs" if len(run) == 1 else f"{len(folders)} runs are named"
        raise UsageError(f"{what}, and {'--wrong' if wrong else '--path'} goes through one: name a run.")
    if len(run) > 1:
        _require_one_method(folders)
    files.require({}, force=force)
    if path is not None:
        from .paths import show_path

        show_path(folders[0], path, prompts=prompts, as_json=as_json)
    elif wrong:
        from .paths import show_wrong

        show_wrong(folders[0], limit or 10, as_json=as_json)
    elif len(folders) > 1 or options_shown.flags:
        _show_launch(folders, options_shown, as_json)
    else:
        _show_run(folders[0], as_json)


def _require_one_method(folders: Sequence[Path]) -> None:
    """Raises UsageError unless the runs can be set side by side."""
    from .comparison import COMPARED
    from .ended import ended_in

    methods = {ended_in(folder).method or "" for folder in folders}
    if len(methods) > 1 or not methods <= COMPARED:
        raise UsageError(
            "Drills cannot be shown side by side yet; use `fathom profile A B`."
            if methods == {"drill"}
            else f"Only runs of one method ({', '.join(sorted(COMPARED))}) can be shown side by side; these are of"
            f" {', '.join(sorted(methods - {''})) or 'no known method'}: name one run, or the id of a launch."
        )


def _require_together(path: str | None, prompts: bool, options_shown: "ShowOptions") -> None:
    if prompts and path is None:
        raise UsageError("--prompts goes with --path: name a step, as in --path c003.q2 --prompts.")
    if path is not None and options_shown.flags:
        raise UsageError(f"--path shows one step, {options_shown.flags[0]} goes with whole results: leave one out.")


def _require_wrong(wrong: bool, limit: int | None, path: str | None, options_shown: "ShowOptions") -> None:
    if limit is not None and not wrong:
        raise UsageError("--limit goes with --wrong: it says how many wrong answers are shown.")
    others = [*(["--path"] if path is not None else []), *options_shown.flags]
    if wrong and others:
        raise UsageError(f"--wrong lists wrong answers, {others[0]} shows something else: leave one out.")


def _show_launch(folders: Sequence[Path], options_shown: "ShowOptions", as_json: bool) -> None:
    from .print_results import ended_in
    from .show_options import shown_with_of

    runs = [ended_in(folder) for folder in folders]
    shown_with = shown_with_of(runs, options_shown)
    if len(runs) > 1 or shown_with.benchmark or (as_json and shown_with.human):
        shown_with.show(runs, as_json=as_json)
    else:
        _show_run(folders[0], as_json, shown_with)
    shown_with.draw(runs)
    if not shown_with.files.save(runs):
        raise typer.Exit(1)


def _show_run(folder: Path, as_json: bool, shown_with: "ShownWith | None" = None) -> None:
    result = read_outcome(folder)
    if as_json:
        print_json(result.model_dump(mode="json", by_alias=True) if result is not None else unfinished_document(folder))
        return
    from ..reports.page.console import stdout_console
    from .print_results import ended_in, print_launch

    human, metrics = (shown_with.human, shown_with.reference_metrics) if shown_with is not None else ((), False)
    print_launch(stdout_console(), [ended_in(folder)], human=human, reference_metrics=metrics, in_full=True)
