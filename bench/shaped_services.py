"""Services with the shapes of real ones, each reply after its time, and what they were asked.

The models are simulated. The wiki is MediaWiki's api.php with what a drill meets on a real one:
subjects without a page, pages under another title, redirects, lists of senses, long pages.
The search is Tavily's: pages as Markdown with what stands
around a text, nothing from the wanted sites as often as not.

Sizes of pages: logarithmically normal. The mean of all articles of the English Wikipedia was 5,900
bytes in 2013 (wiki-research-l, August 2013), their standard deviation twice the mean
(Wikipedia:Statistics, 2002: 1,997 and 4,066).
"""

import argparse
import asyncio
import json
import math
import random
import signal
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from datetime import date
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from aiohttp import ClientSession, web

from fathom.sim import search, wiki_api
from fathom.sim.pages import Page
from fathom.sim.server import Served, Timing, start
from fathom.sim.world import LookUp, World
from fathom.state.spec import WorldSpec

SHARES = {"missing": 0.12, "elsewhere": 0.13, "moved": 0.10, "senses": 0.05}
"""Of all subjects: without a page, with one that only a search finds, redirected, behind a list of
senses."""
BESIDE_TEXT = (
    "[Home](/) · [Journals](/j) · [Log in](/l)\n\nWe use cookies.\n\n![](/logo.png)\n\n"
)
FOLLOWED = "\n\n## References\n\n" + "\n".join(
    f"{n}. A handbook, {1980 + n}, page {n * 7}." for n in range(1, 30)
)
FILLER = (
    (
        "Accounts of this kind were first put together in the nineteenth century and have been "
        "extended ever since."
    ),
    "Several museums show early instruments, letters and drawings that belong to the same period.",
    "Later editors left out what they held to be hearsay, and kept the tables.",
    "A number of towns have streets and schools that are called after the people who took part.",
    "What was written down in the laboratory was not always what had been seen there.",
)
TITLES = 50
"""MediaWiki's own limit for one request."""


def share(*words: object) -> float:
    """A number from 0 to 1 that only the words decide."""
    return int.from_bytes(sha256("\0".join(map(str, words)).encode()).digest()[:8]) / 2**64


class ShapedWorld(World):
    """The simulated encyclopedia as it would lie on a real wiki."""

    def __init__(self, spec: WorldSpec, size: int) -> None:
        super().__init__(spec)
        self.size = size

    def look_up(self, title: str) -> LookUp:
        beside = title.removesuffix(" (science)")
        found = super().look_up(beside)
        page = found.page
        if page is None or page.disambiguation:
            return found if beside == title else LookUp(None, title)
        kind = self.kind(page.title)
        if (
            kind == "missing"
            or (beside != title) == (kind == "plain")
            or (beside == title and kind == "elsewhere")
        ):
            return LookUp(None, title)
        moved = self.shaped(page)
        if kind == "senses" and beside == title:
            return LookUp(_senses(page, moved.title), found.title)
        return LookUp(
            moved,
            title if beside != title else found.title,
            found.title if kind == "moved" else None,
        )

    def search(self, query: str, limit: int = 10) -> list[Page]:
        found = [
            page
            for page in World(self.spec).search(query, 500)
            if self.kind(page.title) != "missing"
        ]
        return [self.shaped(page) for page in found][:limit]

    def kind(self, title: str) -> str:
        """What became of the subject."""
        drawn = share("kind", title)
        for kind, part in SHARES.items():
            if drawn < part:
                return kind
            drawn -= part
        return "plain"

    def shaped(self, page: Page) -> Page:
        """The article in its full length, under its title on this wiki."""
        if page.disambiguation:
            return page
        return _shaped(
            page,
            page.title if self.kind(page.title) == "plain" else f"{page.title} (science)",
            self.size,
        )


@lru_cache(maxsize=4096)
def _shaped(page: Page, title: str, mean: int) -> Page:
    spread = math.sqrt(math.log(1 + 2.0**2))
    length = random.Random(title).lognormvariate(math.log(mean) - spread**2 / 2, spread)
    missing = int(min(length, 300_000)) - len(page.text)
    count = max(0, missing // sum(map(len, FILLER)))
    more = tuple((f"Reception {n}", " ".join(FILLER)) for n in range(1, count + 1))
    return replace(page, title=title, sections=page.sections + more)


def _senses(page: Page, title: str) -> Page:
    lead = f"{page.title} may refer to:\n{title}\n{page.title} (film)"
    names = {
        "links": (title,),
        "sections": (),
        "facts": (),
    }
    return replace(page, lead=lead, disambiguation=True, **names)  # type: ignore[arg-type]


@dataclass
class Services:
    """The wiki and the search, and what they were asked."""

    world: ShapedWorld
    timing: Timing
    upstream: str | None = None
    """A real wiki's api.php."""
    asked: Counter[str] = field(default_factory=Counter)
    attempts: Counter[str] = field(default_factory=Counter)
    """How often each request has come."""
    first_s: float | None = None
    last_s: float = 0.0
    session: ClientSession | None = None

    def told(self, served: Served) -> None:
        """A call of a model."""
        self.asked["model"] += 1
        self.first_s = self.first_s or served.at_s
        self.last_s = time.monotonic()

    async def wiki(self, request: web.Request) -> web.Response:
        params = {
            name: str(value)
            for name, value in (*request.query.items(), *(await request.post()).items())
        }
        searches = "search" in (params.get("list"), params.get("generator"))
        self.asked["wiki"] += 1
        self.asked["wiki searches" if searches else "wiki pages"] += 1
        waiting = self.wait("wiki", params)
        if self.upstream is None:
            await waiting
            return web.json_response(limited(wiki_api.query(self.world, params), params))
        self.session = self.session or ClientSession()
        async with self.session.post(self.upstream, data=params) as reply:
            body = await reply.read()
            await waiting
            return web.Response(body=body, status=reply.status, content_type=reply.content_type)

    async def search(self, request: web.Request) -> web.Response:
        body = await request.json()
        self.asked["search"] += 1
        found = search.search(body, date.today())
        if body.get("include_domains") and share("site", body["query"]) < 0.5:
            found["results"] = []
        for result in found["results"]:
            text = f"# {result['title']}\n\n{result['raw_content']}"
            result["raw_content"] = BESIDE_TEXT + text.replace(". ", ".\n\n") + FOLLOWED
        await self.wait("search", body)
        return web.json_response(found)

    async def wait(self, kind: str, asked: Mapping[str, Any]) -> None:
        words = f"{kind} {json.dumps(asked, sort_keys=True)}"
        self.attempts[words] += 1
        await self.timing.wait(words, self.attempts[words])

    async def stats(self, _: web.Request) -> web.Response:
        """What was asked since the last time this was."""
        told = {"asked": dict(self.asked), "first_s": self.first_s, "last_s": self.last_s}
        self.asked, self.first_s = Counter(), None
        return web.json_response(told)


def limited(reply: dict[str, Any], params: Mapping[str, str]) -> dict[str, Any]:
    """As much of it as a real wiki sends at once."""
    if params.get("titles", "").count("|") >= TITLES:
        return {"error": {"code": "toomanyvalues", "info": f"The limit is {TITLES}."}}
    return reply


async def serve(timing: Timing, size: int, upstream: str | None) -> None:
    """All services, until killed; their addresses on stdout."""
    spec = WorldSpec()
    models = await start(spec, timing)
    services = Services(ShapedWorld(spec, size), timing, upstream)
    models.on_served = services.told
    app = web.Application()
    app.add_routes(
        [web.route("*", "/w/api.php", services.wiki), web.post("/search", services.search)]
    )
    app.add_routes([web.get("/stats", services.stats)])
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0, backlog=2048).start()
    print(
        json.dumps([models.api_url, f"http://127.0.0.1:{runner.addresses[0][1]}"]), flush=True
    )
    try:
        await asyncio.Event().wait()
    finally:
        if services.session is not None:
            await services.session.close()


@contextmanager
def real_wiki(folder: Path, size: int) -> Iterator[str]:
    """Debian's MediaWiki with these articles; the address of its api.php."""
    sys.path.insert(0, str(Path(__file__).parents[1]))
    from tests.support import mediawiki

    world, pages = ShapedWorld(WorldSpec(), size), dict[str, str]()
    for title in world.titles[:400]:
        hit, beside = world.look_up(title), world.look_up(f"{title} (science)")
        page = beside.page or hit.page
        if page is not None:
            pages[page.title] = page.text
        if hit.redirected_from:
            pages[title] = f"#REDIRECT [[{page.title}]]" if page else ""
        elif hit.page and hit.page.disambiguation:
            pages[title] = f"{hit.page.lead}\n[[Category:Disambiguation pages]]"
    mediawiki.install(folder / "wiki", pages)
    with mediawiki.serve(folder / "wiki") as address:
        yield address


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--latency", type=float, default=0.2, help="seconds per reply")
    parser.add_argument("--jitter", type=float, default=0.0, help="seconds on top at most")
    parser.add_argument(
        "--size", type=int, default=23_600, help="mean length of an article in characters"
    )
    parser.add_argument("--wiki", choices=("shaped", "mediawiki"), default="shaped")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())
    with ExitStack() as stack:
        kept = Path(stack.enter_context(TemporaryDirectory()))
        real = (
            stack.enter_context(real_wiki(kept, options.size))
            if options.wiki == "mediawiki"
            else None
        )
        asyncio.run(serve(Timing(options.latency, options.jitter), options.size, real))
