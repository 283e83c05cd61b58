"""Europe PMC and OpenAlex as fact sources, against a loopback server scripted from their documented
replies."""

from datetime import date
from typing import Any

import pytest
from aiohttp import web
from tests.support.fact_server import NOW, in_turn, network, query
from tests.support.literature_records import (
    CONTACT,
    KEY,
    KINDS,
    SECOND,
    TEXT,
    core,
    inverted,
    location,
    reply,
    source_on,
    titles,
    work,
)

from fathom.state.errors import SourceFailed
from fathom.state.tiers import Tier
from fathom.tools.facts.base import Encyclopedia, FactSource
from fathom.tools.facts.search import LiteratureSource

BOTH = pytest.mark.parametrize("name", KINDS)


@pytest.mark.parametrize(
    ("name", "record", "revision"),
    [
        ("europepmc", core(), "PMID 31234567, revised 2025-09-30"),
        ("openalex", work(), "W2741809807, updated 2025-09-30"),
    ],
)
async def test_a_passage_of_the_abstract_comes_with_its_origin(
    name: str, record: dict[str, Any], revision: str
) -> None:
    async with source_on(name, in_turn(reply(name, record))) as (source, server, _):
        (evidence,) = await source.find(query("Sodium azide", Tier.SPECIALIST))
    assert (evidence.text, evidence.title) == (TEXT, "Sodium azide in airbags")
    assert (evidence.url, evidence.section) == ("https://doi.org/10.1000/azide.1", "Abstract")
    assert (evidence.source, evidence.tier) == (name, Tier.SPECIALIST)
    assert (evidence.published, evidence.retrieved_at) == (date(2025, 3, 3), NOW)
    assert evidence.revision == revision
    assert server.headers[0]["User-Agent"] == "Fathom/test"
    assert {"api_key", "mailto", "email"}.isdisjoint(server.asked[0])


@BOTH
async def test_it_is_a_source_for_the_upper_tiers_and_no_encyclopedia(name: str) -> None:
    source = LiteratureSource(name, network(), KINDS[name].service, key=KINDS[name].key)
    assert isinstance(source, FactSource)
    assert not isinstance(source, Encyclopedia)
    assert source.tiers == {Tier.PROFESSIONAL, Tier.SPECIALIST, Tier.CUTTING_EDGE}
    assert await source.place() == KINDS[name].service.url
    assert await source.find(query("Sodium azide", Tier.TEXTBOOK)) == []
    await source.aclose()


@pytest.mark.parametrize(
    ("name", "bad"),
    [
        ("europepmc", core("Bad", source="PPR", pubTypeList={"pubType": ["Preprint"]})),
        ("europepmc", core("Bad", pubTypeList={"pubType": ["Preprint", "Journal Article"]})),
        ("europepmc", core("Bad", source="AGR")),
        ("europepmc", core("Bad", source="PAT")),
        (
            "europepmc",
            core("Bad", pubTypeList={"pubType": ["Retracted Publication", "Journal Article"]}),
        ),
        ("europepmc", core("Bad", pubTypeList={"pubType": ["Retraction of Publication"]})),
        ("europepmc", core("Bad", pubTypeList={"pubType": ["correction", "Journal Article"]})),
        ("europepmc", core("Bad", pubTypeList={"pubType": ["Published Erratum"]})),
        ("europepmc", core("Bad", pubTypeList={"pubType": ["Expression of Concern"]})),
        ("europepmc", core("Bad", pubTypeList={"pubType": ["Editorial", "Journal Article"]})),
        ("europepmc", core("Bad", pubTypeList={"pubType": ["letter", "Journal Article"]})),
        ("europepmc", core("Bad", pubTypeList=None)),
        (
            "europepmc",
            core(
                "Bad",
                commentCorrectionList={
                    "commentCorrection": [{"type": "Retraction in", "id": "9"}]
                },
            ),
        ),
        (
            "europepmc",
            core(
                "Bad",
                commentCorrectionList={
                    "commentCorrection": [{"type": "Erratum for", "id": "9"}]
                },
            ),
        ),
        ("europepmc", core("Retracted: Bad")),
        ("europepmc", core("WITHDRAWN: Bad")),
        ("europepmc", core("Correction to: Bad")),
        ("europepmc", core("Author Correction: Bad")),
        (
            "europepmc",
            core("Bad", abstractText=f"This article has been retracted by the editors. {TEXT}"),
        ),
        ("europepmc", core("Bad", abstractText=None)),
        (
            "europepmc",
            core("Bad", abstractText="Airbags inflate within forty milliseconds of a crash."),
        ),
        ("europepmc", core("Bad", id="")),
        ("openalex", work("Bad", type="preprint")),
        ("openalex", work("Bad", primary_location=location(version="submittedVersion"))),
        ("openalex", work("Bad", primary_location=location("repository"))),
        ("openalex", work("Bad", primary_location=location(name="SSRN Electronic Journal"))),
        ("openalex", work("Bad", primary_location=location(name="arXiv (Cornell University)"))),
        ("openalex", work("Bad", primary_location=None)),
        (
            "openalex",
            work("Bad", primary_location={"source": None, "version": "publishedVersion"}),
        ),
        ("openalex", work("Bad", type="editorial")),
        ("openalex", work("Bad", type="letter")),
        ("openalex", work("Bad", type="erratum")),
        ("openalex", work("Bad", type="retraction")),
        ("openalex", work("Bad", is_retracted=True)),
        ("openalex", work("Bad", is_paratext=True)),
        ("openalex", work("RETRACTED: Bad")),
        ("openalex", work("Retraction Note: Bad")),
        ("openalex", work("Corrigendum to “Bad”")),
        ("openalex", work("Expression of Concern: Bad")),
        ("openalex", work("Bad", language="fr")),
        ("openalex", work("Bad", abstract_inverted_index=None)),
        ("openalex", work("Bad", abstract_inverted_index={})),
        (
            "openalex",
            work(
                "Bad",
                abstract_inverted_index=inverted(
                    "Airbags inflate within milliseconds of a crash."
                ),
            ),
        ),
        ("openalex", work("Bad", id=None)),
    ],
)
async def test_what_the_service_should_have_left_out_is_left_out_again(
    name: str, bad: dict[str, Any]
) -> None:
    good = KINDS[name].record("Good", "W2", SECOND)
    for tier in (Tier.PROFESSIONAL, Tier.SPECIALIST):
        assert await titles(name, tier, bad, good) == ["Good"]


@pytest.mark.parametrize(
    ("name", "record", "section"),
    [
        ("europepmc", core(firstPublicationDate="2024-05-01"), "Abstract"),
        ("europepmc", core(firstPublicationDate="2026-05-01"), "Abstract"),
        (
            "europepmc",
            core(source="PPR", id="PPR77", pubTypeList={"pubType": ["Preprint"]}),
            "Abstract (preprint)",
        ),
        ("europepmc", core(firstPublicationDate="2024-04-30"), None),
        ("europepmc", core(firstPublicationDate="2026-05-02"), None),
        ("europepmc", core(firstPublicationDate=None), None),
        ("europepmc", core(firstPublicationDate="2025"), None),
        (
            "europepmc",
            core(commentCorrectionList={"commentCorrection": [{"type": "Retraction in"}]}),
            None,
        ),
        (
            "europepmc",
            core(source="PPR", title="Withdrawn: Azide", pubTypeList={"pubType": ["Preprint"]}),
            None,
        ),
        ("europepmc", core(pubTypeList={"pubType": ["Editorial"]}), None),
        ("openalex", work(publication_date="2024-05-01"), "Abstract"),
        ("openalex", work(publication_date="2026-05-01"), "Abstract"),
        (
            "openalex",
            work(type="preprint", primary_location=location("repository", "submittedVersion")),
            "Abstract (preprint)",
        ),
        ("openalex", work(publication_date="2024-04-30"), None),
        ("openalex", work(publication_date="2026-05-02"), None),
        ("openalex", work(publication_date=None), None),
        ("openalex", work(is_retracted=True), None),
        ("openalex", work(type="preprint", display_name="Withdrawn: Azide"), None),
        ("openalex", work(type="dataset"), None),
    ],
)
async def test_the_cutting_edge_is_dated_sound_and_marks_preprints(
    name: str, record: dict[str, Any], section: str | None
) -> None:
    async with source_on(name, in_turn(reply(name, record))) as (source, _, _):
        found = await source.find(query("Sodium azide", Tier.CUTTING_EDGE))
    assert [evidence.section for evidence in found] == ([section] if section else [])


@BOTH
async def test_guidance_comes_first_for_professionals_and_last_for_specialists(
    name: str,
) -> None:
    make = KINDS[name].record
    found = make("Study"), make("Guideline for inflators", "W2", SECOND)
    async with source_on(name, in_turn(reply(name), reply(name, *found))) as (
        source,
        server,
        _,
    ):
        evidence = await source.find(query("Sodium azide", Tier.PROFESSIONAL))
    assert [e.title for e in evidence] == ["Guideline for inflators", "Study"]
    assert len(server.asked) == 2
    assert (await titles(name, Tier.SPECIALIST, *found[::-1]))[0] == "Study"


@BOTH
async def test_beyond_the_domains_words_a_work_must_still_touch_the_domain(name: str) -> None:
    make = KINDS[name].record
    strange, near = (
        make("Azide", "W1", SECOND),
        make("Azide", "W2", f"Chemistry of inflators matters. {SECOND}"),
    )
    async with source_on(name, in_turn(reply(name), reply(name, strange, near))) as (
        source,
        _,
        _,
    ):
        (evidence,) = await source.find(query("Sodium azide", Tier.SPECIALIST))
    assert "W2" in (evidence.revision or "")


@BOTH
async def test_two_concepts_get_the_same_passages_of_a_work_and_a_search_is_sent_once(
    name: str,
) -> None:
    make = KINDS[name].record
    both, changed = make(text=f"{TEXT} {SECOND}"), make(text=f"{SECOND} {TEXT}")
    async with source_on(name, in_turn(reply(name, both), reply(name, changed))) as (
        source,
        server,
        _,
    ):
        first = await source.find(query("Sodium azide", Tier.SPECIALIST))
        again = await source.find(query("Sodium azide", Tier.SPECIALIST))
        other = await source.find(query("nitrogen", Tier.SPECIALIST))
    assert again == first
    assert other
    assert {e.digest for e in other} <= {e.digest for e in first}
    assert len(server.asked) == 2


@BOTH
async def test_a_passing_failure_is_waited_out_as_the_service_asks(name: str) -> None:
    busy = web.Response(status=429, headers={"Retry-After": "7"})
    async with source_on(name, in_turn(lambda: busy, reply(name, KINDS[name].record()))) as (
        source,
        server,
        waits,
    ):
        assert await source.find(query("Sodium azide", Tier.SPECIALIST)) != []
    assert len(server.asked) == 2
    assert max(waits.seconds) == pytest.approx(7, abs=1)


@pytest.mark.parametrize(
    ("name", "status", "headers", "key", "kind", "says", "requests"),
    [
        ("europepmc", 429, {}, "", "rate_limit", "2 attempts failed", 2),
        (
            "europepmc",
            429,
            {"Retry-After": "54000"},
            "",
            "rate_limit",
            "permits no further searches for now",
            1,
        ),
        ("europepmc", 503, {}, "", "server", "HTTP 503", 2),
        ("europepmc", 400, {}, "", "bad_reply", "did not understand the search", 1),
        ("europepmc", 404, {}, "", "bad_reply", "address of Europe PMC's REST service", 1),
        (
            "europepmc",
            301,
            {"Location": "https://elsewhere.example/"},
            "",
            "bad_reply",
            "HTTP 301",
            1,
        ),
        (
            "openalex",
            429,
            {"X-RateLimit-Remaining": "0"},
            "",
            "rate_limit",
            "set OPENALEX_API_KEY",
            1,
        ),
        ("openalex", 429, {"X-RateLimit-Remaining": "0"}, KEY, "rate_limit", "midnight UTC", 1),
        ("openalex", 429, {"Retry-After": "54000"}, KEY, "rate_limit", "allowance", 1),
        (
            "openalex",
            429,
            {"X-RateLimit-Remaining": "900"},
            KEY,
            "rate_limit",
            "2 attempts failed",
            2,
        ),
        ("openalex", 403, {}, KEY, "rate_limit", "asked too fast", 2),
        ("openalex", 401, {}, KEY, "bad_reply", "OPENALEX_API_KEY", 1),
        ("openalex", 400, {}, KEY, "bad_reply", "did not understand", 1),
        ("openalex", 500, {}, KEY, "server", "2 attempts failed", 2),
    ],
)
async def test_failures_are_classified_and_show_neither_contact_nor_key(
    name: str,
    status: int,
    headers: dict[str, str],
    key: str,
    kind: str,
    says: str,
    requests: int,
) -> None:
    script = in_turn(
        lambda: web.Response(
            status=status, headers=headers, text=f'{{"errMsg": "{CONTACT} {KEY}"}}'
        )
    )
    async with source_on(name, script, key, contact=CONTACT) as (source, server, _):
        with pytest.raises(SourceFailed, match=says) as failure:
            await source.find(query("Sodium azide", Tier.SPECIALIST))
        shown = str(failure.value) + repr(source) + await source.place()
    assert failure.value.kind == kind
    assert "canary" not in shown
    assert [asked[KINDS[name].contact] for asked in server.asked] == [CONTACT] * requests


@pytest.mark.parametrize(
    ("name", "body"),
    [
        *(
            ("europepmc", body)
            for body in ("[]", '{"resultList": {"result": [1]}}', '{"resultList": null}')
        ),
        *(("openalex", body) for body in ("[]", '{"results": [1]}', '{"results": null}')),
        *((name, body) for name in KINDS for body in ("<html>", "{}", '{"results": [')),
    ],
)
async def test_a_reply_that_makes_no_sense_is_said_to_be_so(name: str, body: str) -> None:
    script = in_turn(lambda: web.Response(text=body))
    async with source_on(name, script, KINDS[name].key, contact=CONTACT) as (source, _, _):
        with pytest.raises(SourceFailed, match="sent no list of works") as failure:
            await source.find(query("Sodium azide", Tier.SPECIALIST))
    assert failure.value.kind == "bad_reply"
    assert "canary" not in str(failure.value)
