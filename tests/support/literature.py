"""Stand-ins for services that index literature, over the simulated documents: Europe PMC's /search
(JSON, core results, as version 6.9) and OpenAlex's /works (search, filter, select and per_page)."""

import re
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache
from html import escape
from typing import Any, Literal

from aiohttp import web

from fathom.sim.faults import BadRequest
from fathom.sim.foreign import sentences
from fathom.sim.search import PREPRINT, RETRACTED, Document, all_documents, stems
from fathom.sim.values import number
from fathom.state.text import normalise
from fathom.state.tiers import Tier

Json = dict[str, Any]
Service = Literal["europepmc", "openalex"]
ROUTES: Mapping[Service, str] = {
    "europepmc": "/europepmc/search",
    "openalex": "/openalex/works",
}
VERSION, _FIRST_NUMBER = "6.9", 90_000_001
DOI_PREFIX = "10.5555"
"""The prefix that DOI registration sets aside for examples: no such link leads anywhere real."""
_TYPES = {
    "guideline": (["Practice Guideline", "Journal Article"], "review"),
    "review": (["review-article", "Review", "Journal Article"], "review"),
    "article": (["research-article", "Journal Article"], "article"),
    "preprint": (["Preprint"], "preprint"),
    "notice": (["Retraction of Publication"], "retraction"),
}
"""What the two services call each kind of record."""


@dataclass(frozen=True, slots=True, eq=False)
class Record:
    """`document` with what an index adds. `kind`: a key of `_TYPES`; `standing`: sound, retracted,
    retracted (seen in a link only), or notice. A service sees the standing only as far as its own
    fields say it."""

    number: int
    document: Document
    text: str
    kind: str
    standing: str
    words: frozenset[str]
    """Stems of title and abstract."""
    abstract_words: frozenset[str]
    subject: frozenset[str]

    @property
    def doi(self) -> str:
        return f"{DOI_PREFIX}/fathom.sim.{self.document.id}{'.notice' if self.kind == 'notice' else ''}"

    @property
    def title(self) -> str:
        return (
            f"Retraction notice to: {self.document.title}"
            if self.kind == "notice"
            else self.document.title
        )

    @property
    def venue(self) -> str:
        return (
            "Simulated Preprints (not a real server)"
            if self.kind == "preprint"
            else "Simulated Journal of Elements"
        )


@cache
def records() -> tuple[Record, ...]:
    """All records, in the order of their documents. Built once per process, when the first search
    comes."""
    found: list[Record] = []
    for document in all_documents():
        text = document.text
        abstract, subject = frozenset(stems(text)), frozenset(stems(document.subject))
        words = abstract | frozenset(stems(document.title))
        for kind, standing in _parts(document):
            place = _FIRST_NUMBER + len(found)
            found.append(
                Record(place, document, text, kind, standing, words, abstract, subject)
            )
    return tuple(found)


def _parts(document: Document) -> Iterator[tuple[str, str]]:
    """A document's own record; for every second retracted one the notice too, while the index has
    marked the others by a link alone. Some of the newest work is preprints."""
    draw = number("record", document.id)
    if document.kind == RETRACTED:
        yield "article", "retracted" if draw % 2 else "retracted, seen in a link only"
        if draw % 2:
            yield "notice", "notice"
    elif document.kind == PREPRINT or (document.tier is Tier.CUTTING_EDGE and draw % 5 == 0):
        yield "preprint", "sound"
    elif document.tier is Tier.PROFESSIONAL:
        yield "guideline" if draw % 2 else "review", "sound"
    else:
        yield "article", "sound"


@asynccontextmanager
async def serving(today: date) -> AsyncIterator[str]:
    """Both services on one port; yields the address without a path. Base addresses are
    `{address}/europepmc` and `{address}/openalex`."""
    app = web.Application()

    def door(service: Service) -> Callable[[web.Request], Any]:
        async def serve(request: web.Request) -> web.Response:
            return web.json_response(respond(service, request.query, today))

        return serve

    for service, path in ROUTES.items():
        app.router.add_get(path, door(service))
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.2)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()


def has_words(words: frozenset[str], text: str, wanted: str) -> bool:
    """Whether a text, the stems of which are `words`, has the wanted word, or words in a row."""
    sought = stems(wanted)
    return words.issuperset(sought) and (
        len(sought) < 2 or normalise(wanted) in normalise(text)
    )


def _ranked(found: list[Record], wanted: frozenset[str], *, dated: bool) -> list[Record]:
    """Best first: records on a subject that was asked for; without a window of dates the newest,
    uncited, come last."""

    def order(record: Record) -> tuple[bool, bool, int, int]:
        new = record.document.tier is Tier.CUTTING_EDGE and not dated
        return (not record.subject <= wanted, new, -len(record.subject & wanted), record.number)

    return sorted(found, key=order)


def respond(service: Service, params: Mapping[str, str], today: date) -> Json:
    """The reply to a request. The newest literature is dated back from the end of the range of
    dates that is asked for, else from today. Raises BadRequest."""
    return _europepmc(params, today) if service == "europepmc" else _openalex(params, today)


def _size(text: str, name: str, most: int) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= most:
        raise BadRequest(f"{name} must be a number from 1 to {most}.")
    return int(text)


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise BadRequest(f"{text!r} is no day: use YYYY-MM-DD.") from error


_HOLDS: dict[str, Callable[[Record, str], bool]] = {
    "": lambda record, value: has_words(record.words, f"{record.title} {record.text}", value),
    "ABSTRACT": lambda record, value: has_words(record.abstract_words, record.text, value),
    "HAS_ABSTRACT": lambda _, value: value == "y",
    "SRC": lambda record, value: _source(record) == value,
    "PUB_TYPE": lambda record, value: value in map(normalise, _types(record)),
    "LANG": lambda _, value: value == "eng",
}
"""Field → whether a record meets a clause on it."""
_ONE_OF = ("SRC", "PUB_TYPE")
"""Fields of which one of the values named is enough; of the others a record has to meet all."""
_CLAUSE = re.compile(
    r'(?P<no>NOT )?(?:(?P<field>[A-Z_]+):)?(?P<value>"[^"]*"|\b(?!(?:AND|OR|NOT)\b)[^\s()"]+)'
)
_WINDOW = re.compile(r"FIRST_PDATE:\[(\S+) TO ([^\]\s]+)\]")


def _europepmc(params: Mapping[str, str], today: date) -> Json:
    """Reads queries as Fathom writes them: clauses all of which must hold, alternatives of one
    field in brackets, and for several words of the abstract the phrase or each of them, which comes
    to each of them."""
    query = params.get("query", "")
    if not query.strip():
        raise BadRequest("The query is missing.")
    window = [_day(day) for match in _WINDOW.findall(query) for day in match]
    wanted, unwanted = dict[str, list[str]](), dict[str, list[str]]()
    for clause in _CLAUSE.finditer(_WINDOW.sub("", query)):
        field = clause["field"] or ""
        if field not in _HOLDS:
            raise BadRequest(f"There is no field {field}.")
        (unwanted if clause["no"] else wanted).setdefault(field, []).append(
            clause["value"].strip('"')
        )
    about = wanted.get("ABSTRACT", [])
    wanted |= {"ABSTRACT": [value for value in about if " " not in value] or about}
    reference = window[1] if window else today

    def fits(record: Record) -> bool:
        met = all(
            (any if field in _ONE_OF else all)(_HOLDS[field](record, value) for value in values)
            for field, values in wanted.items()
        )
        lacks = not any(
            _HOLDS[field](record, value)
            for field, values in unwanted.items()
            for value in values
        )
        return (
            met
            and lacks
            and (not window or window[0] <= record.document.published(reference) <= window[1])
        )

    found = list(filter(fits, records()))
    sought = frozenset(stem for value in about for stem in stems(value))
    size = _size(params.get("pageSize", "25"), "pageSize", 1000)
    results = [
        _result(record, reference)
        for record in _ranked(found, sought, dated=bool(window))[:size]
    ]
    asked: Json = {"queryString": query, "resultType": "core", "cursorMark": "*"}
    asked |= {"pageSize": size, "sort": "", "synonym": False}
    return {
        "version": VERSION,
        "hitCount": len(found),
        "request": asked,
        "resultList": {"result": results},
    }


def _source(record: Record) -> str:
    return "PPR" if record.kind == "preprint" else "MED"


def _types(record: Record) -> list[str]:
    return [
        *_TYPES[record.kind][0],
        *(["Retracted Publication"] if record.standing == "retracted" else []),
    ]


def _result(record: Record, reference: date) -> Json:
    day, source = record.document.published(reference), _source(record)
    id = f"PPR{record.number}" if source == "PPR" else str(record.number)
    result: Json = {"id": id, "source": source, **({"pmid": id} if source == "MED" else {})}
    result |= {
        "doi": record.doi,
        "title": f"{record.title}.",
        "authorString": "Simulated A.",
        "pubYear": str(day.year),
    }
    result |= {
        "isOpenAccess": "N",
        "inEPMC": "N",
        "inPMC": "N",
        "hasPDF": "N",
        "citedByCount": 0,
    }
    result |= {"firstIndexDate": day.isoformat(), "firstPublicationDate": day.isoformat()}
    if source == "PPR":
        result["bookOrReportDetails"] = {
            "publisher": record.venue,
            "yearOfPublication": day.year,
        }
    else:
        result["journalInfo"] = {
            "yearOfPublication": day.year,
            "journal": {"title": record.venue},
        }
    result |= {
        "abstractText": _abstract(record),
        "language": "eng",
        "pubTypeList": {"pubType": _types(record)},
    }
    if record.standing != "sound":
        way = f"Retraction {'of' if record.standing == 'notice' else 'in'}"
        link = {
            "id": str(record.number + 5_000_000),
            "source": "MED",
            "type": way,
            "orderIn": 1,
        }
        result["commentCorrectionList"] = {"commentCorrection": [link]}
    return result | {"dateOfCreation": day.isoformat(), "dateOfRevision": day.isoformat()}


def _abstract(record: Record) -> str:
    """The abstract as HTML: guidelines and reviews with headings, as structured abstracts come."""
    if record.kind not in ("guideline", "review"):
        return f"<p>{escape(record.text, quote=False)}</p>"
    parts = sentences(record.text)
    half = (len(parts) + 1) // 2
    pieces = {"Properties": " ".join(parts[:half]), "Further values": " ".join(parts[half:])}
    return "".join(
        f"<h4>{heading}</h4>{escape(text, quote=False)}"
        for heading, text in pieces.items()
        if text
    )


def _openalex(params: Mapping[str, str], today: date) -> Json:
    pairs = [part.partition(":") for part in params.get("filter", "").split(",") if part]
    if unknown := [name for name, _, _ in pairs if name not in _PASSES]:
        raise BadRequest(f"{unknown[0]} is not a valid field.")
    ends = [value for name, _, value in pairs if name == "to_publication_date"]
    reference, wanted = (
        _day(ends[0]) if ends else today,
        frozenset(stems(params.get("search", ""))),
    )
    size = _size(params.get("per_page", params.get("per-page", "25")), "per_page", 100)
    works = (
        (record, _work(record, reference)) for record in records() if wanted <= record.words
    )
    found = {
        record: work
        for record, work in works
        if all(_PASSES[name](work, value) for name, _, value in pairs)
    }
    page = _ranked(list(found), wanted, dated=bool(ends))[:size]
    return {
        "meta": {
            "count": len(found),
            "db_response_time_ms": 0,
            "page": 1,
            "per_page": size,
            "groups_count": None,
        },
        "results": [
            _selected(found[record] | _words(record), params.get("select")) for record in page
        ],
        "group_by": [],
    }


def _one_of(value: str, wanted: str) -> bool:
    return (value in wanted.removeprefix("!").split("|")) is not wanted.startswith("!")


_PASSES: dict[str, Callable[[Json, str], bool]] = {
    "has_abstract": lambda _, wanted: wanted == "true",
    "is_retracted": lambda work, wanted: str(work["is_retracted"]).lower() == wanted,
    "is_paratext": lambda work, wanted: str(work["is_paratext"]).lower() == wanted,
    "language": lambda work, wanted: _one_of(work["language"], wanted),
    "type": lambda work, wanted: _one_of(work["type"], wanted),
    "primary_location.source.type": lambda work, wanted: _one_of(
        work["primary_location"]["source"]["type"], wanted
    ),
    "from_publication_date": lambda work, wanted: (
        work["publication_date"] >= _day(wanted).isoformat()
    ),
    "to_publication_date": lambda work, wanted: (
        work["publication_date"] <= _day(wanted).isoformat()
    ),
}
"""Filter → whether a work passes it."""


def _work(record: Record, reference: date) -> Json:
    """A work without its abstract."""
    day, preprint = record.document.published(reference), record.kind == "preprint"
    source = {
        "id": f"https://openalex.org/S{90_000_001 + preprint}",
        "display_name": record.venue,
        "type": "repository" if preprint else "journal",
    }
    location = {
        "is_oa": preprint,
        "landing_page_url": f"https://doi.org/{record.doi}",
        "pdf_url": None,
        "source": source,
        "version": "submittedVersion" if preprint else "publishedVersion",
    }
    return {
        "id": f"https://openalex.org/W{record.number}",
        "doi": f"https://doi.org/{record.doi}",
        "title": record.title,
        "display_name": record.title,
        "publication_year": day.year,
        "publication_date": day.isoformat(),
        "language": "en",
        "type": _TYPES[record.kind][1],
        # what is known from a link alone elsewhere, OpenAlex knows from its title alone
        "is_retracted": record.standing == "retracted",
        "is_paratext": False,
        "primary_location": location,
        "updated_date": f"{(day + timedelta(days=30)).isoformat()}T00:00:00.000000",
    }


def _words(record: Record) -> Json:
    places: dict[str, list[int]] = {}
    for place, word in enumerate(record.text.split()):
        places.setdefault(word, []).append(place)
    return {"abstract_inverted_index": places}


def _selected(work: Json, select: str | None) -> Json:
    names = select.split(",") if select else list(work)
    if unknown := [name for name in names if name not in work]:
        raise BadRequest(f"{unknown[0]} is not a valid select field.")
    return {name: work[name] for name in names}
