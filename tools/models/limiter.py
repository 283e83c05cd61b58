"""How calls wait: for a place towards one model at an endpoint, which gives way to 429s, and between
the attempts at one call.

The number of requests allowed in flight moves as in TCP's congestion avoidance (Chiu & Jain 1989:
additive increase, multiplicative decrease): a wave of 429s halves it, each success gives one place
back, up to the capacity. A wave is all 429s to requests that were sent before its first one was
heard; it counts once. Without a 429 the capacity is reached.
"""

import asyncio
import time
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from random import Random
from typing import TypeVar

from ...state.errors import CallFailed
from ...state.records import Usage
from ..runs.log import get_logger
from .chat import ChatReply, ChatRequest
from .faults import AttemptFailed
from .rates import Rate, Throttle

T = TypeVar("T")


@dataclass(slots=True)
class Meter:
    """Requests in flight and waiting, over all endpoints of one launch."""

    in_flight: int = 0
    peak: int = 0
    queued: int = 0
    refused: int = 0
    """429s so far."""


class Places:
    """So many at once, first come, first served; how many may change at any time."""

    def __init__(self, allowed: int) -> None:
        self.allowed = allowed
        self.held = 0
        self._waiting: deque[asyncio.Future[None]] = deque()

    async def acquire(self) -> None:
        """Returns when the caller holds a place."""
        if self.held < self.allowed and all(turn.cancelled() for turn in self._waiting):
            self.held += 1
            return
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if (
                not turn.cancelled()
            ):  # the place was given in the same moment: it goes to the next
                self.release()
            raise

    def release(self) -> None:
        self.held -= 1
        self._admit()

    def allot(self, allowed: int) -> None:
        """From now on so many; those that hold a place beyond that keep it."""
        self.allowed = allowed
        self._admit()

    def _admit(self) -> None:
        while self._waiting and self.held < self.allowed:
            turn = self._waiting.popleft()
            if not turn.cancelled():
                self.held += 1
                turn.set_result(None)


_FIRST_PAUSE_S = 1.0
_WAVES_BELIEVED = 2
"""Waves without a success between them whose named waits are taken as they are, however short."""


@dataclass(frozen=True, slots=True)
class Timing:
    """The clocks a client goes by; tests put their own in."""

    clock: Callable[[], float] = time.monotonic
    """Seconds on a clock that never goes back."""
    wall: Callable[[], float] = time.time
    """Seconds since 1970, for dates in headers."""
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep


class Limiter:
    """At most `allowed` requests in flight at one model, first come, first served; none while it is
    paused. Each holds a place for as long as its `async with limiter` lasts.

    `places` are those of the endpoint, shared by its models: a model that is paused holds none of
    them.
    """

    def __init__(
        self,
        capacity: int,
        timing: Timing,
        meter: Meter,
        *,
        max_pause_s: float = 60.0,
        places: Places | None = None,
        throttle: Throttle | None = None,
    ) -> None:
        self.capacity = capacity
        self._places = places or Places(capacity)
        self._own = Places(capacity)
        self._throttle = throttle
        self._timing = timing
        self._meter = meter
        self._max_pause_s = max_pause_s
        self._waves = 0  # since the last success
        self._refusing_since: float | None = None
        self._pause_began = float("-inf")
        self._paused_until = float("-inf")

    @property
    def allowed(self) -> int:
        """Requests in flight allowed now, 1 to `capacity`."""
        return self._own.allowed

    async def __aenter__(self) -> float:
        """Wait for the end of a pause, for the model's rate and for a free place, then hold the
        place. Time limits begin inside. Returns the tokens that were counted for the request:
        `count` has to be told them."""
        meter = self._meter
        meter.queued += 1
        try:
            await self._own.acquire()
            try:
                counted = await self._take_place()
            except BaseException:
                self._own.release()
                raise
        finally:
            meter.queued -= 1
        meter.in_flight += 1
        meter.peak = max(meter.peak, meter.in_flight)
        return counted

    async def __aexit__(self, *exc: object) -> None:
        self._meter.in_flight -= 1
        self._places.release()
        self._own.release()

    def count(
        self,
        counted: float,
        used: int | None,
    ) -> None:
        """A request for which so many tokens were counted has used so many; None: it failed."""
        if self._throttle is not None:
            self._throttle.end(self._timing.clock(), counted, used)

    def refused(
        self,
        told_s: float | None,
        sent_at: float,
    ) -> float:
        """A request sent at `sent_at` met a 429 that named a wait of `told_s` seconds, or none:
        pause the endpoint.

        Returns the seconds until the pause ends. Without a named wait the pause is 1 s and doubles
        with every wave until a success. Requests that were on their way when a pause began tell of
        the same overload: they can lengthen it to their own wait counted from its beginning, but
        never push it on. Only one sent later begins a new one.
        """
        now_s = self._timing.clock()
        self._meter.refused += 1
        if self._refusing_since is None:
            self._refusing_since = now_s
        if sent_at > self._pause_began:
            self._pause_began = now_s
            self._waves += 1
            self._own.allot(max(1, min(self.allowed, self._places.allowed) // 2))
        self._paused_until = max(self._paused_until, self._pause_began + self._pause_s(told_s))
        return max(0.0, self._paused_until - now_s)

    def succeeded(self, sent_at: float) -> None:
        """A request sent at `sent_at` was served. One sent before the last 429 says nothing about
        what is free now."""
        self._refusing_since = None
        if sent_at > self._pause_began:
            self._waves = 0
            if self.allowed < self.capacity:
                self._own.allot(self.allowed + 1)

    def refusing_s(self, since: float) -> float:
        """Seconds, counted from `since` at the earliest, in which the endpoint has refused and
        served nothing."""
        if self._refusing_since is None:
            return 0.0
        return max(0.0, self._timing.clock() - max(self._refusing_since, since))

    def _pause_s(self, told_s: float | None) -> float:
        own_s = doubled(_FIRST_PAUSE_S, self._waves)
        if told_s is not None and self._waves <= _WAVES_BELIEVED:
            return min(told_s, self._max_pause_s)
        return min(max(told_s or 0.0, own_s), self._max_pause_s)

    async def _take_place(self) -> float:
        if self._throttle is None:
            await self._wait_for_place()
            return 0.0
        async with self._throttle.turn:
            await self._wait_for_place()
            return self._throttle.begin(self._timing.clock())

    async def _wait_for_place(self) -> None:
        while True:
            while (left := self._left_s()) > 0:
                await self._timing.sleep(left)
            await self._places.acquire()
            if self._left_s() <= 0:
                return
            self._places.release()  # a pause began while this one stood in the queue

    def _left_s(self) -> float:
        now_s = self._timing.clock()
        return max(
            self._paused_until - now_s,
            self._throttle.wait_s(now_s) if self._throttle is not None else 0.0,
        )


DEFAULT_CONNECTIONS = 200
"""Calls at once towards an endpoint whose provider has no number of its own."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What a client may do. Connections are per endpoint; times in seconds; `attempts` counts the
    first one too."""

    max_connections: int | None = None
    """None: as many as suit the provider (4 for ollama and lmstudio, else 200)."""
    timeout_s: float = 120.0
    """For one attempt, from sending to the last byte; waiting in the queue is outside it."""
    attempts: int = 5
    """Attempts that may fail; a 429 is none of them."""
    max_wait_s: float = 60.0
    """Longest wait between two attempts, whatever the endpoint asks for."""
    backoff_s: float = 0.5
    """First wait; it doubles with each attempt."""
    rate_limit_patience_s: float = 600.0
    """A call gives up when its own waits after 429s exceed this, or when the endpoint has given
    nothing but 429s for as long while the call was under way."""

    rates: tuple[str, ...] = ()
    """Requests, or requests/tokens, per minute: `RPM`, `RPM/TPM`, or either behind `MODEL=`."""

    most_connections: int | None = None
    """What the system has room for, whatever was chosen; None: enough."""

    def connections(self, usual: int | None = None) -> int:
        """Calls at once: what was chosen, else the provider's usual number, else 200; never more
        than fit."""
        wanted = self.max_connections or usual or DEFAULT_CONNECTIONS
        return min(wanted, self.most_connections or wanted)


class Destination:
    """An address, or a provider that LangChain reaches: what bounds the calls there, over all
    models and keys."""

    def __init__(
        self,
        connections: int,
        limits: Limits,
        timing: Timing,
        meter: Meter,
    ) -> None:
        """`connections`: calls at once."""
        self.connections, self.limits, self.timing = connections, limits, timing
        self.places = Places(connections)
        self._meter = meter
        self._throttles: dict[str, Throttle] = {}
        self._limiters: dict[tuple[str, str], Limiter] = {}

    def keep_to(
        self,
        model: str,
        rate: Rate | None,
    ) -> None:
        """Of two rates for one model, said of two of its names, the lower one holds."""
        throttle = self._throttles.get(model)
        if rate is not None and (throttle is None or rate < throttle.rate):
            self._throttles[model] = Throttle(rate)

    def limiter(
        self,
        model: str,
        key: str = "",
    ) -> Limiter:
        """The model's own for each key: its 429s do not stop its siblings, which share the places
        with it."""
        if (model, key) not in self._limiters:
            self._limiters[model, key] = Limiter(
                self.connections,
                self.timing,
                self._meter,
                max_pause_s=self.limits.max_wait_s,
                places=self.places,
                throttle=self._throttles.get(model),
            )
        return self._limiters[model, key]

    def allot(
        self,
        connections: int,
        share: float = 1.0,
    ) -> None:
        """From now on so many calls at once (0: none may begin), and this share (above 0, to 1) of
        the rate of each model."""
        for throttle in self._throttles.values():
            throttle.allot(self.timing.clock(), share)
        self.places.allot(connections)


def doubled(first_s: float, times: int) -> float:
    return first_s * 2.0 ** min(times - 1, 30)


@dataclass(slots=True)
class RetryLoop:
    """The attempts at one call."""

    name: str
    """The model's, for the log."""
    request: ChatRequest
    limiter: Limiter
    limits: Limits
    timing: Timing
    allowed: Callable[[AttemptFailed], int] | None = None
    """The attempts that a fault leaves, if fewer than usual."""
    attempts: int = 0
    """What was sent, 429s among it."""
    _failed: int = 0
    _refused: int = 0
    _refused_s: float = 0.0
    _pause_s: float = 0.0
    _began: float = field(init=False)

    def __post_init__(self) -> None:
        self._began = self.timing.clock()

    async def run(self, send: Callable[[int], Awaitable[T]]) -> T:
        """Call `send` with the attempt's number until it replies. Raises its last AttemptFailed, and all
        else at once.

        Each attempt has a place of the limiter. Faults are met with doubling waits; 429s with the
        endpoint's pause.
        """
        while True:
            try:
                return await self._attempt(send)
            except AttemptFailed as fault:
                wait_s = self._wait_s(fault)
                if not fault.retryable or self._is_over(fault, wait_s):
                    raise
                if fault.kind == "rate_limit":
                    self._refused_s += wait_s
                get_logger().warning(
                    "call retried",
                    model=self.name,
                    purpose=self.request.purpose,
                    attempt=self.attempts,
                    fault=str(fault),
                    wait_s=round(wait_s, 3),
                )
            await self.timing.sleep(wait_s)

    async def _attempt(self, send: Callable[[int], Awaitable[T]]) -> T:
        async with self.limiter as counted:
            refusing_s = self.limiter.refusing_s(self._began)
            if refusing_s >= self.limits.rate_limit_patience_s:
                raise AttemptFailed(
                    "rate_limit", f"nothing but 429 for {refusing_s:.0f} s", retryable=False
                )
            self.attempts += 1
            sent_at, used = self.timing.clock(), None
            try:
                reply = await send(self.attempts)
                usage = reply.usage if isinstance(reply, ChatReply) else Usage()
                used = usage.input_tokens + usage.output_tokens
            except AttemptFailed as fault:
                if fault.kind == "rate_limit":
                    self._refused += 1
                    self._pause_s = self.limiter.refused(fault.retry_after_s, sent_at)
                else:
                    self._failed += 1
                raise
            finally:
                self.limiter.count(counted, used)
            self.limiter.succeeded(sent_at)
            return reply

    def _is_over(
        self,
        fault: AttemptFailed,
        wait_s: float,
    ) -> bool:
        if fault.kind == "rate_limit":
            return self._refused_s + wait_s > self.limits.rate_limit_patience_s
        return self._failed >= (self.allowed(fault) if self.allowed else self.limits.attempts)

    def _wait_s(self, fault: AttemptFailed) -> float:
        """The endpoint's own time, or doubling waits; jitter from the request itself keeps siblings
        apart."""
        limits = self.limits
        turns = "\n".join(message.content for message in self.request.messages)
        jitter = Random(f"{self.attempts}:{self.request.sample}:{turns}").random()
        if fault.kind == "rate_limit":
            return min(
                limits.max_wait_s,
                self._pause_s + jitter * doubled(limits.backoff_s, self._refused),
            )
        if fault.retry_after_s is not None:
            return min(limits.max_wait_s, fault.retry_after_s + jitter * limits.backoff_s)
        return min(limits.max_wait_s, doubled(limits.backoff_s, self._failed)) * (
            0.5 + jitter / 2
        )


def call_failed(
    failed: AttemptFailed,
    name: str,
    where: str,
    attempts: int,
) -> CallFailed:
    """What the last attempt becomes for the run. `name`: of the model, `where` it was asked."""
    reason = str(failed) if name in str(failed) else f"{where}: {failed}"
    return CallFailed(
        failed.kind, f"{reason} (after {attempts} attempts).", attempts=max(1, attempts)
    )
