"""Fact sources by name: built when first asked for, once each, closed together; the simulated world
as one; and those that ask the cache first."""

import re
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence, Set
from contextlib import asynccontextmanager
from dataclasses import asdict, replace
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import TypeAdapter

from ... import __version__
from ...state.errors import UsageError
from ...state.records import Evidence
from ...state.tiers import TIERS, Tier
from ..cache.store import Entry, Store, digest_of
from ..files.text import quoted
from ..models.chat import Placed
from ..net import WorldName, key_in
from .base import FactQuery, Facts, FactSource, Whole, charges
from .plan import (
    KEY,
    MISSING_KEY,
    WIKIPEDIA_URL,
    FactPlan,
    address_of,
    at_once,
    check_address,
    check_language,
    kind_of,
    parse_facts,
    source_url,
)

if TYPE_CHECKING:
    from .transport import Network

__all__ = ["FactPlan", "Sources", "facts", "parse_facts", "user_agent"]

_AT_ONCE = 16
"""Requests at a time towards a wiki that states no such limit."""


class Sources:
    """The fact sources of one launch, shared by its runs: each named source exists once, with one
    pool of connections.

    `max_connections` bounds every source; towards a wiki it is at most 16, or
    FATHOM_FACT_CONNECTIONS, and 3 towards Wikimedia. Searches keep to the requests per second that
    their keepers state. FATHOM_WIKIPEDIA_URL replaces the address of `wikipedia` ({language} stands
    for the language), FATHOM_CONTACT goes into the user agent. `sim_url` is where the simulated
    world listens, for this launch only. `data`: folder for indexes of folders; None keeps them in
    memory.
    """

    def __init__(
        self,
        env: Mapping[str, str],
        *,
        clock: Callable[[], datetime],
        sim_url: str | None = None,
        language: str = "en",
        max_connections: int = 200,
        time_limit_s: float = 30.0,
        data: Path | None = None,
    ) -> None:
        """Raises UsageError for an odd language code or malformed settings. Opens no connection."""
        self._env = env
        self._sim_url = sim_url
        self._language = check_language(language)
        self._max_connections = max_connections
        self._time_limit_s = time_limit_s
        self._data = data
        self._wikis = min(max_connections, _positive(env, "FATHOM_FACT_CONNECTIONS", _AT_ONCE))
        wikipedia = (source_url("wikipedia", env) or "").replace("{language}", "en")
        check_address(wikipedia, WIKIPEDIA_URL, needs_path=True)
        self._clock = clock
        self._built: dict[str, FactSource] = {}

    def for_tier(self, names: Sequence[str]) -> list[FactSource]:
        """The sources of these names, in order. Raises UsageError: unknown, malformed, or without
        its key."""
        for name in names:
            if name not in self._built:
                self._built[name] = self._build(name)
        return [self._built[name] for name in names]

    async def aclose(self) -> None:
        """Closes every source; they are built anew when asked for again."""
        built, self._built = self._built, {}
        for source in built.values():
            await source.aclose()

    def _network(self, max_connections: int) -> "Network":
        from .transport import Network

        return Network(
            user_agent=user_agent(self._env),
            clock=self._clock,
            max_connections=max_connections,
            time_limit_s=self._time_limit_s,
            contact=self._env.get("FATHOM_CONTACT", "").strip(),
            allow_http=self._env.get("FATHOM_ALLOW_HTTP_KEYS", "").strip() == "1",
        )

    def _build(self, name: str) -> FactSource:
        kind, address = kind_of(name), source_url(name, self._env) or ""
        match kind:
            case "wikipedia" | "mediawiki":
                from .mediawiki import MediaWikiSource

                network = self._network(at_once(address, self._wikis))
                return MediaWikiSource(name, network, url=address, language=self._language)
            case "tavily":
                key = key_in(self._env, KEY)
                if key is None:
                    raise UsageError(MISSING_KEY)
                from .tavily import TavilySource

                network = self._network(self._max_connections)
                return TavilySource(name, network, key=key, url=address)
            case "folder":
                from .folder import FolderSource

                return FolderSource(
                    name,
                    path=address_of(name) or "",
                    index_dir=self._data / "folders" if self._data else None,
                    language=self._language,
                    clock=self._clock,
                )
            case "zim":
                from .zim import ZimSource

                path = address_of(name) or ""
                return ZimSource(name, path=path, language=self._language, clock=self._clock)
            case "sim":
                if not (address := address or self._sim_url or ""):
                    raise UsageError(
                        "The source sim needs the simulated world, which this launch has not "
                        "started."
                    )
                network = self._network(self._max_connections)
                return SimSource(address, network, language=self._language)
        from .europepmc import EUROPE_PMC
        from .openalex import OPENALEX
        from .search import LiteratureSource

        service = {"europepmc": EUROPE_PMC, "openalex": OPENALEX}[kind]
        service_key = (service.key_variable and key_in(self._env, service.key_variable)) or ""
        network = self._network(self._max_connections)
        return LiteratureSource(name, network, service, url=address, key=service_key)


@asynccontextmanager
async def facts(
    option: str | None = None, *, env: Mapping[str, str] | None = None, language: str = "en"
) -> AsyncIterator[Facts]:
    """The sources that `option` names, as on the command line, for the FactFinder or a drill; they
    are closed at the end of the block. Keys and addresses come from `env`. Raises UsageError."""
    plan = parse_facts(option, env or {}, simulated=False).facts
    sources = Sources(env or {}, clock=lambda: datetime.now(UTC), language=language)
    try:
        by_tier = {tier: sources.for_tier(names) for tier, names in plan.items()}
        for source in sources.for_tier(list(dict.fromkeys(chain(*plan.values())))):
            if isinstance(source, Whole):
                await source.prepare()
        yield by_tier
    finally:
        await sources.aclose()


def user_agent(env: Mapping[str, str]) -> str:
    """Who is asking, as Wikimedia's policy wants it: name, version, purpose, and a contact from
    FATHOM_CONTACT."""
    text = "".join(
        c
        for c in env.get("FATHOM_CONTACT", "")
        if c.isascii() and c.isprintable() and c not in "()"
    ).strip()
    contact = f"contact: {text}" if text else "no contact given"
    return f"Fathom/{__version__} (measures the knowledge of language models; {contact})"


def _positive(env: Mapping[str, str], name: str, default: int) -> int:
    text = env.get(name, "").strip() or str(default)
    if not re.fullmatch(r"[1-9][0-9]{0,8}", text):
        most = "and at most 999999999"
        raise UsageError(
            f"{name} must be a whole number of at least 1 ({most}), not {quoted(text)}."
        )
    return int(text)


_KEY = "simulated"


class SimSource:
    """COMMON and TEXTBOOK from the wiki at `{base_url}/w/api.php`, the tiers above from the search
    at `{base_url}`.

    Addresses in the evidence are `sim://…` as the server gives them: the port is transport only.
    """

    def __init__(
        self,
        base_url: str,
        network: "Network",
        *,
        language: str = "en",
    ) -> None:
        from .mediawiki import MediaWikiSource
        from .tavily import TavilySource

        base = base_url.rstrip("/")
        network = replace(network, allow_http=True)  # the key is no secret
        self.name = "sim"
        self.tiers: Set[Tier] = frozenset(TIERS)
        self._world = WorldName(f"{base}/v1", _KEY)
        self._wiki = MediaWikiSource(
            self.name, network, url=f"{base}/w/api.php", language=language
        )
        self._search = TavilySource(self.name, network, key=_KEY, url=base)
        self.has_page, self.nearest = self._wiki.has_page, self._wiki.nearest

    async def place(self) -> str:
        """Which world it is, not where; empty when it cannot be asked, and the look-up itself then
        finds out why."""
        world = await self._world.get()
        return f"sim:{world}" if world else ""

    async def find(self, query: FactQuery) -> list[Evidence]:
        """Passages on the concept; raises SourceFailed when the server failed."""
        source: FactSource = self._wiki if query.tier in self._wiki.tiers else self._search
        return await source.find(replace(query, line=()))  # its words have one sense each

    async def aclose(self) -> None:
        """Closes both doors."""
        await self._wiki.aclose()
        await self._search.aclose()


T = TypeVar("T")
_FORMAT = "lookup/2"
"""Changes when pages are cut into passages differently: what was cut the old way is then looked up
again."""
_EVIDENCE = TypeAdapter(list[Evidence])
_PAGES = TypeAdapter(list[list[Evidence]])
_TITLES = TypeAdapter(list[str])
_FLAG = TypeAdapter(bool)


def lookup_key(source: str, origin: str, query: FactQuery) -> str:
    """64 hex digits over a look-up: source, where it is, and what of the query shapes the answer,
    its date included."""
    asked = asdict(replace(query, line=query.line[-1:]))
    return digest_of({"format": _FORMAT, "source": source, "place": origin, **asked})


def page_key(source: str, origin: str, title: str, language: str) -> str:
    """64 hex digits over the question whether a source has a page."""
    place = {"format": _FORMAT, "source": source, "place": origin}
    return digest_of(place | {"page": title, "language": language})


def cached_source(inner: FactSource, store: Store) -> FactSource:
    """The source behind the store. A source on this machine is returned as it is: asking it costs
    nothing, and it knows best when its files have changed."""
    return inner if isinstance(inner, Whole) else CachedSource(inner, store)


class CachedSource:
    """A source whose look-ups are kept, those that found nothing too: the key has the day's date.
    Passages keep the time at which they were first retrieved. A failure is not kept. Beside `find`
    it can do what its source can."""

    def __init__(self, inner: FactSource, store: Store) -> None:
        self.name = inner.name
        self.tiers: Set[Tier] = inner.tiers
        self.charges = charges(inner)
        self._inner: Any = inner
        self._store = store
        abilities = {
            "has_page": self._has_page,
            "nearest": self._nearest,
            "find_titled": self._find_titled,
        }
        for name, ability in abilities.items():
            if hasattr(inner, name):
                setattr(self, name, ability)

    async def place(self) -> str:
        """Where the source is; its name, when that says it all; empty when it cannot be told apart
        from others."""
        return await self._inner.place() if isinstance(self._inner, Placed) else self.name

    async def find(self, query: FactQuery) -> list[Evidence]:
        """Passages on the concept, as the source finds or found them. Raises SourceFailed."""
        key = lookup_key(self.name, await self.place(), query)
        entry = Entry(key, _EVIDENCE)
        passages = await self._look_up(entry, lambda: self._inner.find(query))
        return list(passages)

    async def aclose(self) -> None:
        """Closes the source; the store stays open for others."""
        await self._inner.aclose()

    async def _look_up(self, entry: Entry[T], call: Callable[[], Awaitable[T]]) -> T:
        """What a source at no place of its own says is not kept."""
        if not await self.place():
            return await call()
        return (await self._store.get_or_call(entry, call)).value

    async def _has_page(self, title: str, language: str) -> bool:
        """That a page is missing is not kept: it ends a run, and may be written tomorrow."""
        key = page_key(self.name, await self.place(), title, language)
        entry = Entry(key, _FLAG, lambda is_there: is_there or None)
        return await self._look_up(entry, lambda: self._inner.has_page(title, language))

    async def _nearest(self, title: str, language: str) -> list[str]:
        key = page_key(self.name, await self.place(), title, language)
        entry = Entry(digest_of({"nearest": key}), _TITLES, lambda titles: titles or None)
        return await self._look_up(entry, lambda: self._inner.nearest(title, language))

    async def _find_titled(self, query: FactQuery) -> list[Evidence] | None:
        """That there is no such page is kept too: a run that is repeated must go on with the same
        concepts."""

        async def find() -> list[list[Evidence]]:
            passages = await self._inner.find_titled(query)
            return [] if passages is None else [passages]

        key = lookup_key(self.name, await self.place(), query)
        pages = await self._look_up(Entry(digest_of({"page": key}), _PAGES), find)
        return pages[0] if pages else None
