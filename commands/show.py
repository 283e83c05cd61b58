"""`fathom show RUN`: what a run found, or what there is of it so far."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..state.errors import UsageError
from ..state.events import DepthClosed, Event, ProbeJudged
from ..state.records import Probe
from ..tools.runs import find_launch, find_run, read_events, read_outcome
from .places import RunsDir, runs_dir

if TYPE_CHECKING:
    from rich.console import Console

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document instead of tables.")]


def show_command(
    run: Annotated[
        str,
        typer.Argument(
            metavar="RUN", help="A run's folder, its name, a part of its id, `last`, or the id of a launch of several."
        ),
    ],
    path: Annotated[
        str | None, typer.Option("--path", metavar="ID", help="Show the path to this probe, question by question.")
    ] = None,
    as_json: AsJson = False,
    runs: RunsDir = None,
) -> None:
    """Show a run: its result, or what there is so far; with --path, one line of questioning in full.

    Of a launch: what its end printed, with the table of all its runs, or what its repeats amount to.
    """
    where = runs_dir(runs)
    folders = find_launch(where, run)
    if len(folders) > 1:
        _show_launch(run, folders, path, as_json)
        return
    folder = folders[0] if folders else find_run(where, run)
    if path is not None:
        _show_path(folder, path, as_json)
    else:
        _show_run(folder, as_json)


def _show_launch(launch: str, folders: Sequence[Path], path: str | None, as_json: bool) -> None:
    if path is not None:
        raise UsageError(f"{launch} is a launch of {len(folders)} runs, and --path goes through one: name a run.")
    from ..reports.console import stdout_console
    from .launched import ended_in, launch_document, print_launch

    runs = [ended_in(folder) for folder in folders]
    if as_json:
        print_json(launch_document(runs))
    else:
        print_launch(stdout_console(), runs)


def _show_path(folder: Path, probe_id: str, as_json: bool) -> None:
    from ..reports.console import stdout_console
    from ..reports.traces import path_to, path_trace

    result = read_outcome(folder)
    probes = result.probes if result is not None else probes_of(list(read_events(folder)))
    if as_json:
        print_json([probe.model_dump(mode="json") for probe in path_to(probes, probe_id)])
    else:
        stdout_console().print(path_trace(probes, probe_id))


def _show_run(folder: Path, as_json: bool) -> None:
    result = read_outcome(folder)
    if as_json:
        print_json(result.model_dump(mode="json", by_alias=True) if result is not None else unfinished_document(folder))
        return
    from ..reports.console import stdout_console

    console = stdout_console()
    if result is not None:
        from ..reports.replay import summary_of

        console.print(summary_of(result, width=console.width, kept=folder), crop=False)
        return
    print_fragment(console, folder)


def print_fragment(console: "Console", folder: Path) -> None:
    """What there is of a run without a result."""
    from ..reports.board import RunBoard, board_of
    from ..reports.summary import unfinished

    runs = board_of(read_events(folder)).runs
    board = next(iter(runs.values()), RunBoard(folder.name))
    console.print(unfinished(board, width=console.width, kept=folder), crop=False)


def unfinished_document(folder: Path) -> dict[str, Any]:
    """What there is of a run without a result, under the field names of a result. `status` tells it from one."""
    from ..reports.board import RunBoard, board_of

    events = list(read_events(folder))
    board = next(iter(board_of(events).runs.values()), RunBoard(folder.name))
    return {
        "method": board.spec.method if board.spec else None,
        "run_id": board.run_id,
        "spec": board.spec.model_dump(mode="json") if board.spec else None,
        "simulated": board.simulated,
        "status": board.finished.status if board.finished else "unfinished",
        "depths": [row.model_dump(mode="json", by_alias=True) for _, row in sorted(board.rows.items())],
        "evd": board.evd,
        "probes": [probe.model_dump(mode="json") for probe in probes_of(events)],
    }


def probes_of(events: Sequence[Event]) -> list[Probe]:
    """The finished probes in a stream, ordered by depth, slot and round; of a repeated id the last."""
    probes = {event.probe.id: event.probe for event in events if isinstance(event, ProbeJudged)}
    for event in events:
        for probe_id, reason in event.excluded.items() if isinstance(event, DepthClosed) else ():
            if probe_id in probes:
                probes[probe_id] = probes[probe_id].model_copy(update={"excluded": reason})
    return sorted(probes.values(), key=lambda probe: (probe.depth, probe.slot, probe.round))


def print_json(document: Any) -> None:
    """One JSON document on stdout, as UTF-8 whatever the terminal's encoding; nothing in it acts on a terminal."""
    import orjson

    from ..reports.sanitise import inert_json

    sys.stdout.flush()
    typer.echo(inert_json(orjson.dumps(document, option=orjson.OPT_INDENT_2).decode()).encode())
