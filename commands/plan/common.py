"""What `fathom plan` does alike for every method: it takes the real command's options, and writes figures as JSON."""

import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # heavy: the command line starts without them
    from ...graphs.drill.estimate import Plan, RolePlan
    from ...graphs.run.loads import LaunchPlan
    from ...graphs.run.spread import Spread


def takes_the_options_of(real: Callable[..., None], planned: Callable[..., None]) -> None:
    """The planned command takes exactly what the real one takes."""
    planned.__signature__ = inspect.signature(real)  # type: ignore[attr-defined]  # what inspect looks for first
    planned.__annotations__ = real.__annotations__


def figures_of(plan: "Plan | LaunchPlan") -> dict[str, Any]:
    """Calls, tokens, money and time, in all and by role."""
    return {
        "calls": spread_of(plan.calls),
        "input_tokens": spread_of(plan.input_tokens),
        "output_tokens": spread_of(plan.output_tokens),
        "cost_usd": spread_of(plan.usd),
        "known_cost_usd": spread_of(plan.known_usd),
        "unknown_prices": list(plan.unknown),
        "wall_s": spread_of(plan.wall_s),
        "roles": [_role(role) for role in plan.roles],
    }


def _role(role: "RolePlan") -> dict[str, Any]:
    return {
        "role": role.role,
        "model": role.model,
        "calls": spread_of(role.calls),
        "input_tokens": spread_of(role.input_tokens),
        "output_tokens": spread_of(role.output_tokens),
        "cost_usd": spread_of(role.usd),
    }


def spread_of(value: "Spread | None") -> dict[str, float] | None:
    """A figure as {low, expected, high}; null when it is unknown."""
    return None if value is None else {"low": value.low, "expected": value.mid, "high": value.high}
