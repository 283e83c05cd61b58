"""What the services that index literature share: how a concept is looked for, which works a tier
takes, and abstracts (HTML, JATS, inverted indexes) made plain text that can be cut."""

import html
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime
from functools import lru_cache
from typing import Any

import httpx

from ...state.errors import SourceFailed
from ...state.tiers import Tier
from ..net import is_loopback
from .base import FactQuery, has_domain_word
from .passages import raised
from .search import (
    Search,
    SearchSource,
    Work,
    Works,
    bare_address,
    base_language,
    check_key_way,
    objects_at,
)
from .standing import is_notice, is_preprint, is_retracted, within_two_years
from .transport import Habits, Network, json_of

LITERATURE_TIERS = frozenset((Tier.PROFESSIONAL, Tier.SPECIALIST, Tier.CUTTING_EDGE))
SECTION, PREPRINT_SECTION = "Abstract", "Abstract (preprint)"
_MAX_CONNECTIONS = 4
_HEAD = 600
"""Characters at the top of an abstract in which a notice about the work itself stands."""
_MOST_CHARS = 50_000
"""Of one field; an abstract is read less far."""
_LONGEST_ABSTRACT = 20_000
"""No abstract is longer; what a service calls one sometimes is the whole text."""
_LONGEST_TITLE, _LONGEST_WORD = 2000, 200
_GAP = "{{…}}"  # reads as markup, so that no passage is cut across a gap in the text
_HEADING = re.compile(
    r"<(h[1-6]|(?:jats:)?title)\b[^<>]*>(.{0,500}?)</\1\s*>", re.IGNORECASE | re.DOTALL
)
_BREAK = re.compile(
    r"</?(?:jats:)?(?:p|br|div|sec|section|ul|ol|li|list|list-item|abstract)\b[^<>]*>",
    re.IGNORECASE,
)
_RAISED = re.compile(r"<((?:jats:)?sup)\b[^<>]*>(.{0,500}?)</\1\s*>", re.IGNORECASE | re.DOTALL)
_INLINE = re.compile(
    r"</?(?:jats:)?(?:i|b|em|strong|u|italic|bold|sub|sup|span|a|small|sc|tt|ext-link|inline-formula|mml:\w+|h[1-6]|"
    r"title)\b[^<>]*>",
    re.IGNORECASE,
)
_LABEL = re.compile(
    r"^\W*(?:abstract|summary)\b\s*(?:[:.–—-]\s*|\n|(?=(?-i:[A-Z])))", re.IGNORECASE
)
_SPACES = re.compile(r"[ \t\r\f\v]+")
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
    check: Callable[[Any], None] = lambda body: None
    """Raises Passing or SourceFailed for what is not a list of works but an error of the service's
    own."""


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

    async def _ask(self, search: Search) -> Works:
        response = await self._http.get(self._service.path, params=dict(search.params))
        entries = objects_at(json_of(response), *self._service.records) or []
        moment, size = self._clock(), len(response.content)
        return Works(
            self._sender,
            entries[: self._service.most],
            lambda entry: self._service.work(entry, moment),
            size,
        )

    def _in_order(self, works: Works, query: FactQuery) -> Iterable[Work]:
        if query.tier is Tier.CUTTING_EDGE:
            return works
        # the order of the service, but guidance before research for professionals, and after it for
        # specialists
        return sorted(works, key=lambda work: work.guidance is (query.tier is Tier.SPECIALIST))

    def _admissible(
        self,
        work: Work,
        query: FactQuery,
        search: Search,
    ) -> bool:
        """Never what was retracted or withdrawn, nor a notice about another work. PROFESSIONAL and
        SPECIALIST: reviewed, and no preprint. CUTTING_EDGE: with a day of publication within two
        years before `as_of`; preprints may be."""
        head = work.text[:_HEAD]
        if work.withdrawn or is_retracted(work.title, head) or is_notice(work.title):
            return False
        if work.language is not None and work.language != base_language(query.language):
            return False
        if not search.in_domain and not has_domain_word(f"{work.title} {work.text}", query.domain):
            return False
        if query.tier is Tier.CUTTING_EDGE:
            return within_two_years(work.published, query) and (work.reviewed or work.preprint)
        return work.reviewed and not work.preprint and not is_preprint(work.title, head)

    def _inspect(self, response: httpx.Response) -> None:
        """Refuses what is no list of works."""
        body = json_of(response)
        if objects_at(body, *self._service.records) is not None:
            return
        self._service.check(body)
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
        (text[:_MOST_CHARS].strip() for text in texts if isinstance(text, str) and text.strip()), ""
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
    text = marked[: 2 * _LONGEST_ABSTRACT]
    for _ in range(2):  # tags within escaped text appear after the first round
        text = html.unescape(_without_tags(text))
    text = _without_tags(text)
    lines = (_SPACES.sub(" ", line).strip() for line in text.split("\n"))
    return _unlabelled("\n".join(line for line in lines if line))[:_LONGEST_ABSTRACT]


def plain_title(marked: str) -> str:
    """A title without markup, on one line, without the full stop that some services end it with."""
    text = " ".join(
        _INLINE.sub(
            "", html.unescape(_RAISED.sub(_risen, html.unescape(marked[:_LONGEST_TITLE])))
        ).split()
    )
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
    last = -1
    for position in sorted(by_position)[:_LONGEST_ABSTRACT]:
        if position != last + 1:
            words.append(_GAP)
        words.append(by_position[position])
        last = position
    return " ".join(words)


def _without_tags(text: str) -> str:
    text = _HEADING.sub(lambda heading: f"\n## {_INLINE.sub('', heading[2]).strip()}\n", text)
    text = _RAISED.sub(_risen, _BREAK.sub("\n", text))
    return _INLINE.sub("", text)


def _risen(tag: re.Match[str]) -> str:
    text = tag[2].strip()
    return raised(text) or (f"^{text}" if text[:1].isdigit() else text)


def _unlabelled(text: str) -> str:
    """Without the word "Abstract" that some services leave in front of the first sentence or as its
    heading."""
    first, _, rest = text.partition("\n")
    if first.strip("# :").casefold() in ("abstract", "summary"):
        return rest
    return text if first.startswith("#") else _LABEL.sub("", text, count=1)
