"""One endpoint shared by its models, and a model there: queue, attempts, and what a failure means
for the run."""

from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

import orjson

from ...state.errors import CallFailed, EndpointRefused, EndpointUnreachable
from ..net import MOST_BYTES, MOST_PARTS, WorldName, hide
from .address import Access, ModelAddress, start_hint
from .capabilities import Capabilities, payload_of, refused_setting
from .chat import ChatReply, ChatRequest, strict_schema, traced
from .faults import (
    KEY_STATUS,
    AttemptFailed,
    ErrorBody,
    HttpResponse,
    error_body_of,
    failure_of,
    status_of,
)
from .limiter import Destination, Limiter
from .pricing import cost_usd
from .providers import Provider
from .reading import Completion, cut_at, cut_prompt, read_completion, without_key
from .retry import RetryLoop, call_failed

if TYPE_CHECKING:
    from .transport import Transport

_ATTEMPTS_UNREACHED = 3
"""Attempts at an endpoint that never answered: more would only keep the user waiting for a wrong
address."""
_MOST_CHARS = 2_000_000
"""Of an answer with its reasoning or refusal, which is about half a million tokens."""
_ADAPTATIONS = 8
"""Most times one attempt is put differently because the endpoint does not know a parameter."""
_LONGEST_VECTOR = 12_500
"""Numbers in the longest vectors that models give, and a few more."""
_LONGEST_NUMBER = 24
"""Characters of a number with all its digits, and the comma."""


class Endpoint:
    """A base URL with a key: one pool, and what has been learnt about it."""

    def __init__(
        self,
        base_url: str,
        access: Access,
        destination: Destination,
    ) -> None:
        self.base_url = base_url
        self.limits, self.timing = destination.limits, destination.timing
        self.answered = False
        self._access, self._destination = access, destination
        self._transport: Transport | None = None
        self._refused: dict[str, str] = {}
        self._unreachable: str | None = None
        self.world = WorldName(base_url, access.key)

    def limiter(self, model: str) -> Limiter:
        return self._destination.limiter(model, self._access.digest)

    def transport(self) -> "Transport":
        """The way there; the pool is opened with the first call."""
        if self._transport is None:
            from .transport import Transport  # heavy: only when something is really asked

            self._transport = Transport(
                self.base_url,
                self._access,
                connections=self._destination.connections,
                timeout_s=self.limits.timeout_s,
            )
        return self._transport

    def check(self, model: str) -> None:
        """Raise again, without asking, what is known to be final of a model with its settings."""
        if model in self._refused:
            raise EndpointRefused(self._refused[model])
        if self._unreachable is not None and not self.answered:
            raise EndpointUnreachable(self._unreachable)

    def refuse(self, model: str, message: str) -> None:
        self._refused[model] = message

    def give_up(self, message: str) -> None:
        self._unreachable = message

    def completion(self, raw: HttpResponse) -> Completion | None:
        """What the response says, None when it is no completion; without the key, whatever the
        endpoint echoes. Raises AttemptFailed for an answer that goes on without end."""
        completion = read_completion(raw.body) if raw.status < 300 else None
        if completion is None:
            return None
        reply = completion.reply
        texts = (reply.text, reply.reasoning, reply.refusal)
        if sum(len(text or "") for text in texts) > _MOST_CHARS:
            raise AttemptFailed(
                "server",
                f"it sent an answer of more than {_MOST_CHARS} characters",
                retryable=False,
            )
        return completion._replace(reply=without_key(reply, self._access.secrets))

    def error_body(self, raw: HttpResponse) -> ErrorBody:
        """What an error body says, without the key."""
        body = error_body_of(raw, self._access.secrets)
        return replace(
            body,
            rejected_json=body.rejected_json and hide(body.rejected_json, self._access.secrets),
        )

    def bare(self, raw: HttpResponse) -> HttpResponse:
        """The response with no key in its headers."""
        return replace(
            raw,
            headers={
                name: hide(value, self._access.secrets) for name, value in raw.headers.items()
            },
        )

    async def aclose(self) -> None:
        if self._transport is not None:
            await self._transport.aclose()


class EndpointChat:
    """A model at an OpenAI-compatible endpoint. Implements Chat."""

    def __init__(
        self,
        address: ModelAddress,
        provider: Provider,
        locate: Callable[[], tuple[Endpoint, bool]],
        *,
        key_origin: str = "",
    ) -> None:
        """`locate` gives the endpoint, and whether its address is the user's own, when the first
        request is made. `key_origin`: where the key comes from, in a sentence for when it is refused.
        """
        self.name = address.text
        self._address = address
        self._provider = provider
        self._locate = locate
        self._key_origin = key_origin
        self._is_own_address = False
        self._capabilities: Capabilities | None = None
        self._cut_prompt: str | None = None

    @property
    def caveats(self) -> tuple[str, ...]:
        """What of a request is not honoured, in words, as far as it is known: what the endpoint has
        refused."""
        learnt = self._capabilities.caveats if self._capabilities else ()
        return (*learnt, self._cut_prompt) if self._cut_prompt else learnt

    async def place(self) -> str:
        """The endpoint's address, or which simulated world it is: a world at a port is no identity,
        because another may listen there tomorrow. Empty when a world cannot be asked; the call
        itself then finds out why."""
        if self._provider.name != "sim":
            return self.endpoint.base_url
        world = await self.endpoint.world.get()
        return f"sim:{world}" if world else ""

    async def complete(self, request: ChatRequest) -> ChatReply:
        """One reply, after as many attempts as it takes and the limits allow.

        Raises CallFailed, EndpointRefused or EndpointUnreachable; the last two are remembered, and
        later calls raise them without a request.
        """
        endpoint = self.endpoint
        endpoint.transport()  # its imports take time that belongs to no call
        endpoint.check(self.name)
        request = self._address.settings.instructed(request)

        async def send(attempt: int) -> ChatReply:
            endpoint.check(self.name)  # others may have learnt it while this one was queueing
            return await self._attempt(request, attempt)

        loop = RetryLoop(
            self._address.label,
            request,
            endpoint.limiter(self._address.model),
            endpoint.limits,
            endpoint.timing,
            allowed=self._attempts_left,
        )
        try:
            return await traced(self.name, request, lambda: loop.run(send))
        except AttemptFailed as failed:
            raise self._final(failed, loop.attempts) from None

    async def embed(self, texts: list[str]) -> list[list[float]]:
        """One vector for each text, in one attempt; nothing is tokenised here. Raises AttemptFailed
        and EndpointRefused."""
        endpoint, numbers = self.endpoint, len(texts) * _LONGEST_VECTOR
        raw = await endpoint.transport().exchange(
            {"model": self._address.model, "input": texts},
            endpoint.limits.timeout_s,
            door="embeddings",
            most=max(MOST_BYTES, numbers * _LONGEST_NUMBER),
            parts=max(MOST_PARTS, numbers),
        )
        vectors = _vectors(raw.body, len(texts)) if raw.status < 300 else None
        if vectors is not None:
            return vectors
        body = endpoint.error_body(raw)
        if raw.status < 300 and not body.status and not body.codes:
            where = self._where
            raise AttemptFailed("server", f"{where} answered without one embedding per text")
        raise self._failure(raw, body)

    @cached_property
    def endpoint(self) -> Endpoint:
        """Where it is. Raises UsageError where that is not known."""
        endpoint, self._is_own_address = self._locate()
        self._capabilities = Capabilities.of(
            self._provider, own_address=self._is_own_address, settings=self._address.settings
        )
        return endpoint

    async def _attempt(self, request: ChatRequest, attempt: int) -> ChatReply:
        endpoint, clock = self.endpoint, self.endpoint.timing.clock
        for _ in range(_ADAPTATIONS):
            sent_at = clock()
            capabilities = self._capabilities
            assert capabilities is not None  # the endpoint is known
            schema = strict_schema(request.schema) if request.schema is not None else None
            parameters = capabilities.parameters(request, schema)
            messages = capabilities.messages(request, schema)
            payload = payload_of(self._address.model, messages, parameters)
            raw = await endpoint.transport().exchange(payload, endpoint.limits.timeout_s)
            endpoint.answered = True
            completion = endpoint.completion(raw)
            if completion is not None:
                self._cut_prompt = self._cut_prompt or cut_prompt(payload, completion)
                reply = self._reply(completion, request, clock() - sent_at, attempt)
                return cut_at(reply, parameters.get(capabilities.limit_name))
            body = endpoint.error_body(raw)
            if body.filtered:
                return ChatReply(
                    "", "content_filter", latency_s=clock() - sent_at, attempts=attempt
                )
            if body.rejected_json is not None:
                finish = "length" if body.cut_off else "stop"
                return ChatReply(
                    body.rejected_json, finish, latency_s=clock() - sent_at, attempts=attempt
                )
            chosen = self._address.settings.chosen  # what the user wants is never left out
            ours = {name: value for name, value in parameters.items() if name not in chosen}
            learnt = capabilities.learn(status_of(raw, body), body, request, ours)
            if learnt is not None:
                if self._capabilities is capabilities:  # else a sibling has learnt it meanwhile
                    self._capabilities = learnt[0]
                request = learnt[1]
                continue
            raise self._failure(raw, body)
        raise AttemptFailed(
            "bad_request", f"{self._where} refuses every way of asking", retryable=False
        )

    def _failure(self, raw: HttpResponse, body: ErrorBody) -> Exception:
        endpoint = self.endpoint
        chosen = self._address.settings.chosen if status_of(raw, body) in (400, 422) else ()
        if name := refused_setting(body, chosen):
            reason = body.message.rstrip(".")
            message = (
                f"{self._where} refuses its setting {name}: {reason}. Change {name}, or "
                "leave it out."
            )
            endpoint.refuse(self.name, message)
            return EndpointRefused(message)
        wall_s = endpoint.timing.wall()
        failure = failure_of(
            endpoint.bare(raw), body, self._where, wall_s, endpoint.limits.max_wait_s
        )
        if isinstance(failure, EndpointRefused):
            is_about_key = body.out_of_credit or {raw.status, body.status} & KEY_STATUS
            message = (
                f"{failure} {self._key_origin}"
                if self._key_origin and is_about_key
                else str(failure)
            )
            endpoint.refuse(self.name, message)
            return EndpointRefused(message)
        return failure

    def _reply(
        self,
        completion: Completion,
        request: ChatRequest,
        latency_s: float,
        attempts: int,
    ) -> ChatReply:
        reply = completion.reply
        return replace(
            reply,
            latency_s=latency_s,
            model=reply.model or self._address.model,
            attempts=attempts,
            cost_usd=cost_usd(
                self._provider, self._address.model, completion, own_address=self._is_own_address
            ),
            logprobs=reply.logprobs if request.logprobs else None,
        )

    @property
    def _where(self) -> str:
        # an own address stands in the name; the simulated world's port differs from run to run
        named = self._provider.name == "sim" or self._address.base_url is not None
        return (
            self._address.label if named else f"{self._address.label} at {self.endpoint.base_url}"
        )

    def _attempts_left(self, failed: AttemptFailed) -> int:
        usual = self.endpoint.limits.attempts
        is_unknown = failed.unreached and not self.endpoint.answered
        return min(_ATTEMPTS_UNREACHED, usual) if is_unknown else usual

    def _final(self, failed: AttemptFailed, attempts: int) -> CallFailed | EndpointUnreachable:
        endpoint = self.endpoint
        if failed.unreached and not endpoint.answered:
            hint = start_hint(self._provider, endpoint.base_url)
            hint = hint or "Check the address and that it is running."
            message = f"{self._where} cannot be reached: {failed}. {hint}"
            endpoint.give_up(message)
            return EndpointUnreachable(message)
        return call_failed(failed, self._address.label, self._where, attempts)


def _vectors(body: bytes, count: int) -> list[list[float]] | None:
    """The vectors in the order of the texts; None when the body holds no such thing."""
    try:
        data = orjson.loads(body)["data"]
        ordered = sorted(data, key=lambda entry: entry.get("index", 0))
        vectors = [[float(number) for number in entry["embedding"]] for entry in ordered]
    except (orjson.JSONDecodeError, KeyError, TypeError, ValueError, AttributeError):
        return None
    return vectors if len(vectors) == count else None
