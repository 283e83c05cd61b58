"""The service: what it refuses, and what it makes of a study."""

import asyncio
import json
import stat
from datetime import UTC, datetime
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from random import Random
from typing import Any

import pytest

from fathom.commands.study.model import in_study
from fathom.graphs.method import METHODS, runnable
from fathom.service import trust
from fathom.service.guard import MOST_BYTES, token_in
from fathom.service.trust import LIMITS, NUMBERS, RUNS, WORDS, trusted
from fathom.state.errors import UsageError

from ..support.command_line import Caller
from ..support.service import BEARER, STUDY, Client, serving, settings

PROBLEM = "application/problem+json"
KEYS = NUMBERS | WORDS | trust.MODELS | RUNS | {"facts"}
JSON = {"Content-Type": "application/json"}
REFUSED = {
    "wrong token": ({"Authorization": "Bearer nobody"}, 401),
    "another scheme": ({"Authorization": "Basic a-token-of-the-tests"}, 401),
    "wrong cookie": ({"Authorization": "", "Cookie": "fathom=a-token-of-the-tests"}, 401),
    "foreign origin": ({"Origin": "https://evil.example"}, 403),
    "no origin": ({"Origin": "null"}, 403),
    "foreign host": ({"Host": "evil.example"}, 403),
    "strange host": ({"Host": "evil.example@127.0.0.1"}, 403),
}


@pytest.mark.parametrize("name", REFUSED)
async def test_strangers_are_refused(name: str, tmp_path: Path) -> None:
    headers, status = REFUSED[name]
    async with serving(tmp_path) as client:
        for path in ("/v1/studies", "/v1/runs", "/metrics", "/openapi.json"):
            answer = await client.get(path, headers=headers)
            assert answer.status == status
            assert answer.content_type == PROBLEM


PATHS = [
    "/v1/runs/..%2f..%2fetc%2fpasswd/result",
    "/v1/runs/../../../etc/passwd",
    "/v1/runs/%2e%2e/events",
    "/v1/runs/%00/events",
    "/v1/runs/.token/result",
    "/v1/studies/..%2f.token",
    "/v1/studies/%2e%2e%2f%2e%2e/events",
    "/v1/schema/..%2fstudy",
    "/page.js/../.token",
    "/.token",
]


@pytest.mark.parametrize("path", PATHS)
async def test_paths_lead_nowhere(path: str, tmp_path: Path) -> None:
    token_in(tmp_path / ".token")
    async with serving(tmp_path) as client:
        answer = await client.get(path, allow_redirects=False)
        assert answer.status == 404
        assert str(tmp_path) not in await answer.text()


async def test_a_body_is_bounded_and_json(tmp_path: Path) -> None:
    async with serving(tmp_path) as client:
        huge = await client.post(
            "/v1/studies", data=BytesIO(b"[" * (MOST_BYTES + 1)), headers=JSON
        )
        form = await client.post("/v1/studies", data={"method": "drill"})
        deep = await client.post("/v1/studies", data=b'{"a":' * 5000, headers=JSON)
        assert [huge.status, form.status, deep.status] == [413, 415, 422]
        assert await (await client.get("/v1/studies")).json() == []


def _junk(random: Random, depth: int = 0) -> Any:
    words = [
        "",
        "..",
        "/etc/passwd",
        "$HOME",
        "@x",
        "\x00",
        "\ud800",
        "é" * 300,
        "drill",
        "sim:student",
    ]
    kind = random.randrange(8 if depth < 3 else 5)
    if kind < 5:
        return [
            None,
            random.choice(words),
            random.uniform(-1e9, 1e9),
            random.random() < 0.5,
            10**30,
        ][kind]
    if kind == 5:
        return [_junk(random, depth + 1) for _ in range(random.randrange(4))]
    keys = [
        *sorted(KEYS),
        *LIMITS,
        "topics",
        "prompt",
        "runs",
        "budget",
        random.choice(words),
    ]
    return {random.choice(keys): _junk(random, depth + 1) for _ in range(random.randrange(5))}


async def test_nothing_that_is_sent_breaks_it(tmp_path: Path) -> None:
    random = Random(7)
    doors = ["/v1/studies", "/v1/plan", "/v1/compare", "/v1/decide", "/login"]
    async with serving(tmp_path) as client:
        for number in range(300):
            name = "".join(
                chr(random.randrange(1, 0x3000)) for _ in range(random.randrange(1, 40))
            )
            ids = {"Last-Event-ID": str(random.randrange(10**25)), "Idempotency-Key": "é" * 9}
            if number % 2:
                kind = random.choice(["runs", "studies"])
                end = random.choice(["", "/events", "/result", "/bundle", "/resume"])
                url = f"/v1/{kind}/{name.replace('/', '%2f').replace('?', '%3f').replace('#', '')}{end}"
                answer = await client.get(url, headers=ids)
            else:
                study = {**STUDY, **_junk_study(random)}
                body = json.dumps(random.choice([_junk(random), study])).encode()
                answer = await client.post(random.choice(doors), data=body, headers=JSON)
            assert 400 <= answer.status < 500, (number, await answer.text())
            assert answer.content_type == PROBLEM


def _junk_study(random: Random) -> dict[str, Any]:
    """One key that is wrong for certain."""
    return {random.choice(["probes", "evaluator", "facts", "target"]): [{"a": _junk(random)}]}


OUTSIDE = ["@/etc/passwd", "/etc/passwd", "../x", "~/x", "file:///etc/passwd", "$HOME", "-"]
MODELS = [
    "openai:gpt-5",
    "openai@http://evil.example/v1:x",
    "sim:student key=OPENAI_API_KEY",
    'sim:student header="X: $OPENAI_API_KEY"',
    "sim:student system=@/etc/passwd",
    "sim@http://evil.example/v1:student",
    "rag key=OPENAI_API_KEY",
    "sim:student,openai:gpt-5",
]
SOURCES = [
    "folder:/etc",
    "zim:/x.zim",
    "folder:/etc=sim",
    "COMMON=folder:/etc",
    "a=b=sim",
    "mediawiki:http://evil.example/w",
    "tavily",
    "sim@http://x",
]


@pytest.mark.parametrize("method", runnable())
def test_no_field_of_a_study_reaches_outside(method: str, tmp_path: Path) -> None:
    allowed = settings(tmp_path).allowed
    table = in_study(METHODS[method].command)
    assert table
    for name, option in table.items():
        bad = {"model": MODELS, "sources": SOURCES}.get(option.kind, []) + OUTSIDE
        for value in [
            *bad,
            *([each] for each in bad),
            {"COMMON": bad[0]},
            {bad[0]: "sim"},
            {"a": {"b": 1}},
        ]:
            with pytest.raises(UsageError):
                trusted({"method": method, name: value}, allowed)
        if option.kind in ("file", "pair"):
            assert name not in KEYS - NUMBERS


def test_what_is_offered_may_be_named(tmp_path: Path) -> None:
    study = {**STUDY, "target": ["sim:expert", "rag"], "max-depth": 2}
    del study["max_depth"], study["facts"]
    assert trusted(study, settings(tmp_path).allowed)["facts"] == "sim"
    real = {**study, "evaluator": "rag"}
    assert trusted(real, settings(tmp_path).allowed)["facts"] == "wikipedia"


def test_only_its_user_reads_the_token(tmp_path: Path) -> None:
    token, new = token_in(tmp_path / ".token")
    assert new
    assert stat.S_IMODE((tmp_path / ".token").stat().st_mode) == 0o600
    assert token_in(tmp_path / ".token") == (token, False)


async def test_a_browser_gets_a_cookie_for_the_token(tmp_path: Path) -> None:
    async with serving(tmp_path) as client:
        nobody = {"Authorization": ""}
        wrong = await client.post("/login", json={"token": "x"}, headers=nobody)
        right = await client.post(
            "/login", json={"token": BEARER["Authorization"][7:]}, headers=nobody
        )
        assert [wrong.status, right.status] == [401, 204]
        cookie = right.headers["Set-Cookie"]
        assert "HttpOnly" in cookie
        assert "SameSite=Strict" in cookie
        assert BEARER["Authorization"][7:] not in cookie
        assert (await client.get("/v1/studies", headers=nobody)).status == 200


async def _end(client: Client, name: str) -> dict[str, Any]:
    """The study when it is at its end."""
    await (await client.get(f"/v1/studies/{name}/events")).read()
    return dict(await (await client.get(f"/v1/studies/{name}")).json())


async def test_a_study_is_run_once_and_read_in_every_form(tmp_path: Path) -> None:
    async with serving(tmp_path) as client:
        first, second = await asyncio.gather(
            *(client.post("/v1/studies", json=STUDY) for _ in range(2))
        )
        assert {first.status, second.status} == {202, 200}
        name = (await first.json())["id"]
        assert first.headers["Location"] == f"/v1/studies/{name}"
        stream = await client.get(
            f"/v1/studies/{name}/events", headers={"Accept": "application/x-ndjson"}
        )
        lines = await stream.read()
        (cell,) = (await _end(client, name))["cells"]
        assert cell["status"] == "complete"
        assert lines == (tmp_path / cell["run"] / "events.jsonl").read_bytes()
        half = lines.index(b"\n", len(lines) // 2) + 1
        run = f"/v1/runs/{cell['run']}"
        rest = await client.get(
            f"{run}/events?after={half}", headers={"Accept": "application/x-ndjson"}
        )
        assert await rest.read() == lines[half:]
        assert len(await (await client.get("/v1/runs")).json()) == 1
        result = await (await client.get(f"{run}/result")).json()
        assert result["evd"] == cell["figure"]
        rows = await (await client.get(f"/v1/studies/{name}/rows.csv")).text()
        assert rows.count("\n") > 3
        assert (await (await client.get(f"{run}/bundle")).read()).startswith(b"\x1f\x8b")
        report = await (await client.get(f"{run}/report.html")).read()
        assert b"<title>" in report
        log = await client.get(f"{run}/log.eval")
        assert log.status == (200 if find_spec("inspect_ai") else 422), await log.text()
        compared = await client.post("/v1/compare", json={"runs": [name]})
        assert (compared.status, compared.content_type) == (422, PROBLEM)
        decided = await client.post("/v1/decide", json={"runs": [name], "margin": 0.5})
        assert (await decided.json())["method"] == "decision"
        measured = await (await client.get("/metrics")).text()
        assert 'fathom_runs{state="complete"} 1' in measured
        assert 'fathom_calls_total{target="sim:student"}' in measured


async def test_a_key_belongs_to_one_study(tmp_path: Path) -> None:
    async with serving(tmp_path, jobs=1) as client:
        key = {"Idempotency-Key": "schlüssel\udcff"}  # bytes that are no text
        slow = {**STUDY, "sim": {"latency": 1}}
        first = await client.post("/v1/studies", json=slow, headers=key)
        other = await client.post("/v1/studies", json=STUDY, headers=key)
        assert [first.status, other.status] == [202, 409]
        waiting = await client.post("/v1/studies", json=STUDY)
        for answer in (first, waiting):
            place = answer.headers["Location"]
            stopped = await client.delete(place)
            assert stopped.status == 202
            if answer is first:
                await client.delete(place)  # a second time: at once
            assert (await _end(client, place[-16:]))["state"] == "interrupted"
        await client.post(f"{waiting.headers['Location']}/resume")
        assert (await _end(client, waiting.headers["Location"][-16:]))["state"] == "complete"


async def test_a_day_has_a_budget(tmp_path: Path) -> None:
    days = [datetime(2026, 11, 27, tzinfo=UTC).date()]
    limits = {
        "each": {"budget": 1.0, "max_calls": 30.0},
        "daily": {"budget": 2.5, "max_calls": None},
        "today": lambda: days[-1],
    }
    async with serving(tmp_path, jobs=1, **limits) as client:
        studies = [{**STUDY, "seed": seed, "max_calls": 1} for seed in range(4)]
        posted = [await client.post("/v1/studies", json=study) for study in studies]
        assert [answer.status for answer in posted] == [202, 202, 429, 429]
        first, second = (answer.headers["Location"][-16:] for answer in posted[:2])
        assert (await _end(client, first))["state"] == "partial"  # a call is not enough
        await _end(client, second)
        assert (await client.post("/v1/studies", json=studies[2])).status == 202
        more = await client.post(f"/v1/studies/{first}/resume", json={"max_calls": 99})
        assert (await more.json())["max_calls"] == 30.0
        days.append(datetime(2026, 11, 28, tzinfo=UTC).date())
        assert (await client.post("/v1/studies", json=studies[3])).status == 202


def test_nobody_is_let_in_unasked_from_elsewhere(call: Caller) -> None:
    assert call("serve", "--no-auth", "--host", "0.0.0.0").code == 2


def test_the_extra_is_named_where_it_is_missing(
    call: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fathom.commands.serve.find_spec", lambda _: None)
    failed = call("serve")
    assert failed.code == 2
    assert ".[serve]" in failed.err
