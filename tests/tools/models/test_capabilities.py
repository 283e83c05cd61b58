"""What is sent, and how a model's complaints about a parameter are learnt from."""

import asyncio
from typing import Annotated, Any

import pytest
from pydantic import BaseModel, Field, StrictBool
from tests.support.model_server import (
    FakeTime,
    Step,
    answer,
    ask,
    clients_at,
    ok,
    refuse,
    serving,
)

from fathom.state.errors import CallFailed
from fathom.tools.models.dialect import strict_schema


class Verdict(BaseModel):
    reason: str = ""
    right: StrictBool
    confidence: Annotated[float, Field(ge=0.0, le=1.0)]


async def body_sent(
    request: Any, provider: str = "openai", env: dict[str, str] | None = None
) -> dict[str, Any]:
    async with serving(ok("{}")) as server, clients_at(env=env) as clients:
        await clients.get(f"{provider}@{server.base_url}:m").complete(request)
    return server.bodies[0]


async def test_a_plain_request_carries_what_was_asked_and_nothing_else() -> None:
    body = await body_sent(ask("Why?", seed=7))
    assert body == {
        "model": "m",
        "messages": [{"role": "user", "content": "Why?"}],
        "stream": False,
        "max_tokens": 100,
        "temperature": 0.0,
        "seed": 7,
    }


async def test_no_temperature_and_no_seed_are_sent_when_none_are_asked_for() -> None:
    body = await body_sent(ask(temperature=None))
    assert "temperature" not in body
    assert "seed" not in body


@pytest.mark.parametrize(
    ("provider", "field"),
    [
        ("mistral", "random_seed"),
        ("openrouter", "usage"),
        ("groq", "seed"),
        ("deepseek", "seed"),
    ],
)
async def test_providers_have_their_own_names(provider: str, field: str) -> None:
    assert field in await body_sent(ask(seed=7), provider)


async def test_openai_itself_gets_the_new_name_of_the_limit() -> None:
    from fathom.tools.models.dialect import Dialect
    from fathom.tools.models.providers import PROVIDERS

    dialect = Dialect.of(PROVIDERS["openai"], own_address=False)
    assert dialect.parameters(ask())["max_completion_tokens"] == 100


async def test_the_schema_goes_by_response_format_strict_and_named() -> None:
    body = await body_sent(ask(schema=Verdict))
    sent = body["response_format"]["json_schema"]
    assert (sent["name"], sent["strict"]) == ("Verdict", True)
    assert sent["schema"]["required"] == ["reason", "right", "confidence"]
    assert sent["schema"]["additionalProperties"] is False
    assert sent["schema"]["properties"]["confidence"] == {"type": "number"}
    assert "<schema>" not in body["messages"][0]["content"]


async def test_deepseek_gets_json_object_and_the_schema_in_the_prompt() -> None:
    body = await body_sent(ask(schema=Verdict), "deepseek")
    assert body["response_format"] == {"type": "json_object"}
    assert "<schema>\n{" in body["messages"][0]["content"]


def test_a_nested_shape_is_strict_all_the_way_down() -> None:
    class Inner(BaseModel):
        default: int = 3  # a field that is named like a keyword stays

    class Outer(BaseModel):
        items: list[Inner]
        maybe: Inner | None = None

    schema = strict_schema(Outer)
    assert schema["required"] == ["items", "maybe"]
    inner = schema["$defs"]["Inner"]
    assert inner["properties"] == {"default": {"type": "integer"}}
    assert (inner["required"], inner["additionalProperties"]) == (["default"], False)
    assert "default" not in schema["properties"]["maybe"]


UNSUPPORTED = [
    (
        "temperature",
        refuse(
            400,
            "Unsupported value: 'temperature' does not support 0 with this model.",
            param="temperature",
        ),
        {"temperature": None},
    ),
    ("seed", refuse(400, "Unrecognized request argument supplied: seed"), {"seed": None}),
    (
        "seed",
        answer(
            b'{"detail": [{"type": "extra_forbidden", "loc": ["body", "seed"], "msg": "Extra inputs"}]}',
            422,
        ),
        {"seed": None},
    ),
    (
        "max_tokens",
        refuse(
            400,
            "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.",
            param="max_tokens",
        ),
        {"max_tokens": None, "max_completion_tokens": 100},
    ),
    (
        "response_format",
        refuse(400, "This model does not support response format `json_schema`."),
        {"response_format": {"type": "json_object"}},
    ),
]


@pytest.mark.parametrize(("name", "complaint", "expected"), UNSUPPORTED)
async def test_an_unsupported_parameter_is_learnt_once(
    name: str, complaint: Step, expected: dict[str, Any]
) -> None:
    time = FakeTime()
    async with serving(complaint, ok("{}")) as server, clients_at(time) as clients:
        chat = clients.get(f"openai@{server.base_url}:m")
        reply = await chat.complete(ask(seed=7, schema=Verdict))
        await chat.complete(ask(seed=7, schema=Verdict))
        other = await clients.get(f"openai@{server.base_url}:other").complete(ask(seed=7))
    assert (server.calls, reply.attempts, other.attempts, time.slept) == (4, 1, 1, [])
    assert name in server.bodies[0]
    for body in server.bodies[1:3]:
        assert {key: body.get(key) for key in expected} == expected
    assert "max_tokens" in server.bodies[3]  # another model starts afresh


async def test_an_endpoint_without_response_format_gets_the_schema_in_the_prompt() -> None:
    complaint = refuse(400, "response_format is not supported")
    async with serving(complaint, complaint, ok("{}")) as server, clients_at() as clients:
        await clients.get(f"openai@{server.base_url}:m").complete(ask("Why?", schema=Verdict))
    last = server.bodies[2]
    assert "response_format" not in last
    content = last["messages"][0]["content"]
    assert content.startswith("Why?\n\nReply with one JSON object")
    assert content.endswith("</schema>")


async def test_siblings_that_meet_the_same_complaint_do_not_learn_twice() -> None:
    complaint = refuse(400, "response_format json_schema is not supported")
    async with (
        serving(complaint, complaint, complaint, ok("{}")) as server,
        clients_at() as clients,
    ):
        chat = clients.get(f"openai@{server.base_url}:m")
        await asyncio.gather(*(chat.complete(ask(str(i), schema=Verdict)) for i in range(3)))
    # one step down, not three: JSON objects are still asked for
    assert server.bodies[-1]["response_format"] == {"type": "json_object"}


async def test_an_endpoint_that_takes_nothing_ends_and_does_not_loop() -> None:
    complaint = refuse(400, "Unsupported parameter: max_tokens and max_completion_tokens")
    async with serving(complaint) as server, clients_at(FakeTime()) as clients:
        with pytest.raises(CallFailed) as caught:
            await clients.get(f"openai@{server.base_url}:m").complete(ask())
    assert (caught.value.kind, server.calls) == ("bad_request", 8)


async def test_a_complaint_about_a_value_is_not_about_the_parameter() -> None:
    async with (
        serving(refuse(400, "max_tokens is too large: 100")) as server,
        clients_at() as clients,
    ):
        with pytest.raises(CallFailed, match="too large"):
            await clients.get(f"openai@{server.base_url}:m").complete(ask())
    assert server.calls == 1
