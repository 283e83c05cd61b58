"""The service: who it keeps out, and what nobody can exceed."""

import asyncio
import json
import time
from pathlib import Path
from typing import Any

import pytest
from aiohttp.web import HTTPTooManyRequests, Server

from fathom.commands.serve import cells_in
from fathom.service import app, stream
from fathom.service.guard import LOOPBACK, Guard, token_in
from fathom.service.trust import trusted
from fathom.state.errors import UsageError
from fathom.tools.models.pricing import PRICES

from ..support.command_line import Caller
from ..support.service import STUDY, serving, settings

SLOW = {**STUDY, "sim": {"latency": 1}}
NOBODY = {"Authorization": ""}


@pytest.mark.parametrize(
    ("content", "mode"),
    [(b"", 0o600), (b"x" * 31, 0o600), (b"\xff" * 40, 0o600), (b"x" * 40, 0o640)],
)
def test_a_token_that_anybody_could_have_is_refused(
    content: bytes, mode: int, tmp_path: Path
) -> None:
    file = tmp_path / ".token"
    file.write_bytes(content)
    file.chmod(mode)
    with pytest.raises(UsageError):
        token_in(file)


@pytest.mark.parametrize("limit", ["--budget", "--day-budget", "--max-calls", "--day-calls"])
@pytest.mark.parametrize("amount", ["-1", "0", "nan", "inf"])
def test_limits_are_amounts(limit: str, amount: str, call: Caller) -> None:
    assert call("serve", f"{limit}={amount}").code == 2


async def test_a_study_without_a_limit_has_the_rest_of_the_day(tmp_path: Path) -> None:
    daily = {"budget": None, "max_calls": 10.0}
    async with serving(tmp_path, jobs=1, daily=daily) as client:
        first = await client.post("/v1/studies", json={**SLOW, "max_calls": 4})
        second = await client.post("/v1/studies", json={**SLOW, "seed": 2})
        third = await client.post("/v1/studies", json={**SLOW, "seed": 3})
        assert [first.status, second.status, third.status] == [202, 202, 429]
        assert (await second.json())["max_calls"] == 6.0


def _many(**more: Any) -> dict[str, Any]:
    return {**STUDY, "domains": ["a"] * 11, "target": ["sim:student"] * 10, **more}


@pytest.mark.parametrize(
    "study",
    [_many(repeats=10), _many(target=["sim:student"] * 100)],
)
def test_the_cells_are_counted_before_they_are_made(
    study: dict[str, Any], tmp_path: Path
) -> None:
    with pytest.raises(UsageError, match="cells"):
        trusted(study, settings(tmp_path).allowed)


async def test_a_study_whose_price_nobody_knows_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FATHOM_MODEL_RAG", "openai@http://127.0.0.1:9/v1:x")
    study = {**STUDY, "target": ["rag"]}
    async with serving(tmp_path) as client:
        answer = await client.post("/v1/studies", json={**study, "budget": 1})
        assert answer.status == 422
    file = tmp_path / "study.json"
    file.write_text(json.dumps(study))
    monkeypatch.setenv(PRICES, "rag=0.1/0.4\nelse=1/2")
    assert len(await asyncio.to_thread(cells_in(tmp_path, None), file, True)) == 1


async def test_what_an_alias_stands_for_is_shown_to_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FATHOM_MODEL_RAG", "sim:student system=HIDDEN")
    async with serving(tmp_path) as client:
        posted = await client.post("/v1/studies", json={**STUDY, "target": ["rag"]})
        place = posted.headers["Location"]
        await (await client.get(f"{place}/events")).read()
        for path in (place, "/v1/studies", "/v1/runs", "/metrics"):
            text = await (await client.get(path)).text()
            assert "HIDDEN" not in text, path
        assert (await (await client.get(place)).json())["cells"][0]["target"] == "rag"


async def test_a_study_whose_alias_is_gone_is_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FATHOM_MODEL_RAG", "sim:student")
    async with serving(tmp_path) as client:
        posted = await client.post(
            "/v1/studies", json={**SLOW, "target": ["rag"], "max_calls": 1}
        )
        place = posted.headers["Location"]
        monkeypatch.delenv("FATHOM_MODEL_RAG")
        await asyncio.sleep(1.1)
        assert 'fathom_runs{state="unknown"} 1' in await (await client.get("/metrics")).text()
        await client.delete(place)
        await client.delete(place)
        await (await client.get(f"{place}/events")).read()
        study = await client.get(place)
        assert study.status == 200
        assert (await study.json())["state"] != "running"
        assert str(tmp_path) not in await study.text()


async def test_a_stopped_study_is_queued_once(tmp_path: Path) -> None:
    async with serving(tmp_path, jobs=1) as client:
        first = await client.post("/v1/studies", json=SLOW)
        waiting = await client.post("/v1/studies", json={**STUDY, "seed": 2})
        place = waiting.headers["Location"]
        for _ in range(2):
            assert (await client.delete(place)).status == 202
            assert (await client.post(f"{place}/resume")).status == 202
        for _ in range(2):
            await client.delete(first.headers["Location"])
        await (await client.get(f"{place}/events")).read()
        study = await (await client.get(place)).json()
        assert (study["state"], study["cells"][0]["attempts"]) == ("complete", 1)


async def test_connections_without_the_token_are_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(app, "BODY_S", 0.1)
    async with serving(tmp_path) as client:
        runner = client.server.runner
        assert runner is not None
        assert isinstance(runner.server, Server)
        guard = Guard("x" * 40, LOOPBACK, patience_s=0.1)
        watch = asyncio.create_task(guard.close_strangers(runner.server))
        where = client.server.host, client.server.port
        reader, writer = await asyncio.open_connection(*where)
        writer.write(b"POST /login HTTP/1.1\r\nContent-Length: 9\r\n")
        assert await asyncio.wait_for(reader.read(), 5) == b""
        watch.cancel()
        writer.close()

        async def slowly() -> Any:
            yield b"{"
            await asyncio.sleep(1)

        headers = {"Content-Type": "application/json"}
        answer = await client.post("/v1/plan", data=slowly(), headers=headers)
        assert answer.status == 408


REFUSED: dict[str, tuple[str, str, dict[str, Any], int]] = {
    "no word": ("POST", "/v1/studies", {"json": {**STUDY, "method": ["drill"]}}, 422),
    "half a call": ("POST", "/v1/studies", {"json": {**STUDY, "max_calls": 0.5}}, 422),
    "no time": ("POST", "/v1/studies", {"json": {**STUDY, "timeout": -1}}, 422),
    "too many": ("POST", "/v1/studies", {"json": {**STUDY, "probes": 10**6}}, 422),
    "half an origin": ("GET", "/v1/studies", {"headers": {"Origin": "http://["}}, 403),
    "another method": ("PUT", "/v1/studies", {}, 405),
}


@pytest.mark.parametrize("name", REFUSED)
async def test_it_is_refused(name: str, tmp_path: Path) -> None:
    method, path, more, status = REFUSED[name]
    async with serving(tmp_path) as client:
        answer = await client.request(method, path, **more)
        assert answer.status == status
        assert status != 405 or "GET" in answer.headers["Allow"]


async def test_readers_of_a_study_share_a_look(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks = 0
    is_over = app.Service._is_over

    async def count(self: app.Service, about: Path) -> bool:
        nonlocal looks
        looks += 1
        return await is_over(self, about)

    monkeypatch.setattr(app.Service, "_is_over", count)
    async with serving(tmp_path) as client:
        place = (await client.post("/v1/studies", json=STUDY)).headers["Location"]
        began = time.monotonic()
        streams = [await client.get(f"{place}/events") for _ in range(20)]
        bodies = await asyncio.gather(*(stream.read() for stream in streams))
        assert len(set(bodies)) == 1
        assert looks <= 2 + (time.monotonic() - began) / stream.POLL_S
        end = await client.get(f"{place}/events", headers={"Last-Event-ID": "999999999"})
        assert end.status == 422


def test_an_address_has_so_many_requests_a_minute_with_and_without_the_token() -> None:
    guard = Guard("x" * 40, LOOPBACK, per_minute=1)
    guard._require_room("10.0.0.1", is_friend=False)
    guard._require_room("10.0.0.1", is_friend=True)
    with pytest.raises(HTTPTooManyRequests):
        guard._require_room("10.0.0.1", is_friend=False)
