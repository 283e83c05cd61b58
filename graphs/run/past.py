"""What past runs tell the plan, of whatever method: whom they asked what how often, how long texts
and replies were."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from pydantic import ValidationError

from ...state.errors import RunFailed, UsageError
from ...state.events import (
    Event,
    ItemFinished,
    Opened,
    PassagesFound,
    ProbeJudged,
    RunFinished,
    RunStarted,
)
from ...state.records import Call, Role
from ...state.spec import SPEC, Spec
from ...tools.runs.folders import RESULT, read_events, run_paths
from ...tools.runs.folders import SPEC as SPEC_FILE

NEWEST = 10
"""Past runs that are read, the newest first."""
MOST_EVENTS = 4_000
"""Of each of them."""


class Means(NamedTuple):
    """The calls of one kind in one run that were answered."""

    input_tokens: float
    output_tokens: float
    seconds: float


@dataclass(frozen=True, slots=True)
class PastRun:
    """What one finished run tells."""

    folder: Path
    spec: Spec
    material: object
    """What it asked about, for the methods that are handed something."""
    calls: Mapping[tuple[Role, str], int]
    """By role and prompt, failed and cached ones included; none unless the run came to its end and
    was read to it."""
    means: Mapping[tuple[str, str], Means]
    """By prompt and model."""


@dataclass(frozen=True, slots=True)
class Past:
    """Past runs, the newest first."""

    runs: Sequence[PastRun] = ()
    unreadable: int = 0


def read_past(runs_dir: Path | None, models: Collection[str]) -> Past:
    """What the newest finished runs of a folder tell that asked one of these models. What cannot be
    read is counted and left out."""
    past_runs, unreadable = list[PastRun](), 0
    for folder, spec in (
        islice(_finished(runs_dir, set(models)), NEWEST) if runs_dir is not None else ()
    ):
        try:
            past_runs.append(past_run(folder, spec, islice(read_events(folder), MOST_EVENTS)))
        except (RunFailed, UsageError, OSError):
            unreadable += 1
    return Past(past_runs, unreadable)


def _finished(runs_dir: Path, models: set[str]) -> Iterator[tuple[Path, Spec]]:
    """Runs with a result that asked one of the models, the newest first; what is no run is left
    out."""
    for path in reversed(run_paths(runs_dir)):
        try:
            if (path / RESULT).is_file():
                spec = SPEC.validate_json((path / SPEC_FILE).read_bytes())
                if not models.isdisjoint(spec.models.values()):
                    yield path, spec
        except (OSError, ValidationError):
            continue


def past_run(folder: Path, spec: Spec, events: Iterable[Event]) -> PastRun:
    """What a run's events tell."""
    material, whole, calls = None, False, list[Call]()
    for event in events:
        match event:
            case RunStarted():
                material = event.material or event.problems
            case Opened() | PassagesFound():
                calls += event.calls
            case ProbeJudged(carried=False) | ItemFinished():
                calls += event.new_calls
            case _:
                whole = isinstance(event, RunFinished) and event.status == "complete"
    by_kind = Counter((call.role, call.purpose) for call in calls)
    return PastRun(folder, spec, material, by_kind if whole else {}, _means(spec.models, calls))


def _means(models: Mapping[str, str], calls: Iterable[Call]) -> dict[tuple[str, str], Means]:
    grouped = defaultdict[tuple[str, str], list[Call]](list)
    for call in calls:
        # one that is cut off, or refused, may be told without its tokens
        is_whole = call.failure is None and call.usage.input_tokens
        if is_whole and call.role in models:
            key = (call.purpose, models[call.role])
            grouped[key].append(call)
    return {key: _mean(group) for key, group in grouped.items()}


def _mean(calls: Sequence[Call]) -> Means:
    latencies = [call.latency_s for call in calls if not call.cached] or [0.0]
    return Means(
        sum(call.usage.input_tokens for call in calls) / len(calls),
        sum(call.usage.output_tokens for call in calls) / len(calls),
        sum(latencies) / len(latencies),
    )
