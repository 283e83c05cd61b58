"""The simulated world's stand-ins for Europe PMC and OpenAlex: their replies, and the sources that
read them."""

from collections.abc import AsyncIterator
from datetime import UTC, date, datetime
from typing import Any

import pytest

from fathom.sim.errors import BadRequest
from fathom.sim.literature import records, respond
from fathom.sim.server import RunningWorld, start
from fathom.state.records import Evidence
from fathom.state.spec import WorldSpec
from fathom.state.tiers import Tier
from fathom.tools.facts.base import FactQuery
from fathom.tools.facts.registry import Sources

TODAY = date(2026, 5, 1)
SERVICES = ("europepmc", "openalex")
UPPER = (Tier.PROFESSIONAL, Tier.SPECIALIST, Tier.CUTTING_EDGE)


@pytest.fixture
async def world() -> AsyncIterator[RunningWorld]:
    running = await start(WorldSpec(), today=TODAY)
    yield running
    await running.aclose()


async def found(world: RunningWorld, service: Any, concept: str, tier: Tier) -> list[Evidence]:
    sources = Sources({}, clock=lambda: datetime(2026, 5, 1, tzinfo=UTC))
    (source,) = sources.for_tier([f"{service}@{world.literature_url(service)}"])
    try:
        return await source.find(FactQuery(concept, "Chemical elements", tier, as_of=TODAY))
    finally:
        await sources.aclose()


def europepmc(query: str, **more: str) -> list[dict[str, Any]]:
    params = {"query": query, "resultType": "core", "pageSize": "1000"} | more
    return list(respond("europepmc", params, TODAY)["resultList"]["result"])


def openalex(**params: str) -> list[dict[str, Any]]:
    return list(respond("openalex", {"per_page": "100"} | params, TODAY)["results"])


@pytest.mark.parametrize("service", SERVICES)
async def test_unsound_works_are_offered_and_refused(world: RunningWorld, service: str) -> None:
    subjects = {record.document.subject for record in records() if record.standing != "sound"}
    preprints = 0
    for subject in sorted(subjects)[:12]:
        for tier in UPPER:
            for evidence in await found(world, service, subject, tier):
                assert "etract" not in evidence.title
                marked = evidence.section == "Abstract (preprint)"
                assert not marked or tier is Tier.CUTTING_EDGE
                preprints += marked
    assert preprints > 0


def test_europe_pmc_offers_what_only_a_link_calls_retracted() -> None:
    offered = europepmc(
        'SRC:MED AND HAS_ABSTRACT:y NOT PUB_TYPE:"retracted publication" NOT PUB_TYPE:"preprint"'
    )
    links = [
        link["type"]
        for r in offered
        for link in r.get("commentCorrectionList", {}).get("commentCorrection", ())
    ]
    assert {"Retraction in", "Retraction of"} == set(links)
    assert not any("Retracted Publication" in r["pubTypeList"]["pubType"] for r in offered)
    assert europepmc('PUB_TYPE:"retracted publication"')
    assert {r["source"] for r in europepmc("SRC:PPR")} == {"PPR"}


def test_europe_pmc_replies_as_documented() -> None:
    body = respond(
        "europepmc", {"query": 'ABSTRACT:"gold"', "resultType": "core", "pageSize": "2"}, TODAY
    )
    assert body["request"] == {
        "queryString": 'ABSTRACT:"gold"',
        "resultType": "core",
        "cursorMark": "*",
        "pageSize": 2,
        "sort": "",
        "synonym": False,
    }
    assert body["hitCount"] > len(body["resultList"]["result"]) == 2
    first = body["resultList"]["result"][0]
    assert {
        "id",
        "source",
        "pmid",
        "doi",
        "title",
        "journalInfo",
        "pubYear",
        "abstractText",
        "language",
    } <= set(first)
    assert first["abstractText"].startswith("<h4>")
    assert first["firstPublicationDate"][:4] == first["pubYear"]


def test_europe_pmc_honours_ranges_alternatives_and_phrases() -> None:
    window = "FIRST_PDATE:[2024-05-01 TO 2026-05-01]"
    assert {r["title"][:11] for r in europepmc(f"{window} NOT SRC:PPR")} == {"New results"}
    assert europepmc(f'(SRC:"MED" OR SRC:"PPR") AND ABSTRACT:"gold" AND {window}')
    assert europepmc('ABSTRACT:"gold of the noble"') == []
    assert europepmc("gold LANG:ger") == []
    each = europepmc('ABSTRACT:"noble" AND ABSTRACT:"gases"')
    assert europepmc('(ABSTRACT:"noble gases" OR (ABSTRACT:"noble" AND ABSTRACT:"gases"))') == each
    assert len(europepmc("ABSTRACT:curium ABSTRACT:helium")) < len(europepmc("ABSTRACT:curium"))


@pytest.mark.parametrize("query", ["", "WHO:me", "FIRST_PDATE:[a TO b]"])
def test_europe_pmc_refuses_what_it_cannot_read(query: str) -> None:
    with pytest.raises(BadRequest):
        europepmc(query)


def test_openalex_replies_as_documented() -> None:
    body = respond("openalex", {"search": "gold", "per_page": "3"}, TODAY)
    assert (body["meta"]["count"] > 3, body["meta"]["per_page"], body["group_by"]) == (True, 3, [])
    first = body["results"][0]
    assert {
        "id",
        "doi",
        "type",
        "is_retracted",
        "primary_location",
        "updated_date",
        "language",
    } <= set(first)
    words = {
        place: word for word, places in first["abstract_inverted_index"].items() for place in places
    }
    assert sorted(words) == list(range(len(words)))
    assert openalex(search="gold", select="id,doi")[0].keys() == {"id", "doi"}


def test_openalex_honours_its_filters() -> None:
    assert {w["type"] for w in openalex(filter="type:review|preprint")} == {"review", "preprint"}
    assert "preprint" not in {w["type"] for w in openalex(filter="type:!preprint")}
    assert {w["primary_location"]["source"]["type"] for w in openalex(filter="type:preprint")} == {
        "repository"
    }
    assert not any(w["is_retracted"] for w in openalex(filter="is_retracted:false"))
    assert openalex(filter="is_retracted:true")
    recent = openalex(filter="from_publication_date:2024-05-01,to_publication_date:2026-05-01")
    assert {w["display_name"][:11] for w in recent} == {"New results"}
    assert openalex(filter="language:de") == []


@pytest.mark.parametrize(
    "params",
    [
        {"filter": "author_name:me"},
        {"select": "open_access.is_oa"},
        {"per_page": "500"},
        {"filter": "from_publication_date:x"},
    ],
)
def test_openalex_refuses_what_it_does_not_know(params: dict[str, str]) -> None:
    with pytest.raises(BadRequest):
        openalex(**params)
