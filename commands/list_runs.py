"""`fathom list`: the runs there are."""

from dataclasses import asdict
from pathlib import Path

from ..tools.runs import RunEntry, list_runs
from .show import AsJson, RunsDir, print_json


def list_command(runs: RunsDir = Path("runs"), as_json: AsJson = False) -> None:
    """List the runs in the folder, the newest last."""
    entries = list_runs(runs)
    if as_json:
        print_json([_document(entry) for entry in entries])
        return
    from ..reports.console import stderr_console, stdout_console
    from ..reports.listing import runs_listing

    if not entries:
        stderr_console().print(f"There is no run in {runs}.")
        return
    console = stdout_console()
    console.print(runs_listing(entries, width=console.width))


def _document(entry: RunEntry) -> dict[str, object]:
    return asdict(entry) | {"path": str(entry.path), "when": entry.when.isoformat() if entry.when else None}
