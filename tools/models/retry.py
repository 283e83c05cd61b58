"""Sending again what failed: how often, after which pauses, and what is said in the end."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from random import Random
from typing import TypeVar

from ...state.errors import CallFailed
from ..runs.log import get_logger
from .chat import ChatReply, ChatRequest
from .faults import AttemptFailed
from .limiter import Limiter, Limits, Timing, doubled

T = TypeVar("T")


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
                self._note(fault, wait_s)
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
                used = _tokens_of(reply)
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

    def _is_over(self, fault: AttemptFailed, wait_s: float) -> bool:
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
        return min(limits.max_wait_s, doubled(limits.backoff_s, self._failed)) * (0.5 + jitter / 2)

    def _note(self, fault: AttemptFailed, wait_s: float) -> None:
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


def _tokens_of(reply: object) -> int:
    if not isinstance(reply, ChatReply):
        return 0
    return reply.usage.input_tokens + reply.usage.output_tokens
