"""`fathom show RUN`: what a run found, or what there is of it so far."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from ..graphs.outcome import outcome_of
from ..state.errors import UsageError
from ..state.option import Option
from ..tools.runs.folders import LAST
from .declare import Command, Given
from .environment import runs_dir
from .fragment import unfinished_document
from .options.shared import (
    AS_JSON,
    BENCHMARK,
    FORCE,
    PLOTS,
    RUN,
    RUNS,
    TEXTS,
)
from .run_names import named_folders
from .streams import print_json

if TYPE_CHECKING:
    from .deepquestion.files import Files

BUNDLE = "show shows run folders: see its result with fathom replay {}"


def _show(given: Given) -> None:
    from .deepquestion.files import Files
    from .show_options import asked_beside

    run, path, wrong, as_json = given["run"], given["path"], given["wrong"], bool(given["json"])
    files = Files(given["output"])
    beside = asked_beside(given)
    _require_together(given, beside)
    folders = named_folders(run, runs_dir(given["runs"]), BUNDLE)
    if run == [LAST] and (wrong or path is not None):
        folders = folders[-1:]
    if len(folders) > 1 and (wrong or path is not None):
        what = (
            f"{run[0]} is a launch of {len(folders)} runs"
            if len(run) == 1
            else f"{len(folders)} runs are named"
        )
        raise UsageError(
            f"{what}, and {'--wrong' if wrong else '--path'} goes through one: name a run."
        )
    files.require({}, force=bool(given["force"]))
    if path is not None:
        from .paths import show_path

        show_path(folders[0], path, prompts=bool(given["with_prompts"]), as_json=as_json)
    elif wrong:
        from .paths import show_wrong

        show_wrong(folders[0], given["limit"] or 10, as_json=as_json)
    elif len(folders) > 1 or beside:
        _show_launch(folders, given, files)
    else:
        _show_run(folders[0], as_json)


def _require_together(given: Given, beside: Sequence[str]) -> None:
    """Raises UsageError for options that do not go together."""
    path, wrong = given["path"] is not None, given["wrong"]
    if given["with_prompts"] and not path:
        raise UsageError(
            "--with-prompts goes with --path: name a step, as in --path c003.q2 --with-prompts."
        )
    if path and beside:
        raise UsageError(
            f"--path shows one step, {beside[0]} goes with whole results: leave one out."
        )
    if given["limit"] is not None and not wrong:
        raise UsageError("--limit goes with --wrong: it says how many wrong answers are shown.")
    others = [*(["--path"] if path else []), *beside]
    if wrong and others:
        raise UsageError(
            f"--wrong lists wrong answers, {others[0]} shows something else: leave one out."
        )


def _show_launch(folders: Sequence[Path], given: Given, files: "Files") -> None:
    from ..reports.page.remarks import MANY
    from .ended import ended_in, listed_in
    from .show_options import shown_with_of

    read = ended_in if len(folders) <= MANY else listed_in
    runs = [read(folder) for folder in folders]
    methods = {
        each.method or "no known method"
        for each in runs
        if each.fragment.get("status") != "unreadable"
    }
    if len(given["run"]) > 1 and len(methods) > 1:
        raise UsageError(
            "Only runs of one method can be shown side by side; these are of"
            f" {', '.join(sorted(methods))}: name one run, or the id of a launch."
        )
    as_json = bool(given["json"])
    shown_with = shown_with_of(runs, given, files)
    if len(runs) > 1 or shown_with.benchmark:
        shown_with.show(runs, as_json=as_json)
    else:
        _show_run(folders[0], as_json)
    shown_with.draw(runs)
    if not shown_with.save(runs):
        raise typer.Exit(1)


def _show_run(folder: Path, as_json: bool) -> None:
    result = outcome_of(folder)
    if as_json:
        print_json(
            result.model_dump(mode="json", by_alias=True)
            if result is not None
            else unfinished_document(folder)
        )
        return
    from ..reports.page.console import stdout_console
    from .print_results import ended_in, print_launch

    print_launch(stdout_console(), [ended_in(folder)], in_full=True)


SHOW = Command(
    _show,
    """Show a run: its result, or what there is so far; with --path, one line of questioning in full; with --wrong, \
the wrong answers.

For a launch: what it printed at its end, with the table of all its runs or the figures of its repeats; of more than 8 \
runs a line each. --benchmark is \
for Explain-Query-Tests, --output for DeepQuestion \
runs, and --plots for all of them.""",
    (
        Option(
            "",
            "RUN",
            (
                f"{RUN}, or the id of a launch of several; several runs of one method are shown "
                "side by side."
            ),
            name="run",
            type=list[str],
            kind="run",
            required=True,
        ),
        Option(
            "--path",
            "ID",
            "Show the path to this probe, question by question; of an Explain-Query-Test this part "
            "(c003.q2), of a"
            " DepthQA run this question (1_d3, 1_d3@multi-turn), of a build what became of it, of "
            "a DeepQuestion run"
            " this problem or prompt (p007, p007@some, q2s@draft2).",
            "",
        ),
        Option(
            "--with-prompts",
            "",
            "With --path, where a run works in steps: also the prompts as sent.",
            "",
        ),
        Option(
            "--wrong", "", "Show the wrong answers with what was asked, the shallowest first.", ""
        ),
        Option("--limit", "N", "With --wrong: how many.", "", type=int, least=1, default="10"),
        BENCHMARK,
        PLOTS,
        TEXTS,
        FORCE,
        AS_JSON,
        RUNS,
    ),
)
