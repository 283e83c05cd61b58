"""A fact: one value of one property of one subject, as a sentence on a page, a question, and an answer."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from ..state.tiers import Tier
from .properties import BY_ID, Property
from .values import join, show

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Fact:
    """`items` are the single values that `value` joins ("pierre curie and marie curie" has two); for numbers, the
    bare figure. `also` are values that are true as well and so can never be offered as wrong ones."""

    id: str
    subject: str
    property: str
    value: str
    items: tuple[str, ...]
    sentence: str
    question: str
    claim: str
    tier: Tier
    page: str
    """Title of the subject's encyclopedia page."""
    section: str | None = None
    topics: tuple[str, ...] = ()
    """Names of pages that belong to the subject: what an answer may mention beside the fact."""
    also: frozenset[str] = frozenset()
    rivals: tuple[str, ...] = ()
    """Where given, wrong answers are drawn from these instead of from all values of the property."""


@dataclass(frozen=True, slots=True)
class Subject:
    """Who facts are about: `inside` and `start` are its name inside and at the start of a sentence."""

    key: str
    inside: str
    start: str
    page: str
    topics: tuple[str, ...]
    """Names, as prose spells them, of elements and of classes of elements that belong to the subject."""
    extra: tuple[str, ...] = ()
    """People, places and uses: pages that have something to say at the common tier only."""

    def topics_at(self, tier: Tier) -> tuple[str, ...]:
        return tuple(roundrobin(self.extra, self.topics)) if tier is Tier.COMMON else self.topics


def roundrobin(*lists: Iterable[str]) -> list[str]:
    """Items of the lists in turn, each item once."""
    rounds = zip_longest(*lists)
    return list(dict.fromkeys(item for turn in rounds for item in turn if item))


def state_fact(
    prop: Property,
    subject: Subject,
    items: tuple[str, ...],
    *,
    value: str | None = None,
    detail: str = "",
    name: str = "",
    also: Iterable[str] = (),
    rivals: Iterable[str] = (),
    **words: str,
) -> Fact:
    """The fact that `prop` of `subject` is `items`, in the words of the property's templates, which may have further
    places filled by `words`. `name` tells facts of one subject and property apart."""
    shown = value or (f"{items[0]} {prop.unit}".strip() if prop.kind == "number" else join(items))
    inside = f"{subject.inside}{detail}"
    words = {"s": inside, "S": f"{subject.start}{detail}", "v": shown, **words}
    return Fact(
        id=f"{subject.key}{detail}/{name or prop.id}".replace(" ", "-"),
        subject=inside,
        property=prop.id,
        value=shown,
        items=items,
        sentence=prop.sentence.format_map(words),
        question=prop.question.format_map(words),
        claim=prop.claim.format_map(words),
        tier=prop.tier,
        page=subject.page,
        section=prop.section or None,
        topics=subject.topics_at(prop.tier),
        also=frozenset(also),
        rivals=tuple(rivals),
    )


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
_RADIOACTIVE_BELOW_BISMUTH = (43, 61)


def is_radioactive(row: Row) -> bool:
    """Whether the element has no stable isotope (bismuth counts as stable)."""
    number: int = row["atomic_number"]
    return number in _RADIOACTIVE_BELOW_BISMUTH or number >= 84


def block_title(row: Row) -> str:
    return f"{str(row['block']).upper()}-block"


def configuration(row: Row) -> str:
    """Electron configuration with every count written out: 6s becomes 6s1."""
    return re.sub(r"([spdf])(?= |$)", r"\g<1>1", row["electronic_configuration"])


def lower_first(title: str) -> str:
    return title[:1].lower() + title[1:]


def element_facts(row: Row, subject: Subject, uses: dict[bool, tuple[str, ...]]) -> Iterator[Fact]:
    """All facts about one element, tier by tier. `uses`: the typical uses of stable and of radioactive elements."""
    yield from _encyclopedia_facts(row, subject, uses)
    yield from _quantity_facts(row, subject)
    yield from _ion_facts(row, subject)
    for isotope in row["isotopes"]:
        yield from _isotope_facts(row, isotope, subject)


def _encyclopedia_facts(row: Row, subject: Subject, uses: dict[bool, tuple[str, ...]]) -> Iterator[Fact]:
    also = row.get("also", ())
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
        "goldschmidt_class": row["goldschmidt_class"].replace("litophile", "lithophile"),
        "geochemical_class": row.get("geochemical_class", "").replace("&", "and") or None,
        "cas": row["cas"],
        "country": row.get("country"),
        "top_producer": row.get("top_producer"),
        "top_reserves": row.get("top_reserves"),
    }
    for name, text in texts.items():
        if text:
            yield state_fact(BY_ID[name], subject, (text,), also=also)
    if "discoverers" in row:
        yield state_fact(BY_ID["discoverers"], subject, tuple(row["discoverers"]), also=also)
    if "origin" in row:
        language, word, meaning = row["origin"]
        yield state_fact(BY_ID["origin"], subject, (word,), language=language, meaning=meaning)
    if "use" in row:
        # what is typical of a stable element is surely not typical of a radioactive one, and the other way round
        yield state_fact(BY_ID["use"], subject, (row["use"],), rivals=uses[not is_radioactive(row)])
    yield from _commonest_isotope(row, subject)


def _state(row: Row) -> str | None:
    """State of matter at 25 °C, where the melting and boiling points settle it."""
    melting, boiling = row.get("melting_c"), row.get("boiling_c")
    if melting is not None and melting > 25:
        return "solid"
    if boiling is None or melting is None:
        return "gas" if boiling is not None and boiling < 25 else None
    return "gas" if boiling < 25 else "liquid"


def _commonest_isotope(row: Row, subject: Subject) -> Iterator[Fact]:
    natural = [i for i in row["isotopes"] if i.get("abundance")]
    if natural:
        top = max(natural, key=lambda i: float(i["abundance"]))
        names = {i["mass_number"]: f"{subject.inside}-{i['mass_number']}" for i in row["isotopes"]}
        value = names.pop(top["mass_number"])
        yield state_fact(BY_ID["commonest_isotope"], subject, (value,), rivals=names.values())


_NOT_FROM_COLUMN = ("ionic_radius",)


def _quantity_facts(row: Row, subject: Subject) -> Iterator[Fact]:
    for prop in BY_ID.values():
        if prop.kind == "number" and prop.id in row and prop.id not in _NOT_FROM_COLUMN:
            value = show(row[prop.id])
            signed = f"+{value}" if prop.id == "oxidation_state" and row[prop.id] > 0 else None
            yield state_fact(prop, subject, (value,), value=signed)
    for index, energy in enumerate(row.get("ionisation_ev", ()), start=1):
        yield state_fact(BY_ID[f"ionisation_{index}"], subject, (show(energy),))


def _ion_facts(row: Row, subject: Subject) -> Iterator[Fact]:
    for ion in row.get("ionic_radii", ()):
        size = abs(ion["charge"])
        charge = f"{size if size > 1 else ''}{'+' if ion['charge'] > 0 else '-'}"
        around = f"{_COORDINATION[ion['coordination']]} coordination{_SPIN.get(ion.get('spin', ''), '')}"
        yield state_fact(
            BY_ID["ionic_radius"],
            subject,
            (show(ion["ionic_radius"]),),
            detail=f" as {row['symbol']}{charge} in {around}",
        )


def _isotope_facts(row: Row, isotope: Row, subject: Subject) -> Iterator[Fact]:
    detail = f"-{isotope['mass_number']}"
    numbers = {"mass": "isotope_mass", "abundance": "isotope_abundance", "discovery_year": "isotope_year"}
    for column, name in numbers.items():
        if isotope.get(column):
            yield state_fact(BY_ID[name], subject, (show(isotope[column]),), detail=detail)
    amount, unit = isotope.get("half_life", (None, ""))
    if unit in _TIME:
        yield state_fact(BY_ID["isotope_half_life"], subject, (f"{show(amount)} {_TIME[unit]}",), detail=detail)
    if "spin" in isotope:
        yield state_fact(BY_ID["isotope_spin"], subject, (f"{isotope['spin']} ħ",), detail=detail)
    if isotope.get("decay") in _DECAY:
        yield state_fact(BY_ID["isotope_decay"], subject, (_DECAY[isotope["decay"]],), detail=detail)
