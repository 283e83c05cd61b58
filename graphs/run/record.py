"""What a journal says of one run, as plain values: all that a result is made of, with where the run
came from and which of its method's rules it kept."""

import platform
from collections import ChainMap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any, TypeVar

from ...state.causes import causes_of, with_causes
from ...state.channels import Stop
from ...state.errors import RunFailed
from ...state.events import (
    DepthClosed,
    Event,
    LookUpFailed,
    Opened,
    PartClosed,
    RunFinished,
    RunResumed,
    RunStarted,
)
from ...state.items import AnyItem, faults_of
from ...state.records import Answer, Call, Probe, Role, Unscored
from ...state.result import FORMAT, SHORT, Interval, Status
from ...state.spec import RunSpec, Spec
from ...stats.accuracy import usage_by_role
from ...tools.runs.journal import MemorySink, RunMemory, Sink

S = TypeVar("S", bound=RunSpec)


@dataclass(frozen=True, slots=True)
class RunRecord:
    """One run: how it began, what was closed and finished, how it ended. A result is a pure
    function of it."""

    run_id: str
    started: RunStarted
    resumed: tuple[RunResumed, ...]
    opened: Opened | None
    closed: tuple[DepthClosed, ...]
    """In order of depth."""
    probes: tuple[Probe, ...]
    """In (depth, slot, round) order; those that a reopened depth asked anew stand here once."""
    look_up_calls: tuple[Call, ...]
    """Of a drill, made beside its probes for look-ups."""
    failed: tuple[LookUpFailed, ...]
    """Look-ups of a drill that failed and were not made up for by going on."""
    items: tuple[AnyItem, ...]
    """Of the methods without depths, by part, in order of their ids."""
    parts: tuple[PartClosed, ...]
    """Concepts of an EQT, trees of questions, or problems of a benchmark, in the order of spec,
    graph or benchmark."""
    reopened: frozenset[int]
    """Parts that have closed and were being asked again when the run ended."""
    finished: RunFinished
    """How it ended; its EVD and cost are taken from the result, not the other way round."""

    @property
    def spec(self) -> Spec:
        """The spec as it was last: another one than at the start only when that was forced."""
        return self.resumed[-1].spec if self.resumed else self.started.spec

    def spec_as(self, kind: type[S]) -> S:
        """The spec, of the method's own kind."""
        spec = self.spec
        assert isinstance(spec, kind)  # by its `method`
        return spec

    @property
    def forced(self) -> tuple[str, ...]:
        """What was overridden when the run was resumed, once each, in sentences."""
        overridden = dict.fromkeys(name for event in self.resumed for name in event.forced)
        return tuple(f"Resumed by force although {difference}." for difference in overridden)


def remembered(events: Iterable[Event]) -> tuple[str, MemorySink]:
    """The run that a stream of events is of, and what there is of it. Raises RunFailed for events
    that are out of order."""
    sink, run_id, last = MemorySink(lambda: datetime.now(UTC)), "", 0
    for event in events:
        if 1 < event.seq <= last:  # a run that begins anew is numbered from 1 again
            raise RunFailed(
                f"The journal of {event.run_id} is out of order at event {event.seq}: it was "
                "changed or damaged."
            )
        run_id, last = event.run_id, event.seq
        sink.load([event])
    return run_id, sink


def probes_so_far(sink: Sink, run_id: str) -> list[Probe]:
    """The finished probes, ordered by depth, slot and round, those that do not count with why."""
    closed = sink.run(run_id).closed.values()
    reasons = dict(ChainMap(*(dict(event.excluded) for event in closed)))
    probes = [
        probe.model_copy(update={"excluded": reasons.get(probe.id)})
        for probe in sink.probes(run_id)
    ]
    return sorted(probes, key=lambda probe: (probe.depth, probe.slot, probe.round))


def record_of(events: Iterable[Event]) -> RunRecord:
    """The record in a stream of one run's events. Raises RunFailed when the run has not begun or
    not ended."""
    run_id, sink = remembered(events)
    memory = sink.run(run_id)
    if memory.started is None:
        raise RunFailed(
            "The journal holds no start of a run: there is nothing to compute a result from."
        )
    if memory.finished is None:
        raise RunFailed(
            f"The run {run_id} has not ended: `fathom resume {run_id.rpartition('-')[2]}` "
            "goes on with it."
        )
    return _record(run_id, memory, sink, memory.finished)


def record_now(sink: Sink, run_id: str, finished: RunFinished) -> RunRecord:
    """The record of a run that ends now. Raises RunFailed when it never began."""
    memory = sink.run(run_id)
    if memory.started is None:
        raise RunFailed(f"{finished.stop_detail or 'The run ended before it began'}.")
    return _record(run_id, memory, sink, finished)


def with_causes_told(record: RunRecord) -> RunRecord:
    """The record of a run that ends now, with why look-ups, probes and steps failed in its last
    event."""
    end = record.finished
    caveats = (*end.caveats, *_causes(record))
    return replace(record, finished=end.model_copy(update={"caveats": caveats}))


def _causes(record: RunRecord) -> Iterator[str]:
    """A sentence for each tier without evidence, for the unscored probes and for the steps that
    came to nothing."""
    for tier in dict.fromkeys(event.tier for event in record.failed):
        failures = [event.failure for event in record.failed if event.tier == tier]
        yield f"{tier.value}: look-ups failed, {causes_of(failures)}."
    outcomes = [probe.outcome for probe in record.probes]
    if unscored := [outcome for outcome in outcomes if isinstance(outcome, Unscored)]:
        yield f"Unscored probes: {causes_of(unscored)}."
    if failures := faults_of(record.items):
        yield f"Steps that failed: {causes_of(failures)}."


def ending(
    sink: Sink,
    run_id: str,
    now: datetime,
    status: Status,
    stop: Stop,
    caveats: Sequence[str] = (),
) -> RunFinished:
    """The last event of a run as far as it is known before its numbers are; one that came to
    nothing is not complete. `wall_s` adds up all sessions."""
    return RunFinished(
        run_id=run_id,
        status="failed" if stop["reason"] in SHORT else status,
        stop_reason=stop["reason"],
        stop_detail=stop["detail"],
        caveats=tuple(caveats),
        evd=None,
        evd_ci=None,
        cost_usd=None,
        wall_s=wall_s(sink.run(run_id), now),
    )


def wall_s(memory: RunMemory, now: datetime) -> float:
    """Seconds the run has taken, all sessions together, by its own clock."""
    return memory.earlier_s + (
        (now - memory.began_at).total_seconds() if memory.began_at else 0.0
    )


def _record(run_id: str, memory: RunMemory, sink: Sink, finished: RunFinished) -> RunRecord:
    assert memory.started is not None  # both callers refuse a run that never began
    return RunRecord(
        run_id=run_id,
        started=memory.started,
        resumed=tuple(memory.resumed),
        opened=memory.opened,
        closed=tuple(memory.closed[depth] for depth in sorted(memory.closed)),
        probes=tuple(sorted(sink.probes(run_id), key=lambda p: (p.depth, p.slot, p.round))),
        look_up_calls=tuple(memory.look_up_calls),
        failed=tuple(memory.failed.values()),
        items=tuple(sorted(sink.items(run_id), key=lambda item: (item.concept, item.id))),
        parts=tuple(memory.parts[index] for index in sorted(memory.parts)),
        reopened=frozenset(memory.reopened),
        finished=finished,
    )


LIBRARIES = (
    "langgraph",
    "langchain-openai",
    "aiohttp",
    "wikipedia-api",
    "tavily-python",
    "numpy",
    "scipy",
)
OWN_PROMPTS = "own-prompts: {} replaced by the user"
SIMULATED = "Simulated: these numbers describe the simulated world, no real model."


def with_numbers(end: RunFinished, result: Any) -> RunFinished:
    """The last event of a run that has a result; one without an EVD has none here either."""
    numbers = {name: getattr(result, name, None) for name in ("evd", "evd_ci", "cost_usd")}
    return end.model_copy(update=numbers)


def environment() -> dict[str, str]:
    """Versions of what shapes a result: Python and the libraries."""
    return {"python": platform.python_version(), **{name: _version(name) for name in LIBRARIES}}


def assembled(
    record: RunRecord,
    roles: Iterable[Role],
    calls: Iterable[Call] | None = None,
    deviations: tuple[str, Mapping[str, object]] | None = None,
    *,
    first: Iterable[str] = (),
    notes: Iterable[str] = (),
    last: Iterable[str] = (),
    **traced: Any,
) -> dict[str, Any]:
    """The fields that every result has, whatever its method, by name. `calls`: those of its items
    unless it has others; `deviations`: see `conformance`; `first`, `notes`, `last`: the method's
    own, before, between and behind those of all methods; `traced`: what else it was made with."""
    if calls is None:
        calls = (call for item in record.items for call in item.calls)
    calls, end, spec, started = list(calls), record.finished, record.spec, record.started
    answered = [call for call in calls if call.failure is None]
    libraries = dict(started.environment)
    usage = usage_by_role(calls)
    simulated = spec.simulated or any(call.model.startswith("sim-") for call in calls)
    badge = [SIMULATED] if simulated else []
    costs = [role.cost_usd for role in usage.values()]
    fields = {
        "run_id": record.run_id,
        "spec": spec,
        "simulated": simulated,
        "status": end.status,
        "stop_reason": end.stop_reason,
        "stop_detail": end.stop_detail,
        "usage": usage,
        "cost_usd": None if None in costs else sum((cost or 0.0 for cost in costs), 0.0),
        "wall_s": end.wall_s,
        "notes": (*first, *badge, *notes, *record.forced, *last, *end.caveats),
        "provenance": {
            "fathom": started.version,
            "python": libraries.pop("python", "unknown"),
            "libraries": libraries,
            "spec_digest": spec.digest,
            "prompts": started.prompts,
            "models": {
                role: sorted({call.model for call in answered if call.role == role})
                for role in roles
            },
            "format": FORMAT,
            **traced,
        },
    }
    return fields | ({"conformance": conformance(*deviations, spec)} if deviations else {})


@cache
def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "unknown"


def conformance(text: str, chosen: Mapping[str, object], spec: Any) -> tuple[str, ...]:
    """The paragraphs, each `name: sentence`, that hold for a run. `chosen`: name → what it depends
    on, which may stand in the sentence; one that is not there holds for every run."""
    by_name = {**chosen, "own-prompts": ", ".join(sorted(spec.prompts))}
    sentences = list[str]()
    for paragraph in (*text.split("\n\n"), OWN_PROMPTS):
        name = paragraph.partition(":")[0].strip()
        if value := by_name.get(name, True):
            sentences.append(" ".join(paragraph.split()).format(value, spec=spec))
    return tuple(sentences)


def stop_of(
    missing: int, words: str, faults: Sequence[Any], *, is_short: bool, nothing: str, whole: str
) -> Stop:
    """How a run ends that has asked all it could. `words`: that so many steps are `missing`;
    `is_short`: too many; `nothing`: why nothing came about, if so; `whole`: that all was asked."""
    detail = with_causes(words, faults) if missing else whole
    if is_short:
        return Stop(reason="infrastructure", detail=detail)
    if nothing:
        return Stop(reason="no_questions", detail=nothing)
    return Stop(reason="all_asked", detail=detail)


def reasoning_notes(answers: Iterable[Answer | None]) -> list[str]:
    """What has to be known of answers in whose text the model's reasoning stood as well."""
    count = sum(answer is not None and answer.thoughts for answer in answers)
    if not count:
        return []
    came = "1 answer came with its" if count == 1 else f"{count:,} answers came with their"
    return [f"{came} reasoning, which was cut off before anything was read or judged."]


def bounds_notes(bounds: Mapping[str, Interval | None], form: str) -> list[str]:
    """How far answers that the target lost could move a figure. `bounds`: by the figure's name;
    `form`: of a number."""
    spans = [
        f"{name} {form.format(ends[0])} to {form.format(ends[1])}"
        for name, ends in bounds.items()
        if ends is not None
    ]
    sentence = "If all answers that the target left out had been wrong, or all right"
    return [f"{sentence}: {'; '.join(spans)}."] if spans else []
