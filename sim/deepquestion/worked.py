"""The way to an answer, line by line, as a benchmark's solution has it."""

from ..values import show
from .core import Core, Quantity, answer_of, path_of
from .data import atomic_weight, atoms_in, molar_mass, sides_of, written

_MORE = 4
"""Digits of a result on the way."""


def worked(core: Core) -> list[str]:
    """One line per step, the last of which ends with the answer. Raises Unsolvable."""
    path = path_of(core)
    if core.equation:
        return _reaction(core)
    if core.element or core.asks == "g/mol":
        return _composition(core)
    if core.of("mL"):
        return _solution(core)
    one = _there(core)
    if path == ("particles",):
        return [_particles(core, one.value)]
    lines = [_weighed(core.formula)]
    if core.asks == "g":
        return [*lines, f"Mass: {one} × {_per_mole(core.formula)} = {answer_of(core)}."]
    if core.asks == "mol":
        return [*lines, f"Amount of substance: {one} ÷ {_per_mole(core.formula)} = {answer_of(core)}."]
    return [*lines, f"{_divided(one)}.", _particles(core, _amount(one))]


def _reaction(core: Core) -> list[str]:
    equation = sides_of(core.equation)
    assert equation is not None
    coefficients = {formula: coefficient for side in equation for coefficient, formula in side}
    known = [each for each in core.given if each.formula in {formula for _, formula in equation[0]}]
    lines = [line for each in known if each.unit == "g" for line in (_weighed(each.formula), f"{_divided(each)}.")]
    least = min(known, key=lambda each: _moles(each) / coefficients[each.formula])
    if len(known) > 1:
        parts = (f"{_amount(each)} ÷ {coefficients[each.formula]} for {each.formula}" for each in known)
        lines.append(f"Compare {' with '.join(parts)}: {least.formula} is used up first.")
    ratio = f"{_amount(least)} mol × {coefficients[core.formula]}/{coefficients[least.formula]}"
    if core.asks == "mol":
        return [*lines, f"By the equation: {ratio} = {answer_of(core)}."]
    amount = written(_moles(least) * coefficients[core.formula] / coefficients[least.formula], _MORE)
    return [
        *lines,
        f"By the equation: {ratio} = {amount} mol of {core.formula}.",
        _weighed(core.formula),
        f"Mass: {amount} mol × {_per_mole(core.formula)} = {answer_of(core)}.",
    ]


def _solution(core: Core) -> list[str]:
    litres = show(core.of("mL")[0].number / 1000)
    if core.asks == "mol/L":
        one = _there(core)
        lines = [_weighed(core.formula), f"{_divided(one)}."] if one.unit == "g" else []
        return [*lines, f"Concentration: {_amount(one)} mol ÷ {litres} L = {answer_of(core)}."]
    strength = core.of("mol/L")[0]
    dissolved = f"Amount of substance: {strength} × {litres} L"
    if core.asks == "mol":
        return [f"{dissolved} = {answer_of(core)}."]
    amount = written(strength.number * float(litres), _MORE)
    return [
        f"{dissolved} = {amount} mol.",
        _weighed(core.formula),
        f"Mass: {amount} mol × {_per_mole(core.formula)} = {answer_of(core)}.",
    ]


def _composition(core: Core) -> list[str]:
    if core.asks == "g/mol":
        if not core.given:
            return [_weighed(core.formula), f"Rounded: {answer_of(core)}."]
        mass, amount = core.of("g")[0], core.of("mol")[0]
        return [f"Molar mass: {mass} ÷ {amount} = {answer_of(core)}."]
    parts = core.of("g", core.element)
    if core.asks == "%" and parts:
        return [f"Share: 100 × {parts[0]} ÷ {core.of('g', core.formula)[0]} = {answer_of(core)}."]
    count, weight = atoms_in(core.formula)[core.element], atomic_weight(core.element)
    own = f"{count} × {show(weight)}" if count > 1 else show(weight)
    share = count * weight / molar_mass(core.formula)
    lines = [_weighed(core.formula)]
    if core.asks == "%":
        return [*lines, f"Share of {core.element}: 100 × {own} ÷ {_rounded(core.formula)} = {answer_of(core)}."]
    sample = core.of("g", core.formula)[0]
    return [
        *lines,
        f"Share of {core.element}: {own} ÷ {_rounded(core.formula)} = {written(share, _MORE)}.",
        f"Mass of {core.element}: {sample} × {written(share, _MORE)} = {answer_of(core)}.",
    ]


def _there(core: Core) -> Quantity:
    """How much there is of the substance that is asked about."""
    return (core.of("g", core.formula) + core.of("mol", core.formula))[0]


def _weighed(formula: str) -> str:
    parts = (
        f"{count} × {show(atomic_weight(symbol))}" if count > 1 else show(atomic_weight(symbol))
        for symbol, count in atoms_in(formula).items()
    )
    added = " + ".join(parts)
    # of a single atom there is nothing to add
    sum_of = "" if sum(atoms_in(formula).values()) == 1 else f"{added} = "
    return f"Molar mass of {formula}: {sum_of}{_per_mole(formula)}."


def _rounded(formula: str) -> str:
    return show(round(molar_mass(formula), 3))


def _per_mole(formula: str) -> str:
    return f"{_rounded(formula)} g/mol"


def _moles(one: Quantity) -> float:
    return one.number / molar_mass(one.formula) if one.unit == "g" else one.number


def _amount(one: Quantity) -> str:
    return written(_moles(one), _MORE) if one.unit == "g" else one.value


def _divided(one: Quantity) -> str:
    return f"Amount of {one.formula}: {one} ÷ {_per_mole(one.formula)} = {_amount(one)} mol"


def _particles(core: Core, amount: str) -> str:
    return f"Molecules: {amount} mol × 6.022 × 10^23 per mole = {answer_of(core)}."
