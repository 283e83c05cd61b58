"""Sources that search for works: articles or pages, of which the passages that mention the concept
are evidence."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import httpx

from ...state.errors import UsageError
from ...state.records import Evidence
from ...state.tiers import Tier
from ..flight import Memory, SingleFlight
from ..net import is_loopback
from .base import FactQuery, mentions_concept, reading, record
from .passages import passages
from .transport import Habits, Network, PoliteTransport

_SEARCHES_KEPT, _TEXTS_KEPT = 512, 10_000


@dataclass(frozen=True, slots=True)
class Search:
    """What a service is asked for, in its own parameters. `in_domain`: with the words of the domain
    among them."""

    params: tuple[tuple[str, Any], ...]
    in_domain: bool = field(default=True, compare=False)


@dataclass(frozen=True, slots=True)
class Work:
    """A work as a service describes it, in the terms by which a tier takes it or leaves it."""

    id: str
    """By which it is the same work in another search."""
    title: str
    url: str
    text: str
    """Plain, with `#` before its headings."""
    retrieved_at: datetime
    published: date | None
    """None unless known to the day."""
    head: str = ""
    """The top of its full text, where a notice about the work itself stands; empty where nobody
    looks there."""
    reviewed: bool = False
    """Published in a journal as research, review or guideline, as the service says; so with the
    next two."""
    preprint: bool = False
    withdrawn: bool = False
    """Retracted or withdrawn, or itself a notice about another work."""
    revision: str | None = None
    section: str | None = None
    """Where all its passages stand; None: below their own headings."""
    language: str | None = None
    """ISO 639-1 code of the text's language; None when the service does not say."""
    guidance: bool = False
    """A guideline, a consensus or a review."""


@dataclass(frozen=True, slots=True)
class Works:
    """What `sender` lists, each read when its turn comes: the first ones are often enough. `read`
    returns None for what is no work."""

    sender: str
    entries: Sequence[Any]
    read: Callable[[Any], Work | None]
    chars: int
    """Of all entries."""

    def __iter__(self) -> Iterator[Work]:
        for entry in self.entries:
            with reading(self.sender):
                work = self.read(entry)
            if work is not None:
                yield work


class SearchSource(ABC):
    """A work serves all searches with the text it was first cut from, so that its passages never
    overlap."""

    def __init__(
        self,
        name: str,
        url: str,
        tiers: Set[Tier],
        network: Network,
        habits: Habits,
    ) -> None:
        self.name = name
        self.tiers = tiers
        self._address = bare_address(url)
        self._clock = network.clock
        self._http = httpx.AsyncClient(
            base_url=self._address,
            headers={"User-Agent": network.user_agent},
            transport=PoliteTransport(name, url, network, habits),
            timeout=None,
        )
        self._sender = f"{name} at {self._address}"
        self._texts: Memory[str, str] = Memory(_TEXTS_KEPT, len)
        self._works: SingleFlight[Search, Works] = SingleFlight(
            _SEARCHES_KEPT, lambda works: works.chars
        )

    async def place(self) -> str:
        """The service's address, without anything secret."""
        return self._address

    async def find(self, query: FactQuery) -> list[Evidence]:
        """Passages on the concept, best work first, in reading order within a work; none when no
        admissible work mentions it, or at a tier that the service does not serve. Raises
        SourceFailed when the service failed."""
        for search in self._searches(query) if query.tier in self.tiers else ():
            by_digest: dict[str, Evidence] = {}
            for work in self._in_order(await self._works_of(search), query):
                if self._admissible(work, query, search):
                    for evidence in self._evidence(work, query):
                        by_digest.setdefault(evidence.digest, evidence)
                if len(by_digest) >= query.limit:
                    break
            if by_digest:
                return list(by_digest.values())[: query.limit]
        return []

    async def aclose(self) -> None:
        await self._works.aclose()
        await self._http.aclose()

    @abstractmethod
    def _searches(self, query: FactQuery) -> Sequence[Search]:
        """What to ask for, in order; the next is tried when the one before gave no evidence."""

    @abstractmethod
    async def _ask(self, search: Search) -> Works:
        """One search."""

    @abstractmethod
    def _admissible(
        self,
        work: Work,
        query: FactQuery,
        search: Search,
    ) -> bool:
        """Whether the work may be evidence at the query's tier, by its own fields: what a service
        was asked to leave out is not trusted to be left out."""

    def _in_order(self, works: Works, query: FactQuery) -> Iterable[Work]:
        return works

    async def _works_of(self, search: Search) -> Works:
        async def ask() -> Works:
            with reading(self._sender):
                return await self._ask(search)

        return await self._works.get(search, ask)

    def _evidence(self, work: Work, query: FactQuery) -> list[Evidence]:
        text = self._texts.first(work.id, work.text)
        on_concept = [
            passage
            for passage in passages(text, base_language(query.language))
            if mentions_concept(passage.text, query.concept)
        ]
        return record(
            [
                replace(passage, section=work.section or passage.section)
                for passage in on_concept[
                    : max(2, query.limit // 3)
                ]  # no work fills the hand alone
            ],
            source=self.name,
            tier=query.tier,
            title=work.title,
            url=work.url,
            retrieved_at=work.retrieved_at,
            revision=work.revision,
            published=work.published,
        )


def base_language(code: str) -> str:
    """`en` for en, en-gb and simple: the language a text is in, whatever its variety."""
    return "en" if code == "simple" else code.partition("-")[0]


def objects_at(body: Any, *path: str) -> list[dict[str, Any]] | None:
    """The list of objects at a place in the JSON of a reply; None when there is none."""
    for name in path:
        body = body.get(name) if isinstance(body, dict) else None
    is_list = isinstance(body, list) and all(isinstance(entry, dict) for entry in body)
    return body if is_list else None


def check_key_way(
    key: str,
    variable: str,
    url: str,
    network: Network,
) -> None:
    """Raises UsageError when there is a key and the address is plain http beyond this machine,
    unless the user trusts that network (FATHOM_ALLOW_HTTP_KEYS=1). `variable` is where the key came
    from."""
    if key and not network.allow_http and urlsplit(url).scheme == "http" and not is_loopback(url):
        raise UsageError(
            f"{variable} would be sent unencrypted to {bare_address(url)}: use an https:// "
            f"address, unset {variable},"
            " or set FATHOM_ALLOW_HTTP_KEYS=1 if that network is trusted."
        )


def bare_address(url: str) -> str:
    """The address without user, password, query and fragment: what may be kept and shown."""
    parts = urlsplit(url)
    return urlunsplit(
        (parts.scheme, parts.netloc.rpartition("@")[2], parts.path.rstrip("/"), "", "")
    )
