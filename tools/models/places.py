"""Places for requests, of which a process has so many at a time, and what it counts of them."""

import asyncio
from collections import deque
from dataclasses import dataclass


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
            if not turn.cancelled():  # the place was given in the same moment: it goes to the next
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
