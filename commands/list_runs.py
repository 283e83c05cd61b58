"""`fathom list`: the runs there are."""

from dataclasses import asdict

from ..tools.runs import RunEntry, list_runs
from .places import RunsDir, runs_dir
from .show import AsJson, print_json


def list_command(runs: RunsDir = None, as_json: AsJson = False) -> None:
    """List the runs in the folder, the newest last.

    Runs of one launch bear its id where there is room (and always with --json): `show` and `resume` take it too.
    """
    folder = runs_dir(runs)
    entries = list_runs(folder)
    if as_json:
        print_json([_document(entry) for entry in entries])
        return
    from ..reports.console import stderr_console, stdout_console
    from ..reports.listing import runs_listing

    if not entries:
        stderr_console().print(f"There is no run in {folder}.", soft_wrap=True)
        return
    console = stdout_console()
    console.print(runs_listing(entries, width=console.width))


def _document(entry: RunEntry) -> dict[str, object]:
    return asdict(entry) | {"path": str(entry.path), "when": entry.when.isoformat() if entry.when else None}
