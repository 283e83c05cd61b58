"""The result of a drill, from what its sink holds. Pure but for reading the clock once."""

import platform
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Literal

from .. import __version__
from ..state.channels import Stop
from ..state.errors import RunFailed
from ..state.events import RunFinished
from ..state.records import Call, Probe
from ..state.result import DrillResult
from ..state.spec import DrillSpec
from ..stats.summary import summarise_numbers
from .conformance import conformance
from .deps import DrillDeps

Status = Literal["complete", "failed", "interrupted"]
LIBRARIES = ("langgraph", "langchain-openai", "openai", "aiohttp", "wikipedia-api", "tavily-python", "numpy", "scipy")
BETWEEN_DOMAINS = (
    "EVD compares models within one domain; between domains it also measures how deep the sources and questions go."
)
SIMULATED = "Simulated: these numbers describe the simulated world, no real model."


def build_result(deps: DrillDeps, spec: DrillSpec, run_id: str, status: Status, stop: Stop) -> DrillResult:
    """The result over all closed depths. Raises RunFailed when no depth was closed: there is nothing to report."""
    memory = deps.sink.run(run_id)
    closed = [memory.closed[depth] for depth in sorted(memory.closed)]
    if not closed:
        raise RunFailed(f"The drill of {spec.domain!r} ended before its first depth: {stop['detail']}.")
    rows = [event.row for event in closed]
    excluded = {key: reason for event in closed for key, reason in event.excluded.items()}
    probes = [
        probe.model_copy(update={"excluded": excluded[probe.id]}) if probe.id in excluded else probe
        for probe in sorted(deps.sink.probes(run_id), key=lambda p: (p.depth, p.slot, p.round))
    ]
    opened = memory.opened
    opening_calls = opened.calls if opened else ()
    numbers = summarise_numbers(rows, probes, spec, stop["reason"], opening_calls)
    calls = [*opening_calls, *(call for probe in probes for call in probe.calls)]
    simulated = spec.simulated or any(call.model.startswith("sim-") for call in calls)
    return DrillResult(
        run_id=run_id,
        spec=spec,
        simulated=simulated,
        status=status,
        stop_reason=stop["reason"],
        stop_detail=stop["detail"],
        censored=None if stop["reason"] == "threshold" else stop["reason"],
        depths=tuple(rows),
        aspects=opened.aspects if opened else (),
        probes=tuple(probes),
        wall_s=wall_s(deps, run_id),
        conformance=conformance(spec),
        notes=(*_notes(spec, simulated, probes), *_caveats(deps)),
        provenance=_provenance(deps, spec, calls),
        **numbers.fields(),
    )


def finished(result: DrillResult) -> RunFinished:
    """The last event of a run that has a result."""
    return RunFinished(
        run_id=result.run_id,
        status=result.status,
        stop_reason=result.stop_reason,
        evd=result.evd,
        evd_ci=result.evd_ci,
        cost_usd=result.cost_usd,
        wall_s=result.wall_s,
    )


def wall_s(deps: DrillDeps, run_id: str) -> float:
    """Seconds since the run began, by its own clock."""
    started = deps.sink.run(run_id).started_at
    return (deps.clock.now() - started).total_seconds() if started else 0.0


def _notes(spec: DrillSpec, simulated: bool, probes: list[Probe]) -> tuple[str, ...]:
    notes = [BETWEEN_DOMAINS]
    if simulated:
        notes.insert(0, SIMULATED)
    if any("tavily" in name for names in spec.facts.values() for name in names):
        notes.append("The cost is that of model calls; Tavily bills searches apart, about one per concept looked up.")
    if spec.evaluator == spec.target or spec.judge == spec.target:
        notes.append("The target also wrote or judged its own questions; its numbers may flatter it.")
    lost = sum(probe.outcome.status == "unscored" for probe in probes)
    if lost:
        notes.append(f"{lost} probes could not be scored and count neither for nor against the model.")
    return tuple(notes)


def _caveats(deps: DrillDeps) -> tuple[str, ...]:
    """What a model's client could not send as asked, such as a seed."""
    chats = {chat.name: chat for chat in (deps.target, deps.evaluator, deps.judge)}
    return tuple(f"{name}: {caveat}." for name, chat in chats.items() for caveat in getattr(chat, "caveats", ()))


def _provenance(deps: DrillDeps, spec: DrillSpec, calls: list[Call]) -> dict[str, Any]:
    return {
        "fathom": __version__,
        "python": platform.python_version(),
        "libraries": {name: _version(name) for name in LIBRARIES},
        "spec_digest": spec.digest,
        "prompts": {name: prompt.digest for name, prompt in sorted(deps.prompts.items())},
        "models": {
            role: sorted({call.model for call in calls if call.role == role and call.failure is None})
            for role in ("target", "evaluator", "judge")
        },
        "sources": {tier.value: list(names) for tier, names in spec.facts.items()},
    }


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "unknown"
