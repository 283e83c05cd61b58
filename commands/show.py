"""`fathom show RUN`: what a run found, or what there is of it so far."""

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from pydantic import BaseModel

from ..state.eqt import EqtItem
from ..state.errors import UsageError
from ..state.events import ConceptClosed, DepthClosed, Event, ItemFinished, ProbeJudged, RunResumed, RunStarted
from ..state.items import eqt_items
from ..state.records import Probe
from ..state.spec import EqtSpec, Spec
from ..tools.runs import find_launch, find_run, read_events, read_outcome
from .eqt import Benchmark, Plots
from .places import RunsDir, runs_dir

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document instead of tables.")]


def show_command(
    run: Annotated[
        str,
        typer.Argument(
            metavar="RUN", help="A run's folder, its name, a part of its id, `last`, or the id of a launch of several."
        ),
    ],
    path: Annotated[
        str | None,
        typer.Option(
            "--path",
            metavar="ID",
            help="Show the path to this probe, question by question; of an Explain-Query-Test this part (c003.q2).",
        ),
    ] = None,
    prompts: Annotated[
        bool, typer.Option("--prompts", help="With --path of an Explain-Query-Test: also the prompts as sent.")
    ] = False,
    benchmark: Benchmark = None,
    plots: Plots = None,
    as_json: AsJson = False,
    runs: RunsDir = None,
) -> None:
    """Show a run: its result, or what there is so far; with --path, one line of questioning in full.

    Of a launch: what its end printed, with the table of all its runs, or what its repeats amount to. --benchmark and
    --plots are for Explain-Query-Tests.
    """
    _require_together(path, prompts, benchmark, plots)
    if run.endswith(".fathom") and Path(run).is_file():
        raise UsageError(f"{run} is a bundle, and show shows run folders: see its result with fathom replay {run}.")
    where = runs_dir(runs)
    launched = find_launch(where, run)
    if len(launched) > 1 and path is not None:
        raise UsageError(f"{run} is a launch of {len(launched)} runs, and --path goes through one: name a run.")
    folders = launched or [find_run(where, run)]
    if path is not None:
        _show_path(folders[0], _as_shown(path), prompts, as_json)
    elif len(folders) > 1 or benchmark is not None or plots is not None:
        _show_launch(folders, benchmark, plots, as_json)
    else:
        _show_run(folders[0], as_json)


def _require_together(path: str | None, prompts: bool, benchmark: Path | None, plots: Path | None) -> None:
    if prompts and path is None:
        raise UsageError("--prompts goes with --path: name a step, as in --path c003.q2 --prompts.")
    if path is not None and (benchmark is not None or plots is not None):
        raise UsageError("--path shows one step, --benchmark and --plots go with whole results: leave one out.")


def _as_shown(part: str) -> str:
    """The id with the small letters that places have in it; the run in front of it may have others."""
    run, slash, place = part.strip().rpartition("/")
    return f"{run}{slash}{place.lower()}"


def _show_launch(folders: Sequence[Path], benchmark: Path | None, plots: Path | None, as_json: bool) -> None:
    from .beside import beside_of
    from .launched import ended_in

    runs = [ended_in(folder) for folder in folders]
    beside = beside_of(runs, benchmark, plots)
    if len(runs) == 1 and benchmark is None:
        _show_run(folders[0], as_json)
    else:
        beside.show(runs, as_json=as_json)
    beside.draw(runs)


def _show_path(folder: Path, part: str, prompts: bool, as_json: bool) -> None:
    from ..reports.eqt_paths import items_at
    from ..reports.eqt_trace import eqt_trace
    from ..reports.traces import path_to, path_trace

    result = read_outcome(folder)
    simulated = result is not None and result.simulated
    if result is None or result.method == "eqt":
        events = list(read_events(folder))
        simulated |= any(event.simulated for event in events if isinstance(event, RunStarted))
        spec = result.spec if result else spec_in(events)
        if isinstance(spec, EqtSpec):
            steps = items_of(events)
            if as_json:
                _print_steps(folder, simulated, items_at(spec, steps, part))
            else:
                _print_trace(simulated, eqt_trace(spec, steps, part, prompts=prompts))
            return
        probes: Sequence[Probe] = probes_of(events)
    else:
        probes = getattr(result, "probes", ())
    if prompts:
        raise UsageError(f"{folder.name} keeps no prompts: --prompts is for Explain-Query-Tests.")
    if as_json:
        _print_steps(folder, simulated, path_to(probes, part))
    else:
        _print_trace(simulated, path_trace(probes, part))


def _print_steps(folder: Path, simulated: bool, steps: Sequence[BaseModel]) -> None:
    items = [step.model_dump(mode="json") for step in steps]
    print_json({"run_id": folder.name, "simulated": simulated, "items": items})


def _print_trace(simulated: bool, trace: "RenderableType") -> None:
    from rich.text import Text

    from ..reports.console import stdout_console
    from ..reports.rows import STYLES
    from ..reports.summary import SIMULATED

    console = stdout_console()
    if simulated:
        console.print(Text(SIMULATED, STYLES["badge"]))
    console.print(trace)


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
    spec = spec_in(events)
    document: dict[str, Any] = {
        "method": spec.method if spec else None,
        "run_id": board.run_id,
        "spec": spec.model_dump(mode="json") if spec else None,
        "simulated": board.simulated,
        "status": board.finished.status if board.finished else "unfinished",
    }
    if isinstance(spec, EqtSpec):
        closed = [event for event in events if isinstance(event, ConceptClosed)]
        return document | {
            "concepts": [event.model_dump(mode="json", include=_OF_A_CONCEPT) for event in closed],
            "items": [item.model_dump(mode="json") for item in items_of(events)],
        }
    return document | {
        "depths": [row.model_dump(mode="json", by_alias=True) for _, row in sorted(board.rows.items())],
        "evd": board.evd,
        "probes": [probe.model_dump(mode="json") for probe in probes_of(events)],
    }


_OF_A_CONCEPT = {"index", "concept", "category", "numbers"}


def spec_in(events: Iterable[Event]) -> Spec | None:
    """The spec of a run as it was last; None for a stream without its beginning."""
    specs = [event.spec for event in events if isinstance(event, RunStarted | RunResumed)]
    return specs[-1] if specs else None


def items_of(events: Iterable[Event]) -> list[EqtItem]:
    """The finished steps of an Explain-Query-Test in a stream, by concept; of a repeated id the last."""
    items = {event.item.id: event.item for event in events if isinstance(event, ItemFinished)}
    return sorted(eqt_items(items.values()), key=lambda item: item.concept)


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
