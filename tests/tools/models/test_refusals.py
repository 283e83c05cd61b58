"""What particular providers say in an error, and what is made of it: words, samples, parameters,
keys."""

import asyncio
import json
from typing import Any

import pytest
from pydantic import TypeAdapter
from tests.support.model_server import (
    FakeTime,
    Step,
    answer,
    ask,
    clients_at,
    completion,
    ok,
    refuse,
    serving,
)
from tests.support.scripted_chat import GOOD, VERDICT, Scripted, Verdict

from fathom.state.errors import CallFailed, EndpointRefused, ReplyUnreadable, UsageError
from fathom.tools.cache.store import Entry
from fathom.tools.models.chat import ChatReply
from fathom.tools.models.clients import Clients, Limits
from fathom.tools.models.faults import HttpResponse, error_body_of
from fathom.tools.models.replies import prose, structured

from ...support.cached import store


async def kept_and_read(reply: ChatReply) -> ChatReply:
    """The reply as the cache gives it back."""
    shared, form = store(), TypeAdapter(ChatReply)
    await shared.keep(Entry("key", form), reply)
    return (await shared.get_or_call(Entry("key", form), never)).value


async def never() -> ChatReply:
    raise AssertionError("it is kept")


def error(status: int = 400, **fields: Any) -> Step:
    return answer(json.dumps({"error": fields}).encode(), status)


def spoilt(sample: Any, message: str = "Failed to generate JSON.") -> Step:
    return error(message=message, code="json_validate_failed", failed_generation=sample)


@pytest.mark.parametrize("sample", ["It is right.", "", None, {"right": "no"}])
async def test_a_sample_that_groq_holds_back_is_repaired_once(sample: Any) -> None:
    async with serving(spoilt(sample), ok(GOOD)) as server, clients_at() as clients:
        chat = clients.get(f"groq@{server.base_url}:m")
        assert await structured(chat, ask("Judge."), Verdict) == VERDICT
    assert server.calls == 2
    turns = server.bodies[1]["messages"]
    assert [turn["role"] for turn in turns] == ["user", "assistant", "user"]
    expected = (
        sample
        if isinstance(sample, str)
        else json.dumps(sample, separators=(",", ":"))
        if sample
        else ""
    )
    assert turns[1]["content"] == (expected or "(an empty reply)")


async def test_a_sample_that_is_held_back_twice_is_unreadable_and_no_bad_request() -> None:
    async with serving(spoilt("{")) as server, clients_at() as clients:
        with pytest.raises(ReplyUnreadable) as caught:
            await structured(clients.get(f"groq@{server.base_url}:m"), ask("Judge."), Verdict)
    assert (caught.value.kind, server.calls) == ("parse", 2)


async def test_a_held_back_sample_that_met_the_token_limit_gets_more_room() -> None:
    step = spoilt("", "max completion tokens reached before generating a valid document")
    async with serving(step, ok(GOOD)) as server, clients_at() as clients:
        await structured(
            clients.get(f"groq@{server.base_url}:m"), ask("Judge.", max_tokens=100), Verdict
        )
    assert [body["max_tokens"] for body in server.bodies] == [100, 400]


@pytest.mark.parametrize(
    "raw",
    [
        "Unsupported parameter: 'seed'",
        {"error": {"message": "Unsupported parameter: 'seed'"}},
        json.dumps({"error": {"message": "Unsupported parameter", "param": "seed"}}),
    ],
)
async def test_what_the_provider_behind_openrouter_said_is_learnt_from(raw: Any) -> None:
    step = error(
        message="Provider returned error",
        code=400,
        metadata={"raw": raw, "provider_name": "Acme"},
    )
    async with serving(step, ok()) as server, clients_at(FakeTime()) as clients:
        reply = await clients.get(f"openrouter@{server.base_url}:m").complete(ask(seed=7))
    assert (reply.text, server.calls) == ("Neon.", 2)
    assert "seed" not in server.bodies[1]


async def test_what_the_provider_behind_openrouter_said_is_in_the_message_without_a_key() -> (
    None
):
    raw = "context too long for key hunter2hunter2 and sk-abcdef12345"
    step = error(
        message="Provider returned error", metadata={"raw": raw, "provider_name": "Acme"}
    )
    env = {"OPENROUTER_API_KEY": "hunter2hunter2"}
    async with serving(step) as server, clients_at(env=env) as clients:
        with pytest.raises(
            CallFailed, match=r"Provider returned error \(Acme: context too long"
        ) as caught:
            await clients.get(
                f"openrouter@{server.base_url}:m key=OPENROUTER_API_KEY"
            ).complete(ask())
    assert "hunter2" not in str(caught.value)
    assert "abcdef12345" not in str(caught.value)


def test_an_empty_account_behind_openrouter_is_not_the_users() -> None:
    upstream = {"error": {"message": "quota", "code": "insufficient_quota"}}
    body = {
        "error": {
            "message": "x",
            "code": 429,
            "metadata": {"raw": upstream, "provider_name": "Acme"},
        }
    }
    assert not error_body_of(HttpResponse(429, {}, json.dumps(body).encode())).out_of_credit


async def test_a_refusal_in_words_is_given_alone_and_a_silent_one_with_a_guess() -> None:
    words = refuse(404, "Model m was retired on 1 May")
    async with (
        serving(words, answer(b"", 404)) as server,
        clients_at(env={"OPENAI_API_KEY": "test-key"}) as clients,
    ):
        messages = []
        for name in "mn":
            with pytest.raises(EndpointRefused) as caught:
                await clients.get(f"openai@{server.base_url}:{name}").complete(ask())
            messages.append(str(caught.value))
    assert messages[0].endswith("answered 404: Model m was retired on 1 May.")
    assert "It seems that there is no such model" in messages[1]


DEEP = b'{"error": {"a": ' + 300 * b"[" + 300 * b"]" + b"}}"


@pytest.mark.parametrize("figure", [1e30, -5, 10**400, float("nan"), "12", True, None, [5]])
async def test_usage_that_can_be_read_by_half_is_unknown_and_not_nearly_free(
    figure: Any,
) -> None:
    usage = {
        "prompt_tokens": figure,
        "completion_tokens": 7,
        "cost": figure,
        "prompt_tokens_details": figure,
    }
    async with (
        serving(answer(json.dumps(completion() | {"usage": usage}).encode())) as server,
        clients_at() as clients,
    ):
        reply = await clients.get(f"openai@{server.base_url}:m").complete(ask())
    assert (reply.usage.input_tokens, reply.usage.output_tokens, reply.cost_usd) == (0, 0, None)
    assert await kept_and_read(reply) == reply


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        ("stop", "stop"), ("MAX_TOKENS", "length"), ("SAFETY", "content_filter"), ("tool_use", "tool_calls"),
        ("refusal", "refusal"), (None, "stop"), ("", "stop"), ("hunter2hunter2", "other"), (["x"], "other"),
        ("FinishReason.STOP", "stop"), ("FinishReason.FINISH_REASON_MAX_TOKENS", "length"), ("eos_token", "stop"),
        ("maxTokens", "length"), ("max-tokens", "length"), ("FINISH_REASON_SAFETY", "content_filter"),
    ],
)  # fmt: skip
async def test_a_finish_reason_is_one_of_the_known_names(sent: Any, kept: str) -> None:
    env = {"OPENAI_API_KEY": "hunter2hunter2"}
    async with serving(ok(finish=sent)) as server, clients_at(env=env) as clients:
        assert (await clients.get(f"openai@{server.base_url}:m").complete(ask())).finish == kept


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (json.dumps(completion("It is \ud83d neon.")).encode(), "It is \ufffd neon."),
        (
            json.dumps(completion("It is \ud83d\ude00 \udc00.")).encode(),
            "It is \U0001f600 \ufffd.",
        ),
        (
            json.dumps(completion("It is neon.")).replace("neon", "n\xe9on").encode("latin-1"),
            "It is n\ufffdon.",
        ),
        (json.dumps(completion("It is neon.") | {"model": ["m"]}).encode(), "It is neon."),
    ],
)
async def test_a_sign_that_is_none_does_not_spoil_the_reply(body: bytes, text: str) -> None:
    async with serving(answer(body)) as server, clients_at() as clients:
        reply = await clients.get(f"openai@{server.base_url}:m").complete(ask())
    assert reply.text == text
    assert await kept_and_read(reply) == reply


@pytest.mark.parametrize("status", [200, 400, 500])
@pytest.mark.parametrize(
    "body",
    [
        DEEP,
        b"null",
        b"[]",
        b'{"error": [null, 5]}',
        b'{"detail": [{"loc": 5, "msg": [1]}]}',
        2000 * b"[",
        b"{",
    ],
)
async def test_an_answer_that_makes_no_sense_fails_the_call(body: bytes, status: int) -> None:
    step = answer(body, status, Retry_After="Fri, 01 May 99999999999999 12:00:20 GMT")
    async with serving(step) as server, clients_at(attempts=1) as clients:
        with pytest.raises(CallFailed, match=f"answered {status}"):
            await clients.get(f"openai@{server.base_url}:m").complete(ask())


async def test_hidden_reasoning_gets_four_and_then_eight_times_the_room() -> None:
    hidden, cut = (
        ChatReply("", finish="length", reasoning="Hm."),
        ChatReply("Ne", finish="length"),
    )
    answered: list[tuple[tuple[ChatReply | str, ...], list[int]]] = [
        ((hidden, ChatReply("Neon.")), [100, 400]),
        ((hidden, hidden, ChatReply("Neon.")), [100, 400, 800]),
        ((cut, hidden, ChatReply("Neon.")), [100, 200, 400]),
        ((hidden, cut, ChatReply("Neon.")), [100, 400, 800]),
        ((cut, hidden, hidden, "", ChatReply("Neon.")), [100, 200, 400, 800, 800]),
    ]
    for replies, limits in answered:
        chat = Scripted(*replies)
        assert (await prose(chat, ask(max_tokens=100))).text == "Neon."
        assert [request.max_tokens for request in chat.asked] == limits
    lost: list[tuple[tuple[ChatReply | str, ...], list[int]]] = [
        ((hidden,), [100, 400, 800]),
        ((cut,), [100, 200]),
        ((hidden, hidden, cut), [100, 400, 800]),
        ((cut, hidden, cut), [100, 200, 400]),
    ]
    for replies, limits in lost:
        chat = Scripted(*replies)
        with pytest.raises(
            ReplyUnreadable, match=f"at {limits[-1]} tokens, {limits[-1] // 100} times"
        ):
            await structured(chat, ask(max_tokens=100), Verdict)
        assert [request.max_tokens for request in chat.asked] == limits


@pytest.mark.parametrize(
    "where", ["http://192.168.1.5:8000/v1", "http://box/v1", "http://api.example.com/v1"]
)
def test_a_key_does_not_go_in_clear_to_another_machine(where: str) -> None:
    env = {"OPENAI_API_KEY": "hunter2hunter2"}
    with pytest.raises(UsageError, match=r"unencrypted.*FATHOM_ALLOW_HTTP_KEYS=1") as caught:
        Clients(env).get(f"openai@{where}:m key=OPENAI_API_KEY")
    assert "hunter2" not in str(caught.value)
    with pytest.raises(UsageError, match="unencrypted"):
        Clients({**env, "OPENAI_BASE_URL": where}).get("openai:m")
    assert Clients({**env, "FATHOM_ALLOW_HTTP_KEYS": "1"}).get(
        f"openai@{where}:m key=OPENAI_API_KEY"
    )
    assert Clients({}).get(f"openai@{where}:m")
    assert Clients(env).get(f"openai@{where.replace('http:', 'https:')}:m key=OPENAI_API_KEY")


@pytest.mark.parametrize(
    ("name", "chosen", "connections"),
    [
        ("ollama:m", None, 4),
        ("lmstudio:m", None, 4),
        ("ollama@http://box/v1:m", None, 4),
        ("vllm:m", None, 200),
        ("sim:student", None, 200),
        ("ollama:m", 64, 64),
        ("vllm:m", 1, 1),
    ],
)
def test_programs_for_one_person_get_four_calls_at_once(
    name: str, chosen: int | None, connections: int
) -> None:
    clients = Clients({}, Limits(max_connections=chosen))
    clients.get(name)
    assert clients.capacity == connections


async def test_the_number_for_a_local_program_is_kept() -> None:
    async with serving(ok()) as server, clients_at() as clients:
        chat = clients.get(f"ollama@{server.base_url}:m")
        await asyncio.gather(*(chat.complete(ask(str(i))) for i in range(20)))
    assert server.peak <= 4
    assert clients.meter.peak == 4
