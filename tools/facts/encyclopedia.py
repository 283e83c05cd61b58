"""How a concept is looked up in an encyclopedia, whatever it is read from: by title, else by a
search in the domain."""

import asyncio
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from itertools import chain

from ...state.records import Evidence
from ...state.text import normalise
from ...state.tiers import Tier
from ..flight import SingleFlight
from .base import (
    FactQuery,
    Passage,
    bare,
    has_domain_word,
    mentions_concept,
    parenthesised,
    record,
    spread,
    title_forms,
    title_is_concept,
)
from .passages import in_length, passages, sentences

TIERS_SERVED = frozenset((Tier.COMMON, Tier.TEXTBOOK))
HITS = 8
"""Search hits that are looked at."""
_CLOSEST = 4
"""A page on the concept itself, see `_closest`."""
_FORMS = 8
"""Titles that a concept is looked up under at most."""
_PAGES_KEPT = 512


@dataclass(frozen=True)
class Article:
    """A page as read, redirects followed. It is written out as plain text, headings as `== Heading
    ==`, and cut into passages on first use, because most pages serve one tier only."""

    title: str
    url: str
    revision: str | None
    retrieved_at: datetime
    language: str
    ambiguous: bool
    """It lists several senses of its title, and is evidence for none."""
    source: str
    """As it is read."""
    is_whole: bool = True
    """Else what stands before its first heading."""
    write_out: Callable[[str], str] = str
    """Plain text of the source."""

    @cached_property
    def intro(self) -> str:
        """The plain text before its first heading."""
        return _intro_of(in_length(self.write_out(_intro_of(self.source))))

    @cached_property
    def text(self) -> str:
        """All of its plain text."""
        return in_length(self.write_out(self.source))

    @cached_property
    def lead(self) -> list[Passage]:
        return passages(self.intro, self.language)

    @cached_property
    def body(self) -> list[Passage]:
        cut = passages(self.text[len(_intro_of(self.text)) :], self.language)
        return [passage for passage in cut if passage.section is not None]


def _intro_of(text: str) -> str:
    heading = re.search(r"^(?:==|#{1,6} )", text, re.MULTILINE)
    return text[: heading.start()] if heading else text


class LookUp(ABC):
    """An encyclopedia as a source: COMMON is the lead of the concept's page, TEXTBOOK its body
    without the lead.

    A concept is looked up by the titles that a page on it may have (`title_forms`); if there is no
    such page, or only one that lists several senses, by a search for its name, whose hits have to
    touch the domain at their very top; if none does, by searches for the name within the domain and
    beside the concept before it. Of the hits those are used that come
    closest: the page on the concept, then passages with its very name, with all its words in one
    sentence, with all its words. Whatever has not the title as written must touch the domain. Pages
    and searches are asked for once.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.tiers: Set[Tier] = TIERS_SERVED
        self._pages: SingleFlight[tuple[str, str, bool], Article | None] = SingleFlight(
            _PAGES_KEPT, lambda page: len(page.source) if page else 0
        )
        self._searches: SingleFlight[tuple[str, str], list[str]] = SingleFlight(_PAGES_KEPT)

    async def find(self, query: FactQuery) -> list[Evidence]:
        """Passages on the concept at the tier, in reading order; none when there is no page on it,
        or only a stub, or at a tier that no encyclopedia serves. Raises SourceFailed."""
        if (titled := await self.find_titled(query)) is not None:
            return titled
        name = bare(query.concept)
        hits = await self._hits(name, query)
        within = [
            hit for hit in hits if has_domain_word(f"{hit.title} {hit.intro}", query.domain)
        ]
        if hits and not within:
            searches = [
                " ".join(filter(None, (name, parenthesised(query.concept), query.domain)))
            ]
            searches += [f"{name} {bare(query.line[-1])}"] if query.line else []
            by_search = await asyncio.gather(*(self._hits(words, query) for words in searches))
            within = [
                hit
                for hit in chain(*by_search)
                if has_domain_word(f"{hit.title} {hit.text}", query.domain)
            ]
        closest, best = 0, list[Evidence]()
        for hit in within:
            if closest == _CLOSEST:
                break  # cutting a page takes time
            close, passages_on = _closest(
                hit, await self._at_tier(hit, query.tier), query.concept
            )
            if passages_on and close > closest:
                closest, best = close, self._evidence(hit, passages_on, query)
        return best

    async def find_titled(self, query: FactQuery) -> list[Evidence] | None:
        """As `find`, of the page under the concept's own title; None where there is none. Raises
        SourceFailed."""
        if query.tier not in TIERS_SERVED:
            return []
        forms = title_forms(query.concept)[:_FORMS]
        whole = query.tier is Tier.TEXTBOOK
        pages = await self._articles(forms, query.language, whole=whole)
        for form, page in zip(forms, pages, strict=True):
            if page is None or page.ambiguous:
                continue
            if form == forms[0] or await self._is_within(page, query.domain):
                return self._evidence(page, await self._at_tier(page, query.tier), query)
        return None

    async def has_page(self, title: str, language: str) -> bool:
        """Whether the subject is known: by title (redirects and lists of senses count) or by a
        search hit that is the page on it or mentions it. Raises SourceFailed."""
        pages, hits = await asyncio.gather(
            self._articles(title_forms(title)[:_FORMS], language), self._titles(title, language)
        )
        if any(pages) or any(title_is_concept(hit, title) for hit in hits):
            return True
        for page in filter(None, await self._articles(hits, language, whole=True)):
            if any(
                mentions_concept(passage.text, title) for passage in (*page.lead, *page.body)
            ):
                return True
        return False

    async def nearest(self, title: str, language: str) -> list[str]:
        """Titles of articles that a search for the title finds. Raises SourceFailed."""
        return await self._titles(bare(title), language)

    async def aclose(self) -> None:
        """Forgets every page and ends what is under way."""
        for memory in (self._pages, self._searches):
            await memory.aclose()

    @abstractmethod
    async def _page(self, title: str, language: str, *, whole: bool) -> Article | None:
        """The article under a title, redirects followed; None when there is none. `whole`: all of
        its text will be needed. Raises SourceFailed."""

    @abstractmethod
    async def _search(self, words: str, language: str) -> list[str]:
        """Up to `HITS` titles that a search finds, best first. Raises SourceFailed."""

    async def _hits(self, words: str, query: FactQuery) -> list[Article]:
        """Pages that a search finds, with all of their text, but for lists of senses; those named
        like the concept come first."""
        titles = await self._titles(words, query.language)
        titles = sorted(titles, key=lambda title: not title_is_concept(title, query.concept))
        pages = await self._articles(titles, query.language, whole=True)
        return [page for page in pages if page is not None and not page.ambiguous]

    async def _articles(
        self, titles: Sequence[str], language: str, *, whole: bool = False
    ) -> list[Article | None]:
        async def article(title: str) -> Article | None:
            key = (language, title, whole)
            return await self._pages.get(key, lambda: self._page(title, language, whole=whole))

        return await asyncio.gather(*map(article, titles))

    async def _titles(self, words: str, language: str) -> list[str]:
        return await self._searches.get(
            (language, words), lambda: self._search(words, language)
        )

    async def _whole(self, page: Article) -> Article:
        """The page with all of its text; as it is where that is gone by now."""
        if page.is_whole:
            return page
        (whole,) = await self._articles([page.title], page.language, whole=True)
        return whole or page

    async def _is_within(self, page: Article, domain: str) -> bool:
        if has_domain_word(f"{page.title} {page.intro}", domain):
            return True
        return has_domain_word((await self._whole(page)).text, domain)

    async def _at_tier(self, page: Article, tier: Tier) -> list[Passage]:
        return page.lead if tier is Tier.COMMON else (await self._whole(page)).body

    def _evidence(
        self, page: Article, passages_on: Sequence[Passage], query: FactQuery
    ) -> list[Evidence]:
        # a long page's first section alone would make every probe on the concept ask about its
        # history
        return record(
            spread(passages_on, query.limit),
            source=self.name,
            tier=query.tier,
            title=page.title,
            url=page.url,
            revision=page.revision,
            retrieved_at=page.retrieved_at,
        )


def _closest(
    page: Article, at_tier: Sequence[Passage], concept: str
) -> tuple[int, Sequence[Passage]]:
    """How close a page comes to the concept, and those of its passages that come closest: 4 by its
    title, 3 where they have the very name, 2 all its words in one sentence, 1 all its words."""
    if title_is_concept(page.title, concept):
        return _CLOSEST, at_tier
    forms = [normalise(form) for form in title_forms(bare(concept))]
    close = [_closeness(passage.text, concept, forms) for passage in at_tier]
    most = max(close, default=0)
    return most, [
        passage for passage, how in zip(at_tier, close, strict=True) if how == most > 0
    ]


def _closeness(text: str, concept: str, forms: Sequence[str]) -> int:
    if not mentions_concept(text, concept):
        return 0
    if any(form in normalise(text) for form in forms):
        return 3
    return 2 if any(mentions_concept(text[a:b], concept) for a, b in sentences(text)) else 1
