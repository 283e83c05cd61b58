"""How a concept is looked up in an encyclopedia, whatever it is read from: by title, else by a
search in the domain."""

import asyncio
import re
from abc import ABC, abstractmethod
from collections.abc import Sequence, Set
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from ...state.records import Evidence, Tier
from ..flight import SingleFlight
from .base import FactQuery, Passage, aside, bare, mentions, names, record, singular, touches
from .passages import passages

TIERS_SERVED = frozenset((Tier.COMMON, Tier.TEXTBOOK))
HITS = 8
"""Search hits looked at by title."""
_TRIED = 3
"""Of them, pages read (together)."""
_PAGES_KEPT = 512


@dataclass(frozen=True)
class Article:
    """A page as read, redirects followed. Texts are plain, headings as `== Heading ==`; they are
    cut into passages on first use, because most pages serve one tier only."""

    title: str
    url: str
    revision: str | None
    retrieved_at: datetime
    intro: str
    """What stands before its first heading."""
    language: str
    ambiguous: bool
    """It lists several senses of its title, and is evidence for none."""
    whole: str | None = None
    """All of its text; None where that is read only when it is needed."""
    source: str | None = None
    """All of it as its wiki writes it, where that came along."""

    @cached_property
    def lead(self) -> list[Passage]:
        return passages(self.intro, self.language)


def intro_of(text: str) -> str:
    """What stands before the first heading."""
    # by our own hand: wikipedia-api takes the whole page for the summary when there is no text
    # before a heading
    heading = re.search(r"^==", text, re.MULTILINE)
    return text[: heading.start()] if heading else text


class LookUp(ABC):
    """An encyclopedia as a source: COMMON is the lead of the concept's page, TEXTBOOK its body
    without the lead.

    A concept is looked up by title, as written and then without what stands in brackets behind it;
    if there is no such page, or only one that lists several senses, by a search for the concept
    within the domain, then beside the concept before it, then alone. A hit counts when it is the
    page on the concept, or with those of its passages that mention the concept; whatever has not
    the title as written must touch the domain. Pages and searches are asked for once.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.tiers: Set[Tier] = TIERS_SERVED
        self._pages: SingleFlight[tuple[str, str, bool], Article | None] = SingleFlight(
            _PAGES_KEPT, lambda page: len(page.whole or page.source or page.intro) if page else 0
        )
        self._wholes: SingleFlight[tuple[str, str], str] = SingleFlight(_PAGES_KEPT, len)
        self._searches: SingleFlight[tuple[str, str, bool], list[str]] = SingleFlight(_PAGES_KEPT)

    async def find(self, query: FactQuery) -> list[Evidence]:
        """Passages on the concept at the tier, in reading order; none when there is no page on it,
        or only a stub, or at a tier that no encyclopedia serves. Raises SourceFailed."""
        if (titled := await self.find_titled(query)) is not None:
            return titled
        name = bare(query.concept)
        within = " ".join(filter(None, (name, aside(query.concept), query.domain)))
        # the domain in the query narrows the search, but a short page need not have all of its
        # words
        first, *others = dict.fromkeys(
            (within, f"{name} {bare(query.line[-1])}" if query.line else name, name)
        )
        for searches in ([first], others):
            found = await asyncio.gather(*(self._found_by(words, query) for words in searches))
            if evidence := next(filter(None, found), None):
                return evidence
        return []

    async def _found_by(self, words: str, query: FactQuery) -> list[Evidence]:
        for hit in await self._hits(words, query):
            if evidence := self._evidence(hit, await self._relevant(hit, query), query):
                return evidence
        return []

    async def find_titled(self, query: FactQuery) -> list[Evidence] | None:
        """As `find`, of the page under the concept's own title; None where there is none. Raises
        SourceFailed."""
        if query.tier not in TIERS_SERVED:
            return []
        page = await self._titled(query)
        return (
            None
            if page is None
            else self._evidence(page, await self._at_tier(page, query.tier), query)
        )

    async def is_titled(self, query: FactQuery) -> bool:
        """Whether there is a page under the concept's own title. Raises SourceFailed."""
        return query.tier in TIERS_SERVED and await self._titled(query) is not None

    async def has_page(self, title: str, language: str) -> bool:
        """Whether the subject is known: by title (redirects and lists of senses count) or by a
        search hit that is the page on it or mentions it. Raises SourceFailed."""
        if await self._by_title(title, language):
            return True
        hits = await self._titles(title, language)
        if any(names(hit, title) for hit in hits):
            return True
        pages = await asyncio.gather(*(self._article(hit, language) for hit in hits[:_TRIED]))
        for page in filter(None, pages):
            if any(mentions(p.text, title) for p in (*page.lead, *await self._body(page))):
                return True
        return False

    async def nearest(self, title: str, language: str) -> list[str]:
        """Titles of articles that a search for the title finds. Raises SourceFailed."""
        return await self._found(title, language, whole=False)

    async def aclose(self) -> None:
        """Forgets every page and ends what is under way."""
        for kept in (self._pages, self._wholes, self._searches):
            await kept.aclose()

    async def _titled(self, query: FactQuery) -> Article | None:
        """The page under the concept's title, as written or without its brackets."""
        titles, whole = (
            dict.fromkeys((query.concept, bare(query.concept))),
            query.tier is Tier.TEXTBOOK,
        )
        pages = await asyncio.gather(
            *(self._by_title(title, query.language, whole=whole) for title in titles)
        )
        for title, page in zip(titles, pages, strict=True):
            if (
                page
                and not page.ambiguous
                and (title == query.concept or await self._is_within(page, query.domain))
            ):
                return page
        return None

    @abstractmethod
    async def _page(self, title: str, language: str, *, whole: bool) -> Article | None:
        """The article under a title, redirects followed; None when there is none. `whole`: all of
        its text will be needed. Raises SourceFailed."""

    async def _all_of(self, article: Article) -> str:
        """The whole text of an article without `whole`. Raises SourceFailed."""
        return article.intro

    @abstractmethod
    async def _found(self, words: str, language: str, *, whole: bool) -> list[str]:
        """Up to `HITS` titles that a search finds, best first. `whole`: all of their texts may be
        needed. Raises SourceFailed."""

    async def _hits(self, words: str, query: FactQuery) -> list[Article]:
        """Pages that a search finds and that touch the domain; those named like the concept come
        first."""
        whole = query.tier is Tier.TEXTBOOK
        titles = await self._titles(words, query.language, whole=whole)
        titles = sorted(titles, key=lambda title: not names(title, query.concept))[:_TRIED]
        pages = await asyncio.gather(
            *(self._article(title, query.language, whole=whole) for title in titles)
        )
        return [
            p for p in pages if p and not p.ambiguous and await self._is_within(p, query.domain)
        ]

    async def _by_title(self, title: str, language: str, *, whole: bool = False) -> Article | None:
        # an encyclopedia's titles are in the singular, and only Wikipedia has a redirect for every
        # plural
        one = singular(title) if language == "en" else None
        singular_page = [self._article(one, language, whole=whole)] if one else []
        pages = await asyncio.gather(self._article(title, language, whole=whole), *singular_page)
        return next((page for page in pages if page is not None), None)

    async def _article(self, title: str, language: str, *, whole: bool = False) -> Article | None:
        return await self._pages.get(
            (language, title, whole), lambda: self._page(title, language, whole=whole)
        )

    async def _titles(self, words: str, language: str, *, whole: bool = False) -> list[str]:
        return await self._searches.get(
            (language, words, whole), lambda: self._found(words, language, whole=whole)
        )

    async def _whole(self, page: Article) -> str:
        if page.whole is not None:
            return page.whole
        return await self._wholes.get((page.language, page.title), lambda: self._all_of(page))

    async def _is_within(self, page: Article, domain: str) -> bool:
        return touches(f"{page.title} {page.intro}", domain) or touches(
            await self._whole(page), domain
        )

    async def _at_tier(self, page: Article, tier: Tier) -> list[Passage]:
        return page.lead if tier is Tier.COMMON else await self._body(page)

    async def _body(self, page: Article) -> list[Passage]:
        text = await self._whole(page)
        return [
            p for p in passages(text[len(intro_of(text)) :], page.language) if p.section is not None
        ]

    async def _relevant(self, page: Article, query: FactQuery) -> list[Passage]:
        found = await self._at_tier(page, query.tier)
        if names(page.title, query.concept):
            return found
        return [passage for passage in found if mentions(passage.text, query.concept)]

    def _evidence(self, page: Article, found: list[Passage], query: FactQuery) -> list[Evidence]:
        return record(
            _spread(found, query.limit),
            source=self.name,
            tier=query.tier,
            title=page.title,
            url=page.url,
            revision=page.revision,
            retrieved_at=page.retrieved_at,
        )


def _spread(found: Sequence[Passage], limit: int) -> list[Passage]:
    """At most `limit` of the passages, evenly over all of them and in their order: a long page's
    first section alone would make every probe on the concept ask about its history."""
    if len(found) <= limit:
        return list(found)
    return [found[index * len(found) // limit] for index in range(limit)]
