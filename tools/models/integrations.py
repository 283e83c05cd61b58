"""Providers that only LangChain reaches, behind the same places, waits and retries as every other endpoint."""

import importlib
from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

from langchain_core.language_models import BaseChatModel

from ...state.errors import CallFailed, EndpointRefused, UsageError
from .address import ModelAddress
from .attempts import Effort, Limits
from .chat import ChatReply, ChatRequest
from .faults import Fault, redact
from .langchain import exchange
from .limiter import Limiter, Timing
from .providers import Integration

_RETRIES_OFF = frozenset({"anthropic", "azure_openai", "upstage", "xai"})
"""Integrations known to take `max_retries=0`; the others may retry by themselves below our own attempts."""

_ADDRESS_FIELDS = ("azure_endpoint", "base_url", "endpoint", "endpoint_url", "openai_api_base", "url")


class IntegrationChat:
    """A model through LangChain's `init_chat_model`. Implements Chat.

    A request's temperature and token limit are given to the constructor, the one place where LangChain has common names
    for them; there is one model object per pair. A JSON shape is asked for in the prompt. Costs are unknown.
    """

    caveats: tuple[str, ...]
    """What of a request is not honoured, in words."""

    def __init__(
        self,
        address: ModelAddress,
        integration: Integration,
        key: str | None,
        *,
        limiter: Limiter,
        limits: Limits,
        timing: Timing,
    ) -> None:
        """Raises UsageError when a package is missing or the model is refused."""
        self._address = address
        self._integration = integration
        self._key = key
        self._limiter = limiter
        self._limits = limits
        self._timing = timing
        self._models: dict[tuple[float | None, int | None], BaseChatModel] = {}
        self._refused: str | None = None
        first = self._model(0.0, None)
        self._takes_limit = _takes(first, "max_tokens")
        self._takes_temperature = _takes(first, "temperature")
        self._takes_seed = any(base.__name__ == "BaseChatOpenAI" for base in type(first).__mro__)
        taken = {
            "temperature": self._takes_temperature,
            "max_tokens": self._takes_limit,
            "seed": self._takes_seed,
        }
        self.caveats = tuple(f"{name} is not sent" for name, honoured in taken.items() if not honoured)

    @property
    def name(self) -> str:
        return self._address.text

    def __repr__(self) -> str:
        return f"IntegrationChat({self.name})"

    async def place(self) -> str:
        """`langchain:anthropic`; with the address, where the integration has been given one (a company's own Azure)."""
        return " ".join((f"langchain:{self._address.provider}", *_addresses(self._model(0.0, None))))

    async def complete(self, request: ChatRequest) -> ChatReply:
        """One reply, after as many attempts as it takes and the limits allow. Raises CallFailed, or EndpointRefused,
        which is remembered: later calls raise it without a request."""
        effort = Effort(self.name, request, self._limiter, self._limits, self._timing)
        try:
            self._check()
            return await effort.run(lambda attempt: self._send(request, attempt))
        except Fault as fault:
            attempts = max(1, effort.attempts)
            said = str(fault) if self.name in str(fault) else f"{self.name}: {fault}"
            raise CallFailed(fault.kind, f"{said} (after {attempts} attempts).", attempts=attempts) from None

    async def _send(self, request: ChatRequest, attempt: int) -> ChatReply:
        self._check()  # others may have learnt it while this one was queueing
        model = self._model(
            request.temperature if self._takes_temperature else 0.0,
            request.max_tokens if self._takes_limit else None,
        )
        seed = {"seed": request.seed} if self._takes_seed and request.seed is not None else {}
        try:
            reply = await exchange(
                model,
                request,
                self.name,
                self._timing,
                timeout_s=self._limits.timeout_s,
                max_wait_s=self._limits.max_wait_s,
                parameters=seed,
                key=self._key,
            )
        except EndpointRefused as error:
            self._refused = str(error)
            raise
        return replace(reply, attempts=attempt)

    def _check(self) -> None:
        if self._refused is not None:
            raise EndpointRefused(self._refused)

    def _model(self, temperature: float | None, max_tokens: int | None) -> BaseChatModel:
        made = self._models.get((temperature, max_tokens))
        if made is None:
            options: dict[str, Any] = {"temperature": temperature, "max_tokens": max_tokens}
            options = {name: value for name, value in options.items() if value is not None}
            options["timeout"] = self._limits.timeout_s
            if self._address.provider in _RETRIES_OFF:
                options["max_retries"] = 0
            made = _init_model(self._address, self._integration, self._key, options)
            self._models[temperature, max_tokens] = made
        return made


def _takes(model: BaseChatModel, name: str) -> bool:
    fields = type(model).model_fields
    return name in fields or any(name in (field.alias, field.validation_alias) for field in fields.values())


def _addresses(model: BaseChatModel) -> list[str]:
    """Addresses in the model's settings, without whatever in them may be secret."""
    values = {str(value) for name in _ADDRESS_FIELDS if (value := getattr(model, name, None))}
    parts = [urlsplit(value) for value in sorted(values)]
    return [f"{part.scheme}://{part.netloc.rpartition('@')[2]}{part.path}".rstrip("/") for part in parts if part.netloc]


def _init_model(
    address: ModelAddress, integration: Integration, key: str | None, options: dict[str, Any]
) -> BaseChatModel:
    """A model through LangChain's `init_chat_model`. Raises UsageError when a package is missing or it is refused."""
    if key is not None:
        options = {**options, "api_key": key}
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
