"""`fathom plan depthqa`: what building or asking a question graph would ask, cost and take. Nobody is asked."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from ...state.depthqa.items import Material
from ...state.spec import DepthQABuildSpec, DepthQASpec
from ..depthqa.command import ask_command, build_command
from ..streams import print_json
from .common import figures_of, takes_the_options_of

if TYPE_CHECKING:  # heavy: the command line starts without them
    from rich.console import RenderableType

    from ...graphs.depthqa.estimate import DepthQAPlan
    from ...graphs.run.options import LaunchOptions
    from ...tools.models.priced import PriceList


plan_depthqa_app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Say what building or asking a question graph would ask, cost and take. Asks nothing.",
)


def plan_ask(**given: Any) -> None:
    """Plan the asking of a graph: calls, tokens, money, time, with ranges. Takes the options of the real command.

    The calls are exact by the protocol; with given answers only the judge's count.
    """
    from ...tools.models.priced import PriceList
    from ..depthqa.request import ask_request
    from ..launch import tell

    asked = ask_request(given)
    prices = PriceList.parse(asked.options.prices, asked.options.env)
    tell(asked.notices, asked.display)
    plan_asks(asked.specs, asked.material, asked.options, prices, asked.options.runs, as_json=given["as_json"])


def plan_build(**given: Any) -> None:
    """Plan the building of a graph: calls, tokens, money, time, with ranges. Takes the options of the real command.

    How many questions one is taken apart into is the evaluator's to say, so the ranges are wide. Embeddings are not
    counted.
    """
    from ...tools.models.priced import PriceList
    from ..depthqa.build_request import build_request
    from ..launch import tell

    asked = build_request(given)
    prices = PriceList.parse(asked.options.prices, asked.options.env)
    tell(asked.notices, asked.display)
    plan_builds(asked.spec, asked.options, prices, asked.options.runs, as_json=given["as_json"])


takes_the_options_of(ask_command, plan_ask)
takes_the_options_of(build_command, plan_build)
plan_depthqa_app.command("build", short_help="Plan the building of a graph.")(plan_build)
plan_depthqa_app.command("ask", short_help="Plan the asking of a graph.")(plan_ask)


def plan_asks(
    specs: Sequence[DepthQASpec],
    material: Material,
    options: "LaunchOptions",
    prices: "PriceList",
    runs_dir: Path | None,
    *,
    as_json: bool = False,
) -> int:
    """Print the plan of asking one graph to stdout, as a report or as one JSON document; past runs in `runs_dir`
    sharpen it.

    Returns the exit code, 0. Raises UsageError for a price given to a model that takes no part.
    """
    from ...graphs.depthqa.estimate import estimate_ask
    from ...graphs.depthqa.past import read_depthqa_priors

    prices.require_named(name for spec in specs for name in spec.asked)
    priors = read_depthqa_priors(runs_dir, "depthqa") if runs_dir is not None else None
    plan = estimate_ask(specs, material, prices, priors, limits=options.limits, timing=options.timing)
    if as_json:
        print_json(ask_plan_document(specs, material, plan))
        return 0
    from ...reports.views.depthqa.plan import ask_plan_report

    budget, most = options.budget_usd, options.max_calls
    return _show(lambda width: ask_plan_report(specs, material, plan, width=width, budget_usd=budget, max_calls=most))


def plan_builds(
    spec: DepthQABuildSpec,
    options: "LaunchOptions",
    prices: "PriceList",
    runs_dir: Path | None,
    *,
    as_json: bool = False,
) -> int:
    """Print the plan of building one graph to stdout, as `plan_asks` does that of asking one."""
    from ...graphs.depthqa.estimate import estimate_build
    from ...graphs.depthqa.past import read_depthqa_priors

    prices.require_named(spec.asked)
    priors = read_depthqa_priors(runs_dir, "depthqa_build") if runs_dir is not None else None
    plan = estimate_build(spec, prices, priors, limits=options.limits, timing=options.timing)
    if as_json:
        print_json(build_plan_document(spec, plan))
        return 0
    from ...reports.views.depthqa.plan import build_plan_report

    budget, most = options.budget_usd, options.max_calls
    return _show(lambda width: build_plan_report(spec, plan, width=width, budget_usd=budget, max_calls=most))


def _show(report: Callable[[int], "RenderableType"]) -> int:
    from ...reports.page.console import stdout_console

    console = stdout_console()
    console.print(report(console.width), crop=False)
    return 0


def ask_plan_document(specs: Sequence[DepthQASpec], material: Material, plan: "DepthQAPlan") -> dict[str, Any]:
    """The plan of asking as JSON: each figure as {low, expected, high}, an unknown price as null."""
    graph = material.graph
    return {
        "method": "plan",
        "simulated": plan.simulated,
        "runs": [
            {name: getattr(spec, name) for name in ("target", "judge", "modes", "digest", "simulated")}
            for spec in specs
        ],
        "graph": {
            "name": specs[0].graph,
            "trees": len(graph.trees),
            "nodes": len(graph.nodes),
            "questions": len(graph.holders),
        },
        "protocol": {
            mode: {"answers": answers, "ratings": ratings} for mode, (answers, ratings) in plan.by_mode.items()
        },
        **figures_of(plan),
        "basis": _basis(plan) | {"repeated_calls": plan.repeats},
    }


def build_plan_document(spec: DepthQABuildSpec, plan: "DepthQAPlan") -> dict[str, Any]:
    """The plan of building as JSON, likewise."""
    named = ("name", "evaluator", "similarity", "width", "classify", "check", "digest", "simulated")
    return {
        "method": "plan",
        "simulated": plan.simulated,
        "build": {name: getattr(spec, name) for name in named} | {"questions": len(spec.questions)},
        **figures_of(plan),
        "basis": _basis(plan),
    }


def _basis(plan: "DepthQAPlan") -> dict[str, Any]:
    return {"past_runs": plan.past_runs, "past_runs_of": dict(plan.learnt), "unreadable": plan.unreadable}
