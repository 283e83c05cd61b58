"""Problems with real arithmetic, as a benchmark has them: real atomic weights, three significant digits."""

from collections.abc import Callable, Iterator
from itertools import count as counting

from ...state.deepquestion.items import Problem
from ..draws import pick
from .core import Core, answer_of, is_stable
from .data import element_named, named
from .kinds import ASKED, drawn, number_of
from .worked import worked

_LEAST, _MOST = 0.01, 999.0
"""Answers that are no numbers of particles lie between these."""
_ROUNDED = (
    "Give the answer to three significant digits.",
    "Round to three significant digits.",
    "State the result with three significant digits.",
)


def stoich_problems(seed: int, count: int) -> list[Problem]:
    """So many different problems, all kinds in turn, with their worked solutions. Atomic weights with one or two
    decimals give the same answers."""
    cores: dict[Core, str] = {}
    for place in range(count):
        kind = ASKED[place % len(ASKED)]
        core = next(core for core in _fitting(kind.name, seed, place) if core not in cores)
        cores[core] = kind.domain
    return [
        Problem(
            id=f"chem-{place:0{max(2, len(str(count)))}d}",
            question=original(core, seed, place),
            answer=answer_of(core),
            solution="\n".join(worked(core)),
            domain=domain,
        )
        for place, (core, domain) in enumerate(cores.items(), 1)
    ]


def _fitting(kind: str, *name: object) -> Iterator[Core]:
    found = next(each for each in ASKED if each.name == kind)
    for turn in counting():
        for core in drawn(found, *name, turn):
            if _is_plain(answer_of(core), core) and is_stable(core):
                yield core


def _is_plain(answer: str, core: Core) -> bool:
    """Whether an answer is of a usual size, and shows how precise it is: 240 may have two digits or three."""
    if core.asks == "molecules":
        return True
    return _LEAST <= number_of(answer) <= _MOST and ("." in answer or not answer.split()[0].endswith("0"))


def original(core: Core, *name: object) -> str:
    """The problem as a benchmark words it; the name decides which of its wordings."""
    wordings = _reaction_wordings(core) if core.equation else _WORDINGS[core.asks](core)
    return f"{pick(wordings, *name, 'wording')} {pick(_ROUNDED, *name, 'rounded')}"


def _reaction_wordings(core: Core) -> tuple[str, ...]:
    first = core.given[0]
    asked = f"How many {'grams' if core.asks == 'g' else 'moles'} of {named(core.formula)}"
    if len(core.given) > 1:
        other = core.given[1]
        return (
            f"{first} of {named(first.formula)} and {other} of {named(other.formula)} react as follows:"
            f" {core.equation}. {asked} can form at most?",
            f"The reaction is {core.equation}. {asked} form from {first} of {named(first.formula)} and {other} of"
            f" {named(other.formula)} until one of the two is used up?",
        )
    rest = " with an excess of everything else that takes part" if core.excess else ""
    return (
        f"The reaction is {core.equation}. {asked} form from {first} of {named(first.formula)}{rest}?",
        f"{first} of {named(first.formula)} react{rest}, as follows: {core.equation}. {asked} form?",
    )


def _grams(core: Core) -> tuple[str, ...]:
    if core.element:
        return (
            f"How many grams of {element_named(core.element)} are contained in {core.given[0]} of"
            f" {named(core.formula)}?",
            f"How many grams of {element_named(core.element)} do {core.given[0]} of {named(core.formula)} hold?",
        )
    if core.of("mL"):
        return (
            f"How many grams of {named(core.formula)} are needed for {core.of('mL')[0]} of solution with a"
            f" concentration of {core.of('mol/L')[0]}?",
        )
    return (
        f"How many grams do {core.given[0]} of {named(core.formula)} weigh?",
        f"How many grams are {core.given[0]} of {named(core.formula)}?",
    )


def _moles(core: Core) -> tuple[str, ...]:
    if core.of("mL"):
        return (
            f"How many moles of {named(core.formula)} are dissolved in {core.of('mL')[0]} of solution with a"
            f" concentration of {core.of('mol/L')[0]}?",
        )
    return (
        f"How many moles are there in {core.given[0]} of {named(core.formula)}?",
        f"How many moles are {core.given[0]} of {named(core.formula)}?",
    )


def _molecules(core: Core) -> tuple[str, ...]:
    return (
        f"How many molecules are there in {core.given[0]} of {named(core.formula)}?",
        f"How many molecules do {core.given[0]} of {named(core.formula)} consist of?",
    )


def _strength(core: Core) -> tuple[str, ...]:
    solute, volume = core.given[0], core.of("mL")[0]
    asked = f"What is the concentration of {named(core.formula)}, in mol/L,"
    return (
        f"{asked} when {solute} of {named(core.formula)} are dissolved to give {volume} of solution?",
        f"{asked} in {volume} of solution that hold {solute} of {named(core.formula)}?",
    )


def _molar(core: Core) -> tuple[str, ...]:
    if core.given:
        mass, amount = core.given
        return (
            f"{mass} of {named(core.formula)} are {amount} of {named(core.formula)}. By this measurement, what is the"
            " molar mass of the substance, in g/mol?",
        )
    return (
        f"What is the molar mass of {named(core.formula)}, in g/mol?",
        f"What molar mass, in g/mol, follows from the formula of {named(core.formula)}?",
    )


def _percent(core: Core) -> tuple[str, ...]:
    asked = f"What percentage of the mass of {named(core.formula)} is due to {element_named(core.element)}"
    if core.given:
        part, whole = core.given
        return (f"{asked}, if {part} of {element_named(core.element)} are found in {whole} of {named(core.formula)}?",)
    return (f"{asked}?", f"By its formula, w{asked[1:]}?")


_WORDINGS: dict[str, Callable[[Core], tuple[str, ...]]] = {
    "g": _grams,
    "mol": _moles,
    "molecules": _molecules,
    "mol/L": _strength,
    "g/mol": _molar,
    "%": _percent,
}
