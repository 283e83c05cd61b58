"""Questions of depth 2 about one element: what is worked out, step by step, from a few facts and a formula."""

from ..elements import elements
from .concepts import concept
from .nodes import Kind, Part, Unfit, Written, count_part, figure_part, known_fact, part, shown_part, text_of, value_of
from .values import (
    BONDING,
    HEAT,
    MATTER,
    QUANTITY,
    ROOM_C,
    liquid_range,
    melting_heat,
    molar_mass,
    molar_volume,
    outer_electrons,
    state_at,
    warming_heat,
)


def _melts(a: str) -> Part:
    return shown_part(f"The melting point of {a} is {{v}} °C.", a, "melting_c")


def _boils(a: str) -> Part:
    return shown_part(f"The boiling point of {a} is {{v}} °C.", a, "boiling_c")


def _molar(a: str) -> Part:
    return shown_part(f"One mole of {a} atoms has a mass of {{v}} g.", a, "atomic_weight")


def _write_liquid(a: str) -> Written:
    return Written(
        (_melts(a), _boils(a), figure_part(f"So {a} stays liquid over {{v}} degrees.", liquid_range(a), 6)),
        (known_fact(a, "melting_c"), known_fact(a, "boiling_c"), concept("liquid-range")),
    )


def _write_state(a: str, t: str) -> Written:
    state = state_at(a, float(t))
    return Written(
        (_melts(a), _boils(a), part(f"So at {t} °C it is {{v}}.", state, "solid", "liquid", "gaseous")),
        (known_fact(a, "melting_c"), known_fact(a, "boiling_c"), concept("states")),
    )


def _write_mass(a: str, n: str) -> Written:
    return Written(
        (
            _molar(a),
            part(f"That is {{v}} the {n} moles.", "multiplied by", "divided by", "added to"),
            figure_part(f"So {n} moles of {a} atoms have a mass of {{v}} g.", float(n) * molar_mass(a)),
        ),
        (known_fact(a, "atomic_weight"), concept("molar-mass")),
    )


def _write_amount(a: str, n: str) -> Written:
    return Written(
        (
            _molar(a),
            part(f"The {n} g are {{v}} that.", "divided by", "multiplied by", "added to"),
            figure_part(f"So {n} g of {a} hold {{v}} moles of atoms.", float(n) / molar_mass(a)),
        ),
        (known_fact(a, "atomic_weight"), concept("molar-mass")),
    )


def _write_valence(a: str) -> Written:
    outer, period = outer_electrons(a), int(elements()[a]["period"])
    return Written(
        (
            count_part(f"The last digit of the group of {a} is {{v}}.", outer),
            count_part("By its period the outermost shell is shell number {v}.", period),
            count_part(f"So the outermost shell of an atom of {a} holds this many electrons: {{v}}.", outer),
        ),
        (known_fact(a, "group"), known_fact(a, "period"), concept("outer-shell")),
    )


def _write_ion(a: str) -> Written:
    state, number = int(value_of(a, "oxidation_state")), int(elements()[a]["atomic_number"])
    if not 0 < state < number:
        raise Unfit
    return Written(
        (
            count_part(f"A neutral atom of {a} has {{v}} electrons.", number),
            count_part("In its highest main oxidation state it counts as having given up {v} of them.", state),
            count_part(f"So {{v}} electrons are left to the atom of {a}.", number - state),
        ),
        (known_fact(a, "atomic_number"), known_fact(a, "oxidation_state"), concept("oxidation")),
    )


def _write_volume(a: str) -> Written:
    return Written(
        (
            _molar(a),
            shown_part(f"The density of {a} is {{v}} g/cm³.", a, "density"),
            figure_part(f"So one mole of {a} atoms takes up {{v}} cm³.", molar_volume(a)),
        ),
        (known_fact(a, "atomic_weight"), known_fact(a, "density"), concept("molar-volume")),
    )


def _write_warming(a: str) -> Written:
    rise = value_of(a, "melting_c") - ROOM_C
    return Written(
        (
            figure_part("The temperature has to rise by {v} degrees.", rise, 6),
            shown_part("Each gram takes {v} J for each degree.", a, "specific_heat_capacity"),
            figure_part(f"So warming one kilogram of {a} to its melting point takes {{v}} kJ.", warming_heat(a)),
        ),
        (known_fact(a, "specific_heat_capacity"), known_fact(a, "melting_c"), concept("warming")),
    )


def _write_fusion(a: str) -> Written:
    return Written(
        (
            shown_part("Melting one mole of it takes {v} kJ.", a, "fusion_heat"),
            figure_part(f"One kilogram of {a} holds {{v}} moles of atoms.", 1000 / molar_mass(a)),
            figure_part(f"So melting one kilogram of {a} takes {{v}} kJ.", melting_heat(a)),
        ),
        (known_fact(a, "fusion_heat"), known_fact(a, "atomic_weight"), concept("fusion")),
    )


def _write_cube(a: str) -> Written:
    if text_of(a, "state") != "solid":
        raise Unfit
    return Written(
        (
            shown_part(f"Each cubic centimetre of {a} has a mass of {{v}} g.", a, "density"),
            part("The cube holds {v} cubic centimetres.", "1000", "100", "10000"),
            figure_part(f"So the cube of {a} has a mass of {{v}} kg.", value_of(a, "density")),
        ),
        (known_fact(a, "density"), concept("density")),
    )


LIQUID = Kind(
    "liquid-range", 2, "a",
    (
        "Over how many degrees does {a} stay liquid at ordinary pressure, and how is that found?",
        "How is the span of temperatures determined within which {a} is liquid, and how wide is it?",
    ),
    ("procedural", "quantitative"), HEAT, _write_liquid,
    "Does {a} stay liquid over more than a thousand degrees at ordinary pressure?",
)  # fmt: skip
STATE = Kind(
    "state-at", 2, "at",
    (
        "In which state of matter is {a} at {t} °C, and how do its melting and boiling points settle that?",
        "How can the state of {a} at a temperature of {t} °C be derived, and what is the outcome?",
    ),
    ("criteria", "procedural"), HEAT, _write_state,
    "Has {a} already melted at {t} °C?",
)  # fmt: skip
MASS = Kind(
    "mass", 2, "an",
    (
        "What is the mass of {n} moles of {a} atoms, and by which steps is it worked out?",
        "How does one calculate what {n} moles of {a} atoms weigh?",
    ),
    ("procedural", "quantitative"), QUANTITY, _write_mass,
    "Do {n} moles of {a} atoms have a mass of more than 100 g?",
)  # fmt: skip
AMOUNT = Kind(
    "amount", 2, "an",
    (
        "How many moles of atoms are there in {n} g of {a}, and how does one find out?",
        "How is the amount of substance in a sample of {a} with a mass of {n} g calculated?",
    ),
    ("procedural", "quantitative"), QUANTITY, _write_amount,
    "Are there more than two moles of atoms in {n} g of {a}?",
)  # fmt: skip
VALENCE = Kind(
    "valence", 2, "a",
    (
        "How does the place of {a} in the periodic table show how many electrons its outermost shell holds?",
        "By means of group and period, how are the outer electrons of {a} atoms counted?",
    ),
    ("procedural", "relational"), BONDING, _write_valence,
    "Does the outermost shell of an atom of {a} hold more than four electrons?",
)  # fmt: skip
ION = Kind(
    "ion", 2, "a",
    (
        "How many electrons are left to an atom of {a} in its highest main oxidation state, and how is that reckoned?",
        "How does one reckon the electrons that {a} keeps when its oxidation state is the highest common one?",
    ),
    ("procedural", "quantitative"), BONDING, _write_ion,
    "Does {a} keep more than half of its electrons in its highest main oxidation state?",
)  # fmt: skip
VOLUME = Kind(
    "molar-volume", 2, "a",
    (
        "How much space does one mole of {a} atoms take up, and how does that follow from its density?",
        "By what calculation is the molar volume of {a} obtained, and what does it come to?",
    ),
    ("procedural", "quantitative"), QUANTITY, _write_volume,
    "Does one mole of {a} atoms take up more than ten cubic centimetres?",
)  # fmt: skip
WARMING = Kind(
    "warming", 2, "a",
    (
        "How much heat brings one kilogram of {a} from 25 °C to its melting point, by which calculation?",
        "How does one estimate the heat that warms a kilogram of {a} from 25 °C until it begins to melt?",
    ),
    ("procedural", "quantitative"), HEAT, _write_warming,
    "Does it take more than 500 kJ to warm one kilogram of {a} from 25 °C to its melting point?",
)  # fmt: skip
FUSION = Kind(
    "fusion", 2, "a",
    (
        "How much energy does it take to melt one kilogram of {a} that has reached its melting point, and why so much?",
        "How is the energy for melting a kilogram of hot solid {a} derived from its molar heat of fusion?",
    ),
    ("procedural", "quantitative"), HEAT, _write_fusion,
    "Does it take more than 200 kJ to melt one kilogram of {a} that has reached its melting point?",
)  # fmt: skip
CUBE = Kind(
    "cube", 2, "a",
    (
        "How heavy is a solid cube of {a} with edges of ten centimetres, and how is that calculated?",
        "How does one get from its density to the mass of a block of {a} of ten by ten by ten centimetres?",
    ),
    ("procedural", "quantitative"), MATTER, _write_cube,
    "Is a solid cube of {a} with edges of ten centimetres heavier than ten kilograms?",
)  # fmt: skip
STEPS = (LIQUID, STATE, MASS, AMOUNT, VALENCE, ION, VOLUME, WARMING, FUSION, CUBE)
