"""Questions of depth 2 about two elements: which of them has more of something, and by how much."""

from functools import partial

from ...state.depthqa.items import Reasoning
from .concepts import concept
from .nodes import DeepQuestion, Kind, Unfit, Written, figure_part, known_fact, make, part, shown_part, value_of
from .values import BONDING, HEAT, MATTER


def pair(kind: Kind, a: str, b: str) -> DeepQuestion:
    """The question about these two, whichever is named first. Raises Unfit."""
    return make(kind, *sorted((a, b)))


def higher(prop: str, a: str, b: str) -> tuple[str, str]:
    """The one with the higher figure, and the other. Raises Unfit when a figure is not known or they are the same."""
    first, second = value_of(a, prop), value_of(b, prop)
    if first == second:
        raise Unfit
    return (a, b) if first > second else (b, a)


def gap(prop: str, a: str, b: str) -> float:
    return abs(value_of(a, prop) - value_of(b, prop))


def ratio(prop: str, a: str, b: str) -> float:
    """The higher figure over the lower one. Raises Unfit where a figure is not positive."""
    low, high = sorted((value_of(a, prop), value_of(b, prop)))
    if low <= 0:
        raise Unfit
    return high / low


def bond(a: str, b: str) -> str:
    """The kind of bond that the electronegativities lead one to expect."""
    difference = gap("en_pauling", a, b)
    if difference < 0.5:
        return "nonpolar covalent"
    return "polar covalent" if difference < 1.7 else "ionic"


def _compare(prop: str, noun: str, unit: str, most: str, much: str, by: str, a: str, b: str) -> Written:
    """Both figures, the one with more, and by how much: by a difference or a ratio."""
    first, second = higher(prop, a, b)
    amount = ratio(prop, a, b) if by == "ratio" else gap(prop, a, b)
    return Written(
        (
            *(shown_part(f"The {noun} of {name} is {{v}}{unit}.", name, prop) for name in (a, b)),
            part(f"{most} {{v}}.", first, second),
            figure_part(much, amount, 4 if by == "ratio" else 6),
        ),
        (known_fact(a, prop), known_fact(b, prop)),
    )


def _write_bond(a: str, b: str) -> Written:
    first, second = higher("en_pauling", a, b)
    return Written(
        (
            figure_part("On the Pauling scale the electronegativities differ by {v}.", gap("en_pauling", a, b)),
            part("The shared electrons are drawn towards {v}.", first, second),
            part("So the bond counts as {v}.", bond(a, b), "ionic", "polar covalent", "nonpolar covalent"),
        ),
        (known_fact(a, "en_pauling"), known_fact(b, "en_pauling"), concept("bond")),
    )


def _comparison(
    name: str, prop: str, noun: str, unit: str, most: str, much: str, *, by: str, domain: str,
    reasoning: tuple[Reasoning, ...], wordings: tuple[str, ...], yes_no: str,
) -> Kind:  # fmt: skip
    write = partial(_compare, prop, noun, unit, most, much, by)
    return Kind(name, 2, "ab", wordings, reasoning, domain, write, yes_no)


MELTING = _comparison(
    "melting-gap", "melting_c", "melting point", " °C",
    "So the higher melting point is that of", "The melting points are {v} degrees apart.",
    by="difference", domain=HEAT, reasoning=("comparative", "quantitative"),
    wordings=(
        "Which of {a} and {b} melts at the higher temperature, and by how many degrees?",
        "How far apart are the temperatures at which {a} and {b} turn liquid, and which comes first?",
    ),
    yes_no="Does {a} melt at a higher temperature than {b}?",
)  # fmt: skip
DENSITY = _comparison(
    "density-ratio", "density", "density", " g/cm³",
    "So the denser of the two is", "It is {v} times as dense as the other.",
    by="ratio", domain=MATTER, reasoning=("comparative", "quantitative"),
    wordings=(
        "How do the densities of {a} and {b} compare when expressed as a ratio?",
        "Which is the denser material, {a} or {b}, and how many times as dense is it?",
    ),
    yes_no="Is {a} denser than {b}?",
)  # fmt: skip
CONDUCTIVITY = _comparison(
    "conductivity-ratio", "thermal_conductivity", "thermal conductivity", " W/(m K)",
    "So the better conductor of heat is", "It conducts heat {v} times as well as the other.",
    by="ratio", domain=HEAT, reasoning=("comparative", "quantitative"),
    wordings=(
        "Through which of {a} and {b} does heat flow more easily, and how many times more easily?",
        "How does {a} compare with {b} as a conductor of heat, put as a ratio?",
    ),
    yes_no="Does {a} conduct heat better than {b}?",
)  # fmt: skip
ABUNDANCE = _comparison(
    "abundance-ratio", "abundance_crust", "abundance in the Earth's crust", " mg/kg",
    "So the more abundant of the two is", "The crust holds {v} times as much of it as of the other.",
    by="ratio", domain=MATTER, reasoning=("comparative", "quantitative"),
    wordings=(
        "How many times more plentiful in the Earth's crust is the commoner one of {a} and {b}?",
        "How do {a} and {b} compare in their abundance in the crust of the Earth, as a ratio?",
    ),
    yes_no="Is {a} more plentiful in the Earth's crust than {b}?",
)  # fmt: skip
IONISATION = _comparison(
    "ionisation-gap", "ionisation_1", "first ionisation energy", " eV",
    "So the first electron is harder to take from", "The difference amounts to {v} eV.",
    by="difference", domain=BONDING, reasoning=("comparative", "quantitative"),
    wordings=(
        "From which of {a} and {b} is the first electron harder to take away, and by how many electronvolts?",
        "How large is the difference in energy between taking one electron from {a} and taking one from {b}?",
    ),
    yes_no="Is it harder to take the first electron from {a} than from {b}?",
)  # fmt: skip
RADIUS = _comparison(
    "radius-gap", "atomic_radius", "empirical atomic radius", " pm",
    "So the larger atoms are those of", "The radii differ by {v} pm.",
    by="difference", domain=BONDING, reasoning=("comparative", "quantitative"),
    wordings=(
        "Which atoms are larger, those of {a} or those of {b}, and by how many picometres in radius?",
        "How do atoms of {a} and {b} differ in size, judged by their empirical radii?",
    ),
    yes_no="Are atoms of {a} larger than atoms of {b}?",
)  # fmt: skip
BOND = Kind(
    "bond", 2, "ab",
    (
        "What kind of bond is to be expected between {a} and {b}, and how is it read off their electronegativities?",
        "How do electronegativities tell in what way atoms of {a} and {b} are bound to each other?",
    ),
    ("criteria", "relational"), BONDING, _write_bond,
    "Is the bond between {a} and {b} mainly ionic?",
)  # fmt: skip

PAIRS = (MELTING, DENSITY, CONDUCTIVITY, ABUNDANCE, IONISATION, RADIUS, BOND)
