"""Which sites a web search asks, that evidence is what was retrieved, and where its key may go."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from tests.support.fact_server import (
    NOW,
    FactServer,
    Script,
    Waits,
    in_turn,
    network,
    query,
    serving,
)

from fathom.state.errors import SourceFailed, UsageError
from fathom.state.text import contains
from fathom.state.tiers import Tier
from fathom.tools.facts.plan import ADDRESSES
from fathom.tools.facts.registry import SimSource
from fathom.tools.facts.tavily import DailyCap, TavilySource
from fathom.tools.facts.vocabulary import JOURNAL_HOSTS, PROFESSIONAL_HOSTS

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
async def source_on(script: Script, **more: Any) -> AsyncIterator[tuple[TavilySource, FactServer]]:
    async with serving(script) as server:
        source = TavilySource(
            "tavily", network(sleep=Waits(), attempts=2), key=KEY, url=server.url, **more
        )
        try:
            yield source, server
        finally:
            await source.aclose()


@pytest.mark.parametrize(
    ("tier", "sites"), [(Tier.PROFESSIONAL, PROFESSIONAL_HOSTS), (Tier.SPECIALIST, JOURNAL_HOSTS)]
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
    async with source_on(in_turn(results(page("The commit was a turn of the tide for them.")))) as (
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
        assert [e.text for e in await source.find(query("Sodium azide", Tier.SPECIALIST))] == [FACT]
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


async def test_a_daily_cap_ends_searches_with_one_clear_sentence(tmp_path: Path) -> None:
    ledger = tmp_path / "cache" / "searches.sqlite"
    script = in_turn(results(page()))
    async with source_on(script, daily=2, ledger=ledger) as (source, server):
        for concept in (
            "Sodium azide",
            "airbag",
            "Sodium azide",
        ):  # the third is remembered, not sent
            await source.find(query(concept, Tier.SPECIALIST))
        with pytest.raises(
            SourceFailed, match=r"The 2 searches of Tavily that FATHOM_TAVILY_DAILY permits"
        ) as failure:
            await source.find(query("charge", Tier.SPECIALIST))
    assert failure.value.kind == "rate_limit"
    assert len(server.asked) == 2
    async with source_on(script, daily=2, ledger=ledger) as (source, server):
        with pytest.raises(SourceFailed):
            await source.find(query("charge", Tier.SPECIALIST))
    assert server.asked == []
    assert KEY.encode() not in ledger.read_bytes()


async def test_without_a_cap_nothing_is_counted(tmp_path: Path) -> None:
    ledger = tmp_path / "searches.sqlite"
    async with source_on(in_turn(results(page())), ledger=ledger) as (source, _):
        await source.find(query("Sodium azide", Tier.SPECIALIST))
    assert not ledger.exists()


@pytest.mark.parametrize("kept", [True, False])
async def test_the_count_begins_anew_at_midnight_utc(tmp_path: Path, kept: bool) -> None:
    now = datetime(2026, 5, 1, 23, 59, tzinfo=UTC)
    cap = DailyCap("Tavily", "CAP", 1, tmp_path / "a" if kept else None, lambda: now)
    await cap.take()
    with pytest.raises(SourceFailed):
        await cap.take()
    now = datetime(2026, 5, 2, 0, 0, tzinfo=UTC)
    await cap.take()


async def test_processes_share_the_count_and_none_is_lost(tmp_path: Path) -> None:
    caps = [DailyCap("Tavily", "CAP", 7, tmp_path / "shared", lambda: NOW) for _ in range(5)]
    taken = await asyncio.gather(*(cap.take() for cap in caps * 3), return_exceptions=True)
    assert sum(result is None for result in taken) == 7
    assert sum(isinstance(result, SourceFailed) for result in taken) == 8


async def test_a_cap_that_cannot_be_counted_permits_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    broken = tmp_path / "broken"
    broken.write_text(
        "this is no database, and it is long enough to be told from an empty one" * 20
    )
    for ledger in (tmp_path / "file" / "ledger", broken, tmp_path):
        with pytest.raises(
            SourceFailed, match=r"cannot be counted in .* make it writable, or unset CAP"
        ) as failure:
            await DailyCap("Tavily", "CAP", 9, ledger, lambda: NOW).take()
        assert failure.value.kind == "rate_limit"
