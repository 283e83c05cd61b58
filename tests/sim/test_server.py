"""The simulated world over HTTP, spoken to by the clients that Fathom and others use."""

import asyncio
from collections.abc import AsyncIterator
from datetime import date
from typing import Any

import aiohttp
import openai
import orjson
import pytest

from fathom.sim.answering import answer
from fathom.sim.personas import PERSONAS
from fathom.sim.server import RunningWorld, start
from fathom.state.errors import UsageError
from fathom.state.spec import FaultRates, WorldSpec

SPEC = WorldSpec(seed=7)
QUESTION = "What is the chemical symbol of gold?"
PASSAGE = "Gold is written with the chemical symbol Au in formulas."
CHECK: dict[str, Any] = {
    "response_format": {"type": "json_object"},
    "extra_body": {
        "simulation": {
            "purpose": "check",
            "about": {"passage": PASSAGE, "question": QUESTION, "title": "Gold", "line": []},
        }
    },
}


@pytest.fixture
async def world() -> AsyncIterator[RunningWorld]:
    running = await start(SPEC, today=date(2026, 11, 20))
    yield running
    await running.aclose()


def client(running: RunningWorld, **options: Any) -> openai.AsyncOpenAI:
    return openai.AsyncOpenAI(base_url=running.api_url, api_key="any", max_retries=0, **options)


def chat(question: str, model: str = "student", **fields: Any) -> dict[str, Any]:
    return {"model": model, "messages": [{"role": "user", "content": question}], **fields}


async def test_a_persona_answers_in_prose(world: RunningWorld) -> None:
    async with client(world) as api:
        for fact in world.world.facts[:5]:
            reply = await api.chat.completions.create(
                **chat(fact.question, seed=3, temperature=0)
            )
            assert reply.choices[0].message.content == answer(
                world.world, PERSONAS["student"], fact
            )
            assert reply.choices[0].finish_reason == "stop"
            assert (reply.model, reply.system_fingerprint) == ("sim-student", "fp_simulated")
            assert reply.usage is not None
            assert (
                reply.usage.total_tokens
                == reply.usage.prompt_tokens + reply.usage.completion_tokens
                > 20
            )
        short = await api.chat.completions.create(
            **chat(world.world.facts[0].question, max_completion_tokens=4)
        )
        assert short.choices[0].finish_reason == "length"
        assert "student" in [model.id async for model in await api.models.list()]
    assert [served.purpose for served in world.log][:5] == ["answer"] * 5
    assert {served.status for served in world.log} == {200}


async def test_an_object_for_who_says_what_for_and_a_bare_answer_for_others(
    world: RunningWorld,
) -> None:
    async with client(world) as api:
        told = await api.chat.completions.create(**chat("Read this.", "evaluator", **CHECK))
        form = {"response_format": CHECK["response_format"]}
        other = await api.chat.completions.create(**chat(QUESTION, "evaluator", **form))
    reading = orjson.loads(told.choices[0].message.content or "")
    assert (reading["answerable"], reading["answer"]) == (True, "Au")
    assert "Au" in (other.choices[0].message.content or "")
    assert [served.purpose for served in world.log] == ["check", "answer"]
    assert {served.kind for served in world.log} == {"structured"}


async def test_the_chances_of_tokens_stand_beside_the_text(world: RunningWorld) -> None:
    async with client(world) as api:
        reply = await api.chat.completions.create(**chat(QUESTION, logprobs=True))
    choice = reply.choices[0]
    assert choice.logprobs is not None
    tokens = choice.logprobs.content or []
    assert "".join(token.token for token in tokens) == choice.message.content
    assert all(token.logprob < 0 for token in tokens)


async def test_unknown_model_and_bad_body_are_openai_errors(world: RunningWorld) -> None:
    async with client(world) as api:
        with pytest.raises(openai.NotFoundError) as caught:
            await api.chat.completions.create(**chat("?", "gpt-nothing"))
        assert caught.value.code == "model_not_found"
        with pytest.raises(openai.BadRequestError):
            await api.chat.completions.create(model="student", messages=[])
        with pytest.raises(openai.BadRequestError, match="stream"):
            await api.chat.completions.create(**chat("?", stream=True))


async def test_everything_is_labelled_and_the_port_in_use_is_named(world: RunningWorld) -> None:
    async with aiohttp.ClientSession() as http:
        for url in (f"{world.api_url}/models", world.wiki_url):
            async with http.get(url) as reply:
                assert reply.headers["X-Fathom-Simulated"] == "true"
    port = int(world.base_url.rpartition(":")[2])
    with pytest.raises(UsageError, match=rf"127\.0\.0\.1:{port}.*[Aa]ddress already in use"):
        await start(SPEC, port=port)


async def post(
    http: aiohttp.ClientSession, running: RunningWorld, body: dict[str, Any]
) -> tuple[int, str | None, Any]:
    async with http.post(f"{running.api_url}/chat/completions", json=body) as reply:
        return reply.status, reply.headers.get("Retry-After"), await reply.json()


async def arrived(running: RunningWorld, count: int) -> None:
    """Until so many requests have reached the server."""
    while len(running.log) < count:  # noqa: ASYNC110  # the server has no event for it
        await asyncio.sleep(0)


async def faults_seen(order: list[str]) -> dict[tuple[str, int], tuple[int, str | None, str]]:
    """What happens to three attempts at each question, asked in the given order."""
    rates = FaultRates(rate_limit=0.2, server_error=0.2, refusal=0.2, cut_off=0.2)
    running = await start(WorldSpec(seed=1, faults=rates))
    seen = {}
    try:
        async with aiohttp.ClientSession() as http:
            for attempt in (1, 2, 3):
                for question in order:
                    status, retry_after, body = await post(
                        http, running, chat(question, "omniscient")
                    )
                    finish = (
                        body["choices"][0]["finish_reason"]
                        if status == 200
                        else body["error"]["type"]
                    )
                    seen[question, attempt] = (status, retry_after, finish)
    finally:
        await running.aclose()
    return seen


async def test_faults_depend_on_the_request_and_the_attempt_not_on_the_order(
    world: RunningWorld,
) -> None:
    questions = [fact.question for fact in world.world.facts[:40]]
    forward = await faults_seen(questions)
    assert forward == await faults_seen(questions[::-1])
    assert {kind[0] for kind in forward.values()} == {200, 429, 500}
    assert all(
        (status == 429) == (retry_after is not None)
        for status, retry_after, _ in forward.values()
    )
    assert "length" in {finish for _, _, finish in forward.values()}
    assert any(forward[q, 1][0] != 200 and forward[q, 2][0] == 200 for q in questions)


async def test_malformed_and_refused_structured_replies() -> None:
    for rates, is_refused in (
        (FaultRates(malformed=1.0), False),
        (FaultRates(refusal=1.0), True),
    ):
        running = await start(WorldSpec(faults=rates))
        try:
            async with client(running) as api:
                reply = await api.chat.completions.create(
                    **chat("Read this.", "evaluator", **CHECK)
                )
            message = reply.choices[0].message
            assert (message.refusal is not None) is is_refused
            if not is_refused:
                with pytest.raises(orjson.JSONDecodeError):
                    orjson.loads(message.content or "")
        finally:
            await running.aclose()


async def test_a_hang_lasts_until_the_caller_gives_up_or_the_world_ends() -> None:
    running = await start(WorldSpec(faults=FaultRates(hang=1.0)))
    async with client(running, timeout=0.1) as api:
        with pytest.raises(openai.APITimeoutError):
            await api.chat.completions.create(**chat("?"))
    async with aiohttp.ClientSession() as http:
        waiting = asyncio.ensure_future(post(http, running, chat("?")))
        await arrived(running, 2)
        await running.aclose()
        await asyncio.wait([waiting], timeout=5)
        assert waiting.done()
        waiting.exception()
    assert [served.status for served in running.log] == [0, 0]
    assert [served.attempt for served in running.log] == [1, 2]
