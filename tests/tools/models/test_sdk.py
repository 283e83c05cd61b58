"""Azure's deployments and OpenAI's Responses API: spoken to as they are documented, and held to
what holds for all."""

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import pytest
from pydantic import BaseModel
from tests.support.model_server import (
    FakeTime,
    ModelServer,
    Step,
    answer,
    ask,
    clients_at,
    completion,
    hang,
    ok,
    refuse,
    serving,
)

from fathom.state.errors import CallFailed, EndpointRefused, EndpointUnreachable, UsageError
from fathom.state.records import Usage
from fathom.tools.models.address import locate_model, parse_model
from fathom.tools.models.chat import Message
from fathom.tools.models.clients import Clients
from fathom.tools.models.embeddings import EndpointEmbeddings
from fathom.tools.models.pricing import known_price

KEY = "azure-key-12345678"
AZURE, RESPONSES = "azure:my-gpt", "openai:gpt-5-mini api=responses"
NAMES = (AZURE, RESPONSES, f"{AZURE} api=responses")


class Colour(BaseModel):
    colour: str


def env_at(base_url: str) -> dict[str, str]:
    azure = {"AZURE_OPENAI_API_KEY": KEY, "AZURE_OPENAI_ENDPOINT": base_url.removesuffix("/v1")}
    return {
        **azure,
        "OPENAI_API_VERSION": "2024-10-21",
        "OPENAI_API_KEY": KEY,
        "OPENAI_BASE_URL": base_url,
    }


@asynccontextmanager
async def both(
    *steps: Step, time: FakeTime | None = None, **limits: Any
) -> AsyncIterator[tuple[ModelServer, Clients]]:
    async with (
        serving(*steps) as server,
        clients_at(time, env_at(server.base_url), **limits) as clients,
    ):
        yield server, clients


def response(text: str = "Neon.", **changes: Any) -> dict[str, Any]:
    part = {"type": "output_text", "text": text, "annotations": []}
    return {
        "id": "resp_1",
        "object": "response",
        "status": "completed",
        "error": None,
        "incomplete_details": None,
        "model": "gpt-5-mini-2025-08-07",
        "output": [
            {
                "id": "rs_1",
                "type": "reasoning",
                "summary": [{"type": "summary_text", "text": "Gases glow."}],
            },
            {
                "id": "msg_1",
                "type": "message",
                "role": "assistant",
                "status": "completed",
                "content": [part],
            },
        ],
        "usage": {
            "input_tokens": 11,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": 7,
            "output_tokens_details": {"reasoning_tokens": 4},
            "total_tokens": 18,
        },
        **changes,
    }


def said(name: str, text: str = "Neon.", finish: str = "stop", **changes: Any) -> Step:
    """A reply as the model's endpoint gives it."""
    if "responses" not in name:
        return answer(
            json.dumps(
                {**completion(text, finish), "model": "gpt-4o-2024-08-06", **changes}
            ).encode()
        )
    if finish != "stop":
        reason = "max_output_tokens" if finish == "length" else finish
        changes = {"status": "incomplete", "incomplete_details": {"reason": reason}, **changes}
    return answer(json.dumps(response(text, **changes)).encode())


async def test_azure_is_asked_for_its_deployment_with_its_version_and_key(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_ORG_ID", "somebody-elses")
    monkeypatch.setenv("AZURE_OPENAI_AD_TOKEN", "another-token")
    async with both(said(AZURE)) as (server, clients):
        reply = await clients.get(AZURE).complete(ask(schema=Colour, seed=7))
    assert server.paths == [
        "/openai/deployments/my-gpt/chat/completions?api-version=2024-10-21"
    ]
    (headers,), (body,) = server.headers, server.bodies
    assert headers["api-key"] == KEY
    assert not {"Authorization", "OpenAI-Organization"} & headers.keys()
    assert (body["response_format"]["type"], body["max_completion_tokens"], body["seed"]) == (
        "json_schema",
        100,
        7,
    )
    assert (reply.text, reply.usage, reply.model) == (
        "Neon.",
        Usage(input_tokens=11, output_tokens=7),
        "gpt-4o-2024-08-06",
    )
    assert reply.cost_usd == pytest.approx((11 * 2.5 + 7 * 10) / 1e6)


async def test_the_responses_api_is_asked_in_its_own_form() -> None:
    turns = (
        Message("system", "Be brief."),
        Message("user", "Which?"),
        Message("assistant", "A."),
        Message("user", "B?"),
    )
    async with both(said(RESPONSES)) as (server, clients):
        chat = clients.get(f'{RESPONSES} reasoning_effort=low body.service_tier="flex"')
        reply = await chat.complete(ask(schema=Colour, seed=7, messages=turns, logprobs=True))
    assert (server.paths, server.headers[0]["Authorization"]) == (
        ["/v1/responses"],
        f"Bearer {KEY}",
    )
    (body,) = server.bodies
    assert [(item["role"], item["type"]) for item in body["input"]] == [
        ("system", "message"),
        ("user", "message"),
        ("assistant", "message"),
        ("user", "message"),
    ]
    assert body["text"]["format"]["type"] == "json_schema"
    assert body["text"]["format"]["schema"]["required"] == ["colour"]
    sent = {
        name: body[name]
        for name in ("reasoning", "max_output_tokens", "temperature", "store", "service_tier")
    }
    assert sent == {
        "reasoning": {"effort": "low"},
        "max_output_tokens": 100,
        "temperature": 0.0,
        "store": False,
        "service_tier": "flex",
    }
    assert not {"messages", "seed", "response_format", "logprobs"} & body.keys()
    assert (reply.text, reply.reasoning, reply.finish) == ("Neon.", "Gases glow.", "stop")
    assert reply.usage == Usage(input_tokens=11, output_tokens=7)
    assert "seed is not sent" in " ".join(chat.caveats)  # type: ignore[attr-defined]  # not of the protocol


@pytest.mark.parametrize("name", NAMES)
async def test_429s_faults_and_cut_offs_are_what_they_are_everywhere(name: str) -> None:
    time = FakeTime()
    busy = refuse(429, "slow down", Retry_After="7")
    async with both(
        busy, refuse(500), said(name, "Ne", "length"), time=time, attempts=2, backoff_s=0.0
    ) as (
        server,
        clients,
    ):
        reply = await clients.get(name).complete(ask())
    assert (reply.text, reply.finish, reply.attempts, time.slept[0]) == ("Ne", "length", 3, 7.0)
    assert server.calls == 3  # the client below tries nothing again
    async with both(hang, timeout_s=0.2, attempts=1) as (_, clients):
        with pytest.raises(CallFailed, match=r"no reply within 0\.2 s"):
            await clients.get(name).complete(ask())


@pytest.mark.parametrize("name", NAMES)
async def test_a_refused_key_is_told_once_and_never_repeated(name: str) -> None:
    async with both(refuse(401, f"Access denied for {KEY}")) as (server, clients):
        for _ in range(2):
            with pytest.raises(
                EndpointRefused, match=r"answered 401: Access denied for \[key\].*_API_KEY"
            ) as caught:
                await clients.get(name).complete(ask())
            assert KEY not in str(caught.value)
    assert server.calls == 1
    async with both(said(name, f"My key is {KEY}.")) as (_, clients):
        assert (await clients.get(name).complete(ask())).text == "My key is [key]."
    env = env_at("http://127.0.0.1:9/v1")
    async with clients_at(FakeTime(), env) as clients:
        with pytest.raises(EndpointUnreachable, match="connection refused"):
            await clients.get(name).complete(ask())


@pytest.mark.parametrize("name", NAMES)
async def test_what_a_filter_holds_back_and_what_is_refused(name: str) -> None:
    filtered = refuse(400, "The response was filtered due to the prompt", "content_filter")
    async with both(filtered, said(name, "", "content_filter")) as (_, clients):
        finishes = [(await clients.get(name).complete(ask())).finish for _ in range(2)]
    assert finishes == ["content_filter"] * 2
    part = {"type": "refusal", "refusal": "I cannot help."}
    output = [{"type": "message", "role": "assistant", "content": [part]}]
    step = (
        said(name, output=output) if "responses" in name else ok(None, refusal="I cannot help.")
    )
    async with both(step) as (_, clients):
        reply = await clients.get(name).complete(ask())
    assert (reply.text, reply.refusal) == ("", "I cannot help.")


async def test_a_response_that_failed_is_a_fault_with_its_own_words() -> None:
    failed = response(
        status="failed",
        output=[],
        error={"code": "server_error", "message": "The model broke down."},
    )
    async with both(answer(json.dumps(failed).encode()), attempts=1) as (_, clients):
        with pytest.raises(CallFailed, match="The model broke down"):
            await clients.get(RESPONSES).complete(ask())


async def test_a_form_of_schema_that_is_not_taken_is_asked_for_otherwise() -> None:
    complaint = refuse(
        400,
        "Invalid parameter: 'text.format' of type 'json_schema' is not supported",
        None,
        "text.format",
    )
    async with both(complaint, said(RESPONSES)) as (server, clients):
        await clients.get(RESPONSES).complete(ask(schema=Colour))
    assert [body["text"]["format"]["type"] for body in server.bodies] == [
        "json_schema",
        "json_object",
    ]


async def test_EndpointEmbeddings_a_deployment() -> None:
    vectors = answer(json.dumps({"data": [{"index": 0, "embedding": [1.0, 0.5]}]}).encode())
    async with serving(vectors) as server:
        embeds = EndpointEmbeddings("azure:small", env_at(server.base_url))
        assert await embeds.aembed_documents(["Neon"]) == [[1.0, 0.5]]
    assert server.paths == ["/openai/deployments/small/embeddings?api-version=2024-10-21"]


@pytest.mark.parametrize(
    ("model", "env", "says"),
    [
        (AZURE, {}, "needs an address: set AZURE_OPENAI_ENDPOINT"),
        (
            AZURE,
            {"AZURE_OPENAI_ENDPOINT": "https://x.azure.com"},
            "needs a version.*OPENAI_API_VERSION",
        ),
        (
            AZURE,
            env_at("https://x") | {"AZURE_OPENAI_API_KEY": ""},
            "needs a key: set AZURE_OPENAI_API_KEY",
        ),
        (AZURE, env_at("http://x"), "would send your key unencrypted"),
        ("anthropic:m api=responses", {}, "has no Responses API"),
        ("sim:student api=responses", {}, "has no Responses API"),
    ],
)
def test_what_is_missing_is_said_before_any_call(
    model: str, env: Mapping[str, str], says: str
) -> None:
    with pytest.raises(UsageError, match=says):
        Clients({name: value for name, value in env.items() if value}).get(model)


def test_azures_address_and_price_are_known_beforehand() -> None:
    env = env_at("https://x.openai.azure.com/v1")
    assert locate_model(parse_model(AZURE), env) == ("https://x.openai.azure.com", False)
    price = known_price("azure:gpt-4o", env)
    assert price is not None
    assert (price.input_usd, price.output_usd) == (2.5, 10.0)
