"""A plan as one JSON document: each figure as {low, expected, high}, an unknown price as null."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from ...graphs.drill.depths import separation_of
from ...graphs.run.plan import Plan, RolePlan
from ...graphs.run.spread import Spread, fixed
from ...tools.facts.coverage import Coverage


def document_of(plan: Plan, cover: Sequence[Coverage] = ()) -> dict[str, Any]:
    """Calls, tokens, money and time, in all, by role and by prompt; of drills also how deep they go and what
    they tell apart."""
    of_drills = _drill(plan) if plan.specs[0].method == "drill" else {}
    if cover:
        of_drills["topics"] = [asdict(tier) for tier in cover]
    basis = {
        "past_runs": len(set().union(*plan.behind.values())),
        "past_runs_of": {model: len(runs) for model, runs in plan.behind.items()},
        "unreadable": plan.past.unreadable,
        "shared_runs": sum(run.shares for run in plan.runs),
        "repeated_calls": sum(run.repeated for run in plan.runs),
    }
    return {
        "method": "plan",
        "simulated": plan.simulated,
        "runs": [_run(spec) for spec in plan.specs],
        **of_drills,
        **_figures(plan),
        "known_cost_usd": spread_of(plan.known_usd),
        "unknown_prices": plan.unknown,
        "wall_s": spread_of(plan.wall_s),
        "roles": [
            {"role": role.role, "model": role.model, **_figures(role)} for role in plan.roles
        ],
        "calls_by_prompt": {
            purpose: spread_of(calls) for purpose, calls in plan.by_purpose.items()
        },
        "basis": basis | of_drills.get("basis", {}),
    }


def _figures(plan: Plan | RolePlan) -> dict[str, Any]:
    names = {"calls": "calls", "input_tokens": "input_tokens", "output_tokens": "output_tokens"}
    names["cost_usd"] = "usd"
    return {name: spread_of(getattr(plan, field)) for name, field in names.items()}


def spread_of(value: Spread | None) -> dict[str, float] | None:
    """A figure as {low, expected, high}; null when it is unknown."""
    if value is None:
        return None
    return {"low": value.low, "expected": value.mid, "high": value.high}


def _run(spec: Any) -> dict[str, Any]:
    return {name: getattr(spec, name, None) for name in ("domain", "target", "repeat", "digest")}


def _drill(plan: Plan) -> dict[str, Any]:
    separation, spread = separation_of(plan.specs, plan.past.runs)
    document: dict[str, Any] = {
        "depths": spread_of(plan.parts.plus(fixed(-1.0))),
        "basis": {"evd_sd": spread},
        "separation": None,
    }
    if separation is not None:
        power = {f"{difference:g}": chance for difference, chance in separation.power.items()}
        needed = {f"{difference:g}": repeats for difference, repeats in separation.needed.items()}
        document["separation"] = {
            "evd_sd": separation.sd,
            "repeats": separation.repeats,
            "smallest_difference": separation.smallest,
            "power": power,
            "repeats_needed": needed,
        }
    return document
