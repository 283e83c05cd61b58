"""`fathom plan drill`: what drills would ask, cost and take. Nobody is asked anything."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...state.spec import DrillSpec
from ..drill.command import drill_command
from ..streams import print_json
from .common import figures_of, spread_of, takes_the_options_of

if TYPE_CHECKING:  # heavy: the command line starts without them
    from ...graphs.drill.estimate import Plan
    from ...graphs.run.options import LaunchOptions
    from ...tools.models.priced import PriceList


def plan_drill(**given: Any) -> None:
    """Estimate calls, tokens, cost and time of a drill, with ranges. Takes the options of `fathom drill`."""
    from ...tools.models.priced import PriceList
    from ..drill.request import drill_request

    asked = drill_request(given)
    prices = PriceList.parse(asked.options.prices, asked.options.env)
    plan_specs(asked.specs, asked.options, prices, asked.options.runs, as_json=given["as_json"])


takes_the_options_of(drill_command, plan_drill)


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
    from ...graphs.drill.estimate import estimate
    from ...graphs.drill.priors import read_priors

    prices.require_named(name for spec in specs for name in (spec.target, spec.evaluator, spec.judge))
    priors = read_priors(runs_dir) if runs_dir is not None else None
    plan = estimate(specs, priors, prices, limits=options.limits, timing=options.timing)
    if as_json:
        print_json(plan_document(specs, plan))
        return 0
    from ...reports.page.console import stdout_console
    from ...reports.views.drill.plan import plan_report

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
        "depths": spread_of(plan.depths),
        **figures_of(plan),
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
