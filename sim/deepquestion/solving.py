"""What simulated models make of problems: which they solve, where they are led astray, and
questions they write.

For each exercise there is one draw by which it is solved or not, the same in whatever words it is
put; in the persona's unsteady share of the exercises there is one for every text. Each distractor
of a text then has a draw of its own.
"""

import re
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Literal

from ...state.text import normalise
from ..facts import TEXTS
from ..foreign import read_shown
from ..personas import Persona
from ..values import draw, pick
from ..world import World
from .problems import STEPS, Exercise, exercises, misread, read_problem, stem_of
from .writing import LAST, SETTINGS, rounded, stated_sentences, without_one

_SAID = TEXTS["solution"]
"""Forms of the last lines: {a} the answer, {t} the same in LaTeX."""
UNABLE = "I do not know how to solve this."
UNWRITTEN = "I do not know how to write a question by this."
Fate = Literal["valid", "another answer", "not answerable", "instruction not met"]
"""What comes of writing a question by an instruction."""
_HINTED, _UNROUNDED = 0.2, 0.2
"""Shares of the questions that hold a help, and that do not say how the answer is to be rounded."""
_HELP = "As a help: find the molar mass, then divide or multiply by it."
_STATED = re.compile(
    rf"{LAST}\s+(\d+(?:\.\d+)?(?:\s?(?:×|x|\*|·)\s?10\^\d+)?\s?(?:g/mol|mol/L|g|mol|molecules|%))(?!\w)"
)


@dataclass(frozen=True, slots=True)
class Solved:
    """What a persona makes of a text. `misled`: the distractor whose number it used."""

    answer: str
    right: bool
    misled: str = ""


def solve(world: World, persona: Persona, text: str) -> Solved | None:
    """What this persona answers to a problem in these words, of multiple choice without the
    options; None for a text that has no answer in this world."""
    reading = read_problem(text)
    if reading is None or not reading.answer:
        return None
    exercise = reading.exercise
    name = (world.seed, "solves", persona.name, exercise.id)
    wording = normalise(stem_of(text)) if draw(*name, "unsteady") < persona.unsteady else ""
    if draw(*name, wording) >= persona.solving:
        return Solved(pick(exercise.slips, *name, wording, "slip"), right=False)
    misled = next(
        (sentence for sentence in reading.distractors if draw(*name, sentence) < persona.mislead),
        "",
    )
    if not misled:
        return Solved(reading.answer, right=True)
    return Solved(
        misread(exercise, misled) or pick(exercise.slips, *name, misled, "slip"),
        right=False,
        misled=misled,
    )


def say_solution(world: World, persona: Persona, message: str) -> str | None:
    """The reply to a problem, with the steps and the final answer on the last line; None for one
    from elsewhere."""
    reading, solved = read_problem(message), solve(world, persona, message)
    if reading is None:
        return None
    if solved is None:
        return UNABLE
    name = (world.seed, "says", persona.name, normalise(message))
    lines = list(reading.exercise.solution if solved.right else reading.exercise.solution[:-1])
    if solved.misled:
        lines.append(f"The text also says this, which I use here: {solved.misled}")
    final = _chosen(solved, reading.answer, message, *name)
    ends = pick(_SAID["forms"], *name, "form").format(a=final, t=_latex(final))
    return "\n".join((pick(_SAID["openings"], *name, "opening"), *lines, "", ends)).lstrip()


def letter_of(wanted: str, options: tuple[str, ...]) -> str:
    """The letter of the option with this answer; empty where there is none."""
    plain = normalise(wanted)
    return next(
        (chr(65 + index) for index, option in enumerate(options) if normalise(option) == plain), ""
    )


def _chosen(solved: Solved, right: str, message: str, *name: object) -> str:
    """The answer; of multiple choice the letter of the option that it comes to."""
    choice = read_shown(message)
    if choice is None:
        return solved.answer
    best = letter_of(right, choice.options)
    if solved.right:
        return best
    others = [chr(65 + index) for index in range(len(choice.options)) if chr(65 + index) != best]
    return letter_of(solved.answer, choice.options) or pick(others, *name, "letter")


def _latex(final: str) -> str:
    number, _, unit = final.replace("%", " \\%").partition(" ")
    if unit.startswith("× 10^"):
        power, _, rest = unit.removeprefix("× 10^").partition(" ")
        return f"{number} \\times 10^{{{power}}}\\ \\text{{{rest}}}"
    return (
        f"{number}\\ {unit}"
        if unit == "\\%"
        else f"{number}\\ \\text{{{unit}}}"
        if unit
        else number
    )


@dataclass(frozen=True, slots=True)
class Instruction:
    """What an instruction states; path and answer are empty where it states none that is known
    here."""

    path: tuple[str, ...]
    answer: str


@lru_cache(maxsize=4096)
def read_instruction(text: str) -> Instruction:
    """The path and the answer that a text states, whatever stands around them."""
    words = normalise(text)
    places = sorted(
        (words.find(normalise(words_of_step)), step) for step, words_of_step in STEPS.items()
    )
    stated = _STATED.search(" ".join(text.split()))
    return Instruction(
        tuple(step for position, step in places if position >= 0), stated[1] if stated else ""
    )


def fate_of(world: World, persona: Persona, text: str) -> Fate:
    """What becomes of the question that this persona writes by an instruction of this world."""
    name = (world.seed, "creates", persona.name, normalise(text))
    if draw(*name) < persona.creating:
        return "valid"
    return pick(("another answer", "not answerable", "instruction not met"), *name, "fate")


@cache
def _wanted() -> dict[Instruction, str]:
    """Path and answer → the problem of the list that has them."""
    listed = [exercise for exercise in exercises().values() if "." not in exercise.id]
    return {Instruction(exercise.path, exercise.answer): exercise.id for exercise in listed}


def say_question(world: World, persona: Persona, text: str) -> str:
    """The question that this persona writes by an instruction: the twin of the problem that it was
    made from, another problem of the kind, the twin with something missing, or the detour."""
    problem = _wanted().get(read_instruction(text))
    if problem is None:
        return UNWRITTEN
    fate, listed = fate_of(world, persona, text), exercises()
    name = (world.seed, "writes a question", persona.name, normalise(text))
    exercise = listed[f"{problem}.{'detour' if fate == 'instruction not met' else 'twin'}"]
    if fate == "another answer":
        alike = [
            candidate
            for candidate in listed.values()
            if candidate.path == exercise.path and candidate.answer != exercise.answer
        ]
        exercise = pick(alike, *name, "another")
    return _question(exercise, *name, cut=fate == "not answerable")


def _question(exercise: Exercise, *name: object, cut: bool) -> str:
    """The question with up to two sentences on the situation; `cut`: what it needs is not all
    there."""
    setting = pick(SETTINGS, *name, "setting")
    stated = (
        without_one(exercise, setting.person, *name)
        if cut
        else stated_sentences(exercise, setting.person, *name)
    )
    parts = [*setting.story[: int(3 * draw(*name, "story"))], *stated]
    if not cut and draw(*name, "hint") < _HINTED and "weights" in exercise.path[:-1]:
        parts.append(_HELP)
    parts.append(exercise.asks[0])
    if draw(*name, "unrounded") >= _UNROUNDED:
        parts.append(rounded(*name))
    return " ".join(parts)
