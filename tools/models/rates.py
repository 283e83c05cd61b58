"""Requests and tokens per minute that a provider allows a model: as they are written, and how they are kept to."""

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import inf, isfinite

from ...state.errors import UsageError
from ...state.worlds import label_of
from ..pacing import Pace
from .by_model import by_model

_MINUTE_S = 60.0
_LEAST_S = 1e-6
_FORM = (
    "write RPM, RPM/TPM or MODEL=RPM/TPM, in requests and tokens per minute, as in 500 or openai:gpt-5-mini=500/200000"
)


@dataclass(frozen=True, slots=True)
class Rate:
    """What one model is allowed per minute."""

    requests: float
    tokens: float = inf
    """Read and written together."""


@dataclass(frozen=True, slots=True)
class RateList:
    """The rate of every model: what the user wrote for it, else what the user wrote for all others."""

    named: Mapping[str, Rate] = field(default_factory=dict)
    plain: Rate | None = None

    @classmethod
    def parse(cls, options: Sequence[str]) -> "RateList":
        """From `--rate` options, `RPM`, `RPM/TPM` or `MODEL=RPM/TPM`. Raises UsageError for a malformed or repeated
        one."""
        return cls(*by_model("rate", options, _rate))

    def of(self, model: str) -> Rate | None:
        """What is known of the model, under its whole name, its label, or its name without settings: providers count
        by model, whatever it is sent."""
        written = (self.named.get(name) for name in (model, label_of(model), model.partition(" ")[0]))
        return next((rate for rate in written if rate is not None), self.plain)


class Allowance:
    """What is left to one process of a model's rate. Requests begin evenly, after a rest up to a second's worth of them
    at once, and never more of them in any minute than its share. Tokens are known once a reply is there: none begins
    while those of the last minute have used up the share."""

    def __init__(self, rate: Rate, share: float) -> None:
        self._rate, self._share = rate, share
        self._pace = Pace(*_pace(rate.requests * share))
        self._used: deque[tuple[float, int]] = deque()
        """When replies came, and their tokens, of the last minute."""
        self._tokens = 0

    def allot(self, share: float, now: float) -> None:
        """From now on this share of the rate, 0 to 1."""
        self._share = share
        self._pace.change(*_pace(self._rate.requests * share), now)

    def wait_s(self, now: float) -> float:
        """Seconds until a request may begin, as far as is known now; infinite with a share of 0."""
        return max(self._pace.wait_s(now), self._tokens_s(now))

    def begun(self, now: float) -> None:
        """A request begins."""
        self._pace.take(now)

    def used(self, tokens: int, now: float) -> None:
        """A reply has come, with so many tokens read and written."""
        if self._rate.tokens < inf:
            self._forget(now)
            self._used.append((now, tokens))
            self._tokens += tokens

    def _tokens_s(self, now: float) -> float:
        if self._rate.tokens == inf:
            return 0.0
        self._forget(now)
        left, allowed = self._tokens, self._rate.tokens * self._share
        if left < allowed:
            return 0.0
        for came, tokens in self._used:
            left -= tokens
            if left < allowed:
                return came + _MINUTE_S - now
        return inf

    def _forget(self, now: float) -> None:
        while self._used and self._used[0][0] + _MINUTE_S <= now + _LEAST_S:
            self._tokens -= self._used.popleft()[1]


def _pace(per_minute: float) -> tuple[float, float]:
    """Requests a second, and how many at once, such that no minute has more than `per_minute`."""
    burst = max(1.0, per_minute / _MINUTE_S)
    return max(0.0, per_minute - burst + 1.0 if per_minute > 1 else per_minute) / _MINUTE_S, burst


def _rate(amounts: str, text: str) -> Rate:
    requests, sign, tokens = amounts.partition("/")
    try:
        rate = Rate(float(requests), float(tokens) if sign else inf)
    except ValueError:
        rate = Rate(0.0)
    if not (isfinite(rate.requests) and rate.requests > 0 and rate.tokens > 0) or (sign and not isfinite(rate.tokens)):
        raise UsageError(f"--rate {text} is no rate: {_FORM}.")
    return rate
