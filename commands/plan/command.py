"""`fathom plan`: what a launch would ask, cost and take. Nobody is asked anything."""

import typer

from .deepquestion import plan_deepquestion
from .depthqa import plan_depthqa_app
from .drill import plan_drill
from .eqt import plan_eqt

plan_app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Estimate calls, cost and time of a launch, and which differences it could detect. Calls no model.",
)
plan_app.command("drill", short_help="Plan a drill.")(plan_drill)
plan_app.command("eqt", short_help="Plan an Explain-Query-Test.")(plan_eqt)
plan_app.add_typer(plan_depthqa_app, name="depthqa", short_help="Plan DepthQA: the building or the asking of a graph.")
plan_app.command("deepquestion", short_help="Plan a DeepQuestion run.")(plan_deepquestion)
