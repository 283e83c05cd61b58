"""How many of a kind may be under way at once, and how many may begin in a time: both can be changed as they go."""

import asyncio
from collections import deque
from math import inf

_WHOLE = 1 - 1e-9
"""What counts as a whole one: a wait that was slept through may come out a rounding error short."""


class Places:
    """At most `allowed` at once, first come, first served. Nobody waits while there is room."""

    def __init__(self, allowed: int) -> None:
        self.allowed = allowed
        self.held = 0
        self._waiting: deque[asyncio.Future[None]] = deque()

    async def acquire(self) -> None:
        """Wait for a place, and hold it until `release`. A wait that is cancelled holds none."""
        if self.held < self.allowed:  # then nobody waits: whoever did was let in when there came to be room
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
        """Give a place back."""
        self.held -= 1
        self._admit()

    def resize(self, allowed: int) -> None:
        """From now on so many at once. Those that hold more go on; none is let in until enough are given back."""
        self.allowed = allowed
        self._admit()

    def _admit(self) -> None:
        while self._waiting and self.held < self.allowed:
            turn = self._waiting.popleft()
            if not turn.cancelled():
                self.held += 1
                turn.set_result(None)


class Pace:
    """So many a second, evenly, and after a rest up to `burst` of them at once (a token bucket). Times are seconds on
    any clock that never goes back."""

    def __init__(self, per_s: float, burst: float = 1.0) -> None:
        self._per_s, self._burst = per_s, burst
        self._level, self._at = burst, 0.0

    def change(self, per_s: float, burst: float, now: float) -> None:
        """Another pace from `now` on; what was saved up stays, as far as the new burst allows."""
        self._level, self._at = min(burst, self._level_at(now)), max(now, self._at)
        self._per_s, self._burst = per_s, burst

    def wait_s(self, now: float) -> float:
        """Seconds until one may begin; infinite where none ever may."""
        return self._until_s(1.0 - self._level_at(now))

    def take(self, now: float) -> float:
        """When one that wants to begin at `now` may do so: it has its turn, whenever that is."""
        self._level, self._at = self._level_at(now) - 1.0, max(now, self._at)
        return now + self._until_s(-self._level)

    def _level_at(self, now: float) -> float:
        return min(self._burst, self._level + max(0.0, now - self._at) * self._per_s)

    def _until_s(self, lack: float) -> float:
        if lack <= 1 - _WHOLE:
            return 0.0
        return lack / self._per_s if self._per_s else inf
