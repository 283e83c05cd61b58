"""The whole body of facts, pages and documents. The same in every world: a world decides who knows what."""

from dataclasses import dataclass
from functools import cache, cached_property

import orjson

from ..state.text import normalise
from ..state.tiers import Tier
from .facts import DATA, PROPERTIES, Fact, stated
from .pages import Document, Draft, Page, documents, finish
from .values import Pool, extend, tokens

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
    def symbols(self) -> dict[str, str]:
        """The symbols of the elements, by name."""
        return {fact.subject: fact.value for fact in self.facts if fact.property == "symbol"}

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


@cache
def corpus() -> Corpus:
    """The corpus, read once per process."""
    table = orjson.loads((DATA / "facts.json").read_bytes())
    drafts: dict[str, Draft] = {}
    facts: dict[str, Fact] = {}
    literature: list[tuple[Draft, list[Fact]]] = []
    for part in table["parts"]:
        draft = Draft(part["title"], part["name"], part["links"], part["categories"])
        page = drafts.setdefault(draft.title, draft)
        page.link(*draft.topics)
        found = [stated(part, name, value, **dict(*more)) for name, value, *more in part["facts"]]
        for fact in found:
            facts[fact.id] = fact
            if fact.tier in (Tier.COMMON, Tier.TEXTBOOK):
                page.add(fact)
        literature.append((draft, found))
    pages = {page.title: page for page in finish(drafts, table["redirects"], table["disambiguation"])}
    return Corpus(facts, pages, table["redirects"], literature)


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
