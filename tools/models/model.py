"""A call of a model. Its stages stand here in their order: it is looked for in the cache, reserved in the
budget, sent to its endpoint, priced, kept and recorded.

How a call waits stands in `limiter`, what a failure means in `faults`, what an endpoint takes and
gives in `dialect`, what it costs in `pricing`.
"""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache, partial
from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter

from ...state.errors import CallFailed, EndpointRefused, EndpointUnreachable, UsageError
from ...state.records import Call, Role
from ..cache.store import REPLY, Entry, Store, digest_of
from ..net import hide
from .address import ModelAddress, parse_model, settings_of, start_hint
from .chat import Chat, ChatReply, ChatRequest, Payer, Placed
from .dialect import (
    Completion,
    Dialect,
    cut_at,
    instructed,
    payload_of,
    refused_setting,
    strict_schema,
)
from .faults import (
    KEY_STATUS,
    AttemptFailed,
    ErrorBody,
    HttpResponse,
    error_body_of,
    failure_of,
    status_of,
)
from .limiter import RetryLoop, call_failed
from .pricing import PriceList, Tally, cost_usd
from .providers import PROVIDERS, Provider
from .replies import THOUGHTS, UnreadableText, read_object
from .tracing import traced

if TYPE_CHECKING:
    from .endpoint import Endpoint

_CUT = frozenset({"length", "content_filter", THOUGHTS})
_RECORDED = ("usage", "cost_usd", "latency_s", "attempts", "cached", "saved_usd", "request")
"""Fields of a reply that its call keeps."""
_FORM = TypeAdapter(ChatReply)
_FORMAT = "reply/1"
"""Changes when replies are kept differently."""
_ATTEMPTS_UNREACHED = 3
"""Attempts at an endpoint that never answered: more would only keep the user waiting for a wrong
address."""
_LONG_PROMPT, _MOST_CHARACTERS = 2_000, 12
"""Characters of a prompt that is long enough to judge, and of a token: no language's text has as
many."""
_ADAPTATIONS = 8
"""Most times one attempt is put differently because the endpoint does not know a parameter."""


@dataclass(frozen=True, slots=True, repr=False)
class BoundModel:
    """A chat model behind the budget, the cache and the account of a run. Implements Chat.

    A model without a place, or whose place cannot be told apart from others (an empty one), is
    asked as if there were no cache. Within the store's launch equal requests that come together
    share one call, whichever run they are of; a reply from the cache is neither paid for nor
    counted.

    A failed call is settled with nothing, although a provider may have charged for attempts whose
    reply never arrived: nobody tells us what those cost, so under failures a provider's bill can be
    higher than what is counted here. A reply whose tokens the endpoint did not count is settled
    with all that was held for it, and so is a call that was cancelled on its way.
    """

    inner: Chat
    prices: PriceList | None = None
    """None: a reply keeps the price that its endpoint names."""
    tally: Tally = field(default_factory=Tally)
    store: Store | None = None
    """The cache, where there is one."""
    run_id: str = ""
    accounted: set[str] = field(default_factory=set)
    """Keys of the calls that the run's figures already contain, added to as calls are made; the
    models of a run share it. A reply that this very run paid for and that is not among them was
    kept just before the run was killed: it comes back at its price, as the call it was."""
    role: Role | None = None
    """For whom is asked; None: nothing is recorded."""
    payer: Payer | None = None
    """Who answers for the price of the calls under a budget."""
    calls: list[Call] = field(default_factory=list)
    """One for each completed or failed call, in order of completion."""
    requests: list[ChatRequest] = field(default_factory=list)
    """What was asked."""

    @property
    def name(self) -> str:
        return self.inner.name

    @property
    def caveats(self) -> tuple[str, ...]:
        """What of a request is not honoured, in words."""
        return tuple(getattr(self.inner, "caveats", ()))

    async def place(self) -> str:
        """Where its replies come from; empty when they cannot be cached."""
        return await self.inner.place() if isinstance(self.inner, Placed) else ""

    async def complete(self, request: ChatRequest) -> ChatReply:
        """The reply with its price, kept before it is returned, and recorded; `request` names its
        key in the cache. Raises BudgetSpent, and whatever the model raises."""
        if self.role is None:
            return await self._reply(request)
        self.requests.append(request)
        request = replace(request, payer=self.payer or request.payer, role=self.role)
        call = Call(role=self.role, purpose=request.purpose, model=self.name)
        try:
            reply = await self._reply(request)
        except CallFailed as error:
            failed = {"attempts": error.attempts, "failure": error.kind}
            self.calls.append(call.model_copy(update=failed))
            raise
        recorded = {name: getattr(reply, name) for name in _RECORDED}
        recorded["model"] = reply.model or self.name
        self.calls.append(call.model_copy(update=recorded))
        return reply

    async def _reply(self, request: ChatRequest) -> ChatReply:
        """A kept reply, that of an equal request under way, or a new one."""
        money = _Money(request.payer)
        # what is in the cache costs nothing, so nothing is reserved for it
        reserve = partial(money.reserve, self, request)
        send = partial(self._send, request, money)
        origin = await self.place() if self.store is not None else ""
        if self.store is None or not origin:
            await reserve()
            return await send()
        key = reply_key(origin, self.name, request)
        entry = Entry(key, _FORM, partial(self._lasting, request, key), REPLY, self.run_id)
        try:
            reply, paid_by, is_new = await self.store.get_or_call(entry, send, reserve)
        finally:
            money.release()
        if is_new:
            return reply
        if paid_by == self.run_id and key not in self.accounted:
            self.accounted.add(key)
            return replace(reply, request=key)
        return replace(
            reply, cached=True, cost_usd=0.0, saved_usd=reply.cost_usd, attempts=0, request=key
        )

    async def _send(self, request: ChatRequest, money: "_Money") -> ChatReply:
        """A new reply, with its price and paid for."""
        paid_usd: float | None = 0.0
        try:
            reply = await self.inner.complete(request)
            if self.prices is not None and not reply.cached:
                reply = replace(reply, cost_usd=self.prices.cost_usd(self.name, reply))
            self.tally.replies += 1
            paid_usd = money.held_usd if reply.cost_usd is None else reply.cost_usd
            return reply
        except asyncio.CancelledError:
            paid_usd = money.held_usd
            raise
        finally:
            self.tally.add(paid_usd)
            money.settle(paid_usd)

    def _lasting(self, request: ChatRequest, key: str, reply: ChatReply) -> ChatReply | None:
        """The reply as it is kept, with the object that was read from it where a shape was asked
        for. None of what was cut off or filtered, of what is empty and no refusal, and of what
        should be JSON and cannot be read as such: an error page, or a bad hour of the endpoint,
        must not last."""
        if reply.finish in _CUT or not (reply.text.strip() or reply.refusal):
            return None
        shape = None
        if request.schema is not None:
            if reply.refusal:
                return None
            try:
                shape = read_object(reply.text, request.schema)
            except UnreadableText:
                return None
        # before the reply can be found: whoever finds it has not paid for it
        self.accounted.add(key)
        return replace(reply, request=key, read=shape)


class _Money:
    """What one call sets aside of the budget, where there is one."""

    def __init__(self, payer: Payer | None) -> None:
        self._payer = payer
        self.held_usd: float | None = None
        """None: nothing."""

    async def reserve(self, model: BoundModel, request: ChatRequest) -> None:
        """The most that the call can cost. Raises BudgetSpent."""
        if self._payer is not None:
            prices = model.prices
            worst_usd = prices.worst_usd(model.name, request) if prices else None
            self.held_usd = await self._payer.hold(worst_usd)

    def settle(self, cost_usd: float | None, calls: int = 1) -> None:
        if self._payer is not None and self.held_usd is not None:
            self._payer.settle(self.held_usd, cost_usd, calls)
            self.held_usd = None

    def release(self) -> None:
        """Of a call that was never sent: somebody else's reply came while it waited for money."""
        self.settle(0.0, calls=0)


def reply_key(origin: str, name: str, request: ChatRequest) -> str:
    """64 hex digits over all that shapes a reply: origin, model, conversation, JSON shape, limits,
    seed, sample, and the provider's own way of asking. `name` is the model as a spec names it; what
    the reply is for is no part of it."""
    model, manner = _model_of(name)
    request = instructed(request, settings_of(name))
    parts = {
        "format": _FORMAT,
        "place": origin,
        "model": model,
        "manner": manner,
        "messages": [(message.role, message.content) for message in request.messages],
        "schema": None if request.schema is None else strict_schema(request.schema),
        "max_tokens": request.max_tokens,
        "temperature": None if request.temperature is None else float(request.temperature),
        "seed": request.seed,
        "sample": request.sample,
    }
    # only where they are asked for: the keys of all other requests stay what they were before there
    # were any
    if request.top_p is not None:
        parts["top_p"] = float(request.top_p)
    if request.logprobs:
        parts["logprobs"] = True
    return digest_of(parts)


@lru_cache(maxsize=256)
def _model_of(name: str) -> tuple[str, Mapping[str, Any]]:
    """The model without provider and address, and its own way of being asked; a name of another form
    as it is."""
    try:
        address = parse_model(name)
    except UsageError:  # a host's own model may be called anything
        return name, {}
    settings, provider = address.settings, PROVIDERS.get(address.provider)
    chosen = {"headers": settings.headers, "fields": settings.fields, "api": settings.api}
    manner: dict[str, Any] = {name: value for name, value in chosen.items() if value}
    if provider is not None:
        usual = {
            "mode": provider.mode,
            "seed": provider.seed_name,
            "extra": dict(provider.extra),
        }
        manner = usual | manner
    return address.model, manner


class EndpointChat:
    """A model at an OpenAI-compatible endpoint. Implements Chat."""

    def __init__(
        self,
        address: ModelAddress,
        provider: Provider,
        locate: "Callable[[], Endpoint]",
        *,
        own_address: bool,
        key_origin: str = "",
    ) -> None:
        """`locate` gives the endpoint when the first request is made; `own_address`: it is the
        user's own. `key_origin`: where the key comes from, in a sentence for when it is refused."""
        self.name, self.model, self._label = address.text, address.model, address.label
        self._address, self._provider, self._locate = address, provider, locate
        self._is_own_address, self._key_origin = own_address, key_origin
        self._dialect = Dialect.of(provider, own_address=own_address, settings=address.settings)
        self._cut_prompt: str | None = None

    @property
    def caveats(self) -> tuple[str, ...]:
        """What of a request is not honoured, in words, as far as it is known: what the endpoint has
        refused."""
        learnt = self._dialect.caveats
        return (*learnt, self._cut_prompt) if self._cut_prompt else learnt

    @cached_property
    def endpoint(self) -> "Endpoint":
        """Where it is. Raises UsageError where that is not known."""
        return self._locate()

    async def place(self) -> str:
        """The endpoint's address, or which simulated world it is: a world at a port is no identity,
        because another may listen there tomorrow. Empty when a world cannot be asked; the call
        itself then finds out why."""
        if not self._provider.simulated:
            return self.endpoint.base_url
        world = await self.endpoint.world.get()
        return f"sim:{world}" if world else ""

    async def complete(self, request: ChatRequest) -> ChatReply:
        """One reply, after as many attempts as it takes and the limits allow.

        Raises CallFailed, EndpointRefused or EndpointUnreachable; the last two are remembered, and
        later calls raise them without a request.
        """
        endpoint = self.endpoint
        endpoint.check(self.name)
        request = instructed(request, self._address.settings)
        loop = RetryLoop(
            self._label,
            request,
            endpoint.limiter(self.model),
            endpoint.limits,
            endpoint.timing,
            allowed=self._attempts_left,
        )
        send = partial(self._attempt, request)
        try:
            return await traced(self.name, request, lambda: loop.run(send))
        except AttemptFailed as failed:
            raise self._final(failed, loop.attempts) from None

    async def _attempt(self, request: ChatRequest, attempt: int) -> ChatReply:
        endpoint, clock = self.endpoint, self.endpoint.timing.clock
        endpoint.check(self.name)  # others may have learnt it while this one was queueing
        for _ in range(_ADAPTATIONS):
            sent_at, dialect = clock(), self._dialect
            parameters = dialect.parameters(request)
            payload = payload_of(self.model, dialect.messages(request), parameters)
            if self._provider.simulated:
                payload["simulation"] = {"purpose": request.purpose, "about": request.about}
            raw = await endpoint.exchange(payload)
            endpoint.answered = True
            if (completion := endpoint.completion(raw)) is not None:
                self._cut_prompt = self._cut_prompt or cut_prompt(payload, completion)
                limit = parameters.get(dialect.limit_name)
                return cut_at(
                    self._reply(completion, request, clock() - sent_at, attempt), limit
                )
            body = error_body_of(raw, endpoint.access.secrets)
            if body.filtered or body.rejected_json is not None:
                finish = "length" if body.cut_off else "stop"
                text = hide(body.rejected_json or "", endpoint.access.secrets)
                text, finish = ("", "content_filter") if body.filtered else (text, finish)
                return ChatReply(text, finish, latency_s=clock() - sent_at, attempts=attempt)
            chosen = self._address.settings.chosen  # what the user wants is never left out
            ours = {name: value for name, value in parameters.items() if name not in chosen}
            learnt = dialect.learn(status_of(raw, body), body, request, ours)
            if learnt is None:
                raise self.failure(raw, body)
            if self._dialect is dialect:  # else a sibling has learnt it meanwhile
                self._dialect = learnt[0]
            request = learnt[1]
        raise AttemptFailed(
            "bad_request", f"{self.where} refuses every way of asking", retryable=False
        )

    def _reply(
        self, completion: Completion, request: ChatRequest, latency_s: float, attempts: int
    ) -> ChatReply:
        reply, model = completion.reply, self.model
        return replace(
            reply,
            latency_s=latency_s,
            model=reply.model or model,
            attempts=attempts,
            cost_usd=cost_usd(
                self._provider, model, completion, own_address=self._is_own_address
            ),
            logprobs=reply.logprobs if request.logprobs else None,
        )

    def failure(self, raw: HttpResponse, body: ErrorBody) -> Exception:
        """What a response that is no completion means. A refusal is remembered."""
        endpoint = self.endpoint
        chosen = self._address.settings.chosen if status_of(raw, body) in (400, 422) else ()
        if name := refused_setting(body, chosen):
            reason = body.message.rstrip(".")
            failure: Exception = EndpointRefused(
                f"{self.where} refuses its setting {name}: {reason}. Change {name}, or leave it "
                "out."
            )
        else:
            wall_s, longest_s = endpoint.timing.wall(), endpoint.limits.max_wait_s
            secrets = endpoint.access.secrets
            headers = {name: hide(value, secrets) for name, value in raw.headers.items()}
            raw = replace(raw, headers=headers)
            failure = failure_of(raw, body, self.where, wall_s, longest_s)
            is_about_key = body.out_of_credit or {raw.status, body.status} & KEY_STATUS
            if isinstance(failure, EndpointRefused) and is_about_key and self._key_origin:
                failure = EndpointRefused(f"{failure} {self._key_origin}")
        if isinstance(failure, EndpointRefused):
            endpoint.refused[self.name] = str(failure)
        return failure

    @property
    def where(self) -> str:
        """The model, and where it is."""
        # an own address stands in the name; the simulated world's port differs from run to run
        named = self._provider.simulated or self._address.base_url is not None
        return self._label if named else f"{self._label} at {self.endpoint.base_url}"

    def _attempts_left(self, failed: AttemptFailed) -> int:
        usual = self.endpoint.limits.attempts
        is_unknown = failed.unreached and not self.endpoint.answered
        return min(_ATTEMPTS_UNREACHED, usual) if is_unknown else usual

    def _final(self, failed: AttemptFailed, attempts: int) -> CallFailed | EndpointUnreachable:
        endpoint = self.endpoint
        if failed.unreached and not endpoint.answered:
            hint = start_hint(self._provider, endpoint.base_url)
            hint = hint or "Check the address and that it is running."
            endpoint.unreachable = f"{self.where} cannot be reached: {failed}. {hint}"
            return EndpointUnreachable(endpoint.unreachable)
        return call_failed(failed, self._label, self.where, attempts)


def cut_prompt(payload: Mapping[str, Any], completion: Completion) -> str | None:
    """What is to be said where an endpoint counted fewer tokens in a prompt than its text can have;
    None: it did not, or the prompt is short, in the provider's cache, or was not counted."""
    characters = sum(len(turn["content"]) for turn in payload["messages"])
    tokens = completion.reply.usage.input_tokens
    believable = tokens * _MOST_CHARACTERS >= characters
    if characters < _LONG_PROMPT or not tokens or completion.cached_tokens or believable:
        return None
    return (
        f"the endpoint counted {tokens} tokens in a prompt of {characters} characters, and may "
        "have cut it off: give the server a larger context (for Ollama OLLAMA_CONTEXT_LENGTH)"
    )
