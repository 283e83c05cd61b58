"""Endpoints that spoil a call: it ends in the right reply and a caveat, or in one clear cause. The
texts are those of real servers."""

import json
from dataclasses import dataclass
from typing import Any

import pytest
from pydantic import BaseModel
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

from fathom.state.errors import CallFailed
from fathom.tools.models.chat import ChatReply, ChatRequest, Message

SYSTEM = Message("system", "Be brief.")
TURNS = (SYSTEM, Message("user", "Which gas glows red?"))
FOLDED = [{"role": "user", "content": "Be brief.\n\nWhich gas glows red?"}]
JINJA = (
    "\n------------\nWhile executing CallExpression at line 19, column 27 in source:\n...% 2 == 0) "
    "-%}↵"
    '{{ raise_exception("Conversation roles must alternate user...\nError: Jinja Exception: '
    "Conversation roles must"
    " alternate user/assistant/user/assistant/..."
)


class Shape(BaseModel):
    right: bool


@dataclass
class Asked:
    reply: ChatReply
    bodies: list[dict[str, Any]]
    caveats: tuple[str, ...]


async def ask_twice(spoiler: Step, request: ChatRequest, *more: Step) -> Asked:
    """The reply to the second of two requests, of which the first met the spoiler."""
    time = FakeTime()
    async with serving(spoiler, *more, ok()) as server, clients_at(time) as clients:
        chat = clients.get(f"vllm@{server.base_url}:m")
        first = await chat.complete(request)
        reply = await chat.complete(request)
    assert (first.text, reply.text, time.slept) == ("Neon.", "Neon.", [])
    return Asked(reply, server.bodies, chat.caveats)  # type: ignore[attr-defined]  # not of the protocol


@pytest.mark.parametrize(
    "spoiler",
    [
        answer(
            b'{"object":"error","message":"System role not supported","type":"BadRequestError","code":400}',
            400,
        ),
        answer(
            json.dumps(
                {"error": {"code": 500, "message": JINJA, "type": "server_error"}}
            ).encode(),
            500,
        ),
        refuse(500, "jinja2.exceptions.TemplateError: System role not supported"),
        refuse(
            400,
            "Unsupported value: 'messages[0].role' does not support 'system' with this model.",
            "unsupported_value",
            "messages[0].role",
        ),
        refuse(400, "Only user and assistant roles are supported!"),
        refuse(400, "Developer instruction is not enabled for models/gemma-3-27b-it"),
    ],
)
async def test_without_a_system_role_its_text_begins_the_first_turn(spoiler: Step) -> None:
    asked = await ask_twice(spoiler, ask(messages=TURNS))
    assert [body["messages"] for body in asked.bodies[1:]] == [FOLDED, FOLDED]
    (caveat,) = asked.caveats
    assert "no system message" in caveat


async def test_a_template_that_fails_for_another_reason_is_a_fault() -> None:
    async with serving(refuse(400, JINJA)) as server, clients_at(FakeTime()) as clients:
        with pytest.raises(CallFailed, match="roles must alternate"):
            await clients.get(f"vllm@{server.base_url}:m").complete(ask(messages=TURNS[1:]))
    assert server.calls == 1


@pytest.mark.parametrize(
    ("message", "limit"),
    [
        (
            "max_tokens is too large: 2048. This model supports at most 1024 completion tokens, "
            "whereas you provided"
            " 2048.",
            1024,
        ),
        ("Invalid max_tokens value, the valid range of max_tokens is [1, 1024]", 1024),
        (
            "The parameter `max_completion_tokens` specified in the request are not valid: integer "
            "above maximum"
            " value, expected a value <= 1024, but got 2048 instead. Request id: 0217529643931424",
            1024,
        ),
        (
            "`max_tokens` must be less than or equal to `1024`, the maximum value for `max_tokens` "
            "is less than the"
            " `context_window` for this model: llama-3.1-8b",
            1024,
        ),
        ("Input validation error: `max_new_tokens` must be <= 192. Given: 2048", 192),
    ],
)
async def test_the_longest_reply_that_the_endpoint_names_is_remembered(
    message: str, limit: int
) -> None:
    asked = await ask_twice(refuse(400, message), ask(max_tokens=2048))
    assert [body["max_tokens"] for body in asked.bodies] == [2048, limit, limit]
    assert f"replies of {limit} tokens at most" in asked.caveats[0]


@pytest.mark.parametrize(
    ("message", "limit"),
    [
        (
            "This model's maximum context length is 4096 tokens. However, you requested 5048 "
            "tokens (3000 in the"
            " messages, 2048 in the completion). Please reduce the length of the messages or "
            "completion.",
            1096,
        ),
        (
            "'max_tokens' or 'max_completion_tokens' is too large: 2048. This model's maximum "
            "context length is 4096"
            " tokens and your request has 3000 input tokens (2048 > 4096 - 3000).",
            1096,
        ),
        (
            "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: "
            "3000 `inputs` tokens"
            " and 2048 `max_new_tokens`",
            1096,
        ),
        (
            "This endpoint's maximum context length is 4096 tokens. However, you requested about "
            "5048 tokens (3000 of"
            " text input, 2048 in the output).",
            1096,
        ),
        (
            "This model's maximum context length is 4096 tokens. However, you requested 2048 "
            "output tokens and your"
            " prompt contains at least 2049 input tokens, for a total of at least 4097 tokens.",
            1024,
        ),
    ],
)
async def test_what_the_prompt_leaves_of_the_context_is_asked_for(
    message: str, limit: int
) -> None:
    """The next prompt may be shorter: it is asked with the whole limit."""
    asked = await ask_twice(refuse(422, message), ask(max_tokens=2048))
    assert [body["max_tokens"] for body in asked.bodies] == [2048, limit, 2048]
    assert "its context of 4096 tokens" in asked.caveats[0]


@pytest.mark.parametrize(
    "message",
    [
        "This model's maximum context length is 4096 tokens. However, you requested 6048 tokens "
        "(4090 in the"
        " messages, 1958 in the completion).",
        "max_tokens is too large: 2048, gpt-3.5 and llama 3 take less",
        (
            "the request exceeds the available context size. try increasing the context size or "
            "enable context shift"
        ),
    ],
)
async def test_where_nothing_would_fit_the_endpoint_is_quoted(message: str) -> None:
    async with serving(refuse(400, message)) as server, clients_at(FakeTime()) as clients:
        with pytest.raises(CallFailed, match=message[:30]):
            await clients.get(f"vllm@{server.base_url}:m").complete(ask(max_tokens=2048))
    assert server.calls == 1


@pytest.mark.parametrize(
    ("spoiler", "name"),
    [
        (answer(b'{"message":"Invalid params: temperature must be in range (0, +inf)"}', 422), "temperature"),
        (refuse(422, "`temperature` has to be a strictly positive float, but is 0"), "temperature"),
        (refuse(400, "seed must be less than 4294967296", param="seed"), "seed"),
        (
            answer(b'{"detail":[{"loc":["body","top_p"],"msg":"Input should be less than 1"}]}', 422),
            "top_p",
        ),
        (refuse(400, "Invalid value for 'top_logprobs': must be at least 1"), "logprobs"),
    ],
)  # fmt: skip
async def test_a_parameter_whose_value_is_refused_is_left_out(spoiler: Step, name: str) -> None:
    asked = await ask_twice(spoiler, ask(seed=2**33, top_p=1.0, logprobs=True))
    assert [name in body for body in asked.bodies] == [True, False, False]
    (caveat,) = asked.caveats
    assert "the endpoint refuses" in caveat


@pytest.mark.parametrize(
    ("text", "tokens", "cached", "noticed"),
    [
        ("word " * 10_000, 2048, 0, True),
        ("word " * 10_000, 10_003, 0, False),
        ("word " * 10_000, 2048, 1024, False),
        ("word " * 10_000, 0, 0, False),
        ("=" * 1_000, 20, 0, False),
    ],
)
async def test_a_prompt_that_was_cut_off_silently_is_noticed_once(
    text: str, tokens: int, cached: int, noticed: bool
) -> None:
    usage = {
        "prompt_tokens": tokens,
        "completion_tokens": 7,
        "prompt_tokens_details": {"cached_tokens": cached},
    }
    async with (
        serving(answer(json.dumps(completion() | {"usage": usage}).encode())) as server,
        clients_at() as clients,
    ):
        chat = clients.get(f"vllm@{server.base_url}:m")
        for _ in range(2):
            await chat.complete(ask(text))
    caveats = chat.caveats  # type: ignore[attr-defined]  # not of the protocol
    assert len(caveats) == noticed
    assert all("2048 tokens in a prompt of 50000 characters" in caveat for caveat in caveats)
