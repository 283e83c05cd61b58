"""The encyclopedia source against a scripted api.php."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from aiohttp import web
from tests.support.fact_server import (
    NOW,
    FactServer,
    Script,
    Waits,
    network,
    query,
    serving,
    wiki,
)

from fathom.state.errors import SourceFailed, UsageError
from fathom.state.text import digest
from fathom.state.tiers import Tier
from fathom.tools.facts.base import Encyclopedia
from fathom.tools.facts.mediawiki import MediaWikiSource

LEAD = "Sodium is a chemical element with the symbol Na. It is a soft, silvery metal."
BODY = "Sodium is made by the Downs process in large cells. The cells hold molten salt."
SODIUM = (
    f"{LEAD}\n\n\n== Production ==\n{BODY}\n\n\n== See also ==\nThis line is a list of other "
    "chemical elements."
)
MERCURY = "Mercury is a chemical element that is liquid at room temperature. Its symbol is Hg."
PAGES: dict[str, str | dict[str, Any]] = {
    "Sodium": SODIUM,
    "Natrium": "#REDIRECT Sodium",
    "Mercury": {
        "text": "Mercury may refer to:\n\nMercury (element)",
        "pageprops": {"disambiguation": ""},
    },
    "Mercury (element)": MERCURY,
    "Stubium": "Stubium is a stub.",
    "Headless": "== History ==\nThe chemical elements were first listed by Lavoisier in 1789.",
    "Iron ore": (
        "Iron ore is dug in Sweden by chemical companies. Pure iron is made from it in a blast "
        "furnace."
    ),
    "Talk:Sodium": {"text": LEAD, "ns": 1},
}


@asynccontextmanager
async def source_on(
    script: Script, **options: Any
) -> AsyncIterator[tuple[MediaWikiSource, FactServer]]:
    hold = options.pop("hold", None)
    async with serving(script, hold=hold) as server:
        url = options.pop("url", "{server}/w/api.php").replace("{server}", server.url)
        chosen: dict[str, Any] = {
            "sleep": Waits(),
            "attempts": 3,
            "user_agent": "Fathom/test (tests)",
        } | options
        source = MediaWikiSource("mediawiki:x", network(**chosen), url=url)
        try:
            yield source, server
        finally:
            await source.aclose()


async def test_a_title_costs_one_request_a_tier_and_gives_lead_and_body_with_their_origin() -> (
    None
):
    async with source_on(wiki(PAGES)) as (source, server):
        common = await source.find(query("Sodium"))
        assert len(server.asked) == 1
        textbook = await source.find(query("Sodium", Tier.TEXTBOOK))
    assert len(server.asked) == 2
    assert [(e.text, e.section) for e in common] == [(LEAD, None)]
    assert [(e.text, e.section) for e in textbook] == [(BODY, "Production")]
    first = common[0]
    assert (first.title, first.url, first.source) == (
        "Sodium",
        "https://wiki.example/Sodium",
        "mediawiki:x",
    )
    assert (first.revision, first.retrieved_at, first.tier) == ("42", NOW, Tier.COMMON)
    assert first.digest == digest(LEAD)
    assert server.headers[0]["User-Agent"].startswith("Fathom/test (tests)")
    assert server.asked[0]["maxlag"] == "5"
    assert isinstance(source, Encyclopedia)


async def test_a_redirect_is_followed_to_its_final_title() -> None:
    async with source_on(wiki(PAGES)) as (source, _):
        assert [e.title for e in await source.find(query("Natrium"))] == ["Sodium"]


async def test_a_disambiguation_page_is_no_evidence_but_a_search_within_the_domain_is() -> None:
    fields = {"pageprops": {"disambiguation": ""}}
    pages = PAGES | {
        "Mercury": {"text": "Mercury is a name of several chemical things in the world."}
        | fields
    }
    found = {"Mercury": ["Mercury", "Mercury (element)"]}
    async with source_on(wiki(pages, found)) as (source, _):
        assert [(e.title, e.text) for e in await source.find(query("Mercury"))] == [
            ("Mercury (element)", MERCURY)
        ]


async def test_brackets_and_the_line_find_the_sense_and_the_passage_needs_neither() -> None:
    pages = PAGES | {
        "Lead": "Lead is a chemical element with the symbol Pb. It is soft.",
        "Tin": "Tin is a dog in a tale.",
    }
    async with source_on(wiki(pages, {"Tin": ["Tin"]})) as (source, server):
        assert [e.title for e in await source.find(query("Lead (metal)"))] == ["Lead"]
        assert [asked.get("titles") for asked in server.asked] == ["Lead (metal)|Lead"]
        assert await source.find(query("Tin (metal)", line=("Metals", "Solder (alloy)"))) == []
    searches = [asked["gsrsearch"] for asked in server.asked if "gsrsearch" in asked]
    assert (searches[0], sorted(searches[1:])) == (
        "Tin",
        ["Tin Solder", "Tin metal Chemical elements"],
    )


async def test_a_page_without_text_before_its_first_heading_has_no_lead() -> None:
    async with source_on(wiki(PAGES)) as (source, _):
        assert await source.find(query("Headless")) == []
        assert [e.section for e in await source.find(query("Headless", Tier.TEXTBOOK))] == [
            "History"
        ]


@pytest.mark.parametrize(
    "concept", ["Nowhere", "Stubium", "Talk:Sodium", "C#", "Sodium|Iron ore", "  ", "<b>"]
)
async def test_no_page_no_evidence(concept: str) -> None:
    async with source_on(wiki(PAGES)) as (source, _):
        assert await source.find(query(concept)) == []


async def test_a_title_of_another_wiki_is_no_page() -> None:
    def interwiki(_request: web.Request, asked: dict[str, Any]) -> web.Response:
        return web.json_response(
            {"query": {"interwiki": [{"title": "de:Eisen", "iw": "de"}], "search": []}}
        )

    async with source_on(interwiki) as (source, _):
        assert await source.find(query("de:Eisen")) == []


async def test_an_invented_concept_finds_nothing_even_when_the_search_always_answers() -> None:
    hits = ["Sodium", "Iron ore"]
    found = {"Sodium glimmer process Chemical elements": hits, "Sodium glimmer process": hits}
    async with source_on(wiki(PAGES, found)) as (source, _):
        assert await source.find(query("Sodium glimmer process")) == []


async def test_a_hit_with_another_title_gives_only_the_passages_that_mention_the_concept() -> (
    None
):
    page = (
        f"{LEAD} {'More about it here. ' * 3}\n\nThe Downs cell was patented in 1924 by J. C. "
        "Downs."
    )
    found = {"Downs cells": ["Sodium"]}
    async with source_on(wiki({"Sodium": page}, found)) as (source, _):
        evidence = await source.find(query("Downs cells"))
    assert [e.text for e in evidence] == ["The Downs cell was patented in 1924 by J. C. Downs."]


async def test_a_hit_outside_the_domain_is_no_evidence() -> None:
    probe = "The Mercury probe flew past the planet in 1974 and twice more."
    async with source_on(
        wiki({"Mercury (probe)": probe}, {"Mercury": ["Mercury (probe)"]})
    ) as (
        source,
        _,
    ):
        assert await source.find(query("Mercury")) == []
        assert [e.text for e in await source.find(query("Mercury", domain="Planets"))] == [
            probe
        ]


async def test_many_who_ask_for_one_page_at_once_share_one_request() -> None:
    hold = asyncio.Event()
    async with source_on(wiki(PAGES), hold=hold) as (source, server):
        asking = [
            asyncio.create_task(source.find(query("Sodium", tier)))
            for tier in (Tier.COMMON, Tier.TEXTBOOK) * 10
        ]
        await server.arrivals(1)
        asking[0].cancel()  # the one who began it goes away; the others still get their page
        hold.set()
        replies = await asyncio.gather(*asking, return_exceptions=True)
    assert len(server.asked) == 2, "its intro, and its whole text"
    assert isinstance(replies[0], asyncio.CancelledError)
    assert all(isinstance(reply, list) and reply for reply in replies[1:])


async def test_what_is_asked_for_at_the_same_time_goes_out_together() -> None:
    names = [f"Metal {n}" for n in range(70)]
    pages = {
        name: f"{name} is a chemical element that was found in {1800 + n}."
        for n, name in enumerate(names)
    }
    async with source_on(wiki(pages)) as (source, server):
        found = await asyncio.gather(*(source.find(query(name)) for name in names))
    assert [evidence[0].title for evidence in found] == names
    assert [len(asked["titles"].split("|")) for asked in server.asked] == [50, 20]


async def test_while_all_connections_are_busy_what_is_asked_for_shares_the_next_request() -> (
    None
):
    hold = asyncio.Event()
    async with source_on(wiki({}), hold=hold, max_connections=1) as (source, server):
        first = asyncio.create_task(source.find_titled(query("First")))
        await server.arrivals(1)
        others = []
        for n in range(5):
            others.append(asyncio.create_task(source.find_titled(query(f"Later {n}"))))
            await asyncio.sleep(0.02)  # longer than a batch waits for company
        hold.set()
        assert not any(await asyncio.gather(first, *others))
    assert [asked["titles"].count("|") for asked in server.asked] == [0, 4]


async def test_a_title_that_the_wiki_chokes_on_fails_alone() -> None:
    given = wiki(PAGES)

    def choking(request: web.Request, asked: dict[str, Any]) -> web.StreamResponse | None:
        bad = "Curse" in asked.get("titles", "")
        return web.Response(status=400) if bad else given(request, asked)

    async with source_on(choking) as (source, _):
        concepts = ["Sodium", "Iron ore", "Curse", "Stubium", "Mercury (element)"]
        asking = [source.find_titled(query(concept)) for concept in concepts]
        replies = await asyncio.gather(*asking, return_exceptions=True)
        assert isinstance(replies[2], SourceFailed)
        assert sum(isinstance(reply, list) for reply in replies) == 4
        with pytest.raises(SourceFailed):
            await source.find(query("Curse"))


async def test_a_reply_that_comes_in_parts_is_read_to_its_end() -> None:
    whole = wiki(PAGES)

    def in_parts(request: web.Request, asked: dict[str, Any]) -> web.StreamResponse:
        reply = whole(request, asked)
        assert isinstance(reply, web.Response)
        body = json.loads(reply.text or "")
        pages = list(body["query"]["pages"].values())
        place = int(asked.get("rvcontinue", 0))
        for page in pages[:place] + pages[place + 1 :]:
            page.pop("revisions", None)
        more = (
            {"continue": {"rvcontinue": place + 1, "continue": "||"}}
            if place + 1 < len(pages)
            else {}
        )
        return web.json_response(body | more)

    async with source_on(in_parts) as (source, server):
        found = await asyncio.gather(
            *(source.find(query(name)) for name in ("Sodium", "Iron ore", "Headless"))
        )
    assert [len(evidence) for evidence in found] == [1, 1, 0]
    assert len(server.asked) == 3


async def test_of_all_that_a_search_would_find_only_the_first_hits_are_asked_for() -> None:
    given = wiki(PAGES, {"Downs cells": ["Sodium"]})

    def endless(request: web.Request, asked: dict[str, Any]) -> web.StreamResponse:
        reply = given(request, asked)
        assert isinstance(reply, web.Response)
        more = {"batchcomplete": "", "continue": {"gsroffset": 8, "continue": "gsroffset||"}}
        return web.json_response(
            json.loads(reply.text or "") | (more if "gsrsearch" in asked else {})
        )

    async with source_on(endless) as (source, server):
        assert await source.find(query("Downs cells")) == []
    searches = [asked["gsrsearch"] for asked in server.asked if "gsrsearch" in asked]
    assert searches == ["Downs cells"]


@pytest.mark.parametrize("limit", [3, 130])
async def test_max_connections_is_reached_and_never_passed(limit: int) -> None:
    hold = asyncio.Event()
    async with source_on(wiki({}), hold=hold, max_connections=limit) as (source, server):
        asking = [
            asyncio.create_task(source.nearest(f"Page {n}", "en")) for n in range(limit + 10)
        ]
        await server.arrivals(limit)
        await asyncio.sleep(0.05)  # time for one too many to come
        assert server.open == limit
        hold.set()
        assert not any(await asyncio.gather(*asking))


async def test_the_language_of_the_query_chooses_the_wiki() -> None:
    async with source_on(wiki(PAGES), url="{server}/{language}/api.php") as (source, server):
        await source.find(query("Sodium", language="de"))
        with pytest.raises(UsageError, match="language code"):
            await source.find(query("Sodium", language="evil.example/"))
    assert len(server.asked) == 1


async def test_of_what_a_search_finds_the_closest_counts() -> None:
    far = "A cell holds 40 tons. In 1924 chemical works were built by J. C. Downs in Niagara."
    near = "In chemical works by J. C. Downs stands a large cell."
    phrase = "In chemical works a Downs cell is kept hot by its own current."
    pages = {"Far": far, "Near": near, "Phrase": phrase}
    for hits, texts in (
        (["Far", "Near", "Phrase"], [phrase]),
        (["Far", "Near"], [near]),
        (["Far"], [far]),
    ):
        async with source_on(wiki(pages, {"Downs cell": hits})) as (source, server):
            assert [e.text for e in await source.find(query("Downs cell"))] == texts
        assert len(server.asked) == 2, "its title, and one search"


@pytest.mark.parametrize(
    "concept", ["alkali metals", "Alkali Metal", "the alkali-metals", "Rule 4. Alkali metals"]
)
async def test_a_page_is_found_as_people_name_it(concept: str) -> None:
    pages = {"Alkali metal": "An alkali metal is a chemical element of the first group."}
    async with source_on(wiki(pages)) as (source, server):
        assert [e.title for e in await source.find(query(concept))] == ["Alkali metal"]
    assert len(server.asked) == 1


async def test_a_long_body_is_sampled_over_its_whole_length() -> None:
    sections = "".join(
        f"\n\n\n== Part {n} ==\nChemical fact number {n} is about a metal called Sodium."
        for n in range(40)
    )
    async with source_on(wiki({"Sodium": LEAD + sections})) as (source, _):
        evidence = await source.find(query("Sodium", Tier.TEXTBOOK, limit=4))
    assert [e.section for e in evidence] == ["Part 0", "Part 10", "Part 20", "Part 30"]


async def test_has_page_knows_titles_redirects_lists_of_senses_and_what_a_search_finds() -> (
    None
):
    async with source_on(
        wiki(PAGES, {"Blast furnaces": ["Iron ore"], "Flat facts": ["Sodium"]})
    ) as (source, _):
        assert [
            await source.has_page(t, "en")
            for t in ("Sodium", "Natrium", "Mercury", "Blast furnaces")
        ] == [True] * 4
        assert not await source.has_page("Flat facts", "en")
        assert not await source.has_page("Nowhere at all", "en")


async def test_tiers_above_the_encyclopedia_have_nothing_and_ask_nobody() -> None:
    async with source_on(wiki(PAGES)) as (source, server):
        assert await source.find(query("Sodium", Tier.SPECIALIST)) == []
    assert source.tiers == {Tier.COMMON, Tier.TEXTBOOK}
    assert server.asked == []


OLD, NO_TEXT, HIDDEN = (
    {"*": SODIUM},
    {"slots": {"main": {"contentmodel": "json", "*": "{}"}}},
    {"texthidden": ""},
)


@pytest.mark.parametrize(
    ("revision", "readable"), [(OLD, True), (NO_TEXT, False), (HIDDEN, False)]
)
async def test_an_article_that_cannot_be_read_is_no_missing_evidence(
    revision: dict[str, Any], readable: bool
) -> None:
    given = wiki(PAGES)

    def other(request: web.Request, asked: dict[str, Any]) -> web.StreamResponse:
        reply = given(request, asked)
        assert isinstance(reply, web.Response)
        body = json.loads(reply.text or "")
        for page in body["query"]["pages"].values():
            page |= {"revisions": [revision]} if "revisions" in page else {}
        return web.json_response(body)

    async with source_on(other) as (source, _):
        if readable:
            assert [e.text for e in await source.find(query("Sodium", Tier.TEXTBOOK))] == [BODY]
        else:
            with pytest.raises(SourceFailed, match="no wikitext"):
                await source.find(query("Sodium", Tier.TEXTBOOK))
