"""What makes two requests, or two look-ups, the same one: canonical JSON, digested; and the sources
that ask the cache first."""

import hashlib
import json
from collections.abc import Mapping, Set
from functools import lru_cache
from typing import Any

import orjson
from pydantic import TypeAdapter

from ...state.errors import UsageError
from ...state.records import Evidence, Tier
from ..facts.base import ByTitle, Encyclopedia, FactQuery, FactSource, Titled, Whole, charges
from ..models.address import instructed, parse_model
from ..models.chat import ChatRequest, Placed, strict_schema
from ..models.providers import PROVIDERS
from .store import LookUp, Store

_REPLY = "reply/1"
"""Changes when replies are kept differently."""
_LOOKUP = "lookup/2"
"""Changes when pages are cut into passages differently: what was cut the old way is then looked up
again."""
_EVIDENCE = TypeAdapter(list[Evidence])
_TITLES = TypeAdapter(list[str])
_FLAG = TypeAdapter(bool)


def reply_key(place: str, name: str, request: ChatRequest) -> str:
    """64 hex digits over all that shapes a reply: place, model, conversation, JSON shape, limits,
    seed, sample, and the provider's own way of asking. `name` is the model as a spec names it; what
    the reply is for is no part of it."""
    model, manner = _model_of(name)
    request = instructed(name, request)
    parts = {
        "format": _REPLY,
        "place": place,
        "model": model,
        "manner": manner,
        "messages": [(message.role, message.content) for message in request.messages],
        "schema": None if request.schema is None else strict_schema(request.schema),
        "max_tokens": request.max_tokens,
        "temperature": None if request.temperature is None else float(request.temperature),
        "seed": request.seed,
        "sample": request.sample,
    }
    # only where they are asked for: the keys of all other requests stay what they were before there
    # were any
    if request.top_p is not None:
        parts["top_p"] = float(request.top_p)
    if request.logprobs:
        parts["logprobs"] = True
    return _digest(parts)


def model_of(name: str) -> str:
    """The model without provider and address: `student` of `sim:student`; a name of another form as
    it is."""
    return _model_of(name)[0]


def lookup_key(source: str, place: str, query: FactQuery) -> str:
    """64 hex digits over a look-up: source, where it is, and what of the query shapes the answer,
    its date included."""
    return _digest(
        {
            "format": _LOOKUP,
            "source": source,
            "place": place,
            "concept": query.concept,
            "domain": query.domain,
            "tier": query.tier.value,
            "as_of": query.as_of.isoformat(),
            "language": query.language,
            "limit": query.limit,
            "line": query.line[-1:],
        }
    )


def page_key(source: str, place: str, title: str, language: str) -> str:
    """64 hex digits over the question whether a source has a page."""
    return _digest(
        {
            "format": _LOOKUP,
            "source": source,
            "place": place,
            "page": title,
            "language": language,
        }
    )


@lru_cache(maxsize=256)
def _model_of(name: str) -> tuple[str, Mapping[str, Any]]:
    try:
        address = parse_model(name)
    except UsageError:  # a host's own model may be called anything
        return name, {}
    settings, provider = address.settings, PROVIDERS.get(address.provider)
    chosen = {
        "headers": settings.headers,
        "fields": settings.fields,
        "api": settings.api,
    }
    chosen = {name: value for name, value in chosen.items() if value}
    if provider is None:
        return address.model, chosen
    return address.model, {
        "mode": provider.mode,
        "seed": provider.seed_name,
        "extra": dict(provider.extra),
        **chosen,
    }


def _digest(parts: Mapping[str, Any]) -> str:
    try:
        canonical = orjson.dumps(parts, option=orjson.OPT_SORT_KEYS)
    except orjson.JSONEncodeError:  # half a surrogate pair, as some models write it, is no UTF-8
        canonical = json.dumps(parts, sort_keys=True).encode()
    return hashlib.sha256(canonical).hexdigest()


def cached_source(inner: FactSource, store: Store) -> FactSource:
    """The source behind the store. A source on this machine is returned as it is: asking it costs
    nothing, and it knows best when its files have changed."""
    if isinstance(inner, Whole):
        return inner
    if isinstance(inner, ByTitle):
        return CachedTitles(inner, store)
    return (
        CachedEncyclopedia(inner, store)
        if isinstance(inner, Encyclopedia)
        else CachedSource(inner, store)
    )


class CachedSource:
    """A FactSource whose look-ups are kept, those that found nothing too: the key has the day's
    date. Passages keep the time at which they were first retrieved. A failure is not kept."""

    def __init__(self, inner: FactSource, store: Store) -> None:
        self.name = inner.name
        self.tiers: Set[Tier] = inner.tiers
        self.charges = charges(inner)
        self._inner = inner
        self._store = store
        self._placed = inner if isinstance(inner, Placed) else None

    async def place(self) -> str:
        """Where the source is; its name, when that says it all; empty when it cannot be told apart
        from others."""
        return await self._placed.place() if self._placed else self.name

    async def find(self, query: FactQuery) -> list[Evidence]:
        """Passages on the concept, as the source finds or found them. Raises SourceFailed."""
        lookup = self._passages(await self.place(), query)
        passages = await self._store.get_or_call(lookup, _EVIDENCE, lambda: self._inner.find(query))
        return list(passages)

    def _passages(self, place: str, query: FactQuery) -> LookUp:
        key = lookup_key(self.name, place, query)
        return LookUp(key, self.name, place, query.concept, query.tier.value)

    async def aclose(self) -> None:
        """Closes the source; the store stays open for others."""
        await self._inner.aclose()


class CachedEncyclopedia(CachedSource):
    """A CachedSource that knows which pages there are. That a page is there is kept, that it is
    missing is not: it ends a run, and may be written tomorrow."""

    def __init__(self, inner: Encyclopedia, store: Store) -> None:
        super().__init__(inner, store)
        self._pages = inner

    async def has_page(self, title: str, language: str) -> bool:
        """Whether the source has the page, or had it. Raises SourceFailed."""
        place = await self.place()
        key = page_key(self.name, place, title, language)
        return await self._store.get_or_call(
            LookUp(key, self.name, place, title),
            _FLAG,
            lambda: self._pages.has_page(title, language),
            is_kept=bool,
        )

    async def nearest(self, title: str, language: str) -> list[str]:
        """As the source finds or found them. Raises SourceFailed."""
        if not isinstance(self._pages, Titled):
            return []
        titled, place = self._pages, await self.place()
        key = _digest({"nearest": page_key(self.name, place, title, language)})
        return await self._store.get_or_call(
            LookUp(key, self.name, place, title),
            _TITLES,
            lambda: titled.nearest(title, language),
            is_kept=bool,
        )


class CachedTitles(CachedEncyclopedia):
    """A CachedEncyclopedia that knows what has a page under its own title. That there is none is
    kept too, for as long as a look-up is: a run that is repeated must go on with the same concepts.
    """

    def __init__(self, inner: ByTitle, store: Store) -> None:
        super().__init__(inner, store)
        self._titles = inner

    async def find_titled(self, query: FactQuery) -> list[Evidence] | None:
        """As the source finds them, or found them. Raises SourceFailed."""
        place = await self.place()
        if not place:
            return await self._titles.find_titled(query)
        passages_of_page = self._passages(place, query)
        key = _digest({"titled": passages_of_page.key})

        async def find() -> bool:
            passages = await self._titles.find_titled(query)
            if passages is not None:
                await self._store.keep(passages_of_page, _EVIDENCE, passages)
            return passages is not None

        title = LookUp(key, self.name, place, query.concept)
        return await self.find(query) if await self._store.get_or_call(title, _FLAG, find) else None
