"""What a problem states and asks for, stripped of its words: its solution, the path to it, and wrong answers to it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from .data import AVOGADRO, Side, atomic_weight, atoms_in, is_balanced, molar_mass, sides_of, written

Unit = Literal["g", "mol", "mL", "mol/L", "molecules", "g/mol", "%"]
"""Of what is given: g, mol, mL, mol/L. Of what is asked for: g, mol, mol/L, molecules, g/mol, %."""
Step = Literal[
    "weights", "to amount", "to mass", "particles", "percent", "share", "ratio", "limit", "dilute", "dissolved",
    "mass per mole", "part of sample",
]  # fmt: skip
Path = tuple[Step, ...]
"""The steps to an answer, in their order."""


@dataclass(frozen=True, slots=True)
class Quantity:
    """A quantity that is given. `formula`: of what; empty for the volume and the concentration of a solution."""

    value: str
    """As it is written."""
    unit: Unit
    formula: str = ""

    @property
    def number(self) -> float:
        return float(self.value)

    def __str__(self) -> str:
        return f"{self.value} {self.unit}"


@dataclass(frozen=True, slots=True)
class Core:
    """A problem without its words."""

    asks: Unit
    formula: str
    """Of what is asked for; of a share, the whole. Empty: it is not said."""
    element: str = ""
    """Symbol of the element whose mass or share is asked for."""
    given: tuple[Quantity, ...] = ()
    equation: str = ""
    excess: bool = False
    """Whether it is said that there is an excess of everything else."""

    @property
    def key(self) -> str:
        """The same for the same problem, whatever the order in which it states things."""
        given = sorted(f"{each} {each.formula}" for each in self.given)
        return "; ".join((f"{self.asks} {self.formula} {self.element}", *given, self.equation))

    def of(self, unit: Unit, formula: str | None = None) -> list[Quantity]:
        """The given quantities with this unit, of this substance."""
        return [each for each in self.given if each.unit == unit and formula in (None, each.formula)]


class Unsolvable(Exception):
    """The text does not determine one answer; the message says why, as a part of a sentence."""


def answer_of(core: Core) -> str:
    """The answer with its unit. Raises Unsolvable."""
    return _said(core, value_of(core))


def value_of(core: Core, decimals: int | None = None) -> float:
    """The answer as a number in the unit asked for; `decimals`: of the atomic weights. Raises Unsolvable."""
    return _plan(core)[1](decimals)


def path_of(core: Core) -> Path:
    """The steps to the answer. Raises Unsolvable."""
    return _plan(core)[0]


_OFF = 0.0003
"""What rounding on the way may make of a result, as a share."""


def is_stable(core: Core) -> bool:
    """Whether the answer stays the same, as it is written, with atomic weights of one or two decimals, and with results
    on the way rounded."""
    right = value_of(core)
    near = (right * (1 - _OFF), right * (1 + _OFF), *(value_of(core, decimals) for decimals in (2, 1)))
    return {written(value) for value in near} == {written(right)}


Work = Callable[[int | None], float]
Plan = tuple[Path, Work]


def _plan(core: Core) -> Plan:
    if core.formula and not atoms_in(core.formula):
        raise Unsolvable(f"{core.formula} is no formula")
    if core.equation:
        return _reaction(core)
    if core.asks in ("g/mol", "%") or core.element:
        return _composition(core)
    if core.of("mL"):
        return _solution(core)
    if not core.formula:
        raise Unsolvable("the substance is not said")
    return _conversion(core)


def _only(found: Sequence[Quantity], what: str) -> Quantity:
    if not found:
        raise Unsolvable(f"{what} is not stated")
    if len(found) > 1:
        raise Unsolvable(f"{what} is stated as {found[0]} and as {found[1]}")
    if found[0].number <= 0:
        raise Unsolvable(f"{what} is stated as {found[0]}, which is no amount")
    return found[0]


def _conversion(core: Core) -> Plan:
    """Between mass, amount of substance and number of molecules of one substance."""
    one = _only(core.of("g", core.formula) + core.of("mol", core.formula), "how much there is of it")
    if one.unit == core.asks:
        raise Unsolvable("what is asked for is stated")

    def mass(decimals: int | None) -> float:
        return molar_mass(core.formula, decimals)

    if core.asks == "g":
        return ("weights", "to mass"), lambda d: one.number * mass(d)
    if core.asks == "mol":
        return ("weights", "to amount"), lambda d: one.number / mass(d)
    if core.asks != "molecules":
        raise Unsolvable("the volume is not stated")
    if one.unit == "mol":
        return ("particles",), lambda d: one.number * AVOGADRO
    return ("weights", "to amount", "particles"), lambda d: one.number / mass(d) * AVOGADRO


def _composition(core: Core) -> Plan:
    """Molar mass, and what part of a compound an element is: from the formula, or from a sample."""
    if not core.formula:
        raise Unsolvable("the formula of the substance is not stated")
    if core.asks == "g/mol":
        if not core.given:
            return ("weights",), lambda d: molar_mass(core.formula, d)
        mass, amount = (_only(core.of(unit, core.formula), what) for unit, what in _SAMPLE)
        return ("mass per mole",), lambda d: mass.number / amount.number
    if core.element not in atoms_in(core.formula):
        raise Unsolvable("the element that is asked about is not in the formula")
    if core.asks == "%" and core.of("g", core.element):
        part, whole = (_only(core.of("g", of), "the mass of the sample") for of in (core.element, core.formula))
        return ("part of sample",), lambda d: 100 * part.number / whole.number

    def share(decimals: int | None) -> float:
        count = atoms_in(core.formula)[core.element]
        return count * atomic_weight(core.element, decimals) / molar_mass(core.formula, decimals)

    if core.asks == "%":
        return ("weights", "percent"), lambda d: 100 * share(d)
    if core.asks != "g":
        raise Unsolvable("what is asked for is no mass")
    sample = _only(core.of("g", core.formula), "the mass of the sample")
    return ("weights", "percent", "share"), lambda d: sample.number * share(d)


_SAMPLE: tuple[tuple[Unit, str], ...] = (("g", "the mass of the sample"), ("mol", "the amount of substance"))


def _solution(core: Core) -> Plan:
    volume = _only(core.of("mL"), "the volume of the solution")
    litres = volume.number / 1000
    if core.asks == "mol/L":
        one = _only(core.of("g", core.formula) + core.of("mol", core.formula), "how much is dissolved")
        if one.unit == "mol":
            return ("dilute",), lambda d: one.number / litres
        return ("weights", "to amount", "dilute"), lambda d: one.number / molar_mass(core.formula, d) / litres
    strength = _only(core.of("mol/L"), "the concentration")
    if core.asks == "mol":
        return ("dissolved",), lambda d: strength.number * litres
    if core.asks != "g" or not core.formula:
        raise Unsolvable("what is asked for does not go with a solution")
    return (
        ("dissolved", "weights", "to mass"),
        lambda d: strength.number * litres * molar_mass(core.formula, d),
    )


def _reaction(core: Core) -> Plan:
    """From what reacts to what forms."""
    equation = sides_of(core.equation)
    if equation is None or not is_balanced(equation):
        raise Unsolvable("the equation is not balanced")
    before, after = equation
    formed = {formula: coefficient for coefficient, formula in after}.get(core.formula)
    if formed is None or core.asks not in ("g", "mol"):
        raise Unsolvable("what is asked for does not form in this reaction")
    known = _reactants(core, before)
    path: list[Step] = ["weights", "to amount"] if any(each.unit == "g" for _, each in known) else []
    path += ["limit"] if len(known) > 1 else []
    path += ["ratio"]
    if core.asks == "g":
        path += ["to mass"] if "weights" in path else ["weights", "to mass"]

    def work(decimals: int | None) -> float:
        runs = min(
            each.number / (molar_mass(each.formula, decimals) if each.unit == "g" else 1.0) / coefficient
            for coefficient, each in known
        )
        return runs * formed * (molar_mass(core.formula, decimals) if core.asks == "g" else 1.0)

    return tuple(path), work


def _reactants(core: Core, before: Side) -> list[tuple[int, Quantity]]:
    """What is known of what reacts, with its coefficients: all of it, or one of it beside an excess of the rest."""
    known = [
        (coefficient, _only(found, f"how much {formula} there is"))
        for coefficient, formula in before
        if (found := core.of("g", formula) + core.of("mol", formula))
    ]
    if not known:
        raise Unsolvable("how much reacts is not stated")
    if len(known) < len(before) and not core.excess:
        raise Unsolvable("how much there is of the other reactants is not stated")
    return known


def with_value(core: Core, place: int, value: str) -> Core:
    """The problem with another value of one given quantity."""
    given = [replace(each, value=value) if at == place else each for at, each in enumerate(core.given)]
    return replace(core, given=tuple(given))


_APART = 0.02
"""Wrong answers differ from the right one by more than this share, so that no rounding hides them."""
_FACTORS = (1.1, 0.9, 10.0, 0.1, 2.0, 0.5)


def misread(core: Core, value: str, unit: str) -> str | None:
    """The answer with a number that does not belong to the problem: in the place of a given one with its unit, else as
    a share, else as a factor. None where that comes to the right answer or to none. Raises Unsolvable."""
    right, other = value_of(core), float(value)
    places = [place for place, each in enumerate(core.given) if each.unit == unit]
    if places:
        found = [value_of(with_value(core, place, value)) for place in places if other > 0]
    else:
        found = [right * (other / 100 if unit == "%" else other)]
    return next((_said(core, wrong) for wrong in found if _is_wrong(core, wrong)), None)


def slips(core: Core) -> list[str]:
    """Wrong answers as slips bring them about: the coefficients forgotten, an atom overlooked, a factor gone wrong.
    At least two. Raises Unsolvable."""
    right = value_of(core)
    found = [right * factor for factor in (*_forgotten(core), *_FACTORS)]
    return list(dict.fromkeys(_said(core, wrong) for wrong in found if _is_wrong(core, wrong)))


def _forgotten(core: Core) -> list[float]:
    """What the answer is multiplied by when the ratio of the coefficients, or one atom, is forgotten."""
    factors: list[float] = []
    equation = sides_of(core.equation) if core.equation else None
    if equation:
        coefficients = {formula: coefficient for side in equation for coefficient, formula in side}
        factors += [
            coefficients[each.formula] / coefficients[core.formula]
            for each in core.given
            if each.formula in coefficients
        ]
    elif core.formula and "weights" in path_of(core):
        symbol = list(atoms_in(core.formula))[-1]
        whole = molar_mass(core.formula)
        factor = (whole - atomic_weight(symbol)) / whole
        factors.append(factor if core.asks in ("g", "g/mol") and not core.element else 1 / factor if factor else 1.0)
    return factors


def _is_wrong(core: Core, value: float) -> bool:
    right = value_of(core)
    fits = value > 0 and not (core.asks == "%" and value >= 100) and value > 1e-6
    return fits and abs(value / right - 1) > _APART and _said(core, value) != _said(core, right)


def _said(core: Core, value: float) -> str:
    return f"{written(value)}{'' if core.asks == '%' else ' '}{core.asks}"
