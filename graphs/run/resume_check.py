"""Going on with a run that was cut off: what is there, what has changed since, and whether it may
go on."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ... import __version__
from ...agents.prompts import PROMPTS_OF
from ...agents.skill import override
from ...state.eqt.items import Attribution
from ...state.errors import RunFailed, UsageError
from ...state.events import (
    DepthClosed,
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
from ...tools.runs.folders import LAUNCH, is_run, read_events
from .folder import LaunchRecord, RunFolder, read_launch, read_spec

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
    finished: RunFinished | None
    """How it ended, when it did."""
    forced: frozenset[str] = frozenset()
    """Differences that were overridden before."""
    reopens: bool = False
    """Whether the run lost something to faults of the infrastructure, so that its last depth, or
    the steps of an EQT that were lost, are to be asked anew."""


def is_over(path: Path) -> bool:
    """Whether a run has its result and nothing could be added to it."""
    past = _history(path)
    if past.finished is None or past.reopens:
        return False
    if past.finished.status != "complete" and past.finished.stop_reason not in SHORT:
        return False
    return (path / "result.json").is_file()


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
        past = _history(path)
        if past.started is None and not (launch or (path / LAUNCH).is_file()):
            raise UsageError(
                f"The run {path.name} was cut off before it began, so nothing was asked and "
                "nothing paid: start it"
                f" again with the command of then, and remove {path}."
            )
        record = (record_in(path) or launch) if launch else read_launch(path)
        return Resumption(
            folder, read_spec(path), record, past.started, past.finished, past.forced, past.reopens
        )
    except BaseException:
        folder.release()
        raise


@dataclass(slots=True)
class _History:
    """What a journal says of the sessions so far."""

    started: RunStarted | None = None
    finished: RunFinished | None = None
    forced: frozenset[str] = frozenset()
    closed: int = 0
    lost: bool = False
    """Whether a probe of the open depth has no verdict."""
    steps_lost: set[str] = field(default_factory=set)
    """Steps of an EQT that the infrastructure has prevented so far; attributions alone are no
    reason to go on."""

    @property
    def reopens(self) -> bool:
        ended = self.finished
        if ended is None:  # killed: it goes on as if nothing had happened
            return False
        if self.steps_lost:
            return True
        if ended.stop_reason in SHORT or ended.status == "complete":
            return ended.stop_reason == "infrastructure"
        # a run that lost its first depth has no result to say so
        return ended.status == "failed" and not self.closed and self.lost


def _history(path: Path) -> _History:
    past, last = _History(), 0
    for event in read_events(path):
        if (
            1 < event.seq <= last
        ):  # a run that begins anew, or fails once it had ended, is numbered from 1 again
            raise RunFailed(
                f"The journal of {path} is out of order at event {event.seq}: it was changed "
                "or damaged."
            )
        last = event.seq
        match event:
            case RunStarted():
                past.started = event
            case RunResumed():
                past.finished, past.forced = None, past.forced | set(event.forced)
            case DepthClosed():
                past.closed, past.lost = past.closed + 1, False
            case ProbeJudged():
                past.lost = past.lost or event.probe.outcome.status == "unscored"
            case ItemFinished():
                lost = event.item.lost and not isinstance(event.item, Attribution)
                (past.steps_lost.add if lost else past.steps_lost.discard)(event.item.id)
            case RunFinished():
                past.finished = event
    return past


def differences(resumption: Resumption, fingerprints: Mapping[str, str]) -> tuple[str, ...]:
    """What is not as it was when the run started, each in words. `fingerprints`: those of the
    sources as they are."""
    started = resumption.started
    if started is None:
        return ()
    found = list(_spec_changes(started.spec, resumption.spec))
    if started.version != __version__:
        found.append(
            f"it was started by version {started.version} of Fathom and this is {__version__}"
        )
    now = {
        name: prompt.digest
        for name, prompt in override(
            PROMPTS_OF[resumption.spec.method], resumption.spec.prompts
        ).items()
    }
    found += [f"the prompt {name!r} has changed" for name in _changed(started.prompts, now)]
    found += [
        f"the content of {name} has changed" for name in _changed(started.sources, fingerprints)
    ]
    return tuple(found)


ANOTHER_RUN = frozenset(
    {
        "method",
        "domain",
        "target",
        "evaluator",
        "judge",
        "n",
        "passes",
        "seed",
        "language",
        "missing",
        "anchors",
        "source",
    }
    | {"repeat", "repeats", "pool_seed", "topics", "source_run", "questions"}
    | {
        "concepts",
        "examiner",
        "options",
        "paraphrases",
        "open_book",
        "shuffle_options",
        "verify_paraphrases",
    }
    | {"graph", "material", "modes", "logprobs", "judge_temperature", "judge_top_p", "judge_tokens"}
    | {"name", "width", "similarity", "classify", "check"}
    | {
        "benchmark",
        "problems",
        "generator",
        "given",
        "kinds",
        "distractors",
        "threshold",
        "rounds",
        "single_pass",
    }
    | {"use_best", "sample", "guides", "baseline", "tolerance"}
)
"""Fields of a spec without which it is another run: what was measured before would be mislabelled,
or not add up."""


def refuse(resumption: Resumption, found: Sequence[str], *, force: bool) -> None:
    """Raises UsageError when something has changed that must not, or that was not forced."""
    run_id, started = resumption.folder.run_id, resumption.started
    after = resumption.spec.model_dump(mode="json")
    before = started.spec.model_dump(mode="json") if started else after
    other = sorted(name for name in ANOTHER_RUN if before.get(name) != after.get(name))
    if other:
        raise UsageError(
            f"The run {run_id} cannot go on with another {', '.join(other)}, not even by force: "
            "what it has measured"
            " would not be what its result says. Undo that, or start a run of its own."
        )
    if found and not force:
        raise UsageError(
            f"The run {run_id} cannot simply go on: {'; '.join(found)}. Undo that, or resume with "
            "--force; the result"
            " will say so."
        )


def spent_by(path: Path, *, cached: bool) -> Spent:
    """USD and calls of the run in a folder so far, by its journal: what it said at an end or a
    resumption, or what its finished probes cost when that is more. Of a session that was killed
    nobody knows what unfinished probes cost.

    `cached`: replies of unfinished probes come back from the cache, so that a later session's
    journal has them again.
    """
    said: Spent = (0.0, 0)
    whole, since = list[Call](), list[Call]()
    for event in read_events(path):
        if isinstance(event, RunFinished | RunResumed) and event.spent_calls:
            said, since = (event.spent_usd, event.spent_calls), []
        whole += _calls(event)
        since += _calls(event)
    return most(_paid(whole), said if cached else _sum(said, _paid(since)))


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
    if isinstance(event, ProbeJudged):
        return event.new_calls
    if isinstance(event, ItemFinished):
        return event.new_calls
    return event.calls if isinstance(event, Opened | PassagesFound) else ()


def most(one: Spent, other: Spent) -> Spent:
    """The larger of two lower limits."""
    calls = max(one[1], other[1])
    if one[0] is None or other[0] is None:
        return None, calls
    return max(one[0], other[0]), calls


def _sum(one: Spent, other: Spent) -> Spent:
    calls = one[1] + other[1]
    if one[0] is None or other[0] is None:
        return None, calls
    return one[0] + other[0], calls


def _paid(calls: Iterable[Call]) -> Spent:
    """What calls cost. Cached ones are left out; a failed one is a call that cost nothing known."""
    paid = [call for call in calls if not call.cached]
    known = [call.cost_usd for call in paid if call.cost_usd is not None]
    unknown = any(call.cost_usd is None and call.failure is None for call in paid)
    return None if unknown else sum(known, 0.0), len(paid)


def _spec_changes(old: Spec, new: Spec) -> Iterable[str]:
    before, after = old.model_dump(mode="json"), new.model_dump(mode="json")
    for name in sorted(before.keys() | after.keys()):
        if before.get(name) != after.get(name):
            yield f"its {name} was {_short(before.get(name))} and is {_short(after.get(name))}"


def _changed(before: Mapping[str, str], now: Mapping[str, str]) -> list[str]:
    """Names whose value is another, or which are there on one side only."""
    names = before.keys() | now.keys()
    return sorted(name for name in names if before.get(name) != now.get(name))


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}…"
