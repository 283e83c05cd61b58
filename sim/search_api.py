"""Tavily's /search over the simulated literature."""

from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from typing import Any

from .errors import BadRequest
from .foreign import sentences
from .pages import Document
from .search import find_documents

Json = dict[str, Any]
TWO_YEARS_DAYS = 730
_CHUNK = 4
"""Sentences of one piece of content; the basic depth gives one piece, the advanced up to three."""


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


def _day(body: Mapping[str, Any], name: str) -> date | None:
    text = body.get(name)
    if text is None:
        return None
    try:
        return date.fromisoformat(str(text))
    except ValueError as error:
        raise BadRequest(f"Invalid {name}: use YYYY-MM-DD.") from error


def _result(document: Document, day: date, body: Mapping[str, Any], place: int) -> Json:
    result: Json = {
        "url": document.url,
        "title": document.title,
        "content": _content(document, body),
        "score": round(0.99 - 0.03 * place, 4),
        "raw_content": document.text if body.get("include_raw_content") else None,
        "published_date": day.isoformat(),
        "document_type": document.kind,
        "simulated": True,
    }
    return result


def _content(document: Document, body: Mapping[str, Any]) -> str:
    parts: Sequence[str] = sentences(document.text)
    pieces = [" ".join(parts[i : i + _CHUNK]) for i in range(0, len(parts), _CHUNK)]
    return " [...] ".join(pieces[: 3 if body.get("search_depth") == "advanced" else 1])
