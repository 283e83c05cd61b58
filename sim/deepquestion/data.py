"""Compounds and reactions that problems are made of, and what follows from the atomic weights of the elements."""

import re
from functools import cache, lru_cache
from math import floor, log10

from ..elements import elements

AVOGADRO = 6.02214076e23
"""Particles in a mole."""
DIGITS = 3
"""Significant digits of an answer."""

COMPOUNDS: dict[str, str] = {
    "NaCl": "sodium chloride", "KCl": "potassium chloride", "CaCl2": "calcium chloride", "NaOH": "sodium hydroxide",
    "KOH": "potassium hydroxide", "Ca(OH)2": "calcium hydroxide", "NaHCO3": "sodium hydrogencarbonate",
    "Na2CO3": "sodium carbonate", "K2CO3": "potassium carbonate", "CaCO3": "calcium carbonate",
    "MgCO3": "magnesium carbonate", "CaO": "calcium oxide", "MgO": "magnesium oxide", "Al2O3": "aluminium oxide",
    "Fe2O3": "iron(III) oxide", "Fe3O4": "iron(II,III) oxide", "CuO": "copper(II) oxide", "ZnO": "zinc oxide",
    "TiO2": "titanium dioxide", "SiO2": "silicon dioxide", "P4O10": "phosphorus pentoxide", "SO2": "sulfur dioxide",
    "SO3": "sulfur trioxide", "NO2": "nitrogen dioxide", "CO": "carbon monoxide", "CO2": "carbon dioxide",
    "H2O": "water", "H2O2": "hydrogen peroxide", "NH3": "ammonia", "CH4": "methane", "C2H6": "ethane",
    "C3H8": "propane", "C4H10": "butane", "C8H18": "octane", "C2H5OH": "ethanol", "CH3COOH": "acetic acid",
    "C6H12O6": "glucose", "C12H22O11": "sucrose", "CO(NH2)2": "urea", "H2SO4": "sulfuric acid", "HNO3": "nitric acid",
    "HCl": "hydrogen chloride", "H3PO4": "phosphoric acid", "KNO3": "potassium nitrate", "NaNO3": "sodium nitrate",
    "NH4NO3": "ammonium nitrate", "NH4Cl": "ammonium chloride", "(NH4)2SO4": "ammonium sulfate",
    "Ca(NO3)2": "calcium nitrate", "AgNO3": "silver nitrate", "AgCl": "silver chloride", "BaCl2": "barium chloride",
    "BaSO4": "barium sulfate", "CuSO4": "copper(II) sulfate", "MgSO4": "magnesium sulfate", "Na2SO4": "sodium sulfate",
    "K2SO4": "potassium sulfate", "KMnO4": "potassium permanganate", "K2Cr2O7": "potassium dichromate",
    "Ca3(PO4)2": "calcium phosphate", "Al2(SO4)3": "aluminium sulfate", "KI": "potassium iodide", "PbI2":
    "lead(II) iodide", "Pb(NO3)2": "lead(II) nitrate", "ZnCl2": "zinc chloride", "FeCl3": "iron(III) chloride",
    "AlCl3": "aluminium chloride", "NaF": "sodium fluoride", "KBr": "potassium bromide", "ZnS": "zinc sulfide",
    "FeS2": "pyrite", "KClO3": "potassium chlorate", "NaClO": "sodium hypochlorite", "Na2S2O3": "sodium thiosulfate",
    "LiOH": "lithium hydroxide", "Li2CO3": "lithium carbonate", "Mg(OH)2": "magnesium hydroxide",
}  # fmt: skip
"""Formula → name."""
SIMPLE: dict[str, str] = {
    "H2": "hydrogen", "O2": "oxygen", "N2": "nitrogen", "Cl2": "chlorine", "Na": "sodium", "Mg": "magnesium",
    "Al": "aluminium", "Fe": "iron", "Cu": "copper", "Zn": "zinc", "C": "carbon", "S": "sulfur", "P4": "phosphorus",
    "Ca": "calcium", "Ag": "silver",
}  # fmt: skip
"""Elements as substances: formula → name."""
MOLECULAR = (
    "SO2", "SO3", "NO2", "CO", "CO2", "H2O", "H2O2", "NH3", "CH4", "C2H6", "C3H8", "C4H10", "C8H18", "C2H5OH",
    "CH3COOH", "C6H12O6", "C12H22O11", "CO(NH2)2", "H2SO4", "HNO3", "H3PO4", "P4O10",
)  # fmt: skip
"""Compounds that consist of molecules."""
SOLUBLE = (
    "NaCl", "KCl", "CaCl2", "NaOH", "KOH", "NaHCO3", "Na2CO3", "K2CO3", "C6H12O6", "C12H22O11", "CO(NH2)2", "KNO3",
    "NaNO3", "NH4NO3", "NH4Cl", "(NH4)2SO4", "Ca(NO3)2", "AgNO3", "BaCl2", "CuSO4", "MgSO4", "Na2SO4", "K2SO4",
    "KMnO4", "K2Cr2O7", "KI", "ZnCl2", "FeCl3", "NaF", "KBr", "Na2S2O3", "LiOH",
)  # fmt: skip
"""Compounds that are dissolved in water."""
REACTIONS = (
    "2 H2 + O2 → 2 H2O",
    "N2 + 3 H2 → 2 NH3",
    "CH4 + 2 O2 → CO2 + 2 H2O",
    "C3H8 + 5 O2 → 3 CO2 + 4 H2O",
    "2 C4H10 + 13 O2 → 8 CO2 + 10 H2O",
    "2 C8H18 + 25 O2 → 16 CO2 + 18 H2O",
    "C2H5OH + 3 O2 → 2 CO2 + 3 H2O",
    "2 Mg + O2 → 2 MgO",
    "4 Al + 3 O2 → 2 Al2O3",
    "4 Fe + 3 O2 → 2 Fe2O3",
    "Fe2O3 + 3 CO → 2 Fe + 3 CO2",
    "Fe2O3 + 2 Al → Al2O3 + 2 Fe",
    "CuO + H2 → Cu + H2O",
    "CaO + H2O → Ca(OH)2",
    "2 NaOH + H2SO4 → Na2SO4 + 2 H2O",
    "Ca(OH)2 + CO2 → CaCO3 + H2O",
    "CaCO3 + 2 HCl → CaCl2 + H2O + CO2",
    "Mg + 2 HCl → MgCl2 + H2",
    "Zn + 2 HCl → ZnCl2 + H2",
    "AgNO3 + NaCl → AgCl + NaNO3",
    "BaCl2 + Na2SO4 → BaSO4 + 2 NaCl",
    "Pb(NO3)2 + 2 KI → PbI2 + 2 KNO3",
    "2 NaHCO3 + H2SO4 → Na2SO4 + 2 H2O + 2 CO2",
    "P4 + 5 O2 → P4O10",
    "2 SO2 + O2 → 2 SO3",
    "4 NH3 + 5 O2 → 4 NO + 6 H2O",
    "2 ZnS + 3 O2 → 2 ZnO + 2 SO2",
    "4 FeS2 + 11 O2 → 2 Fe2O3 + 8 SO2",
)
"""Balanced."""
_MORE = {"MgCl2": "magnesium chloride", "NO": "nitrogen monoxide"}

FORMULA = r"(?:[A-Z][a-z]?\d*|\((?:[A-Z][a-z]?\d*)+\)\d*)+"
"""A pattern for what looks like a formula; `atoms_in` knows whether it is one."""
_GROUP = re.compile(r"\(((?:[A-Z][a-z]?\d*)+)\)(\d*)|([A-Z][a-z]?)(\d*)")
_TERM = re.compile(rf"(?:(\d+) ?)?({FORMULA})")
_ARROW = re.compile(r"\s*(?:→|⟶|->|⇌)\s*")

Side = tuple[tuple[int, str], ...]
"""One side of an equation: coefficient and formula of each substance."""


@cache
def weights() -> dict[str, float]:
    """Symbol → standard atomic weight in g/mol."""
    return {row["symbol"]: float(row["atomic_weight"]) for row in elements().values()}


@cache
def element_names() -> dict[str, str]:
    """Symbol → the element's name inside a sentence."""
    return {row["symbol"]: name for name, row in elements().items()}


@lru_cache(maxsize=4096)
def atoms_in(formula: str) -> dict[str, int]:
    """Atoms of each element; none of what is no formula."""
    counts: dict[str, int] = {}
    if not re.fullmatch(FORMULA, formula):
        return counts
    for group, times, symbol, count in _GROUP.findall(formula):
        inner = atoms_in(group) if group else {symbol: int(count or 1)}
        for name, number in inner.items():
            counts[name] = counts.get(name, 0) + number * int(times or 1)
    return counts if counts.keys() <= weights().keys() else {}


@lru_cache(maxsize=4096)
def molar_mass(formula: str, decimals: int | None = None) -> float:
    """Grams per mole; `decimals`: of the atomic weights, where they are rounded first."""
    return sum(atomic_weight(symbol, decimals) * count for symbol, count in atoms_in(formula).items())


def atomic_weight(symbol: str, decimals: int | None = None) -> float:
    # half upwards, as in a table of rounded weights: 35.45 is 35.5
    weight = weights()[symbol]
    return weight if decimals is None else floor(weight * 10**decimals + 0.5 + 1e-9) / 10**decimals


def name_of(formula: str) -> str:
    """The substance's name; the formula itself where it has none here."""
    return COMPOUNDS.get(formula) or SIMPLE.get(formula) or _MORE.get(formula) or formula


def named(formula: str) -> str:
    """A substance as texts write it: `water (H2O)`."""
    return f"{name_of(formula)} ({formula})"


def element_named(symbol: str) -> str:
    """An element in a compound: `nitrogen (N)`."""
    return f"{element_names()[symbol]} ({symbol})"


@lru_cache(maxsize=256)
def sides_of(equation: str) -> tuple[Side, Side] | None:
    """What reacts and what forms; None for what is no equation."""
    halves = [_side(half) for half in _ARROW.split(equation.strip())]
    return (halves[0], halves[1]) if len(halves) == 2 and all(halves) else None


def _side(text: str) -> Side:
    terms = [_TERM.fullmatch(part.strip()) for part in text.split("+")]
    if any(term is None or not atoms_in(term[2]) for term in terms):
        return ()
    return tuple((int(term[1] or 1), term[2]) for term in terms if term)


def is_balanced(equation: tuple[Side, Side]) -> bool:
    return _total(equation[0]) == _total(equation[1])


def _total(side: Side) -> dict[str, int]:
    total: dict[str, int] = {}
    for coefficient, formula in side:
        for symbol, count in atoms_in(formula).items():
            total[symbol] = total.get(symbol, 0) + coefficient * count
    return total


def written(value: float, digits: int = DIGITS) -> str:
    """A positive number with so many significant digits, trailing zeros included; large ones with a power of ten."""
    if value >= 1e6:
        power = floor(log10(float(f"{value:.{digits}g}")))
        return f"{value / 10**power:.{digits - 1}f} × 10^{power}"
    rounded = float(f"{value:.{digits}g}")
    places = max(0, digits - 1 - floor(log10(rounded))) if rounded else digits - 1
    return f"{rounded:.{places}f}"
