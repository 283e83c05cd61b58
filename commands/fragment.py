"""What there is of a run without a result, as a screen and as a document; `status` tells it from a
result."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..state.events import (
    DepthClosed,
    Event,
    ItemFinished,
    ProbeJudged,
    RunResumed,
    RunStarted,
)
from ..state.items import AnyItem
from ..state.records import Probe
from ..state.spec import Spec
from ..tools.runs.folders import is_running, read_events

if TYPE_CHECKING:
    from rich.console import Console

    from ..reports.page.blocks import Block
    from ..reports.progress import RunProgress


def _progress(events: Iterable[Event], folder: Path) -> "RunProgress":
    from ..graphs.method import steps_of
    from ..reports.live.progress import progress_of
    from ..reports.progress import RunProgress

    runs = progress_of(events, steps_of).runs
    return next(iter(runs.values()), RunProgress(folder.name, steps_of))


def unfinished_document(folder: Path) -> dict[str, Any]:
    """What the run is and how far it is, under the field names of a result; what it has finished
    stands in its journal. Raises RunFailed for a journal that was damaged."""
    events = list(read_events(folder))
    progress, spec = _progress(events, folder), spec_in(events)
    return {
        "method": spec.method if spec else None,
        "run_id": progress.run_id,
        "spec": spec.model_dump(mode="json") if spec else None,
        "simulated": progress.simulated,
        "status": progress.finished.status if progress.finished else "unfinished",
        **({"error": progress.finished.stop_detail} if progress.finished else {}),
        "finished": progress.steps,
        "evd": progress.evd,
        "depths": [row.model_dump(mode="json", by_alias=True) for row in progress.rows],
    }


def spec_in(events: Iterable[Event]) -> Spec | None:
    """The spec of a run as it was last; None for a stream without its beginning."""
    specs = [event.spec for event in events if isinstance(event, RunStarted | RunResumed)]
    return specs[-1] if specs else None


def items_of(events: Iterable[Event]) -> list[AnyItem]:
    """The finished steps in a stream, by the part of the run they belong to; of a repeated id the
    last."""
    finished = (event.item for event in events if isinstance(event, ItemFinished))
    items = {item.id: item for item in finished}
    return sorted(items.values(), key=lambda item: item.concept)


def probes_of(events: Sequence[Event]) -> list[Probe]:
    """The finished probes in a stream, ordered by depth, slot and round; of a repeated id the
    last."""
    probes = {event.probe.id: event.probe for event in events if isinstance(event, ProbeJudged)}
    for event in events:
        for probe_id, reason in event.excluded.items() if isinstance(event, DepthClosed) else ():
            if probe_id in probes:
                probes[probe_id] = probes[probe_id].model_copy(update={"excluded": reason})
    return sorted(probes.values(), key=lambda probe: (probe.depth, probe.slot, probe.round))


def fragment_blocks(folder: Path, width: int, *, kept: bool = True) -> "Iterator[Block]":
    """What there is of a run without a result. `kept`: whether it is said where it lies."""
    from ..reports.views.unfinished import unfinished

    progress = _progress(read_events(folder), folder)
    return unfinished(
        progress, width=width, kept=folder if kept else None, running=is_running(folder)
    )


def print_fragment(console: "Console", folder: Path) -> None:
    """The same on a terminal."""
    from ..reports.page.terminal import rendered

    console.print(rendered(fragment_blocks(folder, console.width), console.width), crop=False)
