"""Going on with a run that was cut off: what is there, what has changed since, and whether it may
go on."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ... import __version__
from ...state.eqt.items import Attribution
from ...state.errors import UsageError
from ...state.events import (
    Event,
    ItemFinished,
    Opened,
    PassagesFound,
    ProbeJudged,
    RunFinished,
    RunResumed,
    RunStarted,
)
from ...state.records import Call
from ...state.result import SHORT
from ...state.spec import Spec
from ...tools.models.budget import Budget
from ...tools.runs.folders import LAUNCH, RESULT, is_run, read_events
from ...tools.runs.journal import MemorySink
from ..method import prompts_of
from .folder import LaunchRecord, RunFolder, read_launch, read_spec
from .record import remembered

Spent = tuple[float | None, int]
"""USD (None: some price is unknown) and calls."""


@dataclass(frozen=True, slots=True)
class Resumption:
    """A run to go on with; its folder is held."""

    folder: RunFolder
    spec: Spec
    launch: LaunchRecord
    started: RunStarted | None
    """None: the run was cut off before it began."""
    forced: frozenset[str] = frozenset()
    """Differences that were overridden before."""
    reopens: bool = False
    """Whether the run lost something to faults of the infrastructure, so that its last depth, or
    the steps of an EQT that were lost, are to be asked anew."""


def is_over(path: Path) -> bool:
    """Whether a run has its result and nothing could be added to it."""
    run_id, sink = remembered(read_events(path))
    end = sink.run(run_id).finished
    if end is None or _reopens(run_id, sink):
        return False
    return (end.status == "complete" or end.stop_reason in SHORT) and (path / RESULT).is_file()


def record_in(path: Path) -> LaunchRecord | None:
    """How the run in a folder was launched; None where that cannot be read, which is no other run's
    trouble."""
    try:
        return read_launch(path)
    except UsageError:
        return None


def has_begun(path: Path) -> bool:
    """Whether there is something to go on with."""
    return any(isinstance(event, RunStarted) for event in read_events(path))


def take_up(
    path: Path, launch: LaunchRecord | None = None, folder: RunFolder | None = None
) -> Resumption:
    """Hold a run's folder, if it is not held, and read how far it came. `launch`: the record of its
    launch, should it have none itself.

    Raises UsageError: no run, locked, unreadable, without its spec, or cut off before anything was
    begun.
    """
    if folder is None and not is_run(path):
        raise UsageError(f"{path} is no run: name the folder of one.")
    folder = folder or RunFolder(path)
    try:
        run_id, sink = remembered(read_events(path))
        memory = sink.run(run_id)
        if memory.started is None and not (launch or (path / LAUNCH).is_file()):
            raise UsageError(
                f"The run {path.name} was cut off before it began, so nothing was asked and "
                "nothing paid: start it"
                f" again with the command of then, and remove {path}."
            )
        record = (record_in(path) or launch) if launch else read_launch(path)
        forced = frozenset(name for event in memory.resumed for name in event.forced)
        reopens = _reopens(run_id, sink)
        return Resumption(folder, read_spec(path), record, memory.started, forced, reopens)
    except BaseException:
        folder.release()
        raise


def _reopens(run_id: str, sink: MemorySink) -> bool:
    """Whether a run that ended lost something that may be asked anew: steps that the
    infrastructure prevented (attributions alone are no reason), or its first depth."""
    memory = sink.run(run_id)
    end = memory.finished
    if end is None:  # killed: it goes on as if nothing had happened
        return False
    if any(item.lost and not isinstance(item, Attribution) for item in sink.items(run_id)):
        return True
    if end.stop_reason in SHORT or end.status == "complete":
        return end.stop_reason == "infrastructure"
    unscored = any(probe.outcome.status == "unscored" for probe in sink.probes(run_id))
    return end.status == "failed" and not memory.closed and unscored


def require_spec(resumption: Resumption) -> None:
    """Raises UsageError where the spec is not the one that the run began with: what it has measured
    would not be what its result says."""
    started, spec = resumption.started, resumption.spec
    before = started.spec if started else spec
    changed = [
        name
        for name in type(spec).model_fields
        if getattr(before, name, None) != getattr(spec, name)
    ]
    if changed:
        raise UsageError(
            f"The run {resumption.folder.run_id} cannot go on with another {', '.join(changed)}, "
            "not even by force. Undo that, or start a run of its own."
        )


def differences(resumption: Resumption, fingerprints: Mapping[str, str]) -> tuple[str, ...]:
    """What is not as it was when the run started, each in words, and can be forced.
    `fingerprints`: those of the sources as they are."""
    started = resumption.started
    if started is None:
        return ()
    changes = []
    if started.version != __version__:
        changes.append(
            f"it was started by version {started.version} of Fathom and this is {__version__}"
        )
    digests = {name: prompt.digest for name, prompt in prompts_of(resumption.spec).items()}
    changes += [
        f"the prompt {name!r} has changed" for name in _changed(started.prompts, digests)
    ]
    sources = _changed(started.sources, fingerprints)
    return (*changes, *(f"the content of {name} has changed" for name in sources))


def spent_by(path: Path, *, cached: bool) -> Spent:
    """USD and calls of the run in a folder so far, by its journal: what it said at an end or a
    resumption, or what its finished probes cost when that is more. Of a session that was killed
    nobody knows what unfinished probes cost.

    `cached`: replies of unfinished probes come back from the cache, so that a later session's
    journal has them again.
    """
    stated: Spent = (0.0, 0)
    whole, since = list[Call](), list[Call]()
    for event in read_events(path):
        if isinstance(event, RunFinished | RunResumed) and event.spent_calls:
            stated, since = (event.spent_usd, event.spent_calls), []
        whole += _calls(event)
        since += _calls(event)
    usd, calls = _paid(since)
    total = None if usd is None or stated[0] is None else usd + stated[0]
    return most(_paid(whole), stated if cached else (total, calls + stated[1]))


def opened_budget(usd: float | None, calls: int | None, spent: Sequence[Spent]) -> Budget:
    """A budget of which each run has used so much already. Raises UsageError where that is not
    known."""
    paid = [usd for usd, _ in spent if usd is not None]
    if usd is not None and len(paid) < len(spent):
        raise UsageError(
            "What the launch has cost so far is not known, because replies came without a price:"
            " resume it with --max-calls instead of --budget."
        )
    return Budget(usd, calls, spent_usd=sum(paid), spent_calls=sum(count for _, count in spent))


def _calls(event: Event) -> tuple[Call, ...]:
    """The calls an event tells of."""
    if isinstance(event, ProbeJudged | ItemFinished):
        return event.new_calls
    return event.calls if isinstance(event, Opened | PassagesFound) else ()


def most(first: Spent, second: Spent) -> Spent:
    """The larger of two lower limits."""
    unknown = first[0] is None or second[0] is None
    usd = None if unknown else max(first[0] or 0.0, second[0] or 0.0)
    return usd, max(first[1], second[1])


def _paid(calls: Iterable[Call]) -> Spent:
    """What calls cost. Cached ones are left out; a failed one is a call that cost nothing known."""
    paid = [call for call in calls if not call.cached]
    prices = [call.cost_usd for call in paid if call.cost_usd is not None]
    unknown = any(call.cost_usd is None and call.failure is None for call in paid)
    return None if unknown else sum(prices, 0.0), len(paid)


def _changed(before: Mapping[str, object], now: Mapping[str, object]) -> list[str]:
    """Names whose value is another, or which are there on one side only."""
    names = before.keys() | now.keys()
    return sorted(name for name in names if before.get(name) != now.get(name))
