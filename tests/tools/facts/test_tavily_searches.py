"""Which sites a web search asks, that evidence is what was retrieved, and where its key may go."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from aiohttp import web
from tests.support.fact_server import (
    FactServer,
    Script,
    Waits,
    in_turn,
    network,
    query,
    serving,
)

from fathom.state.errors import UsageError
from fathom.state.text import contains
from fathom.state.tiers import Tier
from fathom.tools.facts.plan import ADDRESSES
from fathom.tools.facts.registry import SimSource
from fathom.tools.facts.standing import JOURNAL_HOSTS, PROFESSIONAL_HOSTS
from fathom.tools.facts.tavily import TavilySource

KEY = "tvly-canary-key"
FACT = "The sodium azide charge of an airbag burns within 40 milliseconds."
LATER = "Spent inflators hold no sodium azide, so they can be recycled."


def results(*found: dict[str, Any]) -> Any:
    return lambda: web.json_response({"results": list(found)})


def page(text: str = FACT, **more: Any) -> dict[str, Any]:
    return {
        "title": "Airbags",
        "url": "https://pubs.acs.org/1",
        "content": "",
        "raw_content": text,
        "score": 1.0,
    } | more


@asynccontextmanager
async def source_on(
    script: Script, **more: Any
) -> AsyncIterator[tuple[TavilySource, FactServer]]:
    async with serving(script) as server:
        source = TavilySource(
            "tavily", network(sleep=Waits(), attempts=2), key=KEY, url=server.url, **more
        )
        try:
            yield source, server
        finally:
            await source.aclose()


@pytest.mark.parametrize(
    ("tier", "sites"),
    [(Tier.PROFESSIONAL, PROFESSIONAL_HOSTS), (Tier.SPECIALIST, JOURNAL_HOSTS)],
)
async def test_professional_bodies_and_journals_are_asked_first(
    tier: Tier, sites: tuple[str, ...]
) -> None:
    async with source_on(in_turn(results(page()))) as (source, server):
        assert await source.find(query("Sodium azide", tier)) != []
    (asked,) = server.asked
    assert asked["include_domains"] == list(sites)
    assert len(sites) <= 300


async def test_the_concepts_brackets_and_the_one_before_it_are_among_the_words() -> None:
    async with source_on(
        in_turn(results(page("The commit was a turn of the tide for them.")))
    ) as (
        source,
        server,
    ):
        for line in ((), ("Version control", "Branch (Git)"), ("Crime",)):
            assert await source.find(query("commit (Git)", domain="Software", line=line)) != []
    words = [asked["query"].removesuffix(" introduction overview") for asked in server.asked]
    assert words == [
        "commit Git Software",
        "commit Git Branch Software",
        "commit Git Crime Software",
    ]


async def test_everybody_is_asked_when_the_preferred_sites_gave_no_evidence() -> None:
    beside = page("Airbags are folded by hand in a few plants.", url="https://acs.org/2")
    async with source_on(in_turn(results(beside), results(page()))) as (source, server):
        assert [e.text for e in await source.find(query("Sodium azide", Tier.SPECIALIST))] == [
            FACT
        ]
    assert [bool(asked.get("include_domains")) for asked in server.asked] == [True, False]


async def test_the_lower_tiers_and_the_newest_are_asked_everywhere() -> None:
    async with source_on(in_turn(results())) as (source, server):
        for tier in (Tier.COMMON, Tier.TEXTBOOK, Tier.CUTTING_EDGE):
            await source.find(query("Sodium azide", tier))
    assert not any(asked.get("include_domains") for asked in server.asked)
    assert [asked.get("start_date") for asked in server.asked] == [
        None,
        None,
        "2024-05-01",
        "2024-05-01",
    ]
    assert all(asked["include_raw_content"] for asked in server.asked)


async def test_evidence_stands_word_for_word_in_what_was_retrieved() -> None:
    raw = (
        f"# Airbags\n\n**{FACT}** {LATER}\n\n| sodium azide | b |\n\nSpent *sodium azide* is "
        "burnt in a kiln."
    )
    async with source_on(in_turn(results(page(raw)))) as (source, _):
        found = await source.find(query("Sodium azide", Tier.PROFESSIONAL))
    assert len(found) == 2
    assert all(contains(raw.replace("*", ""), evidence.text) for evidence in found)


async def test_no_passage_joins_the_pieces_of_a_snippet() -> None:
    pieces = page("", raw_content=None, content=f"{FACT} [...] {LATER}")
    async with source_on(in_turn(results(pieces))) as (source, _):
        found = await source.find(query("Sodium azide", Tier.PROFESSIONAL))
    assert [evidence.text for evidence in found] == [FACT, LATER]


async def test_its_place_is_its_address() -> None:
    async with source_on(in_turn(results())) as (source, server):
        assert await source.place() == server.url


def test_the_key_does_not_go_in_clear_to_another_machine() -> None:
    with pytest.raises(
        UsageError, match=r"TAVILY_API_KEY .*http://search\.example.*FATHOM_ALLOW_HTTP_KEYS=1"
    ) as refusal:
        TavilySource("tavily", network(), key=KEY, url="http://search.example")
    assert KEY not in str(refusal.value)
    for url in (
        ADDRESSES["tavily"],
        "https://search.example",
        "http://localhost:8080",
        "http://127.0.0.1:1",
        "http://[::1]:1",
    ):
        TavilySource("tavily", network(), key=KEY, url=url)
    TavilySource("tavily", network(allow_http=True), key=KEY, url="http://search.example")
    SimSource("http://world.example", network())  # its key is no secret
