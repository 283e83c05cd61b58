"""Instructions for question writers: a path in general terms and a final answer; and questions written by one."""

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

from ...state.text import normalise
from ..draws import draw, pick
from ..personas import Persona
from ..world import World
from .core import Core, Path, Step, Unsolvable, answer_of, path_of
from .data import molar_mass, name_of, written
from .kinds import Kind, kind_with, others_with, with_answer
from .stories import SETTINGS, asked, pieces, rounded, without_one

STEPS: dict[Step, str] = {
    "weights": "find the molar mass from the atomic masses in the formula",
    "to amount": "divide a mass by the molar mass to get the amount of substance",
    "to mass": "multiply an amount of substance by the molar mass to get a mass",
    "particles": "multiply the amount of substance by the Avogadro constant",
    "percent": "compare the mass that one element has in the formula with the whole",
    "share": "apply this share to the mass of a sample",
    "ratio": "go from one substance to the other by the coefficients of a balanced equation",
    "limit": "see which of the starting substances is used up first",
    "dilute": "divide the amount of substance by the volume of the solution in litres",
    "dissolved": "multiply the concentration of a solution by its volume in litres",
    "mass per mole": "divide the mass of a sample by the amount of substance that it is",
    "part of sample": "divide the mass of the part by the mass of the sample",
}
"""A step as instructions have it; none is part of another."""
_LAST = "final answer of the question has to be exactly"
_ANSWER = re.compile(
    rf"{_LAST}\s+(\d+(?:\.\d+)?(?:\s?(?:×|x|\*|·)\s?10\^\d+)?\s?(?:g/mol|mol/L|g|mol|molecules|%))(?!\w)"
)
_ANY_ANSWER = re.compile(rf"{_LAST}\s+(.+?)\.?$", re.MULTILINE)
Fate = Literal["valid", "another answer", "not answerable", "instruction not met"]
"""What comes of writing a question by an instruction."""
_HINTED, _UNROUNDED = 0.2, 0.2
"""Shares of the questions that state a molar mass, and that do not say how the answer is to be rounded."""


@dataclass(frozen=True, slots=True)
class Instruction:
    """What an instruction states."""

    path: Path
    """Empty: none that is known here."""
    answer: str
    """As `answer_of` writes answers; empty: none that is known here."""


def instruction(path: Path, answer: str) -> str:
    """The instruction; without a path, or without an answer, it lacks that sentence."""
    parts = ["Write one question from chemistry in which something has to be worked out."]
    if path:
        parts.append(f"It has to be solved along this path: {_in_order([STEPS[step] for step in path])}.")
    if answer:
        parts.append(f"The {_LAST} {answer}.")
    parts += [
        "Which substances occur, what happens to them and which values are given is for you to decide, as long as the"
        " question can be solved from its own text and the values are plausible.",
        "Give every value with its unit and write formulas in brackets behind the names of the substances.",
        "Demand three significant digits.",
        "Choose an occasion on which somebody would want to know this.",
        "The text must state neither the path nor the answer nor any result on the way.",
    ]
    return "\n".join(parts)


def _in_order(steps: list[str]) -> str:
    if len(steps) == 1:
        return steps[0]
    return f"first {'; then '.join(steps[:-1])}; finally {steps[-1]}"


@lru_cache(maxsize=4096)
def read_instruction(text: str) -> Instruction:
    """The path and the answer that a text states, whatever stands around them."""
    words = normalise(text)
    places = sorted((words.find(normalise(told)), step) for step, told in STEPS.items())
    answer = _ANSWER.search(" ".join(text.split()))
    return Instruction(tuple(step for place, step in places if place >= 0), answer[1] if answer else "")


def stated_answer(text: str) -> str:
    """The final answer that a text states, in words or as a number; empty when it states none."""
    found = _ANY_ANSWER.search(text)
    return found[1].strip() if found else ""


def fate_of(world: World, persona: Persona, text: str) -> Fate:
    """What becomes of the question that this persona writes by an instruction of this world."""
    name = (world.spec.seed, "creates", persona.name, normalise(text))
    if draw(*name) < persona.creating:
        return "valid"
    return pick(("another answer", "not answerable", "instruction not met"), *name, "fate")


def created_question(world: World, persona: Persona, text: str) -> str | None:
    """The question that this persona writes; None for an instruction that is not of this world."""
    wanted = read_instruction(text)
    kind = kind_with(wanted.path)
    if kind is None or not wanted.answer:
        return None
    name = (world.spec.seed, "writes a question", persona.name, normalise(text))
    fate = fate_of(world, persona, text)
    if fate == "instruction not met":
        kind = pick(others_with(kind), *name, "other path")
    core = _with_answer(kind, wanted.answer, *name)
    if core is None:
        return None
    if fate == "another answer":
        core = _changed(core, kind, *name)
    return _question(core, *name, cut=fate == "not answerable")


def _with_answer(kind: Kind, answer: str, *name: object) -> Core | None:
    core = with_answer(kind, answer, *name)
    if core is not None or kind.scaled:
        return core
    # there is no compound with exactly this: a sample may still come to it
    return next((made for other in others_with(kind) if (made := with_answer(other, answer, *name))), None)


def _changed(core: Core, kind: Kind, *name: object) -> Core:
    """The same kind of problem with another answer."""
    if not core.given:
        return next(made for step in range(100) if answer_of(made := kind.make(*name, step)) != answer_of(core))
    factor = 1.15 + 0.5 * draw(*name, "changed")
    scaled = max(1, kind.scaled)
    given = [replace(q, value=written(q.number * factor, 4)) for q in core.given[:scaled]]
    return replace(core, given=(*given, *core.given[scaled:]))


def _question(core: Core, *name: object, cut: bool) -> str:
    """The question with up to two sentences on the situation; `cut`: what it needs is not all there."""
    setting = pick(SETTINGS, *name, "setting")
    told = without_one(core, setting.who, *name) if cut else pieces(core, setting.who, *name)
    parts = [*setting.story[: int(3 * draw(*name, "story"))], *(piece.text for piece in told)]
    if core.formula and not cut and draw(*name, "hint") < _HINTED and "weights" in _path(core)[:-1]:
        parts.append(f"The molar mass of {name_of(core.formula)} is {written(molar_mass(core.formula), 4)} g/mol.")
    parts.append(asked(core, *name))
    if draw(*name, "unrounded") >= _UNROUNDED:
        parts.append(rounded(*name))
    return " ".join(parts)


def _path(core: Core) -> Path:
    try:
        return path_of(core)
    except Unsolvable:
        return ()
