"""Providers that LangChain reaches: what is sent to them, what they refuse, waits and retries."""

import asyncio
import sys
from types import SimpleNamespace
from typing import Any, ClassVar

import pytest
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatResult
from pydantic import Field
from tests.support.host_models import NEON, TOKENS, HostModel, StatusError
from tests.support.model_server import FakeTime, ask

from fathom.state.errors import CallFailed, EndpointRefused
from fathom.tools.models.chat import Chat
from fathom.tools.models.clients import Clients, Limits
from fathom.tools.models.langchain import LangChainChat


async def test_another_provider_goes_through_init_chat_model(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made: list[dict[str, Any]] = []

    def init_chat_model(model: str, **options: Any) -> BaseChatModel:
        made.append({"model": model, **options})
        return HostModel(model_name=model)

    monkeypatch.setitem(sys.modules, "langchain", SimpleNamespace())
    monkeypatch.setitem(
        sys.modules, "langchain.chat_models", SimpleNamespace(init_chat_model=init_chat_model)
    )
    clients = Clients(
        {"ANTHROPIC_API_KEY": "the-test-key"}, Limits(timeout_s=9.0, max_connections=1)
    )
    chat = clients.get("anthropic:claude")
    assert made == [
        {
            "model": "claude",
            "model_provider": "anthropic",
            "temperature": 0.0,
            "timeout": 9.0,
            "max_retries": 0,
            "api_key": "the-test-key",
        }
    ]
    await asyncio.gather(*(chat.complete(ask()) for _ in range(3)))
    assert (chat.name, clients.meter.peak, clients.meter.in_flight) == (
        "anthropic:claude",
        1,
        0,
    )


class Made(HostModel):
    """What `init_chat_model` makes in these tests, with the common fields."""

    temperature: float | None = None
    max_tokens: int | None = None
    steps: list[Exception | AIMessage] = Field(default_factory=list)

    def _generate(self, messages: list[BaseMessage], *_args: Any, **_kwargs: Any) -> ChatResult:
        step = self.steps.pop(0) if self.steps else None
        self.error = step if isinstance(step, Exception) else None
        self.reply = step if isinstance(step, AIMessage) else None
        return super()._generate(messages)


class Nucleus(Made):
    """One that takes top_p too."""

    top_p: float | None = None


class BaseChatOpenAI(Made):
    """One of OpenAI's kind, by its name."""

    sent: ClassVar[list[dict[str, Any]]] = []

    async def _agenerate(
        self, messages: list[BaseMessage], *_args: Any, **kwargs: Any
    ) -> ChatResult:
        self.sent.append(
            {name: value for name, value in kwargs.items() if name in ("logprobs", "seed")}
        )
        return self._generate(messages)


def caveats(chat: Chat) -> tuple[str, ...]:
    return tuple(chat.caveats)  # type: ignore[attr-defined]  # not of the protocol


def through_langchain(
    monkeypatch: pytest.MonkeyPatch,
    time: FakeTime,
    *steps: Exception | AIMessage,
    kind: type[Made] = Made,
    model: str = "anthropic:claude",
    **limits: Any,
) -> tuple[Chat, list[dict[str, Any]]]:
    made: list[dict[str, Any]] = []
    script = list(steps)
    BaseChatOpenAI.sent.clear()

    def init_chat_model(model: str, **options: Any) -> BaseChatModel:
        made.append(options)
        one = kind(model_name=model)
        one.steps = script
        return one

    monkeypatch.setitem(sys.modules, "langchain", SimpleNamespace())
    monkeypatch.setitem(
        sys.modules, "langchain.chat_models", SimpleNamespace(init_chat_model=init_chat_model)
    )
    clients = Clients(
        {"ANTHROPIC_API_KEY": "the-test-key"}, Limits(**limits), timing=time.timing
    )
    return clients.get(model), made


async def test_temperature_and_limit_reach_the_model_and_what_does_not_is_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    chat, made = through_langchain(monkeypatch, FakeTime())
    for limit in (100, 100, 400):
        await chat.complete(ask(max_tokens=limit, temperature=0.7, seed=7))
    asked = [(options.get("temperature"), options.get("max_tokens")) for options in made]
    assert asked == [
        (0.0, None),
        (0.7, 100),
        (0.7, 400),
    ]  # the first is made to see that it can be
    assert caveats(chat) == ("seed is not sent",)
    assert "seed" in LangChainChat(HostModel()).caveats[0]


async def test_top_p_reaches_a_model_that_takes_it_and_what_is_not_taken_is_said_once_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    chat, made = through_langchain(monkeypatch, FakeTime(), kind=Nucleus)
    reply = await chat.complete(ask(top_p=0.9, logprobs=True, seed=7))
    assert (made[-1]["top_p"], made[-1]["temperature"], reply.logprobs) == (0.9, 0.0, None)
    assert caveats(chat) == ("log-probabilities are not asked for", "seed is not sent")
    chat, made = through_langchain(monkeypatch, FakeTime())
    await chat.complete(ask(top_p=0.9))
    assert "top_p" not in made[-1]
    assert caveats(chat) == ("top_p is not sent",)


@pytest.mark.parametrize("status", [400, 403])
async def test_log_probabilities_that_are_refused_through_langchain_are_no_longer_asked_for(
    status: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    refusal = StatusError(status, "You are not allowed to request logprobs from this model")
    given = AIMessage("Neon.", response_metadata={"logprobs": {"content": TOKENS}})
    chat, _ = through_langchain(monkeypatch, FakeTime(), given, refusal, kind=BaseChatOpenAI)
    replies = [await chat.complete(ask(logprobs=True, seed=7)) for _ in range(3)]
    assert [(reply.text, reply.logprobs, reply.attempts) for reply in replies] == [
        ("Neon.", NEON, 1),
        ("Neon.", None, 1),
        ("Neon.", None, 1),
    ]
    assert BaseChatOpenAI.sent == [{"logprobs": True, "seed": 7}] * 2 + [{"seed": 7}] * 2
    assert caveats(chat) == (
        "log-probabilities are not asked for, because the endpoint refuses it",
    )


async def test_of_two_parameters_that_do_not_go_together_the_temperature_stays(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    both = StatusError(
        400,
        "`temperature` and `top_p` cannot both be specified for this model. Please use only one.",
    )
    chat, made = through_langchain(monkeypatch, FakeTime(), both, kind=Nucleus)
    assert (await chat.complete(ask(top_p=0.9, temperature=0.7))).text == "Neon."
    assert [(options.get("temperature"), options.get("top_p")) for options in made[1:]] == [
        (0.7, 0.9),
        (0.7, None),
    ]
    assert caveats(chat) == ("top_p is not sent, because the endpoint refuses it",)


async def test_faults_through_langchain_are_retried_and_429s_are_no_attempts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    time = FakeTime()
    busy = StatusError(429)
    busy.response = SimpleNamespace(headers={"Retry-After": "7"})
    chat, _ = through_langchain(
        monkeypatch, time, busy, StatusError(429), StatusError(500), attempts=2, backoff_s=0.0
    )
    reply = await chat.complete(ask())
    assert (reply.text, reply.attempts) == ("Neon.", 4)
    assert time.slept[:2] == [7.0, 2.0]
    chat, _ = through_langchain(monkeypatch, time, *[StatusError(500)] * 9, attempts=2)
    with pytest.raises(CallFailed, match="after 2 attempts") as caught:
        await chat.complete(ask())
    assert (caught.value.kind, caught.value.attempts) == ("server", 2)


async def test_a_refusal_through_langchain_is_remembered(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    chat, _ = through_langchain(monkeypatch, FakeTime(), StatusError(401))
    for _ in range(2):  # the second would be answered
        with pytest.raises(EndpointRefused, match="status 401"):
            await chat.complete(ask())


async def test_a_setting_that_is_refused_through_langchain_is_told_and_never_left_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    refusal = StatusError(400, "`temperature` is deprecated for this model.")
    chat, made = through_langchain(
        monkeypatch, FakeTime(), refusal, model="anthropic:claude temperature=0.5"
    )
    for _ in range(2):  # the second would be answered
        with pytest.raises(EndpointRefused, match="Change temperature, or leave it out"):
            await chat.complete(ask())
    assert [options.get("temperature") for options in made] == [0.0, 0.5]
