"""The whole body of facts, pages and documents. The same in every world: a world decides who knows what."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import orjson

from ..state.text import normalise
from ..state.tiers import Tier
from .classes import ELEMENT_VALUED, Family, class_values, element_name, families, family_facts
from .draws import number
from .facts import Fact, Row, Subject, block_title, element_facts, is_radioactive, lower_first, roundrobin
from .literature.library import documents
from .pages import Document, Draft, Page
from .properties import BY_ID
from .shelf import finish, front_pages, redirects
from .sides import side_facts
from .values import Pool, extend, tokens

DATA = Path(__file__).parent / "data" / "elements.json"


@dataclass(frozen=True, slots=True)
class Corpus:
    """Everything there is to know, with the indexes that find it again."""

    facts: tuple[Fact, ...]
    questions: dict[str, Fact]
    """By normalised question."""
    sentences: dict[str, Fact]
    """By normalised sentence."""
    pages: dict[str, Page]
    """By title."""
    redirects: dict[str, str]
    documents: tuple[Document, ...]
    pools: dict[str, Pool]
    """By property id."""
    rivals: dict[str, tuple[tuple[str, ...], ...]] = field(default_factory=dict)
    """By property id: the items of every fact of that property, each once."""
    names: dict[tuple[str, ...], str] = field(default_factory=dict)
    """Titles and redirects as token sequences, with the title each leads to."""
    spellings: dict[tuple[str, ...], str] = field(default_factory=dict)
    """The same sequences as prose spells them."""
    longest_name: dict[str, int] = field(default_factory=dict)


def element_title(row: Row) -> str:
    """Mercury shares its name with other things, so its page has an addition."""
    return "Mercury (element)" if row["symbol"] == "Hg" else str(row["name"])


def element_topics(row: Row, rows: tuple[Row, ...]) -> tuple[list[str], list[str]]:
    """What belongs to an element: other elements and classes of elements; and people, places and uses."""
    place = row["atomic_number"] - 1
    near = [element_name(rows[i]) for i in (place - 1, place + 1, place - 2, place + 2) if 0 <= i < len(rows)]
    column = [element_name(r) for r in rows if "group" in row and r.get("group") == row["group"] and r is not row]
    offset = number(row["symbol"]) % max(1, len(column))
    classes = [f"period {row['period']}", lower_first(block_title(row)), lower_first(row["series"])]
    classes += [f"group {row['group']}"] if "group" in row else []
    classes += [f"{value.lower()} crystals" for value in class_values(row, "lattice")]
    classes += [f"{value.lower()} elements" for value in class_values(row, "goldschmidt")]
    deep = [*near[:2], *column[offset:], *column[:offset], *near[2:]]
    extra = [*row.get("discoverers", ()), row.get("country"), row.get("namesake"), row.get("use")]
    return roundrobin(deep[:8], classes), [x for x in extra if x]


def family_topics(family: Family) -> tuple[list[str], list[str]]:
    """Classes its members are also in; people, places and uses of its members. No elements: those are the answers."""
    classes: list[str] = []
    extra: list[str] = []
    for row in family.members[:12]:
        classes += [f"period {row['period']}", lower_first(row["series"]), lower_first(block_title(row))]
        classes += [f"group {row['group']}"] if "group" in row else []
        extra += [x for x in (row.get("use"), row.get("country"), *row.get("discoverers", ())) if x]
    own = lower_first(family.title)
    return [x for x in dict.fromkeys(classes) if x != own][:10], list(dict.fromkeys(extra))[:12]


def _drafts(rows: tuple[Row, ...]) -> Iterator[tuple[Draft, list[Fact]]]:
    """Every page with its facts; the same title may come several times."""
    uses = {kind: tuple(r["use"] for r in rows if "use" in r and is_radioactive(r) == kind) for kind in (True, False)}
    for row in rows:
        deep, extra = element_topics(row, rows)
        name = element_name(row)
        subject = Subject(name, name, row["name"], element_title(row), tuple(deep), tuple(extra))
        draft = Draft(element_title(row), name, roundrobin(deep, extra), ["Chemical elements", row["series"]])
        yield draft, list(element_facts(row, subject, uses))
    everything = Family("Chemical element", "the periodic table", "chemical elements", rows, "all")
    for family in [everything, *families(rows)]:
        deep, extra = family_topics(family)
        members = [element_name(row) for row in family.members[:20]]
        name = family.title if family.kind in ("country", "discoverer") else lower_first(family.title)
        draft = Draft(family.title, name, roundrobin(members, deep, extra), ["Classes of chemical elements"])
        yield draft, list(family_facts(family, tuple(deep), tuple(extra)))
    for draft, fact in side_facts(rows):
        yield draft, [fact]


def _pools(facts: Iterable[Fact]) -> dict[str, Pool]:
    pools: dict[str, Pool] = {}
    for fact in facts:
        prop = BY_ID.get(fact.property)
        pool = pools.get(fact.property)
        if pool is None:
            kind = prop.kind if prop else ("text" if fact.property == ELEMENT_VALUED else "number")
            pool = pools[fact.property] = Pool(kind, prop.unit if prop else "", prop is None or prop.exact)
        if pool.kind != "number":
            pool.add(fact.items)
            pool.add(fact.rivals)
    return pools


@cache
def corpus() -> Corpus:
    """The corpus, read and indexed once per process."""
    rows: tuple[Row, ...] = tuple(orjson.loads(DATA.read_bytes())["elements"])
    drafts: dict[str, Draft] = {}
    facts: dict[str, Fact] = {}
    literature: list[tuple[Draft, list[Fact]]] = []
    for draft, found in _drafts(rows):
        page = drafts.setdefault(draft.title, draft)
        page.link(*draft.topics)
        for fact in found:
            facts[fact.id] = fact
            if fact.tier in (Tier.COMMON, Tier.TEXTBOOK):
                page.add(fact)
        literature.append((draft, found))
    lead_to = redirects(drafts)
    pages = {page.title: page for page in [*finish(drafts, lead_to), *front_pages(len(drafts))]}
    rivals: dict[str, dict[tuple[str, ...], None]] = {}
    for fact in facts.values():
        rivals.setdefault(fact.property, {})[fact.items] = None
    targets = {name: title for name, title in lead_to.items() if name not in ("Element", "Elements")}
    targets |= {page.title.partition(" (")[0]: page.title for page in pages.values() if not page.disambiguation}
    names = {tuple(tokens(name)): title for name, title in targets.items()}
    return Corpus(
        facts=tuple(facts.values()),
        questions={normalise(fact.question): fact for fact in facts.values()},
        sentences={normalise(fact.sentence): fact for fact in facts.values()},
        pages=pages,
        redirects=lead_to,
        documents=tuple(documents(literature)),
        pools=_pools(facts.values()),
        rivals={prop: tuple(items) for prop, items in rivals.items()},
        names=names,
        spellings={tuple(tokens(name)): name for name in targets},
        longest_name=extend({}, *names),
    )
