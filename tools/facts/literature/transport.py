"""The way to a literature service: polite, and with what is private (a key, a mail address) on the wire only."""

from collections.abc import Mapping
from types import MappingProxyType
from urllib.parse import quote, quote_plus

import httpx

from ....state.errors import SourceFailed
from ..transport import MAX_RETRY_AFTER_S, Clock, Inspect, Passing, PoliteTransport, Sleep, real_sleep


class LiteratureTransport(PoliteTransport):
    """PoliteTransport with three habits of literature services.

    `private` are query parameters added below the HTTP client, so that its log and its errors never have them; they are
    struck from error texts too. A 429 is final when the service asks to wait a minute or more, or when its
    `X-RateLimit-Remaining` is below `search_cost`: an allowance for the day is used up, and waiting does not help.
    Statuses in `busy` mean "too fast" with this service and are worth another attempt. `spent` says what to do then.
    """

    def __init__(
        self,
        service: str,
        *,
        max_connections: int,
        clock: Clock,
        attempts: int,
        time_limit_s: float,
        inspect: Inspect,
        advice: Mapping[int, str],
        trust_env: bool,
        private: Mapping[str, str] = MappingProxyType({}),
        busy: frozenset[int] = frozenset(),
        search_cost: int = 1,
        spent: str = "Go on later.",
        inner: httpx.AsyncBaseTransport | None = None,
        sleep: Sleep = real_sleep,
    ) -> None:
        super().__init__(
            service,
            max_connections=max_connections,
            clock=clock,
            attempts=attempts,
            time_limit_s=time_limit_s,
            inspect=inspect,
            advice=advice,
            trust_env=trust_env,
            key=private.get("api_key", ""),
            inner=inner,
            sleep=sleep,
        )
        self._private = dict(private)
        self._busy = busy
        self._search_cost = search_cost
        self._spent = spent

    async def _exchange(self, request: httpx.Request) -> httpx.Response:
        sent = httpx.Request(
            request.method,
            request.url.copy_merge_params(self._private),
            headers=request.headers,
            extensions=request.extensions,
        )
        try:
            response = await super()._exchange(sent)
        except Passing as failure:
            raise Passing(failure.kind, self._struck(str(failure)), failure.wait_s) from None
        except SourceFailed as failure:
            raise SourceFailed(failure.kind, self._struck(str(failure))) from None
        response.request = request
        return response

    def _check(self, response: httpx.Response) -> None:
        if response.status_code == 429 and self._used_up(response):
            raise SourceFailed(
                "rate_limit", f"{self._service} permits no further searches for now (HTTP 429). {self._spent}"
            )
        if response.status_code in self._busy:
            raise Passing(
                "rate_limit",
                f"HTTP {response.status_code}, which it sends when asked too fast",
                self._retry_after_s(response) or 1.0,
            )
        super()._check(response)

    def _used_up(self, response: httpx.Response) -> bool:
        left = response.headers.get("x-ratelimit-remaining", "")
        if left.isdecimal() and int(left) < self._search_cost:
            return True
        return (self._retry_after_s(response) or 0.0) >= MAX_RETRY_AFTER_S

    def _struck(self, text: str) -> str:
        for value in self._private.values():
            for spelling in {value, quote(value), quote(value, safe=""), quote_plus(value)}:
                text = text.replace(spelling, "…")
        return text
