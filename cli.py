"""The command line: assembles the commands and turns errors into one sentence and an exit code."""

import sys
from typing import Annotated

import typer

from . import __version__
from .commands.drill import demo_command, drill_command
from .commands.list_runs import list_command
from .commands.schema import schema_command
from .commands.show import show_command
from .commands.sim import sim_command
from .state.errors import FathomError, UsageError

app = typer.Typer(
    name="fathom",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("drill")(drill_command)
app.command("demo")(demo_command)
app.command("show")(show_command)
app.command("list")(list_command)
app.command("sim")(sim_command)
app.command("schema")(schema_command)


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"fathom {__version__}")
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and stop.")
    ] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")] = False,
) -> None:
    """Measure how deep a language model's knowledge goes, in any domain, and how sure that is."""


def main() -> None:
    """Run the command line and exit: 0 complete, 1 failed, 2 refused before any call, 130 interrupted."""
    try:
        app()
    except FathomError as error:
        if "--debug" in sys.argv:
            raise
        print(f"Error: {error}", file=sys.stderr)
        sys.exit(2 if isinstance(error, UsageError) else 1)
    except BrokenPipeError:
        sys.stderr.close()  # the reader of our pipe has gone; there is nobody to tell
        sys.exit(1)
