"""`fathom plan eqt`: what Explain-Query-Tests would ask, cost and take. Nobody is asked anything."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from ...state.spec import EqtSpec
from ..eqt.command import eqt_command
from ..streams import print_json
from .common import figures_of, takes_the_options_of

if TYPE_CHECKING:  # heavy: the command line starts without them
    from ...graphs.eqt.estimate import EqtPlan
    from ...graphs.run.options import LaunchOptions
    from ...tools.models.priced import PriceList


def plan_eqt(**given: Any) -> None:
    """Estimate calls, tokens, cost and time of an EQT, with ranges. Takes the options of `fathom eqt`."""
    from ...reports.page.sanitise import one_line
    from ...tools.models.priced import PriceList
    from ..eqt.request import eqt_request

    asked = eqt_request(given)
    prices = PriceList.parse(asked.options.prices, asked.options.env)
    if asked.display != "none":
        for notice in asked.notices:
            typer.echo(one_line(notice), err=True)
    plan_eqt_specs(asked.specs, asked.options, prices, asked.options.runs, as_json=given["as_json"])


takes_the_options_of(eqt_command, plan_eqt)


def plan_eqt_specs(
    specs: Sequence[EqtSpec],
    options: "LaunchOptions",
    prices: "PriceList",
    runs_dir: Path | None,
    *,
    as_json: bool = False,
) -> int:
    """Print the plan of Explain-Query-Tests to stdout, as `plan_specs` does that of drills."""
    from ...graphs.eqt.estimate import estimate_eqt
    from ...graphs.eqt.priors import read_eqt_priors

    prices.require_named(name for spec in specs for name in spec.asked)
    priors = read_eqt_priors(runs_dir) if runs_dir is not None else None
    plan = estimate_eqt(specs, prices, priors, limits=options.limits, timing=options.timing)
    if as_json:
        print_json(eqt_plan_document(specs, plan))
        return 0
    from ...reports.page.console import stdout_console
    from ...reports.views.eqt.plan import eqt_plan_report

    console = stdout_console()
    report = eqt_plan_report(
        specs, plan, width=console.width, budget_usd=options.budget_usd, max_calls=options.max_calls
    )
    console.print(report, crop=False)
    return 0


def eqt_plan_document(specs: Sequence[EqtSpec], plan: "EqtPlan") -> dict[str, Any]:
    """The plan as JSON: each figure as {low, expected, high}, an unknown price as null."""
    named = ("target", "examiner", "judge", "digest")
    return {
        "method": "plan",
        "simulated": plan.simulated,
        "runs": [
            {name: getattr(spec, name) for name in named}
            | {"concepts": len(spec.concepts), "simulated": spec.simulated}
            for spec in specs
        ],
        **figures_of(plan),
        "basis": {
            "past_runs": plan.past_runs,
            "past_runs_of": dict(plan.learnt),
            "unreadable": plan.unreadable,
            "shared_runs": plan.shared,
        },
    }
