"""The command line: assembles the commands and turns errors into one sentence and an exit code."""

import sys
import traceback
from functools import cache, partial
from pathlib import Path
from typing import Annotated

import typer
from typer.main import get_command

from . import __version__
from .commands.cache import cache_app
from .commands.deepquestion.command import EPILOG as DEEPQUESTION_EPILOG
from .commands.deepquestion.command import deepquestion_command
from .commands.depthqa.command import depthqa_app
from .commands.doctor import doctor_command
from .commands.drill.command import EPILOG, demo_command, drill_command
from .commands.eqt.command import EPILOG as EQT_EPILOG
from .commands.eqt.command import eqt_command
from .commands.freeze import freeze_command
from .commands.list_runs import list_command
from .commands.plan.command import plan_app
from .commands.profile import EPILOG as PROFILE_EPILOG
from .commands.profile import profile_command
from .commands.replay.command import EPILOG as REPLAY_EPILOG
from .commands.replay.command import replay_command
from .commands.resume import resume_command
from .commands.schema import schema_command
from .commands.show import show_command
from .commands.sim import sim_command
from .commands.streams import abandon, complete
from .state.errors import FathomError, UsageError

DEBUG = "--debug"

app = typer.Typer(
    name="fathom",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("drill", short_help="Drill domains with models; report how deep their knowledge goes.", epilog=EPILOG)(
    drill_command
)
app.command(
    "eqt", short_help="Explain-Query-Test: can a model answer questions about its own explanations?", epilog=EQT_EPILOG
)(eqt_command)
app.add_typer(depthqa_app, name="depthqa", short_help="DepthQA: does the model know what its deep answers rest on?")
app.command(
    "deepquestion",
    short_help="DeepQuestion: can the model still solve a problem once it is put in a scenario?",
    epilog=DEEPQUESTION_EPILOG,
)(deepquestion_command)
app.command("demo", short_help="Drill a simulated student: no keys, no network, no cost.")(demo_command)
app.command("resume", short_help="Resume an interrupted run or launch.")(resume_command)
app.command("freeze", short_help="Freeze a finished run in one file.")(freeze_command)
app.command("replay", short_help="Recompute a result, or put its questions to other models.", epilog=REPLAY_EPILOG)(
    replay_command
)
app.add_typer(plan_app, name="plan", short_help="Estimate calls, cost and time of a launch; calls no model.")
app.command("show", short_help="Show a run, or one line of questioning.")(show_command)
app.command("list", short_help="List the runs so far.")(list_command)
app.command("profile", short_help="One profile per model from runs of all methods.", epilog=PROFILE_EPILOG)(
    profile_command
)
app.add_typer(cache_app, name="cache", short_help="The cache of replies and look-ups: info, clear, prune.")
app.command("doctor", short_help="Check keys, endpoints, sources and disk; calls no model.")(doctor_command)
app.command("sim", short_help="Serve the simulated world to other programs.")(sim_command)
app.command("schema", short_help="Print the JSON schema of a result.")(schema_command)


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"fathom {__version__}")
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
    debug: Annotated[bool, typer.Option(DEBUG, help="Show the traceback of an error; accepted anywhere.")] = False,
) -> None:
    """Measure how deep a language model's knowledge goes, in any domain, and how certain that is."""


_command = cache(
    partial(get_command, app)
)  # putting it together takes 0.05 s, which programs that call `main` again save


def main() -> None:
    """Run the command line and exit: 0 complete, 1 failed, 2 refused, 3 cut off by its budget, 130 interrupted."""
    complete()
    try:
        _command()([word for word in sys.argv[1:] if word != DEBUG])
    except Exception as error:  # noqa: BLE001  # the end of the program: one sentence, and --debug has the rest
        if DEBUG in sys.argv:
            traceback.print_exc()
        _say(_sentence(error))
        if isinstance(error, OSError):
            abandon(sys.stdout)
        sys.exit(2 if isinstance(error, UsageError) else 1)


def _sentence(error: Exception) -> str:
    if isinstance(error, FathomError):
        return str(error)
    if isinstance(error, OSError):
        what = f"{error.filename} cannot be read or written" if error.filename else "The output cannot be written"
        return f"{what}: {error.strerror or error}."
    frame = traceback.extract_tb(error.__traceback__)[-1]
    place = f"{Path(frame.filename).name}, line {frame.lineno}"
    return f"Internal error ({type(error).__name__} in {place}: {error}); {DEBUG} shows the traceback to report."


def _say(sentence: str) -> None:
    from .reports.page.sanitise import one_line

    try:
        print(f"Error: {one_line(sentence)}", file=sys.stderr)
    except OSError:
        abandon(sys.stderr)  # there is nobody to tell
