"""What past runs tell the plan, of whatever method: how long texts and replies were, and how long
they took."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

from pydantic import ValidationError

from ...state.errors import RunFailed, UsageError
from ...state.events import Event, ItemFinished, Opened, PassagesFound, ProbeJudged
from ...state.records import Call
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
    for folder, spec in islice(_finished(runs_dir, set(models)), NEWEST):
        try:
            means = _means(spec.models, calls_in(islice(read_events(folder), MOST_EVENTS)))
            past_runs.append(PastRun(folder, spec, means))
        except (RunFailed, UsageError, OSError):
            unreadable += 1
    return Past(past_runs, unreadable)


def _finished(runs_dir: Path | None, models: set[str]) -> Iterator[tuple[Path, Spec]]:
    """Runs with a result that asked one of the models, the newest first; what is no run is left
    out."""
    for path in reversed(run_paths(runs_dir) if runs_dir is not None else []):
        try:
            if (path / RESULT).is_file():
                spec = SPEC.validate_json((path / SPEC_FILE).read_bytes())
                if not models.isdisjoint(spec.models.values()):
                    yield path, spec
        except (OSError, ValidationError):
            continue


def calls_in(events: Iterable[Event]) -> Iterator[Call]:
    """The calls that a journal tells, failed and cached ones included."""
    for event in events:
        match event:
            case Opened() | PassagesFound():
                yield from event.calls
            case ProbeJudged(carried=False) | ItemFinished():
                yield from event.new_calls
            case _:
                pass


def _means(models: Mapping[str, str], calls: Iterable[Call]) -> dict[tuple[str, str], Means]:
    groups = defaultdict[tuple[str, str], list[Call]](list)
    for call in calls:
        # one that is cut off, or refused, may be told without its tokens
        if call.failure is None and call.usage.input_tokens and call.role in models:
            groups[call.purpose, models[call.role]].append(call)
    return {key: _mean(group) for key, group in groups.items()}


def _mean(calls: Sequence[Call]) -> Means:
    return Means(
        fmean(call.usage.input_tokens for call in calls),
        fmean(call.usage.output_tokens for call in calls),
        fmean([call.latency_s for call in calls if not call.cached] or [0.0]),
    )
