"""`fathom plan`: what drills would ask, cost and take. Nobody is asked anything."""

import inspect
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from ..state.spec import DrillSpec
from .drill import drill_command
from .show import print_json

if TYPE_CHECKING:  # heavy: the command line starts without them
    from ..graphs.estimate import Plan
    from ..graphs.options import LaunchOptions
    from ..graphs.spread import Spread
    from ..tools.models.priced import PriceList


plan_app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Say what a launch would ask, cost and take, and what it could tell apart. Asks nothing.",
)


def plan_drill(**given: Any) -> None:
    """Plan a drill: calls, tokens, money and time expected, with ranges. Takes the options of `fathom drill`."""
    from ..tools.models.priced import PriceList
    from .request import drill_request

    asked = drill_request(given)
    prices = PriceList.parse(asked.options.prices, asked.options.env)
    plan_specs(asked.specs, asked.options, prices, asked.options.runs, as_json=given["as_json"])


# the planned command takes exactly what the real one takes
plan_drill.__signature__ = inspect.signature(drill_command)  # type: ignore[attr-defined]  # what inspect looks for first
plan_drill.__annotations__ = drill_command.__annotations__
plan_app.command("drill", short_help="Plan a drill.")(plan_drill)


def plan_specs(
    specs: Sequence[DrillSpec],
    options: "LaunchOptions",
    prices: "PriceList",
    runs_dir: Path | None,
    *,
    as_json: bool = False,
) -> int:
    """Print the plan of a launch to stdout, as a report or as one JSON document; past runs in `runs_dir` sharpen it.

    Returns the exit code, 0. Raises UsageError for a price given to a model that takes no part.
    """
    from ..graphs.estimate import estimate
    from ..graphs.priors import read_priors

    prices.require_named(name for spec in specs for name in (spec.target, spec.evaluator, spec.judge))
    priors = read_priors(runs_dir) if runs_dir is not None else None
    plan = estimate(specs, priors, prices, limits=options.limits, timing=options.timing)
    if as_json:
        print_json(plan_document(specs, plan))
        return 0
    from ..reports.console import stdout_console
    from ..reports.plan import plan_report

    console = stdout_console()
    report = plan_report(specs, plan, width=console.width, budget_usd=options.budget_usd, max_calls=options.max_calls)
    console.print(report, crop=False)
    return 0


def plan_document(specs: Sequence[DrillSpec], plan: "Plan") -> dict[str, Any]:
    """The plan as JSON: each figure as {low, expected, high}, an unknown price as null."""
    made = plan.separation
    return {
        "method": "plan",
        "simulated": plan.simulated,
        "drills": [
            {"domain": spec.domain, "target": spec.target, "repeat": spec.repeat, "digest": spec.digest}
            for spec in specs
        ],
        "depths": _spread(plan.depths),
        "calls": _spread(plan.calls),
        "input_tokens": _spread(plan.input_tokens),
        "output_tokens": _spread(plan.output_tokens),
        "cost_usd": _spread(plan.usd),
        "known_cost_usd": _spread(plan.known_usd),
        "unknown_prices": list(plan.unknown),
        "wall_s": _spread(plan.wall_s),
        "roles": [
            {
                "role": role.role,
                "model": role.model,
                "calls": _spread(role.calls),
                "input_tokens": _spread(role.input_tokens),
                "output_tokens": _spread(role.output_tokens),
                "cost_usd": _spread(role.usd),
            }
            for role in plan.roles
        ],
        "basis": {
            "past_runs": plan.past_runs,
            "match": list(plan.match),
            "unreadable": plan.unreadable,
            "evd_sd": plan.sd_from,
        },
        "separation": None
        if made is None
        else {
            "evd_sd": made.sd,
            "repeats": made.repeats,
            "smallest_difference": made.smallest,
            "power": {f"{difference:g}": chance for difference, chance in made.power.items()},
            "repeats_needed": {f"{difference:g}": needed for difference, needed in made.needed.items()},
        },
    }


def _spread(value: "Spread | None") -> dict[str, float] | None:
    return None if value is None else {"low": value.low, "expected": value.mid, "high": value.high}
