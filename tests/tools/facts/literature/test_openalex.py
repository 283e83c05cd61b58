"""OpenAlex as a fact source, against a loopback server scripted from its documented replies."""

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import date
from typing import Any

import pytest
from aiohttp import web
from tests.support.fact_server import NOW, FactServer, Script, Waits, in_turn, network, query, serving
from tests.support.literature_records import SECOND, TEXT, inverted, location, work, works_reply

from fathom.state.errors import SourceFailed, UsageError
from fathom.state.tiers import Tier
from fathom.tools.facts.abstracts import from_index
from fathom.tools.facts.base import Encyclopedia, FactSource
from fathom.tools.facts.literature import LiteratureSource
from fathom.tools.facts.openalex import OPENALEX
from fathom.tools.facts.passages import passages

CONTACT = "probe-canary@example.org"
KEY = "canary/key+1"


def reply(*found: dict[str, Any]) -> Any:
    return lambda: web.json_response(works_reply(*found))


@asynccontextmanager
async def source_on(script: Script, **more: Any) -> AsyncIterator[tuple[LiteratureSource, FactServer, Waits]]:
    async with serving(script) as server:
        waits = Waits()
        key, way = more.pop("key", ""), {"sleep": waits, "attempts": 2} | more
        source = LiteratureSource("openalex", network(**way), OPENALEX, url=f"{server.url}/openalex", key=key)
        try:
            yield source, server, waits
        finally:
            await source.aclose()


async def titles(tier: Tier, *found: dict[str, Any], **more: Any) -> list[str]:
    async with source_on(in_turn(reply(*found))) as (source, _, _):
        return [evidence.title for evidence in await source.find(query("Sodium azide", tier, **more))]


async def test_a_passage_of_the_rebuilt_abstract_comes_with_its_origin() -> None:
    async with source_on(in_turn(reply(work()))) as (source, server, _):
        (evidence,) = await source.find(query("Sodium azide", Tier.SPECIALIST))
    assert (evidence.text, evidence.title) == (TEXT, "Sodium azide in airbags")
    assert (evidence.url, evidence.section) == ("https://doi.org/10.1000/azide.1", "Abstract")
    assert (evidence.source, evidence.tier) == ("openalex", Tier.SPECIALIST)
    assert (evidence.published, evidence.retrieved_at) == (date(2025, 3, 3), NOW)
    assert evidence.revision == "W2741809807, updated 2025-09-30"
    assert server.asked[0]["search"] == "Sodium azide Chemical elements"
    assert int(server.asked[0]["per_page"]) <= 100
    assert "abstract_inverted_index" in server.asked[0]["select"].split(",")
    assert {"api_key", "mailto"}.isdisjoint(server.asked[0])


async def test_it_is_a_source_for_the_upper_tiers_and_no_encyclopedia() -> None:
    source = LiteratureSource("openalex", network(), OPENALEX, key=KEY)
    assert isinstance(source, FactSource)
    assert not isinstance(source, Encyclopedia)
    assert source.tiers == {Tier.PROFESSIONAL, Tier.SPECIALIST, Tier.CUTTING_EDGE}
    assert await source.place() == OPENALEX.url
    assert await source.find(query("Sodium azide", Tier.TEXTBOOK)) == []
    await source.aclose()


async def test_each_tier_filters_in_the_services_own_way() -> None:
    async with source_on(in_turn(reply())) as (source, server, _):
        for tier in (Tier.PROFESSIONAL, Tier.SPECIALIST, Tier.CUTTING_EDGE):
            assert await source.find(query("Sodium azide", tier, language="de")) == []
    reviews, any_kind, beyond_domain, recent, _ = [set(asked["filter"].split(",")) for asked in server.asked]
    sound = {"has_abstract:true", "is_retracted:false", "is_paratext:false", "language:de"}
    journal = "primary_location.source.type:journal"
    assert reviews == sound | {journal, "type:review"}
    assert any_kind == beyond_domain == sound | {journal, "type:article|review"}
    days = {"from_publication_date:2024-05-01", "to_publication_date:2026-05-01"}
    assert recent == sound | days | {"type:article|review|preprint"}
    assert server.asked[2]["search"] == "Sodium azide"


async def test_what_tells_the_sense_is_asked_for_first_and_then_left_out() -> None:
    async with source_on(in_turn(reply())) as (source, server, _):
        await source.find(query("lead (metal)", Tier.SPECIALIST, line=("Toxins", "Paint (old)")))
    searches = [asked["search"] for asked in server.asked]
    assert searches == ["lead Chemical elements metal Paint", "lead Chemical elements", "lead"]


async def test_no_word_of_a_search_is_an_operator() -> None:
    async with source_on(in_turn(reply())) as (source, server, _):
        await source.find(query('"azide" NOT (salt OR x*) AND C#', Tier.SPECIALIST, domain="A,B|C"))
    assert server.asked[0]["search"] == "azide not salt or x and C A B C"


@pytest.mark.parametrize(
    "bad",
    [
        work("Bad", type="preprint"),
        work("Bad", primary_location=location(version="submittedVersion")),
        work("Bad", primary_location=location("repository")),
        work("Bad", primary_location=location(name="SSRN Electronic Journal")),
        work("Bad", primary_location=location(name="arXiv (Cornell University)")),
        work("Bad", primary_location=None),
        work("Bad", primary_location={"source": None, "version": "publishedVersion"}),
        work("Bad", type="editorial"),
        work("Bad", type="letter"),
        work("Bad", type="erratum"),
        work("Bad", type="retraction"),
        work("Bad", is_retracted=True),
        work("Bad", is_paratext=True),
        work("RETRACTED: Bad"),
        work("Retraction Note: Bad"),
        work("Corrigendum to “Bad”"),
        work("Expression of Concern: Bad"),
        work("Bad", language="fr"),
        work("Bad", abstract_inverted_index=None),
        work("Bad", abstract_inverted_index={}),
        work("Bad", abstract_inverted_index=inverted("Airbags inflate within forty milliseconds of a crash.")),
        work("Bad", id=None),
    ],
)
async def test_what_the_filter_should_have_left_out_is_left_out_again(bad: dict[str, Any]) -> None:
    good = work("Good", id="https://openalex.org/W2", abstract_inverted_index=inverted(SECOND))
    for tier in (Tier.PROFESSIONAL, Tier.SPECIALIST):
        assert await titles(tier, bad, good) == ["Good"]


@pytest.mark.parametrize(
    ("more", "section"),
    [
        ({"publication_date": "2024-05-01"}, "Abstract"),
        ({"publication_date": "2026-05-01"}, "Abstract"),
        ({"type": "preprint", "primary_location": location("repository", "submittedVersion")}, "Abstract (preprint)"),
        ({"publication_date": "2024-04-30"}, None),
        ({"publication_date": "2026-05-02"}, None),
        ({"publication_date": None}, None),
        ({"is_retracted": True}, None),
        ({"type": "preprint", "display_name": "Withdrawn: Azide"}, None),
        ({"type": "dataset"}, None),
    ],
)
async def test_the_cutting_edge_is_dated_sound_and_marks_preprints(more: dict[str, Any], section: str | None) -> None:
    async with source_on(in_turn(reply(work(**more)))) as (source, _, _):
        found = await source.find(query("Sodium azide", Tier.CUTTING_EDGE))
    assert [evidence.section for evidence in found] == ([section] if section else [])


async def test_guidance_comes_first_for_professionals() -> None:
    study = work("Study")
    guideline = work(
        "Guidelines for inflators", id="https://openalex.org/W2", abstract_inverted_index=inverted(SECOND), doi=None
    )
    async with source_on(in_turn(reply(), reply(study, guideline))) as (source, _, _):
        found = await source.find(query("Sodium azide", Tier.PROFESSIONAL))
    assert [e.title for e in found] == ["Guidelines for inflators", "Study"]
    assert found[0].url == "https://openalex.org/W2"


async def test_two_concepts_get_the_same_passages_of_a_work() -> None:
    both = work(abstract_inverted_index=inverted(f"{TEXT} {SECOND}"))
    changed = work(abstract_inverted_index=inverted(f"{SECOND} {TEXT}"))
    async with source_on(in_turn(reply(both), reply(changed))) as (source, _, _):
        first = await source.find(query("Sodium azide", Tier.SPECIALIST))
        other = await source.find(query("nitrogen", Tier.SPECIALIST))
    assert {e.digest for e in other} <= {e.digest for e in first}
    assert other


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
def test_an_inverted_index_is_put_in_order_and_its_gaps_are_marked(index: dict[str, Any], text: str) -> None:
    assert from_index(index) == text


def test_no_passage_is_cut_across_a_gap() -> None:
    whole = f"{TEXT} {SECOND}"
    index = inverted(whole)
    del index["guanidine"]
    assert [p.text for p in passages(from_index(inverted(whole)))] == [whole]
    assert [p.text for p in passages(from_index(index))] == [TEXT]


async def test_key_and_contact_are_on_the_wire_and_nowhere_else(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    async with source_on(in_turn(reply(work())), key=KEY, contact=CONTACT) as (source, server, _):
        found = await source.find(query("Sodium azide", Tier.SPECIALIST))
    assert (server.asked[0]["api_key"], server.asked[0]["mailto"]) == (KEY, CONTACT)
    ours = " ".join(line.getMessage() for line in caplog.records if line.name != "aiohttp.access")  # the server's own
    assert "GET" in ours
    assert "canary" not in ours + repr(source) + repr(found) + await source.place()


def broken_status_line(request: web.Request, _asked: dict[str, Any]) -> web.StreamResponse:
    assert request.transport is not None
    request.transport.write(b"HTTP/1.1 what 200\r\n\r\n")
    request.transport.close()
    return web.Response()


async def test_not_even_an_error_of_the_wire_shows_the_key() -> None:
    async with source_on(broken_status_line, key=KEY, contact=CONTACT) as (source, _, _):
        with pytest.raises(SourceFailed) as failure:
            await source.find(query("Sodium azide", Tier.SPECIALIST))
    cause: BaseException | None = failure.value
    while cause is not None:
        assert "canary" not in str(cause)
        cause = cause.__cause__


@pytest.mark.parametrize(
    ("status", "headers", "key", "kind", "says", "requests"),
    [
        (429, {"X-RateLimit-Remaining": "0"}, "", "rate_limit", "set OPENALEX_API_KEY", 1),
        (429, {"X-RateLimit-Remaining": "0"}, KEY, "rate_limit", "midnight UTC", 1),
        (429, {"Retry-After": "54000"}, KEY, "rate_limit", "allowance", 1),
        (429, {"X-RateLimit-Remaining": "900"}, KEY, "rate_limit", "2 attempts failed", 2),
        (403, {}, KEY, "rate_limit", "asked too fast", 2),
        (401, {}, KEY, "bad_reply", "OPENALEX_API_KEY", 1),
        (400, {}, KEY, "bad_reply", "did not understand", 1),
        (500, {}, KEY, "server", "2 attempts failed", 2),
    ],
)
async def test_failures_are_classified(
    status: int, headers: dict[str, str], key: str, kind: str, says: str, requests: int
) -> None:
    body = f'{{"error": "Invalid query parameters error.", "message": "{KEY}"}}'
    script = in_turn(lambda: web.Response(status=status, headers=headers, text=body))
    async with source_on(script, key=key) as (source, server, _):
        with pytest.raises(SourceFailed, match=says) as failure:
            await source.find(query("Sodium azide", Tier.SPECIALIST))
    assert failure.value.kind == kind
    assert "canary" not in str(failure.value)
    assert len(server.asked) == requests


async def test_a_passing_failure_is_waited_out_as_the_service_asks() -> None:
    busy = web.Response(status=429, headers={"Retry-After": "3"})
    async with source_on(in_turn(lambda: busy, reply(work()))) as (source, _, waits):
        assert await source.find(query("Sodium azide", Tier.SPECIALIST)) != []
    assert max(waits.seconds) == pytest.approx(3, abs=1)


@pytest.mark.parametrize("body", ["<html>", "[]", "{}", '{"results": [', '{"results": [1]}', '{"results": null}'])
async def test_a_reply_that_makes_no_sense_is_said_to_be_so(body: str) -> None:
    async with source_on(in_turn(lambda: web.Response(text=body)), key=KEY) as (source, _, _):
        with pytest.raises(SourceFailed, match="sent no list of works") as failure:
            await source.find(query("Sodium azide", Tier.SPECIALIST))
    assert failure.value.kind == "bad_reply"
    assert "canary" not in str(failure.value)


def test_a_key_does_not_go_in_clear_to_another_machine() -> None:
    url = "http://mirror.example/x?y=1"
    with pytest.raises(UsageError, match="FATHOM_ALLOW_HTTP_KEYS=1") as refusal:
        LiteratureSource("openalex", network(), OPENALEX, key=KEY, url=url)
    assert "canary" not in str(refusal.value)
    LiteratureSource("openalex", network(allow_http=True), OPENALEX, key=KEY, url=url)
    LiteratureSource("openalex", network(), OPENALEX, url=url)
