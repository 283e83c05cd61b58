"""Whole drills over real HTTP, for tests: specs of the simulated world, and results without what
may differ."""

from datetime import date
from typing import Any

from fathom.graphs.run.launch import Launch, LaunchOptions, RunReport
from fathom.sim.server import Timing
from fathom.state.result import DrillResult
from fathom.state.spec import DrillSpec, WorldSpec
from fathom.state.tiers import TIERS
from fathom.tools.models.clients import Limits

TODAY = date(2026, 11, 20)
PASSING = {
    "latency_s",
    "elapsed_s",
    "retrieved_at",
    "wall_s",
    "usage",
    "run_id",
    "attempts",
} | {
    "cached",
    "saved_usd",
    "request",
}
"""Fields that may differ between runs of one spec: run id, times and usage."""


def sim_spec(**changes: Any) -> DrillSpec:
    """A drill of the simulated student in the simulated world."""
    values: dict[str, Any] = {
        "domain": "Chemical elements",
        "target": "sim:student",
        "evaluator": "sim:evaluator",
        "judge": "sim:evaluator",
        "facts": dict.fromkeys(TIERS, ("sim",)),
        "as_of": TODAY,
        "world": WorldSpec(),
    }
    return DrillSpec.model_validate(values | changes)


async def drill(spec: DrillSpec, *, timing: Timing | None = None, **options: Any) -> RunReport:
    """One drill with a world of its own."""
    limits = options.pop("limits", Limits())
    launch = Launch([spec], LaunchOptions(limits=limits, timing=timing or Timing(), **options))
    (report,) = await launch.run()
    return report


def lasting(result: DrillResult) -> Any:
    """The result without what may differ between two runs of one spec."""
    short = result.run_id.rsplit("-", 1)[-1]
    text = (
        result.model_dump_json(by_alias=True)
        .replace(result.run_id, "RUN")
        .replace(f'"{short}/', '"RUN/')
    )
    import orjson

    return _without_passing(orjson.loads(text))


def _without_passing(value: Any) -> Any:
    if isinstance(value, dict):
        return {
            key: _without_passing(item) for key, item in value.items() if key not in PASSING
        }
    if isinstance(value, list):
        return [_without_passing(item) for item in value]
    return value
