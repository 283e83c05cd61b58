"""The simulated world as a fact source: its wiki below, its search above, over real HTTP like any other."""

from collections.abc import Set
from dataclasses import replace

from ...state.records import Evidence
from ...state.tiers import TIERS, Tier
from ..net import WorldName
from .base import FactQuery
from .encyclopedia import TIERS_SERVED
from .mediawiki import MediaWikiSource
from .tavily import TavilySource
from .transport import Network

_KEY = "simulated"


class SimSource:
    """COMMON and TEXTBOOK from the wiki at `{base_url}/w/api.php`, the tiers above from the search at `{base_url}`.

    Addresses in the evidence are `sim://…` as the server gives them: the port is transport only.
    """

    def __init__(self, base_url: str, network: Network, *, language: str = "en") -> None:
        base = base_url.rstrip("/")
        network = replace(network, allow_http=True)  # the key is no secret
        self.name = "sim"
        self.tiers: Set[Tier] = frozenset(TIERS)
        self._world = WorldName(f"{base}/v1", _KEY)
        self._wiki = MediaWikiSource(self.name, network, url=f"{base}/w/api.php", language=language)
        self._search = TavilySource(self.name, network, key=_KEY, url=base, preferring=False)  # its web has no sites
        self.has_page, self.nearest = self._wiki.has_page, self._wiki.nearest

    async def place(self) -> str:
        """Which world it is, not where; empty when it cannot be asked, and the look-up itself then finds out why."""
        world = await self._world.get()
        return f"sim:{world}" if world else ""

    async def find(self, query: FactQuery) -> list[Evidence]:
        """Passages on the concept; raises SourceFailed when the server failed."""
        source = self._wiki if query.tier in TIERS_SERVED else self._search
        return await source.find(replace(query, line=()))  # its words have one sense each

    async def aclose(self) -> None:
        await self._wiki.aclose()
        await self._search.aclose()
