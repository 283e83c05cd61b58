"""Faults of the simulated world's services, and how long their replies take."""

import asyncio
from collections import Counter
from dataclasses import dataclass
from typing import Literal

from ..state.worlds import FaultRates
from .values import draw

Fault = Literal["rate_limit", "server_error", "hang", "malformed", "refusal", "cut_off"]
Kind = Literal["chat", "structured", "wiki", "search", "models", "embeddings"]

_EVERYWHERE: tuple[Fault, ...] = ("rate_limit", "server_error", "hang")
_CAN_HAPPEN: dict[Kind, tuple[Fault, ...]] = {
    "chat": (*_EVERYWHERE, "refusal", "cut_off"),
    "structured": (*_EVERYWHERE, "malformed", "refusal", "cut_off"),
    "models": (),
}


class BadRequest(Exception):
    """A request that is answered with an error: the HTTP status, and a code where the protocol has
    one."""

    def __init__(self, message: str, status: int = 400, code: str | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.code = code


class Faults:
    """Counts attempts per request digest, and draws what goes wrong for the n-th attempt at a
    digest."""

    def __init__(self, rates: FaultRates, seed: int) -> None:
        self._rates = rates
        self._seed = seed
        self._attempts: Counter[str] = Counter()

    def attempt(self, digest: str) -> int:
        """Counts one more arrival of this digest; the first is 1."""
        self._attempts[digest] += 1
        return self._attempts[digest]

    def fault_of(self, kind: Kind, digest: str, attempt: int) -> Fault | None:
        """The fault of this attempt, or None. Each kind has its own draw; of several the first in
        the list happens."""
        for fault in _CAN_HAPPEN.get(kind, _EVERYWHERE):
            rate: float = getattr(self._rates, fault)
            if rate and draw(self._seed, "fault", fault, digest, attempt) < rate:
                return fault
        return None


@dataclass(frozen=True, slots=True)
class Timing:
    """How long replies take, in seconds. It changes when a reply comes, never what it says."""

    latency_s: float = 0.0
    jitter_s: float = 0.0
    """Up to this much on top, decided by digest and attempt."""

    async def wait(self, digest: str, attempt: int) -> None:
        """Lets this request wait for so long."""
        seconds = self.latency_s
        if self.jitter_s:
            seconds += self.jitter_s * draw("jitter", digest, attempt)
        if seconds > 0:
            await asyncio.sleep(seconds)
