"""A plan as one JSON document: each figure as {low, expected, high, nine_in_ten}, an unknown price as
null."""

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
    of_runs = ("domain", "target", "repeat", "digest")
    document = {
        "method": "plan",
        "simulated": plan.simulated,
        "runs": [{name: getattr(spec, name, None) for name in of_runs} for spec in plan.specs],
        **_figures(plan.all),
        "unknown_prices": plan.unknown,
        "wall_s": spread_of(plan.wall_s),
        "roles": [
            {"role": role.role, "model": role.model, **_figures(role)} for role in plan.roles
        ],
        "calls_by_prompt": {name: spread_of(calls) for name, calls in plan.by_purpose.items()},
        "basis": {
            "past_runs": len(set().union(*plan.behind.values())),
            "past_runs_of": {model: len(runs) for model, runs in plan.behind.items()},
            "unreadable": plan.past.unreadable,
            "repeated_calls": plan.repeated,
        },
    }
    if plan.specs[0].method == "drill":
        separation, spread = separation_of(plan.specs, plan.past.runs)
        document["depths"] = spread_of(plan.parts.plus(fixed(-1.0)))
        document["basis"]["evd_sd"] = spread
        document["separation"] = separation and {
            "evd_sd": separation.sd,
            "repeats": separation.repeats,
            "smallest_difference": separation.smallest,
            "power": {f"{size:g}": chance for size, chance in separation.power.items()},
            "repeats_needed": {f"{size:g}": n for size, n in separation.needed.items()},
        }
    return document | ({"topics": [asdict(tier) for tier in cover]} if cover else {})


def _figures(role: RolePlan) -> dict[str, Any]:
    return {
        "calls": spread_of(role.calls),
        "input_tokens": spread_of(role.input_tokens),
        "output_tokens": spread_of(role.output_tokens),
        "cost_usd": spread_of(role.usd),
    }


def spread_of(value: Spread | None) -> dict[str, float] | None:
    """A figure as {low, expected, high, nine_in_ten}; null when it is unknown."""
    if value is None:
        return None
    ends = {"low": value.low, "expected": value.mid, "high": value.high}
    return ends | {"nine_in_ten": value.level()}
