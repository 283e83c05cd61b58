"""A method on the command line, from its table: `fathom METHOD` launches it, `fathom plan METHOD`
says what that would take, `fathom run` takes the same from a study file."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import typer

from ..state.option import Option
from ..state.worlds import RunSpec
from .declare import Command, Given, options_of
from .help import found
from .options.shared import FORCE, LAUNCHING, prompt_option, sim_option

EXIT_CODES = """Exit codes:
  0 complete, 1 failed or incomplete, 2 refused before any call,
  3 stopped by its budget, 130 interrupted
"""
KEYS = """Keys, from the environment or the nearest .env file:
  OPENAI_API_KEY, OPENROUTER_API_KEY, GROQ_API_KEY, …: a provider's models
"""


@dataclass(frozen=True, slots=True)
class MethodCommand:
    """`words`: its command; `ask`, `meant`: where (`module:name`) the functions stand that make
    specs of what was said, and that ask whether it is meant before anything is run; `own`: the
    options that are no fields of the spec; `prompts`: the names of its prompts; `sim`: what to know
    of the simulated world."""

    words: str
    spec: type[RunSpec]
    ask: str
    help: str
    own: Sequence[Option] = ()
    prompts: str = ""
    sim: str = ""
    epilog: str = ""
    planned: str = "Estimate calls, tokens, cost and time, with ranges; no model is called."
    meant: str = ""

    @property
    def options(self) -> list[Option]:
        """All of them."""
        more = (prompt_option(self.prompts), sim_option(self.sim))
        return [*self.own, *options_of(self.spec), *LAUNCHING, FORCE, *more]

    def build(self, name: str) -> Any:
        """The command that launches."""
        return Command(self.launch, self.help, self.options, self.epilog).build(name)

    def launch(self, values: Given) -> None:
        """Run what was asked for."""
        from .request import launched, requested

        request = requested(self, values)
        request.tell()
        if self.meant and not found(self.meant)(request, values):
            typer.echo("Cancelled; no model was called.", err=True)
            raise typer.Exit(2)
        if request.options.until_decided is not None:
            from .study.campaign import looked

            code, _ = looked(request)
        else:
            code, _ = launched(request)
        raise typer.Exit(code)
