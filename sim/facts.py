"""A fact: one value of one property of one subject, as a sentence on a page, a question, and an answer.

What can be known is a table, `data/properties.tsv`: one line per property, with its tier, its words and its unit. Every
text names its subject and states exactly one fact. `{S}` is the subject at the start of a sentence, `{s}` inside one,
`{v}` the value with its unit. Texts never end on a single letter: a full stop after one looks like an initial.
"""

import csv
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import chain, zip_longest
from pathlib import Path
from typing import Any

import orjson

from ..state.tiers import Tier
from .values import Kind, join, show

Row = dict[str, Any]
"""An element: column → value."""
DATA = Path(__file__).parent / "data"


@cache
def elements() -> dict[str, Row]:
    """The elements by name, as prose spells it inside a sentence: the column `called`. `radioactive` are those without
    a stable isotope (bismuth counts as stable)."""
    rows: list[Row] = orjson.loads((DATA / "elements.json").read_bytes())["elements"]
    for row in rows:
        row["called"] = row["name"].lower()
        row["radioactive"] = row["atomic_number"] in _RADIOACTIVE_BELOW_BISMUTH or row["atomic_number"] >= 84
    return {row["called"]: row for row in rows}


@dataclass(frozen=True, slots=True)
class Property:
    """A kind of fact. `sentence` stands on pages, `question` asks, `claim` answers; `pool` names the values it shares
    with other properties; `section`: the heading under which a page states it, empty for the lead."""

    id: str
    pool: str
    tier: Tier
    kind: Kind
    unit: str
    exact: bool
    gap: float
    section: str
    sentence: str
    question: str
    claim: str


def _properties() -> Iterator[Property]:
    with (DATA / "properties.tsv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            noun = row["noun"]
            words = (row["sentence"], row["question"], row["claim"])
            if noun:
                words = (
                    f"For {{s}}, the {noun} is given as {{v}}.",
                    f"What is the {noun} of {{s}}?",
                    f"The {noun} of {{s}} is {{v}}.",
                )
            kind: Any = row["kind"]
            pool, gap = row["pool"] or row["key"], float(row["gap"] or 0)
            tier, exact = Tier(row["tier"]), bool(row["exact"])
            yield Property(row["key"], pool, tier, kind, row["unit"], exact, gap, row["section"], *words)


PROPERTIES = {prop.id: prop for prop in _properties()}


@dataclass(frozen=True, slots=True, eq=False)
class Fact:
    """`items` are the single values that `value` joins ("pierre curie and marie curie" has two); for numbers, the
    bare figure. `also` are values that are true as well and so can never be offered as wrong ones."""

    id: str
    subject: str
    property: str
    """The pool of its values."""
    value: str
    items: tuple[str, ...]
    sentence: str
    question: str
    claim: str
    tier: Tier
    page: str
    """Title of the subject's encyclopedia page."""
    section: str | None
    topics: tuple[str, ...]
    """Names of pages that belong to the subject: what an answer may mention beside the fact."""
    also: frozenset[str]
    rivals: tuple[str, ...]
    """Where given, wrong answers are drawn from these instead of from all values of the property."""


class Subject:
    """Who facts are about: `inside` and `start` are its name inside and at the start of a sentence; `topics`: names of
    elements and classes that belong to it; `extra`: people, places and uses, which have pages of the common tier."""

    def __init__(
        self, key: str, inside: str, start: str, page: str, topics: Iterable[str] = (), extra: Iterable[str] = ()
    ) -> None:
        self.key, self.inside, self.start, self.page = key, inside, start, page
        self._topics = tuple(topics)
        self._common = tuple(roundrobin(extra, self._topics))

    def state(
        self,
        name: str,
        items: tuple[str, ...],
        *,
        value: str = "",
        detail: str = "",
        id: str = "",
        also: frozenset[str] = frozenset(),
        rivals: Iterable[str] = (),
        tier: Tier | None = None,
        section: str | None = None,
        **words: str,
    ) -> Fact:
        """The fact that the property of this name is `items`, in the words of the table, which may have further places
        filled by `words`. `id` tells facts of one subject and property apart; `tier` and `section` differ by fact for
        some properties."""
        prop = PROPERTIES[name]
        shown = value or (f"{items[0]} {prop.unit}".strip() if prop.kind == "number" else join(items))
        inside = f"{self.inside}{detail}"
        words = {"s": inside, "S": f"{self.start}{detail}", "v": shown, **words}
        level = tier or prop.tier
        return Fact(
            f"{self.key}{detail}/{id or name}".replace(" ", "-"),
            inside,
            prop.pool,
            shown,
            items,
            prop.sentence.format_map(words),
            prop.question.format_map(words),
            prop.claim.format_map(words),
            level,
            self.page,
            (prop.section if section is None else section) or None,
            self._common if level is Tier.COMMON else self._topics,
            also,
            tuple(rivals),
        )


def roundrobin(*lists: Iterable[str]) -> list[str]:
    """Items of the lists in turn, each item once."""
    return [item for item in dict.fromkeys(chain.from_iterable(zip_longest(*lists))) if item]


LATTICES = {
    "BCC": "body-centred cubic", "FCC": "face-centred cubic", "HEX": "hexagonal", "CUB": "cubic",
    "DIA": "diamond cubic", "MCL": "monoclinic", "ORC": "orthorhombic", "RHL": "rhombohedral",
    "SC": "simple cubic", "TET": "tetragonal",
}  # fmt: skip
_COORDINATION = {"IV": "fourfold", "VI": "sixfold", "VIII": "eightfold"}
_SPIN = {"HS": ", high spin", "LS": ", low spin"}
_DECAY = {
    "B-": "beta-minus decay", "B+": "beta-plus decay", "A": "alpha decay", "EC": "electron capture",
    "SF": "spontaneous fission", "n": "neutron emission", "p": "proton emission", "2n": "two-neutron emission",
    "2p": "two-proton emission", "2B-": "double beta decay",
}  # fmt: skip
_TIME = {
    "usec": "microseconds", "msec": "milliseconds", "sec": "seconds", "minute": "minutes", "hour": "hours",
    "day": "days", "year": "years", "kyear": "thousand years", "Myear": "million years", "Gyear": "billion years",
    "Tyear": "trillion years", "Pyear": "quadrillion years", "Eyear": "quintillion years",
}  # fmt: skip
_NUMBERS = {"mass": "isotope_mass", "abundance": "isotope_abundance", "discovery_year": "isotope_year"}
_RADIOACTIVE_BELOW_BISMUTH = (43, 61)


def block_title(row: Row) -> str:
    return f"{str(row['block']).upper()}-block"


def configuration(row: Row) -> str:
    """Electron configuration with every count written out: 6s becomes 6s1."""
    return re.sub(r"([spdf])(?= |$)", r"\g<1>1", row["electronic_configuration"])


def goldschmidt(row: Row) -> str:
    return str(row["goldschmidt_class"]).replace("litophile", "lithophile")


def lower_first(title: str) -> str:
    return title[:1].lower() + title[1:]


def element_facts(row: Row, subject: Subject, uses: dict[bool, tuple[str, ...]]) -> list[Fact]:
    """All facts about one element, tier by tier. `uses`: the typical uses of stable and of radioactive elements."""
    found = list(_encyclopedia_facts(row, subject, uses))
    for name, prop in PROPERTIES.items():
        if prop.kind == "number" and name in row:
            value = show(row[name])
            signed = f"+{value}" if name == "oxidation_state" and row[name] > 0 else ""
            found.append(subject.state(name, (value,), value=signed))
    for index, energy in enumerate(row.get("ionisation_ev", ()), start=1):
        found.append(subject.state(f"ionisation_{index}", (show(energy),)))
    for ion in row.get("ionic_radii", ()):
        size = abs(ion["charge"])
        charge = f"{size if size > 1 else ''}{'+' if ion['charge'] > 0 else '-'}"
        around = f"{_COORDINATION[ion['coordination']]} coordination{_SPIN.get(ion.get('spin', ''), '')}"
        detail = f" as {row['symbol']}{charge} in {around}"
        found.append(subject.state("ionic_radius", (show(ion["ionic_radius"]),), detail=detail))
    return [*found, *(fact for isotope in row["isotopes"] for fact in _isotope_facts(isotope, subject))]


def _encyclopedia_facts(row: Row, subject: Subject, uses: dict[bool, tuple[str, ...]]) -> Iterator[Fact]:
    also = frozenset(row.get("also", ()))
    texts = {
        "symbol": row["symbol"],
        "group": f"group {row['group']}" if "group" in row else None,
        "period": f"period {row['period']}",
        "block": lower_first(block_title(row)),
        "series": lower_first(row["series"]),
        "namesake": row.get("namesake"),
        "state": _state(row),
        "electronic_configuration": configuration(row),
        "lattice": LATTICES.get(row.get("lattice_structure", "")),
        "goldschmidt_class": goldschmidt(row),
        "geochemical_class": row.get("geochemical_class", "").replace("&", "and"),
        **{name: row.get(name) for name in ("cas", "country", "top_producer", "top_reserves")},
    }
    for name, text in texts.items():
        if text:
            yield subject.state(name, (text,), also=also)
    if "discoverers" in row:
        yield subject.state("discoverers", tuple(row["discoverers"]), also=also)
    if "origin" in row:
        language, word, meaning = row["origin"]
        yield subject.state("origin", (word,), language=language, meaning=meaning)
    if "use" in row:
        # what is typical of a stable element is surely not typical of a radioactive one, and the other way round
        yield subject.state("use", (row["use"],), rivals=uses[not row["radioactive"]])
    natural = [isotope for isotope in row["isotopes"] if isotope.get("abundance")]
    if natural:
        top = max(natural, key=lambda isotope: float(isotope["abundance"]))
        names = {isotope["mass_number"]: f"{subject.inside}-{isotope['mass_number']}" for isotope in row["isotopes"]}
        value = names.pop(top["mass_number"])
        yield subject.state("commonest_isotope", (value,), rivals=names.values())


def _state(row: Row) -> str | None:
    """State of matter at 25 °C, where the melting and boiling points settle it."""
    melting, boiling = row.get("melting_c"), row.get("boiling_c")
    if melting is not None and melting > 25:
        return "solid"
    if boiling is None or melting is None:
        return "gas" if boiling is not None and boiling < 25 else None
    return "gas" if boiling < 25 else "liquid"


def _isotope_facts(isotope: Row, subject: Subject) -> list[Fact]:
    texts = {name: show(isotope[column]) for column, name in _NUMBERS.items() if isotope.get(column)}
    amount, unit = isotope.get("half_life", (None, ""))
    if unit in _TIME:
        texts["isotope_half_life"] = f"{show(amount)} {_TIME[unit]}"
    if "spin" in isotope:
        texts["isotope_spin"] = f"{isotope['spin']} ħ"
    if isotope.get("decay") in _DECAY:
        texts["isotope_decay"] = _DECAY[isotope["decay"]]
    detail = f"-{isotope['mass_number']}"
    return [subject.state(name, (text,), detail=detail) for name, text in texts.items()]
