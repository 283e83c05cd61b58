"""Questions of depth 3 about one element or two: what is weighed and joined, from three or four worked-out answers."""

from math import gcd

from ..elements import elements
from .nodes import Kind, Unfit, Written, count_part, figure_part, make, part, text_of, value_of
from .nuclei import ISOTOPE
from .pairs import ABUNDANCE, BOND, CONDUCTIVITY, DENSITY, IONISATION, MELTING, RADIUS, bond, gap, higher, pair, ratio
from .steps import AMOUNT, CUBE, FUSION, ION, LIQUID, STATE, VALENCE, VOLUME, WARMING
from .values import (
    BONDING,
    HEAT,
    MATTER,
    QUANTITY,
    liquid_range,
    melting_heat,
    molar_mass,
    molar_volume,
    outer_electrons,
    state_at,
    warming_heat,
)

_CLEAR = 1.02
"""Ratio from which two figures count as different."""
_MARGIN_C = 20.0
"""Least distance of the furnace's temperature from both melting points."""


def _winner(a: str, b: str, first: float, second: float) -> tuple[str, str]:
    """The one with the higher figure, and the other. Raises Unfit for a near tie."""
    low, high = sorted((first, second))
    if low <= 0 or high / low < _CLEAR:
        raise Unfit
    return (a, b) if first > second else (b, a)


def _solid(*names: str) -> None:
    if any(text_of(name, "state") != "solid" for name in names):
        raise Unfit


def _write_spreader(a: str, b: str) -> Written:
    _solid(a, b)
    conducts, other = higher("thermal_conductivity", a, b)
    dense, light = higher("density", a, b)
    merit = {name: value_of(name, "thermal_conductivity") / value_of(name, "density") for name in (a, b)}
    best, rest = _winner(a, b, merit[a], merit[b])
    return Written(
        (
            part("Mass for mass the better choice is {v}.", best, rest),
            part("Heat flows more easily through {v}.", conducts, other),
            figure_part("It flows {v} times as easily.", ratio("thermal_conductivity", a, b)),
            part("The lighter of the two is {v}.", light, dense),
            figure_part(
                "For its mass the better choice carries off {v} times as much heat.", merit[best] / merit[rest]
            ),
        ),
        tuple(pair(kind, a, b) for kind in (CONDUCTIVITY, DENSITY, MELTING)),
    )


def _write_coolant(a: str, b: str) -> Written:
    wide, narrow = _winner(a, b, liquid_range(a), liquid_range(b))
    late, early = higher("melting_c", a, b)
    weakness = "it has to be heated more before it melts" if wide == late else "nothing, because it also melts earlier"
    return Written(
        (
            part("To be preferred is {v}.", wide, narrow),
            figure_part(f"The liquid range of {a} comes to {{v}} degrees.", liquid_range(a), 6),
            figure_part(f"The liquid range of {b} comes to {{v}} degrees.", liquid_range(b), 6),
            part("The one that melts earlier is {v}.", early, late),
            part("What weakens the case is this: {v}.", weakness, "it boils earlier", "it is a poor conductor"),
        ),
        (make(LIQUID, a), make(LIQUID, b), pair(MELTING, a, b)),
    )


def _write_compound(a: str, b: str) -> Written:
    gives, outer = outer_electrons(a), outer_electrons(b)
    if a == "hydrogen" or elements()[a]["group"] > 13 or not 5 <= outer <= 7 or bond(a, b) == "nonpolar covalent":
        raise Unfit
    lacks = 8 - outer
    atoms = [lacks // gcd(gives, lacks), gives // gcd(gives, lacks)]
    founded = "well founded" if bond(a, b) == "ionic" else "only half the truth"
    wrong = [f"{x} to {y}" for x, y in ((atoms[1], atoms[0]), (1, 1), (2, 1), (4, 3)) if [x, y] != atoms]
    return Written(
        (
            part(f"The ratio of {a} atoms to {b} atoms is {{v}}.", f"{atoms[0]} to {atoms[1]}", *wrong),
            count_part(f"An atom of {a} can give up as many outer electrons as this: {{v}}.", gives),
            count_part(f"To fill its outermost shell an atom of {b} lacks as many as this: {{v}}.", lacks),
            part("By the electronegativities the bond is {v}.", bond(a, b), "nonpolar covalent", "polar covalent",
                 "ionic"),
            part("So the picture of ions is {v}.", founded, "well founded", "only half the truth", "without any basis"),
        ),
        (make(VALENCE, a), make(ION, a), make(VALENCE, b), pair(BOND, a, b)),
    )  # fmt: skip


def _write_foundry(a: str, b: str) -> Written:
    total = {name: warming_heat(name) + melting_heat(name) for name in (a, b)}
    much, little = _winner(a, b, total[a], total[b])
    warming = abs(warming_heat(a) - warming_heat(b)) > abs(melting_heat(a) - melting_heat(b))
    decides = "warming up" if warming else "melting itself"
    return Written(
        (
            part("Less energy is needed for {v}.", little, much),
            figure_part(f"A kilogram of {a} takes {{v}} kJ in all.", total[a]),
            figure_part(f"A kilogram of {b} takes {{v}} kJ in all.", total[b]),
            part("The greater part of the difference lies in {v}.", decides, "warming up", "melting itself",
                 "evaporation"),
        ),
        (make(WARMING, a), make(FUSION, a), make(WARMING, b), make(FUSION, b)),
    )  # fmt: skip


def _fitting_c(a: str, b: str) -> str:
    """Halfway between the melting points, as a whole number."""
    return str(round((value_of(a, "melting_c") + value_of(b, "melting_c")) / 2))


def _write_furnace(a: str, b: str) -> Written:
    _solid(a, b)
    fit, unfit = higher("melting_c", a, b)
    celsius = _fitting_c(a, b)
    margin = value_of(fit, "melting_c") - float(celsius)
    if margin < _MARGIN_C:
        raise Unfit
    return Written(
        (
            part("The one that is fit is {v}.", fit, unfit),
            part(f"At {celsius} °C the other one is already {{v}}.", state_at(unfit, float(celsius)), "liquid",
                 "gaseous", "solid"),
            figure_part("The margin up to the melting point of the fit one is {v} degrees.", margin, 6),
            figure_part("The two melting points are {v} degrees apart.", gap("melting_c", a, b), 6),
        ),
        (make(STATE, a, celsius), make(STATE, b, celsius), pair(MELTING, a, b)),
    )  # fmt: skip


def _write_trend(a: str, b: str) -> Written:
    if elements()[a].get("group") != elements()[b].get("group"):
        raise Unfit
    outer, shells = outer_electrons(a), (elements()[a]["period"], elements()[b]["period"])
    if higher("ionisation_1", a, b)[0] != b or higher("atomic_radius", a, b)[0] != a or shells[0] <= shells[1]:
        raise Unfit
    return Written(
        (
            part(f"In {a} the outermost electrons are {{v}} the nucleus.", "farther from", "closer to",
                 "as far as in the other from"),
            count_part("In both atoms the outermost shell holds as many electrons as this: {v}.", outer),
            count_part(f"In {a} that is shell number {{v}}.", shells[0]),
            figure_part("The larger atom exceeds the other in radius by {v} pm.", gap("atomic_radius", a, b)),
            figure_part("It gives up an electron for {v} eV less.", gap("ionisation_1", a, b), 6),
        ),
        (make(VALENCE, a), make(VALENCE, b), pair(RADIUS, a, b), pair(IONISATION, a, b)),
    )  # fmt: skip


def _write_portions(a: str, b: str, n: str) -> Written:
    many, few = _winner(a, b, 1 / molar_mass(a), 1 / molar_mass(b))
    space = {name: molar_volume(name) / molar_mass(name) for name in (a, b)}
    large, small = _winner(a, b, space[a], space[b])
    return Written(
        (
            part("The claim is {v}.", "wrong on both counts", "right on both counts", "right as to the space only"),
            part("More atoms are in the portion of {v}.", many, few),
            figure_part("It holds {v} times as many.", molar_mass(few) / molar_mass(many)),
            part("More space is taken up by {v}.", large, small),
            figure_part("It fills {v} times the volume.", space[large] / space[small]),
        ),
        (make(AMOUNT, a, n), make(AMOUNT, b, n), make(VOLUME, a), make(VOLUME, b)),
    )


def _use(a: str, b: str) -> str:
    return text_of(a, "use")


def _write_substitute(a: str, b: str) -> Written:
    _solid(a, b)
    plenty, dense, late = (higher(prop, a, b) for prop in ("abundance_crust", "density", "melting_c"))
    speaks_for = [plenty[0] == b, dense[0] == a, late[0] == b]
    if all(speaks_for) or not any(speaks_for):
        raise Unfit
    balance = "for the change" if sum(speaks_for) > 1 else "against the change"
    return Written(
        (
            part("Two of the three measures speak {v}.", balance, "for the change", "against the change"),
            part("More plentiful in the crust is {v}.", *plenty),
            part("The one that makes a lighter part is {v}.", dense[1], dense[0]),
            part("Heat is withstood better by {v}.", *late),
        ),
        tuple(pair(kind, a, b) for kind in (ABUNDANCE, DENSITY, MELTING)),
    )


def _write_keel(a: str, b: str) -> Written:
    dense, light = higher("density", a, b)
    late, early = higher("melting_c", a, b)
    cost = "it melts later and is harder to cast" if dense == late else "nothing, because it is also easier to cast"
    return Written(
        (
            part("For the keel the wiser choice is {v}.", dense, light),
            figure_part("Ten litres of it are heavier by {v} kg than ten litres of the other.",
                        10 * gap("density", a, b)),
            part("Easier to cast is {v}.", early, late),
            part("The price of the choice is this: {v}.", cost, "it melts earlier than it boils",
                 "it takes up more space"),
        ),
        (make(CUBE, a), make(CUBE, b), pair(MELTING, a, b)),
    )  # fmt: skip


SPREADER = Kind(
    "spreader", 3, "ab",
    (
        "A heat spreader for a satellite has to be light, to conduct heat well and to stay solid: which of {a} and {b}"
        " suits it better, and why?",
    ),
    ("evaluative", "comparative", "criteria"), MATTER, _write_spreader,
)  # fmt: skip
COOLANT = Kind(
    "coolant", 3, "ab",
    (
        "A coolant is to stay liquid over as wide a range of temperatures as possible: is {a} or {b} to be preferred,"
        " and what weakens the case for it?",
    ),
    ("evaluative", "comparative"), HEAT, _write_coolant,
)  # fmt: skip
COMPOUND = Kind(
    "compound", 3, "ab",
    (
        "Why are {a} and {b} expected to combine in one fixed ratio of atoms, and how sound is the picture of ions"
        " behind that expectation?",
    ),
    ("causal", "relational", "evaluative"), BONDING, _write_compound,
)  # fmt: skip
FOUNDRY = Kind(
    "foundry", 3, "ab",
    (
        "A foundry wants to spend as little energy as it can on melting down scrap from room temperature: would {a}"
        " or {b} cost it less for each kilogram, and what decides the matter?",
    ),
    ("evaluative", "quantitative", "causal"), HEAT, _write_foundry,
)  # fmt: skip
FURNACE = Kind(
    "furnace", 3, "ab",
    (
        "Why would an engineer who needs a solid fitting for a furnace at {t} °C accept only one of {a} and {b}, and"
        " how comfortable is the margin?",
    ),
    ("criteria", "causal", "application"), MATTER, _write_furnace, fill=_fitting_c,
)  # fmt: skip
TREND = Kind(
    "trend", 3, "ab",
    (
        "Why does {a} part with an electron more readily than {b}, although atoms of both have the same number of"
        " outer electrons?",
    ),
    ("causal", "comparative"), BONDING, _write_trend,
)  # fmt: skip
PORTIONS = Kind(
    "portions", 3, "abn",
    ("Judge the claim that {n} g of {a} and {n} g of {b} hold equally many atoms and take up equally much space.",),
    ("evaluative", "quantitative"), QUANTITY, _write_portions,
)  # fmt: skip
SUBSTITUTE = Kind(
    "substitute", 3, "ab",
    (
        "For {x} it is proposed to put {b} in the place of {a}: what speaks for the change and what against it, if"
        " abundance, weight and resistance to heat count alike?",
    ),
    ("evaluative", "comparative", "application"), MATTER, _write_substitute, fill=_use,
)  # fmt: skip
KEEL = Kind(
    "keel", 3, "ab",
    (
        "A boatbuilder looks for ballast that puts much mass into a narrow keel and can still be cast: how should"
        " {a} and {b} be weighed against each other, and what is the price of the wiser choice?",
    ),
    ("evaluative", "application"), MATTER, _write_keel,
)  # fmt: skip

STRATEGIES = (SPREADER, COOLANT, COMPOUND, FOUNDRY, FURNACE, ISOTOPE, TREND, PORTIONS, SUBSTITUTE, KEEL)
