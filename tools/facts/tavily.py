"""Web search through Tavily, guided per tier: professional bodies, peer-reviewed literature, the
last two years."""

import re
from collections.abc import Iterable, Mapping
from datetime import datetime
from functools import lru_cache
from typing import Any
from urllib.parse import urlsplit

import httpx
from tavily import AsyncTavilyClient  # type: ignore[import-untyped]  # ships no type information

from ...state.errors import SourceFailed, UsageError
from ...state.tiers import TIERS, Tier
from .base import FactQuery, bare
from .library.markdown import read_markdown
from .passages import in_length
from .plan import ADDRESSES, KEY, MISSING_KEY
from .search import Search, SearchSource, Work, check_key_way, objects_at
from .standing import (
    JOURNAL_HOSTS,
    PREPRINT_HOSTS,
    PROFESSIONAL_HOSTS,
    find_published,
    is_at,
    looks_reviewed,
    two_years_before,
)
from .transport import Habits, Network, json_of

_GUIDANCE: Mapping[Tier, str] = {
    Tier.COMMON: "introduction overview",
    Tier.TEXTBOOK: "textbook chapter",
    Tier.PROFESSIONAL: "guideline standard recommendation professional body",
    Tier.SPECIALIST: "peer-reviewed research article journal findings",
    Tier.CUTTING_EDGE: "new research results published",
}
_SEARCHES: Mapping[Tier, tuple[tuple[str, tuple[str, ...]], ...]] = {
    Tier.PROFESSIONAL: (("general", PROFESSIONAL_HOSTS), ("general", ())),
    Tier.SPECIALIST: (("general", JOURNAL_HOSTS), ("general", ())),
    Tier.CUTTING_EDGE: (
        ("general", ()),
        ("news", ()),
    ),  # only the news index states dates for most of its pages
}
"""Topic and sites of the searches at a tier, the next tried when the one before gave no evidence.
"""
_NEVER = (
    "reddit.com",
    "quora.com",
    "youtube.com",
    "facebook.com",
    "pinterest.com",
    "chegg.com",
)
_GENERAL = ("wikipedia.org", "wikiwand.com", "britannica.com")
_PER_SECOND = 1000 / 60
"""What a production key permits; one for development permits a tenth, and says so with a 429."""
_RESULTS, _LONGEST_QUERY = 8, 400
_HEAD = 1500
"""Characters in which a page says where it was published."""
_BETWEEN_PIECES = "[...]"
"""Between pieces of a page in a snippet: no passage may reach across."""
_LONGEST_TITLE, _LONGEST_URL = 500, 8000
_ADVICE = {
    400: "It did not understand the search.",
    401: "It did not accept the key: check TAVILY_API_KEY.",
    403: "It did not permit the search: check TAVILY_API_KEY and its plan.",
    432: "The plan's limit is used up: wait, or raise it at Tavily.",
    433: "The pay-as-you-go limit is used up: raise it at Tavily.",
}


_TABLE_ROW = re.compile(r"^[ \t]*\|.*$|^[^\n|]*\|[^\n|]*\|[^\n]*$", re.MULTILINE)
_BOLD_LINE = re.compile(r"^[ \t]*(\*\*|__)([^*_\n]{1,60}[^*_\n.!?,;])\1:?[ \t]*$", re.MULTILINE)
"""A line in bold type, which is a heading."""


class TavilySource(SearchSource):
    """Evidence from the open web: passages that mention the concept, from the pages a guided search
    returns.

    Retracted articles are never evidence. SPECIALIST leaves out preprints and whatever bears no
    mark of a peer-reviewed journal; CUTTING_EDGE takes only what carries a date of publication
    within two years before the query's `as_of`, and records it. A page without full text gives its
    snippet. PROFESSIONAL and SPECIALIST ask professional bodies and publishers of journals first,
    and everybody when those gave no evidence.
    """

    charges = True

    def __init__(
        self,
        name: str,
        network: Network,
        *,
        key: str,
        url: str = ADDRESSES["tavily"],
    ) -> None:
        """Raises UsageError without a key (the client would send keyless requests, which are
        something else) and for a key over plain http to another machine, unless the user trusts
        that network."""
        key = key.strip()
        if not key:
            raise UsageError(MISSING_KEY)
        check_key_way(key, KEY, url, network)
        super().__init__(
            name,
            url,
            frozenset(TIERS),
            network,
            Habits(_inspect, _ADVICE, key=key, per_second=_PER_SECOND),
        )
        self._client = AsyncTavilyClient(key, api_base_url=url, client=self._http)

    async def has_page(self, title: str, language: str) -> bool:
        """Whether a search finds any page that mentions the subject. Raises SourceFailed."""
        query = FactQuery(
            title, title, Tier.COMMON, as_of=self._clock().date(), language=language
        )
        return bool(await self.find(query))

    def _searches(self, query: FactQuery) -> list[Search]:
        words = " ".join(
            filter(
                None, (bare(query.concept), query.sense, query.domain, _GUIDANCE[query.tier])
            )
        )
        params: dict[str, Any] = {
            "query": words[:_LONGEST_QUERY],
            "max_results": _RESULTS,
            "include_raw_content": True,
            "exclude_domains": _excluded(query.tier),
        }
        if query.tier is Tier.CUTTING_EDGE:
            params["start_date"] = two_years_before(query.as_of).isoformat()
            params["end_date"] = query.as_of.isoformat()
        searches = []
        for topic, sites in _SEARCHES.get(query.tier, (("general", ()),)):
            at_sites = {"include_domains": sites} if sites else {}
            searches.append(Search(tuple((params | {"topic": topic} | at_sites).items())))
        return searches

    async def _ask(self, search: Search) -> Iterable[Work | None]:
        reply = await self._client.search(**dict(search.params))
        moment = self._clock()
        return [_work(result, moment) for result in reply["results"][:_RESULTS]]

    def _admissible(self, work: Work, query: FactQuery, search: Search) -> bool:
        # the search is asked to leave these hosts out, and not trusted to
        is_excluded = is_at(_host(work.url), _excluded(query.tier))
        return not is_excluded and super()._admissible(work, query, search)


def _inspect(response: httpx.Response) -> None:
    """Refuses a reply that is no list of results, which the client would take for a search without
    any."""
    if objects_at(json_of(response), "results") is None:
        address = response.request.url
        raise SourceFailed(
            "bad_reply",
            f"{address} sent no search results. Is it the address of a Tavily search?",
        )


def _excluded(tier: Tier) -> tuple[str, ...]:
    if tier in (Tier.COMMON, Tier.TEXTBOOK):
        return _NEVER
    return (*_NEVER, *_GENERAL, *(PREPRINT_HOSTS if tier is Tier.SPECIALIST else ()))


def _text(result: Mapping[str, Any], name: str) -> str:
    value = result.get(name)
    return value if isinstance(value, str) else ""


def _host(url: str) -> str:
    """The host of an address; empty where none can be read from it."""
    try:
        return (urlsplit(url).hostname or "").casefold()
    except ValueError:
        return ""


def _work(result: Mapping[str, Any], moment: datetime) -> Work | None:
    """One result; None for one without an address that a host can be read from. Only texts
    count."""
    url = _text(result, "url")[:_LONGEST_URL]
    host = _host(url)
    if not host:
        return None
    title = (_text(result, "title") or host)[:_LONGEST_TITLE]
    page = plain(in_length(_text(result, "raw_content")))
    snippet = in_length(_text(result, "content")).replace(_BETWEEN_PIECES, "\n\n")
    text = page or plain(snippet)
    return Work(
        id=url,
        title=title,
        url=url,
        text=text,
        retrieved_at=moment,
        published=find_published(_text(result, "published_date"), page, url),
        reviewed=looks_reviewed(host, url, f"{title}\n{text[:_HEAD]}"),
    )


@lru_cache(maxsize=256)  # one page is found by many searches
def plain(markdown: str) -> str:
    """Markdown without its markup; headings stay marked with `#`."""
    text = _TABLE_ROW.sub("", markdown.replace("\r\n", "\n"))
    document = read_markdown(_BOLD_LINE.sub(r"###### \2", text))
    return f"# {document.title}\n{document.text()}" if document.title else document.text()
