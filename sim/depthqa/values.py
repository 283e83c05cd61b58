"""What is worked out from the values of an element: counts, masses, heats, spans of temperature."""

from ..elements import elements
from .nodes import Unfit, text_of, value_of

MOLECULAR = ("Halogens", "Nonmetals", "Noble gases")
"""Series of elements whose molar heats are quoted per mole of molecules, so that they are not used here."""
ROOM_C = 25.0
MATTER, HEAT, NUCLEI, QUANTITY, BONDING = (
    "Materials",
    "Heat",
    "Nuclei and isotopes",
    "Amounts of substance",
    "Atoms and bonding",
)
"""Fields that questions of depth 2 and 3 belong to."""


def is_main_group(name: str) -> bool:
    """Whether the last digit of the element's group is the number of its outer electrons."""
    return elements()[name].get("group") in (1, 2, 13, 14, 15, 16, 17, 18) and name != "helium"


def outer_electrons(name: str) -> int:
    """Electrons in the outermost shell of a main-group element. Raises Unfit for another."""
    if not is_main_group(name):
        raise Unfit
    return int(elements()[name]["group"]) % 10


def neutrons_of(name: str) -> int:
    """Neutrons in the most abundant isotope. Raises Unfit when there is none in nature."""
    return mass_number(name) - int(elements()[name]["atomic_number"])


def mass_number(name: str) -> int:
    return int(text_of(name, "commonest_isotope").rpartition("-")[2])


def molar_mass(name: str) -> float:
    """Grams per mole of atoms."""
    return value_of(name, "atomic_weight")


def molar_volume(name: str) -> float:
    """Cubic centimetres per mole of atoms, of what is no gas near room temperature. Raises Unfit otherwise."""
    if text_of(name, "state") == "gas":
        raise Unfit
    return molar_mass(name) / value_of(name, "density")


def warming_heat(name: str) -> float:
    """Kilojoules that warm one kilogram from 25 °C to the melting point. Raises Unfit below 100 °C."""
    melting = value_of(name, "melting_c")
    if melting < 100:
        raise Unfit
    return value_of(name, "specific_heat_capacity") * (melting - ROOM_C)


def melting_heat(name: str) -> float:
    """Kilojoules that melt one kilogram at the melting point. Raises Unfit for molecular elements."""
    if elements()[name]["series"] in MOLECULAR:
        raise Unfit
    return value_of(name, "fusion_heat") * 1000 / molar_mass(name)


def liquid_range(name: str) -> float:
    """Degrees from the melting point to the boiling point. Raises Unfit for what sublimes."""
    span = value_of(name, "boiling_c") - value_of(name, "melting_c")
    if span <= 0:
        raise Unfit
    return span


def state_at(name: str, celsius: float) -> str:
    """`solid`, `liquid` or `gaseous` at this temperature. Raises Unfit for what sublimes."""
    liquid_range(name)
    if celsius < value_of(name, "melting_c"):
        return "solid"
    return "liquid" if celsius < value_of(name, "boiling_c") else "gaseous"
