"""`fathom list`: the runs there are."""

import typer

from ..graphs.method import figure_of
from ..graphs.outcome import list_runs
from ..state.option import Option
from ..tools.runs.folders import RunEntry
from .declare import Command, Given
from .environment import runs_dir
from .options.shared import AS_JSON, RUNS
from .streams import print_blocks, print_json


def _list(values: Given) -> None:
    folder = runs_dir(values["runs"])
    entries = list_runs(folder)[-(values["limit"] or 0) :]
    if values["json"]:
        print_json([_document(entry) for entry in entries])
        return
    from ..reports.page.listing import runs_listing

    if not entries:
        typer.echo(f"There is no run in {folder}.", err=True)
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
            "--limit",
            "N",
            "Only the newest N of them.",
            "",
            type=int,
            least=1,
            default="all",
        ),
        AS_JSON,
        RUNS,
    ),
)
