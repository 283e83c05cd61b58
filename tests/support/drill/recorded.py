"""The recorded drill as one of another id, domain or target."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from fathom.state.events import EVENT, Event
from fathom.state.result import DrillResult, StopReason
from fathom.state.spec import DrillSpec

from ...contracts.recordings import recordings
from ..reports import changed, read_result


@dataclass(frozen=True)
class Plan:
    """What differs from the recording."""

    run_id: str = "20261120T120000-drill-chemical-elements-sim-student-7f3a9c01"
    domain: str = "Chemical elements"
    target: str = "sim:student"
    simulated: bool = True
    stop_reason: StopReason = "threshold"
    kind: str = "complete"
    """Of recording."""


@lru_cache(64)
def _file(plan: Plan, name: str) -> str:
    recording = recordings("drill")[plan.kind]
    text = recording.files[name].replace(recording.name, plan.run_id)
    text = text.replace(f'"{recording.short}/', f'"{plan.run_id}/')
    return text if plan.simulated else text.replace('"sim-', '"gpt-')


def spec_of(plan: Plan) -> DrillSpec:
    return result_of(plan).spec


def events_of(plan: Plan) -> list[Event]:
    """The journal, and the end as the plan has it."""
    events = [EVENT.validate_json(line) for line in _file(plan, "events.jsonl").splitlines()]
    spec = spec_of(plan)
    began = changed(events[0], spec=spec, spec_digest=spec.digest, simulated=plan.simulated)
    return [began, *events[1:-1], changed(events[-1], stop_reason=plan.stop_reason)]


def result_of(plan: Plan) -> DrillResult:
    about: dict[str, Any] = {
        "spec__domain": plan.domain,
        "spec__target": plan.target,
        "simulated": plan.simulated,
    }
    about |= {} if plan.simulated else {"spec__world": None}
    about |= {
        "stop_reason": plan.stop_reason,
        "censored": None if plan.stop_reason == "threshold" else plan.stop_reason,
    }
    made: DrillResult = changed(read_result(_file(plan, "result.json")), **about)
    return made
