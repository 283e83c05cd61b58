"""Wikipedia in any language, or any MediaWiki, through wikipedia-api.

Pages are read as wikitext, of which a wiki gives fifty in one request, tops or wholes; of its own
plain text it gives twenty tops or one whole. What only the wiki could write out costs the sentence
it stands in: a template, a formula leaves a mark, and a sentence with a mark is no evidence.
Footnotes, tables, pictures and what stands in brackets around a mark go without one."""

import re
from collections.abc import Callable, Sequence
from html import unescape
from typing import Any
from urllib.parse import quote, urlsplit

import httpx
from wikipediaapi import AsyncWikipedia  # type: ignore[import-untyped]  # ships no type information

from ...state.errors import SourceFailed
from ..flight import Batches
from .base import reading
from .encyclopedia import HITS, Article, LookUp
from .passages import LACKS, in_length, raised
from .plan import ADDRESSES, check_language
from .transport import Habits, Network, Passing, PoliteTransport, json_of

Replacements = Sequence[tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]]]
_NOT_IN_TITLES = re.compile(r"[#<>\[\]{}|\x00-\x1f]")
_LONGEST_TITLE = 255
"""Bytes of a title, by MediaWiki's own limit."""
_NOT_IN_SEARCH = re.compile(r'["~*:!|()\[\]{}<>#\\/?&]|(?<!\w)-')
_LONGEST_SEARCH = 300
"""Characters that CirrusSearch takes."""
_LISTS_SENSES = re.compile(
    r"\b(?:may|can) (?:also )?refer to\s*:|\{\{disambig|\[\[Category:Disambig", re.IGNORECASE
)
_HOPS, _REPLIES = 6, 50
"""Redirects in a row, and replies to one question, that are followed."""
_PASSING_CODES = frozenset(
    ("maxlag", "ratelimited", "readonly", "cirrussearch-too-busy-error", "timeout")
)
_ADVICE = {
    403: "It wants to know who is asking: set FATHOM_CONTACT to a mail address or a page.",
    404: "Is it the address of a wiki's api.php?",
}
_PAGES = 50
"""Pages in one request, by MediaWiki's own limit."""
_LONGEST_TITLES = 6000
"""Bytes of all titles in one address: servers refuse longer ones."""
_TOP = 2000
"""Characters of wikitext in which a list of senses says that it is one."""
_EVERY: dict[str, object] = {
    "action": "query",
    "format": "json",
    "redirects": 1,
    "maxlag": 5,  # stand back when the wiki's databases lag behind (MediaWiki API etiquette)
}
_WHOLE: dict[str, object] = {
    "prop": "info|pageprops|revisions",
    "inprop": "url",
    "ppprop": "disambiguation",
    "rvprop": "content",
    "rvslots": "main",
}
_TOPS = {**_WHOLE, "rvsection": 0}


class MediaWikiSource(LookUp):
    """Articles over a wiki's api.php."""

    def __init__(
        self,
        name: str,
        network: Network,
        *,
        url: str = ADDRESSES["wikipedia"],
        language: str = "en",
    ) -> None:
        """`url` is the address of api.php, in which `{language}` stands for the language of the
        query. Raises UsageError for an odd language code."""
        check_language(language)
        super().__init__(name)
        self._url = url
        self._network = network
        self._transport = PoliteTransport(name, url, network, Habits(_inspect, _ADVICE))
        self._wikis: dict[str, _Wiki] = {}
        self._batches: dict[tuple[str, bool], Batches[str, Article | None]] = {}

    async def place(self) -> str:
        """The address of the wiki's api.php; the language stands in each query."""
        parts = urlsplit(self._url)
        return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"

    async def aclose(self) -> None:
        for batches in self._batches.values():
            await batches.aclose()
        await super().aclose()
        await self._transport.aclose()

    async def _page(self, title: str, language: str, *, whole: bool) -> Article | None:
        """As the wiki's redirects lead; asked for together with what others ask for."""
        title = title.strip()
        if not title or len(title) > _LONGEST_TITLE or _NOT_IN_TITLES.search(title):
            return None  # `a|b` would ask for two pages, `C#` for the page C
        if (language, whole) not in self._batches:
            self._batches[language, whole] = Batches(
                lambda titles: self._pages_titled(titles, language, whole=whole),
                most=_PAGES,
                at_once=self._network.max_connections,
                final=lambda error: (
                    isinstance(error, SourceFailed) and error.kind == "rate_limit"
                ),
            )
        return await self._batches[language, whole].get(title)

    async def _pages_titled(
        self, titles: Sequence[str], language: str, *, whole: bool
    ) -> dict[str, Article | None]:
        if len(titles) > 1 and sum(len(quote(title)) for title in titles) > _LONGEST_TITLES:
            half = len(titles) // 2
            first = await self._pages_titled(titles[:half], language, whole=whole)
            return first | await self._pages_titled(titles[half:], language, whole=whole)
        wiki = self._wiki(language)
        with reading(f"The wiki at {wiki.address}"):
            params = {"titles": "|".join(titles), **(_WHOLE if whole else _TOPS)}
            pages, ways = await wiki.query(params)
            articles = [self._article_of(page, language, is_whole=whole) for page in pages]
            by_title = {article.title: article for article in articles if article}
            return {title: by_title.get(_leads_to(title, ways)) for title in titles}

    def _article_of(
        self, fields: dict[str, Any], language: str, *, is_whole: bool
    ) -> Article | None:
        """None for what is missing, invalid or no article."""
        title = fields["title"]
        if "missing" in fields or "invalid" in fields or fields.get("ns") != 0:
            return None
        if (source := _wikitext_of(fields)) is None:  # nobody knows what stands in it
            raise SourceFailed(
                "bad_reply", f"{self.name} gave no wikitext for {title[:100]!r}."
            )
        props = fields.get("pageprops")
        disambiguates = isinstance(props, dict) and "disambiguation" in props
        revision, url = fields.get("lastrevid"), fields.get("fullurl")
        return Article(
            title=title[:_LONGEST_TITLE],
            url=url if isinstance(url, str) else "",
            revision=str(revision) if revision and isinstance(revision, (int, str)) else None,
            retrieved_at=self._network.clock(),
            language=language,
            ambiguous=disambiguates or bool(_LISTS_SENSES.search(source[:_TOP])),
            source=source,
            is_whole=is_whole,
            write_out=plain,
        )

    async def _search(self, words: str, language: str) -> list[str]:
        """Titles of articles that the wiki finds, best first. One request, which brings the
        articles too."""
        wiki = self._wiki(language)
        searchable = " ".join(_NOT_IN_SEARCH.sub(" ", words).split())[:_LONGEST_SEARCH]
        if not searchable:
            return []
        search = {
            "generator": "search",
            "gsrsearch": searchable,
            "gsrlimit": HITS,
            "gsrwhat": "text",
        }
        with reading(f"The wiki at {wiki.address}"):
            pages, _ = await wiki.query({**search, **_WHOLE})
            hits = sorted(pages, key=lambda page: page.get("index", HITS))[:HITS]
            read_hits = [self._article_of(page, language, is_whole=True) for page in hits]
        articles = [article for article in read_hits if article]
        for article in articles:
            self._pages.know((language, article.title, True), article)
        return [article.title for article in articles]

    def _wiki(self, language: str) -> "_Wiki":
        if language not in self._wikis:
            address = self._url.replace("{language}", check_language(language))
            self._wikis[language] = _Wiki(
                address,
                user_agent=self._network.user_agent,
                language=language,
                extra_api_params=_EVERY,
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

    async def query(
        self, params: dict[str, object]
    ) -> tuple[list[dict[str, Any]], dict[str, str]]:
        """The fields of each page, those that the wiki puts off to further replies among them; and
        what leads where: other spellings, redirects."""
        pages: dict[str, dict[str, Any]] = {}
        ways: dict[str, str] = {}
        more: dict[str, object] = {}
        for _ in range(_REPLIES):
            reply = await self._get(self.language, {**_EVERY, **params, **more})
            if "titles" in params and not reply.get("query"):
                raise KeyError("query")  # only a search may come back with nothing at all
            query = reply.get("query") or {}
            for id, fields in query.get("pages", {}).items():
                pages.setdefault(id, {}).update(fields)
            for name in ("normalized", "redirects"):
                ways |= {way["from"]: way["to"] for way in query.get(name, ())}
            more = reply.get("continue") or {}
            if not more or "batchcomplete" in reply:
                break  # what is left are further hits of a search
        return list(pages.values()), ways


def _leads_to(title: str, ways: dict[str, str]) -> str:
    """The title of the page that is found under a title: spelt as the wiki does, redirects
    followed."""
    for _ in range(_HOPS):
        title = ways.get(title, title)
    return title


def _wikitext_of(fields: dict[str, Any]) -> str | None:
    """What was asked for of an article, as far as it is read; None where it is something else.
    Wikis older than MediaWiki 1.32 know no slots."""
    for revision in fields.get("revisions") or ():
        main = revision.get("slots", {}).get("main", revision)
        text = main.get("*")
        if isinstance(text, str) and main.get("contentmodel", "wikitext") == "wikitext":
            return in_length(text)
    return None


def _inspect(response: httpx.Response) -> None:
    """MediaWiki sends its errors with status 200: raise Passing for those that pass, SourceFailed
    for the others."""
    address = response.request.url.copy_with(query=None)
    body = json_of(response)
    if not isinstance(body, dict):
        raise SourceFailed(
            "bad_reply",
            f"{address} did not answer with JSON. Is it the address of a wiki's api.php?",
        )
    error = body.get("error")
    if not error:
        return
    fields = error if isinstance(error, dict) else {"code": error}
    code, info = str(fields.get("code", "unknown")), str(fields.get("info", ""))
    if code in _PASSING_CODES or code.startswith("internal_api_error"):
        raise Passing(
            "rate_limit" if code == "ratelimited" else "server", f"{code}: {info}"[:200]
        )
    raise SourceFailed("bad_reply", f"{address} refused the request: {code}: {info}"[:300])


_SILENT = re.compile(
    r"<!--(?:(?!<!--).)*?-->|<(?P<tag>ref|gallery|timeline|imagemap|templatestyles|references)\b"
    r"(?:[^<>]*/>|[^<>]*>(?:(?!<(?P=tag)\b).)*?</(?P=tag)\s*>)",
    re.DOTALL | re.IGNORECASE,
)
_UNREAD = re.compile(
    r"<(?P<tag>math|chem|ce|hiero|score|code|pre|source|syntaxhighlight)\b[^<>]*>(?:(?!<(?P=tag)\b).)*?</(?P=tag)\s*>|"
    r"-\{[^{}]*\}-",
    re.DOTALL | re.IGNORECASE,
)
_SINGLE = re.compile(r"\{(?<![{}]\{)(?![{|])|\}(?<![|}]\})(?!\})")
"""A brace that is no markup, and must not keep the template around it from being seen. The pattern
begins with the brace: what comes before is looked at then, so that all other text is passed over
fast."""
_TEMPLATE = re.compile(r"\{\{([^{}|]*)[^{}]*\}\}")
_TABLE = re.compile(r"^[ :*]*\{\|(?:(?!^[ :*]*\{\|).)*?^\s*\|\}", re.DOTALL | re.MULTILINE)
_LINK = re.compile(r"\[\[([^\[\]]*)\]\]")
_NESTED = 12
"""How deep templates, tables and links stand in one another at most."""
_UNBALANCED = re.compile(r"\{\{|\}\}|\{\||\[\[|\]\]|</?ref\b[^<>]*>")
_FOOTNOTE = re.compile(
    r"(?:cit|sfn|efn|refn|reflist|rp$|r$|cn$|fact$|clarify|when$|who$|which$|by whom|page "
    r"needed|better source|dubious|"
    r"failed verification|anchor|short description|main$|see also|further)",
    re.IGNORECASE,
)
_SHOWS_TEXT = re.compile(r"lang|transl|nowrap|mvar|chem2|em|strong|small", re.IGNORECASE)
"""Templates that show their last argument in another type."""
_MEASURE = re.compile(
    r"(?:convert|cvt)\|([\d.,]+)\|([^\W\d_][\w/°]*)(?<!to)(?<!and)(?<!by)(?=\||$)"
)
_MEDIA = re.compile(
    r"\.(?:jpe?g|png|svg|gif|tiff?|webp|og[gva]|webm|mp[34]|wav|flac|pdf|djvu|stl|midi?)\s*$",
    re.IGNORECASE,
)
_OF_ANOTHER_KIND = re.compile(r"[^\W\d_][^:|#\n]{0,30}:\S")
"""A category, a page in another language: a word, a colon, and no space behind it."""
_OUTWARD = re.compile(r"\[(?:https?:)?//[^\s\[\]]+[ \t]*([^\[\]\n]*)\]")
_SUPERSCRIPT = re.compile(r"<sup\b[^<>]*>([^<>]*)</sup\s*>", re.DOTALL | re.IGNORECASE)
_BREAK = re.compile(r"<[bh]r\b[^<>]*>", re.IGNORECASE)
_TAG = re.compile(r"</?[a-z][^<>]*>|__[A-Z]+__|''+", re.IGNORECASE)
_ITEM = re.compile(r"^[*#:;]+[ \t]*", re.MULTILINE)
_ASIDE = re.compile(rf"[ \t]?\([^()\n]*{LACKS}[^()\n]*\)")
_NOTHING_ELSE = re.compile(rf"^[\s{LACKS}]*{LACKS}[ \t{LACKS}]*$", re.MULTILINE)


_UNSHOWN: Replacements = ((_SILENT, ""), (_UNREAD, LACKS), (_SINGLE, LACKS))
_SHOWN: Replacements = (
    (_UNBALANCED, LACKS),
    (_OUTWARD, r"\1"),
    (_SUPERSCRIPT, lambda tag: raised(tag[1]) or LACKS),
    (_BREAK, " "),
    (_TAG, ""),
)


def plain(wikitext: str) -> str:
    """The text as it would be read, headings as `== Heading ==`, one paragraph or item of a list
    per line; `LACKS` stands where something could not be read."""
    text = _replaced(wikitext, _UNSHOWN)
    for _ in range(_NESTED):  # the innermost first
        text = _TEMPLATE.sub(_template, text)
    for _ in range(_NESTED):
        text = _TABLE.sub("", text)
    for _ in range(_NESTED):
        text = _LINK.sub(_link, text)
    text = unescape(_replaced(text, _SHOWN))
    return _replaced(text, ((_ITEM, ""), (_ASIDE, ""), (_NOTHING_ELSE, "")))


def _replaced(text: str, replacements: Replacements) -> str:
    for pattern, instead in replacements:
        text = pattern.sub(instead, text)
    return text


def _template(markup: re.Match[str]) -> str:
    """Nothing for a footnote, which stands behind a sentence or says so by its name; the text of
    one that only sets it in another type; a measure without what it is converted to."""
    after = markup.string[markup.end() : markup.end() + 1]
    inside = markup[0][2:-2]
    if measure := _MEASURE.match(inside):
        return f"{measure[1]} {measure[2]}"
    if _SHOWS_TEXT.fullmatch(markup[1].strip()) and "|" in inside:
        return inside.rpartition("|")[2]
    is_behind = _stands_apart(markup) and (not after or after in " \n{")
    return "" if is_behind or _FOOTNOTE.match(markup[1].strip()) else LACKS


def _link(markup: re.Match[str]) -> str:
    target, *rest = markup[1].split("|")
    if _MEDIA.search(target):
        return ""
    if _OF_ANOTHER_KIND.match(target) and not rest:
        return "" if _stands_apart(markup) else LACKS
    return (rest[-1] if rest else target.lstrip(":")).strip()


def _stands_apart(markup: re.Match[str]) -> bool:
    """Whether it follows the end of a sentence, or something else that does."""
    before = markup.string[max(0, markup.start() - 1) : markup.start()]
    return before != "" and before in ".!?。]"
