"""Facts about classes of elements (groups, periods, blocks, series, lattices, countries, people): who is in them, and
which member is at an extreme. Their values are elements, so a right answer names where to go on.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from ..state.tiers import Tier
from .facts import LATTICES, Fact, Row, Subject, block_title, configuration, is_radioactive, lower_first, state_fact
from .properties import COMMON, PROFESSIONAL, SPECIALIST, TEXTBOOK, Property

ELEMENT_VALUED = "element"
"""Property id of every fact whose value is an element: they share one pool of values."""

STRUCTURAL = ("group", "period", "block", "series")

SURVEY = "Comparison of the members"


@dataclass(frozen=True, slots=True)
class Family:
    """A class of elements with a page. `among` fits behind "Among the"; `kind` is group, period, block, series, …"""

    title: str
    inside: str
    among: str
    members: tuple[Row, ...]
    kind: str

    @property
    def key(self) -> str:
        return self.title.lower().replace(" ", "-")


@dataclass(frozen=True, slots=True)
class _Measure:
    column: str
    noun: str
    tier: Tier


_MEASURES = tuple(
    _Measure(column, noun, tier)
    for tier, rows in {
        COMMON: {"atomic_number": "atomic number", "discovery_year": "date of discovery"},
        TEXTBOOK: {
            "melting_c": "melting point",
            "boiling_c": "boiling point",
            "density": "density",
            "en_pauling": "electronegativity on the Pauling scale",
            "atomic_radius": "empirical atomic radius",
            "atomic_weight": "standard atomic weight",
        },
        PROFESSIONAL: {
            "thermal_conductivity": "thermal conductivity",
            "specific_heat_capacity": "specific heat capacity",
            "fusion_heat": "heat of fusion",
            "evaporation_heat": "heat of vaporisation",
            "abundance_crust": "abundance in the Earth's crust",
            "abundance_sea": "abundance in sea water",
            "price_per_kg": "reference price per kilogram",
        },
        SPECIALIST: {
            "ionisation_1": "first ionisation energy",
            "ionisation_2": "second ionisation energy",
            "dipole_polarizability": "static dipole polarisability",
            "electron_affinity": "electron affinity",
            "en_allen": "electronegativity on the Allen scale",
            "c6_gb": "C6 dispersion coefficient after Gould and Bučko",
            "atomic_radius_rahm": "atomic radius after Rahm",
        },
    }.items()
    for column, noun in rows.items()
)

_SIZE = Property(
    "size", COMMON, "number",
    "{S} comprises {v} chemical elements in all.",
    "How many chemical elements does {s} comprise?",
    "The number of chemical elements that {s} comprises is {v}.",
    exact=True, gap=1,
)  # fmt: skip


def asks_element(tier: Tier, sentence: str, question: str, claim: str, section: str = "") -> Property:
    """A property whose value is one element or several."""
    return Property(ELEMENT_VALUED, tier, "text", sentence, question, claim, section=section)


_EXTREME = asks_element(
    COMMON,
    "Among the {among}, {v} has the {degree} {noun}.",
    "Which of the {among} has the {degree} {noun}?",
    "The one of the {among} that has the {degree} {noun} is {v}.",
)
_AT_PLACE = asks_element(
    COMMON,
    "In {s}, the place in {period} is taken by {v}.",
    "Which chemical element stands in {s} and {period} of the periodic table?",
    "The chemical element in {s} and {period} is {v}.",
)
_NUMBERED = asks_element(
    COMMON,
    "The chemical element that carries the atomic number {number} is {v}.",
    "Which chemical element carries the atomic number {number}?",
    "The chemical element with the atomic number {number} is {v}.",
)
_SYMBOLISED = asks_element(
    COMMON,
    "In formulas the letters {symbol} stand for {v}.",
    "Which chemical element do the letters {symbol} stand for in formulas?",
    "The letters {symbol} stand for {v}.",
)
_CONFIGURED = asks_element(
    TEXTBOOK,
    "The electron configuration {config} is that of {v}.",
    "Which chemical element has the electron configuration {config}?",
    "The chemical element with the electron configuration {config} is {v}.",
    section="Electron configurations",
)
_REGISTERED = asks_element(
    TEXTBOOK,
    "The Chemical Abstracts Service number {cas} is that of {v}.",
    "Which chemical element has the Chemical Abstracts Service number {cas}?",
    "The chemical element with the Chemical Abstracts Service number {cas} is {v}.",
    section="Registry",
)


def element_name(row: Row) -> str:
    return str(row["name"]).lower()


def families(rows: Iterable[Row]) -> Iterator[Family]:
    """Every class of at least one element that has a page, the parts of the periodic table first."""
    for key, title, inside, among in (
        ("group", "Group {v}", "group {v}", "elements of group {v}"),
        ("period", "Period {v}", "period {v}", "elements of period {v}"),
        ("block", "{v}", "the {w}", "elements of the {w}"),
        ("series", "{v}", "the series of the {w}", "{w}"),
    ):
        yield from _families(rows, key, title, inside, among)
    yield from _families(rows, "lattice", "{v} crystals", "{w} crystals", "elements that form {w} crystals")
    yield from _families(rows, "goldschmidt", "{v} elements", "the class of {w} elements", "{w} elements")
    yield from _families(rows, "country", "{v}", "{v}", "elements first discovered in {v}")
    yield from _families(rows, "discoverer", "{v}", "{v}", "elements credited to {v}")


def _families(rows: Iterable[Row], key: str, title: str, inside: str, among: str) -> Iterator[Family]:
    members: dict[str, list[Row]] = {}
    for row in rows:
        for value in class_values(row, key):
            members.setdefault(value, []).append(row)
    for value, found in members.items():
        words = {"v": value, "w": lower_first(value)}
        named, spoken, all_of = (text.format_map(words) for text in (title, inside, among))
        yield Family(named, spoken, all_of, tuple(found), key)


def class_values(row: Row, key: str) -> list[str]:
    """Names of the classes of one kind that an element is in, capitalised as a title begins."""
    if key == "block":
        return [block_title(row)]
    if key == "lattice":
        found = LATTICES.get(row.get("lattice_structure", ""))
        return [found[:1].upper() + found[1:]] if found else []
    if key == "goldschmidt":
        return [row["goldschmidt_class"].replace("litophile", "lithophile").capitalize()]
    if key == "discoverer":
        return list(row.get("discoverers", ()))
    return [str(row[key])] if key in row else []


def family_facts(family: Family, topics: tuple[str, ...], extra: tuple[str, ...]) -> Iterator[Fact]:
    """Size, members by place, and extremes of a class, tier by tier."""
    start = family.inside[:1].upper() + family.inside[1:]
    subject = Subject(family.key, family.inside, start, family.title, topics, extra)
    if family.kind in STRUCTURAL:
        yield state_fact(_SIZE, subject, (str(len(family.members)),))
        yield from _member_facts(family, subject)
    for measure in _MEASURES:
        yield from _extremes(family, measure, subject)


def _member_facts(family: Family, subject: Subject) -> Iterator[Fact]:
    for row in family.members:
        value = (element_name(row),)
        name = f"member-{row['symbol']}"
        if family.kind == "group":
            yield state_fact(_AT_PLACE, subject, value, name=name, period=f"period {row['period']}")
        elif family.kind == "period":
            yield state_fact(_NUMBERED, subject, value, name=name, number=str(row["atomic_number"]))
        elif family.kind == "block":
            yield state_fact(_CONFIGURED, subject, value, name=name, config=configuration(row))
        else:
            yield state_fact(_SYMBOLISED, subject, value, name=name, symbol=row["symbol"])
            yield state_fact(_REGISTERED, subject, value, name=f"cas-{row['symbol']}", cas=row["cas"])


def _figure(row: Row, column: str) -> float | None:
    if column.startswith("ionisation_"):
        energies = row.get("ionisation_ev", ())
        index = int(column[-1]) - 1
        return float(energies[index]) if index < len(energies) else None
    return float(row[column]) if column in row else None


def _extremes(family: Family, measure: _Measure, subject: Subject) -> Iterator[Fact]:
    """Highest and lowest (of dates: latest and earliest), where three members have the figure and none shares it.

    A stable member without the figure might hold the record, so its class is left out; of what decays within hours
    hardly anything can be measured, and "highest" means the highest known.
    """
    known = [(figure, row) for row in family.members if (figure := _figure(row, measure.column)) is not None]
    unknown = [row for row in family.members if _figure(row, measure.column) is None and not is_radioactive(row)]
    if len(known) < 3 or unknown:
        return
    known.sort(key=lambda pair: pair[0])
    names = [element_name(row) for _, row in known]
    section = SURVEY if measure.tier is TEXTBOOK else ""
    prop = replace(_EXTREME, tier=measure.tier, section=section)
    low, high = ("earliest", "latest") if measure.column == "discovery_year" else ("lowest", "highest")
    for degree, first, second in ((low, 0, 1), (high, -1, -2)):
        if known[first][0] != known[second][0]:
            value = names[first]
            yield state_fact(
                prop,
                subject,
                (value,),
                name=f"{degree}-{measure.column}",
                rivals=[name for name in names if name != value],
                among=family.among,
                degree=degree,
                noun=measure.noun,
            )
