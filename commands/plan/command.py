"""`fathom plan`: what a launch would ask, cost and take. Nobody is asked anything."""

import inspect
from collections.abc import Callable
from typing import Any

import typer

from ..deepquestion.command import deepquestion_command
from ..depthqa.command import ask_command, build_command
from ..drill.command import drill_command
from ..eqt.command import eqt_command


def plan_drill(**given: Any) -> None:
    """Estimate calls, tokens, cost and time of a drill, with ranges. Takes the options of `fathom drill`."""
    from ..drill.request import drill_request

    _plan(drill_request(given), given)


def plan_eqt(**given: Any) -> None:
    """Estimate calls, tokens, cost and time of an EQT, with ranges. Takes the options of `fathom eqt`."""
    from ..eqt.request import eqt_request

    _plan(eqt_request(given), given)


def plan_ask(**given: Any) -> None:
    """Plan the asking of a graph: calls, tokens, money, time, with ranges. Takes the options of the real command.

    The calls are exact by the protocol; with given answers only the judge's count.
    """
    from ..depthqa.request import ask_request

    request = ask_request(given)
    _plan(request, given, material=request.material)


def plan_build(**given: Any) -> None:
    """Plan the building of a graph: calls, tokens, money, time, with ranges. Takes the options of the real command.

    How many questions one is taken apart into is the evaluator's to say, so the ranges are wide. Embeddings are not
    counted.
    """
    from ..depthqa.build_request import build_request

    _plan(build_request(given), given)


def plan_deepquestion(**given: Any) -> None:
    """Plan a DeepQuestion: calls, tokens, money and time, with ranges. Takes the options of `fathom deepquestion`.

    How many drafts a prompt takes and what passes the checks is not known beforehand, so the ranges are wide; with
    --from only what the target is asked counts, and what is said of its answers.
    """
    from ..deepquestion.request import deepquestion_request

    request = deepquestion_request(given)
    _plan(request, given, material=request.problems)


def _plan(request: Any, given: dict[str, Any], *, material: object = None) -> None:
    """Print the plan of a checked request to stdout, as a report or as one JSON document; past runs sharpen it.

    Raises UsageError for a price given to a model that takes no part.
    """
    from ...graphs.method import METHODS
    from ...graphs.run.past import read_past
    from ...graphs.run.plan import plan_of
    from ...tools.models.pricing import PriceList
    from ..launch import tell
    from ..streams import print_json
    from .document import document_of

    options = request.options
    specs = request.specs if hasattr(request, "specs") else [request.spec]
    prices = PriceList.parse(options.prices, options.env)
    tell(request.notices, request.display)
    asked = [model for spec in specs for model in spec.asked]
    prices.require_named(asked)
    calls, past = METHODS[specs[0].method].calls, read_past(options.runs, asked)
    plan = plan_of(calls, specs, prices, past, material=material, limits=options.limits, timing=options.timing)
    if given["as_json"]:
        print_json(document_of(plan))
        return
    from ...reports.page.console import stdout_console
    from ...reports.page.plan import plan_blocks
    from ...reports.page.terminal import rendered
    from ...reports.views.planned import closing_of, lines_of

    console = stdout_console()
    limits = {"budget_usd": options.budget_usd, "max_calls": options.max_calls}
    blocks = plan_blocks(plan, lines_of(plan), closing_of(plan), **limits)
    console.print(rendered(blocks, console.width), crop=False)


def _takes_the_options_of(real: Callable[..., None], planned: Callable[..., None]) -> None:
    """The planned command takes exactly what the real one takes."""
    planned.__signature__ = inspect.signature(real)  # type: ignore[attr-defined]  # what inspect looks for first
    planned.__annotations__ = real.__annotations__


for real, planned in (
    (drill_command, plan_drill),
    (eqt_command, plan_eqt),
    (build_command, plan_build),
    (ask_command, plan_ask),
    (deepquestion_command, plan_deepquestion),
):
    _takes_the_options_of(real, planned)

plan_app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Estimate calls, cost and time of a launch, and which differences it could detect. Calls no model.",
)
plan_depthqa_app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Say what building or asking a question graph would ask, cost and take. Asks nothing.",
)
plan_app.command("drill", short_help="Plan a drill.")(plan_drill)
plan_app.command("eqt", short_help="Plan an Explain-Query-Test.")(plan_eqt)
plan_app.add_typer(plan_depthqa_app, name="depthqa", short_help="Plan DepthQA: the building or the asking of a graph.")
plan_app.command("deepquestion", short_help="Plan a DeepQuestion run.")(plan_deepquestion)
plan_depthqa_app.command("build", short_help="Plan the building of a graph.")(plan_build)
plan_depthqa_app.command("ask", short_help="Plan the asking of a graph.")(plan_ask)
