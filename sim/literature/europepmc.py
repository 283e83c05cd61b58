"""Europe PMC's /search over the simulated literature: JSON, core or lite results, as version 6.9 of the service."""

from collections.abc import Callable, Mapping
from datetime import date
from functools import partial
from html import escape
from typing import Any

from ...state.text import normalise
from ..foreign import sentences
from ..search import stems
from .query import BadQuery, Clause, parse
from .records import Record, ranked, records

Json = dict[str, Any]
VERSION = "6.9"
_MOST, _USUAL = 1000, "25"
_TYPES = {
    "guideline": ["Practice Guideline", "Journal Article"],
    "review": ["review-article", "Review", "Journal Article"],
    "article": ["research-article", "Journal Article"],
    "preprint": ["Preprint"],
    "notice": ["Retraction of Publication"],
}
_SECTIONS = ("Properties", "Further values")


def search(params: Mapping[str, str], today: date) -> Json:
    """The reply to a search. Raises BadQuery.

    The newest literature is dated back from the end of the range of FIRST_PDATE, else from today.
    """
    query = params.get("query", "")
    if not query.strip():
        raise BadQuery("The query is missing.")
    expression, clauses = parse(query)
    if unknown := {clause.field for clause in clauses} - set(_HOLDS):
        raise BadQuery(f"There is no field {min(unknown)}.")
    dated = [clause for clause in clauses if clause.end]
    reference = _day(dated[0].end or "") if dated else today
    found = [record for record in records() if expression(partial(_holds, record, reference))]
    wanted = frozenset(stem for clause in clauses if clause.field == "ABSTRACT" for stem in stems(clause.value))
    size = _size(params.get("pageSize", _USUAL))
    kind = params.get("resultType", "lite")
    page = ranked(found, wanted, dated=bool(dated))[:size]
    return {
        "version": VERSION,
        "hitCount": len(found),
        "request": {
            "queryString": query,
            "resultType": kind,
            "cursorMark": params.get("cursorMark", "*"),
            "pageSize": size,
            "sort": params.get("sort", ""),
            "synonym": params.get("synonym", "").lower() == "true",
        },
        "resultList": {"result": [_result(record, reference, core=kind == "core") for record in page]},
    }


def error(status: int, message: str) -> Json:
    """The body of a refusal."""
    return {"version": VERSION, "errCode": status, "errMsg": message}


def _size(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= _MOST:
        raise BadQuery(f"pageSize must be a number from 1 to {_MOST}.")
    return int(text)


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise BadQuery(f"{text!r} is no day: use YYYY-MM-DD.") from error


def _has(words: frozenset[str], text: str, value: str) -> bool:
    wanted = stems(value)
    return words.issuperset(wanted) and (len(wanted) < 2 or normalise(value) in normalise(text))


def _in_range(record: Record, clause: Clause, reference: date) -> bool:
    return _day(clause.value) <= record.published(reference) <= _day(clause.end or clause.value)


_HOLDS: dict[str, Callable[[Record, Clause, date], bool]] = {
    "": lambda record, clause, _: _has(record.words, f"{record.title} {record.document.text}", clause.value),
    "TITLE": lambda record, clause, _: _has(frozenset(stems(record.title)), record.title, clause.value),
    "ABSTRACT": lambda record, clause, _: _has(record.abstract_words, record.document.text, clause.value),
    "HAS_ABSTRACT": lambda _record, clause, _: clause.value.lower() in ("y", "true"),
    "SRC": lambda record, clause, _: _source(record) == clause.value.upper(),
    "PUB_TYPE": lambda record, clause, _: normalise(clause.value) in map(normalise, _types(record)),
    "LANG": lambda _record, clause, _: clause.value in ("eng", "en"),
    "FIRST_PDATE": _in_range,
}


def _holds(record: Record, reference: date, clause: Clause) -> bool:
    return _HOLDS[clause.field](record, clause, reference)


def _source(record: Record) -> str:
    return "PPR" if record.kind == "preprint" else "MED"


def _types(record: Record) -> list[str]:
    return [*_TYPES[record.kind], *(["Retracted Publication"] if record.standing == "retracted" else [])]


def _result(record: Record, reference: date, *, core: bool) -> Json:
    day, source = record.published(reference), _source(record)
    id = f"PPR{record.number}" if source == "PPR" else str(record.number)
    result: Json = {"id": id, "source": source, **({"pmid": id} if source == "MED" else {})}
    result |= {"doi": record.doi, "title": f"{record.title}.", "authorString": "Simulated A.", "pubYear": str(day.year)}
    flags = {"isOpenAccess": "N", "inEPMC": "N", "inPMC": "N", "hasPDF": "N", "citedByCount": 0}
    last = {"firstIndexDate": day.isoformat(), "firstPublicationDate": day.isoformat()}
    if not core:
        return result | {"journalTitle": record.venue, "pubType": "; ".join(_types(record)).lower()} | flags | last
    if source == "PPR":
        result["bookOrReportDetails"] = {"publisher": record.venue, "yearOfPublication": day.year}
    else:
        result["journalInfo"] = _journal(record, day)
    result |= {"abstractText": _abstract(record), "language": "eng", "pubTypeList": {"pubType": _types(record)}}
    if record.standing.startswith("retracted"):
        result["commentCorrectionList"] = {"commentCorrection": [_link(record, "Retraction in")]}
    elif record.standing == "notice":
        result["commentCorrectionList"] = {"commentCorrection": [_link(record, "Retraction of")]}
    return result | flags | {"dateOfCreation": day.isoformat(), "dateOfRevision": day.isoformat()} | last


def _journal(record: Record, day: date) -> Json:
    return {
        "yearOfPublication": day.year,
        "printPublicationDate": day.isoformat(),
        "journal": {"title": record.venue, "medlineAbbreviation": record.venue, "essn": "0000-0000"},
    }


def _link(record: Record, kind: str) -> Json:
    return {"id": str(record.number + 5_000_000), "source": "MED", "type": kind, "orderIn": 1}


def _abstract(record: Record) -> str:
    """The abstract as HTML: guidelines and reviews with headings, as structured abstracts come."""
    text = record.document.text
    if record.kind not in ("guideline", "review"):
        return f"<p>{escape(text, quote=False)}</p>"
    parts = sentences(text)
    half = (len(parts) + 1) // 2
    pieces = zip(_SECTIONS, (parts[:half], parts[half:]), strict=True)
    return "".join(f"<h4>{heading}</h4>{escape(' '.join(part), quote=False)}" for heading, part in pieces if part)
