"""Questions of depth 2 and 3 about the nuclei and isotopes of one element."""

from ..elements import elements
from ..facts import Row
from .concepts import concept
from .nodes import Kind, Unfit, Written, count_part, figure, figure_part, known_fact, make, part, text_of
from .steps import MASS
from .values import NUCLEI, mass_number, neutrons_of


def _natural_pair(a: str) -> list[Row]:
    """The two natural isotopes. Raises Unfit where there are more or fewer."""
    natural = [isotope for isotope in elements()[a]["isotopes"] if isotope.get("abundance")]
    if len(natural) != 2:
        raise Unfit
    return natural


def _write_neutrons(a: str) -> Written:
    mass, number = mass_number(a), int(elements()[a]["atomic_number"])
    return Written(
        (
            count_part(f"The most abundant isotope of {a} has the mass number {{v}}.", mass),
            count_part("From this the atomic number is taken away, which is {v}.", number),
            count_part(f"So the most abundant isotope of {a} has {{v}} neutrons.", mass - number),
        ),
        (known_fact(a, "commonest_isotope"), known_fact(a, "atomic_number"), concept("neutrons")),
    )


def _write_average(a: str) -> Written:
    natural = _natural_pair(a)
    names = [f"{a}-{isotope['mass_number']}" for isotope in natural]
    weighted = sum(isotope["mass"] * isotope["abundance"] for isotope in natural) / 100
    each = (
        part(f"Of 100 atoms, {{v}} are atoms of {name}.", text_of(name, "isotope_abundance"), *wrong)
        for name, wrong in zip(names, _wrong_shares(natural[0]["abundance"]), strict=True)
    )
    return Written(
        (*each, figure_part(f"So the mean mass of an atom of {a} is {{v}} daltons.", weighted)),
        tuple(known_fact(name, prop) for prop in ("isotope_mass", "isotope_abundance") for name in names),
    )


def _wrong_shares(first: float) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Shares in per cent that two isotopes with these shares do not have."""
    others = [share for share in (50.0, 12.0, 91.5, 33.3) if min(abs(share - first), abs(100 - share - first)) > 1]
    return tuple(map(figure, others)), tuple(figure(100 - share) for share in others)


def _write_isotope(a: str, n: str) -> Written:
    if elements()[a]["atomic_number"] < 3:  # where the isotopes' masses differ so much that the chemistry does too
        raise Unfit
    rare, common = sorted(_natural_pair(a), key=lambda isotope: float(isotope["abundance"]))
    more = rare["mass_number"] > common["mass_number"]
    return Written(
        (
            part("The atomic weight would be {v} than it is.", *(("higher", "lower") if more else ("lower", "higher"))),
            figure_part("It would come to {v} daltons.", rare["mass"]),
            figure_part(f"The mass of {n} moles of atoms would come to {{v}} g.", rare["mass"] * float(n)),
            count_part("Every nucleus would have {v} neutrons.", neutrons_of(a) + rare["mass_number"]
                       - common["mass_number"]),
            part("The chemistry would stay the same because {v} would.", "the number of electrons",
                 "the number of neutrons", "the mass of the nucleus"),
        ),
        (make(AVERAGE, a), make(NEUTRONS, a), make(MASS, a, n)),
    )  # fmt: skip


NEUTRONS = Kind(
    "neutrons", 2, "a",
    (
        "How does one work out the number of neutrons in the most abundant isotope of {a}?",
        "By which steps does one arrive at the neutrons in an atom of the commonest isotope of {a}?",
    ),
    ("procedural", "quantitative"), NUCLEI, _write_neutrons,
    "Does the most abundant isotope of {a} have more neutrons than protons?",
)  # fmt: skip
AVERAGE = Kind(
    "average", 2, "a",
    (
        "How does the mean atomic mass of natural {a} come about from its isotopes?",
        "By which calculation do the isotopes of {a} lead to the mass of its average atom?",
    ),
    ("procedural", "quantitative"), NUCLEI, _write_average,
    "Is the mean atomic mass of natural {a} closer to that of its lighter isotope?",
)  # fmt: skip

ISOTOPE = Kind(
    "isotope", 3, "an",
    (
        "Suppose only the rarer natural isotope of {a} were left on Earth: what would become of the atomic weight and"
        " of the mass of {n} moles, and why would the chemistry stay as it is?",
    ),
    ("causal", "quantitative", "inductive"), NUCLEI, _write_isotope,
)  # fmt: skip
