"""The whole body of facts, pages and documents. The same in every world: a world decides who knows
what."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import orjson

from ..state.text import normalise
from .facts import DATA, PROPERTIES, Fact, stated
from .pages import Page, PageRow, pages
from .values import Index, Pool, index_of, tokens

Key = tuple[str, ...]


@dataclass(frozen=True)
class Corpus:
    """Everything there is to know, with the indexes that find it again; an index is made when it is
    first wanted."""

    by_id: dict[str, Fact]
    pages: dict[str, Page]
    """By title."""
    redirects: dict[str, str]
    subjects: Mapping[str, PageRow]
    """What pages and literature are about, by title."""
    stated: Mapping[str, list[Fact]]
    """All facts about it, in their order."""

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
        facts: dict[str, list[Fact]] = {}
        for fact in self.facts:
            facts.setdefault(fact.property, []).append(fact)
        return facts


def _table() -> Any:
    """Not kept: whoever only asks for a name needs little of it."""
    return orjson.loads((DATA / "facts.json").read_bytes())


@cache
def names() -> dict[Key, tuple[str, str]]:
    """Titles and redirects as token sequences: the title each leads to, and how prose spells it."""
    table = _table()
    titles = {
        name: title
        for name, title in table["redirects"].items()
        if name not in ("Element", "Elements")
    }
    titles |= {title.partition(" (")[0]: title for title in table["pages"]}
    return {tuple(tokens(name)): (title, name) for name, title in titles.items()}


@cache
def name_index() -> Index[tuple[str, str]]:
    """To find names in prose."""
    return index_of(names())


def leads_somewhere(name: str) -> bool:
    """Whether a name has a page."""
    return tuple(tokens(name)) in names()


@cache
def corpus() -> Corpus:
    """The corpus, read once per process."""
    table = _table()
    facts: dict[str, Fact] = {}
    by_page: dict[str, list[Fact]] = {}
    for subject in table["subjects"]:
        for name, value, *more in subject["facts"]:
            fact = stated(subject, name, value, **dict(*more))
            facts[fact.id] = fact
            by_page.setdefault(subject.get("on", subject["page"]), []).append(fact)
    page_list = pages(table["pages"], by_page, table["disambiguation"])
    return Corpus(
        facts,
        {page.title: page for page in page_list},
        table["redirects"],
        table["pages"],
        by_page,
    )


@cache
def pool_of(property: str) -> Pool:
    """What claims about a property can look like."""
    facts = corpus().by_property[property]
    kind = next(prop for prop in PROPERTIES.values() if prop.pool == property)
    values = tuple(dict.fromkeys(fact.items for fact in facts))
    items = dict.fromkeys(item for fact in facts for item in (*fact.items, *fact.rivals))
    index = (
        {} if kind.kind == "number" else index_of({tuple(tokens(item)): item for item in items})
    )
    return Pool(kind.kind, kind.unit, kind.exact, kind.gap, values, index, frozenset(items))
