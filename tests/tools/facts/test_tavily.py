"""Web search as a fact source, against a scripted /search."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import date
from typing import Any

import pytest
from aiohttp import web
from tests.support.fact_server import (
    AS_OF,
    NOW,
    FactServer,
    Script,
    Waits,
    in_turn,
    network,
    query,
    serving,
    wiki,
)

from fathom.state.errors import SourceFailed, UsageError
from fathom.state.tiers import Tier
from fathom.tools.facts.registry import SimSource
from fathom.tools.facts.tavily import TavilySource

KEY = "tvly-secret-key"
FACT = "The sodium azide charge of an airbag burns within 40 milliseconds."
OTHER = "The progress met on Monday and elected a new chair for the year."


def result(
    title: str = "Airbags", url: str = "https://pubs.acs.org/airbags", **more: Any
) -> dict[str, Any]:
    return {
        "title": title,
        "url": url,
        "content": "",
        "raw_content": f"# {title}\n\n{FACT}\n\n{OTHER}",
        "score": 0.9,
    } | more


def results(*found: dict[str, Any]) -> Any:
    return lambda: web.json_response({"results": list(found)})


@asynccontextmanager
async def source_on(script: Script) -> AsyncIterator[tuple[TavilySource, FactServer]]:
    async with serving(script) as server:
        source = TavilySource(
            "tavily", network(sleep=Waits(), attempts=2), key=KEY, url=server.url
        )
        try:
            yield source, server
        finally:
            await source.aclose()


async def titles(tier: Tier, *found: dict[str, Any]) -> list[str]:
    async with source_on(in_turn(results(*found))) as (source, _):
        return [evidence.title for evidence in await source.find(query("Sodium azide", tier))]


async def test_passages_that_mention_the_concept_come_with_their_origin() -> None:
    dated = result(published_date="Tue, 10 Feb 2026 10:00:00 GMT")
    async with source_on(in_turn(results(dated))) as (source, server):
        (evidence,) = await source.find(query("Sodium azide", Tier.PROFESSIONAL))
    assert (evidence.text, evidence.title, evidence.url) == (
        FACT,
        "Airbags",
        "https://pubs.acs.org/airbags",
    )
    assert (evidence.source, evidence.tier, evidence.section) == (
        "tavily",
        Tier.PROFESSIONAL,
        "Airbags",
    )
    assert (evidence.published, evidence.retrieved_at) == (date(2026, 2, 10), NOW)
    assert server.headers[0]["Authorization"] == f"Bearer {KEY}"
    assert server.headers[0]["User-Agent"] == "Fathom/test"
    asked = server.asked[0]
    assert asked["query"].startswith("Sodium azide Chemical elements ")
    assert "guideline" in asked["query"]
    assert asked["include_raw_content"] is True
    assert "start_date" not in asked


async def test_each_tier_guides_the_search_in_its_own_way() -> None:
    async with source_on(in_turn(results(result()))) as (source, server):
        for tier in Tier:
            await source.find(query("Sodium azide", tier))
    assert len({asked["query"] for asked in server.asked}) == len(Tier)
    specialist = next(asked for asked in server.asked if "peer-reviewed" in asked["query"])
    assert "arxiv.org" in specialist["exclude_domains"]
    recent = next(asked for asked in server.asked if "start_date" in asked)
    assert (recent["start_date"], recent["end_date"]) == ("2024-05-01", "2026-05-01")


@pytest.mark.parametrize(
    "bad",
    [
        result(url="https://arxiv.org/abs/2501.00001"),
        result(url="https://www.biorxiv.org/content/1"),
        result(url="https://papers.ssrn.com/sol3/1"),
        result(url="https://en.wikipedia.org/wiki/Airbag"),
        result("RETRACTED: Airbags"),
        result("Retraction: Airbags"),
        result("[Retracted] Airbags"),
        result("Airbags (preprint)"),
        result(
            raw_content=f"This article is a preprint and has not been certified by peer review.\n\n{FACT}"
        ),
        result(raw_content=f"This article has been retracted by the editors.\n\n{FACT}"),
    ],
)
async def test_preprints_and_retracted_articles_are_no_specialist_evidence(
    bad: dict[str, Any],
) -> None:
    assert await titles(Tier.SPECIALIST, bad, result("Good")) == ["Good"]


@pytest.mark.parametrize(
    ("page", "reviewed"),
    [
        (result("My airbag diary", url="https://blog.example/airbags"), False),
        (result("Airbags", url="https://link.springer.com/article/1"), True),
        (result("Airbags", url="https://doi.org/10.1000/182"), True),
        (
            result(
                "Airbags",
                url="https://x.example",
                raw_content=f"Journal of Safety, volume 3\n\n{FACT}",
            ),
            True,
        ),
        (
            result(
                "Airbags",
                url="https://x.example",
                raw_content=f"I read many journals.\n\n{FACT}",
            ),
            False,
        ),
    ],
)
async def test_specialist_evidence_bears_a_mark_of_a_journal(
    page: dict[str, Any], reviewed: bool
) -> None:
    assert (await titles(Tier.SPECIALIST, page) != []) is reviewed
    assert await titles(Tier.PROFESSIONAL, page) != []


@pytest.mark.parametrize(
    ("more", "published"),
    [
        ({"published_date": "2025-03-12T08:00:00Z"}, date(2025, 3, 12)),
        ({"published_date": "2024-05-01"}, date(2024, 5, 1)),
        ({"published_date": "2026-05-01"}, date(2026, 5, 1)),
        ({"raw_content": f"Published online: 3 March 2026\n\n{FACT}"}, date(2026, 3, 3)),
        ({"raw_content": f"Publication date: March 3, 2026\n\n{FACT}"}, date(2026, 3, 3)),
        ({"url": "https://news.example/2025/11/07/airbags"}, date(2025, 11, 7)),
        ({"published_date": "2024-04-30"}, None),
        ({"published_date": "2026-05-02"}, None),
        ({"published_date": "last week"}, None),
        ({}, None),
    ],
)
async def test_the_cutting_edge_needs_a_date_within_two_years(
    more: dict[str, Any], published: date | None
) -> None:
    async with source_on(in_turn(results(result(**more)))) as (source, _):
        found = await source.find(query("Sodium azide", Tier.CUTTING_EDGE))
    assert [evidence.published for evidence in found] == ([published] if published else [])
    assert AS_OF.year == 2026


async def test_without_dated_pages_the_news_are_asked_too() -> None:
    dated = result("News", published_date="2026-01-05")
    async with source_on(in_turn(results(result()), results(dated))) as (source, server):
        assert [
            e.title for e in await source.find(query("Sodium azide", Tier.CUTTING_EDGE))
        ] == ["News"]
    assert [asked["topic"] for asked in server.asked] == ["general", "news"]


@pytest.mark.parametrize(
    ("status", "kind", "says"),
    [
        (401, "bad_reply", "TAVILY_API_KEY"),
        (403, "bad_reply", "plan"),
        (400, "bad_reply", "HTTP 400"),
        (432, "rate_limit", "limit is used up"),
        (429, "rate_limit", "2 attempts failed"),
        (500, "server", "2 attempts failed"),
    ],
)
async def test_failures_are_classified_and_never_show_the_key(
    status: int, kind: str, says: str
) -> None:
    async with source_on(in_turn(lambda: web.Response(status=status, text=KEY))) as (
        source,
        server,
    ):
        with pytest.raises(SourceFailed, match=says) as failure:
            await source.find(query("Sodium azide", Tier.SPECIALIST))
    assert failure.value.kind == kind
    assert KEY not in str(failure.value) + repr(source)
    assert len(server.asked) == (2 if status in (429, 500) else 1)


@pytest.mark.parametrize(
    "body", ["<html>", "[]", "{}", '{"results": [1]}', '{"results": null}']
)
async def test_a_reply_that_makes_no_sense_is_said_to_be_so(body: str) -> None:
    async with source_on(in_turn(lambda: web.Response(text=body))) as (source, _):
        with pytest.raises(SourceFailed, match="sent no search results") as failure:
            await source.find(query("Sodium azide", Tier.SPECIALIST))
    assert failure.value.kind == "bad_reply"


@pytest.mark.parametrize("key", ["", "  "])
def test_no_key_is_refused_at_once(key: str) -> None:
    with pytest.raises(UsageError, match="TAVILY_API_KEY"):
        TavilySource("tavily", network(), key=key)


async def test_the_simulated_world_is_a_wiki_below_and_a_search_above() -> None:
    page = {
        "text": "Sodium is a chemical element.\n\n\n== Use ==\n" + FACT,
        "fullurl": "sim://wiki/Sodium",
    }
    encyclopedia = wiki({"Sodium": page})

    def world(request: web.Request, asked: dict[str, Any]) -> web.StreamResponse | None:
        if request.path == "/search":
            recent = result(
                "Peer-reviewed study",
                url="sim://literature/1",
                published_date="2026-01-01",
                raw_content=FACT,
            )
            return web.json_response({"results": [recent]})
        assert request.path == "/w/api.php"
        return encyclopedia(request, asked)

    async with serving(world) as server:
        source = SimSource(server.url, network())
        found = {tier: await source.find(query("Sodium", tier)) for tier in source.tiers}
        assert await source.has_page("Sodium", "en")
        await source.aclose()
    assert {tier: [e.url for e in evidence] for tier, evidence in found.items()} == {
        Tier.COMMON: ["sim://wiki/Sodium"],
        Tier.TEXTBOOK: ["sim://wiki/Sodium"],
        **{
            tier: ["sim://literature/1"]
            for tier in (Tier.PROFESSIONAL, Tier.SPECIALIST, Tier.CUTTING_EDGE)
        },
    }
    assert {e.source for evidence in found.values() for e in evidence} == {"sim"}
