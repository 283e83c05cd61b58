"""Bounded concurrency towards one endpoint, and its pauses."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Timing:
    """The clocks a client goes by; tests put their own in."""

    clock: Callable[[], float] = time.monotonic
    """Seconds on a clock that never goes back."""
    wall: Callable[[], float] = time.time
    """Seconds since 1970, for dates in headers."""
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep


@dataclass(slots=True)
class Meter:
    """Requests in flight and waiting, over all endpoints of one launch."""

    in_flight: int = 0
    peak: int = 0
    queued: int = 0


class Limiter:
    """At most `capacity` requests in flight at one endpoint, first come, first served; none while it is paused."""

    def __init__(self, capacity: int, timing: Timing, meter: Meter) -> None:
        self._slots = asyncio.Semaphore(capacity)
        self._timing = timing
        self._meter = meter
        self._pause_began = float("-inf")
        self._paused_until = float("-inf")

    @asynccontextmanager
    async def slot(self) -> AsyncIterator[None]:
        """Wait for a free place and for the end of a pause, then hold the place. Time limits begin inside."""
        meter = self._meter
        meter.queued += 1
        try:
            await self._slots.acquire()
            try:
                await self._pause_over()
            except BaseException:
                self._slots.release()
                raise
        finally:
            meter.queued -= 1
        meter.in_flight += 1
        meter.peak = max(meter.peak, meter.in_flight)
        try:
            yield
        finally:
            meter.in_flight -= 1
            self._slots.release()

    def pause(self, wait_s: float, sent_at: float) -> None:
        """Pause the endpoint because a request sent at `sent_at` was told to come back in `wait_s` seconds.

        Requests that were on their way when a pause began tell of the same overload: they can lengthen that pause to
        their own wait counted from its beginning, but never push it on. Only a request sent later begins a new one.
        """
        if sent_at > self._pause_began:
            self._pause_began = self._timing.clock()
        self._paused_until = max(self._paused_until, self._pause_began + wait_s)

    async def _pause_over(self) -> None:
        while (left := self._paused_until - self._timing.clock()) > 0:
            await self._timing.sleep(left)
