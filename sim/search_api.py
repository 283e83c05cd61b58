"""Tavily's /search over the simulated literature."""

from collections.abc import Mapping
from datetime import date, timedelta
from typing import Any

from .errors import BadRequest
from .pages import Document
from .search import find_documents

Json = dict[str, Any]
TWO_YEARS_DAYS = 730


def search(body: object, today: date) -> Json:
    """The reply to a search; lists of sites are ignored, as none of them is in this world. Raises
    BadRequest.

    The newest literature has ages, not dates: it is dated back from `end_date`, else from two years
    after `start_date`, else from today, so that there is a frontier whatever day the question is
    about.
    """
    if not isinstance(body, dict):
        raise BadRequest("The body is not a JSON object.")
    query = body.get("query")
    if not isinstance(query, str) or not query.strip():
        raise BadRequest("Query is missing.")
    start, end = _day(body, "start_date"), _day(body, "end_date")
    reference = end or (start + timedelta(days=TWO_YEARS_DAYS) if start else today)
    results: list[Json] = []
    for document in find_documents(query):
        day = document.published(reference)
        if (start is None or day >= start) and (end is None or day <= end):
            results.append(_result(document, day))
    return {"query": query, "results": results[: body.get("max_results", 5)]}


def _day(body: Mapping[str, Any], name: str) -> date | None:
    text = body.get(name)
    if text is None:
        return None
    try:
        return date.fromisoformat(str(text))
    except ValueError as error:
        raise BadRequest(f"Invalid {name}: use YYYY-MM-DD.") from error


def _result(document: Document, day: date) -> Json:
    return {
        "url": document.url,
        "title": document.title,
        "content": document.text,
        "raw_content": document.text,
        "published_date": day.isoformat(),
    }
