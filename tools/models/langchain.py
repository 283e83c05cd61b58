"""LangChain chat models as Chat: a host's own objects, and providers that only LangChain reaches."""

import asyncio
import importlib
from contextlib import AsyncExitStack
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage

from ...state.errors import CallFailed, EndpointRefused, FathomError, UsageError
from ...state.records import Usage
from .address import ModelAddress
from .chat import Chat, ChatReply, ChatRequest
from .clients import Clients
from .faults import REFUSED_STATUS, RETRIED_STATUS, redact
from .limiter import Limiter, Timing
from .providers import Integration
from .reading import finish_name, split_thought, text_of
from .schema import strict_schema, with_schema_block


class LangChainChat:
    """Any LangChain chat model. Implements Chat.

    Its own settings rule: temperature, token limit, seed and retries are the model's, because LangChain has no common
    names for them; a JSON shape is asked for in the prompt. The cost of its calls is unknown.
    """

    def __init__(
        self,
        model: BaseChatModel,
        name: str | None = None,
        *,
        limiter: Limiter | None = None,
        timeout_s: float | None = None,
        timing: Timing | None = None,
    ) -> None:
        self._model = model
        self._name = name or f"langchain:{_model_name(model) or type(model).__name__}"
        self._limiter = limiter
        self._timeout_s = timeout_s
        self._timing = timing or Timing()

    @property
    def name(self) -> str:
        return self._name

    def __repr__(self) -> str:
        return f"LangChainChat({self._name})"

    async def complete(self, request: ChatRequest) -> ChatReply:
        """One reply. Raises CallFailed or EndpointRefused; whatever the model raises is classified, never passed on."""
        messages = request.messages
        if request.schema is not None:
            messages = with_schema_block(messages, strict_schema(request.schema))
        turns = [(message.role, message.content) for message in messages]
        async with AsyncExitStack() as stack:
            if self._limiter is not None:
                await stack.enter_async_context(self._limiter.slot())
            started = self._timing.clock()
            try:
                async with asyncio.timeout(self._timeout_s):
                    message = await self._model.ainvoke(turns)
            except FathomError:
                raise
            except Exception as error:  # noqa: BLE001  # the model is anybody's: all its failures become data here
                raise _classified(error, self._name) from None
            return self._reply(message, self._timing.clock() - started)

    def _reply(self, message: BaseMessage, latency_s: float) -> ChatReply:
        metadata = message.response_metadata
        finish = next(
            (metadata[key] for key in ("finish_reason", "stop_reason", "done_reason") if metadata.get(key)), ""
        )
        text, thought = split_thought(text_of(message.content))
        refusal = message.additional_kwargs.get("refusal")
        if finish_name(finish) == "refusal":
            refusal = refusal or text or "refused"
        usage = message.usage_metadata if isinstance(message, AIMessage) else None
        return ChatReply(
            text=text,
            finish=finish_name(finish),
            refusal=refusal if isinstance(refusal, str) and refusal.strip() else None,
            reasoning=thought or message.additional_kwargs.get("reasoning_content"),
            usage=Usage(input_tokens=usage["input_tokens"], output_tokens=usage["output_tokens"]) if usage else Usage(),
            latency_s=latency_s,
            model=str(metadata.get("model_name") or metadata.get("model") or _model_name(self._model) or self._name),
        )


def as_chat(model: str | BaseChatModel | Chat, clients: Clients | None = None) -> Chat:
    """A model in whatever form a host has it: a provider string (through `clients`), a LangChain model, a Chat.

    Raises UsageError for anything else, or for a string without clients.
    """
    if isinstance(model, str):
        if clients is None:
            raise UsageError(f"The model {model!r} is named by a string: give the clients to reach it with.")
        return clients.get(model)
    if isinstance(model, BaseChatModel):
        return LangChainChat(model)
    if isinstance(model, Chat):
        return model
    raise UsageError(f"A {type(model).__name__} is no model: give a provider string, a LangChain chat model or a Chat.")


def init_model(address: ModelAddress, integration: Integration, key: str | None, timeout_s: float) -> BaseChatModel:
    """A model through LangChain's `init_chat_model`. Raises UsageError when a package is missing or it is refused."""
    options: dict[str, Any] = {"temperature": 0.0, "timeout": timeout_s}
    if key is not None:
        options["api_key"] = key
    try:
        init_chat_model = importlib.import_module("langchain.chat_models").init_chat_model
        model = init_chat_model(address.model, model_provider=address.provider, **options)
    except ImportError:
        raise UsageError(
            f"{address.text} is reached through LangChain: install it with pip install langchain {integration.package}."
        ) from None
    except ValueError as error:
        said = redact(str(error).splitlines()[0] if str(error) else type(error).__name__, key)
        raise UsageError(f"{address.text} cannot be set up through LangChain: {said}.") from None
    assert isinstance(model, BaseChatModel)
    return model


def _classified(error: Exception, name: str) -> CallFailed | EndpointRefused:
    """By the HTTP status, where the error carries one, else by its type's name."""
    status = _status(error)
    said = f"{name} failed with {type(error).__name__}: {redact(str(error))[:300] or 'no further word'}"
    if status in REFUSED_STATUS:
        return EndpointRefused(f"{said}. It seems that {REFUSED_STATUS[status]}: check model, address and key.")
    if status in RETRIED_STATUS:
        return CallFailed(RETRIED_STATUS[status], f"{said}.")
    if 400 <= status < 500:
        return CallFailed("bad_request", f"{said}.")
    names = " ".join(base.__name__ for base in type(error).__mro__).lower()
    if "timeout" in names:
        return CallFailed("timeout", f"{said}.")
    return CallFailed("connection" if "connect" in names else "server", f"{said}.")


def _status(error: Exception) -> int:
    response = getattr(error, "response", None)
    for value in (getattr(error, "status_code", None), getattr(response, "status_code", None)):
        if isinstance(value, int):
            return value
    return 0


def _model_name(model: BaseChatModel) -> str | None:
    for attribute in ("model_name", "model"):
        value = getattr(model, attribute, None)
        if isinstance(value, str) and value:
            return value
    return None
