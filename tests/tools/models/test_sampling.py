"""Settings by which a model is sampled: what is sent, what is refused, and two efforts of one model
in one launch."""

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import Any

import orjson
import pytest
from aiohttp import ClientSession, web
from tests.support.command_line import Caller, on_a_thread, world
from tests.support.host_models import HostModel
from tests.support.model_server import ModelServer, ask, clients_at, ok, refuse, serving

from fathom.state.errors import EndpointRefused, ReplyUnreadable, UsageError
from fathom.state.spec import label_of
from fathom.tools.models.address import parse_model
from fathom.tools.models.clients import Clients
from fathom.tools.models.family import related
from fathom.tools.models.model import reply_key
from fathom.tools.models.pricing import PriceList
from fathom.tools.models.replies import prose
from fathom.tools.models.settings import defined

GPT = "openai:gpt-5"
LOW, HIGH = f"{GPT} reasoning_effort=low", f"{GPT} reasoning_effort=high"


async def test_what_is_chosen_for_a_model_is_sent_in_place_of_what_a_request_says() -> None:
    chosen = (
        'temperature=.50 top_p=1 reasoning_effort=high max_tokens=900 body.reasoning={"effort": '
        '"low, or so"}'
    )
    async with serving(ok()) as server, clients_at() as clients:
        await clients.get(f"openai@{server.base_url}:m {chosen} body.top_k=40").complete(ask())
    (body,) = server.bodies
    del body["model"], body["messages"], body["stream"]
    assert body == {
        "temperature": 0.5,
        "top_p": 1.0,
        "reasoning_effort": "high",
        "max_tokens": 900,
        "reasoning": {"effort": "low, or so"},
        "top_k": 40,
    }


def test_settings_of_sampling_are_one_text_a_label_and_a_key_of_the_cache() -> None:
    written = """body.x={"b":"it's", "a":[1]} system='Be "brief".' max_tokens=900 top_p=1 temperature=0"""
    one = parse_model(f"{GPT} {written}")
    words = """temperature=0.0 top_p=1.0 max_tokens=900 system='Be "brief".' body.x={"a":[1],"b":"it's"}"""
    assert one.text == f"{GPT} {words}"
    assert parse_model(one.text) == one
    assert (
        one.label
        == label_of(one.text)
        == f"{GPT} temperature=0.0 top_p=1.0 max_tokens=900 body.x={{a:[1],b:it's}}"
    )
    settings = (
        "",
        "temperature=1",
        "top_p=.9",
        "reasoning_effort=low",
        "reasoning_effort=high",
        "max_tokens=50",
    )
    names = [
        f"{GPT} {setting}".strip()
        for setting in (*settings, "body.x=1", "body.x=2", "api=responses")
    ]
    assert len({reply_key("https://host/v1", name, ask()) for name in names}) == len(names)
    assert len({label_of(parse_model(name).text) for name in names}) == len(names)
    langchain = [
        f"anthropic:m {setting}"
        for setting in ("reasoning_effort=low", "reasoning_effort=high")
    ]
    assert len({reply_key("langchain:anthropic", name, ask()) for name in langchain}) == 2


def test_a_price_is_written_for_a_model_or_for_one_of_its_efforts() -> None:
    prices = PriceList.parse([f"{GPT}=1/2", f"{HIGH}=3/4"])
    assert [prices.price(name) for name in (GPT, LOW)] == [prices.named[GPT]] * 2
    assert prices.price(HIGH) == prices.named[HIGH]
    prices.require_named([LOW, HIGH])
    limits = [
        prices.worst_usd(f"{LOW} max_tokens={limit}", ask()) or 0 for limit in (1000, 2000)
    ]
    assert limits[1] - limits[0] == pytest.approx(1000 * 2 / 1e6)
    assert "the target's own family (gpt)" in (related(LOW, HIGH) or "")


def test_a_model_with_a_name_of_its_own_keeps_it_beside_what_is_added() -> None:
    env = {"FATHOM_MODEL_RAG": f"{GPT} temperature=0"}
    names = [
        parse_model(defined(f"rag {added}".strip(), env)).label
        for added in ("", "reasoning_effort=low")
    ]
    assert names == ["rag", "rag reasoning_effort=low"]
    rates = PriceList.parse(["rag=1/2"])
    rates.require_named([parse_model(defined("rag reasoning_effort=low", env)).text])


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ("temperature=hot", "temperature= takes a number from 0 to 2"),
        ("temperature=nan", "temperature= takes"),
        ("temperature=2.1", "temperature= takes"),
        ("top_p=0", "top_p= takes a number above 0"),
        ("max_tokens=0", "max_tokens= takes a whole number from 1"),
        ("max_tokens=1e3", "max_tokens= takes"),
        ("reasoning_effort='very high'", "reasoning_effort= takes one word"),
        ("api=chat", "api= takes responses"),
        ("temperature=1 temperature=1", "stands there twice"),
        ("body.x=flex", 'body.x= takes JSON, as in body.service_tier="flex"'),
        ("body.x=NaN", "takes JSON"),
        ("body.x=" + "[" * 9000, "takes JSON"),
        ("body.=1", "the name of one field"),
        ("body.messages=[]", "Fathom sets messages itself"),
        ("body.model=1", "Fathom sets model itself"),
        ("body.stream=true", "Fathom sets stream itself"),
        ("body.temperature=1", "Fathom sets temperature itself"),
        ('body.api_key="abc"', "may hold a secret"),
        ('body.user="sk-abcdefgh12345678"', "may hold a secret"),
        ("body.x=1 body.x=1", "stands there twice"),
    ],
)
def test_wrong_settings_are_refused_and_the_known_ones_named(settings: str, says: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_model(f"{GPT} {settings}")
    assert says in str(caught.value)
    assert "abc" not in str(caught.value)
    assert "may hold" in says or "reasoning_effort=WORD, max_tokens=NUMBER" in str(caught.value)


@pytest.mark.parametrize(
    ("setting", "message", "param"),
    [
        (
            "reasoning_effort=low",
            "Unrecognized request argument supplied: reasoning_effort",
            None,
        ),
        ("reasoning_effort=minimal", "Invalid value: 'minimal'.", "reasoning.effort"),
        (
            "temperature=0.7",
            "Unsupported value: 'temperature' does not support 0.7 with this model.",
            "temperature",
        ),
        ("body.top_k=40", "top_k: Extra inputs are not permitted", None),
    ],
)
async def test_a_setting_that_the_endpoint_refuses_is_told_and_never_left_out(
    setting: str, message: str, param: str | None
) -> None:
    name = setting.partition("=")[0].removeprefix("body.")
    async with (
        serving(refuse(400, message, None, param), ok()) as server,
        clients_at() as clients,
    ):
        chat = clients.get(f"openai@{server.base_url}:m {setting}")
        for _ in range(2):
            with pytest.raises(
                EndpointRefused,
                match=f"refuses its setting {name}: .*Change {name}, or leave it out",
            ):
                await chat.complete(ask())
        assert server.calls == 1
        other = await clients.get(f"openai@{server.base_url}:m max_tokens=50").complete(ask())
    assert other.text == "Neon."


async def test_a_reply_that_is_cut_off_at_a_chosen_limit_is_not_asked_for_with_more() -> None:
    async with serving(ok("Ne", "length")) as server, clients_at() as clients:
        with pytest.raises(
            ReplyUnreadable, match="was cut off at 50 tokens, its setting max_tokens"
        ):
            await prose(clients.get(f"openai@{server.base_url}:m max_tokens=50"), ask())
    assert [body["max_tokens"] for body in server.bodies] == [50]


class Plain(HostModel):
    """What LangChain makes of a provider that knows no more than these."""

    temperature: float | None = None
    max_tokens: int | None = None


def test_what_langchains_model_does_not_take_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "langchain", SimpleNamespace())
    made = SimpleNamespace(init_chat_model=lambda model, **options: Plain())
    monkeypatch.setitem(sys.modules, "langchain.chat_models", made)
    clients = Clients({"ANTHROPIC_API_KEY": "the-test-key"})
    for setting in ("top_p=.5", "reasoning_effort=low", "body.thinking=1"):
        with pytest.raises(
            UsageError, match=f"takes no {setting.partition('=')[0].removeprefix('body.')}"
        ):
            clients.get(f"anthropic:claude {setting}")
    clients.get("anthropic:claude temperature=0.5 max_tokens=90")


@asynccontextmanager
async def thinking() -> AsyncIterator[tuple[ModelServer, str]]:
    """A model that is a novice, or an expert where it is asked to think hard, and the world that
    answers for it."""
    async with world() as running, ClientSession(running.api_url + "/") as session:

        async def by_effort(server: ModelServer, request: web.Request) -> web.StreamResponse:
            model = (
                "expert" if server.bodies[-1].get("reasoning_effort") == "high" else "novice"
            )
            async with session.post(
                "chat/completions", json={**server.bodies[-1], "model": model}
            ) as reply:
                return web.Response(
                    body=await reply.read(),
                    status=reply.status,
                    content_type="application/json",
                )

        async with serving(by_effort) as server:
            yield server, running.api_url


def test_two_efforts_of_one_model_are_two_targets_of_a_launch(call: Caller) -> None:
    with on_a_thread(thinking) as (server, at):
        model = f"openai@{server.base_url}:thinker"
        targets = [f"{model} reasoning_effort={effort}" for effort in ("low", "high")]
        named = (
            "-t",
            targets[0],
            "-t",
            targets[1],
            "-e",
            f"sim@{at}:evaluator",
            "-n",
            "4",
            "--max-depth",
            "3",
        )
        planned = call(
            "plan",
            "drill",
            "Chemical elements",
            *named,
            "--price",
            f"{model}=1/2",
            "--price",
            "0/0",
        )
        drilled = call("drill", "Chemical elements", *named, "--json", "--yes")
        assert (planned.code, drilled.code) == (0, 0), planned.err + drilled.err
        results: list[dict[str, Any]] = orjson.loads(drilled.out)
        calls = server.calls
        again = call("drill", "Chemical elements", *named, "--json", "--yes")
        compared = call("compare", *(result["run_id"] for result in results))
    assert server.calls == calls, "both are in the cache, each by itself"
    assert [result["spec"]["target"] for result in results] == targets
    low, high = (result["evd"] for result in results)
    assert high > low
    assert [result["evd"] for result in orjson.loads(again.out)] == [low, high]
    efforts = {body["reasoning_effort"] for body in server.bodies}
    assert efforts == {"low", "high"}
    assert all(f"reasoning_effort={effort}" in compared.out for effort in efforts), (
        compared.out + compared.err
    )
