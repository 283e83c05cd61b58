"""The part of MediaWiki's api.php that Fathom uses: action=query for titles or a search, with info,
pageprops and revisions."""

from collections.abc import Mapping
from typing import Any

from .pages import Page
from .world import World

Json = dict[str, Any]


def query(world: World, params: Mapping[str, str]) -> Json:
    """The reply to a request; the pages of a search have their places among its hits,
    from 1."""
    titles = [title for title in params.get("titles", "").split("|") if title]
    if params.get("generator") == "search":
        results = world.search(params.get("gsrsearch", ""), int(params.get("gsrlimit", "10")))
        titles = [page.title for page in results]
    hits = [world.look_up(title) for title in titles]
    pages: Json = {}
    for index, hit in enumerate(hits, 1):
        entry = {"ns": 0, "title": hit.title, "missing": ""}
        if hit.page is not None:
            entry = _entry(hit.page, lead_alone=params.get("rvsection") == "0") | {
                "index": index
            }
        pages[str(entry.get("pageid", -index))] = entry
    normalised = [
        {"from": title, "to": hit.title}
        for title, hit in zip(titles, hits, strict=True)
        if title != hit.title
    ]
    redirects = [
        {"from": hit.redirected_from, "to": hit.page.title}
        for hit in hits
        if hit.redirected_from and hit.page
    ]
    body = {"normalized": normalised, "redirects": redirects, "pages": pages}
    return {"batchcomplete": "", "query": body}


def _entry(page: Page, *, lead_alone: bool) -> Json:
    text = page.lead if lead_alone else page.text
    return {
        "pageid": page.pageid,
        "ns": 0,
        "title": page.title,
        "fullurl": page.url,
        "lastrevid": page.revision,
        "pageprops": {"disambiguation": ""} if page.disambiguation else {},
        "revisions": [{"slots": {"main": {"contentmodel": "wikitext", "*": text}}}],
    }
