"""`fathom show RUN --path PART`: one part of a run in full; and `--wrong`: what the model answered
wrongly."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..graphs.method import steps_of
from ..graphs.outcome import outcome_of
from ..state.errors import UsageError
from ..state.events import PartClosed, RunStarted
from ..tools.runs.folders import read_events
from .fragment import items_of, probes_of, spec_in

if TYPE_CHECKING:
    from rich.console import RenderableType

    from ..reports.step import RunContext
    from ..reports.views.steps import Steps


def show_path(folder: Path, part: str, *, prompts: bool, as_json: bool) -> None:
    """Print the part of the run. Raises UsageError for one that it does not have, and RunFailed for
    a run that cannot be read."""
    from ..reports.paths import find
    from ..reports.trace import path_trace

    steps, scene, simulated = read_steps(folder)
    if prompts and not steps.keeps_prompts:
        raise UsageError(
            f"{folder.name} keeps no prompts: --with-prompts is for methods that work in "
            "steps, not in probes."
        )
    found = find(steps, scene, part)
    _print(
        folder,
        simulated,
        found.items,
        {},
        None if as_json else path_trace(steps, scene, found, prompts=prompts),
    )


def show_wrong(folder: Path, limit: int, *, as_json: bool) -> None:
    """Print what was answered wrongly, at most `limit` of it. Raises RunFailed for a run that
    cannot be read."""
    from ..reports.trace import wrong_steps, wrong_trace

    steps, scene, simulated = read_steps(folder)
    wrong = wrong_steps(steps, scene)
    drawn = None if as_json else wrong_trace(steps, scene, wrong, limit)
    _print(folder, simulated, wrong[:limit], {"wrong": len(wrong)}, drawn)


def read_steps(folder: Path) -> tuple["Steps", "RunContext", bool]:
    """How the run's steps are shown, all of them, and whether it is simulated. Raises UsageError
    for a run of which not even the method is known."""
    from ..reports.page import figures
    from ..reports.step import RunContext

    result, events = outcome_of(folder), list(read_events(folder))
    started = next((event for event in events if isinstance(event, RunStarted)), None)
    spec = result.spec if result is not None else spec_in(events)
    if spec is None:
        raise UsageError(
            f"The journal of {folder.name} lacks the run's beginning: nothing of it can be shown."
        )
    scene = RunContext(
        spec, started.material if started else None, started.problems if started else None
    )
    probes: Sequence[Any] = getattr(result, "probes", ()) or probes_of(events)
    scene.items = {figures.place(item.id): item for item in [*probes, *items_of(events)]}
    scene.nominal = getattr(result, "nominal", None)
    scene.closed = {event.index: event for event in events if isinstance(event, PartClosed)}
    simulated = bool(started and started.simulated) or (result is not None and result.simulated)
    return steps_of(spec.method), scene, simulated


def _print(
    folder: Path,
    simulated: bool,
    items: Sequence[Any],
    more: dict[str, Any],
    drawn: "RenderableType | None",
) -> None:
    from .streams import print_json

    if drawn is None:
        told = [item.model_dump(mode="json") for item in items]
        print_json(
            {
                "run_id": folder.name,
                "simulated": simulated,
                **more,
                "items": told,
            }
        )
        return
    from rich.text import Text

    from ..reports.page.console import stdout_console
    from ..reports.page.remarks import SIMULATED
    from ..reports.page.rows import STYLES

    console = stdout_console()
    if simulated:
        console.print(Text(SIMULATED, STYLES["badge"]))
    console.print(drawn)
