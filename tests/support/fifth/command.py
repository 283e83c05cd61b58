"""The command of the fifth method."""

from fathom.commands.method import MethodCommand
from fathom.commands.options.spec import choose_targets
from fathom.commands.request import Asked, Said
from fathom.state.option import Option

from .state import ToySpec


def ask(words: Said) -> Asked:
    topics = tuple(words["topics"])
    targets = choose_targets(words["target"])
    return Asked(words.specs({"target": target, "topics": topics} for target in targets))


TOPIC = Option("", "TOPIC", "What to ask about.", name="topics", type=list[str], required=True)
COMMAND = MethodCommand(
    "toy",
    ToySpec,
    f"{__name__}:ask",
    "Ask for chemical symbols.",
    own=(TOPIC,),
    prompts="toy_symbol",
)
