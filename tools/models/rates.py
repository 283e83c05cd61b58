"""The requests and tokens per minute that a provider allows: what `--rate` says of them, and how
they are kept to."""

import asyncio
from collections.abc import Sequence
from math import inf
from typing import NamedTuple

from ...state.errors import UsageError
from ..flight import Pace
from .address import ByModel

_FORM = (
    "write RPM, RPM/TPM or MODEL=RPM/TPM, per minute, as in 500, 500/200000 or "
    "openai:gpt-5-mini=500/200000"
)
_NEWS_S = 1.0
"""Longest wait before the pace is looked at again: a larger share may have come."""
_REMEMBERED = 20
"""Replies by which the size of the next one is judged."""


class Rate(NamedTuple):
    """Per minute, at least 1."""

    requests: float
    tokens: float = inf
    """Read and written."""


def read_rates(options: Sequence[str]) -> ByModel[Rate]:
    """From `--rate` options. Raises UsageError for a malformed or repeated one."""
    return ByModel.parse("rate", options, _rate)


class Throttle:
    """Keeps the requests to one model to its rate: evenly, and at most those of one second at once.
    Tokens are counted when a request begins, as many as replies had of late, and put right when its
    reply has come."""

    def __init__(self, rate: Rate) -> None:
        self.rate = rate
        self.turn = asyncio.Lock()
        """Who waits; the others stand behind."""
        self._requests = Pace(rate.requests / 60, _burst(rate.requests))
        self._tokens = Pace(rate.tokens / 60)
        self._share, self._replies, self._mean = 1.0, 0, 0.0

    def wait_s(self, now_s: float) -> float:
        """Seconds until a request may begin, or until that is to be asked again."""
        due_s = max(self._requests.due_s(now_s), self._tokens.due_s(now_s))
        return min(_NEWS_S, due_s - now_s)

    def begin(self, now_s: float) -> float:
        """A request begins; returns the tokens that were counted for it."""
        self._requests.count(now_s)
        self._tokens.count(now_s, self._mean)
        return self._mean

    def end(
        self,
        now_s: float,
        counted: float,
        used: int | None,
    ) -> None:
        """It has ended and used so many tokens; None: it failed."""
        self._tokens.count(now_s, (used or 0) - counted)
        if used is not None:
            self._replies += 1
            self._mean += (used - self._mean) / min(self._replies, _REMEMBERED)

    def allot(
        self,
        now_s: float,
        share: float,
    ) -> None:
        """From now on this share (above 0, to 1) of the rate."""
        times, self._share = share / self._share, share
        self._requests.change(now_s, times, _burst(self.rate.requests * share))
        self._tokens.change(now_s, times, 1.0)


def _burst(requests: float) -> float:
    return max(1.0, requests / 60)


def _rate(amounts: str, text: str) -> Rate:
    try:
        limits = [float(amount) for amount in amounts.split("/", 1)]
    except ValueError:
        limits = [0.0]
    if not all(1 <= amount < inf for amount in limits):
        raise UsageError(f"--rate {text} is no rate: {_FORM}; each at least 1.")
    return Rate(*limits)
