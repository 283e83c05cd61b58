"""Wikipedia in any language, or any MediaWiki with the TextExtracts extension, through wikipedia-api."""

import re
from typing import Any
from urllib.parse import urlsplit

import httpx
from wikipediaapi import AsyncWikipedia, SearchWhat  # type: ignore[import-untyped]  # ships no type information

from ...state.errors import SourceFailed
from .base import reading
from .encyclopedia import HITS, Article, LookUp
from .passages import in_length
from .plan import ADDRESSES, check_language
from .transport import Habits, Network, Passing, PoliteTransport, json_of

_NOT_IN_TITLES = re.compile(r"[#<>\[\]{}|\x00-\x1f]")
_LONGEST_TITLE = 255
"""Bytes of a title, by MediaWiki's own limit."""
_NOT_IN_SEARCH = re.compile(r'["~*:!|()\[\]{}<>#\\/?&]|(?<!\w)-')
_DISAMBIGUATION = re.compile(
    r"disambig|begriffsklärung|homonymie|desambiguaci|disambigua|desambigua|doorverwijs|неоднозначност|消歧义|消歧義|"
    r"曖昧さ回避|توضيح|동음이의|ujednoznacz|förgrening|flertydig",
    re.IGNORECASE,
)
_LISTS_SENSES = re.compile(r"\b(?:may|can) (?:also )?refer to\s*:", re.IGNORECASE)
_PASSING_CODES = frozenset(("maxlag", "ratelimited", "readonly", "cirrussearch-too-busy-error", "timeout"))
_ADVICE = {
    403: "It wants to know who is asking: set FATHOM_CONTACT to a mail address or a page.",
    404: "Is it the address of a wiki's api.php?",
}
_ONE_REQUEST: dict[str, object] = {
    # wikipedia-api asks for text, page data and categories one by one; together they are one round trip
    "prop": "info|extracts|pageprops|categories",
    "inprop": "url",
    "explaintext": 1,
    "exsectionformat": "wiki",
    "ppprop": "disambiguation",
    "cllimit": "max",
    "maxlag": 5,  # stand back when the wiki's databases lag behind (MediaWiki API etiquette)
}


class MediaWikiSource(LookUp):
    """Articles over a wiki's api.php."""

    def __init__(self, name: str, network: Network, *, url: str = ADDRESSES["wikipedia"], language: str = "en") -> None:
        """`url` is the address of api.php, in which `{language}` stands for the language of the query. Raises
        UsageError for an odd language code."""
        check_language(language)
        super().__init__(name)
        self._url = url
        self._network = network
        self._transport = PoliteTransport(name, url, network, Habits(_inspect, _ADVICE))
        self._wikis: dict[str, _Wiki] = {}

    async def place(self) -> str:
        """The address of the wiki's api.php; the language stands in each query."""
        parts = urlsplit(self._url)
        return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"

    async def nearest(self, title: str, language: str) -> list[str]:
        """The spelling that the wiki suggests, and the pages that a search for the title finds. Raises SourceFailed."""
        titles, suggestion = await self._searched(title, language)
        spelt = [suggestion[:1].upper() + suggestion[1:]] if suggestion else []
        return list(dict.fromkeys([*spelt, *titles]))[:HITS]

    async def aclose(self) -> None:
        await super().aclose()
        await self._transport.aclose()

    async def _page(self, title: str, language: str) -> Article | None:
        """The article under this title, redirects followed; None when there is none. One request."""
        wiki = self._wiki(language)
        if not title.strip() or len(title) > _LONGEST_TITLE or _NOT_IN_TITLES.search(title):
            return None  # `a|b` would ask for two pages, `C#` for the page C
        page = wiki.page(title.strip())
        with reading(f"The wiki at {wiki.address}"):
            try:
                found = await page.exists() and page.ns == 0
            except KeyError as error:
                if error.args == ("pages",):
                    return None  # a title with an interwiki prefix leads to another wiki
                raise
            # the raw fields of the one reply: `page.categories` and the like would each send another request
            return self._article_of(page._attributes, wiki.address, language) if found else None

    def _article_of(self, fields: dict[str, Any], address: str, language: str) -> Article:
        text, title, props = fields.get("extract"), fields.get("title"), fields.get("pageprops")
        if not isinstance(title, str):
            raise TypeError("a page without a title")
        if not isinstance(text, str):
            reason = "it lacks the TextExtracts extension, without which pages cannot be read as plain text"
            raise SourceFailed("bad_reply", f"The wiki at {address} gave no text for {title[:100]!r}: {reason}.")
        disambiguates = isinstance(props, dict) and "disambiguation" in props
        ambiguous = disambiguates or _DISAMBIGUATION.search(_categories(fields)) or _LISTS_SENSES.search(text[:300])
        revision, url = fields.get("lastrevid"), fields.get("fullurl")
        return Article(
            title=title[:_LONGEST_TITLE],
            url=url if isinstance(url, str) else "",
            revision=str(revision) if revision and isinstance(revision, (int, str)) else None,
            retrieved_at=self._network.clock(),
            text=in_length(text),
            language=language,
            ambiguous=bool(ambiguous),
        )

    async def _found(self, words: str, language: str) -> list[str]:
        return (await self._searched(words, language))[0]

    async def _searched(self, words: str, language: str) -> tuple[list[str], str]:
        """Titles of articles that the wiki finds, best first, and the spelling that it suggests."""
        wiki = self._wiki(language)
        query = " ".join(_NOT_IN_SEARCH.sub(" ", words).split())[:300]  # CirrusSearch takes no more than 300
        if not query:
            return [], ""
        with reading(f"The wiki at {wiki.address}"):
            results = await wiki.search(query, limit=HITS, what=SearchWhat.TEXT)
            titles = [title for title in results.pages if isinstance(title, str)][:HITS]
            return titles, results.suggestion if isinstance(results.suggestion, str) else ""

    def _wiki(self, language: str) -> "_Wiki":
        if language not in self._wikis:
            address = self._url.replace("{language}", check_language(language))
            self._wikis[language] = _Wiki(
                address,
                user_agent=self._network.user_agent,
                language=language,
                extra_api_params=_ONE_REQUEST,
                max_retries=0,  # the transport retries
                transport=self._transport,
                timeout=None,
            )
        return self._wikis[language]


class _Wiki(AsyncWikipedia):  # type: ignore[misc]  # the base class is untyped
    """AsyncWikipedia for any address: the library fixes the host in this method."""

    def __init__(self, address: str, **options: Any) -> None:
        self.address = address
        super().__init__(**options)

    def _build_url(self, language: str) -> str:
        return self.address

    def _build_search_results(self, raw: dict[str, Any]) -> Any:
        # the library makes a page of each hit, however many were asked for
        query = raw.get("query")
        if isinstance(query, dict) and isinstance(query.get("search"), list):
            raw = raw | {"query": query | {"search": query["search"][:HITS]}}
        return super()._build_search_results(raw)


def _categories(fields: dict[str, Any]) -> str:
    listed = fields.get("categories")
    titles = (each.get("title") for each in listed if isinstance(each, dict)) if isinstance(listed, list) else ()
    return " ".join(title for title in titles if isinstance(title, str))


def _inspect(response: httpx.Response) -> None:
    """MediaWiki sends its errors with status 200: raise Passing for those that pass, SourceFailed for the others."""
    address = response.request.url.copy_with(query=None)
    body = json_of(response)
    if not isinstance(body, dict):
        raise SourceFailed("bad_reply", f"{address} did not answer with JSON. Is it the address of a wiki's api.php?")
    error = body.get("error")
    if not error:
        return
    code = str(error.get("code", "unknown")) if isinstance(error, dict) else str(error)
    info = str(error.get("info", "")) if isinstance(error, dict) else ""
    if code in _PASSING_CODES or code.startswith("internal_api_error"):
        raise Passing("rate_limit" if code == "ratelimited" else "server", f"{code}: {info}"[:200])
    raise SourceFailed("bad_reply", f"{address} refused the request: {code}: {info}"[:300])
