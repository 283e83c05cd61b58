"""How a fact source fails: what is tried again, for how long, and what is said in the end."""

import asyncio
import json
from datetime import UTC, datetime
from functools import partial
from typing import Any

import httpx
import pytest
from aiohttp import web
from tests.support.fact_server import NOW, Script, Waits, in_turn, network, query, serving
from tests.support.literature_records import core, core_reply, work, works_reply

from fathom.state.errors import SourceFailed
from fathom.state.tiers import Tier
from fathom.tools.facts.europepmc import EUROPE_PMC
from fathom.tools.facts.mediawiki import MediaWikiSource
from fathom.tools.facts.openalex import OPENALEX
from fathom.tools.facts.search import LiteratureSource
from fathom.tools.facts.tavily import TavilySource
from fathom.tools.facts.transport import Habits, PoliteTransport, retry_after_s

TEXT = "Sodium is a metal with the symbol Na."
PAGE = {
    "pageid": 7,
    "ns": 0,
    "title": "Sodium",
    "fullurl": "x",
    "revisions": [{"*": TEXT}],
}


FOUND = {"query": {"pages": {"7": PAGE}}}


def good() -> web.Response:
    return web.json_response(FOUND)


def status(code: int, **headers: str) -> Any:
    return lambda: web.Response(status=code, headers=headers)


def error(code: str) -> Any:
    return lambda: web.json_response({"error": {"code": code, "info": "as it says"}})


def cut() -> None:
    return None


async def outcome(script: Script, **options: Any) -> tuple[object, int, list[float]]:
    """What a look-up ends with (number of passages, or kind and message), requests made, seconds
    waited."""
    waits = Waits()
    async with serving(script) as server:
        source = MediaWikiSource(
            "wikipedia", network(sleep=waits, **options), url=f"{server.url}/w/api.php"
        )
        try:
            result: object = len(await source.find(query("Sodium")))
        except SourceFailed as failure:
            result = (failure.kind, str(failure))
        finally:
            await source.aclose()
    return result, len(server.asked), waits.seconds


@pytest.mark.parametrize(
    "bad",
    [status(500), status(503), status(408), error("maxlag"), error("internal_api_error_DB")],
)
async def test_a_passing_failure_is_tried_again(bad: Any) -> None:
    result, asked, waited = await outcome(in_turn(bad, bad, good))
    assert (result, asked) == (1, 3)
    assert waited == [0.5, 1.0]


async def test_a_429_waits_as_long_as_it_says_and_no_longer() -> None:
    result, asked, waited = await outcome(in_turn(status(429, **{"Retry-After": "7"}), good))
    assert (result, asked) == (1, 2)
    assert sum(waited) == pytest.approx(7.0, abs=0.5)


async def test_a_wiki_that_lags_behind_says_how_long_in_a_good_reply() -> None:
    def lagging() -> web.Response:
        lag = {
            "error": {
                "code": "maxlag",
                "info": "Waiting for a database server: 7 seconds lagged.",
            }
        }
        return web.json_response(lag, headers={"Retry-After": "7"})

    result, asked, waited = await outcome(in_turn(lagging, good))
    assert (result, asked) == (1, 2)
    assert sum(waited) == pytest.approx(7.0, abs=0.5)


async def test_a_429_pauses_the_whole_source() -> None:
    waits = Waits()
    async with serving(in_turn(status(429, **{"Retry-After": "30"}), good)) as server:
        source = MediaWikiSource("wikipedia", network(sleep=waits), url=f"{server.url}/x")
        await source.find(query("Sodium"))
        waits.seconds.clear()
        await source.has_page("Potassium", "en")
        await source.aclose()
    assert {round(s) for s in waits.seconds} == {30}, "another page waits for the same pause"


@pytest.mark.parametrize(
    ("url", "waited"), [("https://service.example", [0.1, 0.2]), ("http://127.0.0.1:9", [])]
)
async def test_a_service_is_asked_no_faster_than_it_permits(
    url: str, waited: list[float]
) -> None:
    waits, served = Waits(), httpx.MockTransport(lambda request: httpx.Response(200, text="{}"))
    transport = PoliteTransport(
        "x", url, network(sleep=waits, transport=served), Habits(per_second=10)
    )
    async with httpx.AsyncClient(transport=transport) as client:
        await asyncio.gather(*(client.get(url) for _ in range(3)))
    assert waits.seconds == pytest.approx(waited, abs=0.05)


@pytest.mark.parametrize(
    ("bad", "kind"),
    [
        (status(429), "rate_limit"),
        (error("ratelimited"), "rate_limit"),
        (status(502), "server"),
        (status(408), "timeout"),
    ],
)
async def test_a_lasting_failure_is_named_after_the_last_attempt(bad: Any, kind: str) -> None:
    result, asked, _ = await outcome(in_turn(bad), attempts=4)
    assert asked == 4
    assert isinstance(result, tuple)
    assert result[0] == kind
    assert "wikipedia: 4 attempts failed; last error" in result[1]


@pytest.mark.parametrize(
    ("bad", "says"),
    [
        (status(404), "HTTP 404"),
        (status(301), "HTTP 301"),
        (error("badvalue"), "badvalue: as it says"),
        (lambda: web.Response(text="<html>a portal</html>"), "api.php"),
        (lambda: web.Response(text="[]"), "api.php"),
        (lambda: web.json_response({"batchcomplete": ""}), "cannot be read"),
        (lambda: web.json_response({"query": {"pages": [1]}}), "cannot be read"),
    ],
)
async def test_a_reply_that_makes_no_sense_is_not_asked_for_again(bad: Any, says: str) -> None:
    result, asked, waited = await outcome(in_turn(bad))
    assert asked == 1
    assert waited == []
    assert isinstance(result, tuple)
    assert result[0] == "bad_reply"
    assert says in result[1]


@pytest.mark.parametrize(
    ("field", "values"),
    [
        ("categories", [[{}], [None], [{"title": 5}], None, {"a": 1}, 7]),
        ("pageprops", [None, [], 7, "disambiguation"]),
        ("fullurl", [None, ["x"]]),
        ("lastrevid", [None, {"a": 1}, 1e30]),
    ],
)
async def test_an_odd_extra_of_a_page_is_passed_over(field: str, values: list[Any]) -> None:
    for value in values:
        body = json.dumps({"query": {"pages": {"7": PAGE | {field: value}}}})
        assert await outcome(in_turn(partial(web.Response, text=body))) == (1, 1, [])


@pytest.mark.parametrize(
    ("field", "value"),
    [("revisions", None), ("revisions", ["a"]), ("title", None), ("title", {})],
)
async def test_a_page_without_text_or_title_is_a_failure_of_the_look_up(
    field: str, value: Any
) -> None:
    result, _, _ = await outcome(
        in_turn(lambda: web.json_response({"query": {"pages": {"7": PAGE | {field: value}}}}))
    )
    assert isinstance(result, tuple)
    assert result[0] == "bad_reply"


async def test_a_search_that_names_no_texts_finds_nothing() -> None:
    hits = [{"ns": 0, "title": title, "pageid": 1} for title in (None, 5, True)]
    missing = {
        "query": {"pages": {"-1": {"ns": 0, "title": "Sodium", "missing": ""}}, "search": hits}
    }
    result, _, _ = await outcome(lambda request, asked: web.json_response(missing))
    assert result == 0


TEXT = "Sodium azide is a colourless salt that dissolves in water."
HIT = {"title": "Airbags", "url": "https://pubs.acs.org/airbags", "content": TEXT}
KINDS: dict[str, Any] = {
    "europepmc": lambda way, url: LiteratureSource("europepmc", way, EUROPE_PMC, url=url),
    "openalex": lambda way, url: LiteratureSource("openalex", way, OPENALEX, url=url),
    "tavily": lambda way, url: TavilySource("tavily", way, key="tvly-test-key", url=url),
}


async def found(kind: str, script: Script, **more: Any) -> int:
    """How many passages a source of this kind has for specialists."""
    async with serving(script) as server:
        source = KINDS[kind](network(sleep=Waits(), attempts=1, **more), server.url)
        try:
            return len(await source.find(query("Sodium azide", Tier.SPECIALIST)))
        finally:
            await source.aclose()


@pytest.mark.parametrize(
    ("kind", "reply", "passages"),
    [
        ("tavily", {"results": [HIT | {"url": "http://[bad"}, HIT]}, 1),
        ("tavily", {"results": [HIT | {"url": ["https://pubs.acs.org"]}, HIT]}, 1),
        ("tavily", {"results": [HIT | {"published_date": ["2026-01-01"]}]}, 1),
        (
            "tavily",
            {
                "results": [
                    HIT | {"published_date": 20260101, "title": None, "raw_content": {"a": 1}}
                ]
            },
            1,
        ),
        ("tavily", {"results": [HIT | {"content": None}, HIT | {"content": [TEXT]}]}, 0),
        ("europepmc", core_reply(core(commentCorrectionList={"commentCorrection": 5})), 1),
        (
            "europepmc",
            core_reply(core(pubTypeList=7), core(doi={}, language=[]) | {"title": ["a"]}),
            1,
        ),
        (
            "openalex",
            works_reply(work(abstract_inverted_index=[1]), work(primary_location=7)),
            0,
        ),
        ("openalex", works_reply(work(updated_date=[1], doi=None) | {"display_name": 5}), 1),
    ],
)
async def test_an_odd_record_is_left_out_or_read_without_what_is_odd(
    kind: str, reply: Any, passages: int
) -> None:
    assert await found(kind, lambda request, asked: web.json_response(reply)) == passages


@pytest.mark.parametrize("kind", KINDS)
async def test_what_nobody_foresaw_is_a_failure_of_the_look_up(kind: str) -> None:
    def unforeseen(request: httpx.Request) -> httpx.Response:
        raise OverflowError

    with pytest.raises(
        SourceFailed, match=f"^{kind} at http.* cannot be read .OverflowError"
    ) as failure:
        await found(kind, in_turn(good), transport=httpx.MockTransport(unforeseen))
    assert failure.value.kind == "bad_reply"


@pytest.mark.parametrize("kind", KINDS)
async def test_a_year_beyond_all_calendars_is_no_time_to_come_back(kind: str) -> None:
    year = status(503, **{"Retry-After": "Fri, 01 May 99999999999999 12:00:20 GMT"})
    with pytest.raises(SourceFailed, match="HTTP 503") as failure:
        await found(kind, in_turn(year))
    assert failure.value.kind == "server"


async def test_a_header_that_is_no_ascii_spoils_nothing() -> None:
    assert await outcome(
        lambda request, asked: web.json_response(FOUND, headers={"X-Who": "café"})
    ) == (1, 1, [])


async def test_a_cut_body_is_tried_again() -> None:
    result, asked, _ = await outcome(in_turn(cut, good))
    assert (result, asked) == (1, 2)


async def test_a_server_that_hangs_is_a_timeout() -> None:
    never = asyncio.Event()
    async with serving(in_turn(good), hold=never) as server:
        hasty = network(sleep=Waits(), attempts=2, time_limit_s=0.05)
        source = MediaWikiSource("wikipedia", hasty, url=f"{server.url}/x")
        with pytest.raises(SourceFailed, match=r"no reply within 0\.05 s") as failure:
            await source.find(query("Sodium"))
        assert failure.value.kind == "timeout"
        assert len(server.asked) == 2
        never.set()
        await source.aclose()


async def test_nobody_listening_is_a_connection_failure() -> None:
    async with serving(in_turn(good)) as server:
        closed = server.url
    source = MediaWikiSource("wikipedia", network(sleep=Waits()), url=f"{closed}/x")
    with pytest.raises(SourceFailed) as failure:
        await source.find(query("Sodium"))
    await source.aclose()
    assert failure.value.kind == "connection"


async def test_a_failure_is_not_remembered() -> None:
    async with serving(in_turn(status(404), good)) as server:
        source = MediaWikiSource("wikipedia", network(), url=f"{server.url}/x")
        with pytest.raises(SourceFailed):
            await source.find(query("Sodium"))
        assert len(await source.find(query("Sodium"))) == 1
        await source.aclose()


async def test_cancelling_is_not_a_failure_of_the_source() -> None:
    never = asyncio.Event()
    async with serving(in_turn(good), hold=never) as server:
        source = MediaWikiSource("wikipedia", network(), url=f"{server.url}/x")
        asking = asyncio.create_task(source.find(query("Sodium")))
        await server.arrivals(1)
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        never.set()
        await source.aclose()


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("5", 5.0), ("0", 0.0), ("1.5", 1.5), ("-3", None), ("86400", 60.0), ("", None), ("soon", None), ("nan", None),
        ("1e308", 60.0), ("Fri, 01 May 99999999999999 12:00:20 GMT", None), ("Fri, 31 Dec 9999 23:59:59 -2300", 60.0),
        ("Fri, 01 May 2026 12:00:20 GMT", 20.0), ("Fri, 01 May 2026 11:00:00 GMT", 0.0),
        ("Thu, 01 Jan 2099 00:00:00", 60.0),
    ],
)  # fmt: skip
def test_retry_after_is_read_as_seconds_or_as_a_date(
    header: str, seconds: float | None
) -> None:
    assert retry_after_s(header, datetime(2026, 5, 1, 12, tzinfo=UTC)) == seconds
    assert retry_after_s(None, NOW) is None
