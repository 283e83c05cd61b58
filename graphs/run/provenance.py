"""What a result says of where it comes from: programs, models, prompts, cost, simulation."""

import platform
from collections.abc import Collection, Iterable, Mapping
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from ...state.events import RunFinished
from ...state.records import Call, Role
from ...state.result import RoleUsage
from ...state.spec import Spec
from ...stats.usage import usage_by_role
from .record import RunRecord

LIBRARIES = ("langgraph", "langchain-openai", "openai", "aiohttp", "wikipedia-api", "tavily-python", "numpy", "scipy")
SIMULATED = "Simulated: these numbers describe the simulated world, no real model."


def with_numbers(ended: RunFinished, result: Any) -> RunFinished:
    """The last event of a run that has a result; one without an EVD has none here either."""
    numbers = {name: getattr(result, name, None) for name in ("evd", "evd_ci", "cost_usd")}
    return ended.model_copy(update=numbers)


def environment() -> dict[str, str]:
    """Versions of what shapes a result: Python and the libraries."""
    return {"python": platform.python_version(), **{name: _version(name) for name in LIBRARIES}}


def met_simulation(spec: Spec, calls: Iterable[Call]) -> bool:
    """Whether any part of the run was the simulated world, by name or by what the endpoint called itself."""
    return spec.simulated or any(call.model.startswith("sim-") for call in calls)


def envelope(record: RunRecord, calls: Collection[Call], *, simulated: bool | None = None) -> dict[str, Any]:
    """The fields that every result has, whatever its method, by name. `simulated`: where more than the calls tells."""
    ended, usage = record.finished, usage_by_role(calls)
    return {
        "run_id": record.run_id,
        "spec": record.spec,
        "simulated": met_simulation(record.spec, calls) if simulated is None else simulated,
        "status": ended.status,
        "stop_reason": ended.stop_reason,
        "stop_detail": ended.stop_detail,
        "usage": usage,
        "cost_usd": cost_of(usage),
        "wall_s": ended.wall_s,
    }


def cost_of(usage: Mapping[str, RoleUsage]) -> float | None:
    """Of all roles, in USD; None when the price of any call is unknown."""
    costs = [role.cost_usd for role in usage.values()]
    known = [cost for cost in costs if cost is not None]
    return sum(known, 0.0) if len(known) == len(costs) else None


def provenance_of(record: RunRecord, calls: Iterable[Call], roles: Iterable[Role]) -> dict[str, Any]:
    """With what a result was made, whatever its method."""
    started, libraries = record.started, dict(record.started.environment)
    answered = [call for call in calls if call.failure is None]
    return {
        "fathom": started.version,
        "python": libraries.pop("python", "unknown"),
        "libraries": libraries,
        "spec_digest": record.spec.digest,
        "prompts": started.prompts,
        "models": {role: sorted({call.model for call in answered if call.role == role}) for role in roles},
        **({"format": started.format} if started.format else {}),
    }


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "unknown"
