"""The simulated world as a fact source: its wiki below, its search above, over real HTTP like any other."""

from collections.abc import Set
from dataclasses import replace

import httpx

from ...state.records import Evidence
from ...state.tiers import TIERS, Tier
from ..world import WorldName
from .base import FactQuery
from .mediawiki import ENCYCLOPEDIA_TIERS, MediaWikiSource
from .tavily import TavilySource
from .transport import Clock, Sleep, real_sleep

_KEY = "simulated"


class SimSource:
    """COMMON and TEXTBOOK from the wiki at `{base_url}/w/api.php`, the tiers above from the search at `{base_url}`.

    Addresses in the evidence are `sim://…` as the server gives them: the port is transport only.
    """

    def __init__(
        self,
        base_url: str,
        *,
        user_agent: str,
        clock: Clock,
        language: str = "en",
        max_connections: int = 200,
        attempts: int = 4,
        time_limit_s: float = 30.0,
        transport: httpx.AsyncBaseTransport | None = None,
        sleep: Sleep = real_sleep,
    ) -> None:
        base = base_url.rstrip("/")
        self._world = WorldName(f"{base}/v1", _KEY)
        self._wiki = MediaWikiSource(
            self.name,
            url=f"{base}/w/api.php",
            language=language,
            user_agent=user_agent,
            clock=clock,
            max_connections=max_connections,
            attempts=attempts,
            time_limit_s=time_limit_s,
            transport=transport,
            sleep=sleep,
        )
        self._search = TavilySource(
            self.name,
            key=_KEY,
            allow_http=True,  # the key is no secret
            preferring=False,  # its web has no such sites
            url=base,
            user_agent=user_agent,
            clock=clock,
            max_connections=max_connections,
            attempts=attempts,
            time_limit_s=time_limit_s,
            transport=transport,
            sleep=sleep,
        )

    @property
    def name(self) -> str:
        return "sim"

    @property
    def tiers(self) -> Set[Tier]:
        return frozenset(TIERS)

    async def place(self) -> str:
        """Which world it is, not where; empty when it cannot be asked, and the look-up itself then finds out why."""
        world = await self._world.get()
        return f"sim:{world}" if world else ""

    async def find(self, query: FactQuery) -> list[Evidence]:
        """Passages on the concept; raises SourceFailed when the server failed."""
        query = replace(query, line=())  # its words have one sense each
        source = self._wiki if query.tier in ENCYCLOPEDIA_TIERS else self._search
        return await source.find(query)

    async def has_page(self, title: str, language: str) -> bool:
        """Whether the simulated wiki knows the subject. Raises SourceFailed."""
        return await self._wiki.has_page(title, language)

    async def nearest(self, title: str, language: str) -> list[str]:
        """Pages of the simulated wiki that a search for the title finds. Raises SourceFailed."""
        return await self._wiki.nearest(title, language)

    async def aclose(self) -> None:
        await self._wiki.aclose()
        await self._search.aclose()
