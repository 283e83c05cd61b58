"""OpenAlex's /works over the simulated literature: search, filter, select and per_page, as the service answers."""

from collections.abc import Callable, Mapping
from datetime import date, timedelta
from typing import Any

from ..search import stems
from .query import BadQuery
from .records import Record, ranked, records

Json = dict[str, Any]
_MOST, _USUAL = 100, "25"
_TYPES = {
    "guideline": "review",
    "review": "review",
    "article": "article",
    "preprint": "preprint",
    "notice": "retraction",
}


def works(params: Mapping[str, str], today: date) -> Json:
    """The reply to a list of works. Raises BadQuery.

    The newest literature is dated back from `to_publication_date`, else from today.
    """
    filters = _filters(params.get("filter", ""))
    ends = [value for name, value in filters if name == "to_publication_date"]
    reference = _day(ends[0]) if ends else today
    wanted = frozenset(stems(params.get("search", "")))
    size = _size(params.get("per_page", params.get("per-page", _USUAL)))
    found = [record for record in records() if wanted <= record.words and _passes(record, filters, reference)]
    page = ranked(found, wanted, dated=bool(ends))[:size]
    return {
        "meta": {"count": len(found), "db_response_time_ms": 0, "page": 1, "per_page": size, "groups_count": None},
        "results": [_selected(_work(record, reference), params.get("select")) for record in page],
        "group_by": [],
    }


def error(status: int, message: str) -> Json:
    """The body of a refusal."""
    return {"error": "Invalid query parameters error." if status == 400 else "Request failed.", "message": message}


def _size(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= _MOST:
        raise BadQuery(f"per_page must be a number from 1 to {_MOST}.")
    return int(text)


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise BadQuery(f"{text!r} is no day: use YYYY-MM-DD.") from error


def _filters(text: str) -> list[tuple[str, str]]:
    pairs = [part.partition(":") for part in text.split(",") if part]
    if unknown := [name for name, _, _ in pairs if name not in _PASSES]:
        raise BadQuery(f"{unknown[0]} is not a valid field.")
    return [(name, value) for name, _, value in pairs]


def _one_of(value: str, wanted: str) -> bool:
    unwanted = wanted.startswith("!")
    return (value in wanted.removeprefix("!").split("|")) is not unwanted


_PASSES: dict[str, Callable[[Json, str], bool]] = {
    "has_abstract": lambda _, wanted: wanted == "true",
    "is_retracted": lambda work, wanted: str(work["is_retracted"]).lower() == wanted,
    "is_paratext": lambda work, wanted: str(work["is_paratext"]).lower() == wanted,
    "language": lambda work, wanted: _one_of(work["language"], wanted),
    "type": lambda work, wanted: _one_of(work["type"], wanted),
    "primary_location.source.type": lambda work, wanted: _one_of(work["primary_location"]["source"]["type"], wanted),
    "from_publication_date": lambda work, wanted: work["publication_date"] >= _day(wanted).isoformat(),
    "to_publication_date": lambda work, wanted: work["publication_date"] <= _day(wanted).isoformat(),
}


def _passes(record: Record, filters: list[tuple[str, str]], reference: date) -> bool:
    work = _facts(record, reference)
    return all(_PASSES[name](work, value) for name, value in filters)


def _facts(record: Record, reference: date) -> Json:
    """A work without its abstract."""
    day = record.published(reference)
    preprint = record.kind == "preprint"
    source = {
        "id": f"https://openalex.org/S{90_000_001 + preprint}",
        "display_name": record.venue,
        "issn_l": None if preprint else "0000-0000",
        "type": "repository" if preprint else "journal",
    }
    return {
        "id": f"https://openalex.org/W{record.number}",
        "doi": f"https://doi.org/{record.doi}",
        "title": record.title,
        "display_name": record.title,
        "publication_year": day.year,
        "publication_date": day.isoformat(),
        "language": "en",
        "type": _TYPES[record.kind],
        # what is known from a link alone elsewhere, OpenAlex knows from its title alone
        "is_retracted": record.standing == "retracted",
        "is_paratext": False,
        "cited_by_count": 0,
        "primary_location": {
            "is_oa": preprint,
            "landing_page_url": f"https://doi.org/{record.doi}",
            "pdf_url": None,
            "source": source,
            "license": None,
            "version": "submittedVersion" if preprint else "publishedVersion",
            "is_accepted": not preprint,
            "is_published": not preprint,
        },
        "updated_date": (day + timedelta(days=30)).isoformat() + "T00:00:00.000000",
    }


def _work(record: Record, reference: date) -> Json:
    places: dict[str, list[int]] = {}
    for place, word in enumerate(record.document.text.split()):
        places.setdefault(word, []).append(place)
    return _facts(record, reference) | {"abstract_inverted_index": places}


def _selected(work: Json, select: str | None) -> Json:
    if select is None:
        return work
    names = select.split(",")
    if unknown := [name for name in names if name not in work]:
        raise BadQuery(f"{unknown[0]} is not a valid select field.")
    return {name: work[name] for name in names}
