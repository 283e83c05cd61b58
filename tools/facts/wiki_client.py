"""One wiki's api.php through wikipedia-api, over our own transport. Imported only when a wiki is really asked."""

import re
from typing import Any

import httpx
import orjson
from wikipediaapi import AsyncWikipedia, SearchWhat  # type: ignore[import-untyped]  # ships no type information

from ...state.errors import SourceFailed
from .encyclopedia import HITS, Article
from .evidence import reading
from .transport import Clock, Passing
from .webtext import in_length

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


class _Wiki(AsyncWikipedia):  # type: ignore[misc]  # the base class is untyped
    """AsyncWikipedia for any address: the library fixes the host in this method."""

    def __init__(self, address: str, **options: Any) -> None:
        self._address = address
        super().__init__(**options)

    def _build_url(self, language: str) -> str:
        return self._address

    def _build_search_results(self, raw: dict[str, Any]) -> Any:
        # the library makes a page of each hit, however many were asked for
        query = raw.get("query")
        if isinstance(query, dict) and isinstance(query.get("search"), list):
            raw = raw | {"query": query | {"search": query["search"][:HITS]}}
        return super()._build_search_results(raw)


class WikiClient:
    """Pages and searches of one wiki in one language. Raises SourceFailed, and nothing else of its own."""

    def __init__(
        self, address: str, *, language: str, user_agent: str, transport: httpx.AsyncBaseTransport, clock: Clock
    ) -> None:
        self._language = language
        self._address = address
        self._clock = clock
        self._wiki = _Wiki(
            address,
            user_agent=user_agent,
            language=language,
            extra_api_params=_ONE_REQUEST,
            max_retries=0,  # the transport retries
            transport=transport,
            timeout=None,
        )

    async def page(self, title: str) -> Article | None:
        """The article under this title, redirects followed; None when there is none. One request."""
        if not title.strip() or len(title) > _LONGEST_TITLE or _NOT_IN_TITLES.search(title):
            return None  # `a|b` would ask for two pages, `C#` for the page C
        page = self._wiki.page(title.strip())
        with reading(f"The wiki at {self._address}"):
            try:
                found = await page.exists() and page.ns == 0
            except KeyError as error:
                if error.args == ("pages",):
                    return None  # a title with an interwiki prefix leads to another wiki
                raise
            return self._read(page._attributes) if found else None

    def _read(self, fields: dict[str, Any]) -> Article:
        # the raw fields of the one reply: `page.categories` and the like would each send another request
        text, title, props = fields.get("extract"), fields.get("title"), fields.get("pageprops")
        if not isinstance(title, str):
            raise TypeError("a page without a title")
        if not isinstance(text, str):
            reason = "it lacks the TextExtracts extension, without which pages cannot be read as plain text"
            raise SourceFailed("bad_reply", f"The wiki at {self._address} gave no text for {title[:100]!r}: {reason}.")
        disambiguates = isinstance(props, dict) and "disambiguation" in props
        ambiguous = disambiguates or _DISAMBIGUATION.search(_categories(fields)) or _LISTS_SENSES.search(text[:300])
        revision, url = fields.get("lastrevid"), fields.get("fullurl")
        text = in_length(text)
        return Article(
            title=title[:_LONGEST_TITLE],
            url=url if isinstance(url, str) else "",
            revision=str(revision) if revision and isinstance(revision, (int, str)) else None,
            retrieved_at=self._clock(),
            text=text,
            language=self._language,
            ambiguous=bool(ambiguous),
        )

    async def search(self, words: str, limit: int) -> list[str]:
        """Titles of articles that the wiki finds for the words, best first."""
        return (await self._searched(words, limit))[0]

    async def nearest(self, words: str, limit: int) -> list[str]:
        """The same, after the spelling that the wiki suggests."""
        titles, suggestion = await self._searched(words, limit)
        return list(dict.fromkeys([*([suggestion[:1].upper() + suggestion[1:]] if suggestion else []), *titles]))[
            :limit
        ]

    async def _searched(self, words: str, limit: int) -> tuple[list[str], str]:
        query = " ".join(_NOT_IN_SEARCH.sub(" ", words).split())[:300]  # CirrusSearch takes no more than 300
        if not query:
            return [], ""
        with reading(f"The wiki at {self._address}"):
            results = await self._wiki.search(query, limit=limit, what=SearchWhat.TEXT)
            titles = [title for title in results.pages if isinstance(title, str)][:limit]
            return titles, results.suggestion if isinstance(results.suggestion, str) else ""


def _categories(fields: dict[str, Any]) -> str:
    listed = fields.get("categories")
    titles = (each.get("title") for each in listed if isinstance(each, dict)) if isinstance(listed, list) else ()
    return " ".join(title for title in titles if isinstance(title, str))


def inspect_reply(response: httpx.Response) -> None:
    """MediaWiki sends its errors with status 200: raise Passing for those that pass, SourceFailed for the others."""
    address = response.request.url.copy_with(query=None)
    try:
        body = orjson.loads(response.content)
    except orjson.JSONDecodeError:
        body = None
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
