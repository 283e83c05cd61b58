"""Encyclopedias: Wikipedia in any language, or any MediaWiki with the TextExtracts extension."""

import asyncio
from collections.abc import Set
from urllib.parse import urlsplit

import httpx

from ...state.records import Evidence
from ...state.tiers import Tier
from ..net import is_loopback
from .address import check_language
from .base import FactQuery
from .evidence import record, spread
from .flight import SingleFlight
from .passages import Passage
from .relevance import mentions, names, singular, touches
from .transport import Clock, PoliteTransport, Sleep, real_sleep
from .wiki_client import WikiClient, WikiPage, inspect_reply

WIKIPEDIA = "https://{language}.wikipedia.org/w/api.php"
ENCYCLOPEDIA_TIERS = frozenset((Tier.COMMON, Tier.TEXTBOOK))

_HITS = 8
"""Search hits looked at by title."""
_TRIED = 3
"""Of them, pages fetched (together)."""
_PAGES_KEPT = 512


class MediaWikiSource:
    """COMMON is the lead of the concept's page, TEXTBOOK its body without the lead.

    A concept is looked up by title, one request; if there is no such page, or only one that lists several senses, by a
    search for the concept within the domain. A hit counts when it is the page on the concept, or with those of its
    passages that mention the concept; either way its text must touch the domain.
    """

    def __init__(
        self,
        name: str,
        *,
        url: str = WIKIPEDIA,
        language: str = "en",
        user_agent: str,
        clock: Clock,
        max_connections: int = 8,
        attempts: int = 4,
        time_limit_s: float = 30.0,
        transport: httpx.AsyncBaseTransport | None = None,
        sleep: Sleep = real_sleep,
    ) -> None:
        """`url` is the address of api.php, in which `{language}` stands for the language of the query. `transport` and
        `sleep` replace the wire and the waiting between attempts. Raises UsageError for an odd language code."""
        check_language(language)
        self._name = name
        self._url = url
        self._user_agent = user_agent
        self._clock = clock
        self._transport = PoliteTransport(
            name,
            trust_env=not is_loopback(url),
            max_connections=max_connections,
            clock=clock,
            attempts=attempts,
            time_limit_s=time_limit_s,
            inspect=inspect_reply,
            advice={
                403: "It wants to know who is asking: set FATHOM_CONTACT to a mail address or a page.",
                404: "Is it the address of a wiki's api.php?",
            },
            inner=transport,
            sleep=sleep,
        )
        self._clients: dict[str, WikiClient] = {}
        self._pages: SingleFlight[tuple[str, str], WikiPage | None] = SingleFlight(_PAGES_KEPT)
        self._searches: SingleFlight[tuple[str, str], list[str]] = SingleFlight(_PAGES_KEPT)

    @property
    def name(self) -> str:
        return self._name

    @property
    def tiers(self) -> Set[Tier]:
        return ENCYCLOPEDIA_TIERS

    async def place(self) -> str:
        """The address of the wiki's api.php; the language stands in each query."""
        parts = urlsplit(self._url)
        return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"

    async def find(self, query: FactQuery) -> list[Evidence]:
        """Passages on the concept at the tier, in reading order; none when there is no page on it, or only a stub,
        or at a tier that no encyclopedia serves. Raises SourceFailed when the wiki failed."""
        if query.tier not in self.tiers:
            return []
        page = await self._by_title(query.concept, query.language)
        if page and not page.ambiguous:
            return self._evidence(page, _at_tier(page, query.tier), query)
        # the domain in the query narrows the search, but a short page need not have all of its words
        for words in (f"{query.concept} {query.domain}", query.concept):
            for hit in await self._hits(words, query):
                if evidence := self._evidence(hit, _relevant(hit, query), query):
                    return evidence
        return []

    async def has_page(self, title: str, language: str) -> bool:
        """Whether the wiki knows the subject: by title (redirects and lists of senses count) or by a search hit that is
        the page on it or mentions it. Raises SourceFailed when the wiki failed."""
        if await self._by_title(title, language):
            return True
        hits = await self._search(title, language)
        if any(names(hit, title) for hit in hits):
            return True
        pages = await asyncio.gather(*(self._page(hit, language) for hit in hits[:_TRIED]))
        return any(mentions(p.text, title) for page in pages if page for p in (*page.lead, *page.body))

    async def aclose(self) -> None:
        await self._pages.aclose()
        await self._searches.aclose()
        await self._transport.aclose()

    async def _hits(self, words: str, query: FactQuery) -> list[WikiPage]:
        """Pages that a search finds and that touch the domain; those named like the concept come first."""
        titles = await self._search(words, query.language)
        titles = sorted(titles, key=lambda title: not names(title, query.concept))[:_TRIED]
        pages = await asyncio.gather(*(self._page(title, query.language) for title in titles))
        return [p for p in pages if p and not p.ambiguous and touches(f"{p.title} {p.text}", query.domain)]

    async def _by_title(self, title: str, language: str) -> WikiPage | None:
        page = await self._page(title, language)
        if page is None and language == "en" and (one := singular(title)):
            # an encyclopedia's titles are in the singular, and only Wikipedia has a redirect for every plural
            page = await self._page(one, language)
        return page

    async def _page(self, title: str, language: str) -> WikiPage | None:
        return await self._pages.get((language, title), lambda: self._client(language).page(title))

    async def _search(self, words: str, language: str) -> list[str]:
        return await self._searches.get((language, words), lambda: self._client(language).search(words, _HITS))

    def _client(self, language: str) -> WikiClient:
        if language not in self._clients:
            check_language(language)
            self._clients[language] = WikiClient(
                self._url.replace("{language}", language),
                language=language,
                user_agent=self._user_agent,
                transport=self._transport,
                clock=self._clock,
            )
        return self._clients[language]

    def _evidence(self, page: WikiPage, found: list[Passage], query: FactQuery) -> list[Evidence]:
        return record(
            spread(found, query.limit),
            source=self._name,
            tier=query.tier,
            title=page.title,
            url=page.url,
            revision=page.revision,
            retrieved_at=page.retrieved_at,
        )


def _at_tier(page: WikiPage, tier: Tier) -> list[Passage]:
    return page.lead if tier is Tier.COMMON else page.body


def _relevant(page: WikiPage, query: FactQuery) -> list[Passage]:
    found = _at_tier(page, query.tier)
    if names(page.title, query.concept):
        return found
    return [passage for passage in found if mentions(passage.text, query.concept)]
