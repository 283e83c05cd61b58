"""OpenAlex as a fact source, against a loopback server scripted from its documented replies."""

import logging
from typing import Any

import pytest
from aiohttp import web
from tests.support.fact_server import in_turn, query
from tests.support.literature_records import (
    CONTACT,
    KEY,
    SECOND,
    TEXT,
    inverted,
    reply,
    source_on,
    work,
)

from fathom.state.errors import SourceFailed
from fathom.state.tiers import Tier
from fathom.tools.facts.passages import passages
from fathom.tools.facts.search import from_index


async def test_each_tier_filters_in_the_services_own_way() -> None:
    async with source_on("openalex", in_turn(reply("openalex"))) as (source, server, _):
        for tier in (Tier.PROFESSIONAL, Tier.SPECIALIST, Tier.CUTTING_EDGE):
            assert await source.find(query("Sodium azide", tier, language="de")) == []
    reviews, any_kind, beyond_domain, recent, _ = [
        set(asked["filter"].split(",")) for asked in server.asked
    ]
    sound = {"has_abstract:true", "is_retracted:false", "is_paratext:false", "language:de"}
    journal = "primary_location.source.type:journal"
    assert reviews == sound | {journal, "type:review"}
    assert any_kind == beyond_domain == sound | {journal, "type:article|review"}
    days = {"from_publication_date:2024-05-01", "to_publication_date:2026-05-01"}
    assert recent == sound | days | {"type:article|review|preprint"}
    assert server.asked[2]["search"] == "Sodium azide"


async def test_what_tells_the_sense_is_asked_for_first_and_then_left_out() -> None:
    async with source_on("openalex", in_turn(reply("openalex"))) as (source, server, _):
        await source.find(
            query("lead (metal)", Tier.SPECIALIST, line=("Toxins", "Paint (old)"))
        )
    searches = [asked["search"] for asked in server.asked]
    assert searches == ["lead Chemical elements metal Paint", "lead Chemical elements", "lead"]


async def test_no_word_of_a_search_is_an_operator() -> None:
    async with source_on("openalex", in_turn(reply("openalex"))) as (source, server, _):
        await source.find(
            query('"azide" NOT (salt OR x*) AND C#', Tier.SPECIALIST, domain="A,B|C")
        )
    assert server.asked[0]["search"] == "azide not salt or x and C A B C"


@pytest.mark.parametrize(
    ("index", "text"),
    [
        ({"burns": [1], "Sodium": [0], "in": [2], "air.": [3]}, "Sodium burns in air."),
        ({"the": [0, 2], "more": [1], "merrier": [3]}, "the more the merrier"),
        ({"Sodium": [0], "air.": [5]}, "Sodium {{…}} air."),
        ({"late": [7]}, "{{…}} late"),
        ({"far": [10**12], "Sodium": [0]}, "Sodium {{…}} far"),
        ({"one": [0], "two": [0]}, "one"),
        ({"one": [0, "x", -1, None], "two": "1"}, "one"),
        ({}, ""),
    ],
)
def test_an_inverted_index_is_put_in_order_and_its_gaps_are_marked(
    index: dict[str, Any], text: str
) -> None:
    assert from_index(index) == text


def test_no_passage_is_cut_across_a_gap() -> None:
    whole = f"{TEXT} {SECOND}"
    index = inverted(whole)
    del index["guanidine"]
    assert [p.text for p in passages(from_index(inverted(whole)))] == [whole]
    assert [p.text for p in passages(from_index(index))] == [TEXT]


async def test_key_and_contact_are_on_the_wire_and_nowhere_else(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)
    async with source_on(
        "openalex", in_turn(reply("openalex", work())), KEY, contact=CONTACT
    ) as (
        source,
        server,
        _,
    ):
        found = await source.find(query("Sodium azide", Tier.SPECIALIST))
    assert (server.asked[0]["api_key"], server.asked[0]["mailto"]) == (KEY, CONTACT)
    ours = " ".join(
        line.getMessage() for line in caplog.records if line.name != "aiohttp.access"
    )  # the server's own
    assert "GET" in ours
    assert "canary" not in ours + repr(source) + repr(found) + await source.place()


def broken_status_line(request: web.Request, _asked: dict[str, Any]) -> web.StreamResponse:
    assert request.transport is not None
    request.transport.write(b"HTTP/1.1 what 200\r\n\r\n")
    request.transport.close()
    return web.Response()


async def test_not_even_an_error_of_the_wire_shows_the_key() -> None:
    async with source_on("openalex", broken_status_line, key=KEY, contact=CONTACT) as (
        source,
        _,
        _,
    ):
        with pytest.raises(SourceFailed) as failure:
            await source.find(query("Sodium azide", Tier.SPECIALIST))
    cause: BaseException | None = failure.value
    while cause is not None:
        assert "canary" not in str(cause)
        cause = cause.__cause__
