"""Fact sources by name: built when first asked for, once each, closed together."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from ... import __version__
from ...state.errors import UsageError
from ..files.text import quoted
from ..redact import key_in
from .address import check_address, check_language
from .base import Encyclopedia, FactSource
from .plan import KEY, MISSING_KEY, OPENALEX_KEY, TAVILY_DAILY, FactPlan, address_of, kind_of, parse_facts

__all__ = ["FactPlan", "Sources", "parse_facts", "user_agent"]

_POLITE = 8
_MOST_DIGITS = 9
"""Requests at a time towards an encyclopedia that others share."""


class Sources:
    """The fact sources of one launch, shared by its runs: each named source exists once, with one pool of connections.

    `max_connections` bounds every source; towards a wiki or Tavily it is at most 8, or FATHOM_FACT_CONNECTIONS.
    FATHOM_WIKIPEDIA_URL replaces the address of `wikipedia` ({language} stands for the language), FATHOM_CONTACT goes
    into the user agent. `sim_url` is where the simulated world listens, for this launch only. `data`: folder for
    indexes of folders and counts of paid searches; None keeps them in memory.
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
        self._allow_http = env.get("FATHOM_ALLOW_HTTP_KEYS", "").strip() == "1"
        self._polite = min(max_connections, _positive(env, "FATHOM_FACT_CONNECTIONS", _POLITE))
        self._daily = _positive(env, TAVILY_DAILY, 1) if env.get(TAVILY_DAILY, "").strip() else None
        self._wikipedia_url = _wikipedia_url(env)
        self._clock = clock
        self._built: dict[str, FactSource] = {}

    def for_tier(self, names: Sequence[str]) -> list[FactSource]:
        """The sources of these names, in order. Raises UsageError: unknown, malformed, or without its key."""
        return [self._source(name) for name in names]

    async def has_page(self, names: Sequence[str], title: str) -> bool:
        """Whether any encyclopedia among the sources knows the title; True when none of them is one, because then
        nothing can be said. Raises SourceFailed when an encyclopedia failed and no other knows the title."""
        known = [source for source in self.for_tier(names) if isinstance(source, Encyclopedia)]
        for source in known:
            if await source.has_page(title, self._language):
                return True
        return not known

    async def aclose(self) -> None:
        """Closes every source; they are built anew when asked for again."""
        built, self._built = self._built, {}
        for source in built.values():
            await source.aclose()

    def _source(self, name: str) -> FactSource:
        if name not in self._built:
            self._built[name] = self._build(name)
        return self._built[name]

    def _build(self, name: str) -> FactSource:
        kind, address = kind_of(name), address_of(name)
        return _BUILDERS[kind](self, name, address)

    def _wiki(self, name: str, address: str | None) -> FactSource:
        from .mediawiki import MediaWikiSource

        return MediaWikiSource(
            name,
            url=address or self._wikipedia_url,
            language=self._language,
            user_agent=user_agent(self._env),
            clock=self._clock,
            max_connections=self._polite,
            time_limit_s=self._time_limit_s,
        )

    def _tavily(self, name: str, address: str | None) -> FactSource:
        key = key_in(self._env, KEY)
        if key is None:
            raise UsageError(MISSING_KEY)
        from .tavily import TAVILY, TavilySource

        return TavilySource(
            name,
            key=key,
            url=address or TAVILY,
            daily=self._daily,
            ledger=self._data / "tavily.sqlite" if self._data else None,
            allow_http=self._allow_http,
            user_agent=user_agent(self._env),
            clock=self._clock,
            max_connections=self._polite,
            time_limit_s=self._time_limit_s,
        )

    def _sim(self, name: str, address: str | None) -> FactSource:
        base_url = address or self._sim_url
        if base_url is None:
            raise UsageError("The source sim needs the simulated world, which this launch has not started.")
        from .sim import SimSource

        return SimSource(
            base_url,
            user_agent=user_agent(self._env),
            clock=self._clock,
            language=self._language,
            max_connections=self._max_connections,
            time_limit_s=self._time_limit_s,
        )

    def _literature(self, name: str, address: str | None) -> FactSource:
        from .literature.europepmc import EUROPEPMC, EuropePmcSource
        from .literature.openalex import OPENALEX, OpenAlexSource

        def build(source: Callable[..., FactSource], url: str, **more: Any) -> FactSource:
            return source(
                name,
                url=address or url,
                user_agent=user_agent(self._env),
                contact=self._env.get("FATHOM_CONTACT", "").strip(),
                clock=self._clock,
                max_connections=self._polite,
                time_limit_s=self._time_limit_s,
                **more,
            )

        if kind_of(name) == "europepmc":
            return build(EuropePmcSource, EUROPEPMC)
        key = key_in(self._env, OPENALEX_KEY)
        return build(OpenAlexSource, OPENALEX, key=key or "", allow_http=self._allow_http)

    def _folder(self, name: str, address: str | None) -> FactSource:
        from .folder import FolderSource

        assert address is not None  # parse_facts refuses a folder without a path
        kept = self._data / "folders" if self._data else None
        return FolderSource(name, path=address, index_dir=kept, language=self._language, clock=self._clock)

    def _zim(self, name: str, address: str | None) -> FactSource:
        from .zim.source import ZimSource

        assert address is not None  # parse_facts refuses an archive without a path
        return ZimSource(name, path=address, language=self._language, clock=self._clock)


_BUILDERS: Mapping[str, Callable[[Sources, str, str | None], FactSource]] = {
    "wikipedia": Sources._wiki,
    "mediawiki": Sources._wiki,
    "tavily": Sources._tavily,
    "sim": Sources._sim,
    "europepmc": Sources._literature,
    "openalex": Sources._literature,
    "folder": Sources._folder,
    "zim": Sources._zim,
}


def user_agent(env: Mapping[str, str]) -> str:
    """Who is asking, as Wikimedia's policy wants it: name, version, purpose, and a contact from FATHOM_CONTACT."""
    given = "".join(
        c for c in env.get("FATHOM_CONTACT", "") if c.isascii() and c.isprintable() and c not in "()"
    ).strip()
    contact = f"contact: {given}" if given else "no contact given"
    return f"Fathom/{__version__} (measures the knowledge of language models; {contact})"


def _wikipedia_url(env: Mapping[str, str]) -> str:
    pattern = env.get("FATHOM_WIKIPEDIA_URL", "").strip() or "https://{language}.wikipedia.org/w/api.php"
    check_address(pattern.replace("{language}", "en"), "FATHOM_WIKIPEDIA_URL", needs_path=True)
    return pattern


def _positive(env: Mapping[str, str], name: str, default: int) -> int:
    text = env.get(name, "").strip() or str(default)
    if not text.isdecimal() or len(text) > _MOST_DIGITS or int(text) < 1:
        most = "9" * _MOST_DIGITS
        raise UsageError(f"{name} must be a whole number of at least 1 (and at most {most}), not {quoted(text)}.")
    return int(text)
