"""One endpoint shared by its models, and a model there: queue, attempts, and what a failure means
for the run."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from ...state.errors import CallFailed, EndpointRefused, EndpointUnreachable
from ..net import WorldName, hide
from .address import Access, ModelAddress, start_hint
from .capabilities import Capabilities, payload_of, refused_setting
from .chat import ChatReply, ChatRequest, strict_schema, traced
from .faults import (
    KEY_STATUS,
    ErrorBody,
    AttemptFailed,
    HttpResponse,
    error_body_of,
    failure_of,
    status_of,
)
from .limiter import RetryLoop, Limiter, Limits, Meter, Places, Timing
from .pricing import cost_usd
from .providers import Provider
from .rates import Throttle
from .reading import Completion, cut_at, cut_prompt, read_completion, without_key
from .replies import one_body
from .way import Way

if TYPE_CHECKING:
    from .transport import Transport

_ATTEMPTS_UNREACHED = 3
"""Attempts at an endpoint that never answered: more would only keep the user waiting for a wrong
address."""
_MOST_CHARS = 2_000_000
"""Of an answer with its reasoning or refusal, which is about half a million tokens."""
_ADAPTATIONS = 8
"""Most times one attempt is put differently because the endpoint does not know a parameter."""


class Endpoint:
    """A base URL with a key: one pool, a limiter for each model, and what has been learnt about
    it."""

    def __init__(
        self,
        base_url: str,
        access: Access,
        limits: Limits,
        timing: Timing,
        meter: Meter,
        *,
        connections: int,
        way: Way | None = None,
        places: Places | None = None,
        throttles: Mapping[str, Throttle] | None = None,
        on_refused: Callable[[str, float], None] = lambda model, pause_s: None,
    ) -> None:
        """`places`: calls at once of all models there; `throttles`: those of the models that have a
        rate; `on_refused` hears of each wave of 429s, with the model and the seconds of its pause.
        """
        self.base_url = base_url
        self.limits = limits
        self.timing = timing
        self._meter = meter
        self._connections = connections
        self._places, self._on_refused = places or Places(connections), on_refused
        self._throttles = throttles or {}
        self.limiters: dict[str, Limiter] = {}
        self.answered = False
        self._access, self._way = access, way or Way()
        self._transport: Transport | None = None
        self._refused: dict[str, str] = {}
        self._unreachable: str | None = None
        self.world = WorldName(base_url, access.key)

    def limiter(self, model: str) -> Limiter:
        """The model's own: its 429s do not stop its siblings, which share the endpoint's places
        with it."""
        if model not in self.limiters:
            self.limiters[model] = Limiter(
                self._connections,
                self.timing,
                self._meter,
                max_pause_s=self.limits.max_wait_s,
                places=self._places,
                throttle=self._throttles.get(model),
                on_refused=partial(self._on_refused, model),
            )
        return self.limiters[model]

    def transport(self) -> "Transport":
        """The way there; the pool is opened with the first call."""
        if self._transport is None:
            self._transport = (
                self._way.transport(  # only when something is really asked: its imports are heavy
                    self.base_url,
                    self._access.key,
                    connections=self._connections,
                    timeout_s=self.limits.timeout_s,
                    headers=self._access.headers,
                )
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
        if (
            sum(len(text or "") for text in (reply.text, reply.reasoning, reply.refusal))
            > _MOST_CHARS
        ):
            raise AttemptFailed(
                "server",
                f"it sent an answer of more than {_MOST_CHARS} characters",
                retryable=False,
            )
        return completion._replace(reply=without_key(reply, self._access.secrets))

    def complaint(self, raw: HttpResponse) -> ErrorBody:
        """What an error body says, without the key."""
        complaint = error_body_of(raw, self._access.secrets)
        return replace(
            complaint,
            rejected_json=complaint.rejected_json
            and hide(complaint.rejected_json, self._access.secrets),
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
        key_said: str = "",
    ) -> None:
        """`locate` gives the endpoint, and whether its address is the user's own, when the first
        request is made. `key_said`: where the key comes from, in a sentence for when it is refused.
        """
        self.name = address.text
        self._address = address
        self._provider = provider
        self._locate = locate
        self._key_said = key_said
        self._endpoint: Endpoint | None = None
        self._own_address = False
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
        endpoint = self._located()
        if self._provider.name != "sim":
            return endpoint.base_url
        world = await endpoint.world.get()
        return f"sim:{world}" if world else ""

    async def complete(self, request: ChatRequest) -> ChatReply:
        """One reply, after as many attempts as it takes and the limits allow.

        Raises CallFailed, EndpointRefused or EndpointUnreachable; the last two are remembered, and
        later calls raise them without a request.
        """
        endpoint = self._connected()
        endpoint.check(self.name)
        request = self._address.settings.instructed(request)

        async def send(attempt: int) -> ChatReply:
            endpoint.check(self.name)  # others may have learnt it while this one was queueing
            return await self._attempt(endpoint, request, attempt)

        effort = RetryLoop(
            self._address.label,
            request,
            endpoint.limiter(self._address.model),
            endpoint.limits,
            endpoint.timing,
            allowed=lambda fault: self._allowed(fault, endpoint),
        )
        try:
            return await traced(self.name, request, lambda: effort.run(send))
        except AttemptFailed as fault:
            raise self._final(fault, endpoint, effort.attempts) from None

    def _located(self) -> Endpoint:
        if self._endpoint is None:
            self._endpoint, self._own_address = self._locate()
            settings = self._address.settings
            self._capabilities = Capabilities.of(
                self._provider, own_address=self._own_address, settings=settings
            )
        return self._endpoint

    def _connected(self) -> Endpoint:
        endpoint = self._located()
        endpoint.transport()  # its imports take time that belongs to no call
        return endpoint

    async def _attempt(self, endpoint: Endpoint, request: ChatRequest, attempt: int) -> ChatReply:
        clock = endpoint.timing.clock
        for _ in range(_ADAPTATIONS):
            sent_at = clock()
            capabilities = self._capabilities
            assert capabilities is not None
            schema = strict_schema(request.schema) if request.schema is not None else None
            sent = capabilities.parameters(request, schema)
            payload = payload_of(self._address.model, capabilities.messages(request, schema), sent)
            raw = one_body(await endpoint.transport().exchange(payload, endpoint.limits.timeout_s))
            endpoint.answered = True
            completion = endpoint.completion(raw)
            if completion is not None:
                self._cut_prompt = self._cut_prompt or cut_prompt(payload, completion)
                reply = self._reply(completion, request, clock() - sent_at, attempt)
                return cut_at(reply, sent.get(capabilities.limit_name))
            complaint = endpoint.complaint(raw)
            if complaint.filtered:
                return ChatReply(
                    "", "content_filter", latency_s=clock() - sent_at, attempts=attempt
                )
            if complaint.rejected_json is not None:
                finish = "length" if complaint.cut_off else "stop"
                return ChatReply(
                    complaint.rejected_json, finish, latency_s=clock() - sent_at, attempts=attempt
                )
            chosen = self._address.settings.chosen  # what the user wants is never left out
            own = {name: value for name, value in sent.items() if name not in chosen}
            learnt = capabilities.learn(status_of(raw, complaint), complaint, request, own)
            if learnt is not None:
                if (
                    self._capabilities is capabilities
                ):  # otherwise a sibling has learnt it meanwhile
                    self._capabilities = learnt[0]
                request = learnt[1]
                continue
            raise self._failure(endpoint, raw, complaint)
        raise AttemptFailed(
            "bad_request", f"{self._where(endpoint)} refuses every way of asking", retryable=False
        )

    def _failure(self, endpoint: Endpoint, raw: HttpResponse, complaint: ErrorBody) -> Exception:
        chosen = self._address.settings.chosen if status_of(raw, complaint) in (400, 422) else ()
        if name := refused_setting(complaint, chosen):
            reason = complaint.message.rstrip(".")
            message = (
                f"{self._where(endpoint)} refuses its setting {name}: {reason}. Change {name}, or "
                "leave it out."
            )
            endpoint.refuse(self.name, message)
            return EndpointRefused(message)
        wall_s = endpoint.timing.wall()
        failure = failure_of(
            endpoint.bare(raw), complaint, self._where(endpoint), wall_s, endpoint.limits.max_wait_s
        )
        if isinstance(failure, EndpointRefused):
            about_key = complaint.out_of_credit or {raw.status, complaint.status} & KEY_STATUS
            message = (
                f"{failure} {self._key_said}" if self._key_said and about_key else str(failure)
            )
            endpoint.refuse(self.name, message)
            return EndpointRefused(message)
        return failure

    def _reply(
        self, completion: Completion, request: ChatRequest, latency_s: float, attempts: int
    ) -> ChatReply:
        reply = completion.reply
        return replace(
            reply,
            latency_s=latency_s,
            model=reply.model or self._address.model,
            attempts=attempts,
            cost_usd=cost_usd(
                self._provider, self._address.model, completion, own_address=self._own_address
            ),
            logprobs=reply.logprobs if request.logprobs else None,
        )

    def _where(self, endpoint: Endpoint) -> str:
        # an own address stands in the name; the simulated world's port differs from run to run
        named = self._provider.name == "sim" or self._address.base_url is not None
        return self._address.label if named else f"{self._address.label} at {endpoint.base_url}"

    @staticmethod
    def _allowed(fault: AttemptFailed, endpoint: Endpoint) -> int:
        usual = endpoint.limits.attempts
        return (
            min(_ATTEMPTS_UNREACHED, usual) if fault.unreached and not endpoint.answered else usual
        )

    def _final(
        self, fault: AttemptFailed, endpoint: Endpoint, attempts: int
    ) -> CallFailed | EndpointUnreachable:
        if fault.unreached and not endpoint.answered:
            message = f"{self._where(endpoint)} cannot be reached: {fault}. "
            message += (
                start_hint(self._provider, endpoint.base_url)
                or "Check the address and that it is running."
            )
            endpoint.give_up(message)
            return EndpointUnreachable(message)
        said = (
            str(fault) if self._address.label in str(fault) else f"{self._where(endpoint)}: {fault}"
        )
        return CallFailed(
            fault.kind, f"{said} (after {attempts} attempts).", attempts=max(1, attempts)
        )
