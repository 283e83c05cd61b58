"""A small real server on loopback that stands in for a wiki's api.php and for Tavily's /search, by
script."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from typing import Any

from aiohttp import web

from fathom.state.tiers import Tier
from fathom.tools.facts.base import FactQuery
from fathom.tools.facts.transport import Network

NOW = datetime(2026, 5, 1, 12, 0, tzinfo=UTC)
AS_OF = date(2026, 5, 1)

Reply = web.StreamResponse | None
"""None: the connection breaks in the middle of the body."""
Script = Callable[[web.Request, dict[str, Any]], Reply]


@dataclass
class FactServer:
    """What it was asked (query parameters of a GET, JSON of a POST), and how many requests were
    open at once."""

    url: str
    asked: list[dict[str, Any]] = field(default_factory=list)
    headers: list[Mapping[str, str]] = field(default_factory=list)
    open: int = 0
    _arrival: asyncio.Condition = field(default_factory=asyncio.Condition)

    async def arrivals(self, count: int) -> None:
        """Waits until this many requests have come in."""
        async with self._arrival:
            await self._arrival.wait_for(lambda: len(self.asked) >= count)

    async def note(self, asked: dict[str, Any], headers: Mapping[str, str]) -> None:
        async with self._arrival:
            self.asked.append(asked)
            self.headers.append(dict(headers))
            self._arrival.notify_all()


@asynccontextmanager
async def serving(
    script: Script, *, hold: asyncio.Event | None = None
) -> AsyncIterator[FactServer]:
    """Serves `script` on every path. With `hold` no reply leaves before the event is set."""
    server = FactServer("")

    async def handle(request: web.Request) -> web.StreamResponse:
        asked = (
            dict(request.query) if request.method == "GET" else json.loads(await request.read())
        )
        server.open += 1
        await server.note(asked, request.headers)
        try:
            if hold is not None:
                await hold.wait()
            reply = script(request, asked)
            return _broken(request) if reply is None else reply
        finally:
            server.open -= 1

    app = web.Application()
    app.router.add_route("*", "/{path:.*}", handle)
    runner = web.AppRunner(app, shutdown_timeout=0.2)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0, backlog=512).start()
    server.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
    try:
        yield server
    finally:
        await runner.cleanup()


def _broken(request: web.Request) -> web.StreamResponse:
    assert request.transport is not None
    request.transport.write(b"HTTP/1.1 200 OK\r\nContent-Length: 400\r\n\r\n{")
    request.transport.close()
    return web.Response()


@dataclass
class Waits:
    """Stands in for `asyncio.sleep`: notes what it was asked to wait, and does not wait."""

    seconds: list[float] = field(default_factory=list)

    async def __call__(self, seconds: float) -> None:
        self.seconds.append(seconds)
        await asyncio.sleep(0)


def network(**more: Any) -> Network:
    """How a source of a test goes out."""
    options: dict[str, Any] = {"user_agent": "Fathom/test", "clock": lambda: NOW} | more
    return Network(**options)


def in_turn(*replies: Callable[[], Reply]) -> Script:
    """Each request gets the next reply, the last one again and again."""
    left = list(replies)
    return lambda _request, _asked: (left.pop(0) if len(left) > 1 else left[0])()


Pages = Mapping[str, str | dict[str, Any]]


def wiki(pages: Pages, found: Mapping[str, list[str]] | None = None) -> Script:
    """An api.php over pages (title → text, or the page's fields; `#REDIRECT Title` redirects) and
    search results (words → titles)."""

    def reply(_request: web.Request, asked: dict[str, Any]) -> Reply:
        words = asked.get("srsearch", asked.get("gsrsearch"))
        hits = (found or {}).get(words or "", [])
        if asked.get("list") == "search":
            return web.json_response(
                {"query": {"search": [{"ns": 0, "title": title} for title in hits]}}
            )
        if words is not None and not hits:
            return web.json_response({"batchcomplete": ""})
        titles = asked["titles"].split("|") if words is None else hits
        body = _pages(titles, pages, whole="rvsection" not in asked)
        places = {title: place for place, title in enumerate(hits, 1)}
        for entry in body["pages"].values() if words is not None else ():
            entry["index"] = places[entry["title"]]
        return web.json_response({"query": body})

    return reply


def _pages(titles: Sequence[str], pages: Pages, *, whole: bool) -> dict[str, Any]:
    redirects, entries = [], dict[str, Any]()
    spelt = {title: title[:1].upper() + title[1:] for title in titles}
    for number, title in enumerate(spelt.values(), 7):
        stored, target = pages.get(title), title
        if isinstance(stored, str) and stored.startswith("#REDIRECT "):
            target = stored.removeprefix("#REDIRECT ")
            redirects.append({"from": title, "to": target})
            stored = pages.get(target)
        if stored is None:
            entries[str(-number)] = {"ns": 0, "title": target, "missing": ""}
            continue
        fields: dict[str, Any] = {"text": stored} if isinstance(stored, str) else dict(stored)
        if (text := fields.get("text")) is not None:
            shown = text if whole else text.partition("==")[0]
            main = {"contentmodel": "wikitext", "*": shown}
            fields |= {"revisions": [{"slots": {"main": main}}]}
            del fields["text"]
        base = {
            "pageid": number,
            "ns": 0,
            "title": target,
            "lastrevid": 42,
            "fullurl": f"https://wiki.example/{target}",
        }
        entries[str(number)] = base | fields
    normalised = [{"from": title, "to": new} for title, new in spelt.items() if title != new]
    return {"normalized": normalised, "redirects": redirects, "pages": entries}


def query(
    concept: str, tier: Tier = Tier.COMMON, *, domain: str = "Chemical elements", **more: Any
) -> FactQuery:
    return FactQuery(concept, domain, tier, as_of=AS_OF, **more)
