"""Tavily's /search over the simulated literature."""

from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from typing import Any
from urllib.parse import urlsplit

from .errors import BadRequest
from .foreign import sentences
from .pages import Document
from .search import find_documents

Json = dict[str, Any]
TWO_YEARS_DAYS = 730
_RANGE_DAYS = {"day": 1, "week": 7, "month": 31, "year": 366, "d": 1, "w": 7, "m": 31, "y": 366}
_CHUNK = 4
"""Sentences of one piece of content; the basic depth gives one piece, the advanced up to three."""


def search(body: object, today: date) -> Json:
    """The reply to a search. Raises BadRequest.

    The newest literature has ages, not dates: it is dated back from `end_date`, else from two years after `start_date`,
    else from today, so that there is a frontier whatever day the question is about.
    """
    if not isinstance(body, dict):
        raise BadRequest("The body is not a JSON object.")
    query = body.get("query")
    if not isinstance(query, str) or not query.strip():
        raise BadRequest("Query is missing.")
    start, end = _window(body, today)
    reference = end or (start + timedelta(days=TWO_YEARS_DAYS) if start and "start_date" in body else today)
    results: list[Json] = []
    for document in find_documents(query):
        day = document.published(reference)
        if (start is None or day >= start) and (end is None or day <= end) and _from_wanted_site(document, body):
            results.append(_result(document, day, body, len(results)))
        if len(results) >= _count(body):
            break
    return {
        "query": query,
        "follow_up_questions": None,
        "answer": None,
        "images": [],
        "results": results,
        "response_time": 0.0,
        "request_id": "simulated",
    }


def _count(body: Mapping[str, Any]) -> int:
    count = body.get("max_results", 5)
    if not isinstance(count, int) or not 0 <= count <= 20:
        raise BadRequest("Max results must be a number from 0 to 20.")
    return count


def _window(body: Mapping[str, Any], today: date) -> tuple[date | None, date | None]:
    start, end = _day(body, "start_date"), _day(body, "end_date")
    span = body.get("time_range")
    days = _RANGE_DAYS.get(span) if isinstance(span, str) else body.get("days")
    if start is None and isinstance(days, int):
        start = (end or today) - timedelta(days=days)
    return start, end


def _day(body: Mapping[str, Any], name: str) -> date | None:
    text = body.get(name)
    if text is None:
        return None
    try:
        return date.fromisoformat(str(text))
    except ValueError as error:
        raise BadRequest(f"Invalid {name}: use YYYY-MM-DD.") from error


def _from_wanted_site(document: Document, body: Mapping[str, Any]) -> bool:
    """Whether the domain filters let it through. Lists of real sites are ignored: none of them is in this world."""
    wanted = [_host(site) for site in body.get("include_domains") or ()]
    unwanted = [_host(site) for site in body.get("exclude_domains") or ()]
    here = [site for site in wanted if site.endswith("example.org")]
    return document.site not in unwanted and (not here or document.site in here)


def _host(site: str) -> str:
    return urlsplit(site).hostname or site if "//" in site else site.split("/")[0]


def _result(document: Document, day: date, body: Mapping[str, Any], place: int) -> Json:
    result: Json = {
        "url": document.url,
        "title": document.title,
        "content": _content(document, body),
        "score": round(0.99 - 0.03 * place, 4),
        "raw_content": document.text if body.get("include_raw_content") else None,
        "published_date": day.isoformat(),
        "document_type": document.kind,
        "site": document.site,
        "simulated": True,
    }
    return result


def _content(document: Document, body: Mapping[str, Any]) -> str:
    parts: Sequence[str] = sentences(document.text)
    pieces = [" ".join(parts[i : i + _CHUNK]) for i in range(0, len(parts), _CHUNK)]
    return " [...] ".join(pieces[: 3 if body.get("search_depth") == "advanced" else 1])
