"""`fathom plan`: what a launch would ask, cost and take. Nobody is asked anything."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from ..state.spec import DrillSpec, EqtSpec
from .drill import drill_command
from .eqt import eqt_command
from .plan_deepquestion import plan_deepquestion
from .plan_depthqa import plan_depthqa_app
from .planning import figures_of, spread_of, takes_the_options_of
from .show import print_json

if TYPE_CHECKING:  # heavy: the command line starts without them
    from ..graphs.eqt_estimate import EqtPlan
    from ..graphs.estimate import Plan
    from ..graphs.options import LaunchOptions
    from ..tools.models.priced import PriceList


plan_app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Estimate calls, cost and time of a launch, and which differences it could detect. Calls no model.",
)


def plan_drill(**given: Any) -> None:
    """Estimate calls, tokens, cost and time of a drill, with ranges. Takes the options of `fathom drill`."""
    from ..tools.models.priced import PriceList
    from .request import drill_request

    asked = drill_request(given)
    prices = PriceList.parse(asked.options.prices, asked.options.env)
    plan_specs(asked.specs, asked.options, prices, asked.options.runs, as_json=given["as_json"])


def plan_eqt(**given: Any) -> None:
    """Estimate calls, tokens, cost and time of an EQT, with ranges. Takes the options of `fathom eqt`."""
    from ..reports.sanitise import one_line
    from ..tools.models.priced import PriceList
    from .eqt_request import eqt_request

    asked = eqt_request(given)
    prices = PriceList.parse(asked.options.prices, asked.options.env)
    if asked.display != "none":
        for notice in asked.notices:
            typer.echo(one_line(notice), err=True)
    plan_eqt_specs(asked.specs, asked.options, prices, asked.options.runs, as_json=given["as_json"])


takes_the_options_of(drill_command, plan_drill)
takes_the_options_of(eqt_command, plan_eqt)
plan_app.command("drill", short_help="Plan a drill.")(plan_drill)
plan_app.command("eqt", short_help="Plan an Explain-Query-Test.")(plan_eqt)
plan_app.add_typer(plan_depthqa_app, name="depthqa", short_help="Plan DepthQA: the building or the asking of a graph.")
plan_app.command("deepquestion", short_help="Plan a DeepQuestion run.")(plan_deepquestion)


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


def plan_eqt_specs(
    specs: Sequence[EqtSpec],
    options: "LaunchOptions",
    prices: "PriceList",
    runs_dir: Path | None,
    *,
    as_json: bool = False,
) -> int:
    """Print the plan of Explain-Query-Tests to stdout, as `plan_specs` does that of drills."""
    from ..graphs.eqt_estimate import estimate_eqt
    from ..graphs.eqt_priors import read_eqt_priors
    from .options import models_of

    prices.require_named(name for spec in specs for name in models_of(spec))
    priors = read_eqt_priors(runs_dir) if runs_dir is not None else None
    plan = estimate_eqt(specs, prices, priors, limits=options.limits, timing=options.timing)
    if as_json:
        print_json(eqt_plan_document(specs, plan))
        return 0
    from ..reports.console import stdout_console
    from ..reports.eqt_plan import eqt_plan_report

    console = stdout_console()
    report = eqt_plan_report(
        specs, plan, width=console.width, budget_usd=options.budget_usd, max_calls=options.max_calls
    )
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
