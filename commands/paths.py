"""`fathom show RUN --path PART`: one line of questioning, or the steps of one part of a run, in full; and `--wrong`:
what a drill's model answered wrongly."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

from ..state.errors import UsageError
from ..state.events import Event, ProblemClosed, RunStarted
from ..state.items import build_items, deepquestion_items, depthqa_items, eqt_items
from ..tools.runs.folders import read_events, read_outcome
from .fragment import items_of, probes_of, spec_in

if TYPE_CHECKING:
    from rich.console import RenderableType

Part = tuple[Sequence[BaseModel], Callable[[], "RenderableType"]]
"""What a path names: the records, and how they are shown."""


def show_path(folder: Path, part: str, *, prompts: bool, as_json: bool) -> None:
    """Print the part of the run. Raises UsageError for one that it does not have, and RunFailed for a run that cannot
    be read."""
    from .streams import print_json

    result = read_outcome(folder)
    events = [] if result is not None and result.method not in _STEPS else list(read_events(folder))
    spec = result.spec if result is not None else spec_in(events)
    method = spec.method if spec is not None else ""
    if prompts and method not in _STEPS:
        raise UsageError(
            f"{folder.name} keeps no prompts: --with-prompts is for methods that work in steps, not in probes."
        )
    if method in _STEPS:
        steps, drawn = _STEPS[method](spec, events, part.strip(), prompts)
    else:
        steps, drawn = _probes(probes_of(events) if result is None else getattr(result, "probes", ()), part)
    simulated = any(event.simulated for event in events if isinstance(event, RunStarted))
    simulated |= result is not None and result.simulated
    if as_json:
        items = [step.model_dump(mode="json") for step in steps]
        print_json({"run_id": folder.name, "simulated": simulated, "items": items})
    else:
        _print_trace(simulated, drawn())


def show_wrong(folder: Path, limit: int, *, as_json: bool) -> None:
    """Print a drill's wrong answers, at most `limit`. Raises UsageError for a run of another method, and RunFailed for
    one that cannot be read."""
    from ..reports.views.drill.trace import wrong_probes, wrong_trace
    from .streams import print_json

    result = read_outcome(folder)
    events = [] if result is not None else list(read_events(folder))
    spec = result.spec if result is not None else spec_in(events)
    if spec is not None and spec.method != "drill":
        raise UsageError(f"{folder.name} is no drill: --wrong is for drills, show it without.")
    found = wrong_probes(result.probes if result is not None and result.method == "drill" else probes_of(events))
    simulated = any(event.simulated for event in events if isinstance(event, RunStarted))
    simulated |= result is not None and result.simulated
    if as_json:
        items = [probe.model_dump(mode="json") for probe in found[:limit]]
        print_json({"run_id": folder.name, "simulated": simulated, "wrong": len(found), "items": items})
    else:
        _print_trace(simulated, wrong_trace(found, limit))


def _probes(probes: Sequence[Any], part: str) -> Part:
    from ..reports.views.drill.trace import path_to, path_trace

    place = _in_small_letters(part)
    return path_to(probes, place), lambda: path_trace(probes, place)


def _of_eqt(spec: Any, events: Sequence[Event], part: str, prompts: bool) -> Part:
    from ..reports.views.eqt.paths import items_at
    from ..reports.views.eqt.trace import eqt_trace

    items, place = eqt_items(items_of(events)), _in_small_letters(part)
    return items_at(spec, items, place), lambda: eqt_trace(spec, items, place, prompts=prompts)


def _of_depthqa(spec: Any, events: Sequence[Event], part: str, prompts: bool) -> Part:
    from ..reports.views.depthqa.paths import items_at
    from ..reports.views.depthqa.trace import depthqa_trace

    material = next((event.material for event in events if isinstance(event, RunStarted)), None)
    if material is None:
        raise UsageError("The journal of this run lacks its questions: --path has nothing to go through.")
    items = depthqa_items(items_of(events))
    found = items_at(spec, material.graph, items, part)
    return found, lambda: depthqa_trace(spec, material.graph, items, part, prompts=prompts)


def _of_build(spec: Any, events: Sequence[Event], part: str, prompts: bool) -> Part:
    from ..reports.views.depthqa.building.trace import build_items_at, build_trace

    items = build_items(items_of(events))
    return build_items_at(spec, items, part), lambda: build_trace(spec, items, part, prompts=prompts)


def _of_deepquestion(spec: Any, events: Sequence[Event], part: str, prompts: bool) -> Part:
    from ..reports.views.deepquestion.paths import items_at, place_of
    from ..reports.views.deepquestion.trace import deepquestion_trace

    problems = next((event.problems for event in events if isinstance(event, RunStarted)), None)
    if problems is None:
        raise UsageError("The journal of this run lacks its problems: --path has nothing to go through.")
    items = deepquestion_items(items_of(events))
    found = items_at(spec, problems.problems, items, part)
    name = place_of(spec, problems.problems, part).name
    closed = [event.marks for event in events if isinstance(event, ProblemClosed) and event.problem == name]
    marks = closed[-1] if closed else None
    return found, lambda: deepquestion_trace(spec, problems, items, part, marks=marks, prompts=prompts)


_STEPS: Mapping[str, Callable[[Any, Sequence[Event], str, bool], Part]] = {
    "eqt": _of_eqt,
    "depthqa": _of_depthqa,
    "depthqa_build": _of_build,
    "deepquestion": _of_deepquestion,
}
"""By method; the others have probes."""


def _in_small_letters(part: str) -> str:
    """The id with the small letters that places have in it; the run in front of it may have others."""
    run, slash, place = part.strip().rpartition("/")
    return f"{run}{slash}{place.lower()}"


def _print_trace(simulated: bool, trace: "RenderableType") -> None:
    from rich.text import Text

    from ..reports.page.console import stdout_console
    from ..reports.page.remarks import SIMULATED
    from ..reports.page.rows import STYLES

    console = stdout_console()
    if simulated:
        console.print(Text(SIMULATED, STYLES["badge"]))
    console.print(trace)
