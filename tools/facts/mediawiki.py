"""Encyclopedias: Wikipedia in any language, or any MediaWiki with the TextExtracts extension."""

from collections.abc import Set
from urllib.parse import urlsplit

import httpx

from ...state.records import Evidence
from ...state.tiers import Tier
from ..net import is_loopback
from .address import check_language
from .base import FactQuery
from .encyclopedia import HITS, TIERS_SERVED, Article, LookUp
from .transport import Clock, PoliteTransport, Sleep, real_sleep
from .wiki_client import WikiClient, inspect_reply

WIKIPEDIA = "https://{language}.wikipedia.org/w/api.php"
ENCYCLOPEDIA_TIERS = TIERS_SERVED


class MediaWikiSource:
    """Articles over a wiki's api.php: COMMON is the lead of the concept's page, TEXTBOOK its body (see `LookUp`)."""

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
        self._look_up = LookUp(name, page=self._page, search=self._search)

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
        return await self._look_up.find(query)

    async def has_page(self, title: str, language: str) -> bool:
        """Whether the wiki knows the subject: by title (redirects and lists of senses count) or by a search hit that is
        the page on it or mentions it. Raises SourceFailed when the wiki failed."""
        return await self._look_up.has_page(title, language)

    async def nearest(self, title: str, language: str) -> list[str]:
        """The spelling that the wiki suggests, and the pages that a search for the title finds. Raises SourceFailed."""
        return await self._client(language).nearest(title, HITS)

    async def aclose(self) -> None:
        await self._look_up.aclose()
        await self._transport.aclose()

    async def _page(self, title: str, language: str) -> Article | None:
        return await self._client(language).page(title)

    async def _search(self, words: str, language: str) -> list[str]:
        return await self._client(language).search(words, HITS)

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
