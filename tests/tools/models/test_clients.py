"""Clients: keys and addresses, one pool per endpoint, secrets, proxies, usage and cost, and what is
posted."""

import asyncio
import json
import logging

import pytest
from aiohttp import encode_basic_auth
from langchain_openai import ChatOpenAI
from pydantic import SecretStr
from tests.support.model_server import (
    Step,
    answer,
    ask,
    clients_at,
    completion,
    ok,
    refuse,
    serving,
)

from fathom.state.errors import CallFailed, EndpointRefused, UsageError
from fathom.state.records import Usage
from fathom.tools.models.chat import Chat, ChatReply, Message
from fathom.tools.models.clients import Clients
from fathom.tools.models.dialect import payload_of

KEY = "sk-very-secret-1234"


@pytest.mark.parametrize(
    ("name", "variable"),
    [
        ("openai:m", "OPENAI_API_KEY"),
        ("openrouter:m", "OPENROUTER_API_KEY"),
        ("groq:m", "GROQ_API_KEY"),
        ("anthropic:m", "ANTHROPIC_API_KEY"),
    ],
)
def test_a_missing_or_blank_key_is_refused_with_the_variable(name: str, variable: str) -> None:
    for env in ({}, {variable: "  "}):
        with pytest.raises(UsageError, match=variable):
            Clients(env).get(name)


async def test_a_proxy_that_is_none_stands_in_the_way_of_nothing_on_this_machine(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for proxy in ("socks5://127.0.0.1:1", f"garbage://user:{KEY}@box", f"http://{KEY}:::"):
        monkeypatch.setenv("ALL_PROXY", proxy)
        async with serving(ok()) as server, clients_at() as clients:
            assert (
                await clients.get(f"openai@{server.base_url}:m").complete(ask())
            ).text == "Neon."
    async with clients_at() as clients:
        with pytest.raises(
            EndpointRefused, match=r"^The proxy in the environment .* is no address"
        ) as refused:
            await clients.get("openai@https://box.example/v1:m").complete(ask())
    assert KEY not in str(refused.value)


async def test_a_proxy_carries_what_goes_beyond_this_machine_and_learns_no_key(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    heads: list[bytes] = []

    async def tunnel(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heads.append(await reader.readuntil(b"\r\n\r\n"))
        writer.write(b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n")
        writer.close()

    tunnels = await asyncio.start_server(tunnel, "127.0.0.1", 0)
    port = tunnels.sockets[0].getsockname()[1]
    monkeypatch.setenv("HTTPS_PROXY", f"user:pass@127.0.0.1:{port}")
    monkeypatch.setenv("NO_PROXY", "elsewhere.example")
    env = {"OWN_KEY": KEY, "FATHOM_ALLOW_HTTP_KEYS": "1"}
    async with serving(ok()) as server, clients_at(env=env, attempts=1) as clients, tunnels:
        monkeypatch.setenv(
            "HTTP_PROXY", server.base_url.replace("//", "//user:pass@").removesuffix("/v1")
        )
        reply = await clients.get("openai@http://box.example/v1:m key=OWN_KEY").complete(ask())
        with pytest.raises(CallFailed):
            await clients.get("openai@https://box.example/v1:m key=OWN_KEY").complete(ask())
    assert reply.text == "Neon."
    assert server.headers[0]["Host"] == "box.example"
    password = encode_basic_auth("user", "pass")
    assert server.headers[0]["Proxy-Authorization"] == password
    assert heads[0].startswith(b"CONNECT box.example:443 ")
    assert password.encode() in heads[0]
    assert KEY.encode() not in heads[0]


@pytest.mark.parametrize(
    "name", ["ollama:llama3", "vllm:m", "lmstudio:m", "sim:student", "openai@http://box/v1:m"]
)
def test_local_and_own_endpoints_need_no_key(name: str) -> None:
    chat = Clients({}).get(name)
    assert isinstance(chat, Chat)
    assert chat.name == name


def test_a_provider_whose_package_is_missing_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "langchain.chat_models", None)
    with pytest.raises(UsageError, match="pip install langchain langchain-anthropic"):
        Clients({"ANTHROPIC_API_KEY": "test-key"}).get("anthropic:claude")


async def test_the_key_goes_to_the_endpoint_and_nowhere_else(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)
    refusal = refuse(401, f"Incorrect API key provided: {KEY}")
    async with (
        serving(ok(), refusal) as server,
        clients_at(env={"OPENAI_API_KEY": KEY}) as clients,
    ):
        chat = clients.get(f"openai@{server.base_url}:m key=OPENAI_API_KEY")
        await chat.complete(ask())
        with pytest.raises(EndpointRefused) as caught:
            await chat.complete(ask())
        shown = f"{clients!r} {chat!r} {caught.value!r} {vars(chat)!r} {caplog.text}"
    assert server.headers[0]["Authorization"] == f"Bearer {KEY}"
    assert KEY not in shown
    assert "OPENAI_API_KEY" in str(caught.value)


async def test_variables_of_the_openai_sdk_do_not_reach_other_endpoints(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_ORG_ID", "org-secret")
    monkeypatch.setenv("OPENAI_PROJECT_ID", "project-secret")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    async with serving(ok()) as server, clients_at() as clients:
        await clients.get(f"vllm@{server.base_url}:m").complete(ask())
    sent = json.dumps(dict(server.headers[0]))
    assert "secret" not in sent


async def test_the_base_url_variable_is_read_from_the_mapping() -> None:
    async with serving(ok()) as server:
        env = {"OPENAI_API_KEY": "test-key", "OPENAI_BASE_URL": server.base_url + "/"}
        async with clients_at(env=env) as clients:
            assert (await clients.get("openai:m").complete(ask())).text == "Neon."
    with pytest.raises(UsageError, match="OPENAI_BASE_URL is not a valid address"):
        Clients({"OPENAI_API_KEY": "test-key", "OPENAI_BASE_URL": "nowhere"}).get("openai:m")


async def test_the_simulated_world_is_found_when_it_is_asked_not_before() -> None:
    async with serving(ok()) as server, clients_at() as clients:
        chat = clients.get("sim:student")
        with pytest.raises(UsageError, match="simulated world"):
            await chat.complete(ask())
        clients.sim_url = server.base_url.removesuffix("/v1")
        reply = await chat.complete(ask())
    assert (reply.text, reply.cost_usd, reply.usage) == (
        "Neon.",
        0.0,
        Usage(input_tokens=11, output_tokens=7),
    )


async def test_one_model_is_one_chat_and_one_address_one_endpoint() -> None:
    async with serving(ok()) as server, clients_at() as clients:
        one, two = (clients.get(f"openai@{server.base_url}:{name}") for name in "ab")
        assert one is clients.get(f"openai@{server.base_url}:a")
        await one.complete(ask())
        await two.complete(ask())
        assert len(clients._endpoints) == 1
        other_key = Clients({"OPENAI_API_KEY": "another-key"})
        assert other_key.get(one.name) is not one


def priced(model: str, **usage: object) -> Step:
    body = completion() | {"model": model}
    body["usage"] |= usage
    return answer(json.dumps(body).encode())


@pytest.mark.parametrize(
    ("provider", "model", "usage", "cost"),
    [
        ("openrouter", "m", {"cost": 0.0123}, 0.0123),
        ("openrouter", "m", {"cost": 0}, 0.0),
        ("ollama", "m", {"cost": 5.0}, 0.0),
        ("sim", "m", {}, 0.0),
        ("openai", "gpt-4o", {}, None),  # at an address of one's own no price list speaks
    ],
)
async def test_what_a_call_costs(
    provider: str, model: str, usage: dict[str, object], cost: float | None
) -> None:
    async with serving(priced(model, **usage)) as server, clients_at() as clients:
        reply = await clients.get(f"{provider}@{server.base_url}:{model}").complete(ask())
    assert reply.cost_usd == cost


def test_listed_prices_count_cached_tokens_and_unknown_models_cost_none() -> None:
    from fathom.tools.models.dialect import Completion
    from fathom.tools.models.pricing import cost_usd
    from fathom.tools.models.providers import PROVIDERS

    def cost(model: str, named: str, cached: int = 0) -> float | None:
        usage = Usage(input_tokens=1_000_000, output_tokens=1_000_000)
        done = Completion(ChatReply("x", usage=usage, model=named), cached)
        return cost_usd(PROVIDERS["openai"], model, done, own_address=False)

    # gpt-4o: $2.50 in, $1.25 cached in, $10.00 out per million tokens
    assert cost("gpt-4o", "gpt-4o-2024-08-06") == pytest.approx(12.5)
    assert cost("gpt-4o", "some-alias") == pytest.approx(12.5)
    assert cost("gpt-4o", "gpt-4o", cached=1_000_000) == pytest.approx(11.25)
    assert cost("no-such-model", "no-such-model") is None


@pytest.mark.parametrize(
    "model", ["gpt-4o", "gpt-5-mini", "o1-mini", "o3-mini", "llama3:8b", "openai/o3-mini"]
)
def test_what_is_posted_is_what_chatopenai_would_post(model: str) -> None:
    turns = (
        Message("system", "Be brief."),
        Message("user", "Who?"),
        Message("assistant", "Ar."),
        Message("user", "So?"),
    )
    theirs = ChatOpenAI(model=model, api_key=SecretStr(KEY), use_responses_api=False)
    expected = theirs._get_request_payload([(turn.role, turn.content) for turn in turns])
    assert payload_of(model, turns, {"stream": False}) == expected
