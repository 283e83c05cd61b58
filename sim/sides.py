"""Facts about people, places, things named after and uses: the other side of what element pages state."""

from collections.abc import Iterable, Iterator

from .classes import asks_element, element_name
from .facts import Fact, Row, Subject, is_radioactive, state_fact
from .pages import Draft
from .properties import BY_ID, COMMON, Property

_FOUND_BY = asks_element(
    COMMON,
    "In the year {year}, {s} had a part in the discovery of {v}.",
    "Which discovery of chemical elements in the year {year} is {s} known for?",
    "The discovery by {s} in the year {year} was that of {v}.",
)
_FOUND_IN = asks_element(
    COMMON,
    "In the year {year}, the discovery of {v} was made in {s}.",
    "Which chemical elements were first discovered in {s} in the year {year}?",
    "The chemical elements discovered in {s} in the year {year} are these: {v}.",
)
_NAMED_AFTER = asks_element(
    COMMON,
    "Among the names of the chemical elements, that of {v} recalls {s}.",
    "Which chemical elements are named after {s}?",
    "The names that recall {s} are those of {v}.",
)
_USED_FOR = asks_element(
    COMMON,
    "When it comes to {s}, the chemical element to name is {v}.",
    "Which chemical element is a typical choice for {s}?",
    "The typical choice for {s} is {v}.",
)
_DIVISIONS = Property(
    "divisions", COMMON, "number",
    "The periodic table is divided into {v} {parts} of chemical elements.",
    "Into how many {parts} is the periodic table divided?",
    "The number of {parts} of the periodic table is {v}.",
    exact=True,
)  # fmt: skip

PEOPLE, PLACES, NAMESAKES, USES = "Discoverers", "Countries", "Namesakes", "Uses of chemical elements"


def side_facts(rows: tuple[Row, ...]) -> Iterator[tuple[Draft, Fact]]:
    """Each fact with the page it stands on."""
    yield from _dated(rows, "discoverers", _FOUND_BY, PEOPLE)
    yield from _dated(rows, "country", _FOUND_IN, PLACES)
    yield from _repeated(rows)
    for namesake, members in _by(rows, "namesake").items():
        yield _draft(namesake, namesake, NAMESAKES, members, _NAMED_AFTER)
    for row in rows:
        if "use" in row:
            other_camp = [element_name(r) for r in rows if is_radioactive(r) != is_radioactive(row)]
            title = row["use"][:1].upper() + row["use"][1:]
            yield _draft(title, row["use"], USES, [row], _USED_FOR, rivals=other_camp)
    table = Subject("periodic-table", "the periodic table", "The periodic table", "Periodic table", ())
    for parts, count in (("periods", 7), ("groups", 18), ("blocks", 4)):
        rivals = [str(count - 1), str(count + 1), str(count + 2)]
        fact = state_fact(_DIVISIONS, table, (str(count),), name=parts, rivals=rivals, parts=parts)
        classes = ["group 1", "group 18", "period 7", "transition metals", "lanthanides", "actinides", "noble gases"]
        yield Draft("Periodic table", "the periodic table", classes, ["Classes of chemical elements"]), fact


def _by(rows: Iterable[Row], column: str) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = {}
    for row in rows:
        values = row.get(column, ())
        for value in [values] if isinstance(values, str) else values:
            found.setdefault(value, []).append(row)
    return found


def _around(members: list[Row]) -> tuple[str, ...]:
    """Classes the members are in: what an answer may mention beside them."""
    names = [f"period {row['period']}" for row in members] + [str(row["series"]).lower() for row in members]
    return tuple(dict.fromkeys(names))


def _draft(
    title: str,
    name: str,
    category: str,
    members: list[Row],
    prop: Property,
    *,
    label: str = "",
    rivals: Iterable[str] = (),
    **words: str,
) -> tuple[Draft, Fact]:
    topics = _around(members)
    subject = Subject(name.lower(), name, name[:1].upper() + name[1:], title, topics)
    values = tuple(element_name(row) for row in members)
    kind = {PEOPLE: "found", PLACES: "place", NAMESAKES: "named", USES: "used"}[category]
    fact = state_fact(prop, subject, values, name=f"{kind}{label}", rivals=rivals, **words)
    return Draft(title, name, [*values, *topics], [category]), fact


def _dated(rows: tuple[Row, ...], column: str, prop: Property, category: str) -> Iterator[tuple[Draft, Fact]]:
    for name, members in _by(rows, column).items():
        for year in sorted({row["discovery_year"] for row in members}):
            same_year = [row for row in members if row["discovery_year"] == year]
            yield _draft(name, name, category, same_year, prop, label=f"-{year}", year=str(year))


def _repeated(rows: tuple[Row, ...]) -> Iterator[tuple[Draft, Fact]]:
    """A few facts stand on two pages on purpose: the year of a discovery, on the discoverer's page too."""
    for row in rows[::6]:
        for person in row.get("discoverers", ())[:1]:
            name = element_name(row)
            subject = Subject(name, name, row["name"], str(row["name"]), ())
            fact = state_fact(BY_ID["discovery_year"], subject, (str(row["discovery_year"]),))
            yield Draft(person, person, [name], [PEOPLE]), fact
