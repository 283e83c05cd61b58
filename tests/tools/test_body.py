"""Replies that are too large: each is the failure of its own look-up or call, named, and soon
there."""

import gzip
import json
import time
import zlib
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import replace
from typing import Any

import pytest
from aiohttp import web
from tests.support import fact_server
from tests.support.embedding_server import embedding
from tests.support.fact_server import Waits, query
from tests.support.literature_records import work, works_reply
from tests.support.model_server import (
    FakeTime,
    Step,
    answer,
    ask,
    clients_at,
    completion,
    serving,
)
from tests.support.programs import Programs

from fathom.sim.values import figures
from fathom.state.errors import CallFailed, EndpointUnreachable, SourceFailed
from fathom.state.tiers import Tier
from fathom.tools.doctor import reach
from fathom.tools.facts import tavily
from fathom.tools.facts.base import FactSource
from fathom.tools.facts.europepmc import EUROPE_PMC
from fathom.tools.facts.mediawiki import MediaWikiSource
from fathom.tools.facts.openalex import OPENALEX
from fathom.tools.facts.passages import MOST_CHARS, in_length, outline
from fathom.tools.facts.search import LiteratureSource
from fathom.tools.facts.tavily import TavilySource, plain
from fathom.tools.models.embeddings import EndpointEmbeddings
from fathom.tools.models.limiter import Limits
from fathom.tools.models.replies import UnreadableText, read_object, spoken
from fathom.tools.net import MOST_BYTES, Garbled, TooLarge, WorldName, read_body

BOMB = gzip.compress(bytes(3 * MOST_BYTES), 1)
MANY = b'{"results": [' + b"{}," * 999_999 + b"{}]}"
TOO_MUCH = "sent more than 16 MB in one reply"
FACT = "Sodium is a soft metal that reacts with water at once."


async def endless(_server: object, request: web.Request) -> web.StreamResponse:
    response = web.StreamResponse()
    await response.prepare(request)
    with suppress(ConnectionError):  # ends when the reader goes away
        while True:
            await response.write(b" " * 2**18)
    return response


BAD: list[Step] = [endless, answer(BOMB, Content_Encoding="gzip"), answer(MANY)]


@asynccontextmanager
async def facing(step: Step) -> AsyncIterator[str]:
    """The address of a server that answers everything so."""

    async def handle(request: web.Request) -> web.StreamResponse:
        return await step(None, request)  # type: ignore[arg-type]  # none of these asks the server anything

    app = web.Application()
    app.router.add_route("*", "/{path:.*}", handle)
    runner = web.AppRunner(app, shutdown_timeout=0.2)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()


@contextmanager
def soon(limit_s: float = 5.0) -> Iterator[None]:
    """No more than so much of the processor's time, whatever else keeps the machine busy."""
    began = time.process_time()
    yield
    assert time.process_time() - began < limit_s


SERVICES = {"europepmc": EUROPE_PMC, "openalex": OPENALEX}


def source_at(kind: str, url: str) -> FactSource:
    way = fact_server.network(sleep=Waits())
    if kind == "tavily":
        return TavilySource(kind, way, key="tvly-secret-key", url=url)
    if kind == "wikipedia":
        return MediaWikiSource(kind, way, url=url)
    return LiteratureSource(kind, way, SERVICES[kind], url=url)


TIER = {
    "wikipedia": Tier.COMMON,
    "tavily": Tier.COMMON,
    "europepmc": Tier.SPECIALIST,
    "openalex": Tier.SPECIALIST,
}


@pytest.mark.parametrize("step", BAD)
@pytest.mark.parametrize("kind", TIER)
async def test_a_source_that_sends_too_much_fails_soon_and_by_name(
    kind: str, step: Step
) -> None:
    async with facing(step) as url:
        source = source_at(kind, url)
        with (
            soon(),
            pytest.raises(
                SourceFailed, match=f"{kind} sent more than (16 MB|2000000 values)"
            ) as caught,
        ):
            await source.find(query("Sodium", TIER[kind]))
        await source.aclose()
    assert caught.value.kind == "bad_reply"


@pytest.mark.parametrize("step", BAD)
async def test_a_model_that_sends_too_much_fails_at_once_and_is_not_asked_again(
    step: Step,
) -> None:
    async with serving(step) as server, clients_at(FakeTime()) as clients:
        with soon(), pytest.raises(CallFailed, match="sent more than") as caught:
            await clients.get(f"openai@{server.base_url}:m").complete(ask())
    assert (caught.value.kind, server.calls) == ("server", 1)


@pytest.mark.parametrize("text", ["content", "refusal"])
async def test_an_answer_of_megabytes_is_no_answer(text: str) -> None:
    body = completion("Neon.")
    body["choices"][0]["message"][text] = "a" * 3_000_000
    step = answer(gzip.compress(json.dumps(body).encode(), 1), Content_Encoding="gzip")
    async with serving(step) as server, clients_at(FakeTime()) as clients:
        with (
            soon(),
            pytest.raises(CallFailed, match="an answer of more than 2000000 characters"),
        ):
            await clients.get(f"openai@{server.base_url}:m").complete(ask())
    assert server.calls == 1


async def test_a_model_that_gives_itself_a_name_of_megabytes_is_named_in_short() -> None:
    step = answer(json.dumps(completion("Neon.") | {"model": "m" * 3_000_000}).encode())
    async with serving(step) as server, clients_at(FakeTime()) as clients:
        reply = await clients.get(f"openai@{server.base_url}:m").complete(ask())
    assert (reply.text, reply.model) == ("Neon.", "m" * 1000)


HEADED = answer(b"{}", X_Long="b" * 10_000)


async def test_what_is_no_http_is_no_timeout() -> None:
    async with serving(HEADED) as server, clients_at(FakeTime()) as clients:
        with pytest.raises(
            CallFailed, match="no HTTP, or has more headers than are read"
        ) as caught:
            await clients.get(f"openai@{server.base_url}:m").complete(ask())
    async with facing(HEADED) as url:
        source = source_at("wikipedia", url)
        with pytest.raises(
            SourceFailed, match="no HTTP, or has more headers than are read"
        ) as failure:
            await source.find(query("Sodium"))
        await source.aclose()
    assert (caught.value.kind, failure.value.kind) == ("connection", "connection")


@pytest.mark.parametrize("field", ["fullurl", "lastrevid"])
async def test_what_is_kept_of_a_page_is_short_whatever_the_wiki_says(field: str) -> None:
    text = {"revisions": [{"*": FACT}], field: "9" * 3_000_000}
    page = {"pageid": 7, "ns": 0, "title": "Sodium"} | text
    async with facing(answer(json.dumps({"query": {"pages": {"7": page}}}).encode())) as url:
        source = source_at("wikipedia", url)
        (evidence,) = await source.find(query("Sodium"))
        await source.aclose()
    assert len(evidence.model_dump_json()) < 10_000


@pytest.mark.parametrize("step", [endless, answer(BOMB, Content_Encoding="gzip")])
async def test_embeddings_that_are_too_large_fail_at_once(step: Step) -> None:
    async with embedding(step) as server:
        name = f"openai@{server.base_url}:e"
        with soon(), pytest.raises(Exception, match=TOO_MUCH) as caught:
            await EndpointEmbeddings(name, {}, limits=Limits()).aembed_documents(["a", "b"])
    assert caught.value.retryable is False  # type: ignore[attr-defined]
    assert server.calls == 1


@pytest.mark.parametrize("step", BAD[:2])
async def test_the_doctor_and_the_name_of_a_world_read_no_more_than_is_sane(step: Step) -> None:
    async with facing(step) as url:
        with soon():
            with pytest.raises(EndpointUnreachable, match=TOO_MUCH):
                await reach(f"{url}/models")
            assert await WorldName(f"{url}/v1").get() == ""


def test_a_process_that_meets_them_all_stays_small(programs: Programs) -> None:
    said = programs.run(function="tests.support.bodies_child:main")
    assert said.returncode == 0, said.stderr
    assert int(said.stdout) < 600, "MB"


HITS = [{"url": f"https://a.org/{k}", "title": f"T{k}", "content": FACT} for k in range(2000)]


@pytest.mark.parametrize(
    ("kind", "body", "most"),
    [
        ("tavily", {"results": HITS}, 8),
        (
            "openalex",
            works_reply(*(work(id=f"https://openalex.org/W{k}") for k in range(2000))),
            50,
        ),
        ("europepmc", {"resultList": {"result": [{"id": f"{k}"} for k in range(2000)]}}, 25),
    ],
)
async def test_of_the_hits_sent_no_more_are_looked_at_than_were_asked_for(
    kind: str, body: dict[str, Any], most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[object] = []

    def noting(found: object, now: object) -> None:
        read.append(found)

    monkeypatch.setattr(tavily, "_work", noting)
    for service, name in (EUROPE_PMC, "europepmc"), (OPENALEX, "openalex"):
        monkeypatch.setitem(SERVICES, name, replace(service, work=noting))
    async with facing(answer(json.dumps(body).encode())) as url:
        source = source_at(kind, url)
        await source.find(query("Sodium", TIER[kind]))
        await source.aclose()
    assert len(read) in (most, 2 * most)  # two searches where the first gave no evidence


async def test_a_wiki_that_finds_thousands_of_pages_is_asked_for_three() -> None:
    titles = [f"T{k}" for k in range(20_000)]
    script = fact_server.wiki({}, {"Sodium Chemical elements": titles, "Sodium": titles})
    async with fact_server.serving(script) as server:
        source = source_at("wikipedia", f"{server.url}/api.php")
        with soon():
            assert await source.find(query("Sodium")) == []
        await source.aclose()
    assert len(server.asked) < 12


async def pieces(*parts: bytes) -> AsyncIterator[bytes]:
    for part in parts:
        yield part


async def test_what_is_packed_as_was_asked_for_is_unpacked_however_it_is_cut() -> None:
    text = FACT.encode() * 50
    raw = zlib.compressobj(wbits=-15)
    packings = (("gzip", gzip.compress(text)), ("deflate", zlib.compress(text)), (None, text))
    for encoding, body in (*packings, ("Deflate", raw.compress(text) + raw.flush())):
        cut = [body[k : k + 1] for k in range(len(body))]
        assert await read_body(pieces(b"", *cut), encoding) == text


@pytest.mark.parametrize(
    ("encoding", "body"),
    [
        ("gzip", b"{}"),
        ("gzip", BOMB[:1000]),
        ("br", b"{}"),
        ("gzip, gzip", gzip.compress(gzip.compress(b"{}", mtime=0), mtime=0)),
    ],
)
async def test_what_cannot_be_unpacked_is_garbled(encoding: str, body: bytes) -> None:
    with pytest.raises(Garbled):
        await read_body(pieces(body), encoding)


async def test_a_body_of_exactly_the_most_is_read() -> None:
    assert len(await read_body(pieces(bytes(60), bytes(40)), None, most=100)) == 100
    assert len(await read_body(pieces(gzip.compress(bytes(100))), "gzip", most=100)) == 100
    with pytest.raises(TooLarge):
        await read_body(pieces(gzip.compress(bytes(101))), "gzip", most=100)


def test_a_long_page_is_read_up_to_a_word() -> None:
    assert in_length(FACT) == FACT
    assert in_length("x" * (MOST_CHARS - 3) + " 3.14159") == "x" * (MOST_CHARS - 3)
    assert in_length(" " * 2 * MOST_CHARS) == ""


@pytest.mark.parametrize(
    "read",
    [
        lambda: outline("== a" + "=" * 100_000 + "b"),
        lambda: plain("![a" * 30_000),
        lambda: plain("![](a" * 30_000),
        lambda: plain(" **a" * 25_000),
        lambda: spoken("<" + "\n" * 100_000),
        lambda: spoken("<think></think>" * 30_000),
        lambda: spoken("x <think> </think> " * 30_000),
        lambda: spoken(" <|channel|>final " * 30_000),
        lambda: spoken("</think>" + "<|end|> " * 60_000),
        lambda: figures("x" * 100_000, ""),
        lambda: figures("9" * 20_000 + "x9", "K"),
    ],
)
def test_text_made_to_take_long_does_not(read: Callable[[], object]) -> None:
    with soon(8.0):  # a second or two, or minutes
        read()


def test_a_reply_that_is_longer_than_any_object_is_not_searched_for_one() -> None:
    with pytest.raises(UnreadableText, match="more than any object"):
        read_object("{a:1}" * 70_000, Limits)  # type: ignore[type-var]
