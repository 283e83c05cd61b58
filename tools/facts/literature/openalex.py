"""OpenAlex: an index of the literature of all fields, through its works API.

As its documentation has it: `GET {url}/works` with `search` (title, abstract, text; stemmed, all words; AND, OR, NOT
and quotes are operators), `filter` (comma: and, pipe: or, `!`: not), `select` (top-level fields), `per_page` up to
100; errors as `{"error", "message"}`. An abstract comes as an inverted index. What is free per day is counted in money:
without a key some hundred searches for an address, with a free key (`api_key`) some thousand; then 429 until midnight
UTC. `mailto` is the older way to say who asks; it earns nothing any more. 403 means too fast.
"""

import re
from collections.abc import Iterator
from datetime import datetime
from typing import Any

import httpx

from ....state.tiers import Tier
from ...net import is_loopback
from ..base import FactQuery
from ..keys import check_key_way
from ..plan import OPENALEX_KEY
from ..relevance import bare
from ..transport import Clock, Sleep, real_sleep
from ..webtext import two_years_before
from .base import Json, LiteratureSource, Look, Work, base_language, day_of, list_at, no_works, text_of
from .standing import is_guideline, is_preprint_server
from .text import from_index, plain_abstract, plain_title
from .transport import LiteratureTransport

OPENALEX = "https://api.openalex.org"

_PAGE = 50
_MAX_CONNECTIONS = 4
_MAX_CHARS = 300
_SEARCH_CREDITS = 10
_WORD = re.compile(r"[^\W_]+(?:[-'’.][^\W_]+)*")
_FIELDS = (
    "id", "doi", "display_name", "publication_date", "language", "type", "is_retracted", "is_paratext",
    "primary_location", "abstract_inverted_index", "updated_date",
)  # fmt: skip
_NOTICES = frozenset(("retraction", "erratum", "paratext", "peer-review"))


class OpenAlexSource(LiteratureSource):
    """Evidence from abstracts in OpenAlex.

    PROFESSIONAL asks for reviews first, then for any article or review in a journal, guidelines (by their title) in
    front; SPECIALIST for articles and reviews in journals; CUTTING_EDGE for those and preprints within two years before
    `as_of`. OpenAlex tells a work's language from its title and abstract, and the query's language is asked for.
    """

    _records = ("results",)
    _page = _PAGE

    def __init__(
        self,
        name: str,
        *,
        url: str = OPENALEX,
        user_agent: str,
        contact: str = "",
        key: str = "",
        allow_http: bool = False,
        clock: Clock,
        max_connections: int = _MAX_CONNECTIONS,
        attempts: int = 4,
        time_limit_s: float = 30.0,
        transport: httpx.AsyncBaseTransport | None = None,
        sleep: Sleep = real_sleep,
    ) -> None:
        """`key` is OPENALEX_API_KEY, which is optional. `transport` and `sleep` replace the wire and the waiting
        between attempts. Raises UsageError for a key over plain http to another machine, unless `allow_http`."""
        key = key.strip()
        check_key_way(key, OPENALEX_KEY, url, allow_http=allow_http)
        private = {"mailto": contact if "@" in contact else "", "api_key": key}
        super().__init__(
            name,
            url=url,
            user_agent=user_agent,
            clock=clock,
            transport=LiteratureTransport(
                name,
                max_connections=max_connections if is_loopback(url) else min(max_connections, _MAX_CONNECTIONS),
                clock=clock,
                attempts=attempts,
                time_limit_s=time_limit_s,
                inspect=_inspect,
                advice={
                    400: "It did not understand the search.",
                    401: f"It did not accept the key: check {OPENALEX_KEY}.",
                    404: "Is it the address of OpenAlex's API?",
                },
                trust_env=not is_loopback(url),
                private={name: value for name, value in private.items() if value},
                busy=frozenset((403,)),
                search_cost=_SEARCH_CREDITS,
                spent=_SPENT_WITH_KEY if key else _SPENT,
                inner=transport,
                sleep=sleep,
            ),
        )

    def _request(self, query: FactQuery, look: Look) -> tuple[str, dict[str, str]]:
        return "/works", {
            "search": _words(" ".join(_wanted(query, look))),
            "filter": ",".join(_filters(query, look)),
            "select": ",".join(_FIELDS),
            "per_page": str(_PAGE),
        }

    def _read(self, found: Json) -> Work | None:
        return _work(found, self._clock())


_SPENT_WITH_KEY = "Its allowance for today is used up: go on after midnight UTC, or raise it at OpenAlex."
_SPENT = (
    f"Its allowance without a key is used up: set {OPENALEX_KEY} (free at openalex.org), or go on after midnight UTC."
)


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
    words = (word.lower() if word in ("AND", "OR", "NOT") else word for word in _WORD.findall(text))
    return " ".join(words)[:_MAX_CHARS]


def _work(found: Json, now: datetime) -> Work | None:
    id = text_of(found, "id").rpartition("/")[2]
    index = found.get("abstract_inverted_index")
    if not id or not isinstance(index, dict) or not index:
        return None
    kind = text_of(found, "type").casefold()
    location = _object(found, "primary_location")
    venue = _object(location, "source")
    submitted = text_of(location, "version") == "submittedVersion"
    preprint = kind == "preprint" or submitted or is_preprint_server(text_of(venue, "display_name"))
    title = plain_title(text_of(found, "display_name", "title"))
    updated = day_of(found, "updated_date")
    return Work(
        id=id,
        title=title,
        url=text_of(found, "doi") or f"https://openalex.org/{id}",
        abstract=plain_abstract(from_index(index)),
        revision=id + (f", updated {updated.isoformat()}" if updated else ""),
        retrieved_at=now,
        published=day_of(found, "publication_date"),
        language=text_of(found, "language").casefold() or None,
        reviewed=kind in ("article", "review") and text_of(venue, "type") == "journal" and not preprint,
        guidance=kind == "review" or is_guideline(title),
        preprint=preprint,
        withdrawn=found.get("is_retracted") is True or found.get("is_paratext") is True or kind in _NOTICES,
    )


def _object(found: Json, name: str) -> Json:
    value: Any = found.get(name)
    return value if isinstance(value, dict) else {}


def _inspect(response: httpx.Response) -> None:
    """Refuses what is no list of works."""
    if list_at(response, OpenAlexSource._records) is None:
        raise no_works("OpenAlex's API", response)
