"""A host's own LangChain models, and providers that LangChain reaches."""

import asyncio
import sys
from types import SimpleNamespace
from typing import Any

import pytest
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from pydantic import Field
from tests.model_server import FakeTime, ask
from tests.scripted_chat import GOOD, VERDICT, Verdict

from fathom.state.errors import CallFailed, EndpointRefused, UsageError
from fathom.state.records import Usage
from fathom.tools.models.chat import Chat
from fathom.tools.models.clients import Clients, Limits
from fathom.tools.models.langchain import LangChainChat, as_chat
from fathom.tools.models.structured import structured


class HostModel(BaseChatModel):
    """A chat model such as a host app might bring."""

    reply: AIMessage | None = None
    error: Exception | None = None
    hangs: bool = False
    seen: list[list[BaseMessage]] = Field(default_factory=list)
    model_name: str = "host-model"

    @property
    def _llm_type(self) -> str:
        return "host"

    def _generate(self, messages: list[BaseMessage], *_args: Any, **_kwargs: Any) -> ChatResult:
        self.seen.append(messages)
        if self.error is not None:
            raise self.error
        return ChatResult(generations=[ChatGeneration(message=self.reply or AIMessage("Neon."))])

    async def _agenerate(self, messages: list[BaseMessage], *_args: Any, **_kwargs: Any) -> ChatResult:
        if self.hangs:
            await asyncio.Event().wait()
        return self._generate(messages)


async def test_a_reply_is_read_from_the_message() -> None:
    message = AIMessage(
        [{"type": "thinking", "thinking": "Red."}, {"type": "text", "text": "Neon."}],
        usage_metadata={"input_tokens": 5, "output_tokens": 3, "total_tokens": 8},
        response_metadata={"stop_reason": "max_tokens", "model_name": "host-2"},
    )
    reply = await LangChainChat(HostModel(reply=message)).complete(ask())
    assert (reply.text, reply.finish, reply.model) == ("Neon.", "length", "host-2")
    assert (reply.usage, reply.cost_usd) == (Usage(input_tokens=5, output_tokens=3), None)


async def test_a_shape_is_asked_for_in_the_prompt() -> None:
    model = HostModel(reply=AIMessage(GOOD))
    assert await structured(LangChainChat(model), ask("Judge {this}."), Verdict) == VERDICT
    content = model.seen[0][-1].text
    assert content.startswith("Judge {this}.\n\nReply with one JSON object")
    assert "<schema>" in content


@pytest.mark.parametrize(
    ("metadata", "extra"), [({"stop_reason": "refusal"}, {}), ({"finish_reason": "stop"}, {"refusal": "No."})]
)
async def test_a_refusal_is_seen(metadata: dict[str, Any], extra: dict[str, Any]) -> None:
    message = AIMessage("", response_metadata=metadata, additional_kwargs=extra)
    assert (await LangChainChat(HostModel(reply=message)).complete(ask())).refusal


class StatusError(Exception):
    def __init__(self, status: int) -> None:
        super().__init__(f"status {status}, key sk-abcdef12345")
        self.status_code = status
        self.response: SimpleNamespace | None = None


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


async def test_another_provider_goes_through_init_chat_model(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[dict[str, Any]] = []

    def init_chat_model(model: str, **options: Any) -> BaseChatModel:
        made.append({"model": model, **options})
        return HostModel(model_name=model)

    monkeypatch.setitem(sys.modules, "langchain", SimpleNamespace())
    monkeypatch.setitem(sys.modules, "langchain.chat_models", SimpleNamespace(init_chat_model=init_chat_model))
    clients = Clients({"ANTHROPIC_API_KEY": "the-key"}, Limits(timeout_s=9.0, max_connections=1))
    chat = clients.get("anthropic:claude")
    assert made == [
        {
            "model": "claude",
            "model_provider": "anthropic",
            "temperature": 0.0,
            "timeout": 9.0,
            "max_retries": 0,
            "api_key": "the-key",
        }
    ]
    await asyncio.gather(*(chat.complete(ask()) for _ in range(3)))
    assert (chat.name, clients.peak_in_flight, clients.in_flight) == ("anthropic:claude", 1, 0)


class Made(HostModel):
    """What `init_chat_model` makes in these tests, with the common fields."""

    temperature: float | None = None
    max_tokens: int | None = None
    steps: list[Exception | AIMessage] = Field(default_factory=list)

    def _generate(self, messages: list[BaseMessage], *_args: Any, **_kwargs: Any) -> ChatResult:
        self.error = None
        if isinstance(step := self.steps.pop(0) if self.steps else AIMessage("Neon."), Exception):
            self.error = step
        return super()._generate(messages)


def through_langchain(
    monkeypatch: pytest.MonkeyPatch, time: FakeTime, *steps: Exception | AIMessage, **limits: Any
) -> tuple[Chat, list[dict[str, Any]]]:
    made: list[dict[str, Any]] = []
    script = list(steps)

    def init_chat_model(model: str, **options: Any) -> BaseChatModel:
        made.append(options)
        one = Made(model_name=model)
        one.steps = script
        return one

    monkeypatch.setitem(sys.modules, "langchain", SimpleNamespace())
    monkeypatch.setitem(sys.modules, "langchain.chat_models", SimpleNamespace(init_chat_model=init_chat_model))
    clients = Clients({"ANTHROPIC_API_KEY": "the-key"}, Limits(**limits), timing=time.timing)
    return clients.get("anthropic:claude"), made


async def test_temperature_and_limit_reach_the_model_and_what_does_not_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    chat, made = through_langchain(monkeypatch, FakeTime())
    for limit in (100, 100, 400):
        await chat.complete(ask(max_tokens=limit, temperature=0.7, seed=7))
    asked = [(options.get("temperature"), options.get("max_tokens")) for options in made]
    assert asked == [(0.0, None), (0.7, 100), (0.7, 400)]  # the first is made to see that it can be
    assert chat.caveats == ("seed is not sent",)  # type: ignore[attr-defined]  # not of the protocol
    assert "seed" in LangChainChat(HostModel()).caveats[0]


async def test_faults_through_langchain_are_retried_and_429s_are_no_attempts(monkeypatch: pytest.MonkeyPatch) -> None:
    time = FakeTime()
    busy = StatusError(429)
    busy.response = SimpleNamespace(headers={"Retry-After": "7"})
    chat, _ = through_langchain(monkeypatch, time, busy, StatusError(429), StatusError(500), attempts=2, backoff_s=0.0)
    reply = await chat.complete(ask())
    assert (reply.text, reply.attempts) == ("Neon.", 4)
    assert time.slept[:2] == [7.0, 2.0]
    chat, _ = through_langchain(monkeypatch, time, *[StatusError(500)] * 9, attempts=2)
    with pytest.raises(CallFailed, match="after 2 attempts") as caught:
        await chat.complete(ask())
    assert (caught.value.kind, caught.value.attempts) == ("server", 2)


async def test_a_refusal_through_langchain_is_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    chat, _ = through_langchain(monkeypatch, FakeTime(), StatusError(401))
    for _ in range(2):  # the second would be answered
        with pytest.raises(EndpointRefused, match="status 401"):
            await chat.complete(ask())
