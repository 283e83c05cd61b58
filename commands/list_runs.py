"""`fathom list`: the runs there are."""

import typer

from ..graphs.method import figure_of
from ..graphs.outcome import list_runs
from ..state.errors import UsageError
from ..state.option import Option
from ..tools.runs.folders import STATUSES, RunEntry
from .declare import Command, Given
from .environment import runs_dir
from .options.shared import AS_JSON, RUNS
from .streams import print_blocks, print_json


def _list(given: Given) -> None:
    folder = runs_dir(given["runs"])
    statuses = {word.strip() for text in given["status"] or [] for word in text.split(",")}
    for status in sorted(statuses - {*STATUSES}):
        raise UsageError(f"--status {status!r} does not exist; choose among {', '.join(STATUSES)}.")
    runs = list_runs(folder)
    wanted = [entry for entry in runs if not statuses or entry.status in statuses]
    entries = wanted[-(given["limit"] or 0) :]
    if given["json"]:
        print_json([_document(entry) for entry in entries])
        return
    from ..reports.page.listing import runs_listing

    if not entries:
        nothing = "no such run among those" if runs else "no run"
        typer.echo(f"There is {nothing} in {folder}.", err=True)
        return
    print_blocks([runs_listing(entries, figure_of)])


def _document(entry: RunEntry) -> dict[str, object]:
    return entry.document() | {
        "path": str(entry.path),
        "when": entry.when.isoformat() if entry.when else None,
    }


LIST = Command(
    _list,
    """List the runs in the folder, the newest last. "running": another process is working on it; "SIM": simulated.

With --json also the id of its launch, which `show` and `resume` take too.""",
    (
        Option(
            "--status",
            "STATUS",
            f"Only these: {', '.join(STATUSES)}; may be repeated.",
            "",
            type=list[str],
        ),
        Option("--limit", "N", "Only the newest N of them.", "", type=int, least=1, default="all"),
        AS_JSON,
        RUNS,
    ),
)
