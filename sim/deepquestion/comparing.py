"""The simulated judge of questions: preferences that follow from what two texts are, and where it leans.

Each criterion is a figure that a text has; the higher one is preferred, and equal ones are a tie.
"""

from collections.abc import Callable, Mapping

from ...state.deepquestion.items import CRITERIA, Criterion, Preference
from ...state.text import normalise
from ..draws import draw
from ..personas import Persona
from ..world import World
from .checking import path_or_none
from .core import Unsolvable, answer_of
from .instructions import read_instruction
from .reading import Reading, read_problem
from .writing import stem_of

_LONG = 60
"""Words from which a text is harder to follow."""


def compare(world: World, persona: Persona, given: Mapping[str, str]) -> dict[str, object]:
    """The judge's reply."""
    found = preferences(world, persona, given["first"], given["second"], given["instruction"])
    told = [f"{name}: {preferred}" for name, preferred in found.items() if preferred != "tie"]
    reply: dict[str, object] = {"reason": f"By what the texts have: {', '.join(told) or 'no difference'}."}
    return reply | {str(name): preferred for name, preferred in found.items()}


def preferences(
    world: World, persona: Persona, first: str, second: str, instruction: str
) -> dict[Criterion, Preference]:
    """What is preferred in one comparison. In the persona's share of leaning that is the first, whatever stands there;
    which comparisons those are is decided by the two texts in their order. The same text twice is a tie."""
    true = true_preferences(first, second, instruction)
    if normalise(first) == normalise(second):
        return true
    name = (world.spec.seed, "leans", persona.name, normalise(first), normalise(second))
    return {
        criterion: "first" if draw(*name, criterion) < persona.leans and _counts(criterion, instruction) else preferred
        for criterion, preferred in true.items()
    }


def true_preferences(first: str, second: str, instruction: str = "") -> dict[Criterion, Preference]:
    """What is preferred by a judge that does not lean."""
    one, other = _Text(first, instruction), _Text(second, instruction)
    found: dict[Criterion, Preference] = {}
    for criterion in CRITERIA:
        a, b = _FEATURES[criterion](one), _FEATURES[criterion](other)
        found[criterion] = "tie" if a == b else "first" if a > b else "second"
    return found


def _counts(criterion: Criterion, instruction: str) -> bool:
    return criterion != "instruction_following" or bool(read_instruction(instruction).path)


class _Text:
    """A question with what can be said of it."""

    def __init__(self, text: str, instruction: str) -> None:
        self.words = len(text.split())
        self.known: Reading | None = read_problem(stem_of(text))
        self.path = path_or_none(self.known.core) if self.known else None
        self.wanted = read_instruction(instruction)

    @property
    def answer(self) -> str:
        try:
            return answer_of(self.known.core) if self.known else ""
        except Unsolvable:
            return ""


def _clarity(text: _Text) -> int:
    """Whether it is solvable, then whether it says how to round, then whether it is short."""
    return 4 * (text.path is not None) + 2 * bool(text.known and text.known.precise) + (text.words <= _LONG)


def _demand(text: _Text) -> int:
    """Steps to the answer."""
    return len(text.path or ())


def _realism(text: _Text) -> int:
    """Sentences of a situation, two counting for all."""
    return min(2, len(text.known.story)) if text.known else 0


def _following(text: _Text) -> int:
    """Path and answer of the instruction."""
    wanted = text.wanted
    return (bool(wanted.path) and text.path == wanted.path) + (bool(wanted.answer) and text.answer == wanted.answer)


def _withheld(text: _Text) -> int:
    """Helps, counted downwards."""
    return -len(text.known.hints) if text.known else 0


_FEATURES: Mapping[Criterion, Callable[[_Text], int]] = {
    "clarity": _clarity,
    "reasoning_demand": _demand,
    "realism": _realism,
    "instruction_following": _following,
    "no_giveaway": _withheld,
}
