"""Providers that only LangChain reaches, behind the same places, waits and retries as every other
endpoint."""

import importlib
from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

from langchain_core.language_models import BaseChatModel

from ...state.errors import EndpointRefused, UsageError
from .address import ModelAddress
from .chat import ChatReply, ChatRequest
from .dialect import Dialect, instructed, not_sent, refused_setting
from .faults import AttemptFailed, ErrorBody, redact
from .langchain import exchange
from .limiter import Destination, RetryLoop, call_failed
from .providers import Integration

_RETRIES_OFF = frozenset({"anthropic", "upstage", "xai"})
"""Integrations known to take `max_retries=0`; the others may retry by themselves below our own
attempts."""

_CONSTRUCTED = ("temperature", "max_tokens", "top_p", "reasoning_effort")
"""What LangChain's models take when they are made."""
_OPTIONAL = ("logprobs", "top_p", "temperature", "seed")
"""What can be left out when the provider refuses it; of a refusal by status only the first."""
_FIRST: Mapping[str, Any] = {"temperature": 0.0}
_PLACES = "azure_endpoint base_url endpoint endpoint_url openai_api_base url"
_ADDRESS_FIELDS = tuple(_PLACES.split())


class IntegrationChat:
    """A model through LangChain's `init_chat_model`. Implements Chat.

    A request's temperature, top_p and token limit are given to the constructor, the one place where
    LangChain has common names for them; there is one model object per set of them. Seed and
    log-probabilities are asked for where the model is of OpenAI's kind. What the provider then
    refuses is left out from there on. A JSON shape is asked for in the prompt. Costs are unknown.
    """

    def __init__(
        self,
        address: ModelAddress,
        integration: Integration,
        key: str | None,
        destination: Destination,
    ) -> None:
        """Raises UsageError when a package is missing or the model is refused."""
        self.name = address.text
        self._address = address
        self._integration = integration
        self._key = key
        self._limiter = destination.limiter(address.model)
        self._limits, self._timing = destination.limits, destination.timing
        self._models: dict[tuple[tuple[str, Any], ...], BaseChatModel] = {}
        self._refused: str | None = None
        first = self._model(_FIRST)
        self._takes = {name for name in _CONSTRUCTED if _takes(first, name)}
        self._chosen = address.settings.chosen
        if untaken := next((name for name in self._chosen if name not in self._takes), None):
            raise UsageError(
                f"{address.label}: LangChain's model takes no {untaken}= from here; leave it out."
            )
        if any(base.__name__ == "BaseChatOpenAI" for base in type(first).__mro__):
            self._takes |= {"seed", "logprobs"}
        effort = address.settings.reasoning_effort
        extra = {"reasoning_effort": effort} if effort else {}
        self._dialect = Dialect(
            "max_tokens",
            "seed",
            "none",
            extra,
        )
        self._untaken: dict[str, None] = {}
        """Parameters that were asked for and that the model does not take."""

    @property
    def caveats(self) -> tuple[str, ...]:
        """What of a request is not honoured, in words: what the model does not take, and what the
        provider has refused so far."""
        return (*map(not_sent, self._untaken), *self._dialect.caveats)

    async def place(self) -> str:
        """`langchain:anthropic`; with the address, where the integration has been given one (a
        company's own Azure)."""
        return " ".join(
            (f"langchain:{self._address.provider}", *_addresses(self._model(_FIRST)))
        )

    async def complete(self, request: ChatRequest) -> ChatReply:
        """One reply, after as many attempts as it takes and the limits allow. Raises CallFailed, or
        EndpointRefused, which is remembered: later calls raise it without a request."""
        request = instructed(request, self._address.settings)
        loop = RetryLoop(
            self._address.label,
            request,
            self._limiter,
            self._limits,
            self._timing,
        )
        try:
            self._check()
            return await loop.run(lambda attempt: self._send(request, attempt))
        except AttemptFailed as failed:
            label = self._address.label
            raise call_failed(
                failed,
                label,
                label,
                loop.attempts,
            ) from None

    async def _send(
        self,
        request: ChatRequest,
        attempt: int,
    ) -> ChatReply:
        while True:  # each time round there is one parameter less
            self._check()  # others may have learnt it while this one was queueing
            wanted = self._dialect.parameters(request)
            self._untaken |= {name: None for name in wanted if name not in self._takes}
            parameters = {name: value for name, value in wanted.items() if name in self._takes}
            constructed = {
                name: parameters.pop(name) for name in _CONSTRUCTED if name in parameters
            }
            try:
                reply = await exchange(
                    self._model(constructed),
                    request,
                    self._address.label,
                    self._timing,
                    timeout_s=self._limits.timeout_s,
                    max_wait_s=self._limits.max_wait_s,
                    parameters=parameters,
                    limit=constructed.get("max_tokens"),
                    key=self._key,
                )
            except (AttemptFailed, EndpointRefused) as error:
                self._learn(error, wanted)
            else:
                return replace(reply, attempts=attempt)

    def _learn(
        self,
        error: AttemptFailed | EndpointRefused,
        wanted: Mapping[str, Any],
    ) -> None:
        """Leave out from here on what the error is about. Raises it where that does not help, as a
        refusal of the model where it is about what the user chose for it."""
        body, is_refusal = ErrorBody(str(error)), isinstance(error, EndpointRefused)
        optional = set(_OPTIONAL[:1] if is_refusal else _OPTIONAL).difference(self._chosen)
        learnt = self._dialect.after(
            body, {name: value for name, value in wanted.items() if name in optional}
        )
        if learnt is not None:
            self._dialect = learnt
            return
        is_bad = isinstance(error, AttemptFailed) and error.kind == "bad_request"
        if name := refused_setting(body, self._chosen if is_bad else ()):
            error = EndpointRefused(f"{error}. Change {name}, or leave it out.")
        if isinstance(error, EndpointRefused):
            self._refused = str(error)
        raise error from None

    def _check(self) -> None:
        if self._refused is not None:
            raise EndpointRefused(self._refused)

    def _model(self, chosen: Mapping[str, Any]) -> BaseChatModel:
        named = tuple(sorted(chosen.items()))
        if named not in self._models:
            options: dict[str, Any] = {**chosen, "timeout": self._limits.timeout_s}
            if self._address.provider in _RETRIES_OFF:
                options["max_retries"] = 0
            self._models[named] = _init_model(
                self._address,
                self._integration,
                self._key,
                options,
            )
        return self._models[named]


def _takes(model: BaseChatModel, name: str) -> bool:
    fields = type(model).model_fields
    return name in fields or any(
        name in (field.alias, field.validation_alias) for field in fields.values()
    )


def _addresses(model: BaseChatModel) -> list[str]:
    """Addresses in the model's settings, without whatever in them may be secret."""
    values = {str(value) for name in _ADDRESS_FIELDS if (value := getattr(model, name, None))}
    parts = [urlsplit(value) for value in sorted(values)]
    return [
        f"{part.scheme}://{part.netloc.rpartition('@')[2]}{part.path}".rstrip("/")
        for part in parts
        if part.netloc
    ]


def _init_model(
    address: ModelAddress,
    integration: Integration,
    key: str | None,
    options: dict[str, Any],
) -> BaseChatModel:
    """A model through LangChain's `init_chat_model`. Raises UsageError when a package is missing or
    it is refused."""
    if key is not None:
        options = {**options, "api_key": key}
    try:
        init_chat_model = importlib.import_module("langchain.chat_models").init_chat_model
        model = init_chat_model(address.model, model_provider=address.provider, **options)
    except ImportError:
        raise UsageError(
            f"{address.label} is reached through LangChain: install it with"
            f" pip install langchain {integration.package}."
        ) from None
    except ValueError as error:
        reason = redact(str(error).splitlines()[0] if str(error) else type(error).__name__, key)
        raise UsageError(
            f"{address.label} cannot be set up through LangChain: {reason}."
        ) from None
    assert isinstance(model, BaseChatModel)
    return model
