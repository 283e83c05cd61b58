"""`fathom show RUN --path PART`: one part of a run in full; and `--wrong`: what the model answered
wrongly."""

from collections.abc import Sequence
from typing import Any

from ..graphs.method import steps_of
from ..graphs.run.record import probes_so_far, remembered
from ..reports.page import figures
from ..reports.page.blocks import Line, Text
from ..reports.page.remarks import SIMULATED
from ..reports.step import RunContext
from ..reports.trace import find, path_blocks, wrong_blocks, wrong_steps
from ..reports.views.steps import Steps
from ..state.errors import UsageError
from ..tools.runs.folders import read_events
from .declare import Given
from .finished import FinishedRun
from .streams import print_blocks, print_json


def show_part(run: FinishedRun, values: Given) -> None:
    """Print the part of the run that --path names, or what was answered wrongly. Raises UsageError
    for a part that it does not have, and RunFailed for a run that cannot be read."""
    steps, scene, simulated = read_steps(run)
    document: dict[str, Any] = {"run_id": run.run_id, "simulated": simulated}
    if values["wrong"]:
        limit = values["limit"] or 10
        wrong = wrong_steps(steps, scene)
        document["wrong"], items = len(wrong), wrong[:limit]
        blocks = wrong_blocks(steps, scene, wrong, limit)
    else:
        items = find(scene, values["path"])
        blocks = path_blocks(steps, scene, items)
    if values["json"]:
        print_json({**document, "items": [item.model_dump(mode="json") for item in items]})
        return
    badge = [Text([Line(SIMULATED, "badge")])] if simulated else []
    print_blocks([*badge, *blocks])


def read_steps(run: FinishedRun) -> tuple[Steps, RunContext, bool]:
    """How the run's steps are shown, all of them, and whether it is simulated. Raises UsageError
    for a run of which not even the method is known."""
    assert run.folder is not None
    run_id, sink = remembered(read_events(run.folder))
    memory = sink.run(run_id)
    started = memory.started
    latest = memory.resumed[-1] if memory.resumed else started
    if started is None or latest is None:
        raise UsageError(
            f"The journal of {run.run_id} lacks the run's beginning: nothing of it can be shown."
        )
    scene = RunContext(latest.spec, started.material, started.problems)
    probes: Sequence[Any] = getattr(run.result, "probes", ()) or probes_so_far(sink, run_id)
    items = sorted(sink.items(run_id), key=lambda item: item.concept)
    scene.items = {figures.place(item.id): item for item in [*probes, *items]}
    scene.nominal = getattr(run.result, "nominal", None)
    scene.closed = dict(memory.parts)
    simulated = started.simulated or bool(run.result and run.result.simulated)
    return steps_of(latest.spec.method), scene, simulated
