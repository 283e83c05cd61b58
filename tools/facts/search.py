"""Sources that search for works: articles or pages, of which the passages that mention the concept
are evidence. What the services that index literature share stands below: how a concept is looked
for, and abstracts (HTML, JATS, inverted indexes) made plain text that can be cut."""

import html
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from functools import lru_cache
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import httpx

from ...state.errors import SourceFailed, UsageError
from ...state.records import Evidence
from ...state.tiers import Tier
from ..flight import Memory, SingleFlight
from ..net import is_loopback
from .base import FactQuery, has_domain_word, mentions_concept, reading, record
from .library.html import read_html
from .passages import passages
from .standing import is_notice, is_preprint, is_retracted, within_two_years
from .transport import Habits, Network, PoliteTransport, json_of

_SEARCHES_KEPT, _TEXTS_KEPT = 512, 10_000
_HEAD = 1500
"""Characters at the top of a text in which a notice about the work itself stands."""


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
    reviewed: bool = False
    """Published in a journal as research, review or guideline, as far as can be told; so with the
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

    @property
    def head(self) -> str:
        return self.text[:_HEAD]


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
        self._texts: Memory[str, str] = Memory(_TEXTS_KEPT, len)
        self._works: SingleFlight[Search, list[Work]] = SingleFlight(
            _SEARCHES_KEPT, lambda works: sum(len(work.text) for work in works)
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
    async def _ask(self, search: Search) -> Iterable[Work | None]:
        """One search; None for what is no work."""

    def _admissible(self, work: Work, query: FactQuery, search: Search) -> bool:
        """Whether the work may be evidence at the query's tier, by its own fields: what a service
        was asked to leave out is not trusted to be left out. Never what was retracted or withdrawn,
        nor a notice about another work. SPECIALIST: reviewed, and no preprint. CUTTING_EDGE: with a
        day of publication within two years before `as_of`."""
        if work.withdrawn or is_retracted(work.title, work.head) or is_notice(work.title):
            return False
        if work.language not in (None, base_language(query.language)):
            return False
        if not search.in_domain and not has_domain_word(
            f"{work.title} {work.text}", query.domain
        ):
            return False
        if query.tier is Tier.CUTTING_EDGE:
            return within_two_years(work.published, query)
        return query.tier is not Tier.SPECIALIST or is_reviewed(work)

    def _in_order(self, works: list[Work], query: FactQuery) -> list[Work]:
        return works

    async def _works_of(self, search: Search) -> list[Work]:
        async def ask() -> list[Work]:
            with reading(f"{self.name} at {self._address}"):
                return [work for work in await self._ask(search) if work is not None]

        return await self._works.get(search, ask)

    def _evidence(self, work: Work, query: FactQuery) -> list[Evidence]:
        text = self._texts.first(work.id, work.text)
        cut = passages(text, base_language(query.language))
        on_concept = [
            replace(passage, section=work.section or passage.section)
            for passage in cut
            if mentions_concept(passage.text, query.concept)
        ]
        return record(
            on_concept[: max(2, query.limit // 3)],  # no work fills the hand alone
            source=self.name,
            tier=query.tier,
            title=work.title,
            url=work.url,
            retrieved_at=work.retrieved_at,
            revision=work.revision,
            published=work.published,
        )


def is_reviewed(work: Work) -> bool:
    """Whether it was reviewed and is no preprint, by its own words too."""
    return work.reviewed and not work.preprint and not is_preprint(work.title, work.head)


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
    if (
        key
        and not network.allow_http
        and urlsplit(url).scheme == "http"
        and not is_loopback(url)
    ):
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


LITERATURE_TIERS = frozenset((Tier.PROFESSIONAL, Tier.SPECIALIST, Tier.CUTTING_EDGE))
SECTION, PREPRINT_SECTION = "Abstract", "Abstract (preprint)"
_MAX_CONNECTIONS = 4
_MOST_CHARS = 50_000
"""Of one field; an abstract is read less far."""
_LONGEST_ABSTRACT = 20_000
"""No abstract is longer; what a service calls one sometimes is the whole text."""
_LONGEST_TITLE, _LONGEST_WORD = 2000, 200
_GAP = "{{…}}"  # reads as markup, so that no passage is cut across a gap in the text
_TAG = (
    r"/?(?:jats:)?(?:h[1-6]|title|p|br|div|sec|section|ul|ol|li|list|list-item|abstract|sup|i|b|em|"
    r"strong|u|italic|bold|sub|span|a|small|sc|tt|ext-link|inline-formula|mml:\w+)\b"
)
_NO_TAG = re.compile(rf"<(?!{_TAG})", re.IGNORECASE)
_JATS = re.compile(r"(</?)jats:", re.IGNORECASE)
_JATS_TITLE = re.compile(r"(</?)title\b", re.IGNORECASE)
_LABEL = re.compile(
    r"^\W*(?:abstract|summary)\b\s*(?:[:.–—-]\s*|\n|(?=(?-i:[A-Z])))", re.IGNORECASE
)
Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Look:
    """One way to look for a concept. `guidance`: among guidelines and reviews only; `in_domain`:
    with the words of the domain, too; `in_sense`: with those that tell its sense besides."""

    guidance: bool
    in_domain: bool
    in_sense: bool = False


@dataclass(frozen=True)
class Service:
    """A service for literature, as far as it differs from the others."""

    name: str
    url: str
    path: str
    records: tuple[str, ...]
    """Where in a reply the list of works is."""
    most: int
    """Works asked for in one search; no more are read."""
    params: Callable[[FactQuery, Look], dict[str, str]]
    work: Callable[[Json, datetime], Work | None]
    """One work of a reply; None for one without an abstract or without an identity."""
    habits: Habits
    contact: str
    """The parameter that tells whom to write to."""
    spent_with_key: str = ""
    """What to do when an allowance for the day is used up although there is a key."""
    key_variable: str = ""


class LiteratureSource(SearchSource):
    """Evidence from the abstracts of works.

    PROFESSIONAL asks for guidelines and reviews first, then for any article of a reviewed journal;
    SPECIALIST for such articles; CUTTING_EDGE for what appeared within two years before `as_of`,
    preprints among it.
    """

    def __init__(
        self,
        name: str,
        network: Network,
        service: Service,
        *,
        url: str = "",
        key: str = "",
    ) -> None:
        """Raises UsageError for a key over plain http to another machine, unless the user trusts
        that network. A contact that is a mail address goes along."""
        url, key = url or service.url, key.strip()
        check_key_way(key, service.key_variable, url, network)
        private = {
            service.contact: network.contact if "@" in network.contact else "",
            "api_key": key,
        }
        habits = replace(
            service.habits,
            inspect=self._inspect,
            key=key,
            private={name: value for name, value in private.items() if value},
            spent=(key and service.spent_with_key) or service.habits.spent,
        )
        if not is_loopback(url):
            network = replace(
                network, max_connections=min(network.max_connections, _MAX_CONNECTIONS)
            )
        super().__init__(name, url, LITERATURE_TIERS, network, habits)
        self._service = service

    def _searches(self, query: FactQuery) -> list[Search]:
        return [
            Search(tuple(self._service.params(query, look).items()), look.in_domain)
            for look in looks(query)
        ]

    async def _ask(self, search: Search) -> Iterable[Work | None]:
        response = await self._http.get(self._service.path, params=dict(search.params))
        entries = objects_at(json_of(response), *self._service.records) or []
        moment = self._clock()
        return [self._service.work(entry, moment) for entry in entries[: self._service.most]]

    def _in_order(self, works: list[Work], query: FactQuery) -> list[Work]:
        """The order of the service, but guidance before research for professionals, and after it
        for specialists."""
        if query.tier is Tier.CUTTING_EDGE:
            return works
        return sorted(works, key=lambda work: work.guidance is (query.tier is Tier.SPECIALIST))

    def _admissible(self, work: Work, query: FactQuery, search: Search) -> bool:
        """PROFESSIONAL asks for review too; CUTTING_EDGE takes preprints beside what was
        reviewed."""
        is_research = work.reviewed or work.preprint
        if query.tier is not Tier.CUTTING_EDGE:
            is_research = is_reviewed(work)
        return is_research and super()._admissible(work, query, search)

    def _inspect(self, response: httpx.Response) -> None:
        """Refuses what is no list of works."""
        body = json_of(response)
        if objects_at(body, *self._service.records) is not None:
            return
        says = f"{bare_address(str(response.request.url))} sent no list of works."
        raise SourceFailed("bad_reply", f"{says} Is it the address of {self._service.name}?")


def looks(query: FactQuery) -> tuple[Look, ...]:
    """The ways to look at a tier, in order; the next is tried when the one before gave no
    evidence."""
    guidance = query.tier is Tier.PROFESSIONAL
    in_sense = (Look(guidance, True, in_sense=True),) if query.sense else ()
    return (
        *in_sense,
        *((Look(True, True),) if guidance else ()),
        Look(False, True),
        Look(False, False),
    )


def text_of(entry: Json, *names: str) -> str:
    """The first of these fields that holds text, bare of outer spaces, as far as it is read; ""
    when none does."""
    texts = (entry.get(name) for name in names)
    return next(
        (
            text[:_MOST_CHARS].strip()
            for text in texts
            if isinstance(text, str) and text.strip()
        ),
        "",
    )


def object_at(entry: Json, name: str) -> Json:
    """The object in a field, an empty one when there is none."""
    value = entry.get(name)
    return value if isinstance(value, dict) else {}


def listed(entry: Json, outer: str, inner: str) -> list[Any]:
    """What is in the field of an object in a field; a single value is a list of one."""
    value = object_at(entry, outer).get(inner)
    return value if isinstance(value, list) else [value]


def day_of(entry: Json, *names: str) -> date | None:
    """The first of these fields that is a day in ISO format, with or without a time of day."""
    for name in names:
        try:
            return date.fromisoformat(text_of(entry, name)[:10])
        except ValueError:
            continue
    return None


@lru_cache(maxsize=512)  # one work is found by many searches
def plain_abstract(marked: str) -> str:
    """The text of an abstract: its headings on lines of their own as `## Heading`, paragraphs as
    lines, no tags.

    A raised number stays raised (10⁵, not 105). Tags that are themselves escaped are tags; a bare
    `<` is a sign.
    """
    text = html.unescape(html.unescape(marked[: 2 * _LONGEST_ABSTRACT]))
    text = _JATS_TITLE.sub(r"\1h4", _JATS.sub(r"\1", _NO_TAG.sub("&lt;", text)))
    return _unlabelled(read_html(f"<h1>-</h1>{text}").text())[:_LONGEST_ABSTRACT]


def plain_title(marked: str) -> str:
    """A title without markup, on one line, without the full stop that some services end it with."""
    text = " ".join(plain_abstract(marked[:_LONGEST_TITLE]).split())
    return text[:-1] if text.endswith(".") and not text.endswith("..") else text


def from_index(index: Mapping[str, Any]) -> str:
    """The text of an inverted index (word → its places): words in order, a gap in the places marked
    so that nothing is cut across it. Of two words at one place the first counts; places that are no
    whole numbers from 0 are ignored."""
    by_position: dict[int, str] = {}
    for word, positions in index.items():
        for position in positions if isinstance(positions, list) else ():
            if isinstance(position, int) and position >= 0:
                by_position.setdefault(position, str(word)[:_LONGEST_WORD])
    words: list[str] = []
    for position in sorted(by_position)[:_LONGEST_ABSTRACT]:
        is_next = not position or position - 1 in by_position
        words += [by_position[position]] if is_next else [_GAP, by_position[position]]
    return " ".join(words)


def _unlabelled(text: str) -> str:
    """Without the word "Abstract" that some services leave in front of the first sentence or as its
    heading."""
    first, _, rest = text.partition("\n")
    if first.strip("# :").casefold() in ("abstract", "summary"):
        return rest
    return text if first.startswith("#") else _LABEL.sub("", text, count=1)
