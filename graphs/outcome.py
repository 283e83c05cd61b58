"""What runs amount to: their results, whichever version has written them, and their lines in
lists."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import orjson
from pydantic import ValidationError

from ..state.errors import RunFailed, UsageError
from ..state.events import Event
from ..state.result import cuts_short
from ..state.results import Result
from ..state.spec import SPEC
from ..tools.runs.folders import (
    EarlierFormat,
    Figure,
    RunEntry,
    facts_in,
    id_of,
    is_running,
    launch_of,
    read_events,
    read_outcome,
    run_paths,
    when_begun,
)
from .method import METHODS, Method, result_of


def outcome_of(folder: Path) -> Result | None:
    """The result of the run in a folder; None when it has none (yet). One that an earlier version
    has written is computed again from the journal. Raises RunFailed where that cannot be read."""
    try:
        return read_outcome(folder)
    except EarlierFormat as error:
        events = list(read_events(folder))
        if not events:
            raise RunFailed(f"{error} There is no journal to compute it from again.") from error
        return recomputed(events, str(folder))


def recomputed(events: Sequence[Event], name: str) -> Result:
    """The result that a run's events amount to. Raises RunFailed when they contradict each
    other."""
    from .run.record import record_of  # heavy: a result that stands in its file needs no method

    try:
        return result_of(record_of(events))
    except UsageError:
        raise
    except (ValueError, LookupError, AssertionError, ArithmeticError) as error:
        raise RunFailed(
            f"The events of {name} contradict each other ({error}): they were changed."
        ) from error


def list_runs(runs_dir: Path) -> list[RunEntry]:
    """One entry per run folder, the oldest first. A folder that cannot be read is listed as
    such."""
    return [entry_of(path) for path in run_paths(runs_dir)]


def entry_of(path: Path) -> RunEntry:
    """The entry of one run folder, read without building every probe of the run."""
    try:
        spec, facts = facts_in(path)
    except (orjson.JSONDecodeError, OSError, RunFailed):
        spec, facts = {}, {"status": "unreadable"}
    status = str(facts.get("status", "unreadable"))
    if status not in ("complete", "unreadable") and is_running(path):
        status = "running"
    name = str(spec.get("method", ""))
    stop = facts.get("censored", facts.get("stop_reason"))
    return RunEntry(
        path=path,
        id=id_of(path),
        method=name,
        domain=_subject_of(spec),
        target=str(spec.get("target", "") or spec.get("evaluator", "")),
        status=status,
        censored=facts.get("evd") is not None and cuts_short(stop),
        simulated=bool(facts.get("simulated", False)),
        when=when_begun(path),
        launch=launch_of(path)[0],
        figures=tuple(_figures(METHODS[name], facts)) if name in METHODS else (),
    )


def _figures(method: Method, facts: dict[str, Any]) -> Iterator[Figure]:
    for name, (value_at, *intervals_at) in method.listed.items():
        value = _at(facts, value_at)
        if value is not None:
            ends = next(filter(None, (_at(facts, place) for place in intervals_at)), None)
            yield Figure(name, value, (ends[0], ends[1]) if ends else None)


def _at(value: Any, place: str) -> Any:
    """What stands there, as `Method.listed` writes places; None where nothing does."""
    for name in place.split("."):
        if isinstance(value, list) and value:
            wanted, _, index = name.partition("|")
            alike = [row for row in value if wanted in (row.get("mode"), row.get("load"))]
            value = alike[0] if alike else value[int(index)]
        else:
            value = value.get(name) if isinstance(value, dict) else None
    return value


def _subject_of(spec: dict[str, Any]) -> str:
    """What a run is about; empty where it cannot be read."""
    name = str(spec.get("method", ""))
    subject = METHODS[name].subject if name in METHODS else Method.subject
    if subject in spec:
        return str(spec[subject])
    try:
        return str(getattr(SPEC.validate_python(spec), subject))
    except (ValidationError, AttributeError):
        return ""
