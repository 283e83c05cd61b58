"""What the services that index literature share: what a work is, which tier it may serve, and how it is looked for."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Any, ClassVar

import httpx
import orjson

from ....state.errors import SourceFailed
from ....state.records import Evidence
from ....state.tiers import Tier
from ...flight import FirstTexts, SingleFlight
from ..base import FactQuery
from ..evidence import reading, record
from ..keys import bare_address
from ..passages import Passage, passages
from ..relevance import mentions, touches
from ..transport import Clock
from ..webtext import two_years_before
from .standing import is_notice, is_preprint, is_retracted
from .transport import LiteratureTransport

LITERATURE_TIERS = frozenset((Tier.PROFESSIONAL, Tier.SPECIALIST, Tier.CUTTING_EDGE))
_SECTION, _PREPRINT_SECTION = "Abstract", "Abstract (preprint)"
_HEAD = 600
"""Characters at the top of an abstract in which a notice about the work itself stands."""
_SEARCHES_KEPT = 512
_MOST_CHARS = 50_000
"""Of one field; an abstract is read less far."""
Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Work:
    """A work as a service describes it, in the terms by which a tier takes it or leaves it."""

    id: str
    title: str
    url: str
    """Its DOI as a link, else its page at the service."""
    abstract: str
    """Plain text, as `text` makes it."""
    revision: str
    retrieved_at: datetime
    published: date | None
    """None unless known to the day."""
    language: str | None
    """ISO 639-1 code of the abstract's language; None when the service does not say."""
    reviewed: bool
    """Published in a journal as research, review or guideline."""
    guidance: bool
    """A guideline, a consensus or a review."""
    preprint: bool
    withdrawn: bool
    """Retracted or withdrawn, or itself a notice about another work."""


@dataclass(frozen=True, slots=True)
class Look:
    """One way to look for a concept. `guidance`: among guidelines and reviews only; `in_domain`: with the words of the
    domain, too; `in_sense`: with those that tell its sense besides."""

    guidance: bool
    in_domain: bool
    in_sense: bool = False


def looks(query: FactQuery) -> tuple[Look, ...]:
    """The ways to look at a tier, in order; the next is tried when the one before gave no evidence."""
    guidance = query.tier is Tier.PROFESSIONAL
    in_sense = (Look(guidance, True, in_sense=True),) if query.sense else ()
    return (*in_sense, *((Look(True, True),) if guidance else ()), Look(False, True), Look(False, False))


def admissible(work: Work, query: FactQuery) -> bool:
    """Whether the work may be evidence at the query's tier, by its own fields: what a service was asked to leave out is
    not trusted to be left out.

    Never what was retracted or withdrawn, nor a notice about another work. PROFESSIONAL and SPECIALIST: reviewed, and
    no preprint. CUTTING_EDGE: with a day of publication within two years before `as_of`; preprints may be.
    """
    head = work.abstract[:_HEAD]
    if work.withdrawn or is_retracted(work.title, head) or is_notice(work.title):
        return False
    if work.language is not None and work.language != base_language(query.language):
        return False
    if query.tier is Tier.CUTTING_EDGE:
        dated = work.published is not None and two_years_before(query.as_of) <= work.published <= query.as_of
        return dated and (work.reviewed or work.preprint)
    return work.reviewed and not work.preprint and not is_preprint(work.title, head)


def base_language(code: str) -> str:
    """`en` for en, en-gb and simple: the language a text is in, whatever its variety."""
    return "en" if code == "simple" else code.partition("-")[0]


class LiteratureSource(ABC):
    """Evidence from the abstracts of works that a service finds: passages that mention the concept.

    A work serves all searches with the text it was first cut from, so that its passages never overlap.
    """

    _records: ClassVar[tuple[str, ...]]
    """Where in a reply the list of works is."""
    _page: ClassVar[int]
    """Works asked for in one search; no more are read."""

    def __init__(self, name: str, *, url: str, user_agent: str, clock: Clock, transport: LiteratureTransport) -> None:
        self._name = name
        self._place = bare_address(url)
        self._clock = clock
        self._http = httpx.AsyncClient(
            base_url=self._place, headers={"User-Agent": user_agent}, transport=transport, timeout=None
        )
        self._texts = FirstTexts()
        self._searches: SingleFlight[tuple[object, ...], list[Work]] = SingleFlight(
            _SEARCHES_KEPT, lambda works: sum(len(work.abstract) for work in works)
        )

    @property
    def name(self) -> str:
        return self._name

    @property
    def tiers(self) -> Set[Tier]:
        return LITERATURE_TIERS

    async def place(self) -> str:
        """The service's address, without anything secret."""
        return self._place

    async def find(self, query: FactQuery) -> list[Evidence]:
        """Passages on the concept, best work first, in reading order within a work; none when no admissible work
        mentions it, or at a tier that literature does not serve. Raises SourceFailed when the service failed."""
        if query.tier not in self.tiers:
            return []
        for look in looks(query):
            found: dict[str, Evidence] = {}
            for work in await self._search(query, look):
                if len(found) >= query.limit:
                    break
                if admissible(work, query) and (
                    look.in_domain or touches(f"{work.title} {work.abstract}", query.domain)
                ):
                    for evidence in self._evidence(work, query):
                        found.setdefault(evidence.digest, evidence)
            if found:
                return list(found.values())[: query.limit]
        return []

    async def aclose(self) -> None:
        await self._searches.aclose()
        await self._http.aclose()

    @abstractmethod
    def _request(self, query: FactQuery, look: Look) -> tuple[str, dict[str, str]]:
        """Path below the address, and parameters."""

    @abstractmethod
    def _read(self, found: Json) -> Work | None:
        """One work of a reply; None for one without an abstract or without an identity."""

    async def _search(self, query: FactQuery, look: Look) -> list[Work]:
        path, parameters = self._request(query, look)
        works = await self._searches.get((path, *parameters.items()), lambda: self._ask(path, parameters))
        if query.tier is Tier.CUTTING_EDGE:
            return works
        # the order of the service, but guidance before research for professionals, and after it for specialists
        return sorted(works, key=lambda work: work.guidance is (query.tier is Tier.SPECIALIST))

    async def _ask(self, path: str, parameters: Mapping[str, str]) -> list[Work]:
        with reading(f"{self._name} at {self._place}"):
            response = await self._http.get(path, params=parameters)
            works = [self._read(found) for found in (list_at(response, self._records) or [])[: self._page]]
        return [work for work in works if work is not None]

    def _evidence(self, work: Work, query: FactQuery) -> list[Evidence]:
        text = self._texts.get(work.id, work.abstract)
        section = _PREPRINT_SECTION if work.preprint else _SECTION
        found = list(_mentioning(text, query, section))[: max(2, query.limit // 3)]  # no work fills the hand alone
        return record(
            found,
            source=self._name,
            tier=query.tier,
            title=work.title,
            url=work.url,
            retrieved_at=work.retrieved_at,
            revision=work.revision,
            published=work.published,
        )


def _mentioning(text: str, query: FactQuery, section: str) -> Iterator[Passage]:
    for passage in passages(text, base_language(query.language)):
        if mentions(passage.text, query.concept):
            yield replace(passage, section=section)


def list_at(response: httpx.Response, path: tuple[str, ...]) -> list[Json] | None:
    """The list of objects at a place in a reply; None when the reply has none there."""
    body = body_of(response)
    for name in path:
        body = body.get(name) if isinstance(body, dict) else None
    return body if isinstance(body, list) and all(isinstance(found, dict) for found in body) else None


def body_of(response: httpx.Response) -> Any:
    """The JSON of a reply, None when it is none."""
    try:
        return orjson.loads(response.content)
    except orjson.JSONDecodeError:
        return None


def no_works(service: str, response: httpx.Response) -> SourceFailed:
    """The error for a reply with status 200 that lists no works."""
    address = bare_address(str(response.request.url))
    return SourceFailed("bad_reply", f"{address} sent no list of works. Is it the address of {service}?")


def text_of(found: Json, *names: str) -> str:
    """The first of these fields that holds text, bare of outer spaces, as far as it is read; "" when none does."""
    texts = (found.get(name) for name in names)
    return next((text[:_MOST_CHARS].strip() for text in texts if isinstance(text, str) and text.strip()), "")


def day_of(found: Json, *names: str) -> date | None:
    """The first of these fields that is a day in ISO format, with or without a time of day."""
    for name in names:
        try:
            return date.fromisoformat(text_of(found, name)[:10])
        except ValueError:
            continue
    return None
