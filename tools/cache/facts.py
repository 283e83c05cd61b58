"""A fact source that is asked once for what has the same key."""

from collections.abc import Set

from ...state.records import Evidence
from ...state.tiers import Tier
from ..facts.base import Encyclopedia, FactQuery, FactSource, Titled, Whole
from ..models.chat import Placed
from .keys import lookup_key, page_key
from .store import Store


def cached_source(inner: FactSource, store: Store) -> FactSource:
    """The source behind the store. A source on this machine is returned as it is: asking it costs nothing, and it knows
    best when its files have changed."""
    if isinstance(inner, Whole):
        return inner
    return CachedEncyclopedia(inner, store) if isinstance(inner, Encyclopedia) else CachedSource(inner, store)


class CachedSource:
    """A FactSource whose look-ups are kept, those that found nothing too: the key has the day's date. Passages keep the
    time at which they were first retrieved. A failure is not kept."""

    def __init__(self, inner: FactSource, store: Store) -> None:
        self._inner = inner
        self._store = store

    @property
    def name(self) -> str:
        return self._inner.name

    @property
    def tiers(self) -> Set[Tier]:
        return self._inner.tiers

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name})"

    async def place(self) -> str:
        """Where the source is; its name, when that says it all; empty when it cannot be told apart from others."""
        return await self._inner.place() if isinstance(self._inner, Placed) else self.name

    async def find(self, query: FactQuery) -> list[Evidence]:
        """Passages on the concept, as the source finds or found them. Raises SourceFailed."""
        place = await self.place()
        if not place:
            return await self._inner.find(query)
        key = lookup_key(self.name, place, query)
        if (kept := self._store.evidence(key)) is not None:
            return kept
        return list(await self._store.lookups.get(key, lambda: self._look(key, place, query)))

    async def _look(self, key: str, place: str, query: FactQuery) -> list[Evidence]:
        found = await self._inner.find(query)
        await self._store.keep_evidence(key, self.name, place, query.tier, query.concept, found)
        return found

    async def aclose(self) -> None:
        """Closes the source; the store stays open for others."""
        await self._inner.aclose()


class CachedEncyclopedia(CachedSource):
    """A CachedSource that knows which pages there are. That a page is there is kept, that it is missing is not: it ends
    a run, and may be written tomorrow."""

    def __init__(self, inner: Encyclopedia, store: Store) -> None:
        super().__init__(inner, store)
        self._pages = inner

    async def has_page(self, title: str, language: str) -> bool:
        """Whether the source has the page, or had it. Raises SourceFailed."""
        place = await self.place()
        if not place:
            return await self._pages.has_page(title, language)
        key = page_key(self.name, place, title, language)
        if self._store.has_page(key):
            return True
        return await self._store.pages.get(key, lambda: self._is_there(key, place, title, language))

    async def _is_there(self, key: str, place: str, title: str, language: str) -> bool:
        there = await self._pages.has_page(title, language)
        if there:
            await self._store.keep_page(key, self.name, place, title)
        return there

    async def nearest(self, title: str, language: str) -> list[str]:
        """As the source finds them; what ends a run is not kept. Raises SourceFailed."""
        return await self._pages.nearest(title, language) if isinstance(self._pages, Titled) else []
