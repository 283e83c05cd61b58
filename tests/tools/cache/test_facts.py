"""Look-ups that are kept: what is found again, what is not, and which sources need no cache."""

import asyncio
from collections.abc import Set
from dataclasses import replace
from datetime import date, datetime, timedelta
from pathlib import Path

import pytest

from fathom.state.errors import SourceFailed
from fathom.state.records import Evidence
from fathom.state.text import digest
from fathom.state.tiers import TIERS, Tier
from fathom.tools.cache.store import Store
from fathom.tools.facts.base import ByTitle, Encyclopedia, FactQuery, FactSource, Whole
from fathom.tools.facts.mediawiki import MediaWikiSource
from fathom.tools.facts.registry import cached_source
from fathom.tools.facts.transport import Network

from ...support.cached import NOON, noon, store, turns

QUERY = FactQuery("Neon", "Chemical elements", Tier.TEXTBOOK, date(2026, 11, 20))
YESTERDAY = NOON - timedelta(days=1)


def passage(text: str = "Neon glows red.", retrieved_at: datetime = YESTERDAY) -> Evidence:
    return Evidence(
        text=text,
        title="Neon",
        url="https://wiki/Neon",
        source="wikipedia",
        tier=Tier.TEXTBOOK,
        section="Uses",
        revision="12",
        published=date(2026, 1, 2),
        retrieved_at=retrieved_at,
        digest=digest(text),
    )


class Source:
    """A source that finds by script, and counts what it is asked."""

    name = "wikipedia"

    def __init__(self, *found: list[Evidence] | Exception) -> None:
        self.found = list(found) or [[passage()]]
        self.asked = 0
        self.closed = False
        self.gate = asyncio.Event()
        self.gate.set()

    @property
    def tiers(self) -> Set[Tier]:
        return frozenset(TIERS)

    async def find(self, query: FactQuery) -> list[Evidence]:
        self.asked += 1
        mine = self.found[min(self.asked, len(self.found)) - 1]
        await self.gate.wait()
        if isinstance(mine, Exception):
            raise mine
        return mine

    async def aclose(self) -> None:
        self.closed = True


class Wiki(Source):
    there = True
    pages_asked = 0

    async def has_page(self, title: str, language: str) -> bool:
        self.pages_asked += 1
        await self.gate.wait()
        return self.there


class TitledWiki(Wiki):
    titled = True
    titles_asked = 0

    async def find_titled(self, query: FactQuery) -> list[Evidence] | None:
        self.titles_asked += 1
        return await self.find(query) if self.titled else None


class Local(Source):
    async def prepare(self) -> None:
        raise NotImplementedError

    async def fingerprint(self) -> str:
        raise NotImplementedError


async def test_what_was_found_is_found_again_as_it_was(tmp_path: Path) -> None:
    path, found = tmp_path / "cache.sqlite", [passage(), passage("It is a gas.")]
    first = await Store.open(path, now=noon)
    assert await cached_source(Source(found), first).find(QUERY) == found
    await first.aclose()
    again, source = await Store.open(path, now=noon), Source()
    assert await cached_source(source, again).find(QUERY) == found
    assert source.asked == 0
    assert {evidence.retrieved_at for evidence in found} == {YESTERDAY}
    await again.aclose()


async def test_that_nothing_was_found_is_a_fact_of_that_day() -> None:
    source, shared = Source([], [passage()]), store()
    chat = cached_source(source, shared)
    assert [await chat.find(QUERY) for _ in range(2)] == [[], []]
    assert source.asked == 1
    assert await chat.find(replace(QUERY, as_of=date(2026, 11, 21))) == [passage()]


async def test_a_failure_is_not_kept() -> None:
    source = Source(SourceFailed("server", "it broke."), [passage()])
    chat = cached_source(source, store())
    with pytest.raises(SourceFailed):
        await chat.find(QUERY)
    assert await chat.find(QUERY) == [passage()]


async def test_the_same_look_up_at_once_is_one_and_after_a_failure_the_next_one_asks() -> None:
    source = Source(SourceFailed("server", "it broke."), [passage()])
    source.gate.clear()
    chat = cached_source(source, store())
    tasks = [asyncio.ensure_future(chat.find(QUERY)) for _ in range(4)]
    await turns()
    assert source.asked == 1
    source.gate.set()
    said = await asyncio.gather(*tasks, return_exceptions=True)
    assert source.asked == 2
    assert isinstance(said[0], SourceFailed)
    assert said[1:] == [[passage()]] * 3


async def test_that_a_page_is_there_is_kept_and_that_it_is_missing_is_not() -> None:
    wiki, shared = Wiki(), store()
    source = cached_source(wiki, shared)
    assert isinstance(source, Encyclopedia)
    wiki.there = False
    assert [await source.has_page("Neon", "en") for _ in range(2)] == [False, False]
    wiki.there = True
    assert [await source.has_page("Neon", "en") for _ in range(2)] == [True, True]
    assert wiki.pages_asked == 3
    assert await source.has_page("Neon", "de")
    assert wiki.pages_asked == 4


@pytest.mark.parametrize("titled", [True, False])
async def test_what_the_page_of_its_own_says_is_kept(titled: bool) -> None:
    wiki, shared = TitledWiki(), store()
    wiki.titled = titled
    expected = [passage()] if titled else None
    source, again = cached_source(wiki, shared), cached_source(TitledWiki([]), shared)
    assert isinstance(source, ByTitle)
    assert isinstance(again, ByTitle)
    assert [await one.find_titled(QUERY) for one in (source, source, again)] == [expected] * 3
    assert (wiki.titles_asked, wiki.asked) == (1, int(titled))
    assert await again.find(QUERY) == []


async def test_a_source_stays_what_it_is() -> None:
    shared = store()
    plain, wiki, local = cached_source(Source(), shared), cached_source(Wiki(), shared), Local()
    assert isinstance(plain, FactSource)
    assert (isinstance(plain, Encyclopedia), isinstance(wiki, Encyclopedia)) == (False, True)
    assert not isinstance(wiki, ByTitle)
    assert (plain.name, plain.tiers) == ("wikipedia", frozenset(TIERS))
    assert isinstance(local, Whole)
    assert cached_source(local, shared) is local


async def test_sources_at_different_places_share_nothing() -> None:
    class Elsewhere(Source):
        def __init__(self, place: str) -> None:
            super().__init__()
            self._place = place

        async def place(self) -> str:
            return self._place

    shared, first, second, nowhere = (
        store(),
        Elsewhere("https://a"),
        Elsewhere("https://b"),
        Elsewhere(""),
    )
    for source in (first, first, second, nowhere, nowhere):
        await cached_source(source, shared).find(QUERY)
    assert (first.asked, second.asked, nowhere.asked) == (1, 1, 2)


async def test_a_wikis_place_is_its_address_without_a_password() -> None:
    wiki = MediaWikiSource(
        "wikipedia", Network("a", noon), url="https://u:pw@wiki.host:8/w/api.php?x=1"
    )
    assert await wiki.place() == "https://wiki.host:8/w/api.php"
    await wiki.aclose()
