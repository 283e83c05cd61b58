"""`fathom show RUN`: what a run found, or what there is of it so far."""

from collections.abc import Sequence
from pathlib import Path

import typer

from ..state.errors import UsageError
from ..state.option import Option
from ..tools.runs.folders import find_run
from .declare import Command, Given
from .environment import runs_dir
from .finished import require_one_method, results_of, run_in, run_or_fault_in
from .options.shared import (
    AS_JSON,
    BENCHMARK,
    FORCE,
    PLOTS,
    RUNS,
    SEVERAL_RUNS,
    TEXTS,
)
from .run_names import named_folders
from .streams import print_json


def _show(values: Given) -> None:
    runs = runs_dir(values["runs"])
    if values["path"] is None and not values["wrong"]:
        _show_whole(named_folders(values["run"], runs), values)
        return
    if len(values["run"]) > 1:
        raise UsageError("--path and --wrong go through one run: name one.")
    from .paths import show_part

    show_part(run_in(find_run(runs, values["run"][0])), values)


def _show_whole(folders: Sequence[Path], values: Given) -> None:
    from ..reports.page.console import stdout_console
    from ..reports.page.remarks import FEW
    from ..state.eqt.result import EqtResult
    from .deepquestion.request import texts_into
    from .print_results import print_launch
    from .show_options import shown_beside

    write = texts_into(values["output"], force=bool(values["force"]))
    read = run_in if len(folders) <= FEW else run_or_fault_in
    runs, as_json = [read(folder) for folder in folders], bool(values["json"])
    if len(values["run"]) > 1:
        readable = [run for run in runs if run.fragment.get("status") != "unreadable"]
        require_one_method(readable, "name one run, or the id of a launch")
    specs = [result.spec for result in results_of(runs, EqtResult)]
    shown_with = shown_beside(values, specs=specs, write=write)
    if len(runs) > 1 or shown_with.benchmark:
        shown_with.show(runs, as_json=as_json)
    elif as_json:
        print_json(runs[0].document)
    else:
        print_launch(stdout_console(), runs)
    if not shown_with.save(runs):
        raise typer.Exit(1)


FILES = ("benchmark", "plots", "output")
SHOW = Command(
    _show,
    """Show a run: its result, or what there is so far; with --path, one line of questioning in full (with --json \
also the prompts as sent); with --wrong, the wrong answers.

For a launch: what it printed at its end, with the table of all its runs or the figures of its repeats; of more than 3 \
runs a line each. --benchmark is \
for Explain-Query-Tests, --output for DeepQuestion \
runs, and --plots for all of them.""",
    (
        SEVERAL_RUNS,
        Option(
            "--path",
            "ID",
            "Show the path to this probe, question by question; of an Explain-Query-Test this part "
            "(c003.q2), of a"
            " DepthQA run this question (1_d3, 1_d3@multi-turn), of a build what became of it, of "
            "a DeepQuestion run"
            " this problem or prompt (p007, p007@some, q2s@draft2).",
            "",
            excludes=("wrong", *FILES),
        ),
        Option(
            "--wrong",
            "",
            "Show the wrong answers with what was asked, the shallowest first.",
            "",
            excludes=FILES,
        ),
        Option(
            "--limit",
            "N",
            "With --wrong: how many.",
            "",
            type=int,
            least=1,
            default="10",
        ),
        BENCHMARK,
        PLOTS,
        TEXTS,
        FORCE,
        AS_JSON,
        RUNS,
    ),
)
