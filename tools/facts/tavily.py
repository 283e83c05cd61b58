"""Web search through Tavily, guided per tier: professional bodies, peer-reviewed literature, the last two years."""

from collections.abc import Mapping, Set
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import orjson
from tavily import AsyncTavilyClient  # type: ignore[import-untyped]  # ships no type information

from ...state.errors import SourceFailed, UsageError
from ...state.records import Evidence
from ...state.tiers import TIERS, Tier
from ..flight import FirstTexts, SingleFlight
from ..net import is_loopback
from .base import FactQuery
from .evidence import reading, record
from .keys import bare_address, check_key_way
from .literature.standing import (
    JOURNAL_HOSTS,
    PREPRINT_HOSTS,
    PROFESSIONAL_HOSTS,
    is_preprint,
    is_retracted,
    looks_reviewed,
)
from .passages import Passage, passages
from .plan import KEY, MISSING_KEY, TAVILY_DAILY
from .quota import DailyCap
from .relevance import bare, mentions
from .transport import Clock, PoliteTransport, Sleep, real_sleep
from .webtext import find_published, in_length, plain, two_years_before

TAVILY = "https://api.tavily.com"

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
    Tier.CUTTING_EDGE: (("general", ()), ("news", ())),  # only the news index states dates for most of its pages
}
"""Topic and sites of the searches at a tier, the next tried when the one before gave no evidence."""
_ANYWHERE = (("general", ()),)
_NEVER = ("reddit.com", "quora.com", "youtube.com", "facebook.com", "pinterest.com", "chegg.com")
_GENERAL = ("wikipedia.org", "wikiwand.com", "britannica.com")
_HEAD = 1500
"""Characters at the top of a text in which a notice about the article itself stands."""
_RESULTS = 8
_BETWEEN_PIECES = "[...]"
"""Between pieces of a page in a snippet: no passage may reach across."""
_SEARCHES_KEPT = 512
_LONGEST_TITLE, _LONGEST_URL = 500, 8000


@dataclass(frozen=True, slots=True)
class _Hit:
    title: str
    url: str
    host: str
    text: str
    snippet: str
    published: date | None
    retrieved_at: datetime


class TavilySource:
    """Evidence from the open web: passages that mention the concept, from the pages a guided search returns.

    Retracted articles are never evidence. SPECIALIST leaves out preprints and whatever bears no mark of a peer-reviewed
    journal; CUTTING_EDGE takes only what carries a date of publication within two years before the query's `as_of`, and
    records it. A page without full text gives its snippet. PROFESSIONAL and SPECIALIST ask professional bodies and
    publishers of journals first, and everybody when those gave no evidence; unless `preferring`, everybody at once.
    `daily`: searches permitted per UTC day, counted in the file `ledger` for all processes of this machine.
    """

    def __init__(
        self,
        name: str,
        *,
        key: str,
        url: str = TAVILY,
        user_agent: str,
        clock: Clock,
        max_connections: int = 16,
        attempts: int = 4,
        time_limit_s: float = 60.0,
        daily: int | None = None,
        ledger: Path | None = None,
        allow_http: bool = False,
        preferring: bool = True,
        transport: httpx.AsyncBaseTransport | None = None,
        sleep: Sleep = real_sleep,
    ) -> None:
        """Raises UsageError without a key (the client would send keyless requests, which are something else) and for a
        key over plain http to another machine, unless `allow_http`."""
        if not key.strip():
            raise UsageError(MISSING_KEY)
        check_key_way(key.strip(), KEY, url, allow_http=allow_http)
        self._name = name
        self._preferring = preferring
        self._place = bare_address(url)
        self._clock = clock
        self._cap = DailyCap("Tavily", TAVILY_DAILY, daily, ledger, clock) if daily is not None else None
        self._http = httpx.AsyncClient(
            base_url=url,
            headers={"User-Agent": user_agent},
            transport=PoliteTransport(
                name,
                trust_env=not is_loopback(url),
                key=key.strip(),
                max_connections=max_connections,
                clock=clock,
                attempts=attempts,
                time_limit_s=time_limit_s,
                inspect=_inspect,
                advice=_ADVICE,
                inner=transport,
                sleep=sleep,
            ),
        )
        self._client = AsyncTavilyClient(key.strip(), api_base_url=url, client=self._http)
        self._texts = FirstTexts()
        self._searches: SingleFlight[tuple[object, ...], list[_Hit]] = SingleFlight(
            _SEARCHES_KEPT, lambda hits: sum(len(hit.text) + len(hit.snippet) for hit in hits)
        )

    @property
    def name(self) -> str:
        return self._name

    @property
    def tiers(self) -> Set[Tier]:
        return frozenset(TIERS)

    async def place(self) -> str:
        """The service's address, without anything secret."""
        return self._place

    async def find(self, query: FactQuery) -> list[Evidence]:
        """Passages on the concept, best page first, in reading order within a page. Raises SourceFailed."""
        for topic, sites in _SEARCHES.get(query.tier, _ANYWHERE):
            if sites and not self._preferring:
                continue
            found: dict[str, Evidence] = {}
            for hit in await self._search(query, topic, sites):
                if len(found) < query.limit and _admissible(hit, query):
                    for evidence in self._evidence(hit, query):
                        found.setdefault(evidence.digest, evidence)
            if found:
                return list(found.values())[: query.limit]
        return []

    async def has_page(self, title: str, language: str) -> bool:
        """Whether a search finds any page that mentions the subject. Raises SourceFailed."""
        query = FactQuery(title, title, Tier.COMMON, as_of=self._clock().date(), language=language)
        return bool(await self.find(query))

    async def aclose(self) -> None:
        await self._searches.aclose()
        await self._http.aclose()

    async def _search(self, query: FactQuery, topic: str, sites: tuple[str, ...]) -> list[_Hit]:
        key = (query.concept, query.domain, query.sense, query.tier, query.as_of, topic, sites)
        return await self._searches.get(key, lambda: self._ask(query, topic, sites))

    async def _ask(self, query: FactQuery, topic: str, sites: tuple[str, ...]) -> list[_Hit]:
        words = " ".join(filter(None, (bare(query.concept), query.sense, query.domain, _GUIDANCE[query.tier])))
        narrowing: dict[str, Any] = {"include_domains": list(sites)} if sites else {}
        if query.tier is Tier.CUTTING_EDGE:
            narrowing["start_date"] = two_years_before(query.as_of).isoformat()
            narrowing["end_date"] = query.as_of.isoformat()
        if self._cap:
            await self._cap.take()
        with reading(f"{self._name} at {self._place}"):
            reply = await self._client.search(
                words[:400],  # Tavily's limit
                topic=topic,
                max_results=_RESULTS,
                include_raw_content=True,
                exclude_domains=list(_excluded(query.tier)),
                **narrowing,
            )
            now = self._clock()
            return [hit for result in reply["results"][:_RESULTS] if (hit := _read(result, now)) is not None]

    def _evidence(self, hit: _Hit, query: FactQuery) -> list[Evidence]:
        # passages of one page must not overlap, so a page keeps the text it was first cut from
        text = self._texts.get(hit.url, hit.text or hit.snippet)
        return record(
            _mentioning(text, query)[: max(2, query.limit // 3)],  # no page fills the hand alone
            source=self._name,
            tier=query.tier,
            title=hit.title,
            url=hit.url,
            retrieved_at=hit.retrieved_at,
            published=hit.published,
        )


_ADVICE = {
    400: "It did not understand the search.",
    401: "It did not accept the key: check TAVILY_API_KEY.",
    403: "It did not permit the search: check TAVILY_API_KEY and its plan.",
    432: "The plan's limit is used up: wait, or raise it at Tavily.",
    433: "The pay-as-you-go limit is used up: raise it at Tavily.",
}


def _inspect(response: httpx.Response) -> None:
    """Refuses a reply that is no list of results, which the client would take for a search without any."""
    try:
        body = orjson.loads(response.content)
    except orjson.JSONDecodeError:
        body = None
    results = body.get("results") if isinstance(body, dict) else None
    if not isinstance(results, list) or not all(isinstance(result, dict) for result in results):
        address = response.request.url
        raise SourceFailed("bad_reply", f"{address} sent no search results. Is it the address of a Tavily search?")


def _excluded(tier: Tier) -> tuple[str, ...]:
    if tier in (Tier.COMMON, Tier.TEXTBOOK):
        return _NEVER
    return (*_NEVER, *_GENERAL, *(PREPRINT_HOSTS if tier is Tier.SPECIALIST else ()))


def _text(result: Mapping[str, Any], name: str) -> str:
    value = result.get(name)
    return value if isinstance(value, str) else ""


def _read(result: Mapping[str, Any], now: datetime) -> _Hit | None:
    """One result; None for one without an address, or with one that no host can be read from. Only texts count."""
    url = _text(result, "url")[:_LONGEST_URL]
    try:
        host = (urlsplit(url).hostname or "").casefold()
    except ValueError:
        return None
    text, snippet = plain(in_length(_text(result, "raw_content"))), in_length(_text(result, "content"))
    return (
        None
        if not url
        else _Hit(
            title=(_text(result, "title") or host)[:_LONGEST_TITLE],
            url=url,
            host=host,
            text=text,
            snippet=plain(snippet.replace(_BETWEEN_PIECES, "\n\n")),
            published=find_published(_text(result, "published_date"), text, url),
            retrieved_at=now,
        )
    )


def _admissible(hit: _Hit, query: FactQuery) -> bool:
    head = hit.text[:_HEAD]
    # the search is asked to leave these hosts out, and not trusted to
    if any(hit.host == host or hit.host.endswith(f".{host}") for host in _excluded(query.tier)):
        return False
    if is_retracted(hit.title, head):
        return False
    if query.tier is Tier.SPECIALIST:
        return looks_reviewed(hit.host, hit.url, hit.title, head) and not is_preprint(hit.title, head)
    if query.tier is Tier.CUTTING_EDGE:
        return hit.published is not None and two_years_before(query.as_of) <= hit.published <= query.as_of
    return True


def _mentioning(text: str, query: FactQuery) -> list[Passage]:
    return [passage for passage in passages(text, query.language) if mentions(passage.text, query.concept)]
