"""Records of works as Europe PMC and OpenAlex document them, to be varied by a test, and sources
asked for them."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, NamedTuple

from aiohttp import web

from fathom.state.tiers import Tier
from fathom.tools.facts.europepmc import EUROPE_PMC
from fathom.tools.facts.openalex import OPENALEX
from fathom.tools.facts.search import LiteratureSource, Service

from .fact_server import FactServer, Script, Waits, in_turn, network, query, serving

CONTACT = "probe-canary@example.org"
KEY = "canary/key+1"

TEXT = (
    "Sodium azide is a colourless salt that dissolves in water. It releases nitrogen when a crash "
    "sensor heats it."
)
"""One passage: its two sentences stay together, because the second points back."""
SECOND = (
    "Manufacturers now replace sodium azide with guanidine nitrate in new airbag inflators."
)


def core(title: str = "Sodium azide in airbags.", **more: Any) -> dict[str, Any]:
    """A core result of Europe PMC; a field that is None is left out."""
    record = {
        "id": "31234567",
        "source": "MED",
        "pmid": "31234567",
        "doi": "10.1000/azide.1",
        "title": title,
        "authorString": "Doe J, Roe R.",
        "journalInfo": {
            "yearOfPublication": 2025,
            "journal": {"title": "Journal of Restraint", "essn": "1234-5678"},
        },
        "pubYear": "2025",
        "abstractText": f"<h4>Background</h4>{TEXT}",
        "language": "eng",
        "pubTypeList": {"pubType": ["research-article", "Journal Article"]},
        "isOpenAccess": "N",
        "citedByCount": 3,
        "dateOfRevision": "2025-09-30",
        "firstIndexDate": "2025-03-04",
        "firstPublicationDate": "2025-03-03",
    } | more
    return {name: value for name, value in record.items() if value is not None}


def core_reply(*found: dict[str, Any]) -> dict[str, Any]:
    """A reply of Europe PMC's search."""
    return {
        "version": "6.9",
        "hitCount": len(found),
        "request": {
            "queryString": "…",
            "resultType": "core",
            "cursorMark": "*",
            "pageSize": 25,
            "sort": "",
        },
        "resultList": {"result": list(found)},
    }


def inverted(text: str) -> dict[str, list[int]]:
    """The inverted index of a text."""
    places: dict[str, list[int]] = {}
    for place, word in enumerate(text.split()):
        places.setdefault(word, []).append(place)
    return places


def work(title: str = "Sodium azide in airbags", **more: Any) -> dict[str, Any]:
    """A work of OpenAlex; a field that is None stays, as the service sends it."""
    return {
        "id": "https://openalex.org/W2741809807",
        "doi": "https://doi.org/10.1000/azide.1",
        "display_name": title,
        "publication_date": "2025-03-03",
        "language": "en",
        "type": "article",
        "is_retracted": False,
        "is_paratext": False,
        "primary_location": {
            "landing_page_url": "https://doi.org/10.1000/azide.1",
            "source": {
                "id": "https://openalex.org/S1",
                "display_name": "Journal of Restraint",
                "type": "journal",
            },
            "version": None,  # of a closed article OpenAlex does not say
            "is_accepted": False,
            "is_published": False,
        },
        "abstract_inverted_index": inverted(TEXT),
        "updated_date": "2025-09-30T08:00:00.000000",
    } | more


def location(
    kind: str = "journal", version: str | None = "publishedVersion", name: str = "A venue"
) -> dict[str, Any]:
    return {
        "source": {"id": "https://openalex.org/S2", "display_name": name, "type": kind},
        "version": version,
    }


def works_reply(*found: dict[str, Any]) -> dict[str, Any]:
    """A reply of OpenAlex's list of works."""
    meta = {
        "count": len(found),
        "db_response_time_ms": 5,
        "page": 1,
        "per_page": 50,
        "groups_count": None,
    }
    return {"meta": meta, "results": list(found), "group_by": []}


class Kind(NamedTuple):
    """A service, and how its records and replies are written."""

    service: Service
    reply: Callable[..., dict[str, Any]]
    record: Callable[..., dict[str, Any]]
    """A record from its title, its number and its abstract."""
    key: str
    contact: str


def of_europepmc(
    title: str = "Sodium azide in airbags.", number: str = "1", text: str = TEXT
) -> dict[str, Any]:
    return core(title, id=number, abstractText=text)


def of_openalex(
    title: str = "Sodium azide in airbags", number: str = "W1", text: str = TEXT
) -> dict[str, Any]:
    return work(
        title, id=f"https://openalex.org/{number}", abstract_inverted_index=inverted(text)
    )


KINDS = {
    "europepmc": Kind(EUROPE_PMC, core_reply, of_europepmc, "", "email"),
    "openalex": Kind(OPENALEX, works_reply, of_openalex, KEY, "mailto"),
}


@asynccontextmanager
async def source_on(
    name: str, script: Script, key: str = "", **more: Any
) -> AsyncIterator[tuple[LiteratureSource, FactServer, Waits]]:
    async with serving(script) as server:
        way = network(**({"sleep": (waits := Waits()), "attempts": 2} | more))
        source = LiteratureSource(
            name, way, KINDS[name].service, url=f"{server.url}/rest", key=key
        )
        try:
            yield source, server, waits
        finally:
            await source.aclose()


def reply(name: str, *found: dict[str, Any]) -> Any:
    return lambda: web.json_response(KINDS[name].reply(*found))


async def titles(name: str, tier: Tier, *found: dict[str, Any], **more: Any) -> list[str]:
    async with source_on(name, in_turn(reply(name, *found))) as (source, _, _):
        return [
            evidence.title
            for evidence in await source.find(query("Sodium azide", tier, **more))
        ]
