"""What one call may cost in attempts and in waiting, whoever makes them."""

import hashlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from random import Random

from tenacity import AsyncRetrying, RetryCallState, retry_if_exception

from ..runs.log import get_logger
from .chat import ChatReply, ChatRequest
from .faults import Fault
from .limiter import Limiter, Timing

DEFAULT_CONNECTIONS = 200
"""Calls at once towards an endpoint whose provider has no number of its own."""
_LOG = get_logger()


@dataclass(frozen=True, slots=True)
class Limits:
    """What a client may do. Connections are per endpoint; times in seconds; `attempts` counts the first one too."""

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
    """A call gives up when its own waits after 429s exceed this, or when the endpoint has given nothing but 429s for as
    long while the call was under way."""

    most_connections: int | None = None
    """What the system has room for, whatever was chosen; None: enough."""

    def connections(self, usual: int | None = None) -> int:
        """Calls at once: what was chosen, else the provider's usual number, else 200; never more than fit."""
        wanted = self.max_connections or usual or DEFAULT_CONNECTIONS
        return min(wanted, self.most_connections or wanted)


class Effort:
    """The attempts at one call. `attempts` counts what was sent, 429s among it."""

    def __init__(
        self,
        name: str,
        request: ChatRequest,
        limiter: Limiter,
        limits: Limits,
        timing: Timing,
        *,
        allowed: Callable[[Fault], int] | None = None,
    ) -> None:
        """`name` is the model's, for the log; `allowed` gives the attempts that a fault leaves, if fewer than usual."""
        self.attempts = 0
        self._name = name
        self._request = request
        self._limiter = limiter
        self._limits = limits
        self._timing = timing
        self._allowed = allowed or (lambda _: limits.attempts)
        self._began = timing.clock()
        self._failed = self._refused = 0
        self._refused_s = 0.0
        self._pause_s = 0.0

    async def run(self, send: Callable[[int], Awaitable[ChatReply]]) -> ChatReply:
        """Call `send` with the attempt's number until it replies. Raises its last Fault, and all else at once.

        Each attempt has a place of the limiter. Faults are met with doubling waits; 429s with the endpoint's pause.
        """
        retrying = AsyncRetrying(
            stop=self._is_over,
            wait=self._wait_s,
            retry=retry_if_exception(lambda error: isinstance(error, Fault) and error.retryable),
            before_sleep=self._note,
            sleep=self._timing.sleep,
            reraise=True,
        )
        return await retrying(self._attempt, send)

    async def _attempt(self, send: Callable[[int], Awaitable[ChatReply]]) -> ChatReply:
        async with self._limiter.slot():
            refusing_s = self._limiter.refusing_s(self._began)
            if refusing_s >= self._limits.rate_limit_patience_s:
                raise Fault("rate_limit", f"nothing but 429 for {refusing_s:.0f} s", retryable=False)
            self.attempts += 1
            sent_at = self._timing.clock()
            try:
                reply = await send(self.attempts)
            except Fault as fault:
                if fault.kind == "rate_limit":
                    self._refused += 1
                    self._pause_s = self._limiter.refused(fault.retry_after_s, sent_at)
                else:
                    self._failed += 1
                raise
            self._limiter.succeeded(sent_at)
            return reply

    def _is_over(self, state: RetryCallState) -> bool:
        fault = _fault(state)
        if fault.kind == "rate_limit":
            return self._refused_s + state.upcoming_sleep > self._limits.rate_limit_patience_s
        return self._failed >= self._allowed(fault)

    def _wait_s(self, state: RetryCallState) -> float:
        """The endpoint's own time, or doubling waits; jitter from the request itself keeps siblings apart."""
        fault, limits = _fault(state), self._limits
        turns = "\n".join(message.content for message in self._request.messages)
        seed = hashlib.sha256(f"{state.attempt_number}:{self._request.sample}:{turns}".encode()).hexdigest()
        jitter = Random(seed).random()
        if fault.kind == "rate_limit":
            return min(limits.max_wait_s, self._pause_s + jitter * _doubled(limits.backoff_s, self._refused))
        if fault.retry_after_s is not None:
            return min(limits.max_wait_s, fault.retry_after_s + jitter * limits.backoff_s)
        return min(limits.max_wait_s, _doubled(limits.backoff_s, self._failed)) * (0.5 + jitter / 2)

    def _note(self, state: RetryCallState) -> None:
        if _fault(state).kind == "rate_limit":
            self._refused_s += state.upcoming_sleep
        _LOG.warning(
            "call retried",
            model=self._name,
            purpose=self._request.purpose,
            attempt=state.attempt_number,
            fault=str(_fault(state)),
            wait_s=round(state.upcoming_sleep, 3),
        )


def _fault(state: RetryCallState) -> Fault:
    fault = state.outcome.exception() if state.outcome else None
    assert isinstance(fault, Fault)  # nothing else is retried
    return fault


def _doubled(first_s: float, times: int) -> float:
    return first_s * 2.0 ** min(times - 1, 30)
