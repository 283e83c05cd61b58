"""The command of the fifth method."""

from fathom.commands.method import MethodCommand
from fathom.commands.request import CommandInput, PlannedRuns
from fathom.state.option import Option

from .state import ToySpec


def ask(words: CommandInput) -> PlannedRuns:
    topics = tuple(words["topics"])
    return PlannedRuns(words.specs(words.targets, topics=topics))


TOPIC = Option("", "TOPIC", "What to ask about.", name="topics", type=list[str], required=True)
COMMAND = MethodCommand(
    "toy",
    ToySpec,
    f"{__name__}:ask",
    "Ask for chemical symbols.",
    own=(TOPIC,),
    prompts="toy_symbol",
)
