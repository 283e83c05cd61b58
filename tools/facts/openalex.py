"""OpenAlex: an index of the literature of all fields, through its works API.

As its documentation has it: `GET {url}/works` with `search` (title, abstract, text; stemmed, all
words; AND, OR, NOT and quotes are operators), `filter` (comma: and, pipe: or, `!`: not), `select`
(top-level fields), `per_page` up to 100; errors as `{"error", "message"}`. An abstract comes as an
inverted index. What is free per day is counted in money: without a key some hundred searches for an
address, with a free key (`api_key`) some thousand; then 429 until midnight UTC. `mailto` is the
older way to say who asks; it earns nothing any more. 403 means too fast.
"""

import re
from collections.abc import Iterator
from datetime import datetime

from ...state.tiers import Tier
from .base import FactQuery, bare
from .plan import ADDRESSES, OPENALEX_KEY
from .search import (
    PREPRINT_SECTION,
    SECTION,
    Json,
    Look,
    Service,
    Work,
    base_language,
    day_of,
    from_index,
    object_at,
    plain_abstract,
    plain_title,
    text_of,
)
from .standing import is_guideline, is_preprint_server, two_years_before
from .transport import Habits

_PAGE = 50
_MAX_CHARS = 300
_WORD = re.compile(r"[^\W_]+(?:[-'’.][^\W_]+)*")
_FIELDS = (
    "id", "doi", "display_name", "publication_date", "language", "type", "is_retracted", "is_paratext",
    "primary_location", "abstract_inverted_index", "updated_date",
)  # fmt: skip
_NOTICES = frozenset(("retraction", "erratum", "paratext", "peer-review"))


def _params(query: FactQuery, look: Look) -> dict[str, str]:
    """OpenAlex tells a work's language from its title and abstract, and the query's language is
    asked for."""
    return {
        "search": _words(" ".join(_wanted(query, look))),
        "filter": ",".join(_filters(query, look)),
        "select": ",".join(_FIELDS),
        "per_page": str(_PAGE),
    }


def _wanted(query: FactQuery, look: Look) -> Iterator[str]:
    yield bare(query.concept)
    if look.in_domain:
        yield query.domain
    if look.in_sense:
        yield query.sense


def _filters(query: FactQuery, look: Look) -> Iterator[str]:
    yield "has_abstract:true"
    yield "is_retracted:false"
    yield "is_paratext:false"
    yield f"language:{base_language(query.language)}"
    if query.tier is Tier.CUTTING_EDGE:
        yield "type:article|review|preprint"
        yield f"from_publication_date:{two_years_before(query.as_of).isoformat()}"
        yield f"to_publication_date:{query.as_of.isoformat()}"
    else:
        yield "type:review" if look.guidance else "type:article|review"
        yield "primary_location.source.type:journal"


def _words(text: str) -> str:
    """Words for a search, none of them an operator."""
    words = (
        word.lower() if word in ("AND", "OR", "NOT") else word for word in _WORD.findall(text)
    )
    return " ".join(words)[:_MAX_CHARS]


def _work(entry: Json, moment: datetime) -> Work | None:
    id = text_of(entry, "id").rpartition("/")[2]
    index = entry.get("abstract_inverted_index")
    if not id or not isinstance(index, dict) or not index:
        return None
    kind = text_of(entry, "type").casefold()
    location = object_at(entry, "primary_location")
    venue = object_at(location, "source")
    submitted = text_of(location, "version") == "submittedVersion"
    preprint = (
        kind == "preprint" or submitted or is_preprint_server(text_of(venue, "display_name"))
    )
    title = plain_title(text_of(entry, "display_name", "title"))
    updated = day_of(entry, "updated_date")
    return Work(
        id=id,
        title=title,
        url=text_of(entry, "doi") or f"https://openalex.org/{id}",
        text=plain_abstract(from_index(index)),
        revision=id + (f", updated {updated.isoformat()}" if updated else ""),
        retrieved_at=moment,
        section=PREPRINT_SECTION if preprint else SECTION,
        published=day_of(entry, "publication_date"),
        language=text_of(entry, "language").casefold() or None,
        reviewed=kind in ("article", "review")
        and text_of(venue, "type") == "journal"
        and not preprint,
        guidance=kind == "review" or is_guideline(title),
        preprint=preprint,
        withdrawn=entry.get("is_retracted") is True
        or entry.get("is_paratext") is True
        or kind in _NOTICES,
    )


OPENALEX = Service(
    name="OpenAlex's API",
    url=ADDRESSES["openalex"],
    path="/works",
    records=("results",),
    most=_PAGE,
    params=_params,
    work=_work,
    habits=Habits(
        advice={
            400: "It did not understand the search.",
            401: f"It did not accept the key: check {OPENALEX_KEY}.",
            404: "Is it the address of OpenAlex's API?",
        },
        per_second=10,
        busy=frozenset((403,)),
        spent="Its allowance without a key is used up: "
        f"set {OPENALEX_KEY} (free at openalex.org), or go on after midnight UTC.",
    ),
    contact="mailto",
    spent_with_key="Its allowance for today is used up: go on after midnight UTC, or raise it at OpenAlex.",
    key_variable=OPENALEX_KEY,
)
