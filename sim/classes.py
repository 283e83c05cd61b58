"""Facts about what elements have in common: classes of them, and people, places, namesakes and uses. Their values are
elements, so that a right answer names where to go on."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from operator import itemgetter

from ..state.tiers import TIERS, Tier
from .facts import (
    LATTICES,
    Fact,
    Row,
    Subject,
    block_title,
    configuration,
    goldschmidt,
    lower_first,
)
from .pages import Draft

COMMON, TEXTBOOK, PROFESSIONAL, SPECIALIST, _ = TIERS

_MEASURES: dict[Tier, dict[str, str]] = {
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
}
"""By what members of a class are compared: column → what it is called."""
_KINDS = (
    ("group", "Group {v}", "group {v}", "elements of group {v}"),
    ("period", "Period {v}", "period {v}", "elements of period {v}"),
    ("block", "{v}", "the {w}", "elements of the {w}"),
    ("series", "{v}", "the series of the {w}", "{w}"),
    ("lattice", "{v} crystals", "{w} crystals", "elements that form {w} crystals"),
    ("goldschmidt", "{v} elements", "the class of {w} elements", "{w} elements"),
    ("country", "{v}", "{v}", "elements first discovered in {v}"),
    ("discoverer", "{v}", "{v}", "elements credited to {v}"),
)
"""Kinds of classes: title of the page, name inside a sentence, and behind "Among the"."""
STRUCTURAL = ("group", "period", "block", "series")
_SURVEY = "Comparison of the members"


@dataclass(frozen=True, slots=True)
class Family:
    """A class of elements with a page. `among` fits behind "Among the"."""

    title: str
    inside: str
    among: str
    members: tuple[Row, ...]
    kind: str

    @property
    def name(self) -> str:
        """How prose calls it."""
        return self.title if self.kind in ("country", "discoverer") else lower_first(self.title)


def families(rows: tuple[Row, ...]) -> Iterator[Family]:
    """All elements, and every class of at least one that has a page, the parts of the periodic table first."""
    yield Family("Chemical element", "the periodic table", "chemical elements", rows, "all")
    for kind, title, inside, among in _KINDS:
        members: dict[str, list[Row]] = {}
        for row in rows:
            for value in class_values(row, kind):
                members.setdefault(value, []).append(row)
        for value, found in members.items():
            words = {"v": value, "w": lower_first(value)}
            yield Family(title.format(**words), inside.format(**words), among.format(**words), tuple(found), kind)


def class_values(row: Row, kind: str) -> list[str]:
    """Names of the classes of one kind that an element is in, capitalised as a title begins."""
    if kind == "block":
        return [block_title(row)]
    if kind == "lattice":
        found = LATTICES.get(row.get("lattice_structure", ""))
        return [found[:1].upper() + found[1:]] if found else []
    if kind == "goldschmidt":
        return [goldschmidt(row).capitalize()]
    if kind == "discoverer":
        return list(row.get("discoverers", ()))
    return [str(row[kind])] if kind in row else []


def family_facts(family: Family, topics: Iterable[str], extra: Iterable[str]) -> Iterator[Fact]:
    """Size, members by place, and extremes of a class, tier by tier."""
    start = family.inside[:1].upper() + family.inside[1:]
    subject = Subject(family.title.lower().replace(" ", "-"), family.inside, start, family.title, topics, extra)
    if family.kind in STRUCTURAL:
        yield subject.state("size", (str(len(family.members)),))
        for row in family.members:
            yield from _member_facts(family.kind, row, subject)
    for tier, measures in _MEASURES.items():
        for column, noun in measures.items():
            yield from _extremes(family, tier, column, noun, subject)


def _member_facts(kind: str, row: Row, subject: Subject) -> Iterator[Fact]:
    value, id = (row["called"],), f"member-{row['symbol']}"
    if kind == "group":
        yield subject.state("at_place", value, id=id, period=f"period {row['period']}")
    elif kind == "period":
        yield subject.state("numbered", value, id=id, number=str(row["atomic_number"]))
    elif kind == "block":
        yield subject.state("configured", value, id=id, config=configuration(row))
    else:
        yield subject.state("symbolised", value, id=id, symbol=row["symbol"])
        yield subject.state("registered", value, id=f"cas-{row['symbol']}", cas=row["cas"])


def _extremes(family: Family, tier: Tier, column: str, noun: str, subject: Subject) -> Iterator[Fact]:
    """Highest and lowest (of dates: latest and earliest), where three members have the figure and none shares it.

    A stable member without the figure might hold the record, so its class is left out; of what decays within hours
    hardly anything can be measured, and "highest" means the highest known.
    """
    nth = int(column[-1]) if column.startswith("ionisation_") else 0
    known: list[tuple[float, str]] = []
    for row in family.members:
        values = row.get("ionisation_ev", ())[nth - 1 : nth] if nth else [row[column]] if column in row else ()
        if values:
            known.append((float(values[0]), row["called"]))
        elif not row["radioactive"]:
            return
    if len(known) < 3:
        return
    known.sort(key=itemgetter(0))
    low, high = ("earliest", "latest") if column == "discovery_year" else ("lowest", "highest")
    for degree, first, second in ((low, 0, 1), (high, -1, -2)):
        figure, value = known[first]
        if figure != known[second][0]:
            yield subject.state(
                "extreme",
                (value,),
                id=f"{degree}-{column}",
                rivals=[name for _, name in known if name != value],
                tier=tier,
                section=_SURVEY if tier is TEXTBOOK else "",
                among=family.among,
                degree=degree,
                noun=noun,
            )


def side_facts(rows: tuple[Row, ...]) -> Iterator[tuple[Draft, Fact]]:
    """Facts about people, places, things named after and uses: the other side of what element pages state. Each with
    the page it stands on."""
    yield from _dated(rows, "discoverers", "found_by", "Discoverers")
    yield from _dated(rows, "country", "found_in", "Countries")
    yield from _repeated(rows)
    for namesake, members in _by(rows, "namesake").items():
        yield _side(namesake, namesake, "Namesakes", members, "named_after", "named")
    camps = {camp: [row["called"] for row in rows if row["radioactive"] is camp] for camp in (True, False)}
    for row in rows:
        if "use" in row:
            title = row["use"][:1].upper() + row["use"][1:]
            yield _side(
                title, row["use"], "Uses of chemical elements", [row], "used_for", "used", camps[not row["radioactive"]]
            )
    table = Subject("periodic-table", "the periodic table", "The periodic table", "Periodic table")
    for parts, count in (("periods", 7), ("groups", 18), ("blocks", 4)):
        rivals = [str(count - 1), str(count + 1), str(count + 2)]
        fact = table.state("divisions", (str(count),), id=parts, rivals=rivals, parts=parts)
        classes = ["group 1", "group 18", "period 7", "transition metals", "lanthanides", "actinides", "noble gases"]
        yield Draft("Periodic table", "the periodic table", classes, ["Classes of chemical elements"]), fact


def _by(rows: Iterable[Row], column: str) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = {}
    for row in rows:
        values = row.get(column, ())
        for value in [values] if isinstance(values, str) else values:
            found.setdefault(value, []).append(row)
    return found


def _side(
    title: str,
    name: str,
    category: str,
    members: list[Row],
    prop: str,
    id: str,
    rivals: Iterable[str] = (),
    year: str = "",
) -> tuple[Draft, Fact]:
    """A fact on a page of its own; what may be mentioned beside it are classes the members are in."""
    names = [f"period {row['period']}" for row in members] + [str(row["series"]).lower() for row in members]
    topics = list(dict.fromkeys(names))
    subject = Subject(name.lower(), name, name[:1].upper() + name[1:], title, topics)
    values = tuple(row["called"] for row in members)
    return Draft(title, name, [*values, *topics], [category]), subject.state(
        prop, values, id=id, rivals=rivals, year=year
    )


def _dated(rows: tuple[Row, ...], column: str, prop: str, category: str) -> Iterator[tuple[Draft, Fact]]:
    kind = {"found_by": "found", "found_in": "place"}[prop]
    for name, members in _by(rows, column).items():
        for year in sorted({row["discovery_year"] for row in members}):
            same_year = [row for row in members if row["discovery_year"] == year]
            yield _side(name, name, category, same_year, prop, f"{kind}-{year}", year=str(year))


def _repeated(rows: tuple[Row, ...]) -> Iterator[tuple[Draft, Fact]]:
    """A few facts stand on two pages on purpose: the year of a discovery, on the discoverer's page too."""
    for row in rows[::6]:
        for person in row.get("discoverers", ())[:1]:
            name = row["called"]
            subject = Subject(name, name, row["name"], str(row["name"]))
            fact = subject.state("discovery_year", (str(row["discovery_year"]),))
            yield Draft(person, person, [name], ["Discoverers"]), fact
