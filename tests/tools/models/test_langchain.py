"""A host's own LangChain models."""

import asyncio
from typing import Any

import pytest
from langchain_core.messages import AIMessage
from tests.support.host_models import NEON, TOKENS, HostModel, StatusError
from tests.support.model_server import ask
from tests.support.scripted_chat import GOOD, VERDICT, Verdict

from fathom.state.errors import CallFailed, EndpointRefused, UsageError
from fathom.state.records import Usage
from fathom.tools.models.as_chat import as_chat
from fathom.tools.models.chat import Chat
from fathom.tools.models.clients import Clients
from fathom.tools.models.langchain import LangChainChat
from fathom.tools.models.replies import structured


async def test_a_reply_is_read_from_the_message() -> None:
    message = AIMessage(
        [{"type": "thinking", "thinking": "Red."}, {"type": "text", "text": "Neon."}],
        usage_metadata={"input_tokens": 5, "output_tokens": 3, "total_tokens": 8},
        response_metadata={"stop_reason": "max_tokens", "model_name": "host-2"},
    )
    reply = await LangChainChat(HostModel(reply=message)).complete(ask())
    assert (reply.text, reply.finish, reply.model) == ("Neon.", "length", "host-2")
    assert (reply.usage, reply.cost_usd) == (Usage(input_tokens=5, output_tokens=3), None)


ODD: dict[str, Any] = {
    "usage_metadata": {"input_tokens": 1e30, "output_tokens": None},
    "response_metadata": {"finish_reason": {"a": 1}, "model_name": 5, "logprobs": 7},
    "additional_kwargs": {"refusal": [1], "reasoning_content": {"a": 1}},
}


async def test_a_message_that_is_odd_is_read_without_what_is_odd() -> None:
    odd = AIMessage.model_construct(content="It is \ud83d neon.", type="ai", **ODD)
    reply = await LangChainChat(HostModel(reply=odd)).complete(ask(logprobs=True))
    assert (reply.text, reply.finish, reply.usage) == ("It is \ufffd neon.", "other", Usage())
    assert (reply.refusal, reply.reasoning, reply.logprobs) == (None, None, None)


async def test_a_message_that_cannot_be_read_is_a_failed_call() -> None:
    usage: Any = {"input_tokens": 5, "output_tokens": 3, "output_token_details": 7}
    odd = AIMessage.model_construct(content="Neon.", type="ai", usage_metadata=usage)
    with pytest.raises(CallFailed, match="failed with AttributeError"):
        await LangChainChat(HostModel(reply=odd)).complete(ask(logprobs=True))


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        (
            AIMessage(
                "Neon.", response_metadata={"logprobs": {"content": TOKENS, "refusal": None}}
            ),
            NEON,
        ),
        (
            AIMessage("Neon.", response_metadata={"logprobs": TOKENS}),
            NEON,
        ),  # as Ollama's models have them
        (
            AIMessage("Neon.", response_metadata={"logprobs_result": TOKENS}),
            NEON,
        ),  # as Google's do
        (
            AIMessage(
                [{"type": "text", "text": "Neon."}],
                response_metadata={"logprobs": {"content": TOKENS}},
            ),
            NEON,
        ),
        (
            AIMessage(
                "Neon.",
                response_metadata={"logprobs": {"content": [{"logprob": float("-inf")}]}},
            ),
            None,
        ),
        (AIMessage("Neon.", response_metadata={"logprobs": None}), None),
        (AIMessage("Neon."), None),
        (
            AIMessage(
                "<think>Red.</think>Neon.",
                response_metadata={"logprobs": {"content": TOKENS[1:]}},
            ),
            None,
        ),
        (
            AIMessage(
                [{"type": "thinking", "thinking": "Red."}, {"type": "text", "text": "on."}],
                response_metadata={"logprobs": {"content": TOKENS}},
            ),
            None,
        ),
    ],
)
async def test_the_hosts_log_probabilities_are_read_where_they_are_asked_for(
    message: AIMessage, expected: tuple[float, ...] | None
) -> None:
    chat = LangChainChat(HostModel(reply=message))
    assert (await chat.complete(ask())).logprobs is None
    before = chat.caveats
    assert (await chat.complete(ask(logprobs=True))).logprobs == expected
    assert chat.caveats == (
        *before,
        "log-probabilities are only there if the model is set to return them",
    )


async def test_a_shape_is_asked_for_in_the_prompt() -> None:
    model = HostModel(reply=AIMessage(GOOD))
    assert await structured(LangChainChat(model), ask("Judge {this}."), Verdict) == VERDICT
    content = model.seen[0][-1].text
    assert content.startswith("Judge {this}.\n\nReply with one JSON object")
    assert "<schema>" in content


@pytest.mark.parametrize(
    ("metadata", "extra"),
    [({"stop_reason": "refusal"}, {}), ({"finish_reason": "stop"}, {"refusal": "No."})],
)
async def test_a_refusal_is_seen(metadata: dict[str, Any], extra: dict[str, Any]) -> None:
    message = AIMessage("", response_metadata=metadata, additional_kwargs=extra)
    assert (await LangChainChat(HostModel(reply=message)).complete(ask())).refusal


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (StatusError(429), "rate_limit"),
        (StatusError(500), "server"),
        (StatusError(400), "bad_request"),
        (TimeoutError(), "timeout"),
        (ConnectionResetError("gone"), "connection"),
        (KeyError("choices"), "server"),
    ],
)
async def test_whatever_it_raises_becomes_a_failed_call(error: Exception, kind: str) -> None:
    with pytest.raises(CallFailed) as caught:
        await LangChainChat(HostModel(error=error)).complete(ask())
    assert caught.value.kind == kind
    assert "abcdef12345" not in str(caught.value)


@pytest.mark.parametrize("status", [401, 403, 404])
async def test_a_refused_key_or_model_ends_the_run(status: int) -> None:
    with pytest.raises(EndpointRefused):
        await LangChainChat(HostModel(error=StatusError(status))).complete(ask())


async def test_a_cancelled_call_stays_cancelled_and_a_hanging_one_times_out() -> None:
    task = asyncio.create_task(LangChainChat(HostModel(hangs=True)).complete(ask()))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    with pytest.raises(CallFailed) as caught:
        await LangChainChat(HostModel(hangs=True), timeout_s=0.01).complete(ask())
    assert caught.value.kind == "timeout"


def test_every_form_of_model_becomes_a_chat() -> None:
    clients = Clients({})
    host = as_chat(HostModel())
    assert host.name == "langchain:host-model"
    assert as_chat(host) is host
    assert as_chat("sim:student", clients) is clients.get("sim:student")
    assert isinstance(host, Chat)
    with pytest.raises(UsageError, match="give the clients"):
        as_chat("sim:student")
    with pytest.raises(UsageError, match="A dict is no model"):
        as_chat({})  # type: ignore[arg-type]  # what is under test
