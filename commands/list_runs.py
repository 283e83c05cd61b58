"""`fathom list`: the runs there are."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Annotated

import typer

from ..state.results import RESULTS
from ..tools.runs.folders import STATUSES, RunEntry, list_runs
from .environment import RunsDir, runs_dir
from .options.lists import several_of
from .show import AsJson
from .streams import print_json

METHODS = tuple(RESULTS)


def list_command(
    status: Annotated[
        list[str] | None,
        typer.Option("--status", metavar="STATUS", help=f"Only these: {', '.join(STATUSES)}; may be repeated."),
    ] = None,
    method: Annotated[
        list[str] | None,
        typer.Option("--method", metavar="METHOD", help=f"Only these: {', '.join(METHODS)}; may be repeated."),
    ] = None,
    domain: Annotated[
        str | None, typer.Option("--domain", metavar="TEXT", help="Only runs with this text in their domain.")
    ] = None,
    limit: Annotated[
        int | None, typer.Option("--limit", metavar="N", min=1, help="Only the newest N of them. [default: all]")
    ] = None,
    runs: RunsDir = None,
    as_json: AsJson = False,
) -> None:
    """List the runs in the folder, the newest last: running is what somebody works on, SIM what is simulated.

    Runs of one launch bear its id where there is room (and always with --json): `show` and `resume` take it too.
    """
    folder = runs_dir(runs)
    statuses, methods = several_of("--status", status or [], STATUSES), several_of("--method", method or [], METHODS)
    held = list_runs(folder)
    entries = [entry for entry in held if _is_wanted(entry, statuses, methods, domain)][-(limit or 0) :]
    if as_json:
        print_json([_document(entry) for entry in entries])
        return
    from ..reports.page.console import stderr_console, stdout_console
    from ..reports.page.listing import runs_listing
    from ..reports.page.terminal import rendered

    if not entries:
        said = "no such run among those" if held else "no run"
        stderr_console().print(f"There is {said} in {folder}.", soft_wrap=True)
        return
    console = stdout_console()
    console.print(rendered([runs_listing(entries, width=console.width)], console.width))


def _is_wanted(entry: RunEntry, statuses: Sequence[str], methods: Sequence[str], domain: str | None) -> bool:
    return (
        (not statuses or entry.status in statuses)
        and (not methods or entry.method in methods)
        and (domain or "").casefold() in entry.domain.casefold()
    )


def _document(entry: RunEntry) -> dict[str, object]:
    return asdict(entry) | {"path": str(entry.path), "when": entry.when.isoformat() if entry.when else None}
