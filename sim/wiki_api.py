"""The part of MediaWiki's api.php that Fathom uses: action=query with extracts as plain text, info,
categories, pageprops, revisions, and searches."""

from collections.abc import Mapping
from typing import Any

from .pages import Page
from .world import LookUp, World

Json = dict[str, Any]


def query(world: World, params: Mapping[str, str]) -> Json:
    """The reply to a request."""
    if "search" in params.get("list", "").split("|"):
        return _search(world, params)
    if params.get("generator") == "search":
        return _generated(world, params)
    titles = [title for title in params.get("titles", "").split("|") if title]
    return _pages(world, titles, params) if titles else {"batchcomplete": ""}


def _pages(world: World, titles: list[str], params: Mapping[str, str]) -> Json:
    body: Json = {}
    hits_by_title = {title: world.look_up(title) for title in titles}
    normalised = [
        {"from": title, "to": hit.title}
        for title, hit in hits_by_title.items()
        if title != hit.title
    ]
    if normalised:
        body["normalized"] = normalised
    follow = "redirects" in params
    hits = hits_by_title.values()
    redirects = [
        {"from": h.redirected_from, "to": h.page.title}
        for h in hits
        if h.redirected_from and h.page
    ]
    if follow and redirects:
        body["redirects"] = redirects
    entries = [_entry(hit, params, follow) for hit in hits]
    missing = -1
    pages: Json = {}
    for entry in entries:
        key = str(entry["pageid"]) if "pageid" in entry else str(missing)
        missing -= "pageid" not in entry
        pages[key] = entry
    body["pages"] = pages
    return {"batchcomplete": "", "query": body}


def _generated(world: World, params: Mapping[str, str]) -> Json:
    """The pages of a search, with their places among its hits."""
    limit = int(params.get("gsrlimit", "10"))
    hits = world.search(params.get("gsrsearch", ""), limit + 1)
    if not hits:
        return {"batchcomplete": ""}
    reply = _pages(world, [page.title for page in hits[:limit]], params)
    if len(hits) > limit:
        reply["continue"] = {"gsroffset": limit, "continue": "gsroffset||"}
    pages, places = (
        reply["query"]["pages"],
        {page.title: rank for rank, page in enumerate(hits, 1)},
    )
    for entry in pages.values():
        entry["index"] = places[entry["title"]]
    return reply


def _entry(hit: LookUp, params: Mapping[str, str], follow: bool) -> Json:
    page = hit.page
    if page is None:
        return {"ns": 0, "title": hit.title, "missing": ""}
    if hit.redirected_from and not follow:
        return {
            "pageid": 900_000 + page.pageid,
            "ns": 0,
            "title": hit.title,
            "redirect": "",
        }
    entry: Json = {
        "pageid": page.pageid,
        "ns": 0,
        "title": page.title,
    }
    properties = _properties(page, params)
    for name in params.get("prop", "").split("|"):
        entry |= properties.get(name, {})
    return entry


def _properties(page: Page, params: Mapping[str, str]) -> dict[str, Json]:
    """What can be told of a page, by the name of the property."""
    categories = [{"ns": 14, "title": f"Category:{name}"} for name in page.categories]
    text = page.lead if params.get("rvsection") == "0" else page.text
    main = {"contentmodel": "wikitext", "*": text}
    return {
        "extracts": {"extract": page.lead if "exintro" in params else page.text},
        "info": {"fullurl": page.url, "lastrevid": page.revision},
        "categories": {"categories": categories},
        "pageprops": {"pageprops": {"disambiguation": ""} if page.disambiguation else {}},
        "revisions": {"revisions": [{"slots": {"main": main}}]},
    }


def _search(world: World, params: Mapping[str, str]) -> Json:
    hits = world.search(params.get("srsearch", ""), int(params.get("srlimit", "10")))
    entries = [
        {
            "ns": 0,
            "title": page.title,
            "pageid": page.pageid,
        }
        for page in hits
    ]
    return {"batchcomplete": "", "query": {"search": entries}}
