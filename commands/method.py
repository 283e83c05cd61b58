"""A method on the command line, from its table: `fathom METHOD` launches it, `fathom plan METHOD`
says what that would take, `fathom run` takes the same from a study file."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import typer

from ..state.option import ADVANCED, Option
from ..state.worlds import RunSpec
from .declare import Command, Given, options_of
from .options.shared import LAUNCHING, SIM

EXIT_CODES = """Exit codes:
  0 complete, 1 failed or incomplete, 2 refused before any call,
  3 stopped by its budget, 130 interrupted
"""
KEYS = """Keys, from the environment or the nearest .env file:
  OPENAI_API_KEY, OPENROUTER_API_KEY, GROQ_API_KEY, …: a provider's models
"""


@dataclass(frozen=True, slots=True)
class MethodCommand:
    """`words`: its command; `ask`: where (`module:name`) the function stands that makes specs of what
    was said; `own`: the options that are no fields of the spec; `prompts`: the names of its prompts,
    of a method whose spec is made from options."""

    words: str
    spec: type[RunSpec]
    ask: str
    help: str
    own: Sequence[Option] = ()
    prompts: str = ""
    epilog: str = ""

    @property
    def options(self) -> list[Option]:
        """All of them."""
        if not self.prompts:
            return [*self.own, *LAUNCHING]
        words = f"Replace a prompt template with your own file: {self.prompts}."
        prompt = Option("--prompt", "NAME=FILE", words, ADVANCED, type=list[str], kind="pair")
        return [*self.own, *options_of(self.spec), *LAUNCHING, prompt, SIM]

    def build(self, name: str) -> Any:
        """The command that launches."""
        return Command(self.launch, self.help, self.options, self.epilog).build(name)

    def launch(self, values: Given) -> None:
        """Run what was asked for."""
        from .request import launched, requested

        request = requested(self, values)
        request.tell()
        if request.options.until_decided is not None:
            from .study.campaign import looked

            raise typer.Exit(looked(request))
        raise typer.Exit(launched(request))
