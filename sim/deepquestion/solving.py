"""How a simulated model solves problems, and what is true of that: which it solves, and where it is led astray.

For each problem there is one draw by which it is solved or not, the same in whatever words it is put; in the persona's
unsteady share of the problems there is one for every text. Each distractor of a text then has a draw of its own.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from ...state.text import normalise
from ..answering import answer, wrong_value
from ..draws import draw, pick
from ..facts import Fact
from ..options import read_shown
from ..personas import Persona
from ..world import World
from .checking import fact_asked, letter_of
from .core import Unsolvable, answer_of, misread, slips
from .instructions import created_question
from .reading import Distractor, read_problem
from .worked import worked
from .writing import stem_of

_OPENINGS = ("", "Let me take it step by step.", "First the molar masses, where they are needed, then the rest.")
_FORMS = (
    "Answer: {a}",
    "**Answer: {a}**",
    "Answer: **{a}**",
    "Answer: $\\boxed{{{t}}}$",
    "So the result is {a}.\n\nAnswer: {a}",
    "**Answer:** {a}",
    "Answer: {a}.",
)
"""Forms of the last lines: {a} the answer, {t} the same in LaTeX."""
UNABLE = "I do not know how to solve this."
UNWRITTEN = "I do not know how to write a question by this."


@dataclass(frozen=True, slots=True)
class Solved:
    """What a persona makes of a text."""

    answer: str
    right: bool
    misled: Distractor | None = None
    """The distractor whose number it used."""


def settled(world: World, persona: Persona, text: str) -> Solved | None:
    """What this persona answers to a problem in these words, of multiple choice without the options; None for a text
    that has no answer in this world."""
    known = read_problem(stem_of(text))
    if known is None:
        return None
    try:
        right = answer_of(known.core)
    except Unsolvable:
        return None
    name = (world.spec.seed, "solves", persona.name, known.core.key)
    wording = normalise(stem_of(text)) if draw(*name, "unsteady") < persona.unsteady else ""
    if draw(*name, wording) >= persona.solving:
        return Solved(pick(slips(known.core), *name, wording, "slip"), right=False)
    misled = next((each for each in known.distractors if draw(*name, each.text) < persona.mislead), None)
    if misled is None:
        return Solved(right, right=True)
    wrong = misread(known.core, misled.value, misled.unit) or pick(slips(known.core), *name, misled.text, "slip")
    return Solved(wrong, right=False, misled=misled)


def true_marks(world: World, persona: Persona, texts: Mapping[str, str]) -> dict[str, bool]:
    """By name, whether the persona's answer to each text is right; texts that have no answer in this world are not."""
    found = {name: settled(world, persona, text) for name, text in texts.items()}
    return {name: solved is not None and solved.right for name, solved in found.items()}


def true_accuracy(persona: Persona, distractors: int = 0) -> float:
    """Expected share of right answers to problems in texts with so many distractors: solve·(1 − mislead)^k."""
    return persona.solving * (1.0 - persona.mislead) ** distractors


def true_creating(persona: Persona) -> float:
    """Expected share of instructions by which a valid question is written."""
    return persona.creating


def say_solution(world: World, persona: Persona, message: str) -> str | None:
    """The reply to a problem, with the steps and the final answer on the last line; None for one from elsewhere."""
    solved, known = settled(world, persona, message), read_problem(stem_of(message))
    if known is None:
        fact = fact_asked(world, message)
        return say_fact(world, persona, fact) if fact else None
    if solved is None:
        return UNABLE
    name = (world.spec.seed, "says", persona.name, normalise(message))
    lines = worked(known.core) if solved.right else worked(known.core)[:-1]
    if solved.misled is not None:
        lines.append(f"The text also says {solved.misled.value} {solved.misled.unit}".strip() + ", which I use here.")
    answer = _chosen(solved, message, *name)
    ends = pick(_FORMS, *name, "form").format(a=answer, t=_latex(answer))
    return "\n".join((pick(_OPENINGS, *name, "opening"), *lines, "", ends)).lstrip()


def say_fact(world: World, persona: Persona, fact: Fact) -> str:
    """The reply to a problem that asks for a fact of this world, with the value on the last line where one is said."""
    seed = (world.spec.seed, persona.name, fact.id)
    value: str | None = fact.value
    if not world.knows(persona, fact):
        value = None if draw(*seed, "abstains") < persona.abstains else wrong_value(world, fact, seed)
    said = answer(world, persona, fact)
    return f"{said}\n\nAnswer: {value}" if value else said


def _chosen(solved: Solved, message: str, *name: object) -> str:
    """The answer; of multiple choice the letter of the option that it comes to."""
    shown = read_shown(message)
    if shown is None:
        return solved.answer
    known = read_problem(shown.stem)
    right = letter_of(answer_of(known.core), shown.options) if known else ""
    if solved.right:
        return right
    others = [chr(65 + place) for place in range(len(shown.options)) if chr(65 + place) != right]
    return letter_of(solved.answer, shown.options) or pick(others, *name, "letter")


def _latex(answer: str) -> str:
    number, _, unit = answer.replace("%", " \\%").partition(" ")
    if unit.startswith("× 10^"):
        power, _, rest = unit.removeprefix("× 10^").partition(" ")
        return f"{number} \\times 10^{{{power}}}\\ \\text{{{rest}}}"
    return f"{number}\\ {unit}" if unit == "\\%" else f"{number}\\ \\text{{{unit}}}" if unit else number


def say_question(world: World, persona: Persona, message: str) -> str:
    """The question written by an instruction."""
    return created_question(world, persona, message) or UNWRITTEN
