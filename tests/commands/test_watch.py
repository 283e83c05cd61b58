"""`fathom watch` and `fathom run --server` against servers that are not as they should be."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from fathom import RunFailed, UsageError
from fathom.commands import watch

from ..support.command_line import Caller

STUDY = "method: drill\nmax-calls: 5\n"


async def events_from(answers: list[web.Response]) -> tuple[int, list[Any] | Exception]:
    """How often a server was asked that answers with these, the last one again and again; and what
    came of it."""
    asked = 0

    async def answer(request: web.Request) -> web.Response:
        nonlocal asked
        asked += 1
        given = answers[min(asked, len(answers)) - 1]
        return web.Response(
            body=given.body, status=given.status, content_type=given.content_type
        )

    app = web.Application()
    app.router.add_get("/events", answer)
    async with TestServer(app) as server:
        try:
            found = [event async for event in watch._sent(str(server.make_url("/events")))]
        except (RunFailed, UsageError) as error:
            return asked, error
        return asked, found


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watch, "AGAIN_S", 0.0)
    monkeypatch.setattr(watch, "TRIES", 4)


END = web.Response(body=b"event: end\ndata: over\n\n")


async def test_a_stream_without_its_end_is_asked_for_again_so_often() -> None:
    asked, error = await events_from([web.Response(body=b": hello\n\n")])
    assert asked == 4
    assert isinstance(error, RunFailed)
    assert await events_from([web.Response(status=502), END]) == (2, [])


@pytest.mark.parametrize("body", [b"data: {}\n", b"data: \xff\n", b"data: [1]\n"])
async def test_what_is_no_event_is_refused_at_once(body: bytes) -> None:
    asked, error = await events_from([web.Response(body=body)])
    assert asked == 1
    assert isinstance(error, RunFailed)


@pytest.mark.parametrize("body", [b"[1]", b"{", b"\xff"])
async def test_a_problem_that_is_none_is_a_sentence(body: bytes) -> None:
    given = web.Response(body=body, status=404, content_type="application/json")
    _, error = await events_from([given])
    assert isinstance(error, UsageError)


@pytest.mark.parametrize(
    "url", ["http://[", "http://", "http:///v1", "http://h:99999", "http://h:0"]
)
def test_what_is_no_address_is_refused(url: str, call: Caller) -> None:
    Path("study.yaml").write_text(STUDY)
    for words in (["watch", url], ["run", "study.yaml", "--server", url]):
        said = call(*words)
        assert said.code == 2
        assert "Internal" not in said.err


@pytest.mark.parametrize(
    "option",
    [
        ["--offline"],
        ["--until-decided", "4"],
        ["--timeout", "3"],
        ["--no-cache"],
    ],
)
def test_an_option_that_cannot_be_sent_is_refused_by_name(
    option: list[str], call: Caller
) -> None:
    Path("study.yaml").write_text(STUDY)
    said = call("run", "study.yaml", "--server", "http://127.0.0.1:9", *option)
    assert said.code == 2
    assert option[0] in said.err


@pytest.mark.parametrize("more", ["x: {1: 2}", "x: !!binary aGk="])
def test_a_study_that_is_no_json_is_refused(more: str, call: Caller) -> None:
    Path("study.yaml").write_text(f"{STUDY}{more}\n")
    said = call("run", "study.yaml", "--server", "http://127.0.0.1:9")
    assert said.code == 2
    assert "Internal" not in said.err


@pytest.mark.parametrize("reply", [b"{}", b"[]", b"{", b"\xff"])
async def test_limits_are_sent_once_and_a_foreign_reply_is_a_sentence(
    reply: bytes, tmp_path: Path
) -> None:
    sent = list[Any]()

    async def answer(request: web.Request) -> web.Response:
        sent.append(await request.json())
        return web.Response(body=reply, content_type="application/json")

    app = web.Application()
    app.router.add_post("/v1/studies", answer)
    (tmp_path / "study.yaml").write_text(STUDY)
    given = dict.fromkeys(("budget", "display", "json")) | {
        "study": tmp_path / "study.yaml",
        "max_calls": 9,
    }
    async with TestServer(app) as server:
        with pytest.raises(RunFailed):
            await asyncio.to_thread(watch.run_at, str(server.make_url("")), given)
    assert sent == [{"method": "drill", "max_calls": 9}]
