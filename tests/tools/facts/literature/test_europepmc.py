"""Europe PMC as a fact source, against a loopback server scripted from its documented replies."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import date
from typing import Any

import pytest
from aiohttp import web
from tests.support.fact_server import NOW, FactServer, Script, Waits, in_turn, network, query, serving
from tests.support.literature_records import SECOND, TEXT, core, core_reply

from fathom.state.errors import SourceFailed
from fathom.state.tiers import Tier
from fathom.tools.facts.abstracts import plain_abstract, plain_title
from fathom.tools.facts.base import Encyclopedia, FactSource
from fathom.tools.facts.europepmc import EUROPE_PMC
from fathom.tools.facts.literature import LiteratureSource

CONTACT = "probe-canary@example.org"
REVIEW = {"pubTypeList": {"pubType": ["Review", "Journal Article"]}}


def reply(*found: dict[str, Any]) -> Any:
    return lambda: web.json_response(core_reply(*found))


@asynccontextmanager
async def source_on(script: Script, **more: Any) -> AsyncIterator[tuple[LiteratureSource, FactServer, Waits]]:
    async with serving(script) as server:
        waits = Waits()
        key, way = more.pop("key", ""), {"sleep": waits, "attempts": 2} | more
        source = LiteratureSource("europepmc", network(**way), EUROPE_PMC, url=f"{server.url}/rest", key=key)
        try:
            yield source, server, waits
        finally:
            await source.aclose()


async def titles(tier: Tier, *found: dict[str, Any], **more: Any) -> list[str]:
    async with source_on(in_turn(reply(*found))) as (source, _, _):
        return [evidence.title for evidence in await source.find(query("Sodium azide", tier, **more))]


async def test_a_passage_of_the_abstract_comes_with_its_origin() -> None:
    async with source_on(in_turn(reply(core()))) as (source, server, _):
        (evidence,) = await source.find(query("Sodium azide", Tier.SPECIALIST))
    assert (evidence.text, evidence.title) == (TEXT, "Sodium azide in airbags")
    assert (evidence.url, evidence.section) == ("https://doi.org/10.1000/azide.1", "Abstract")
    assert (evidence.source, evidence.tier) == ("europepmc", Tier.SPECIALIST)
    assert (evidence.published, evidence.retrieved_at) == (date(2025, 3, 3), NOW)
    assert evidence.revision == "PMID 31234567, revised 2025-09-30"
    asked = server.asked[0]
    assert (asked["format"], asked["resultType"]) == ("json", "core")
    assert server.headers[0]["User-Agent"] == "Fathom/test"


async def test_it_is_a_source_for_the_upper_tiers_and_no_encyclopedia() -> None:
    source = LiteratureSource("europepmc", network(), EUROPE_PMC)
    assert isinstance(source, FactSource)
    assert not isinstance(source, Encyclopedia)
    assert source.tiers == {Tier.PROFESSIONAL, Tier.SPECIALIST, Tier.CUTTING_EDGE}
    assert await source.place() == EUROPE_PMC.url
    assert await source.find(query("Sodium azide", Tier.COMMON)) == []
    await source.aclose()


async def test_each_tier_asks_in_the_services_own_query_language() -> None:
    async with source_on(in_turn(reply())) as (source, server, _):
        for tier in (Tier.PROFESSIONAL, Tier.SPECIALIST, Tier.CUTTING_EDGE):
            assert await source.find(query("Sodium azide", tier)) == []
    asked = [request["query"] for request in server.asked]
    guided, any_kind, beyond_domain, recent, _ = asked  # any reviewed article is the same search at two tiers
    concept = '(ABSTRACT:"Sodium azide" OR (ABSTRACT:"Sodium" AND ABSTRACT:"azide"))'
    assert all(text.startswith(concept) and "HAS_ABSTRACT:y" in text for text in asked)
    assert all(text.endswith('NOT PUB_TYPE:"retracted publication"') for text in asked)
    assert 'PUB_TYPE:"practice guideline" OR' in guided
    assert 'PUB_TYPE:"practice guideline"' not in any_kind + recent
    assert '"Chemical" AND "elements"' in any_kind
    assert "Chemical" not in beyond_domain
    assert 'SRC:"PPR"' not in guided + any_kind + beyond_domain
    assert 'SRC:"PPR"' in recent
    assert "FIRST_PDATE:[2024-05-01 TO 2026-05-01]" in recent
    assert "FIRST_PDATE" not in any_kind


async def test_what_tells_the_sense_is_asked_for_first_and_then_left_out() -> None:
    async with source_on(in_turn(reply())) as (source, server, _):
        await source.find(query("lead (metal)", Tier.SPECIALIST, line=("Toxins", "Paint (old)")))
    assert ['"elements" AND "metal" AND "Paint"' in asked["query"] for asked in server.asked] == [True, False, False]


async def test_what_a_user_writes_cannot_leave_its_quotes() -> None:
    async with source_on(in_turn(reply())) as (source, server, _):
        await source.find(query('azide") OR (SRC:PPR AND \\"x', Tier.SPECIALIST))
    asked = server.asked[0]["query"]
    assert "SRC:PPR" not in asked
    assert asked.count('"') % 2 == 0
    assert 'ABSTRACT:"azide"' in asked


@pytest.mark.parametrize(
    "bad",
    [
        core("Bad", source="PPR", pubTypeList={"pubType": ["Preprint"]}),
        core("Bad", pubTypeList={"pubType": ["Preprint", "Journal Article"]}),
        core("Bad", source="AGR"),
        core("Bad", source="PAT"),
        core("Bad", pubTypeList={"pubType": ["Retracted Publication", "Journal Article"]}),
        core("Bad", pubTypeList={"pubType": ["Retraction of Publication"]}),
        core("Bad", pubTypeList={"pubType": ["correction", "Journal Article"]}),
        core("Bad", pubTypeList={"pubType": ["Published Erratum"]}),
        core("Bad", pubTypeList={"pubType": ["Expression of Concern"]}),
        core("Bad", pubTypeList={"pubType": ["Editorial", "Journal Article"]}),
        core("Bad", pubTypeList={"pubType": ["letter", "Journal Article"]}),
        core("Bad", pubTypeList=None),
        core("Bad", commentCorrectionList={"commentCorrection": [{"type": "Retraction in", "id": "9"}]}),
        core("Bad", commentCorrectionList={"commentCorrection": [{"type": "Erratum for", "id": "9"}]}),
        core("Retracted: Bad"),
        core("WITHDRAWN: Bad"),
        core("Correction to: Bad"),
        core("Author Correction: Bad"),
        core("Bad", abstractText=f"This article has been retracted by the editors. {TEXT}"),
        core("Bad", abstractText=None),
        core("Bad", abstractText="Airbags inflate within forty milliseconds of a crash."),
        core("Bad", id=""),
    ],
)
async def test_what_the_query_should_have_left_out_is_left_out_again(bad: dict[str, Any]) -> None:
    for tier in (Tier.PROFESSIONAL, Tier.SPECIALIST):
        assert await titles(tier, bad, core("Good", id="2", abstractText=SECOND)) == ["Good"]


@pytest.mark.parametrize("title", ["Correction of myopia", "Withdrawal of azide", "An erratum-free life", "Correction"])
async def test_only_notices_are_taken_for_notices(title: str) -> None:
    assert (await titles(Tier.SPECIALIST, core(title)) == []) is (title == "Correction")


async def test_harmless_links_between_records_do_no_harm() -> None:
    links = [
        {"type": "Comment in", "id": "9"},
        {"type": "Preprint in", "id": "PPR9"},
        {"type": "Erratum in", "id": "8"},
    ]
    assert await titles(Tier.SPECIALIST, core(commentCorrectionList={"commentCorrection": links})) != []


@pytest.mark.parametrize(
    ("more", "section"),
    [
        ({"firstPublicationDate": "2024-05-01"}, "Abstract"),
        ({"firstPublicationDate": "2026-05-01"}, "Abstract"),
        ({"source": "PPR", "id": "PPR77", "pubTypeList": {"pubType": ["Preprint"]}}, "Abstract (preprint)"),
        ({"firstPublicationDate": "2024-04-30"}, None),
        ({"firstPublicationDate": "2026-05-02"}, None),
        ({"firstPublicationDate": None}, None),
        ({"firstPublicationDate": "2025"}, None),
        ({"commentCorrectionList": {"commentCorrection": [{"type": "Retraction in"}]}}, None),
        ({"source": "PPR", "title": "Withdrawn: Azide", "pubTypeList": {"pubType": ["Preprint"]}}, None),
        ({"pubTypeList": {"pubType": ["Editorial"]}}, None),
    ],
)
async def test_the_cutting_edge_is_dated_sound_and_marks_preprints(more: dict[str, Any], section: str | None) -> None:
    async with source_on(in_turn(reply(core(**more)))) as (source, _, _):
        found = await source.find(query("Sodium azide", Tier.CUTTING_EDGE))
    assert [evidence.section for evidence in found] == ([section] if section else [])


async def test_guidance_comes_first_for_professionals_and_last_for_specialists() -> None:
    study, review = core("Study"), core("Review", id="2", abstractText=SECOND, **REVIEW)
    guideline = core(
        "Guideline for inflators", id="3", abstractText=f"{SECOND} The sodium azide is then burnt at once."
    )
    found = (study, review, guideline)
    async with source_on(in_turn(reply(), reply(*found))) as (source, server, _):
        evidence = await source.find(query("Sodium azide", Tier.PROFESSIONAL))
    assert [e.title for e in evidence] == ["Review", "Guideline for inflators", "Study"]
    assert len(server.asked) == 2
    assert (await titles(Tier.SPECIALIST, *found))[0] == "Study"


async def test_beyond_the_domains_words_a_work_must_still_touch_the_domain() -> None:
    strange = core("Azide", abstractText=SECOND)
    near = core("Azide", id="2", abstractText=f"Chemistry of inflators matters. {SECOND}")
    async with source_on(in_turn(reply(), reply(strange, near))) as (source, _, _):
        (evidence,) = await source.find(query("Sodium azide", Tier.SPECIALIST))
    assert evidence.revision == "PMID 2, revised 2025-09-30"


async def test_two_concepts_get_the_same_passages_of_a_work_and_a_search_is_sent_once() -> None:
    both = core(abstractText=f"<h4>Aim</h4>{TEXT}<h4>Results</h4>{SECOND}")
    changed = core(abstractText=f"{SECOND} {TEXT}")
    async with source_on(in_turn(reply(both), reply(changed))) as (source, server, _):
        first = await source.find(query("Sodium azide", Tier.SPECIALIST))
        again = await source.find(query("Sodium azide", Tier.SPECIALIST))
        other = await source.find(query("nitrogen", Tier.SPECIALIST))
    assert [e.text for e in first] == [TEXT, SECOND]
    assert again == first
    assert [e.digest for e in other] == [first[0].digest]
    assert len(server.asked) == 2


async def test_other_languages_are_asked_for_and_english_articles_then_refused() -> None:
    german = core(
        "Natriumazid", id="2", language="ger", abstractText="Natriumazid ist ein farbloses Salz und löst sich."
    )
    async with source_on(in_turn(reply(german, core("Natriumazid")))) as (source, server, _):
        found = await source.find(query("Natriumazid", Tier.SPECIALIST, language="de"))
    assert "LANG:ger" in server.asked[0]["query"]
    assert [e.revision for e in found] == ["PMID 2, revised 2025-09-30"]
    assert await titles(Tier.SPECIALIST, core("English abstract", language="ger")) == ["English abstract"]


@pytest.mark.parametrize(
    ("marked", "plain"),
    [
        ("<h4>Aim</h4>We saw it.<h4>End</h4>All.", "## Aim\nWe saw it.\n## End\nAll."),
        ("At 10<sup>5</sup> Pa, H<sub>2</sub>O boils.", "At 10⁵ Pa, H2O boils."),
        ("Ca<sup>2+</sup> and 10<sup>-3</sup> M", "Ca²⁺ and 10⁻³ M"),
        ("about 10<sup>3.5</sup> cells", "about 10^3.5 cells"),
        ("<i>E. coli</i> grew, P &lt; 0.05 &amp; n<20", "E. coli grew, P < 0.05 & n<20"),
        ("&lt;i&gt;In vivo&lt;/i&gt; &amp;lt; 3", "In vivo < 3"),
        ("<jats:title>Abstract</jats:title><jats:p>One.</jats:p><jats:p>Two.</jats:p>", "One.\nTwo."),
        ("Abstract Sodium burns.", "Sodium burns."),
        ("ABSTRACT: Sodium burns.", "Sodium burns."),
        ("Abstract algebra is old.", "Abstract algebra is old."),
    ],
)
def test_abstracts_become_plain_text(marked: str, plain: str) -> None:
    assert plain_abstract(marked) == plain


def test_titles_lose_markup_and_their_full_stop() -> None:
    assert plain_title("Role of &lt;i&gt;NaN&lt;sub&gt;3&lt;/sub&gt;&lt;/i&gt;.") == "Role of NaN3"


async def test_a_passing_failure_is_waited_out_as_the_service_asks() -> None:
    busy = web.Response(status=429, headers={"Retry-After": "7"})
    async with source_on(in_turn(lambda: busy, reply(core()))) as (source, server, waits):
        assert await source.find(query("Sodium azide", Tier.SPECIALIST)) != []
    assert len(server.asked) == 2
    assert max(waits.seconds) == pytest.approx(7, abs=1)


@pytest.mark.parametrize(
    ("status", "headers", "kind", "says", "requests"),
    [
        (429, {}, "rate_limit", "2 attempts failed", 2),
        (429, {"Retry-After": "54000"}, "rate_limit", "permits no further searches for now", 1),
        (503, {}, "server", "HTTP 503", 2),
        (400, {}, "bad_reply", "did not understand the search", 1),
        (404, {}, "bad_reply", "address of Europe PMC's REST service", 1),
        (301, {"Location": "https://elsewhere.example/"}, "bad_reply", "HTTP 301", 1),
    ],
)
async def test_failures_are_classified_and_show_no_contact(
    status: int, headers: dict[str, str], kind: str, says: str, requests: int
) -> None:
    script = in_turn(lambda: web.Response(status=status, headers=headers, text=f'{{"errMsg": "{CONTACT}"}}'))
    async with source_on(script, contact=CONTACT) as (source, server, _):
        with pytest.raises(SourceFailed, match=says) as failure:
            await source.find(query("Sodium azide", Tier.SPECIALIST))
        shown = str(failure.value) + repr(source) + await source.place()
    assert failure.value.kind == kind
    assert "canary" not in shown
    assert [asked["email"] for asked in server.asked] == [CONTACT] * requests


@pytest.mark.parametrize(
    "body",
    ["<html>", "[]", "{}", '{"resultList": {"result": [', '{"resultList": {"result": [1]}}', '{"resultList": null}'],
)
async def test_a_reply_that_makes_no_sense_is_said_to_be_so(body: str) -> None:
    async with source_on(in_turn(lambda: web.Response(text=body)), contact=CONTACT) as (source, _, _):
        with pytest.raises(SourceFailed, match="sent no list of works") as failure:
            await source.find(query("Sodium azide", Tier.SPECIALIST))
    assert failure.value.kind == "bad_reply"
    assert "canary" not in str(failure.value)


@pytest.mark.parametrize(("code", "kind"), [(429, "rate_limit"), (503, "server"), (400, "bad_reply")])
async def test_an_error_in_a_good_reply_is_an_error(code: int, kind: str) -> None:
    body = {"version": "6.9", "errCode": code, "errMsg": "no"}
    async with source_on(in_turn(lambda: web.json_response(body))) as (source, server, _):
        with pytest.raises(SourceFailed) as failure:
            await source.find(query("Sodium azide", Tier.SPECIALIST))
    assert failure.value.kind == kind
    assert len(server.asked) == (1 if code == 400 else 2)


async def test_odd_fields_are_passed_over() -> None:
    odd = core(
        pubTypeList={"pubType": "Journal Article"},
        commentCorrectionList={"commentCorrection": [None, {"type": 3}]},
        dateOfRevision="soon",
        doi=None,
    )
    async with source_on(in_turn(reply(odd))) as (source, _, _):
        (evidence,) = await source.find(query("Sodium azide", Tier.SPECIALIST))
    assert evidence.url == "https://europepmc.org/article/MED/31234567"
    assert evidence.revision == "PMID 31234567, revised 2025-03-04"
