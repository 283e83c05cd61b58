"""The command line: assembles the commands and turns errors into one sentence and an exit code."""

import sys
import traceback
from pathlib import Path
from typing import Annotated, Any

import typer

from . import __version__
from .commands.help import SETTINGS, Entry, PanelGroup
from .commands.streams import abandon, complete
from .state.errors import FathomError, UsageError

DEBUG = "--debug"
METHODS, START, READ, UPKEEP = "Methods", "Start and resume", "Read runs", "Upkeep"
COMMANDS = {
    "drill": Entry(
        ".drill.command:DRILL",
        "Drill domains with models; report how deep their knowledge goes.",
        METHODS,
    ),
    "eqt": Entry(
        ".eqt.command:EQT",
        "Explain-Query-Test: can a model answer questions about its own explanations?",
        METHODS,
    ),
    "depthqa": Entry(
        ".depthqa.command:DEPTHQA",
        "DepthQA: does the model know what its deep answers rest on?",
        METHODS,
    ),
    "deepquestion": Entry(
        ".deepquestion.command:DEEPQUESTION",
        "DeepQuestion: can the model still solve a problem once it is put in a scenario?",
        METHODS,
    ),
    "ask": Entry(
        ".ask.command:ASK",
        "Put your own questions to models, and check their references.",
        METHODS,
    ),
    "demo": Entry(
        ".drill.command:DEMO", "Drill a simulated student: no keys, no network, no cost.", START
    ),
    "init": Entry(".study.command:INIT", "Write a commented study file to start from.", START),
    "plan": Entry(
        ".plan.command:PLAN",
        "Estimate calls, cost and time of a launch; calls no model.",
        START,
    ),
    "run": Entry(".study.command:RUN_STUDY", "Run what a study file describes.", START),
    "serve": Entry(".serve:SERVE", "Serve studies over HTTP, with a live page.", START),
    "watch": Entry(".watch:WATCH", "Show a run live that goes on elsewhere.", READ),
    "status": Entry(".status:STATUS", "Show the progress of a study.", START),
    "resume": Entry(".resume:RESUME", "Resume an interrupted run or launch.", START),
    "show": Entry(".show:SHOW", "Show a run, or one line of questioning.", READ),
    "list": Entry(".list_runs:LIST", "List the runs so far.", READ),
    "compare": Entry(
        ".compare:COMPARE", "Compare models: who is ahead, and how sure that is.", READ
    ),
    "decide": Entry(
        ".decide:DECIDE", "Decide which model to take, by a margin and conditions.", READ
    ),
    "review": Entry(
        ".review.command:REVIEW",
        "Review a sample of questions and answers, blind, and label them.",
        READ,
    ),
    "report": Entry(".report:REPORT", "Write a report to share (HTML or Markdown).", READ),
    "profile": Entry(
        ".profile:PROFILE", "One profile per model from runs of all methods.", READ
    ),
    "replay": Entry(
        ".replay.command:REPLAY",
        "Recompute a result, or put its questions to other models.",
        READ,
    ),
    "exam": Entry(
        ".exam:EXAM", "Write questions of a drill as an exam for people; take in answers.", READ
    ),
    "judge": Entry(
        ".replay.command:JUDGE",
        "Have other judges judge the answers; say how far each is right.",
        READ,
    ),
    "export": Entry(".export:EXPORT", "Export runs: CSV, JSON lines, Parquet.", READ),
    "freeze": Entry(".freeze:FREEZE", "Freeze a finished run in one file.", READ),
    "doctor": Entry(
        ".doctor:DOCTOR", "Check keys, endpoints, sources and disk; calls no model.", UPKEEP
    ),
    "cache": Entry(".cache:CACHE", "The cache of replies and look-ups: info, clear.", UPKEEP),
    "mcp": Entry(".mcp:MCP", "Serve drills and agents to an MCP client.", UPKEEP),
    "sim": Entry(".sim:SIM", "Serve the simulated world to other programs.", UPKEEP),
    "schema": Entry(
        ".schema:SCHEMA", "Print the JSON schema of a result, a spec or a study.", UPKEEP
    ),
}


class Program(PanelGroup):
    """All commands, by the table."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(COMMANDS, **settings)


app = typer.Typer(
    name="fathom",
    cls=Program,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings=SETTINGS,
)


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"fathom {__version__}")
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_version, is_eager=True, help="Print the version and exit."
        ),
    ] = False,
    debug: Annotated[
        bool, typer.Option(DEBUG, help="Show the traceback of an error; accepted anywhere.")
    ] = False,
) -> None:
    """Measure how deep a language model's knowledge goes, in any domain, and how certain that is."""


def main() -> None:
    """Run the command line and exit: 0 complete, 1 failed, 2 refused, 3 cut off by its budget, 4 not
    decided, 5 a condition fails, 130 interrupted."""
    complete()
    try:
        app([word for word in sys.argv[1:] if word != DEBUG])
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
        what = (
            f"{error.filename} cannot be read or written"
            if error.filename
            else "The output cannot be written"
        )
        return f"{what}: {error.strerror or error}."
    frame = traceback.extract_tb(error.__traceback__)[-1]
    place = f"{Path(frame.filename).name}, line {frame.lineno}"
    return (
        f"Internal error ({type(error).__name__} in {place}: {error}); {DEBUG} shows the "
        "traceback to report."
    )


def _say(sentence: str) -> None:
    from .reports.page.sanitise import one_line

    try:
        print(f"Error: {one_line(sentence)}", file=sys.stderr)
    except OSError:
        abandon(sys.stderr)  # there is nobody to tell
