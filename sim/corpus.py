"""The whole body of facts, pages and documents. The same in every world: a world decides who knows what."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property

from ..state.text import normalise
from ..state.tiers import Tier
from .classes import Family, class_values, families, family_facts, side_facts
from .facts import (
    PROPERTIES,
    Fact,
    Row,
    Subject,
    block_title,
    element_facts,
    elements,
    lower_first,
    roundrobin,
)
from .pages import Document, Draft, Page, documents, finish, redirects
from .values import Pool, extend, number, tokens

Key = tuple[str, ...]


@dataclass(frozen=True)
class Corpus:
    """Everything there is to know, with the indexes that find it again; an index is made when it is first wanted."""

    by_id: dict[str, Fact]
    pages: dict[str, Page]
    """By title."""
    redirects: dict[str, str]
    parts: list[tuple[Draft, list[Fact]]]
    """Every subject with its facts."""

    @cached_property
    def documents(self) -> tuple[Document, ...]:
        return tuple(documents(self.parts))

    @cached_property
    def facts(self) -> tuple[Fact, ...]:
        return tuple(self.by_id.values())

    @cached_property
    def questions(self) -> dict[str, Fact]:
        """By normalised question."""
        return {normalise(fact.question): fact for fact in self.facts}

    @cached_property
    def sentences(self) -> dict[str, Fact]:
        """By normalised sentence."""
        return {normalise(fact.sentence): fact for fact in self.facts}

    @cached_property
    def by_property(self) -> dict[str, list[Fact]]:
        found: dict[str, list[Fact]] = {}
        for fact in self.facts:
            found.setdefault(fact.property, []).append(fact)
        return found

    @cached_property
    def names(self) -> dict[Key, tuple[str, str]]:
        """Titles and redirects as token sequences: the title each leads to, and how prose spells it."""
        found = {name: title for name, title in self.redirects.items() if name not in ("Element", "Elements")}
        found |= {page.title.partition(" (")[0]: page.title for page in self.pages.values() if not page.disambiguation}
        return {tuple(tokens(name)): (title, name) for name, title in found.items()}

    @cached_property
    def longest_name(self) -> dict[str, int]:
        return extend({}, *self.names)


def _element(row: Row, rows: tuple[Row, ...]) -> tuple[Subject, Draft]:
    """An element as a subject, with what belongs to it: other elements and classes; people, places and uses."""
    place, name = row["atomic_number"] - 1, row["called"]
    near = [rows[i]["called"] for i in (place - 1, place + 1, place - 2, place + 2) if 0 <= i < len(rows)]
    column = [r["called"] for r in rows if "group" in row and r.get("group") == row["group"] and r is not row]
    offset = number(row["symbol"]) % max(1, len(column))
    classes = [f"period {row['period']}", lower_first(block_title(row)), lower_first(row["series"])]
    classes += [f"group {row['group']}"] if "group" in row else []
    classes += [f"{value.lower()} crystals" for value in class_values(row, "lattice")]
    classes += [f"{value.lower()} elements" for value in class_values(row, "goldschmidt")]
    deep = roundrobin([*near[:2], *column[offset:], *column[:offset], *near[2:]][:8], classes)
    extra = [*row.get("discoverers", ()), row.get("country"), row.get("namesake"), row.get("use")]
    extra = [each for each in extra if each]
    # mercury shares its name with other things, so its page has an addition
    title = "Mercury (element)" if row["symbol"] == "Hg" else str(row["name"])
    subject = Subject(name, name, row["name"], title, deep, extra)
    return subject, Draft(title, name, roundrobin(deep, extra), ["Chemical elements", row["series"]])


def _family_topics(family: Family) -> tuple[list[str], list[str]]:
    """Classes its members are also in; people, places and uses of its members. No elements: those are the answers."""
    classes: list[str] = []
    extra: list[str] = []
    for row in family.members[:12]:
        classes += [f"period {row['period']}", lower_first(row["series"]), lower_first(block_title(row))]
        classes += [f"group {row['group']}"] if "group" in row else []
        extra += [x for x in (row.get("use"), row.get("country"), *row.get("discoverers", ())) if x]
    own = lower_first(family.title)
    return [x for x in dict.fromkeys(classes) if x != own][:10], list(dict.fromkeys(extra))[:12]


def _drafts(rows: tuple[Row, ...]) -> Iterator[tuple[Draft, Iterable[Fact]]]:
    """Every page with its facts; the same title may come several times."""
    uses = {kind: tuple(r["use"] for r in rows if "use" in r and r["radioactive"] is kind) for kind in (True, False)}
    for row in rows:
        subject, draft = _element(row, rows)
        yield draft, element_facts(row, subject, uses)
    for family in families(rows):
        deep, extra = _family_topics(family)
        members = [row["called"] for row in family.members[:20]]
        draft = Draft(family.title, family.name, roundrobin(members, deep, extra), ["Classes of chemical elements"])
        yield draft, family_facts(family, deep, extra)
    for draft, fact in side_facts(rows):
        yield draft, [fact]


@cache
def corpus() -> Corpus:
    """The corpus, read once per process."""
    drafts: dict[str, Draft] = {}
    facts: dict[str, Fact] = {}
    literature: list[tuple[Draft, list[Fact]]] = []
    for draft, stated in _drafts(tuple(elements().values())):
        page, found = drafts.setdefault(draft.title, draft), list(stated)
        page.link(*draft.topics)
        for fact in found:
            facts[fact.id] = fact
            if fact.tier in (Tier.COMMON, Tier.TEXTBOOK):
                page.add(fact)
        literature.append((draft, found))
    lead_to = redirects(drafts)
    pages = {page.title: page for page in finish(drafts, lead_to)}
    return Corpus(facts, pages, lead_to, literature)


@cache
def pool_of(property: str) -> Pool:
    """What claims about a property can look like."""
    facts = corpus().by_property[property]
    kind = next(prop for prop in PROPERTIES.values() if prop.pool == property)
    values = tuple(dict.fromkeys(fact.items for fact in facts))
    pool = Pool(kind.kind, kind.unit, kind.exact, kind.gap, values)
    if pool.kind != "number":
        pool.add(dict.fromkeys(item for fact in facts for item in (*fact.items, *fact.rivals)))
    return pool
