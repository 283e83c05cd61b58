"""Log-probabilities and top_p over a real socket: what is sent, what is read, and what becomes of a
refusal."""

import json
from typing import Any

import pytest
from tests.support.cached import cached, store
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

from fathom.state.errors import EndpointRefused
from fathom.tools.models.chat import ChatReply

NEON = [
    {"token": "Ne", "logprob": -0.5, "top_logprobs": []},
    {"token": "on.", "logprob": -0.25, "top_logprobs": []},
]
THOUGHT = [{"token": "Red?", "logprob": -3.0}, {"token": "</think>", "logprob": -0.1}]
NO_LOGPROBS = "log-probabilities are not asked for, because the endpoint refuses it"


def with_logprobs(
    logprobs: object, text: str = "Neon.", details: object = None, **message: Any
) -> Step:
    body = completion(text, **message)
    body["choices"][0]["logprobs"] = logprobs
    body["usage"]["completion_tokens_details"] = details
    return answer(json.dumps(body).encode())


async def replied(step: Step, **changes: Any) -> ChatReply:
    async with serving(step) as server, clients_at() as clients:
        return await clients.get(f"vllm@{server.base_url}:m").complete(ask(**changes))


@pytest.mark.parametrize(
    ("provider", "asked"), [("openai", True), ("openrouter", True), ("together", 1)]
)
async def test_both_are_sent_when_they_are_asked_for_and_only_then(
    provider: str, asked: object
) -> None:
    async with serving(ok()) as server, clients_at() as clients:
        chat = clients.get(f"{provider}@{server.base_url}:m")
        await chat.complete(ask(logprobs=True, top_p=0.9, temperature=1.0))
        await chat.complete(ask())
    full, plain = server.bodies
    assert (full["top_p"], full["temperature"]) == (0.9, 1.0)  # together they are allowed
    assert full["logprobs"] is asked if asked is True else full["logprobs"] == asked
    assert set(full) - set(plain) == {"top_p", "logprobs"}  # no top_logprobs among them


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"content": NEON, "refusal": None}, (-0.5, -0.25)),
        ({"tokens": ["Ne", "on."], "token_logprobs": [-0.5, 0]}, (-0.5, 0.0)),  # Together's
        ({"content": None, "token_logprobs": [-0.5]}, (-0.5,)),  # an early vLLM's
        (
            {"content": [{"token": "x", "logprob": -9999.0}]},
            (-9999.0,),
        ),  # the statistics know what that is
        (None, None),
        ([], None),
        ("-0.5", None),
        ({}, None),
        ({"content": []}, None),
        ({"content": {"logprob": -0.5}}, None),
        (
            {"content": None, "refusal": NEON},
            None,
        ),  # what a refusal's tokens had is not the content's
        ({"content": [*NEON, {"token": "!"}]}, None),
        ({"content": [*NEON, None]}, None),
        ({"content": [*NEON, {"token": "!", "logprob": None}]}, None),
        ({"content": [*NEON, {"token": "!", "logprob": "-1"}]}, None),
        ({"content": [*NEON, {"token": "!", "logprob": True}]}, None),
        ({"token_logprobs": [None, -0.5]}, None),
        ({"token_logprobs": -0.5}, None),
    ],
    ids=str,
)
async def test_one_number_per_token_is_read_and_nothing_else(
    given: object, expected: object
) -> None:
    reply = await replied(with_logprobs(given), logprobs=True)
    assert (reply.text, reply.logprobs) == ("Neon.", expected)


async def test_what_was_not_asked_for_is_not_kept() -> None:
    assert (await replied(with_logprobs({"content": NEON}))).logprobs is None


async def test_tokens_of_hidden_reasoning_are_never_taken_for_those_of_the_reply() -> None:
    mixed, only = {"content": [*THOUGHT, *NEON]}, {"content": NEON}
    assert (
        await replied(with_logprobs(mixed, reasoning_content="Red?"), logprobs=True)
    ).logprobs is None
    assert (
        await replied(with_logprobs(mixed, reasoning="Red?"), logprobs=True)
    ).logprobs is None
    assert (
        await replied(with_logprobs(mixed, "<think>Red?</think>Neon."), logprobs=True)
    ).logprobs is None
    assert (
        await replied(with_logprobs(mixed, "<think>\n</think>\nNeon."), logprobs=True)
    ).logprobs is None
    assert (
        await replied(with_logprobs(mixed, details={"reasoning_tokens": 2}), logprobs=True)
    ).logprobs is None
    # where they spell the reply alone, the server has told them apart itself
    assert (
        await replied(with_logprobs(only, reasoning_content="Red?"), logprobs=True)
    ).logprobs == (-0.5, -0.25)


async def test_a_character_shared_by_tokens_is_spelt_by_their_bytes() -> None:
    # é is C3 A9 in UTF-8, and neither half is a text of its own
    halves = [
        {"token": rf"\x{byte:x}", "bytes": [byte], "logprob": -0.5} for byte in b"\xc3\xa9"
    ]
    reply = await replied(
        with_logprobs({"content": halves}, "é", reasoning_content="Hm."), logprobs=True
    )
    assert reply.logprobs == (-0.5, -0.5)


def mistral(name: str) -> Step:
    entry = {
        "type": "extra_forbidden",
        "loc": ["body", name],
        "msg": "Extra inputs are not permitted",
        "input": True,
    }
    body = {
        "object": "error",
        "message": {"detail": [entry]},
        "type": "invalid_request_error",
        "param": None,
    }
    return answer(json.dumps(body).encode(), 422)


REFUSALS = [
    refuse(400, "`logprobs` is not supported with this model"),
    refuse(400, "'logprobs' is not permitted"),
    refuse(400, "This model does not support logprobs"),
    refuse(400, "logprobs are not supported with reasoning models.", param="logprobs"),
    refuse(400, "Logprobs is not enabled for models/m"),
    refuse(
        400,
        (
            "This device doesn't support logprobs. Please remove 'logprobs'/'top_logprobs' from "
            "your request."
        ),
    ),
    refuse(403, "You are not allowed to request logprobs from this model"),
    mistral("logprobs"),
    answer(
        b'{"error": {"code": 400, "message": "logprobs is not supported"}}'
    ),  # under HTTP 200
]


@pytest.mark.parametrize("complaint", REFUSALS)
async def test_refused_log_probabilities_are_left_out_and_said_and_the_answer_is_there(
    complaint: Step,
) -> None:
    time = FakeTime()
    async with serving(complaint, ok()) as server, clients_at(time) as clients:
        chat = clients.get(f"openai@{server.base_url}:m")
        assert chat.caveats == ()  # type: ignore[attr-defined]  # not of the protocol
        replies = [await chat.complete(ask(logprobs=True, top_p=0.9)) for _ in range(2)]
        behind = cached(chat, store())
    assert [(reply.text, reply.logprobs, reply.attempts) for reply in replies] == [
        ("Neon.", None, 1)
    ] * 2
    assert [("logprobs" in body, body["top_p"]) for body in server.bodies] == [
        (True, 0.9),
        (False, 0.9),
        (False, 0.9),
    ]
    assert behind.caveats == (NO_LOGPROBS,)
    assert time.slept == []


@pytest.mark.parametrize(
    ("complaint", "left_out"),
    [
        (
            refuse(
                400,
                "Unsupported parameter: 'top_p' is not supported with this model.",
                param="top_p",
            ),
            "top_p",
        ),
        (
            refuse(400, "`temperature` and `top_p` cannot both be specified for this model."),
            "top_p",
        ),
        (mistral("top_p"), "top_p"),
        (
            refuse(
                400, "'temperature' does not support 0 with this model.", param="temperature"
            ),
            "temperature",
        ),
        (refuse(400, "Unrecognized request argument supplied: seed"), "seed"),
    ],
)
async def test_another_refused_parameter_is_said_too(complaint: Step, left_out: str) -> None:
    async with serving(complaint, ok()) as server, clients_at() as clients:
        chat = clients.get(f"openai@{server.base_url}:m")
        await chat.complete(ask(top_p=0.9, seed=7))
        said = chat.caveats  # type: ignore[attr-defined]  # not of the protocol
    assert set(server.bodies[0]) - set(server.bodies[1]) == {left_out}
    assert said == (f"{left_out} is not sent, because the endpoint refuses it",)


async def test_a_model_that_takes_none_of_it_answers_all_the_same() -> None:
    complaints = [
        refuse(
            400,
            f"Unsupported parameter: '{name}' is not supported with this model.",
            param=name,
        )
        for name in ("temperature", "top_p", "logprobs", "seed", "max_tokens")
    ]
    async with serving(*complaints, ok()) as server, clients_at(FakeTime()) as clients:
        reply = await clients.get(f"openai@{server.base_url}:m").complete(
            ask(logprobs=True, top_p=0.9, seed=7)
        )
    assert (reply.text, server.calls) == ("Neon.", 6)
    assert set(server.bodies[-1]) == {"model", "messages", "stream", "max_completion_tokens"}


@pytest.mark.parametrize(
    "words", ["Your key is not allowed to use model m", "temperature is not allowed here"]
)
async def test_a_key_that_is_refused_for_another_reason_still_ends_the_run(words: str) -> None:
    async with serving(refuse(403, words), ok()) as server, clients_at() as clients:
        with pytest.raises(EndpointRefused, match="not allowed"):
            await clients.get(f"openai@{server.base_url}:m").complete(ask(logprobs=True))
    assert server.calls == 1
